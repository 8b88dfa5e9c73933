"""The p-values of families of comparisons: which belong together, and how each is corrected for the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from rankwell.comparison.compare.cells import Differences
from rankwell.comparison.compare.methods import Methods
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.statistics import families
from rankwell.statistics.families import Cell, Family, max_t, p_intervals, tukey
from rankwell.statistics.intervals import LARGE

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
