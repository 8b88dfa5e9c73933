"""The hedged betting interval of a bounded mean: it holds for any number of values and any distribution."""

from __future__ import annotations

import math

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import further, replicates

ORDERS = 10  # orders of the values that the capital is averaged over
SHUFFLED = 11  # what their draws are for
CUT = 0.5  # the share of the capital that a bet can lose at most
CELLS = 1 << 22  # bets held at a time


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
    part = sizes / np.maximum(sizes.max(axis=1, keepdims=True, initial=0.0), 1e-300)
    scale = np.divide(part, sizes, out=np.zeros(sizes.shape), where=sizes > 0)
    gained = (totals * scale - least * part) / (most - least)
    if ((gained < -1e-9) | (gained > part + 1e-9)).any():
        raise ValueError(f"betting_bounds(limits={limits}): a value lies beyond them.")
    np.clip(gained, 0.0, part, out=gained)
    keys, numbers = replicates(seed, SHUFFLED, 0, ORDERS), np.atleast_2d(numbers)
    low, high = np.empty((2, len(totals)))
    rows = max(CELLS // max(ORDERS * totals.shape[1], 1), 1)
    for at in range(0, len(totals), rows):
        few = slice(at, at + rows)
        own = numbers if len(numbers) == 1 else numbers[few]
        orders = np.argsort(further(keys[:, None], own[:, None, :]), axis=2, kind="stable")
        x, y = (np.take_along_axis(each[few, None], orders, axis=2) for each in (gained, part))
        low[few], high[few] = _bounds(x, y, 1 - level)
    return least + (most - least) * low, least + (most - least) * high


def _bounds(gained: np.ndarray, part: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of means of 0 … 1; a row per mean, then an order, then a column per part."""
    is_some = part > 0
    count = np.cumsum(is_some, axis=2)
    mean = (0.5 + np.cumsum(gained, axis=2)) / (1 + np.cumsum(part, axis=2))
    spread = (0.25 + np.cumsum((gained - mean * part) ** 2, axis=2)) / (count + 1)
    before = np.concatenate([np.full((*spread.shape[:2], 1), 0.25), spread[:, :, :-1]], axis=2)
    bets = np.sqrt(2 * math.log(2 / alpha) / (np.maximum(count[:, :, -1:], 1) * before))
    low = resample.least_mean(gained, part, bets, CUT, 2 / alpha)
    return low, 1 - resample.least_mean(part - gained, part, bets, CUT, 2 / alpha)
