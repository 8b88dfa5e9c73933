"""Cells: what is known of each system and each pair of systems under one metric in one segment, a column per quantity; and the p-values of
families of cells, each corrected for the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.methods import Methods
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.statistics import families
from rankwell.statistics.bootstrap import chances, chances_of_many
from rankwell.statistics.effects import equivalence, smallest_visible, units_needed
from rankwell.statistics.families import Cell, Family, max_t, p_intervals, tukey
from rankwell.statistics.frequent import TIE
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.many import PLAIN, Design, Intervals, Summaries, intervals, summaries
from rankwell.statistics.moments import by_cluster
from rankwell.statistics.paired_tests import EXACT, sign_flips, sign_test, wilcoxon
from rankwell.tables.lists import distinct
from rankwell.tables.states import group_means

# 64 MB in doubles; a test makes three or four arrays of that size
ROOM = 1 << 23  # differences held at a time
AT_A_TIME = 1 << 18  # differences looked at at a time: a dozen arrays of 2 MB


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


def compare_alike_cells(
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
        _compare_pairs(values, pairs, PLAIN, how, margin, high - low, sign),
    )
    # cut into cells again: a row of each column is a cell
    means, differences = (
        zip(*(column.reshape(len(cells), -1) for column in table), strict=True) for table in whole
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
    bounds = intervals(
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
    return Means(own.n, own.effective, mean, *bounds, of_seeds=np.full(len(mean), math.nan))


def differences_of(
    cell: Cell, design: Design, how: Methods, *, margin: float, span: float, sign: int
) -> Differences:
    """Return everything about the pairs of a cell but the p-values that need the whole family.

    ``span`` is the greatest difference that two values can have; with ``sign`` -1 a lower value wins.
    """
    return _compare_pairs(cell.values, cell.pairs, design, how, margin, span, sign)


def _compare_pairs(values: np.ndarray, pairs: np.ndarray, *how: Any) -> Differences:
    size = max(AT_A_TIME // max(values.shape[1], 1), 1)
    parts = [
        _compare_few_pairs(values, pairs[:, low : low + size], *how)
        for low in range(0, max(pairs.shape[1], 1), size)
    ]
    if len(parts) == 1:
        return parts[0]
    return Differences(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _compare_few_pairs(
    values: np.ndarray, pairs: np.ndarray, design: Design, how: Methods, margin: float, span: float, sign: int
) -> Differences:
    first, second = values[pairs[0]], values[pairs[1]]
    # NaN where either system has no value, so that all below is of the queries of both
    d = first - second
    defined = ~np.isnan(d)
    units = np.arange(d.shape[1], dtype=np.uint64)  # nothing is drawn here
    stats = summaries(d, design)
    # Student's holds what it promises for real differences of 25 queries on, the bootstrap does not, and p is that of t
    limits = -span, span
    bounds = intervals(d, units, method="t", design=design, level=how.level, limits=limits, known=stats)
    more, less = np.count_nonzero(d > TIE, axis=1), np.count_nonzero(d < -TIE, axis=1)
    return differences_from(
        stats,
        bounds,
        variances=(_variances(first, defined), _variances(second, defined)),
        lost=(
            np.count_nonzero(np.isnan(first) & ~np.isnan(second), axis=1),
            np.count_nonzero(~np.isnan(first) & np.isnan(second), axis=1),
        ),
        counted=(more, less) if sign >= 0 else (less, more),
        p_test=_p_of(d, stats, how),
        p_flips=_exact(d, units, design),
        how=how,
        margin=margin,
    )


def differences_from(
    stats: Summaries,
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
    ties = stats.n - wins - losses
    with np.errstate(divide="ignore", invalid="ignore"):
        dz = np.where(stats.sd > 0, stats.mean / stats.sd, math.nan)
        # by the spread of the systems and not of the difference, so that it can be set beside effects of unpaired studies
        pooled = np.sqrt((variances[0] + variances[1]) / 2)
        smd = np.where(pooled > 0, stats.mean / pooled, math.nan)
        # ties half: one half is then no difference, whatever the number of ties
        superiority = (wins + ties / 2) / stats.n
    nothing = np.full(len(wins), math.nan)  # until the whole family is known, or never
    # per pair in Python: the power function is solved by search, which NumPy cannot do for columns
    sized = list(zip(stats.sd.tolist(), stats.effective.tolist(), strict=True))
    visible = np.array([smallest_visible(sd, n, alpha=how.alpha, power=how.power) for sd, n in sized])
    needed = nothing
    if not math.isnan(margin):
        needed = units_needed(stats.sd, stats.effective, margin, alpha=how.alpha, power=how.power)
    return Differences(
        n=stats.n,
        effective=stats.effective,
        lost_first=lost[0],
        lost_second=lost[1],
        mean=stats.mean,
        sd=stats.sd,
        low=bounds.low,
        high=bounds.high,
        method=bounds.method,
        is_doubtful=bounds.is_doubtful,
        p_t=stats.p,
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
        p_equivalent=equivalence(stats, margin),
        below=nothing,
        within=nothing,
        above=nothing,
        of_seeds=nothing,
    )


def _variances(values: np.ndarray, defined: np.ndarray) -> np.ndarray:
    return summaries(np.where(defined, values, math.nan)).sd ** 2


def _p_of(d: np.ndarray, stats: Summaries, how: Methods) -> np.ndarray:
    """The p-value of each row on its own by the test asked for; that of sign flips comes with the family's."""
    if how.test in ("t", "flips"):
        return stats.p if how.test == "t" else np.full(len(d), math.nan)
    test = wilcoxon if how.test == "wilcoxon" else sign_test
    return np.array([test(row[~np.isnan(row)]) for row in d])


def _exact(d: np.ndarray, units: np.ndarray, design: Design) -> np.ndarray:
    """The p-value by all sign flips where there are few enough; else NaN, to be drawn with the family."""
    p = np.full(len(d), math.nan)
    if not design.is_plain:
        return p
    # a difference of 0 is the same with either sign: only those that are not 0 double the number of patterns
    for row in np.flatnonzero(np.count_nonzero(np.abs(np.nan_to_num(d)) > TIE, axis=1) <= EXACT):
        own = ~np.isnan(d[row])
        if np.count_nonzero(own) >= 2:
            p[row] = sign_flips(d[row][own], units[own], times=99, seed=0).p
    return p


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
    # also what Differences may get in future is undefined here, not forgotten
    columns = dict.fromkeys(Differences._fields, nothing)
    columns |= dict.fromkeys(("n", "lost_first", "lost_second", "wins", "ties", "losses"), none)
    method, sure = np.full(len(mean), "", object), np.zeros(len(mean), bool)
    return Differences(**columns | {"mean": mean, "method": method, "is_doubtful": sure})


def cell_to_flip(cell: Cell, design: Design) -> Cell:
    """Return the cell whose values are what signs are flipped of: weighted values, or the sums of whole clusters per pair."""
    if design.is_plain:
        return cell
    values = cell.values if design.weights is None else cell.values * design.weights
    if design.clusters is None:
        return cell._replace(values=np.ascontiguousarray(values))
    d = values[cell.pairs[0]] - values[cell.pairs[1]]
    counts, sums = (
        by_cluster(column, design.clusters) for column in ((~np.isnan(d)).astype(float), np.nan_to_num(d))
    )
    # a cluster without a difference is no unit of the test, and not one of difference 0
    sums[counts == 0] = math.nan
    return Cell.of_differences(sums, distinct(design.clusters))


class BayesianParts(NamedTuple):
    """The numbers of units or clusters, the differences of pairs (rows) between these, and their sizes."""

    numbers: np.ndarray
    d: np.ndarray
    sizes: np.ndarray | None


def with_chances(differences: Differences, cell: Cell, design: Design, rope: float, seed: int) -> Differences:
    """Return the differences of a cell with their chances; NaN without a rope."""
    if math.isnan(rope):
        return differences
    count = len(cell.units) if design.clusters is None else len(distinct(design.clusters))
    if count >= LARGE:
        return with_chances_of_many(differences, rope)
    size = max(ROOM // 2 // max(len(cell.units), 1), 1)
    pairs = cell.pairs
    parts = [
        _draw_chances(parts_of_pairs(cell._replace(pairs=pairs[:, low : low + size]), design), rope, seed)
        for low in range(0, pairs.shape[1], size)
    ]
    return _with_drawn(differences, np.hstack(parts))


def with_chances_of_many(differences: Differences, rope: float) -> Differences:
    """Return the differences between very many units with their chances, which follow from mean and deviation."""
    error = differences.sd / np.sqrt(differences.effective)
    return _with_drawn(differences, chances_of_many(differences.mean, error, differences.effective, rope))


def with_chances_of_parts(
    differences: Differences, parts: BayesianParts, rope: float, seed: int
) -> Differences:
    """Return the differences with their chances, by draws for their parts."""
    return _with_drawn(differences, _draw_chances(parts, rope, seed))


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


def _draw_chances(parts: BayesianParts, rope: float, seed: int) -> np.ndarray:
    return chances(parts.d, parts.numbers, rope=rope, sizes=parts.sizes, seed=seed)


def _with_drawn(differences: Differences, drawn: np.ndarray) -> Differences:
    below, within, above = drawn
    return differences._replace(below=below, within=within, above=above)


Key = tuple[Metric, int]  # a metric, and a segment: 0 is all queries
# flips take time with the product of their number and the units; with many units a tenth is precise enough beside the
# t-test
MANY_UNITS, FEWER = 10_000, 10
CORRECTED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "holm": families.holm,
    "bh": families.benjamini_hochberg,
    "by": families.benjamini_yekutieli,
    "none": np.array,
}


def families_of(keys: Sequence[Key], how: Methods, correction: str) -> list[list[Key]]:
    """Return the keys that are corrected together.

    One metric's comparisons of all queries are a family, and those of its segments another, so that a table with segments
    has the same p-values of all queries as one without. Tukey's test has each cell by itself.
    """
    if correction == "tukey":
        if how.family == "all":
            raise UsageError("correction='tukey' is for the pairs of one metric; use family='metric'.")
        return [[key] for key in keys]
    if how.family == "all":
        return [list(keys)]
    families: dict[tuple[Metric, bool], list[Key]] = {}
    for metric, segment in keys:
        families.setdefault((metric, segment > 0), []).append((metric, segment))
    return list(families.values())


def correct(
    cells: Mapping[Key, Cell],
    differences: Mapping[Key, Differences],
    how: Methods,
    correction: str,
    threads: int,
    *,
    names: Sequence[str],
    by_shuffles: Callable[[Key], np.ndarray] | None = None,
) -> dict[Key, Differences]:
    """Return the differences of all cells with their p-values, one family after the other.

    ``names`` are those of the systems. ``by_shuffles`` tells the p-values of Tukey's test, if not the values of the cells do.
    """
    corrected: dict[Key, Differences] = {}
    for family in families_of(list(cells), how, correction):
        own = [cells[key] for key in family]
        members = [differences[key] for key in family]
        drawn = _by_flips(own, how, threads)
        exact, adjusted = np.concatenate([member.p_flips for member in members]), drawn.adjusted
        # where all patterns were looked at nothing was drawn: the p-value is exact, and its bounds are itself
        flips = np.where(np.isnan(exact), drawn.p, exact)
        low, high = (
            np.where(np.isnan(exact), bound, exact)
            for bound in p_intervals(drawn.p, drawn.replicates, how.level)
        )
        alone = flips if how.test == "flips" else np.concatenate([member.p_test for member in members])
        if correction == "tukey":
            p = _by_shuffles(own[0], names, how, threads) if by_shuffles is None else by_shuffles(family[0])
        elif correction == "maxt" and not np.isnan(adjusted).all():
            p = adjusted
        else:  # of so many queries flips would only say the same as t
            p = CORRECTED["holm" if correction == "maxt" else correction](alone)
        # p-values of a family were corrected as one array, and are cut into its cells again
        ends = np.cumsum([len(member.n) for member in members])[:-1]
        columns = [np.split(column, ends) for column in (flips, low, high, alone, p)]
        words = ("p_flips", "p_flips_low", "p_flips_high", "p_test", "p")
        for key, member, *parts in zip(family, members, *columns, strict=True):
            corrected[key] = member._replace(**dict(zip(words, parts, strict=True)))
    return corrected


def flips_of(units: Sequence[int], how: Methods) -> int:
    """The number of sign patterns drawn for a family, of whose cells these are the units: fewer for many, none where t says the same.

    Many small segments take as long as one large one, so what counts as many is their sum.
    """
    if max(units) >= LARGE:
        return 0
    return how.flips if sum(units) <= MANY_UNITS else max(how.flips // FEWER, 99)


def shuffles_of(how: Methods) -> int:
    """The number of shuffles of Tukey's test."""
    # each shuffle looks at every system of every query, so it costs as much as many flips
    return max(how.flips // FEWER, 99)


def _by_flips(cells: Sequence[Cell], how: Methods, threads: int) -> Family:
    times = flips_of([len(cell.units) for cell in cells], how)
    # the t-test says the same of so many units
    if not times:
        nothing = np.full(sum(cell.pairs.shape[1] for cell in cells), math.nan)
        return Family(nothing, nothing, 0)
    return max_t(cells, times=times, seed=how.seed, threads=threads)


def _by_shuffles(cell: Cell, names: Sequence[str], how: Methods, threads: int) -> np.ndarray:
    """Tukey's test, of the units where every system is defined."""
    whole = ~np.isnan(cell.values).any(axis=0)
    if np.count_nonzero(whole) < 2:
        return np.full(cell.pairs.shape[1], math.nan)
    return tukey(
        np.ascontiguousarray(cell.values[:, whole]),
        cell.pairs,
        cell.units[whole],
        names,
        times=shuffles_of(how),
        seed=how.seed,
        threads=threads,
    ).adjusted
