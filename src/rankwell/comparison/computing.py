"""How a comparison is computed: every cell by itself, then the p-values of each family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.comparison.cells import (
    ROOM,
    Counted,
    Differences,
    Means,
    difference_alone,
    differences_of,
    each_of_alike,
    flipped_as,
    means_of,
    value_alone,
)
from rankwell.comparison.comparison import Comparison
from rankwell.comparison.families import Key, corrected
from rankwell.comparison.groups import Groups
from rankwell.comparison.methods import Methods
from rankwell.comparison.rope import with_chances
from rankwell.comparison.spread.cells import cell_by_sums
from rankwell.comparison.spread.comparing import compared_spread
from rankwell.comparison.spread.results import Spread
from rankwell.comparison.trainings import Systems, interval_by_values, over_seeds, without
from rankwell.metrics.metric import Metric
from rankwell.results.notes import notes_of
from rankwell.statistics import corrections
from rankwell.statistics.effects import heterogeneity_of
from rankwell.statistics.families import Cell
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.many import Design

SIGN = {"higher": 1, "lower": -1, "neither": 1}


def compared(
    aligned: Aligned,
    systems: Systems,
    baseline: str | None,
    groups: Groups,
    how: Methods,
    threads: int,
) -> Comparison:
    """Return the comparison of systems, in every segment."""
    pairs = _pairs(systems.names, baseline)
    untested = systems.between_methods(pairs)
    means: dict[Key, Means] = {}
    found: dict[Key, Differences] = {}
    cells: dict[Key, Cell] = {}
    varied: dict[Metric, np.ndarray] = {}
    for metric in aligned.metrics:
        if not aligned.has_values(metric):
            for segment, labels in enumerate(groups.labels):
                values, n = systems.alone(*aligned.alone(metric, groups.by, labels))
                means[metric, segment] = value_alone(values, n)
                found[metric, segment] = difference_alone(values, pairs)
            continue
        values = aligned.values(metric)
        by_seed = systems.by_seed(values)
        values = systems.pooled(values)
        total = len(aligned.units)
        own_cells = [
            Cell(np.ascontiguousarray(values[:, rows]), pairs, aligned.units[rows]) for rows in groups.members
        ]
        known = _of_cells(metric, own_cells, groups, how, threads, total)
        for segment, (rows, cell) in enumerate(zip(groups.members, own_cells, strict=True)):
            design = groups.design.of(rows)
            key = metric, segment
            means[key], found[key] = known[segment]
            found[key] = with_chances(
                found[key], cell, design, how.ropes.get(str(metric), math.nan), how.seed
            )
            if systems.is_seeded.any():
                own = [each[:, rows] for each in by_seed]
                interval = interval_by_values(own, cell.units, means[key].n, how, total)
                means[key], found[key] = over_seeds(
                    systems, pairs, interval, means[key], found[key], metric.range
                )
            cells[key] = without(flipped_as(cell, design), untested)
        if len(groups.members) > 1 and groups.design.is_plain:
            varied[metric] = _heterogeneity(
                [found[metric, segment] for segment in range(1, len(groups.members))]
            )
            varied[metric][untested] = math.nan
    correction = how.chosen(has_baseline=baseline is not None)
    found |= corrected(cells, found, how, correction, threads, names=systems.names)
    return replace(
        _comparison(aligned, systems.names, baseline, pairs, means, found, how),
        by=groups.by,
        segments=groups.labels,
        weights=groups.weights,
        clusters=groups.clusters,
        heterogeneity=_over_metrics(varied),
    )


def compared_by_sums(spread: Spread, baseline: str | None, how: Methods, threads: int) -> Comparison | None:
    """Return the comparison of systems whose values lie on Spark, in every segment; None if these have to be held."""
    names = spread.systems.names
    pairs = _pairs(names, baseline)
    correction = how.chosen(has_baseline=baseline is not None)
    known = compared_spread(spread, pairs, how, correction, SIGN)
    if known is None:
        return None
    means: dict[Key, Means] = {}
    found: dict[Key, Differences] = {}
    varied: dict[Metric, np.ndarray] = {}
    for metric in spread.metrics:
        for segment, labels in enumerate(known.labels):
            key = metric, segment
            if key in known.means:
                means[key], found[key] = known.means[key], known.differences[key]
            else:
                values, n = spread.alone(metric, labels)
                means[key], found[key] = value_alone(values, n), difference_alone(values, pairs)
        if len(known.labels) > 1 and spread.is_plain and (metric, 0) in known.means:
            varied[metric] = _heterogeneity(
                [found[metric, segment] for segment in range(1, len(known.labels))]
            )
            varied[metric][spread.systems.between_methods(pairs)] = math.nan
    shuffled = known.p_shuffled.__getitem__
    found |= corrected(known.cells, found, how, correction, threads, names=names, by_shuffles=shuffled)
    return replace(
        _comparison(spread, names, baseline, pairs, means, found, how),
        by=spread.by,
        segments=known.labels,
        weights="" if spread.segments is None else spread.segments.division.weights,
        clusters=spread.clusters,
        heterogeneity=_over_metrics(varied),
    )


def _of_cells(
    metric: Metric, cells: Sequence[Cell], groups: Groups, how: Methods, threads: int, total: int
) -> list[tuple[Means, Differences]]:
    """The means and differences of all queries and of each segment; segments of one size at once, as there may be very many."""
    alike: dict[int, list[int]] = {}
    for place, cell in enumerate(cells):
        alike.setdefault(len(cell.units), []).append(place)
    found: dict[int, tuple[Means, Differences]] = {}
    for n, places in alike.items():
        rows = max(len(cells[0].values), cells[0].pairs.shape[1], 1)
        most = max(ROOM // (rows * max(n, 1)), 1) if groups.design.is_plain else 1
        for at in range(0, len(places), most):
            some = places[at : at + most]
            if len(some) > 1:
                own = each_of_alike(
                    [cells[place] for place in some],
                    how,
                    metric.range,
                    threads,
                    margin=how.margins.get(str(metric), math.nan),
                    sign=SIGN[metric.better],
                    total=total,
                )
            else:
                design = groups.design.of(groups.members[some[0]])
                own = [_of_cell(metric, cells[some[0]], design, how, threads, total)]
            found |= zip(some, own, strict=True)
    return [found[place] for place in range(len(cells))]


def _of_cell(
    metric: Metric, cell: Cell, design: Design, how: Methods, threads: int, total: int
) -> tuple[Means, Differences]:
    """The means and differences of a cell; ``total`` is the number of queries in all segments."""
    low, high = metric.range
    if total >= LARGE and not design.is_plain:
        return cell_by_sums(metric, cell, design, how, SIGN[metric.better], total=total)
    return (
        means_of(cell, design, how, metric.range, threads, total=total),
        differences_of(
            cell,
            design,
            how,
            margin=how.margins.get(str(metric), math.nan),
            span=high - low,
            sign=SIGN[metric.better],
        ),
    )


def _heterogeneity(segments: Sequence[Differences]) -> np.ndarray:
    """The p-value, per pair, that its difference is the same in all segments."""
    columns = [np.array([getattr(each, name) for each in segments]).T for name in ("n", "mean", "sd")]
    return np.array([heterogeneity_of(*each) for each in zip(*columns, strict=True)])


def _over_metrics(varied: dict[Metric, np.ndarray]) -> dict[Metric, np.ndarray]:
    """One p-value per metric and pair, corrected over the metrics."""
    adjusted = np.array([corrections.holm(column) for column in np.array(list(varied.values())).T]).T
    return dict(zip(varied, adjusted, strict=True))


def _comparison(
    aligned: Aligned | Spread,
    names: tuple[str, ...],
    baseline: str | None,
    pairs: np.ndarray,
    means: dict[Key, Means],
    found: dict[Key, Differences],
    how: Methods,
) -> Comparison:
    """The comparison of all queries, with what the results say of themselves."""
    named = {str(metric) for metric in aligned.metrics}
    return Comparison(
        names=names,
        metrics=aligned.metrics,
        baseline=baseline,
        by=(),
        segments=((),),
        weights="",
        clusters="",
        pairs=pairs,
        means=means,
        differences=found,
        methods=how,
        policy=aligned.results[0].policy,
        notes=tuple(notes_of(aligned.results, hint=False, names=aligned.names)),
        heterogeneity={},
        grades=aligned.results[0].grades if any(metric.judgements for metric in aligned.metrics) else "none",
        rel=aligned.results[0].conditions.scale.rel,
        counted={
            name: Counted(res.counts, {m: why for m, why in res.undefined.items() if m in named})
            for name, res in zip(aligned.names, aligned.results, strict=True)
        },
    )


def _pairs(names: Sequence[str], baseline: str | None) -> np.ndarray:
    """Two rows of systems: each with the baseline, or all pairs in the order given."""
    if baseline is None:
        return np.array(list(combinations(range(len(names)), 2)), np.int64).T
    against = list(names).index(baseline)
    others = [place for place in range(len(names)) if place != against]
    return np.array([others, [against] * len(others)], np.int64)
