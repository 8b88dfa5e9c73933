"""Loading of saved results."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import InputError, UsageError
from rankwell.judge.policy import Policy
from rankwell.judge.scale import Scale
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results.conditions import Conditions
from rankwell.results.exports import KEY, SCHEMA
from rankwell.results.part import Ends, Part
from rankwell.results.segments import Division
from rankwell.results.values import CANNOT_ADD, Saved
from rankwell.tables.ids import Ids
from rankwell.tables.states import State

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.results import Results


@dataclass(frozen=True, slots=True)
class SavedDiagnostics:
    """Diagnostics read from a file, without the sums behind them."""

    diagnostics: dict[str, float]

    def __add__(self, other: object) -> SavedDiagnostics:
        raise UsageError(CANNOT_ADD)


def loaded(path: str | Path) -> Results:
    """Return the results in a file written by ``Results.save``."""
    from rankwell.results.results import Results

    data, frame = _read(path)
    saved = {metric_of(each["metric"]): each for each in data["metrics"]}
    metrics = tuple(saved)
    division = Division(
        tuple(data.get("by", ())),
        tuple(tuple(row[column] for column in data["by"]) for row in data.get("segments", [])),
        data.get("weights", ""),
    )
    scale, depth = data["scale"], data["policy"]["depth"]
    conditions = Conditions(
        Policy(**data["policy"] | {"depth": None if depth == "all" else depth}),
        Scale(data["grades"], scale["rel"], scale["negative"]),
        scale["grade_max"],
    )
    part = _part(data, frame, saved)
    slices = {
        name: Results(
            data["run"],
            sliced := tuple(metric for metric in metrics if str(metric) in each["mean"]),
            conditions,
            _part_of_slice(each, part, sliced),
            Division(weights=division.weights if "plain_mean" in each else ""),
        )
        for name, each in data.get("slices", {}).items()
    }
    return Results(data["run"], metrics, conditions, part, division, slices)


def _part(data: dict[str, Any], frame: pl.DataFrame | None, saved: dict[Metric, dict[str, Any]]) -> Part:
    """Return the part of all queries, as far as the file holds it."""
    columns = {} if frame is None else {m: frame[str(m)] for m in saved if str(m) in frame.columns}
    values = {m: c.cast(float).fill_null(math.nan).to_numpy().astype(np.float64) for m, c in columns.items()}
    plain = data.get("plain_mean", data["mean"])
    states: dict[Metric, State] = {}
    for metric, each in saved.items():
        if metric in values and isinstance(metric, QueryMetric):
            states[metric] = metric.summary(values[metric][~np.isnan(values[metric])])
        else:
            states[metric] = Saved(_number(plain[str(metric)]), each["n"])
    n = {str(metric): each["n"] for metric, each in saved.items()}
    rows = data.get("segments", [])
    return Part(
        Ids.of(frame["query"].to_list() if frame is not None and len(frame) else []),
        np.arange(0 if frame is None else len(frame)),
        values,
        states,
        tied={m: _ends(each["tie_range"], each["n"]) for m, each in saved.items() if each["tie_range"]},
        counts=Counter(data["counts"]),
        undefined=Counter({(m, why): n for m, each in saved.items() for why, n in each["undefined"].items()}),
        diagnostics={
            m: SavedDiagnostics(each["diagnostics"]) for m, each in saved.items() if "diagnostics" in each
        },
        split={
            (m, code): Saved(_number(row["mean"][str(m)]), row["n"][str(m)])
            for code, row in enumerate(rows)
            for m in saved
        },
        weighted=_kept(data["mean"], n, [m for m, each in saved.items() if each["weighted"]]),
        sizes=Counter({code: row["queries"] for code, row in enumerate(rows)}),
    )


def _ends(found: list[float], n: int) -> Ends:
    """Return the states under the best and the worst tie order, given the range from worst to best."""
    worst, best = found
    return Saved(best, n), Saved(worst, n)


def _part_of_slice(each: dict[str, Any], whole: Part, metrics: Sequence[Metric]) -> Part:
    """Return the part of a slice, for which only means are saved."""
    return Part(
        Ids.of([]),
        np.empty(0, np.int64),
        states=_kept(each.get("plain_mean", each["mean"]), each["n"], metrics),
        counts=whole.counts,
        diagnostics={m: found for m, found in whole.diagnostics.items() if m in metrics},
        weighted=_kept(each["mean"], each["n"], [m for m in whole.weighted if m in metrics]),
    )


def _kept(values: dict[str, Any], n: dict[str, int], metrics: Iterable[Metric]) -> dict[Metric, State]:
    """Return states of metrics whose values alone were saved."""
    return {m: Saved(_number(values[str(m)]), n[str(m)]) for m in metrics}


def _number(value: float | str | None) -> float:
    return math.nan if value is None else float(value)


def _read(path: str | Path) -> tuple[dict[str, Any], pl.DataFrame | None]:
    """Return the data in a file written by ``save``, and the per-query values if it has them.

    Raises
    ------
    InputError
        If the file cannot be read, holds no results, or has another schema version.
    """
    import polars as pl

    file = Path(path)
    frame: pl.DataFrame | None
    try:
        if file.suffix.lower() == ".parquet":
            data = json.loads(pl.read_parquet_metadata(file).get(KEY, "{}"))
            frame = pl.read_parquet(file)
        else:
            data = json.loads(file.read_text(encoding="utf-8"))
            rows = data.get("per_query") if isinstance(data, dict) else None
            frame = None if rows is None else pl.DataFrame(rows, infer_schema_length=None)
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise InputError(f"{file}: cannot be read as saved results ({reason}).") from error
    if not isinstance(data, dict) or "metrics" not in data:
        raise InputError(f"{file}: not rankwell results; Results.load reads files written by Results.save.")
    if data.get("schema") != SCHEMA:
        raise InputError(
            f"{file}: written with schema {data.get('schema')}, but this version of rankwell reads schema {SCHEMA}."
        )
    return data, frame
