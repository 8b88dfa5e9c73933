"""Families of comparisons tested together: corrections of their p-values, studentised maxT, step-down, and the randomised version of Tukey's HSD;
and what a number of random replicates can tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.frequent import TIE
from rankwell.statistics.paired_tests import CHUNK, FLIPS, NEAR, NOTHING, all_signs

T = TypeVar("T")
SHUFFLES = 2
ROOM = 1 << 22  # differences, or sums of replicates, that a thread looks at at a time
NARROW = 16  # columns of sums whose rows stay in the cache together
ROWS = 256  # replicates of shuffles that one thread makes at a time
PER_TEST = 50  # replicates beyond the least that can reach alpha


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Holm's step-down procedure, which controls the family-wise error rate.

    NaN (not tested) stays NaN and is not counted. Source: Holm, Scandinavian Journal of Statistics 6 (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    return _stepwise(p, lambda rank, m: m - rank + 1, down=True)


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Benjamini and Hochberg's procedure, which controls the false discovery rate.

    It holds for independent or positively dependent tests. Source: Benjamini and Hochberg, JRSS-B 57 (1995).

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    return _stepwise(p, lambda rank, m: m / rank, down=False)


def benjamini_yekutieli(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted for the false discovery rate of tests that depend in any way.

    Source: Benjamini and Yekutieli, Annals of Statistics 29 (2001).

    Examples
    --------
    >>> benjamini_yekutieli(np.array([0.01, 0.04, 0.03])).round(6)
    array([0.055   , 0.073333, 0.073333])
    """
    return _stepwise(p, lambda rank, m: m / rank * (1 / np.arange(1, m + 1)).sum(), down=False)


def _stepwise(p: np.ndarray, factor: object, *, down: bool) -> np.ndarray:
    p = np.asarray(p, np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    scaled = p[order] * factor(np.arange(1, len(order) + 1), len(order))  # type: ignore[operator]
    steps = np.maximum.accumulate(scaled) if down else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


class Family(NamedTuple):
    """Two-sided p-values by sign flips per comparison, on its own and adjusted for all; NaN where a comparison is not tested."""

    p: np.ndarray
    adjusted: np.ndarray
    replicates: int


class Cell(NamedTuple):
    """Comparisons of systems on the same units.

    ``values`` has a row per system and a column per unit, NaN where undefined; ``pairs`` two rows of systems; ``units`` a fixed
    number (uint64) per unit, from which its signs are drawn.
    """

    values: np.ndarray
    pairs: np.ndarray
    units: np.ndarray

    @classmethod
    def of_differences(cls, d: np.ndarray, units: np.ndarray) -> Cell:
        """Return the comparisons whose differences are known, a row each, as those of as many systems with one that has 0 everywhere."""
        count = len(d)
        pairs = np.array([np.arange(count), np.full(count, count)])
        return cls(np.vstack([d, np.zeros(d.shape[1])]), pairs, units)


def max_t(cells: Sequence[Cell], *, times: int, seed: int, threads: int = 1) -> Family:
    """Return the p-values of mean differences by sign flips, adjusted by step-down maxT (Westfall and Young, 1993).

    The maximum is over |t*|, studentised per comparison, with the same signs per unit for all comparisons; it controls the
    family-wise error rate in the strong sense where the differences are jointly sign-symmetric under the null. p = (b + 1) /
    (B + 1). The comparisons of all cells are one family, in their order.

    Parameters
    ----------
    cells
        What is compared: each comparison is of the units where both systems are defined; those of less than two units are not
        tested.
    times, seed, threads
        The number of replicates, the seed of their signs, and how many threads make them, which changes nothing.
    """
    tested, least = _order(*(np.concatenate(each) for each in zip(*map(_observe, cells), strict=True)))
    sums = [_sums_of(cell) for cell in cells]
    columns = np.ascontiguousarray(_columns_of(sums)[:, tested])
    size = min(max(ROOM // (64 * max(sum(cell_sums.width for cell_sums in sums), 1)), 1), CHUNK)
    alone, highest = np.zeros((2, len(tested)), np.int64)
    keys = replicates(
        seed, FLIPS, 0, -(-times // 64)
    )  # the 64 bits drawn for a unit are its signs in 64 replicates
    jobs = [
        partial(_count_exceeding, keys[low : low + size], sums, columns, least, times - 64 * low)
        for low in range(0, len(keys), size)
    ]
    for own, most in _run_jobs(jobs, threads):
        alone += own
        highest += most
    count = sum(cell.pairs.shape[1] for cell in cells)
    return _step_down(tested, alone + 1, highest + 1, times + 1, count)._replace(replicates=times)


def exact_max_t(cell: Cell) -> Family:
    """Return the p-values of ``max_t`` by all 2ⁿ patterns of signs of n units, n ≤ 20, all defined: b / 2ⁿ, of which nothing is drawn.

    Examples
    --------
    >>> values = np.array([[0.5, 0.4, 0.7, 0.3, 0.6], [0.45, 0.36, 0.6, 0.31, 0.55]])
    >>> exact_max_t(Cell(values, np.array([[0], [1]]), np.arange(5, dtype=np.uint64))).p
    array([0.125])
    """
    tested, least = _order(*_observe(cell))
    columns = np.ascontiguousarray(_by_systems(cell, {}).of[:, tested])
    # turning all signs round changes no size, so the first one may stay
    signs, (first, *others) = all_signs(len(cell.units) - 1), cell.values.T
    alone, highest = np.zeros((2, len(tested)), np.int64)
    size = max(ROOM // len(cell.values), 1)
    for low in range(0, signs.shape[1], size):
        sums = first + signs[:, low : low + size].T @ np.array(others)
        own, most = resample.exceed(np.ascontiguousarray(sums), columns, *least)
        alone, highest = alone + own, highest + most
    return _step_down(tested, alone, highest, signs.shape[1], cell.pairs.shape[1])


class Stratum(NamedTuple):
    """A part of the units, within which signs are drawn: ``values`` has a row per system and none is NaN; ``weight`` is that of its mean."""

    values: np.ndarray
    units: np.ndarray
    weight: float


def max_t_of_strata(strata: Sequence[Stratum], pairs: np.ndarray, *, times: int, seed: int) -> Family:
    """Return the p-values of ``max_t`` for weighted sums of the mean differences of strata of at least two units each.

    t = Σ w·m / √Σ w²·s²/n over the strata, m the mean of the differences, s their standard deviation and n their number in each; signs
    are drawn per unit, and leave Σd² of a stratum as it is.

    Examples
    --------
    >>> rng, units = np.random.default_rng(0), np.arange(50, dtype=np.uint64)
    >>> easy = rng.normal([[0.5], [0.5], [0.9]], 0.1, (3, 50))
    >>> found = max_t_of_strata([Stratum(easy, units, 1.0)], np.array([[0, 0], [1, 2]]), times=999, seed=0)
    >>> found.adjusted.round(2)
    array([0.67, 0.  ])
    """
    left, right = pairs
    systems = len(strata[0].values)
    n = np.array([len(each.units) for each in strata], np.float64)
    weights = np.array([each.weight for each in strata])
    # the variance is Σ w²·(Σd² − n·m²) / (n (n − 1)): Σd² stays, and Σ w²·m² / (n − 1) is a squared distance of points, one per system
    scale = weights / np.sqrt(n - 1)
    whole = np.zeros((systems, systems))
    for each, factor in zip(strata, weights**2 / (n * (n - 1)), strict=True):
        whole += factor * _squared_distances(each.values)
    nothing = NOTHING * np.sqrt(whole)

    def squared_t(means: np.ndarray, at: np.ndarray) -> np.ndarray:
        """t² of each replicate (rows) and pair, the place ``at`` in a table of systems, from means by replicate, system and stratum."""
        points, sums = means * scale, means @ weights
        rest = points @ points.transpose(0, 2, 1)
        norms = np.diagonal(rest, axis1=1, axis2=2).copy()
        rest *= 2
        rest += whole
        rest -= norms[:, :, None]
        rest -= norms[:, None, :]
        totals = np.abs(sums[:, :, None] - sums[:, None, :])
        # 1e300 and 1e-12 as in _squared_t; a sum that is nothing beside Σd² is what rounding left
        totals[totals <= nothing] = 0.0
        has_spread = rest > 1e-12 * whole
        t = np.square(totals, out=totals)
        np.divide(t, rest, out=t, where=has_spread)
        t[~has_spread & (t > 0)] = 1e300
        taken: np.ndarray = np.take(t.reshape(len(means), -1), at, axis=1)
        return taken

    at = left * systems + right
    t = squared_t(np.stack([each.values.mean(axis=1) for each in strata], axis=1)[None], at)[0]
    tested = np.argsort(t, kind="stable")
    at, least = at[tested], t[tested] * (1 - 2 * NEAR)
    alone, highest = np.zeros((2, len(tested)), np.int64)
    keys = replicates(seed, FLIPS, 0, -(-times // 64))
    columns = [np.ascontiguousarray(each.values.T) for each in strata]
    step = max(ROOM // (64 * systems * len(strata)), 1)
    size = max(ROOM // 16 // systems**2, 1)
    for low in range(0, len(keys), step):
        drawn = [
            resample.flipped_sums(keys[low : low + step], each.units, own) / len(each.units)
            for each, own in zip(strata, columns, strict=True)
        ]
        means = np.stack(drawn, axis=2)[: times - 64 * low]
        for begin in range(0, len(means), size):
            own = squared_t(means[begin : begin + size], at)
            alone += (own >= least).sum(axis=0)
            highest += (np.maximum.accumulate(own, axis=1) >= least).sum(axis=0)
    return _step_down(tested, alone + 1, highest + 1, times + 1, len(tested))._replace(replicates=times)


def _squared_distances(values: np.ndarray) -> np.ndarray:
    """Σd² of each pair of rows."""
    apart = values - values.mean(axis=0)
    products = apart @ apart.T
    norms = np.diagonal(products)
    both = norms[:, None] + norms
    found = both - 2 * products
    # of rows that are nearly alike the products leave nothing but rounding
    for own, other in np.argwhere(np.triu(found <= 1e-6 * both, 1)):
        found[own, other] = found[other, own] = np.square(values[own] - values[other]).sum()
    return np.asarray(found)


def _order(
    n: np.ndarray, squares: np.ndarray, totals: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """The comparisons that are tested, in ascending order of t, and what a replicate of each is compared with."""
    tested = np.flatnonzero(n >= 2)
    t = _squared_t(totals[tested], squares[tested], n[tested])
    # ascending: the step-down maximum of a comparison is over itself and all that are less clear, which are those before it
    tested = tested[np.argsort(t, kind="stable")]
    t.sort()
    # a replicate that is as far as the observed counts as reaching it, although rounded otherwise; t is squared, hence twice NEAR
    return tested, (n[tested], squares[tested], totals[tested] * (1 - NEAR), t * (1 - 2 * NEAR))


def _step_down(tested: np.ndarray, alone: np.ndarray, highest: np.ndarray, of: int, count: int) -> Family:
    p, adjusted = np.full((2, count), np.nan)
    p[tested] = alone / of
    # a comparison is no clearer than those with a larger t
    adjusted[tested] = np.maximum.accumulate((highest / of)[::-1])[::-1]
    return Family(p, adjusted, of)


def tukey(
    values: np.ndarray,
    pairs: np.ndarray,
    units: np.ndarray,
    names: Sequence[str],
    *,
    times: int,
    seed: int,
    threads: int = 1,
) -> Family:
    """Return the p-values of all pairs by the randomised version of Tukey's HSD (Carterette, TOIS 30, 2012).

    The values of each unit are shuffled among the systems; a pair's p is the share of shuffles whose largest difference of
    means reaches its own: (b + 1) / (B + 1). It controls the family-wise error rate when all systems are exchangeable, not for
    every partial null nor for very unequal variances. ``values`` has no NaN: units undefined for any system are left out
    before. There is no p-value of a pair on its own. Units of one number are shuffled alike: for clusters give theirs. The draws
    depend on the numbers of the units and the ``names`` of the systems, so that the order of either changes nothing.
    """
    sums = shuffled_sums(values, units, names, times=times, seed=seed, threads=threads)
    return tukey_of(sums, values.sum(axis=1), pairs)


def shuffled_sums(
    values: np.ndarray, units: np.ndarray, names: Sequence[str], *, times: int, seed: int, threads: int = 1
) -> np.ndarray:
    """Return the sum of each place (column) in each replicate (row), which add up over parts of the units.

    The systems, rows of ``values``, are dealt to the places from the order of their names, whatever order they come in.
    """
    order = sorted(
        range(len(names)), key=lambda row: names[row]
    )  # else the order of arguments would change p
    rows = np.ascontiguousarray(values[order].T)
    jobs = [
        partial(resample.shuffled_sums, rows, replicates(seed, SHUFFLES, low, min(low + ROWS, times)), units)
        for low in range(0, times, ROWS)
    ]
    return np.concatenate(list(_run_jobs(jobs, threads)))


def tukey_of(shuffled: np.ndarray, totals: np.ndarray, pairs: np.ndarray) -> Family:
    """Return the p-values of ``tukey`` from the sums of systems, as observed and in each replicate."""
    times = len(shuffled)
    reached = np.sort(np.ptp(shuffled, axis=1))
    least = np.abs(totals[pairs[0]] - totals[pairs[1]]) * (1 - NEAR)
    least[least <= NOTHING * np.maximum(np.abs(totals[pairs]).max(axis=0), 1.0)] = 0.0
    above = times - np.searchsorted(reached, least, side="left")
    return Family(np.full(len(least), np.nan), (above + 1) / (times + 1), times)


def _squared_t(totals: np.ndarray, squares: np.ndarray, n: np.ndarray) -> np.ndarray:
    """t² from sums, sums of squares and numbers of units; as the kernel has it, huge where there is no spread."""
    # 1e-12 and 1e300 are those of ``exceed`` in kernels/resample.py: observed and drawn t are compared, so change both
    rest = n * squares - totals**2
    spread = rest > 1e-12 * n * squares
    t = np.where(totals == 0, 0.0, 1e300)
    t[spread] = totals[spread] ** 2 * (n[spread] - 1) / rest[spread]
    return t


def _observe(cell: Cell) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The units of each comparison, and the sum of squares and the absolute sum of its differences."""
    left, right = cell.pairs
    n, squares, totals = np.zeros((3, len(left)))
    size = max(ROOM // max(len(cell.units), 1), 1)
    for low in range(0, len(left), size):
        part = slice(low, low + size)
        d = cell.values[left[part]] - cell.values[right[part]]
        n[part] = np.count_nonzero(~np.isnan(d), axis=1)
        np.nan_to_num(d, copy=False)
        d[np.abs(d) <= TIE] = 0.0
        squares[part], totals[part] = np.einsum("ij,ij->i", d, d), np.abs(d.sum(axis=1))
    totals[totals <= NOTHING * np.sqrt(n * squares)] = 0.0
    return n, squares, totals


class _Sums(NamedTuple):
    """What signs of units are multiplied with, block by block (a row per unit), and which columns make each comparison.

    The blocks' products stand side by side. A comparison is the first column less the second and the third, plus the fourth; -1
    is nothing.
    """

    blocks: list[tuple[np.ndarray, np.ndarray]]
    of: np.ndarray

    @property
    def width(self) -> int:
        """The number of columns."""
        return sum(columns.shape[1] for _, columns in self.blocks)


def _sums_of(cell: Cell) -> _Sums:
    """The way that takes fewer additions per replicate: columns are added from tables of eight units."""
    used, pairs_of = np.unique(cell.pairs, return_counts=True)
    defined = ~np.isnan(cell.values)
    # what no system has changes no sum
    lacking = defined[used].any(axis=0) & ~defined[used]
    tables = -(-len(cell.units) // 8)
    of_systems = tables * len(defined) + int((-(-lacking.sum(axis=1) // 8) * pairs_of).sum())
    if not len(used) or tables * cell.pairs.shape[1] < of_systems:
        return _by_pairs(cell)
    return _by_systems(cell, dict(zip(used.tolist(), lacking, strict=True)))


def _by_pairs(cell: Cell) -> _Sums:
    left, right = cell.pairs
    blocks, size = [], max(ROOM // max(len(cell.units), 1), 1)
    for low in range(0, max(len(left), 1), size):
        part = slice(low, low + size)
        differences = np.nan_to_num(cell.values[left[part]] - cell.values[right[part]])
        differences[np.abs(differences) <= TIE] = 0.0
        blocks.append((cell.units, np.ascontiguousarray(differences.T)))
    columns = np.full((4, len(left)), -1)
    columns[0] = np.arange(len(left))
    return _Sums(blocks, columns)


def _by_systems(cell: Cell, lacking_by_system: Mapping[int, np.ndarray]) -> _Sums:
    """A comparison as the difference of two systems' own sums, each without the units that only the other lacks."""
    # of T systems there are T sums to draw in place of T (T − 1) / 2 differences, if few units are undefined
    left, right = cell.pairs
    filled = np.nan_to_num(cell.values)
    blocks = [(cell.units, np.ascontiguousarray(filled.T))]
    columns = np.full((4, len(left)), -1)
    columns[0], columns[1] = left, right
    width = len(filled)
    for system, is_lacking in lacking_by_system.items():
        lacking = np.flatnonzero(is_lacking)
        if not len(lacking):
            continue
        for place, own, other in ((2, right, left), (3, left, right)):
            of = np.flatnonzero(own == system)
            columns[place, of] = width + np.arange(len(of))
            blocks.append((cell.units[lacking], np.ascontiguousarray(filled[other[of]][:, lacking].T)))
            width += len(of)
    return _Sums(blocks, columns)


def _columns_of(sums: Sequence[_Sums]) -> np.ndarray:
    """The columns of each comparison when the products of all cells stand side by side."""
    before = np.cumsum([0, *(column.width for column in sums)])
    moved = [np.where(column.of < 0, -1, column.of + at) for column, at in zip(sums, before, strict=False)]
    return np.concatenate(moved, axis=1)


def _narrow_lots(
    blocks: Sequence[tuple[np.ndarray, np.ndarray]],
) -> Iterator[list[tuple[np.ndarray, np.ndarray]]]:
    """Blocks that follow each other and have few columns together, or one that has more.

    Sums are added down a column. In rows as long as a thousand segments every one of them is in another page of memory.
    """
    lot: list[tuple[np.ndarray, np.ndarray]] = []
    width = 0
    for units, values in blocks:
        if lot and width + values.shape[1] > NARROW:
            yield lot
            lot, width = [], 0
        lot.append((units, values))
        width += values.shape[1]
    if lot:
        yield lot


def _count_exceeding(
    keys: np.ndarray,
    sums: Sequence[_Sums],
    columns: np.ndarray,
    least: tuple[np.ndarray, ...],
    times: int,
) -> tuple[np.ndarray, np.ndarray]:
    whole, at = np.zeros((64 * len(keys), sum(cell_sums.width for cell_sums in sums))), 0
    for blocks in _narrow_lots([block for cell_sums in sums for block in cell_sums.blocks]):
        width, own = sum(values.shape[1] for _, values in blocks), 0
        lot = whole if width == whole.shape[1] else np.zeros((len(whole), width))
        for units, values in blocks:
            resample.add_flipped(lot, own, keys, units, values)
            own += values.shape[1]
        if lot is not whole:
            whole[:, at : at + width] = lot
        at += width
    return resample.exceed(whole[:times], columns, *least)


def _run_jobs(jobs: Sequence[partial[T]], threads: int) -> Iterable[T]:
    if threads == 1:
        return (job() for job in jobs)
    with ThreadPoolExecutor(threads) as executor:
        return list(executor.map(lambda job: job(), jobs))


def share_interval(reached: int, replicates: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a share by Clopper and Pearson (Biometrika 26, 1934): ``reached`` of so many replicates.

    Of a Monte Carlo p-value it is the interval of what all possible replicates would give.

    Examples
    --------
    >>> [round(bound, 4) for bound in share_interval(37, 9_999)]
    [0.0026, 0.0051]
    """
    from scipy.special import betaincinv

    if not replicates:
        return math.nan, math.nan
    tail, rest = (1 - level) / 2, replicates - reached
    low = float(betaincinv(reached, rest + 1, tail)) if reached else 0.0
    high = float(betaincinv(reached + 1, rest, 1 - tail)) if rest else 1.0
    return low, high


def p_intervals(p: np.ndarray, replicates: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of each Monte Carlo p-value, (b + 1) / (B + 1), from its b of B replicates; NaN for NaN.

    Examples
    --------
    >>> [bound.round(4).tolist() for bound in p_intervals(np.array([0.0038, np.nan]), 9_999, 0.95)]
    [[0.0026, nan], [0.0051, nan]]
    """
    low, high = np.full((2, len(p)), math.nan)
    tested = np.flatnonzero(~np.isnan(p))
    reached = np.rint(p[tested] * (replicates + 1)).astype(np.int64) - 1
    counts, of = np.unique(reached, return_inverse=True)
    bounds = [share_interval(int(count), replicates, level=level) for count in counts]
    if bounds:
        low[tested], high[tested] = np.array(bounds)[of].T
    return low, high


def is_testable(comparisons: int, replicates: int, alpha: float) -> bool:
    """Whether the smallest p-value that Holm's procedure can give with so many replicates, m / (B + 1), reaches alpha.

    Examples
    --------
    >>> is_testable(10, 199, 0.05), is_testable(11, 199, 0.05)
    (True, False)
    """
    # products are rounded: 0.29 · 100 is 28.999999999999996
    return comparisons <= alpha * (replicates + 1) * (1 + 1e-12)


def replicates_needed(comparisons: int, alpha: float) -> int:
    """Return 50 · m / alpha: enough replicates for Holm's procedure over so many comparisons.

    Examples
    --------
    >>> replicates_needed(10, 0.05)
    10000
    """
    return math.ceil(
        PER_TEST * comparisons / alpha * (1 - 1e-12)
    )  # a last bit above a whole number must not add one
