"""Confidence sequences: bounds of a mean that hold at every number of units, however often one looks."""

from __future__ import annotations

import math
from collections import Counter
from typing import Literal, NamedTuple

import numpy as np

from rankwell.statistics.intervals import LEAST, LEAST_OTHERS

CUT = 0.5  # a bet risks up to this share of what it could lose
GRID, NEAREST = 512, 1e-5  # means that are tried on each side of the last one, and how near to it
CELLS = 1 << 20  # of means and units, worked on at a time
TUNED = 100  # units at which it is narrowest
Method = Literal["betting", "bernstein", "asymptotic"]


class Sequence(NamedTuple):
    """The mean after each unit and its bounds, which never get wider; all bounds hold at once with the level asked for.

    ``is_asymptotic``: only for many units, as nothing bounds the values.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    method: Method
    is_asymptotic: bool


def confidence_sequence(
    values: np.ndarray, *, bound: float | None = 1.0, level: float = 0.95, method: Method = "betting"
) -> Sequence:
    """Return bounds of the mean of values in order of arrival, at each of which one may stop.

    Parameters
    ----------
    values
        In the order in which they came. The mean of each, given those before it, is the same.
    bound
        Values lie within ±bound. None: this is not known, and the sequence is asymptotic (Robbins' normal mixture), with NaN as
        long as ``is_doubtful`` holds: up to 49 values, or 29 beside the most frequent one.
    level
        The probability that all bounds hold.
    method
        ``"betting"``: hedged capital, found on a grid of means and rounded outwards by up to 2.3 % of the distance to the last
        mean; ``"bernstein"``: the predictable plug-in empirical Bernstein bounds, wider.

    Notes
    -----
    Sources: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS-B 86 (2024), theorems 2 and
    3; Waudby-Smith et al., Time-uniform central limit theory, Annals of Statistics 52 (2024). What a sequence allows is to look
    at more and more units for the same two systems. It does not mend that ever new systems are tried on the same units.

    Examples
    --------
    >>> found = confidence_sequence(np.tile([0.1, 0.3, -0.05, 0.2], 100))
    >>> float(found.low[-1].round(3)), float(found.high[-1].round(3)), int((found.low <= 0).sum())
    (0.113, 0.16, 57)
    """
    values, alpha = np.asarray(values, np.float64), 1 - level
    n = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / n
    if bound is None:
        low, high = _asymptotic(values, mean, n, alpha)
        return Sequence(mean, low, high, "asymptotic", is_asymptotic=True)
    if not bound > 0:
        raise ValueError(f"confidence_sequence(bound={bound}): must be above 0, or None.")
    if len(values) and not np.abs(values).max() <= bound:
        raise ValueError(
            f"confidence_sequence(bound={bound}): a value is {values[np.abs(values).argmax()]}, beyond ±bound."
        )
    scaled = (values + bound) / (2 * bound)
    low, high = (_bernstein if method == "bernstein" else _betting)(scaled, n, alpha)
    low, high = np.maximum.accumulate(np.maximum(low, 0)), np.minimum.accumulate(np.minimum(high, 1))
    return Sequence(mean, (2 * low - 1) * bound, (2 * high - 1) * bound, method, is_asymptotic=False)


def _bets(scaled: np.ndarray, n: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean expected before each value, and the bet, which suits the spread seen so far."""
    means = (0.5 + np.cumsum(scaled)) / (n + 1)
    variances = (0.25 + np.cumsum((scaled - means) ** 2)) / (n + 1)
    before = np.concatenate([[0.5], means])[: len(n)]
    spread = np.concatenate([[0.25], variances])[: len(n)]
    return before, np.sqrt(2 * math.log(2 / alpha) / (spread * n * np.log1p(n)))


def _bernstein(scaled: np.ndarray, n: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    before, bets = _bets(scaled, n, alpha)
    bets = np.minimum(bets, CUT)
    total = np.cumsum(bets)
    # −ln(1 − λ) − λ is ψ of theorem 2, by which a bet of λ bounds the spread
    reach = math.log(2 / alpha) + np.cumsum((scaled - before) ** 2 * (-np.log1p(-bets) - bets))
    middle = np.cumsum(bets * scaled) / total
    return middle - reach / total, middle + reach / total


def _betting(scaled: np.ndarray, n: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    if not len(scaled):
        return scaled, scaled
    _, bets = _bets(scaled, n, alpha)
    return _lowest_kept(scaled, bets, alpha), 1 - _lowest_kept(1 - scaled, bets, alpha)


def _lowest_kept(scaled: np.ndarray, bets: np.ndarray, alpha: float) -> np.ndarray:
    """The largest mean on a grid against which bets on larger values have won 2 / alpha so far; all below lost too."""
    # a geometric grid: rounding outwards is a share of the distance to the last mean, near it and far from it
    offsets = np.geomspace(NEAREST, 1.0, GRID)
    means = (scaled.mean() - offsets)[offsets < scaled.mean()]
    low = np.zeros(len(scaled))
    rows = max(CELLS // len(scaled), 1)
    for start in range(0, len(means), rows):
        tried = means[start : start + rows, None]
        won = np.cumsum(np.log1p(np.minimum(bets, CUT / tried) * (scaled - tried)), axis=1) >= math.log(
            2 / alpha
        )
        at = won.argmax(axis=1)
        np.maximum.at(low, at[won.any(axis=1)], tried[won.any(axis=1), 0])
    return low


def _asymptotic(
    values: np.ndarray, mean: np.ndarray, n: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    # ρ² of the normal mixture with which the bounds after TUNED units are about as narrow as they can be
    squared = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / TUNED
    centred = values - mean[-1] if len(values) else values
    drift = np.cumsum(centred) / n
    spread = np.maximum(np.cumsum(centred**2) / n - drift**2, 0.0)
    grown = n * squared + 1
    reach = np.sqrt(spread * 2 * grown / (n**2 * squared) * np.log(np.sqrt(grown) / alpha))
    low, high = np.where(n >= _first_sure(values), [mean - reach, mean + reach], np.nan)
    return np.fmax.accumulate(low), np.fmin.accumulate(high)


def _first_sure(values: np.ndarray) -> int:
    """The number of values from which on there is no doubt about an interval of their mean."""
    counts: Counter[float] = Counter()
    most = 0
    for n, value in enumerate(values.tolist(), start=1):
        counts[value] += 1
        most = max(most, counts[value])
        if n >= LEAST and n - most >= LEAST_OTHERS:
            return n
    return len(values) + 1
