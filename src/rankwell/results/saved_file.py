"""One file of saved results, read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import InputError, RankwellError
from rankwell.judge.policy import Policy
from rankwell.judge.scale import Scale
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers.saved_files import beginning_of, json_in, json_of
from rankwell.results.bounds import Bounding
from rankwell.results.conditions import Conditions
from rankwell.results.exports import KEY, SCHEMA
from rankwell.results.kept_parts import DamagedStates, conditions_from, labels_from, part_from, states_from
from rankwell.results.labels import Labels
from rankwell.results.part import Part
from rankwell.results.segments import Division
from rankwell.results.tie_ends import Ends
from rankwell.results.values import Saved, SavedDiagnostics
from rankwell.tables.ids import Ids
from rankwell.tables.states import State

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.results import Results


# how a JSON file of results begins
BEGINNING = re.compile(rf'\s*{{\s*"{KEY}"\s*:\s*"[^"]*"\s*,\s*"schema"')


def results_in(path: str | Path) -> list[Results]:
    """Return all results in a file: one of ``Results.save``, one or more of ``rankwell evaluate -o``."""
    try:
        return [_results(data, frame) for data, frame in _read(path)]
    except DamagedStates as error:
        raise InputError(f"{path}: its states are damaged ({error}); evaluate and save it again.") from error


def _results(data: dict[str, Any], frame: pl.DataFrame | None) -> Results:
    from rankwell.results.results import Results

    saved = {metric_of(each["metric"]): each for each in data["metrics"]}
    metrics = tuple(saved)
    by, segments = tuple(data.get("by", ())), data.get("segments", [])
    division = Division(by, _labels(by, segments), data.get("weights", ""))
    scale, depth = data["scale"], data["policy"]["depth"]
    conditions = Conditions(
        Policy(**data["policy"] | {"depth": None if depth == "all" else depth}),
        Scale(data["grades"], scale["rel"], scale["negative"]),
        scale["grade_max"],
        is_known=False,
    )
    part = _part(data, frame, saved)
    states = None if frame is None else data.get("states")
    if states is not None and frame is not None:
        conditions = conditions_from(states, conditions)
        division = division._replace(labels=labels_from(states))
        part = part_from(states, frame, part)
    kept_slices = {} if states is None else states["slices"]
    slices = {
        name: Results(
            data["run"],
            sliced := tuple(metric for metric in metrics if str(metric) in each["mean"]),
            conditions_from(kept_slices[name], conditions) if name in kept_slices else conditions,
            _part_of_slice(each, part, sliced, kept_slices.get(name)),
            Division(weights=division.weights if "plain_mean" in each else ""),
        )
        for name, each in data.get("slices", {}).items()
    }
    bounding = Bounding.loaded(data["bounds"], saved) if "bounds" in data else None
    return Results(
        data["run"], metrics, conditions, part, division, slices, data.get("experiment", ""), bounding
    )


def is_saved_file(path: str | Path) -> bool:
    """Whether a file holds results that ``Results.save`` wrote as Parquet or JSON; a run in such a format does not."""
    if Path(path).suffix.lower() != ".parquet":
        return bool(BEGINNING.match(beginning_of(path)))
    import polars as pl

    try:
        return KEY in pl.read_parquet_metadata(path)
    except (OSError, ValueError, pl.exceptions.PolarsError):
        return False  # the reader of runs says what is wrong with it


def _part(data: dict[str, Any], frame: pl.DataFrame | None, saved: dict[Metric, dict[str, Any]]) -> Part:
    """Return the part of all queries, as far as the file holds it."""
    columns = {} if frame is None else {m: frame[str(m)] for m in saved if str(m) in frame.columns}
    values = {m: _floats(column) for m, column in columns.items()}
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
        Ids.of([]) if frame is None or not frame.width else Ids.of_series(frame["query"], "query"),
        np.arange(0 if frame is None else len(frame)),
        values,
        states,
        tied={m: _ends(each["tie_range"], each["n"]) for m, each in saved.items() if each["tie_range"]},
        counts=dict(data["counts"]),
        undefined={(m, why): n for m, each in saved.items() for why, n in each["undefined"].items()},
        diagnostics={
            m: SavedDiagnostics(each["diagnostics"]) for m, each in saved.items() if "diagnostics" in each
        },
        split={
            (m, code): Saved(_number(row["mean"][str(m)]), row["n"][str(m)])
            for code, row in enumerate(rows)
            for m in saved
        },
        weighted=_kept(data["mean"], n, [m for m, each in saved.items() if each["weighted"]]),
        sizes={code: row["queries"] for code, row in enumerate(rows)},
        low=_ends_of_each(frame, saved, "low"),
        high=_ends_of_each(frame, saved, "high"),
    )


def _ends_of_each(
    frame: pl.DataFrame | None, saved: dict[Metric, dict[str, Any]], end: str
) -> dict[Metric, np.ndarray]:
    """Return the bounds of each query of the metrics that have any; NaN where the file holds none."""
    if frame is None:
        return {}
    found = {}
    for metric in saved:
        if f"{metric} high" in frame.columns:
            column = frame[f"{metric} {end}"] if f"{metric} {end}" in frame.columns else None
            found[metric] = np.full(len(frame), np.nan) if column is None else _floats(column)
    return found


def _floats(column: pl.Series) -> np.ndarray:
    return column.cast(float).fill_null(math.nan).to_numpy().astype(np.float64)


def _ends(found: list[float], n: int) -> Ends:
    """Return the states under the best and the worst tie order, given the range from worst to best."""
    worst, best = found
    return Saved(best, n), Saved(worst, n)


def _part_of_slice(
    each: dict[str, Any], whole: Part, metrics: Sequence[Metric], kept: dict[str, Any] | None
) -> Part:
    """Return the part of a slice, for which no values per query are saved."""
    shown = Part(
        whole.queries[:0],
        np.empty(0, np.int64),
        states=_kept(each.get("plain_mean", each["mean"]), each["n"], metrics),
        counts=whole.counts,
        diagnostics={m: found for m, found in whole.diagnostics.items() if m in metrics},
        weighted=_kept(each["mean"], each["n"], [m for m in whole.weighted if m in metrics]),
    )
    return shown if kept is None else states_from(kept, shown)


def _kept(values: dict[str, Any], n: dict[str, int], metrics: Iterable[Metric]) -> dict[Metric, State]:
    """Return states of metrics whose values alone were saved."""
    return {m: Saved(_number(values[str(m)]), n[str(m)]) for m in metrics}


def _labels(by: tuple[str, ...], segments: list[dict[str, Any]]) -> Labels:
    if not by:
        return Labels()
    import polars as pl

    return Labels(tuple(pl.Series([row[column] for row in segments], dtype=pl.String) for column in by))


def _number(value: float | str | None) -> float:
    return math.nan if value is None else float(value)


def _read(path: str | Path) -> list[tuple[dict[str, Any], pl.DataFrame | None]]:
    """Return the data in a saved file, and the per-query values where it has them, of each run.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, holds no results, or has a schema version that is not known yet.
    """
    import polars as pl

    file = Path(path)
    frame: pl.DataFrame | None = None
    try:
        file.stat()
        if file.suffix.lower() == ".parquet":
            data = json_of(pl.read_parquet_metadata(file).get(KEY, "{}"), file, "saved results")
            frame = pl.read_parquet(file)
        else:
            data = json_in(file, "saved results")
        parts = data.get("runs", [data]) if isinstance(data, dict) else []
        frames = [frame if frame is not None else _per_query(part) for part in parts]
    except RankwellError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}).") from error
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise InputError(f"{file}: cannot be read as saved results ({reason}).") from error
    if not parts or not all(isinstance(part, dict) and "metrics" in part for part in parts):
        raise InputError(f"{file}: not rankwell results; Results.load reads files written by Results.save.")
    if not isinstance(data.get("schema"), int) or not 1 <= data["schema"] <= SCHEMA:
        raise InputError(
            f"{file}: written with schema {data.get('schema')}, but this version of rankwell reads schemas up to {SCHEMA}."
        )
    return list(zip(parts, frames, strict=True))


def _per_query(part: Any) -> pl.DataFrame | None:
    import polars as pl

    rows = part.get("per_query") if isinstance(part, dict) else None
    return None if rows is None else pl.DataFrame(rows, infer_schema_length=None)
