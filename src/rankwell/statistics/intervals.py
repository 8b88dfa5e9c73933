"""Intervals of a mean: studentised Poisson bootstrap, Student's t, Wilson's for shares, hedged betting, percentile and BCa; and when to doubt them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import further, replicates
from rankwell.statistics.frequent import starts
from rankwell.statistics.parts import IndependentParts, Ratio, effective_n, parts_of, ratio, student

Method = Literal["studentised", "t", "wilson", "betting", "percentile", "bca"]
WEIGHTS = 3  # what the draws of the bootstrap are for
CELLS = 1 << 22  # weights made at a time
LEAST, LEAST_OTHERS = (
    50,
    30,
)  # values, and values beside the most frequent one, below which intervals are doubted
LARGE = 100_000  # from here on an interval is Student's: the bootstrap would only say the same
ENOUGH = 1_000  # so is that of a part of so many units, where there are very many in all: bootstraps would take minutes
ORDERS = 10  # orders of the values that the capital is averaged over
SHUFFLED = 11  # what their draws are for
CUT = 0.5  # the share of the capital that a bet can lose at most
BETS = 1 << 22  # bets held at a time


def betting_bounds(
    totals: np.ndarray,
    sizes: np.ndarray,
    numbers: np.ndarray,
    *,
    limits: tuple[float, float],
    level: float = 0.95,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of the mean Σ totals / Σ sizes of each row of independent parts, by the hedged capital of bets on it.

    Somebody bets on each value in turn that it lies above a supposed mean m, and another one that it lies below. If m is right,
    neither gains in expectation, and the chance that either ever multiplies a half of the stake by 2 / α is at most α (Ville;
    Markov's inequality at the end of the values). The interval holds all m at which neither does. No other assumption is made than that
    the values lie within the limits and are independent; in exchange it is about 1.4 to 5 times as wide as Student's.

    Formula
        K⁺(m) = Π (1 + min(b_t, c / m) · (x_t − m)), K⁻(m) = Π (1 − min(b_t, c / (1 − m)) · (x_t − m)) with c = ½ and values scaled to 0 … 1;
        b_t = √(2 ln(2 / α) / (n σ²_{t−1})), σ²_t = (¼ + Σ (x_i − μ_i)²) / (t + 1), μ_t = (½ + Σ x_i) / (t + 1); both capitals are
        averaged over 10 orders of the values; m is inside where ½ K⁺ and ½ K⁻ are below 1 / α

    Parameters
    ----------
    totals, sizes
        A row per mean, a column per part; a total is the sum of the part's values, which its size counts or weighs. A size of
        0 is no part. Parts are bets in proportion to their sizes.
    numbers
        A fixed number (uint64) per part, from which its places in the orders are drawn: so the order of the parts changes nothing. One
        row for all means, or a row per mean.
    limits
        The least and the greatest value that there can be.
    level, seed
        The share of intervals that holds the true mean, at least; and the seed of the orders.

    Raises
    ------
    ValueError
        If the limits are not finite, or a value lies beyond them.

    Notes
    -----
    Source: I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024), section 4.4:
    the hedged capital with predictable plug-in bets, at θ = ½.

    Examples
    --------
    >>> values = np.zeros((1, 379))
    >>> values[0, :2] = 0.2, 0.15
    >>> low, high = betting_bounds(values, np.ones((1, 379)), np.arange(379, dtype=np.uint64), limits=(0, 1))
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.0, 0.02)
    """
    least, most = limits
    if not (math.isfinite(least) and math.isfinite(most) and most > least):
        raise ValueError(f"betting_bounds(limits={limits}): must be finite, the first below the second.")
    # the largest part bets all that the formula allows, a smaller one as much less as it is smaller; 1e-300, as 0 / 0 is NaN
    part = sizes / np.maximum(sizes.max(axis=1, keepdims=True, initial=0.0), 1e-300)
    scale = np.divide(part, sizes, out=np.zeros(sizes.shape), where=sizes > 0)
    gained = (totals * scale - least * part) / (most - least)
    if ((gained < -1e-9) | (gained > part + 1e-9)).any():
        raise ValueError(f"betting_bounds(limits={limits}): a value lies beyond them.")
    np.clip(gained, 0.0, part, out=gained)
    keys, numbers = replicates(seed, SHUFFLED, 0, ORDERS), np.atleast_2d(numbers)
    low, high = np.empty((2, len(totals)))
    rows = max(BETS // max(ORDERS * totals.shape[1], 1), 1)
    for at in range(0, len(totals), rows):
        few = slice(at, at + rows)
        own = numbers if len(numbers) == 1 else numbers[few]
        # a product of bets depends on the order of values; orders drawn by the units' numbers make it the same for any input
        orders = np.argsort(further(keys[:, None], own[:, None, :]), axis=2, kind="stable")
        x, y = (np.take_along_axis(column[few, None], orders, axis=2) for column in (gained, part))
        low[few], high[few] = _bounds(x, y, 1 - level)
    return least + (most - least) * low, least + (most - least) * high


def _bounds(gained: np.ndarray, part: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of means of 0 … 1; a row per mean, then an order, then a column per part."""
    is_some = part > 0
    count = np.cumsum(is_some, axis=2)
    mean = (0.5 + np.cumsum(gained, axis=2)) / (1 + np.cumsum(part, axis=2))
    spread = (0.25 + np.cumsum((gained - mean * part) ** 2, axis=2)) / (count + 1)
    # a bet may know the values before it alone: one that knew its own would not be fair, and the bound would not hold
    before = np.concatenate([np.full((*spread.shape[:2], 1), 0.25), spread[:, :, :-1]], axis=2)
    bets = np.sqrt(2 * math.log(2 / alpha) / (np.maximum(count[:, :, -1:], 1) * before))
    low = resample.least_mean(gained, part, bets, CUT, 2 / alpha)
    # the upper bound is the lower one of what is lacking to 1
    return low, 1 - resample.least_mean(part - gained, part, bets, CUT, 2 / alpha)


class Interval(NamedTuple):
    """A mean with its lower and upper bound; NaN where there is none. ``is_doubtful``: likely too short, which betting is not."""

    mean: float
    low: float
    high: float
    method: str
    is_doubtful: bool


def interval(
    values: np.ndarray,
    units: np.ndarray,
    *,
    method: Method | Literal["auto"] = "studentised",
    level: float = 0.95,
    times: int = 2000,
    seed: int = 0,
    limits: tuple[float, float] = (-math.inf, math.inf),
    weights: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
    total: int = 0,
) -> Interval:
    """Return the interval of the (weighted) mean of values, none of them NaN, cut at the limits of what a value can be.

    There is none, and low and high are NaN, for less than two values or clusters and, but for the next two methods, for values
    without spread. ``wilson`` is for values that are 0 or 1; of clusters that are all 0 or all 1, each counts as one value.
    ``betting`` (``betting_bounds``) is for finite limits. ``auto`` is what ``kind_for`` says. ``units`` holds a fixed number (uint64) per value, from which its weights in the bootstrap are
    drawn; ``clusters`` one per value, of clusters that are drawn as a whole.

    Examples
    --------
    >>> values = np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    >>> found = interval(values, np.arange(10, dtype=np.uint64), method="wilson")
    >>> round(found.low, 4), round(found.high, 4)
    (0.3968, 0.8922)
    """
    parts = parts_of(values, units, weights, clusters)
    whole = ratio(parts)
    mean, tail = whole.mean, (1 - level) / 2
    doubt = is_doubtful(parts.totals / parts.sizes, parts.sizes)
    if method == "auto":
        is_share = hold_shares(limits) and bool(((values == 0) | (values == 1)).all())
        is_bounded = doubt and are_bounded(values, limits)
        method = kind_for(len(values), is_share=is_share, total=total, needs_bets=is_bounded)
    if math.isnan(whole.error) or (whole.error == 0 and method not in ("wilson", "betting")):
        return Interval(mean, math.nan, math.nan, method, doubt and method != "betting")
    if method == "t":
        low, high = student(whole.mean, whole.error, whole.n - 1, 1 - tail)
    elif method == "wilson":
        low, high = _wilson(mean, _n_of_share(parts, whole), tail)
    elif method == "betting":
        rows = parts.totals[None], parts.sizes[None], parts.numbers
        (low,), (high,) = betting_bounds(*rows, limits=limits, level=level, seed=seed)
        doubt = False
    else:
        centred = parts._replace(totals=parts.totals - mean * parts.sizes)
        drawn = np.concatenate(list(_replicates(centred, times, seed)))
        bounds = {"studentised": _studentised_bounds, "percentile": _percentile_bounds, "bca": _bca_bounds}[
            method
        ]
        low, high = bounds(centred, drawn, tail)
        low, high = mean + low, mean + high
    return Interval(mean, max(float(low), limits[0]), min(float(high), limits[1]), method, doubt)


def kind_for(
    n: int, *, is_share: bool, total: int = 0, needs_bets: bool = False
) -> Literal["studentised", "wilson", "betting", "t"]:
    """Return the method that ``auto`` is for n values, of which a share's are all 0 or 1, of so many units in all.

    ``needs_bets``: others are likely too short, and values are bounded.
    """
    if is_share:
        return "wilson"
    if n >= LARGE or (total >= LARGE and n >= ENOUGH):
        return "t"
    return "betting" if needs_bets else "studentised"


def hold_shares(limits: tuple[float, float]) -> bool:
    """Whether nothing beyond 0 and 1 can be a value: ranks that are all 1, and gains that are all 0, are no shares."""
    return limits[0] >= 0 and limits[1] <= 1


def are_bounded(values: np.ndarray, limits: tuple[float, float]) -> bool:
    """Whether the limits are finite and all values, but for rounding, within them; NaN is left out."""
    low, high = limits
    is_beyond = (values < low - 1e-9) | (values > high + 1e-9)
    return math.isfinite(low) and math.isfinite(high) and high > low and not bool(is_beyond.any())


def is_doubtful(values: np.ndarray, weights: np.ndarray | None = None) -> bool:
    """Whether an interval of the mean is likely too short: n < 50, or fewer than 30 values beside the most frequent one.

    With weights, n is the effective number.
    """
    sizes = np.ones(len(values)) if weights is None else weights
    n = effective_n(sizes)
    if n < LEAST:
        return True
    order = np.argsort(values)
    of = np.cumsum(starts(values[order])) - 1
    return bool(n * (1 - np.bincount(of, sizes[order]).max() / math.fsum(sizes)) < LEAST_OTHERS - 1e-9)


def _n_of_share(parts: IndependentParts, whole: Ratio) -> float:
    """The number of independent units that a share is as certain as; of clusters, n / design effect, which is at least 1.

    Where all units are 0, or all 1, the effect is not known; it is at most such that each cluster counts as one unit.
    """
    if not parts.is_clustered:
        return parts.n_units
    if abs(whole.mean - round(whole.mean)) <= 1e-12:
        return min(parts.n_units, parts.n)
    effect = whole.error**2 * (parts.n_units - 1) / (whole.mean * (1 - whole.mean))
    return parts.n_units / max(effect, 1.0)


def _wilson(share: float, n: float, tail: float) -> tuple[float, float]:
    from scipy.special import ndtri

    (low,), (high,) = wilson(np.array([share]), np.array([n]), float(ndtri(1 - tail)))
    return low, high


def wilson(share: np.ndarray, n: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's score interval of each share of n (JASA 22, 1927); that of 0 begins at 0, and that of 1 ends at 1."""
    share = np.where(np.abs(share - np.rint(share)) <= 1e-12, np.rint(share), share)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return np.where(share == 0, 0.0, middle - reach), np.where(share == 1, 1.0, middle + reach)


def _replicates(centred: IndependentParts, times: int, seed: int) -> Iterator[np.ndarray]:
    """Yield rows of (mean, standard error) of parts whose mean is 0, under weights drawn from Poisson(1)."""
    columns, places = _columns(centred)
    rows = max(CELLS // len(columns), 1)
    for low in range(0, times, rows):
        keys = replicates(seed, WEIGHTS, low, min(low + rows, times))
        sums = resample.poisson(keys, centred.numbers, LIMITS) @ columns
        # fewer than two units have no spread; a key made from the last one, so that a redraw is as fixed as a draw
        while len(again := np.flatnonzero(sums[:, 0] < 2)):
            keys[again] = further(keys[again], np.array([1], np.uint64))
            sums[again] = resample.poisson(keys[again], centred.numbers, LIMITS) @ columns
        drawn, size, total, squares, products, sizes = sums.T[places]
        mean = total / size
        count = drawn if centred.is_clustered else size**2 / sizes
        rest = np.maximum(squares - 2 * mean * products + mean**2 * sizes, 0.0)
        rest[rest <= 1e-15 * squares] = 0.0  # what is left of rounding is no spread
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(rest > 0, np.sqrt(rest * count / (count - 1)) / size, 0.0)
        yield np.column_stack([mean, error])


def _columns(centred: IndependentParts) -> tuple[np.ndarray, list[int]]:
    """What weights are multiplied with, and at which column there are: 1, size, total, total², total × size, size²."""
    totals, sizes = centred.totals, centred.sizes
    if (sizes == 1).all():
        return np.column_stack([sizes, totals, totals**2]), [0, 0, 1, 2, 1, 0]
    columns = [np.ones_like(sizes), sizes, totals, totals**2, totals * sizes, sizes**2]
    return np.column_stack(columns), list(range(6))


def studentise(parts: IndependentParts, *, times: int, seed: int) -> np.ndarray:
    """Return t* = (mean* − mean) / error* of replicates of the Poisson bootstrap, which stand for t = (mean − truth) / error.

    A replicate without spread counts as ±∞, for dropping it makes intervals too short.
    """
    centred = parts._replace(totals=parts.totals - ratio(parts).mean * parts.sizes)
    return _t_stars(np.concatenate(list(_replicates(centred, times, seed))))


def _t_stars(drawn: np.ndarray) -> np.ndarray:
    mean, error = drawn.T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, mean / error, np.sign(mean) * math.inf)
    t[np.isnan(t)] = 0.0
    return t


def _studentised_bounds(centred: IndependentParts, drawn: np.ndarray, tail: float) -> tuple[float, float]:
    # t = (mean − truth) / error is solved for the truth, so the upper quantile makes the lower bound
    lower, upper = quantiles(_t_stars(drawn), tail, 1 - tail)
    own = ratio(centred).error
    return -upper * own, -lower * own


def _percentile_bounds(_: IndependentParts, drawn: np.ndarray, tail: float) -> tuple[float, float]:
    low, high = quantiles(drawn[:, 0], tail, 1 - tail)
    return low, high


def _bca_bounds(centred: IndependentParts, drawn: np.ndarray, tail: float) -> tuple[float, float]:
    """Bias-corrected and accelerated (Efron, JASA 82, 1987)."""
    from scipy.special import ndtr, ndtri

    means = drawn[:, 0]
    near = 1e-12 * float(np.abs(means).max())  # of few different values many means are 0, but for rounding
    below = (np.count_nonzero(means < -near) + np.count_nonzero(np.abs(means) <= near) / 2) / len(means)
    bias = float(
        ndtri(min(max(below, 0.5 / len(means)), 1 - 0.5 / len(means)))
    )  # finite, where all are on one side
    # of a mean, the jackknife's skewness is that of the values
    acceleration = math.fsum(centred.totals**3) / (6 * math.fsum(centred.totals**2) ** 1.5)
    z = float(ndtri(tail))
    shares = [float(ndtr(bias + (bias + side) / (1 - acceleration * (bias + side)))) for side in (z, -z)]
    low, high = quantiles(means, *shares)
    return low, high


def quantiles(drawn: np.ndarray, *shares: float) -> list[float]:
    """The order statistics at shares of B + 1, as p-values count them; never between two, of which one may be infinite."""
    ordered = np.sort(drawn)
    places = [(len(drawn) + 1) * share for share in shares]
    rows = [math.floor(places[0]) - 1, *(math.ceil(place) - 1 for place in places[1:])]
    return [float(ordered[min(max(row, 0), len(drawn) - 1)]) for row in rows]


def _limits() -> np.ndarray:
    """Where the distribution of Poisson(1), as a part of 2^64, reaches 1, 2, 3 …"""
    # draws are compared as whole numbers, which takes no logarithm and is the same on every machine
    below, term, limits = 0.0, math.exp(-1), []
    for value in range(1, 25):
        below += term
        term /= value
        if below >= 1:
            break
        limits.append(min(int(below * 2.0**64), 2**64 - 1))
    return np.array(limits, np.uint64)


LIMITS = _limits()
