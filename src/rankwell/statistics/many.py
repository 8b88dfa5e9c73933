"""Means, tests and intervals of many rows of values at once, each over the units where it is defined."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import further, replicates
from rankwell.statistics.frequent import starts
from rankwell.statistics.intervals import (
    CELLS,
    LEAST,
    LEAST_OTHERS,
    LIMITS,
    WEIGHTS,
    are_bounded,
    betting_bounds,
    hold_shares,
    interval,
    kind_for,
    wilson,
)
from rankwell.statistics.paired_tests import t_test

CHUNK = 1 << 21  # values that one thread works on at a time
NO_SPREAD = 1e-12  # of a deviation beside a mean (of 1, if that is smaller): what is left of rounding
Method = Literal["auto", "studentised", "betting", "t"]


class Design(NamedTuple):
    """How units count: their weights, and the clusters (a fixed number, uint64, per unit) that vary as a whole; None for alike."""

    weights: np.ndarray | None = None
    clusters: np.ndarray | None = None

    @property
    def is_plain(self) -> bool:
        """Whether every unit counts alike and by itself."""
        return self.weights is None and self.clusters is None

    def of(self, rows: np.ndarray) -> Design:
        """Return the design of some units."""
        return Design(*(None if column is None else column[rows] for column in self))


PLAIN = Design()


class Summaries(NamedTuple):
    """Per row: units, mean, standard deviation, Student's t of the mean and its two-sided p-value; NaN where there is none.

    ``effective`` is the number of units of equal weight, or of clusters, that the mean is as certain as; sd / √effective is its
    standard error.
    """

    n: np.ndarray
    effective: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    t: np.ndarray
    p: np.ndarray


class Intervals(NamedTuple):
    """Per row: the bounds of its mean, NaN where there is no spread, the method, and whether it is likely too short."""

    low: np.ndarray
    high: np.ndarray
    method: np.ndarray
    is_doubtful: np.ndarray


def summaries(rows: np.ndarray, design: Design = PLAIN) -> Summaries:
    """Return the mean of each row with Student's t-test that it is 0; NaN is undefined and is left out.

    Examples
    --------
    >>> summaries(np.array([[0.1, 0.3, -0.1, 0.2, 0.2, np.nan]])).p.round(6)
    array([0.107939])
    """
    if not design.is_plain:
        return _summaries_one_by_one(rows, design)
    defined = ~np.isnan(rows)
    n = defined.sum(axis=1)
    filled = np.where(defined, rows, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = filled.sum(axis=1) / n
        deviations = np.where(
            defined, rows - mean[:, None], 0.0
        )  # in a second pass, since Σx² − n·x̄² would cancel
    return t_of(n, mean, (deviations**2).sum(axis=1))


def t_of(
    n: np.ndarray, mean: np.ndarray, squares: np.ndarray, effective: np.ndarray | None = None
) -> Summaries:
    """Return the summaries of rows of which the numbers, the means and the sums of squared distances from these are known.

    If the effective numbers are others than n, the squares are such that squares / (effective − 1) is the variance.
    """
    from scipy.special import stdtr

    count = n.astype(np.float64) if effective is None else effective
    is_few = ~(count > 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.sqrt(squares / (count - 1))
        sd[sd <= NO_SPREAD * np.maximum(np.abs(mean), 1.0)] = 0.0
        sd[is_few] = math.nan
        t = mean / (sd / np.sqrt(count))
        t[(sd == 0) & (np.abs(mean) <= NO_SPREAD)] = 0.0
        p = 2 * stdtr(count - 1.0, -np.abs(t))
    p[is_few] = math.nan
    return Summaries(n, count, mean, sd, t, p)


def _summaries_one_by_one(rows: np.ndarray, design: Design) -> Summaries:
    rows_summed = []
    for row in rows:
        defined = np.flatnonzero(~np.isnan(row))
        summary = t_test(row[defined], **design.of(defined)._asdict())
        rows_summed.append((len(defined), *summary))
    n, *others = np.array(rows_summed, np.float64).reshape(-1, 6).T
    return Summaries(n.astype(np.int64), *others)


def are_doubtful(rows: np.ndarray) -> np.ndarray:
    """Whether an interval of each row's mean is likely too short: n < 50, or n less its most frequent value < 30."""
    ordered = np.sort(rows, axis=1)  # NaN is last
    n = (~np.isnan(rows)).sum(axis=1)
    places = np.arange(ordered.shape[1])
    since = places - np.maximum.accumulate(np.where(starts(ordered), places, 0), axis=1) + 1
    most = np.where(np.isnan(ordered), 0, since).max(axis=1, initial=0)
    return (n < LEAST) | (n - most < LEAST_OTHERS)


def intervals(
    rows: np.ndarray,
    units: np.ndarray,
    *,
    method: Method = "auto",
    level: float = 0.95,
    times: int = 2000,
    seed: int = 0,
    limits: tuple[float, float] = (-math.inf, math.inf),
    threads: int = 1,
    design: Design = PLAIN,
    known: Summaries | None = None,
    total: int = 0,
) -> Intervals:
    """Return the interval of the mean of each row, as ``interval`` has it for one, cut at the limits of what a value can be.

    ``auto`` is Wilson's for rows that are all 0 and 1 (and within limits of 0 and 1), Student's from 100,000 units on (from 1,000, if they are a part of a
    ``total`` of 100,000), hedged betting where others are likely too short and the limits are finite, and otherwise the studentised
    Poisson bootstrap. Draws depend on the seed and the unit alone: every row sees the same ones. ``units`` may have a row per row of values,
    for segments of one size; then rows that follow each other share draws if they are of the same units. ``known`` are the summaries of the rows, where they are made already.
    """
    if not design.is_plain:
        own = []
        for row in rows:
            kept = np.flatnonzero(~np.isnan(row))
            more: Any = {"method": method, "level": level, "times": times, "seed": seed, "limits": limits}
            own.append(interval(row[kept], units[kept], **more, **design.of(kept)._asdict(), total=total))
        return Intervals(
            np.array([bounds.low for bounds in own]),
            np.array([bounds.high for bounds in own]),
            np.array([bounds.method for bounds in own], object),
            np.array([bounds.is_doubtful for bounds in own], bool),
        )
    defined, doubt = ~np.isnan(rows), are_doubtful(rows)
    kinds = np.full(len(rows), method, object)
    if method == "auto":
        are_shares = ((rows == 0) | (rows == 1) | ~defined).all(axis=1) & hold_shares(limits)
        kinds[:] = [
            kind_for(
                int(np.count_nonzero(own)),
                is_share=bool(is_share),
                total=total,
                needs_bets=bool(is_doubtful) and are_bounded(row, limits),
            )
            for own, is_share, is_doubtful, row in zip(defined, are_shares, doubt, rows, strict=True)
        ]
    stats = summaries(rows) if known is None else known
    low, high = closed_bounds(stats, kinds, level)
    tail = (1 - level) / 2
    own = stats.sd / np.sqrt(np.maximum(stats.n, 1))
    chosen = np.flatnonzero((stats.sd > 0) & (kinds == "studentised"))
    for same, numbers in _of_same_units(chosen, units):
        for few, (lower, upper) in _in_chunks(rows, same, numbers, times, seed, tail, threads):
            low[few], high[few] = stats.mean[few] - upper * own[few], stats.mean[few] - lower * own[few]
    is_bet = kinds == "betting"
    chosen = np.flatnonzero(is_bet & (stats.n >= 2))
    if len(chosen):
        used = defined[chosen].any(axis=0)  # a segment's rows are undefined everywhere else
        values, sizes = np.nan_to_num(rows[chosen][:, used]), defined[chosen][:, used].astype(np.float64)
        numbers = units[used] if units.ndim == 1 else units[chosen][:, used]
        low[chosen], high[chosen] = betting_bounds(
            values, sizes, numbers, limits=limits, level=level, seed=seed
        )
    return Intervals(np.maximum(low, limits[0]), np.minimum(high, limits[1]), kinds, doubt & ~is_bet)


def closed_bounds(
    stats: Summaries, kinds: np.ndarray, level: float, of_shares: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of rows whose kind is Student's or Wilson's, which need no values; NaN for others.

    Student's are NaN without spread, too.

    A share is as certain as one of ``of_shares`` units; by default of the effective number.
    """
    from scipy.special import ndtri, stdtrit

    low, high = np.full((2, len(kinds)), math.nan)
    tail = (1 - level) / 2
    has_spread = stats.sd > 0
    is_several = stats.sd >= 0  # not NaN, as of a single value
    own = stats.sd / np.sqrt(np.maximum(stats.effective, 1))
    chosen = np.flatnonzero(has_spread & (kinds == "t"))
    reach = stdtrit(stats.effective[chosen] - 1.0, 1 - tail) * own[chosen]
    low[chosen], high[chosen] = stats.mean[chosen] - reach, stats.mean[chosen] + reach
    chosen = np.flatnonzero(is_several & (kinds == "wilson"))
    n = stats.effective if of_shares is None else of_shares
    low[chosen], high[chosen] = wilson(stats.mean[chosen], n[chosen], float(ndtri(1 - tail)))
    return low, high


def _of_same_units(chosen: np.ndarray, units: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows that share their units, and these."""
    if units.ndim == 1 or not len(chosen):
        yield chosen, units
        return
    begins = 1 + np.flatnonzero((units[chosen[1:]] != units[chosen[:-1]]).any(axis=1))
    for same in np.split(chosen, begins):
        yield same, units[same[0]]


def _in_chunks(
    rows: np.ndarray, chosen: np.ndarray, units: np.ndarray, times: int, seed: int, tail: float, threads: int
) -> Iterator[tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]]:
    size = max(CHUNK // max(rows.shape[1], times), 1)
    parts = [chosen[at : at + size] for at in range(0, len(chosen), size)]

    def bounds(few: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _quantiles(_replicate_t(rows[few], units, times, seed), tail)

    if threads == 1 or len(parts) < 2:
        yield from zip(parts, map(bounds, parts), strict=True)
        return
    with ThreadPoolExecutor(threads) as executor:
        yield from zip(parts, executor.map(bounds, parts), strict=True)


def _replicate_t(rows: np.ndarray, units: np.ndarray, times: int, seed: int) -> np.ndarray:
    """Return t* of each replicate (rows) and row of values (columns), under weights drawn from Poisson(1)."""
    used = ~np.isnan(rows).all(axis=0)  # a segment's rows are undefined everywhere else
    rows, units = rows[:, used], units[used]
    defined = ~np.isnan(rows)
    centred = np.where(defined, rows - np.nanmean(rows, axis=1, keepdims=True), 0.0)
    count = len(rows)
    is_whole = bool(defined.all())
    ones = np.ones((1, rows.shape[1])) if is_whole else defined
    # one product of matrices gives n, Σx and Σx² of all rows in all replicates
    columns = np.ascontiguousarray(np.concatenate([ones, centred, centred**2]).T)
    t = np.empty((times, count))
    size = max(CELLS // len(units), 1)
    for low in range(0, times, size):
        keys = replicates(seed, WEIGHTS, low, min(low + size, times))
        sums = resample.poisson(keys, units, LIMITS) @ columns
        t[low : low + len(keys)] = _t_of(sums, count, is_whole)
        n = sums[:, : 1 if is_whole else count]
        # rows of few units: drawn again, as one row alone would be
        for row in np.flatnonzero((n < 2).any(axis=0)):
            few = slice(None) if is_whole else slice(row, row + 1)
            own = columns if is_whole else columns[:, [row, count + row, 2 * count + row]]
            again = np.flatnonzero(n[:, row] < 2)
            redrawn = _redraw(keys[again], units, own)
            t[low + again, few] = _t_of(redrawn, count if is_whole else 1, is_whole)
    return t


def _redraw(keys: np.ndarray, units: np.ndarray, columns: np.ndarray) -> np.ndarray:
    sums = np.zeros((len(keys), columns.shape[1]))
    left = np.arange(len(keys))
    keys = keys.copy()
    while len(left):
        keys[left] = further(keys[left], np.array([1], np.uint64))
        sums[left] = resample.poisson(keys[left], units, LIMITS) @ columns
        left = left[sums[left, 0] < 2]
    return sums


def _t_of(sums: np.ndarray, count: int, is_whole: bool) -> np.ndarray:
    """Return t* = mean* / se*; a replicate without spread counts as ±∞, for dropping it makes intervals too short."""
    at = 1 if is_whole else count
    n, total, squares = sums[:, :at], sums[:, at : at + count], sums[:, at + count :]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / n
        variance = np.maximum(squares - n * mean**2, 0.0) / (n * (n - 1))
        variance[variance <= 1e-15 * squares / (n * n)] = 0.0  # what is left of rounding is no spread
        t = np.where(variance > 0, mean / np.sqrt(variance), np.sign(mean) * math.inf)
    t[np.isnan(t)] = 0.0
    return t


def _quantiles(drawn: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """The order statistics at the two tails of B + 1, per column."""
    times = len(drawn)
    low = min(max(math.floor((times + 1) * tail) - 1, 0), times - 1)
    high = min(max(math.ceil((times + 1) * (1 - tail)) - 1, 0), times - 1)
    ordered = np.partition(drawn, (low, high), axis=0)
    return ordered[low], ordered[high]
