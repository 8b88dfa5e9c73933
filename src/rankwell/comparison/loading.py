"""Loading of saved comparisons."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np

from rankwell.comparison.cells import Counted, Differences, Means
from rankwell.comparison.comparison import Comparison
from rankwell.comparison.costing import CostEstimates, CostsRow
from rankwell.comparison.decided import Decided
from rankwell.comparison.exports import KIND, SCHEMA
from rankwell.comparison.methods import Methods
from rankwell.comparison.words import INTERVALS
from rankwell.display.saved_files import Kind, Plain, beginning_of, ensure, within
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.results.bounds import Bounding, BoundingRow

# how a JSON file of a comparison begins
BEGINNING = re.compile(rf'\s*{{\s*"rankwell"\s*:\s*"[^"]*"\s*,\s*"kind"\s*:\s*"{KIND}"')
WHOLE = {"n", "lost_first", "lost_second", "wins", "ties", "losses"}
CHANCES = {
    "p_t",
    "p_test",
    "p_flips",
    "p_flips_low",
    "p_flips_high",
    "p",
    "p_equivalent",
    "below",
    "within",
    "above",
    "superiority",
}

Columns = dict[str, list[bool | int | float | str | None]]


class MetricText(TypedDict):
    """A metric."""

    metric: str


class CellRow(TypedDict):
    """The means and differences of a metric in a segment, a column per quantity."""

    metric: str
    segment: int
    means: Columns
    differences: Columns


class CountedRow(TypedDict):
    """What was counted of a system."""

    counts: dict[str, int]
    undefined: dict[str, dict[str, int]]


class SavedComparison(TypedDict):
    """A comparison as ``to_dict`` writes it; what is not required was added to the first files."""

    systems: list[str]
    baseline: str | None
    metrics: list[MetricText]
    by: list[str]
    segments: list[list[str]]
    weights: str
    clusters: str
    pairs: list[tuple[int, int]]
    methods: Methods
    policy: dict[str, Any]
    cells: list[CellRow]
    heterogeneity: dict[str, list[Plain]]
    notes: list[str]
    seeds: NotRequired[dict[str, list[str]]]
    folds: NotRequired[dict[str, list[str]]]
    experiment: NotRequired[str]
    grades: NotRequired[Literal["", "none", "judgements", "ratings", "interactions"]]
    rel: NotRequired[int | float | None]
    costs: NotRequired[CostsRow | None]
    bounds: NotRequired[BoundingRow]
    decided: NotRequired[dict[str, Columns]]
    counted: NotRequired[dict[str, CountedRow]]


FILE = Kind(
    SavedComparison, "file of a comparison", "Comparison.load reads files written by Comparison.save", "compare and save it again",
    ("kind", KIND), ("schema", SCHEMA),
)  # fmt: skip


def loaded(path: str | Path) -> Comparison:
    """Return the comparison in a file written by ``Comparison.save``.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, holds something else, is damaged, or contradicts itself.
    """
    data = FILE.read(path)
    with FILE.checking(path):
        return _comparison(data)


def is_comparison(path: str | Path) -> bool:
    """Whether a file holds a comparison that ``Comparison.save`` wrote as JSON."""
    return bool(BEGINNING.match(beginning_of(path)))


def _comparison(data: SavedComparison) -> Comparison:
    metrics = tuple(metric_of(each["metric"]) for each in data["metrics"])
    depth = data["policy"]["depth"]
    systems, pairs = len(data["systems"]), np.array(data["pairs"], np.int64).reshape(-1, 2).T
    ensure(systems == len({*data["systems"]}) > 0, "systems", "there is none, or two have one name")
    ensure(metrics and len({*metrics}) == len(metrics), "metrics", "there is none, or one stands there twice")
    ensure(data["baseline"] in (None, *data["systems"]), "baseline", "it is no system")
    ensure(
        not pairs.size or 0 <= pairs.min() <= pairs.max() < systems, "pairs", "a number is that of no system"
    )
    ensure(data["segments"][:1] == [[]], "segments", "the first is not all queries")
    own = data["segments"][1:]
    ensure(
        all(len(each) == len(data["by"]) for each in own),
        "segments",
        "one has not a label for each column of by",
    )
    cells = {(metric_of(each["metric"]), each["segment"]): each for each in data["cells"]}
    wanted = {(metric, segment) for metric in metrics for segment in range(len(data["segments"]))}
    ensure(
        cells.keys() == wanted and len(cells) == len(data["cells"]),
        "cells",
        "there is not one for each metric and segment",
    )
    means, differences = {}, {}
    for place, (key, each) in enumerate(cells.items()):
        at = f"cells[{place}]"
        means[key] = Means(**_arrays(each["means"], Means._fields, systems, f"{at}.means"))
        found = differences[key] = Differences(
            **_arrays(each["differences"], Differences._fields, pairs.shape[1], f"{at}.differences")
        )
        low, high = key[0].range
        outside = (means[key].mean < low - 1e-9 * max(1, abs(low))) | (
            means[key].mean > high + 1e-9 * max(1, abs(high))
        )
        ensure(not outside.any(), f"{at}.means.mean", f"one is not from {low:g} to {high:g}")
        whole = (found.lost_first == 0) & (found.lost_second == 0)  # of the same queries as both means
        expected = means[key].mean[pairs[0]] - means[key].mean[pairs[1]]
        off = whole & (
            np.abs(found.mean - expected) > 1e-9 * np.maximum(1, np.abs(means[key].mean[pairs]).max(axis=0))
        )
        ensure(not off.any(), f"{at}.differences.mean", "one is not the difference of the means")
    bounding = Bounding.of_dict(data["bounds"]) if "bounds" in data else None
    return Comparison(
        names=tuple(data["systems"]),
        metrics=metrics,
        baseline=data["baseline"],
        by=tuple(data["by"]),
        segments=tuple(tuple(labels) for labels in data["segments"]),
        weights=data["weights"],
        clusters=data["clusters"],
        pairs=pairs,
        means=means,
        differences=differences,
        methods=data["methods"],
        policy=Policy(**data["policy"] | {"depth": None if depth == "all" else depth}),
        notes=tuple(data["notes"]),
        heterogeneity={
            metric_of(name): _array("p", [*p], pairs.shape[1], f"heterogeneity.{name}")
            for name, p in data["heterogeneity"].items()
        },
        seeds={system: tuple(members) for system, members in data.get("seeds", {}).items()},
        folds={system: tuple(members) for system, members in data.get("folds", {}).items()},
        experiment=data.get("experiment", ""),
        grades=data.get("grades", ""),
        rel=data.get("rel"),
        costs=CostEstimates.of_dict(costs) if (costs := data.get("costs")) else None,
        decided={
            metric_of(name): Decided.of_columns(own, pairs.shape[1], f"decided.{name}")
            for name, own in data.get("decided", {}).items()
        },
        bounding=bounding,
        counted={name: Counted(**each) for name, each in data.get("counted", {}).items()},
    )


def _arrays(
    columns: Mapping[str, list[Any]], wanted: tuple[str, ...], size: int, at: str
) -> dict[str, np.ndarray]:
    """The columns that are wanted, each as long as said; one that older versions did not know is undefined."""
    return {name: _array(name, columns.get(name, [None] * size), size, f"{at}.{name}") for name in wanted}


def _array(name: str, column: list[Any], size: int, at: str) -> np.ndarray:
    ensure(len(column) == size, at, f"{len(column):,} values in place of {size:,}")
    if name == "method":
        ensure({*column} <= {"", *INTERVALS}, at, "there is no such method")
        return np.array(column, object)
    if name == "is_doubtful":
        ensure(all(isinstance(each, bool) for each in column), at, "a value is neither true nor false")
        return np.array(column, bool)
    with within(at):
        values = np.array([math.nan if value is None else float(value) for value in column])
    ensure(name != "mean" or not np.isinf(values).any(), at, "a value is infinite")
    if name in WHOLE:
        ensure((values >= 0).all() and (values % 1 == 0).all(), at, "a value is no count")
        return values.astype(np.int64)
    ensure(name not in CHANCES or not ((values < 0) | (values > 1)).any(), at, "a value is no probability")
    return values
