"""Families of comparisons tested together: studentised maxT, step-down, and the randomised version of Tukey's HSD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.paired import CHUNK, FLIPS, NEAR

T = TypeVar("T")
SHUFFLES = 2
ROOM = 1 << 22  # differences looked at at a time
ROWS = 256  # replicates of shuffles that one thread makes at a time


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
    observed = [_observed(cell) for cell in cells]
    n, squares, totals = (np.concatenate(columns) for columns in zip(*observed, strict=True))
    kept = np.flatnonzero(n >= 2)
    t = _squared_t(totals[kept], squares[kept], n[kept])
    kept = kept[np.argsort(t, kind="stable")]
    t.sort()
    least = n[kept], squares[kept], totals[kept] * (1 - NEAR), t * (1 - 2 * NEAR)
    sums = [_sums_of(cell) for cell in cells]
    left, right = _columns_of(sums)
    columns = left[kept], right[kept]
    alone, highest = np.zeros((2, len(kept)), np.int64)
    keys = replicates(seed, FLIPS, 0, -(-times // 64))
    jobs = (
        partial(_exceed, keys[low : low + CHUNK], sums, columns, least, times - 64 * low)
        for low in range(0, len(keys), CHUNK)
    )
    for own, most in _done(jobs, threads):
        alone += own
        highest += most
    p, adjusted = np.full((2, len(n)), np.nan)
    p[kept] = (alone + 1) / (times + 1)
    # a comparison is no clearer than those with a larger t
    adjusted[kept] = np.maximum.accumulate(((highest + 1) / (times + 1))[::-1])[::-1]
    return Family(p, adjusted, times)


def tukey(
    values: np.ndarray, pairs: np.ndarray, units: np.ndarray, *, times: int, seed: int, threads: int = 1
) -> Family:
    """Return the p-values of all pairs by the randomised version of Tukey's HSD (Carterette, TOIS 30, 2012).

    The values of each unit are shuffled among the systems; a pair's p is the share of shuffles whose largest difference of
    means reaches its own: (b + 1) / (B + 1). It controls the family-wise error rate when all systems are exchangeable, not for
    every partial null nor for very unequal variances. ``values`` has no NaN: units undefined for any system are left out
    before. There is no p-value of a pair on its own. Units of one number are shuffled alike: for clusters give theirs.
    """
    rows = np.ascontiguousarray(values.T)
    jobs = (
        partial(resample.ranges, rows, replicates(seed, SHUFFLES, low, min(low + ROWS, times)), units)
        for low in range(0, times, ROWS)
    )
    reached = np.sort(np.concatenate(list(_done(jobs, threads))))
    totals = values.sum(axis=1)
    least = np.abs(totals[pairs[0]] - totals[pairs[1]]) * (1 - NEAR)
    above = times - np.searchsorted(reached, least, side="left")
    return Family(np.full(len(least), np.nan), (above + 1) / (times + 1), times)


def _squared_t(totals: np.ndarray, squares: np.ndarray, n: np.ndarray) -> np.ndarray:
    """t² from sums, sums of squares and numbers of units; as the kernel has it, huge where there is no spread."""
    rest = n * squares - totals**2
    spread = rest > 1e-12 * n * squares
    found = np.where(totals == 0, 0.0, 1e300)
    found[spread] = totals[spread] ** 2 * (n[spread] - 1) / rest[spread]
    return found


def _observed(cell: Cell) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The units of each comparison, and the sum of squares and the absolute sum of its differences."""
    left, right = cell.pairs
    n, squares, totals = np.zeros((3, len(left)))
    size = max(ROOM // max(len(cell.units), 1), 1)
    for low in range(0, len(left), size):
        part = slice(low, low + size)
        d = cell.values[left[part]] - cell.values[right[part]]
        n[part] = np.count_nonzero(~np.isnan(d), axis=1)
        np.nan_to_num(d, copy=False)
        squares[part], totals[part] = np.einsum("ij,ij->i", d, d), np.abs(d.sum(axis=1))
    return n, squares, totals


class _Sums(NamedTuple):
    """What signs of the units are multiplied with (a row per unit), and which columns of the product make a comparison."""

    units: np.ndarray
    columns: np.ndarray
    left: np.ndarray
    right: np.ndarray


def _sums_of(cell: Cell) -> _Sums:
    values, (left, right) = cell.values, cell.pairs
    defined = ~np.isnan(values)
    used = np.unique(cell.pairs)
    if not len(used) or (defined[used] == defined[used[:1]]).all():
        # all comparisons are of the same units: their sums are differences of the systems' own
        return _Sums(cell.units, np.ascontiguousarray(np.where(defined, values, 0.0).T), left, right)
    differences = np.nan_to_num(values[left] - values[right])
    return _Sums(
        cell.units, np.ascontiguousarray(differences.T), np.arange(len(left)), np.full(len(left), -1)
    )


def _columns_of(sums: Sequence[_Sums]) -> tuple[np.ndarray, np.ndarray]:
    """The columns of each comparison when the products of all cells stand side by side."""
    before = np.cumsum([0, *(each.columns.shape[1] for each in sums)])
    left = [each.left + at for each, at in zip(sums, before, strict=False)]
    right = [np.where(each.right < 0, -1, each.right + at) for each, at in zip(sums, before, strict=False)]
    return np.concatenate(left), np.concatenate(right)


def _exceed(
    keys: np.ndarray,
    sums: Sequence[_Sums],
    columns: tuple[np.ndarray, np.ndarray],
    least: tuple[np.ndarray, ...],
    times: int,
) -> tuple[np.ndarray, np.ndarray]:
    found = [resample.flipped_sums(keys, each.units, each.columns) for each in sums]
    whole = found[0] if len(found) == 1 else np.concatenate(found, axis=1)
    return resample.exceed(whole[:times], *columns, *least)


def _done(jobs: Iterator[partial[T]], threads: int) -> Iterator[T]:
    if threads == 1:
        yield from (job() for job in jobs)
        return
    with ThreadPoolExecutor(threads) as executor:
        yield from executor.map(lambda job: job(), jobs)
