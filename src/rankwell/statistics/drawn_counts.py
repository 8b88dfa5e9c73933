"""How many marked units a random sample holds: its distribution, and how it bends as more units are marked."""

from __future__ import annotations

import math

import numpy as np

CELLS = 1 << 21  # probabilities made at a time


def counts_of_draws(marked: np.ndarray, total: int, draws: int, *, replace: bool = False) -> np.ndarray:
    """Return the probability of 0, 1 … ``draws`` marked units in a sample, a row per number of marked ones.

    Formula
        C(K, x) · C(N − K, m − x) / C(N, m) without replacement (hypergeometric), C(m, x) · p^x · (1 − p)^(m − x) with p = K / N
        with it (binomial)

    Parameters
    ----------
    marked
        How many of the units are marked (K), 0 to ``total``.
    total, draws
        The number of units (N), and how many are drawn (m): at most N without replacement.
    replace
        Whether a unit can be drawn again.

    Examples
    --------
    >>> counts_of_draws(np.array([0, 2]), 4, 2).round(4).tolist()
    [[1.0, 0.0, 0.0], [0.1667, 0.6667, 0.1667]]
    >>> counts_of_draws(np.array([2]), 4, 2, replace=True).round(4).tolist()
    [[0.25, 0.5, 0.25]]
    """
    from scipy.special import gammaln

    if total < 1 or draws < 1 or (not replace and draws > total):
        raise ValueError(f"counts_of_draws: {draws} draws of {total} units cannot be made.")
    drawn = np.arange(draws + 1)
    whole = np.asarray(marked, np.int64)[:, None]
    logs = gammaln(np.arange(max(total, draws) + 1) + 1.0)  # of factorials, which overflow
    # factors that are the same along a row (K!, (N − K)!, 1 / C(N, m)) are left out, as the sum of the row divides them away
    if not replace:
        rest = total - whole
        other = draws - drawn
        is_possible = (drawn <= whole) & (other <= rest)
        log_chance = -logs[drawn] - logs[other] - logs[np.where(is_possible, whole - drawn, 0)]
        log_chance = log_chance - logs[np.where(is_possible, rest - other, 0)]
    else:
        is_possible = ((whole > 0) | (drawn == 0)) & ((whole < total) | (drawn == draws))
        yes, no = np.log(np.maximum(whole, 1) / total), np.log(np.maximum(total - whole, 1) / total)
        log_chance = -logs[drawn] - logs[draws - drawn] + drawn * yes + (draws - drawn) * no
    log_chance = np.where(is_possible, log_chance, -np.inf)
    chance = np.exp(
        log_chance - log_chance.max(axis=1, keepdims=True)
    )  # without the maximum exp would underflow to 0 / 0
    shares: np.ndarray = chance / chance.sum(axis=1, keepdims=True)
    return shares


def at_most(
    marked: np.ndarray, total: int, draws: int, limits: np.ndarray, *, replace: bool = False
) -> np.ndarray:
    """Return the probability that a sample holds at most so many marked units: a row per limit, a column per number of marked ones.

    Examples
    --------
    >>> at_most(np.array([0, 2, 4]), 4, 2, np.array([0, 1])).round(4).tolist()
    [[1.0, 0.1667, 0.0], [1.0, 0.8333, 0.0]]
    """
    shares = np.empty((len(limits), len(marked)))
    step = max(CELLS // (draws + 1), 1)
    for low in range(0, len(marked), step):
        rows = counts_of_draws(marked[low : low + step], total, draws, replace=replace)
        shares[:, low : low + step] = np.minimum(
            np.cumsum(rows, axis=1)[:, limits].T, 1.0
        )  # rounding may pass 1
    return shares


def bend(places: np.ndarray, total: int, draws: int, *, replace: bool = False) -> float:
    """Return the most by which straight lines between places can miss the probability of a count up to any limit.

    The places are numbers of marked units, ascending, from 0 to ``total``.

    Formula
        w² / 8 · D: w the distance of two places, D the largest second difference of P(X ≤ x) between them. Exactly, the second
        difference in K is m(m − 1) / (N(N − 1)) times the difference of two neighbouring probabilities when m − 2 of N − 2 are
        drawn (with replacement: of the second derivative, m(m − 1) / N² times that of m − 2 draws). The count is a sum of
        independent indicators with variance v, so by its characteristic function such a difference is at most
        4/π · F(√(2v)) / √(2v), F Dawson's function.

    Notes
    -----
    That a hypergeometric count is such a sum: V. Vatutin and V. Mikhailov, Theory of Probability and its Applications 27 (1982).
    The bound follows from |φ(t)|² = Π (1 − 2 p q (1 − cos t)) ≤ exp(−2v(1 − cos t)).

    Examples
    --------
    >>> places = np.array([0, 30, 60, 100])
    >>> exact = at_most(np.arange(101), 100, 20, np.arange(20))
    >>> lines = np.array([np.interp(np.arange(101), places, row[places]) for row in exact])
    >>> bool(abs(lines - exact).max() <= bend(places, 100, 20))
    True
    >>> bend(np.arange(101), 100, 20)
    0.0
    """
    from scipy.special import dawsn

    width = np.diff(places)
    if draws < 2 or width.max(initial=0) < 2:
        return 0.0
    lost = 0 if replace else 2
    units = total - lost
    ends = np.clip(np.stack([places[:-1], places[1:]]), 0, units) / max(units, 1)
    spread = np.min(ends * (1 - ends), axis=0) * (draws - 2)
    if not replace:
        spread = spread * (total - draws) / max(total - 3, 1)
    root = np.sqrt(2 * np.maximum(spread, 0.0))
    # the most by which two neighbouring probabilities differ
    step = np.where(root > 0, 4 / math.pi * dawsn(root) / np.where(root > 0, root, 1.0), 1.0)
    pairs = draws * (draws - 1) / (total * (total - 1 if not replace else total))
    missed = np.where(width > 1, width**2 / 8 * pairs * np.minimum(step, 1.0), 0.0)
    return min(float(missed.max()), 1.0)
