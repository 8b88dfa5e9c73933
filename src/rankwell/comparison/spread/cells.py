"""Spread cells: what is known of each system and each pair of systems, from sums over their queries."""

from __future__ import annotations

import math

import numpy as np

from rankwell.comparison.cells import ROOM, Differences, Means, differences_from, means_of
from rankwell.comparison.methods import Methods
from rankwell.comparison.spread.answers import Few
from rankwell.metrics.metric import Metric
from rankwell.statistics.families import Cell
from rankwell.statistics.intervals import ENOUGH, hold_shares
from rankwell.statistics.many import Design, Intervals, closed_bounds
from rankwell.statistics.moments import Moments, PairMoments
from rankwell.statistics.paired_tests import sign_flips, sign_test_of


def means_by_sums(metric: Metric, own: Moments, centres: np.ndarray, how: Methods) -> Means:
    """Return the means of systems, of at least 1,000 queries of very many, with their intervals."""
    found = own.summaries(centres)
    kinds = np.where(own.are_shares & hold_shares(metric.range), "wilson", "t").astype(object)
    low, high = closed_bounds(found, kinds, how.level, own.of_shares(found))
    least, most = metric.range
    bounds = np.maximum(low, least), np.minimum(high, most), kinds, own.are_doubtful()
    nothing = np.full(len(found.n), math.nan)
    return Means(found.n, found.effective, found.mean, *bounds, of_seeds=nothing)


def with_few(known: Means, rows: np.ndarray, few: Few, metric: Metric, how: Methods, *, total: int) -> Means:
    """Return means with those of the systems (``rows``) that have few queries in a segment from their values."""
    cell = Cell(few.values, np.empty((2, 0), np.int64), few.units)
    own = means_of(cell, few.design, how, metric.range, 1, total=total)
    columns = []
    for column, more in zip(known, own, strict=True):
        columns.append(column.copy())
        columns[-1][rows] = more
    return Means(*columns)


def differences_by_sums(
    metric: Metric,
    paired: PairMoments,
    pairs: np.ndarray,
    centres: np.ndarray,
    how: Methods,
    sign: int,
    *,
    is_plain: bool,
    p_ranks: np.ndarray | None = None,
) -> Differences:
    """Return everything about pairs but the p-values that need the whole family.

    ``is_plain``: all queries count alike. ``p_ranks`` are those of Wilcoxon's test, if it was asked for.
    """
    middle = centres[pairs[0]], centres[pairs[1]]
    found = paired.difference.summaries(middle[0] - middle[1])
    kinds = np.full(len(found.n), "t", object)
    low, high = closed_bounds(found, kinds, how.level)
    span = metric.range[1] - metric.range[0]
    bounds = Intervals(
        np.maximum(low, -span), np.minimum(high, span), kinds, paired.difference.are_doubtful()
    )
    more, less = paired.more, paired.less
    return differences_from(
        found,
        bounds,
        variances=(
            paired.first.summaries(middle[0]).sd ** 2,
            paired.second.summaries(middle[1]).sd ** 2,
        ),
        lost=(paired.lost_first, paired.lost_second),
        counted=(more, less) if sign >= 0 else (less, more),
        p_test=_p_of(found.p, more, less, how) if p_ranks is None else p_ranks,
        p_flips=_exact(found.n, paired) if is_plain else np.full(len(found.n), math.nan),
        how=how,
        margin=how.margins.get(str(metric), math.nan),
    )


def cell_by_sums(
    metric: Metric, cell: Cell, design: Design, how: Methods, sign: int, *, total: int
) -> tuple[Means, Differences]:
    """Return the same of a cell whose values are held here, of very many queries that do not count alike."""
    n = np.count_nonzero(~np.isnan(cell.values), axis=1)
    centres = np.nan_to_num(cell.values).sum(axis=1) / np.maximum(n, 1)
    means = means_by_sums(metric, Moments.of(cell.values, centres, design), centres, how)
    few = np.flatnonzero(n < ENOUGH)
    if len(few):
        of_few = Few(cell.units, cell.values[few], design)
        means = with_few(means, few, of_few, metric, how, total=total)
    size = max(ROOM // max(len(cell.units), 1), 1)
    parts = []
    for low in range(0, cell.pairs.shape[1], size):
        pairs = cell.pairs[:, low : low + size]
        paired = PairMoments.of(cell.values, pairs, centres, design)
        parts.append(differences_by_sums(metric, paired, pairs, centres, how, sign, is_plain=design.is_plain))
    return means, Differences(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _p_of(p: np.ndarray, more: np.ndarray, less: np.ndarray, how: Methods) -> np.ndarray:
    if how.test == "sign":
        return np.array([sign_test_of(int(one), int(other)) for one, other in zip(more, less, strict=True)])
    return p if how.test == "t" else np.full(len(p), math.nan)


def _exact(n: np.ndarray, paired: PairMoments) -> np.ndarray:
    """The p-value by all sign flips where few differences are not 0."""
    found = np.full(len(n), math.nan)
    for row, values in enumerate(paired.nonzero):
        if values is not None and n[row] >= 2:
            units = np.arange(len(values), dtype=np.uint64)
            found[row] = sign_flips(np.array(values), units, times=99, seed=0).p
    return found
