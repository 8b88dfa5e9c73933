"""Saved results read back: what their constructor needs."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import InputError, UsageError
from rankwell.judge.context import Context
from rankwell.judge.policy import Policy
from rankwell.judge.scale import Scale
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results.exports import KEY
from rankwell.results.segments import Segments
from rankwell.results.summary import SCHEMA
from rankwell.results.values import Saved
from rankwell.tables.ids import Ids, Known
from rankwell.tables.states import State

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Told:
    """Diagnostics whose sums were not kept."""

    told: dict[str, float]

    def __add__(self, other: object) -> Told:
        raise UsageError("loaded results hold values, not what they were made from; they do not add.")


def saved_results(
    path: str | Path,
) -> tuple[dict[str, Any], dict[str, tuple[float, float]], dict[str, dict[str, Any]]]:
    """Return the arguments of Results from a file that ``Results.save`` wrote, its ranges over tied orders, and what
    differs in the arguments of each slice.
    """
    data, frame = _read(path)
    metrics = tuple(metric_of(each["metric"]) for each in data["metrics"])
    told = dict(zip(metrics, data["metrics"], strict=True))
    columns = {} if frame is None else {m: frame[str(m)] for m in metrics if str(m) in frame.columns}
    values = {m: c.cast(float).fill_null(math.nan).to_numpy().astype(np.float64) for m, c in columns.items()}
    counts = {name: each["n"] for name, each in zip(data["mean"], data["metrics"], strict=True)}
    plain = data.get("plain_mean", data["mean"])
    states: dict[Metric, State] = {}
    for metric in metrics:
        if metric in values and isinstance(metric, QueryMetric):
            states[metric] = metric.summary(values[metric][~np.isnan(values[metric])])
        else:
            states[metric] = Saved(_number(plain[str(metric)]), told[metric]["n"])
    segments, split, sizes = _segments(data, metrics)
    scale, depth = data["scale"], data["policy"]["depth"]
    arguments = {
        "name": data["run"],
        "metrics": metrics,
        "policy": Policy(**data["policy"] | {"depth": None if depth == "all" else depth}),
        "context": Context(Scale(data["grades"], scale["rel"], scale["negative"]), scale["grade_max"]),
        "queries": Ids.of(frame["query"].to_list() if frame is not None and len(frame) else []),
        "values": values,
        "states": states,
        "ends": (),
        "counts": Counter(data["counts"]),
        "undefined": Counter({(m, why): n for m in metrics for why, n in told[m]["undefined"].items()}),
        "known": np.arange(0 if frame is None else len(frame)),
        "segments": segments,
        "split": split,
        "weighted": _kept(data["mean"], counts, [m for m in metrics if told[m]["weighted"]]),
        "sizes": sizes,
        "diagnostics": {m: Told(told[m]["diagnostics"]) for m in metrics if "diagnostics" in told[m]},
    }
    ranges = {str(m): told[m]["tie_range"] for m in metrics if told[m]["tie_range"]}
    slices: dict[str, dict[str, Any]] = {
        name: {
            "states": _kept(part.get("plain_mean", part["mean"]), part["n"], metrics),
            "weighted": _kept(part["mean"], part["n"], arguments["weighted"]),
            "segments": segments if "plain_mean" in part else None,
            "values": {}, "split": {}, "sizes": Counter(),
            "queries": Ids.of([]), "known": np.empty(0, np.int64), "undefined": Counter(),
        }
        for name, part in data.get("slices", {}).items()
    }  # fmt: skip
    return arguments, {name: (low, high) for name, (low, high) in ranges.items()}, slices


def _kept(values: dict[str, Any], n: dict[str, int], metrics: Iterable[Metric]) -> dict[Metric, State]:
    """The states of metrics of which only the values are known."""
    return {m: Saved(_number(values[str(m)]), n[str(m)]) for m in metrics}


def _segments(
    data: dict[str, Any], metrics: tuple[Metric, ...]
) -> tuple[Segments | None, dict[tuple[Metric, int], State], Counter[int]]:
    """Segments and weights, as far as they are told."""
    by, rows = tuple(data.get("by", ())), data.get("segments", [])
    if not by and "weights" not in data:
        return None, {}, Counter()
    labels = tuple(tuple(row[column] for column in by) for row in rows)
    split: dict[tuple[Metric, int], State] = {
        (m, code): Saved(_number(row["mean"][str(m)]), row["n"][str(m)])
        for code, row in enumerate(rows)
        for m in metrics
    }
    sizes = Counter({code: row["queries"] for code, row in enumerate(rows)})
    codes = np.empty(0, np.int64) if by else None
    return Segments(Known(Ids.of([])), by, codes, labels, None, data.get("weights", "")), split, sizes


def _number(value: float | str | None) -> float:
    return math.nan if value is None else float(value)


def _read(path: str | Path) -> tuple[dict[str, Any], pl.DataFrame | None]:
    """Return what a file of ``save`` says, and the values of queries.

    Raises
    ------
    InputError
        If the file cannot be read, holds no results, or those of a later version.
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
        raise InputError(f"{file}: no results can be read from it ({reason}).") from error
    if not isinstance(data, dict) or "metrics" not in data:
        raise InputError(f"{file}: holds no results of rankwell; Results.load reads what Results.save wrote.")
    if data.get("schema") != SCHEMA:
        raise InputError(
            f"{file}: results of schema {data.get('schema')}; this version reads schema {SCHEMA}."
        )
    return data, frame
