"""Cells: what is known of each system and each pair of systems under one metric in one segment; a column per quantity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankwell.comparison.compare.methods import Methods
from rankwell.statistics.bayesian import chances, chances_of_many
from rankwell.statistics.effects import smallest_visible, units_needed
from rankwell.statistics.families import Cell
from rankwell.statistics.frequent import TIE
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.many import PLAIN, Design, Intervals, Summaries, intervals, summaries
from rankwell.statistics.moments import by_cluster
from rankwell.statistics.paired_tests import EXACT, sign_flips, sign_test, wilcoxon
from rankwell.tables.csr import distinct
from rankwell.tables.states import group_means

ROOM = 1 << 23  # differences held at a time


class Means(NamedTuple):
    """Per system: the queries behind its mean, the mean, its interval and the method; NaN where there is none."""

    n: np.ndarray
    effective: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    method: np.ndarray
    is_doubtful: np.ndarray
    of_seeds: np.ndarray


class SystemCounts(NamedTuple):
    """What each rule touched in a system, and per metric the queries without a value, by reason."""

    counts: Mapping[str, int]
    undefined: Mapping[str, Mapping[str, int]]


class Differences(NamedTuple):
    """Per pair, of the queries where both are defined, first less second: what ``Comparison.difference`` shows of one."""

    n: np.ndarray
    effective: np.ndarray
    lost_first: np.ndarray
    lost_second: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray
    method: np.ndarray
    is_doubtful: np.ndarray
    p_t: np.ndarray
    p_test: np.ndarray
    p_flips: np.ndarray
    p_flips_low: np.ndarray
    p_flips_high: np.ndarray
    p: np.ndarray
    dz: np.ndarray
    smd: np.ndarray
    superiority: np.ndarray
    wins: np.ndarray
    ties: np.ndarray
    losses: np.ndarray
    visible: np.ndarray
    needed: np.ndarray
    p_equivalent: np.ndarray
    below: np.ndarray
    within: np.ndarray
    above: np.ndarray
    of_seeds: np.ndarray


def means_of(
    cell: Cell, design: Design, how: Methods, limits: tuple[float, float], threads: int, *, total: int
) -> Means:
    """Return the mean of each row with its interval; ``total`` is the number of units in all segments."""
    return _means_of(cell.values, cell.units, design, how, limits, threads, total)


def each_of_alike(
    cells: Sequence[Cell],
    how: Methods,
    limits: tuple[float, float],
    threads: int,
    *,
    margin: float,
    sign: int,
    total: int,
) -> list[tuple[Means, Differences]]:
    """Return the means and differences of cells with one number of units, which count alike; faster than one by one."""
    systems, (low, high) = len(cells[0].values), limits
    values = np.concatenate([cell.values for cell in cells])
    units = np.repeat([cell.units for cell in cells], systems, axis=0)
    # the rows of a cell begin at its place times the systems, and its pairs must point there
    pairs = np.concatenate([cell.pairs + systems * place for place, cell in enumerate(cells)], axis=1)
    whole = (
        _means_of(values, units, PLAIN, how, limits, threads, total),
        _of_some(values, pairs, PLAIN, how, margin, high - low, sign),
    )
    means, differences = (
        zip(*(column.reshape(len(cells), -1) for column in each), strict=True) for each in whole
    )
    return [(Means(*one), Differences(*other)) for one, other in zip(means, differences, strict=True)]


def _means_of(
    values: np.ndarray,
    units: np.ndarray,
    design: Design,
    how: Methods,
    limits: tuple[float, float],
    threads: int,
    total: int,
) -> Means:
    own = summaries(values, design)
    found = intervals(
        values,
        units,
        design=design,
        known=own,
        level=how.level,
        times=how.resamples,
        seed=how.seed,
        limits=limits,
        threads=threads,
        total=total,
    )
    mean = own.mean
    if design.is_plain:  # in every digit as the results have it
        mean = group_means(values[~np.isnan(values)], np.concatenate([[0], np.cumsum(own.n)]))
    return Means(own.n, own.effective, mean, *found, of_seeds=np.full(len(mean), math.nan))


def differences_of(
    cell: Cell, design: Design, how: Methods, *, margin: float, span: float, sign: int
) -> Differences:
    """Return everything about the pairs of a cell but the p-values that need the whole family.

    ``span`` is the greatest difference that two values can have; with ``sign`` -1 a lower value wins.
    """
    size = max(ROOM // max(len(cell.units), 1), 1)
    parts = [
        _of_some(cell.values, cell.pairs[:, low : low + size], design, how, margin, span, sign)
        for low in range(0, cell.pairs.shape[1], size)
    ]
    if len(parts) == 1:
        return parts[0]
    return Differences(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _of_some(
    values: np.ndarray, pairs: np.ndarray, design: Design, how: Methods, margin: float, span: float, sign: int
) -> Differences:
    first, second = values[pairs[0]], values[pairs[1]]
    d = first - second
    defined = ~np.isnan(d)
    units = np.arange(d.shape[1], dtype=np.uint64)  # nothing is drawn here
    found = summaries(d, design)
    # Student's holds what it promises for real differences of 25 queries on, the bootstrap does not, and p is that of t
    limits = -span, span
    bounds = intervals(d, units, method="t", design=design, level=how.level, limits=limits, known=found)
    more, less = np.count_nonzero(d > TIE, axis=1), np.count_nonzero(d < -TIE, axis=1)
    return differences_from(
        found,
        bounds,
        variances=(_variances(first, defined), _variances(second, defined)),
        lost=(
            np.count_nonzero(np.isnan(first) & ~np.isnan(second), axis=1),
            np.count_nonzero(~np.isnan(first) & np.isnan(second), axis=1),
        ),
        counted=(more, less) if sign >= 0 else (less, more),
        p_test=_p_of(d, found, how),
        p_flips=_exact(d, units, design),
        how=how,
        margin=margin,
    )


def differences_from(
    found: Summaries,
    bounds: Intervals,
    *,
    variances: tuple[np.ndarray, np.ndarray],
    lost: tuple[np.ndarray, np.ndarray],
    counted: tuple[np.ndarray, np.ndarray],
    p_test: np.ndarray,
    p_flips: np.ndarray,
    how: Methods,
    margin: float,
) -> Differences:
    """Return everything about pairs of which these are known, per pair: ``counted`` are the queries won and lost."""
    wins, losses = counted
    ties = found.n - wins - losses
    with np.errstate(divide="ignore", invalid="ignore"):
        dz = np.where(found.sd > 0, found.mean / found.sd, math.nan)
        # by the spread of the systems and not of the difference, so that it can be set beside effects of unpaired studies
        pooled = np.sqrt((variances[0] + variances[1]) / 2)
        smd = np.where(pooled > 0, found.mean / pooled, math.nan)
        # ties half: one half is then no difference, whatever the number of ties
        superiority = (wins + ties / 2) / found.n
    nothing = np.full(len(wins), math.nan)  # until the whole family is known, or never
    sized = list(zip(found.sd.tolist(), found.effective.tolist(), strict=True))
    visible = np.array([smallest_visible(sd, n, alpha=how.alpha, power=how.power) for sd, n in sized])
    needed = nothing
    if not math.isnan(margin):
        needed = units_needed(found.sd, found.effective, margin, alpha=how.alpha, power=how.power)
    return Differences(
        n=found.n,
        effective=found.effective,
        lost_first=lost[0],
        lost_second=lost[1],
        mean=found.mean,
        sd=found.sd,
        low=bounds.low,
        high=bounds.high,
        method=bounds.method,
        is_doubtful=bounds.is_doubtful,
        p_t=found.p,
        p_test=p_test,
        p_flips=p_flips,
        p_flips_low=nothing,
        p_flips_high=nothing,
        p=nothing,
        dz=dz,
        smd=smd,
        superiority=superiority,
        wins=wins,
        ties=ties,
        losses=losses,
        visible=visible,
        needed=needed,
        p_equivalent=_equivalent(found, margin),
        below=nothing,
        within=nothing,
        above=nothing,
        of_seeds=nothing,
    )


def _variances(values: np.ndarray, defined: np.ndarray) -> np.ndarray:
    return summaries(np.where(defined, values, math.nan)).sd ** 2


def _p_of(d: np.ndarray, found: Summaries, how: Methods) -> np.ndarray:
    """The p-value of each row on its own by the test asked for; that of sign flips comes with the family's."""
    if how.test in ("t", "flips"):
        return found.p if how.test == "t" else np.full(len(d), math.nan)
    test = wilcoxon if how.test == "wilcoxon" else sign_test
    return np.array([test(row[~np.isnan(row)]) for row in d])


def _exact(d: np.ndarray, units: np.ndarray, design: Design) -> np.ndarray:
    """The p-value by all sign flips where there are few enough; else NaN, to be drawn with the family."""
    found = np.full(len(d), math.nan)
    if not design.is_plain:
        return found
    # a difference of 0 is the same with either sign: only those that are not 0 double the number of patterns
    for row in np.flatnonzero(np.count_nonzero(np.abs(np.nan_to_num(d)) > TIE, axis=1) <= EXACT):
        own = ~np.isnan(d[row])
        if np.count_nonzero(own) >= 2:
            found[row] = sign_flips(d[row][own], units[own], times=99, seed=0).p
    return found


def _equivalent(found: Summaries, margin: float) -> np.ndarray:
    """The p-value of two one-sided t-tests: below alpha, the true difference lies within ±margin."""
    from scipy.special import stdtr

    if math.isnan(margin):
        return np.full(len(found.n), math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        # of the two one-sided tests that of the nearer bound has the larger p-value, and both must hold
        t = (margin - np.abs(found.mean)) / (found.sd / np.sqrt(found.effective))
        p = stdtr(found.effective - 1.0, -t)
    return np.where(found.n < 2, math.nan, p)


def value_alone(values: np.ndarray, n: np.ndarray) -> Means:
    """Return means of which only the value is known, as those of corpus metrics are."""
    nothing = np.full(len(values), math.nan)
    method = np.full(len(values), "", object)
    return Means(
        n, n.astype(np.float64), values, nothing, nothing, method, np.zeros(len(values), bool), nothing
    )


def difference_alone(values: np.ndarray, pairs: np.ndarray) -> Differences:
    """Return differences of which only the value is known."""
    mean = values[pairs[0]] - values[pairs[1]]
    nothing, none = np.full(len(mean), math.nan), np.zeros(len(mean), np.int64)
    found = dict.fromkeys(Differences._fields, nothing)
    found |= dict.fromkeys(("n", "lost_first", "lost_second", "wins", "ties", "losses"), none)
    method, sure = np.full(len(mean), "", object), np.zeros(len(mean), bool)
    return Differences(**found | {"mean": mean, "method": method, "is_doubtful": sure})


def flipped_as(cell: Cell, design: Design) -> Cell:
    """Return the cell whose values are what signs are flipped of: weighted values, or the sums of whole clusters per pair."""
    if design.is_plain:
        return cell
    values = cell.values if design.weights is None else cell.values * design.weights
    if design.clusters is None:
        return cell._replace(values=np.ascontiguousarray(values))
    d = values[cell.pairs[0]] - values[cell.pairs[1]]
    known, sums = (
        by_cluster(each, design.clusters) for each in ((~np.isnan(d)).astype(float), np.nan_to_num(d))
    )
    # a cluster without a difference is no unit of the test, and not one of difference 0
    sums[known == 0] = math.nan
    return Cell.of_differences(sums, distinct(design.clusters))


class BayesianParts(NamedTuple):
    """The numbers of units or clusters, the differences of pairs (rows) between these, and their sizes."""

    numbers: np.ndarray
    d: np.ndarray
    sizes: np.ndarray | None


def with_chances(found: Differences, cell: Cell, design: Design, rope: float, seed: int) -> Differences:
    """Return the differences of a cell with their chances; NaN without a rope."""
    if math.isnan(rope):
        return found
    count = len(cell.units) if design.clusters is None else len(distinct(design.clusters))
    if count >= LARGE:
        return with_chances_of_many(found, rope)
    size = max(ROOM // 2 // max(len(cell.units), 1), 1)
    pairs = cell.pairs
    parts = [
        _drawn(parts_of_pairs(cell._replace(pairs=pairs[:, low : low + size]), design), rope, seed)
        for low in range(0, pairs.shape[1], size)
    ]
    return _with(found, np.hstack(parts))


def with_chances_of_many(found: Differences, rope: float) -> Differences:
    """Return the differences between very many units with their chances, which follow from mean and deviation."""
    error = found.sd / np.sqrt(found.effective)
    return _with(found, chances_of_many(found.mean, error, found.effective, rope))


def with_chances_of_parts(found: Differences, parts: BayesianParts, rope: float, seed: int) -> Differences:
    """Return the differences with their chances, by draws for their parts."""
    return _with(found, _drawn(parts, rope, seed))


def parts_of_pairs(cell: Cell, design: Design) -> BayesianParts:
    """Return the parts of each pair of a cell, of which a cluster is one."""
    d = cell.values[cell.pairs[0]] - cell.values[cell.pairs[1]]
    if design.clusters is None:
        return BayesianParts(cell.units, d, design.weights)
    sizes = ~np.isnan(d) * (1.0 if design.weights is None else design.weights)
    # a cluster is drawn as one: its mean difference, and its size as the weight
    totals = by_cluster(np.nan_to_num(d) * sizes, design.clusters)
    sizes = by_cluster(sizes, design.clusters)
    with np.errstate(invalid="ignore"):
        return BayesianParts(distinct(design.clusters), totals / sizes, sizes)


def _drawn(parts: BayesianParts, rope: float, seed: int) -> np.ndarray:
    return chances(parts.d, parts.numbers, rope=rope, sizes=parts.sizes, seed=seed)


def _with(found: Differences, drawn: np.ndarray) -> Differences:
    below, within, above = drawn
    return found._replace(below=below, within=within, above=above)
