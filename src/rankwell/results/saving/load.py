"""Loading of saved results: of one file, or of the files of several days, added."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, cast

import numpy as np

from rankwell.display.saved_files import (
    KEY,
    Kind,
    Plain,
    ensure,
    ensure_counts,
    ensure_same,
    kind_of,
)
from rankwell.display.text import plain_value
from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.matching.policy import policy_of
from rankwell.matching.scale import Scale
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers.bytes.files import File
from rankwell.results.addition import total
from rankwell.results.bounds import Bounding, BoundingRow, BoundsRow
from rankwell.results.conditions import Conditions
from rankwell.results.part import Ends, Part, SavedDiagnostics, SavedValue
from rankwell.results.results import SCHEMA, Results
from rankwell.results.saving.days import Day, files_of, is_several, split_window, without_day
from rankwell.results.saving.states import (
    States,
    StatesOfSlice,
    conditions_from,
    labels_from,
    part_from,
    states_from,
)
from rankwell.results.segments import Labels, Segmentation
from rankwell.tables.ids import Ids
from rankwell.tables.states import Average, Mean, State

if TYPE_CHECKING:
    import polars as pl


QUERY = "query"
# what a file says of the definitions of its metrics, which are those of this version; and what is said elsewhere, or is not kept
OF_DEFINITIONS = {"signature", "better", "range", "interval"}
SLACK = 1e-9  # sums that end above 1 by their last digit


class SliceRow(TypedDict):
    """The values on a slice."""

    mean: dict[str, Plain]
    n: dict[str, int]
    plain_mean: NotRequired[dict[str, Plain]]


class ScaleRow(TypedDict):
    """How grades were read."""

    rel: int | float | None
    negative: Literal["unjudged", "nonrelevant"]
    grade_max: float | None


class MetricRow(TypedDict):
    """A metric as ``to_dict`` writes it."""

    metric: str
    value: NotRequired[Plain]
    n: int
    weighted: bool
    undefined: dict[str, int]
    tie_range: tuple[float, float] | None
    bounds: NotRequired[BoundsRow]
    diagnostics: NotRequired[dict[str, Plain]]


class SavedRun(TypedDict):
    """The results of one run, as ``to_dict`` writes them; a segment has its labels under the names of ``by``."""

    run: str
    experiment: NotRequired[str]
    query_columns: NotRequired[list[str]]
    mean: dict[str, Plain]
    plain_mean: NotRequired[dict[str, Plain]]
    weights: NotRequired[str]
    by: NotRequired[list[str]]
    segments: NotRequired[list[dict[str, Any]]]
    slices: NotRequired[dict[str, SliceRow]]
    bounds: NotRequired[BoundingRow]
    metrics: list[MetricRow]
    grades: Literal["judgements", "ratings", "interactions"]
    scale: ScaleRow
    policy: dict[str, Any]
    counts: dict[str, int]
    states: NotRequired[States]
    per_query: NotRequired[list[dict[str, str | int | float | None]]]


WRITER, REMEDY = "Results.load reads files written by Results.save", "evaluate and save it again"
FILE = Kind(dict[str, Any], "file of results", WRITER, REMEDY, version=("schema", SCHEMA))
RUN = Kind(SavedRun, "file of results", WRITER, REMEDY)


def load_results(path: str | Path, since: Day = None, until: Day = None) -> Results:
    """Return the results of the one system that a path holds: a file, or the sum of the files of several days."""
    results = load_all(path, since, until)
    if len(results) != 1:
        names = ", ".join(res.name for res in results[:6])
        remedy = "name the folder of one, or a pattern" if is_several(path) else "save each by itself"
        raise UsageError(f"{path}: holds the results of {len(results)} runs ({names}); {remedy}.")
    return results[0]


def load_all(path: str | Path, since: Day = None, until: Day = None) -> list[Results]:
    """Return all results that a path holds.

    Of a file these are all its runs; of a folder, a pattern or a window of days the sum of each system.
    """
    if is_several(path) or not (since is None and until is None):
        return merge_saved([path], since, until)
    return _results_in(path)


def merge_saved(
    paths: Iterable[str | Path], since: Day = None, until: Day = None, name: str | None = None
) -> list[Results]:
    """Return the sum of the results of each system in files, folders, patterns and windows of days.

    A system is named by the sub-folder of its files, else by the name of the run without a date in it, else by the folder.
    With ``name``, all results are of one system of this name.

    Raises
    ------
    InputError, UsageError
        If a file holds no results or has no day, or results cannot be added.
    """
    by_system: dict[str, list[tuple[Results, str]]] = {}
    for path in paths:
        for file in files_of(path, since, until):
            results = _results_in(file.path)
            if file.system and len(results) > 1 and name is None:
                raise InputError(
                    f"{file.path}: holds the results of {len(results)} runs, but in a sub-folder, which names a system, files "
                    f"hold one each. Move it up, or save each run by itself."
                )
            for res in results:
                # a date in the name of the run would make a system of each day
                system = name or file.system or without_day(res.name) or file.path.absolute().parent.name
                by_system.setdefault(system, []).append((res, str(file.path)))
    sums = []
    # taken out one by one: what has been added is let go of before the next system
    for system in list(by_system):
        results, places = map(list, zip(*by_system.pop(system), strict=True))
        sums.append(replace(total(results, places), name=system))
    return sums


def open_saved(system: Any) -> Any:
    """Return the results that saved files hold; anything else, such as a run's path, as it is."""
    return load_results(system) if isinstance(system, str | Path) and is_saved(system) else system


def is_saved(path: str | Path) -> bool:
    """Whether a file holds results that ``Results.save`` wrote as Parquet or JSON; a run in such a format does not.

    A folder, a pattern or a window of days does if any of its files does.
    """
    if not is_several(path):
        return kind_of(path) == "results"
    try:
        files = files_of(split_window(path)[0])
    except InputError:
        return False  # the reader of runs says what is wrong with it
    return any(kind_of(file.path) == "results" for file in files)


def _results_in(path: str | Path) -> list[Results]:
    """All results in a file: one of ``Results.save``, one or more of ``rankwell evaluate -o``.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, holds no results, has a schema version that is not known yet, is damaged, or contradicts itself.
    """
    results = []
    for data, frame in _read(Path(path)):
        with RUN.checking(path):
            results.append(_results(data, frame if frame is not None else _per_query(data)))
    return results


def _read(file: Path) -> list[tuple[SavedRun, pl.DataFrame | None]]:
    """Return the data of each run in a saved file, and the values per query where they stand beside it, which they do in Parquet."""
    import polars as pl

    if file.suffix.lower() != ".parquet":
        data, frame = FILE.read(file), None
    else:
        from rankwell.readers.formats.parquet import check_pages

        check_pages(File(file))  # Polars ends the process at a page that asks for more memory than there is
        try:
            text, frame = pl.read_parquet_metadata(file).get(KEY, "{}"), pl.read_parquet(file)
        except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
            raise InputError(f"{file}: cannot be read as a {FILE.name} ({reason}).") from error
        data = FILE.decode(text, file)
    runs = data.get("runs", [data])
    holds_metrics = isinstance(runs, list) and [isinstance(run, dict) and "metrics" in run for run in runs]
    # comparisons and trends say their kind, and have metrics, too
    if "kind" in data or not holds_metrics or not all(holds_metrics):
        raise DataError(f"{file}: this is no {FILE.name}; {WRITER}.")
    return [(RUN.checked(run, file), frame) for run in runs]


def _per_query(data: SavedRun) -> pl.DataFrame | None:
    """Return the values of each query, if a JSON file has them, as a frame."""
    import polars as pl

    rows = data.get("per_query")
    if not rows:
        return None if rows is None else pl.DataFrame()
    for place, row in enumerate(rows):
        ensure(
            row.keys() == rows[0].keys(), f"per_query[{place}]", "its columns are not those of the first row"
        )
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    queries = pl.Series(QUERY, columns.pop(QUERY), pl.String if isinstance(rows[0][QUERY], str) else pl.Int64)
    ensure(queries.is_sorted(), "per_query", "the queries are not in order, which the states rely on")
    for name, own in columns.items():
        ensure(not any(isinstance(value, str) for value in own), f"per_query.{name}", "a value is text")
    return pl.DataFrame(
        [queries, *(pl.Series(name, own, pl.Float64, strict=False) for name, own in columns.items())]
    )


def _results(data: SavedRun, frame: pl.DataFrame | None) -> Results:
    ensure(data["metrics"], "metrics", "there is none")
    saved = {metric_of(each["metric"]): each for each in data["metrics"]}
    ensure(len(saved) == len(data["metrics"]), "metrics", "one stands there twice")
    metrics = tuple(saved)
    by, segments = tuple(data.get("by", ())), data.get("segments", [])
    division = Segmentation(by, _labels(by, segments), data.get("weights", ""))
    scale = data["scale"]
    conditions = Conditions(
        policy_of(data["policy"]),
        Scale(data["grades"], scale["rel"], scale["negative"]),
        scale["grade_max"],
        # policy and scale alone: whether data were the same only the digests say, which stand with the states
        is_known=False,
    )
    # as far as the file shows it; states, where it holds them, take the place of values
    part = _part(data, frame, saved)
    states = None if frame is None else data.get("states")
    if states is not None and frame is not None:
        conditions = conditions_from(states, conditions)
        division = division._replace(labels=labels_from(states))
        part = part_from(states, frame, part, len(division.labels))
    kept_slices = {} if states is None else states["slices"]
    slices = {
        name: Results(
            data["run"],
            sliced := tuple(metric for metric in metrics if str(metric) in each["mean"]),
            conditions_from(kept_slices[name], conditions) if name in kept_slices else conditions,
            _part_of_slice(each, part, sliced, kept_slices.get(name)),
            Segmentation(weights=division.weights if "plain_mean" in each else ""),
        )
        for name, each in data.get("slices", {}).items()
    }
    bounding = (
        Bounding.loaded(data["bounds"], {metric: row["bounds"] for metric, row in saved.items()})
        if "bounds" in data
        else None
    )
    res = Results(
        data["run"],
        metrics,
        conditions,
        part,
        division,
        slices,
        data.get("experiment", ""),
        bounding,
        tuple(data.get("query_columns", ())),
    )
    _ensure_agreement(data, res)
    return res


def _part(data: SavedRun, frame: pl.DataFrame | None, saved: Mapping[Metric, MetricRow]) -> Part:
    """Return the part of all queries, as far as the file holds it."""
    columns = {} if frame is None else {m: frame[str(m)] for m in saved if str(m) in frame.columns}
    values = {m: _floats(column) for m, column in columns.items()}
    plain = data.get("plain_mean", data["mean"])
    states: dict[Metric, State] = {}
    for metric, each in saved.items():
        if metric in values and isinstance(metric, QueryMetric):
            states[metric] = metric.summary(values[metric][~np.isnan(values[metric])])
        else:
            states[metric] = SavedValue(_number(plain[str(metric)]), each["n"])
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
            m: SavedDiagnostics({what: _number(own) for what, own in each["diagnostics"].items()})
            for m, each in saved.items()
            if "diagnostics" in each
        },
        split={
            (m, code): SavedValue(_number(row["mean"][str(m)]), row["n"][str(m)])
            for code, row in enumerate(rows)
            for m in saved
        },
        weighted=_saved_values(data["mean"], n, [m for m, each in saved.items() if each["weighted"]]),
        sizes={code: row["queries"] for code, row in enumerate(rows)},
        low=_ends_of_each(frame, saved, "low"),
        high=_ends_of_each(frame, saved, "high"),
    )


def _ends_of_each(
    frame: pl.DataFrame | None, saved: Mapping[Metric, MetricRow], end: str
) -> dict[Metric, np.ndarray]:
    """Return the bounds of each query of the metrics that have any; NaN where the file holds none."""
    if frame is None or not frame.width:
        return {}
    ends = {}
    for metric, row in saved.items():
        is_bounded = "bounds" in row and row["bounds"]["kind"] != "none"
        has_column = f"{metric} high" in frame.columns
        ensure(is_bounded == has_column, f"per_query.{metric} high", "it does not fit the bounds of the mean")
        if has_column:
            column = frame[f"{metric} {end}"] if f"{metric} {end}" in frame.columns else None
            ends[metric] = np.full(len(frame), np.nan) if column is None else _floats(column)
    return ends


def _floats(column: pl.Series) -> np.ndarray:
    return column.cast(float).fill_null(math.nan).to_numpy().astype(np.float64)


def _ends(tie_range: tuple[float, float], n: int) -> Ends:
    """Return the states under the best and the worst tie order, given the range from worst to best."""
    worst, best = tie_range
    return SavedValue(best, n), SavedValue(worst, n)


def _part_of_slice(
    row: SliceRow, whole: Part, metrics: Sequence[Metric], states: StatesOfSlice | None
) -> Part:
    """Return the part of a slice, for which no values per query are saved."""
    shown = Part(
        whole.queries[:0],
        np.empty(0, np.int64),
        states=_saved_values(row.get("plain_mean", row["mean"]), row["n"], metrics),
        counts=whole.counts,
        diagnostics={m: diagnosed for m, diagnosed in whole.diagnostics.items() if m in metrics},
        weighted=_saved_values(row["mean"], row["n"], [m for m in whole.weighted if m in metrics]),
    )
    return shown if states is None else states_from(states, shown)


def _saved_values(
    values: Mapping[str, Plain], n: dict[str, int], metrics: Iterable[Metric]
) -> dict[Metric, State]:
    """Return states of metrics whose values alone were saved."""
    return {m: SavedValue(_number(values[str(m)]), n[str(m)]) for m in metrics}


def _labels(by: tuple[str, ...], segments: list[dict[str, Any]]) -> Labels:
    if not by:
        return Labels()
    import polars as pl

    return Labels(tuple(pl.Series([row[column] for row in segments], dtype=pl.String) for column in by))


def _number(value: Plain) -> float:
    return math.nan if value is None else float(value)


def _ensure_agreement(data: SavedRun, res: Results) -> None:
    """Raise Damaged if a file says something else than its values per query and its states give."""
    # whoever edits a number, or cuts a file and mends its end, is told which number: nothing else would notice
    ensure(res.part.queries.is_distinct(), "per_query", "a query stands there twice")
    for metric, values in res.part.values.items():
        low, high = metric.range
        room = SLACK * max(abs(end) if math.isfinite(end) else 1.0 for end in (low, high, 1.0))
        wrong = (values < low - room) | (values > high + room)
        why = f"{values[wrong.argmax()]:g} is not from {low:g} to {high:g}" if wrong.any() else ""
        ensure(not why, f"per_query.{metric}", why)
    held = res.to_dict()
    for row in held["metrics"]:
        # a later version may say the definition of a metric in other words
        for word in OF_DEFINITIONS:
            row.pop(word, None)
    ensure(held["policy"].keys() <= data["policy"].keys(), "policy", "a rule is missing")
    ensure(held["counts"].keys() == data["counts"].keys(), "counts", "they are not those of the states")
    ensure_same(data, held, "")
    for row in data["metrics"]:
        ensure_counts({"n": row["n"], **row["undefined"]}, f"metrics.{row['metric']}")
    for row in data.get("slices", {}).values():
        ensure_counts(row["n"], "slices.n")
    for row in data.get("segments", []):
        ensure_counts({"queries": row["queries"], **row["n"]}, "segments.n")
    for metric, values in res.part.values.items():
        if isinstance(metric, QueryMetric):
            _ensure_means(metric, values[~np.isnan(values)], res.part)


def _ensure_means(metric: QueryMetric, values: np.ndarray, part: Part) -> None:
    """Raise Damaged unless the states of a metric are those of its values per query; weights are in no file, so that their mean is only bounded."""
    of_values, average = metric.summary(values), cast("Average", part.states[metric])
    ensure(
        average.n == len(values),
        f"states.metrics.{metric}.n",
        f"{brief(average.n)} in place of the {len(values)} values per query",
    )
    ensure_same(plain_value(average.value), plain_value(of_values.value), f"states.metrics.{metric}")
    weighted = cast("Average | None", part.weighted.get(metric))
    if weighted is None or not len(values) or not isinstance(of_values, Mean) or math.isnan(weighted.value):
        return
    low, high = float(values.min()), float(values.max())
    # a mean of rounded values may lie outside of them by its last digits
    room = SLACK * max(abs(low), abs(high), 1.0)
    why = f"the weighted mean {weighted.value:g} is not from {low:g} to {high:g}, as the values per query are"
    ensure(low - room <= weighted.value <= high + room, f"mean.{metric}", why)
