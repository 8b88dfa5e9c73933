"""Watching a daily mean: its reference, a one-sided CUSUM, and how many looks this takes until it raises an alarm."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankwell.errors import UsageError

ALLOWANCE = 0.5  # what a look may be below the reference without adding to the sum; best for a drop by 1 σ
NODES, ERRORS = 40, 16  # of quadrature: over the sum, and over each error of the reference
HIGHEST = 30.0  # the largest threshold that is looked for
DOUBLINGS = 12  # of one look: 4,096
FEWEST = 4  # looks between false alarms: with a threshold of 0 there are 3.2
ENDLESS = 1e15  # looks, beyond what can be told in doubles


class Reference(NamedTuple):
    """What a reference was estimated from: a number of days, and the degrees of freedom of their variance."""

    days: int
    freedom: int


class Baseline(NamedTuple):
    """The reference of a daily mean: its mean on each kind of day, the variance about it, the mean of s²/n, and the autocorrelation (lag 1)."""

    means: Mapping[int, float]
    variance: float
    sampling: float
    autocorrelation: float
    reference: Reference

    @classmethod
    def of(cls, values: np.ndarray, sampling: np.ndarray, kinds: np.ndarray) -> Baseline:
        """Return the reference of some days: the mean of each, its s²/n, and its kind, a whole number such as that of the weekday.

        The variance is Σ(day − mean of its kind)² ÷ (days − kinds); the autocorrelation Σeₜeₜ₊₁/Σe² of the same differences.

        Examples
        --------
        >>> days = np.array([0.41, 0.43, 0.40, 0.42])
        >>> found = Baseline.of(days, np.full(4, 1e-4), np.zeros(4, int))
        >>> round(found.means[0], 3), round(found.variance, 6), round(found.day_part, 6), round(found.autocorrelation, 2)
        (0.415, 0.000167, 6.7e-05, -0.75)
        """
        known, codes, n = np.unique(kinds, return_inverse=True, return_counts=True)
        means = np.bincount(codes, values) / n
        error, reference = values - means[codes], Reference(len(values), len(values) - len(known))
        squares = float(error @ error)
        return cls(
            dict(zip(known.tolist(), means.tolist(), strict=True)),
            squares / reference.freedom,
            float(sampling.mean()),
            float(error[:-1] @ error[1:]) / squares if squares else math.nan,
            reference,
        )

    @property
    def day_part(self) -> float:
        """The variance that the draw of queries does not explain: max(0, variance − mean of s²/n)."""
        return max(0.0, self.variance - self.sampling)

    @property
    def widening(self) -> float:
        """How much wider differences from the mean of a kind of day are than those from that of all: √(1 + (kinds − 1)/days)."""
        return math.sqrt(1 + (len(self.means) - 1) / self.reference.days)

    def z(self, value: float, sampling: float, kind: int) -> float:
        """Return how far a day is from the mean of its kind: (value − mean)/√(day part + s²/n), narrowed by the ``widening``."""
        return (value - self.means[kind]) / math.sqrt(self.day_part + sampling) / self.widening


def cusum(z: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Return S after each look, S ← max(0, S − z − ½), and whether it raised an alarm, S > threshold, after which S begins at 0.

    Where z is NaN nothing was looked at, and S is NaN.

    Source: Page (1954), Biometrika 41.

    Examples
    --------
    >>> total, is_alarm = cusum(np.array([0, 0.4, -0.3, -1.2, -1.5, -2, -1.1, -1.8, 0.2]), 4.0)
    >>> total.round(1).tolist(), is_alarm.nonzero()[0].tolist()
    ([0.0, 0.0, 0.0, 0.7, 1.7, 3.2, 3.8, 5.1, 0.0], [7])
    """
    totals, own = np.full(len(z), math.nan), 0.0
    for at in np.flatnonzero(~np.isnan(z)).tolist():
        own = totals[at] = max(0.0, own - z[at] - ALLOWANCE)
        own = 0.0 if own > threshold else own
    return totals, totals > threshold


def run_length(threshold: float, drop: float = 0.0) -> float:
    """Return the mean number of looks until an alarm, by a known reference, of looks that are normal and ``drop`` σ below it.

    The L(0) of L(s) = 1 + L(0) Φ(k − s) + ∫₀ʰ L(u) φ(u − s + k) du, k = ½ − drop, solved at Gauss–Legendre nodes: a Markov chain with as
    many states.

    Examples
    --------
    >>> round(run_length(4.0), 1), round(run_length(4.0, 1.0), 2)
    (335.4, 8.38)
    """
    return float(_lengths(np.array([threshold]), np.array([ALLOWANCE - drop]))[0])


def threshold_for(looks: float, reference: Reference | None = None) -> float:
    """Return the threshold with one false alarm in so many looks.

    Of an estimated reference, E[1/L] = 1/looks over the error of its mean, N(0, 1/days), and over its variance, χ² by its degrees of freedom:
    an average over references, each of which has more or fewer. None: the reference is known.

    Raises
    ------
    UsageError
        If there are fewer than 4 looks, or so short a reference cannot hold such a promise.

    Examples
    --------
    >>> round(threshold_for(365), 2), round(threshold_for(365, Reference(28, 27)), 2)
    (4.08, 5.55)
    """
    from scipy.optimize import brentq

    shift, spread, weight = _errors(reference)

    def surplus(threshold: float) -> float:
        lengths = _lengths(threshold * spread, ALLOWANCE * spread - shift)
        return float(weight @ (1 / lengths)) - 1 / looks

    if not looks >= FEWEST:
        raise UsageError(f"one false alarm in {looks:.3g} looks is no watch; allow one in {FEWEST} or rarer.")
    if surplus(HIGHEST) > 0:
        days = f" with a reference of {reference.days} days" if reference else ""
        raise UsageError(
            f"one false alarm in {looks:,.0f} looks cannot be promised{days}. Take a longer reference, or allow more of them."
        )
    return float(brentq(surplus, 0.0, HIGHEST, xtol=1e-5))


def looks_to_see(drop: float, threshold: float, reference: Reference) -> float:
    """Return the mean number of looks until a drop by so many σ is seen, over the errors of the reference.

    What is not seen in 4,096 looks, which is eleven years of days, counts as that: few short references hide a drop for so long, but without
    an end to it they would make any mean infinite where h + 2h²/days is more than half the degrees of freedom.

    Examples
    --------
    >>> round(looks_to_see(1.0, 5.56, Reference(28, 27)), 1)
    13.4
    """
    shift, spread, weight = _errors(reference)
    chain = _chain(threshold * spread, ALLOWANCE * spread - shift - drop)
    looks = np.ones((len(chain), NODES + 1, 1))  # the chance of silence, added up over 1, 2, 4, … looks
    for _ in range(DOUBLINGS):
        looks += chain @ looks
        chain = chain @ chain
    return float(weight @ looks[:, 0, 0])


def _chain(heights: np.ndarray, allowances: np.ndarray) -> np.ndarray:
    """The chances to get from one value of S to another without an alarm, a matrix for each threshold; the first value is 0."""
    from scipy.special import ndtr, roots_legendre

    nodes, weights = roots_legendre(NODES)
    height, allowance = heights[:, None, None], allowances[:, None, None]
    at = height * np.append(0, (1 + nodes) / 2)
    step = at - at.transpose(0, 2, 1) + allowance
    chain = np.exp(-(step**2) / 2) * height * np.append(0, weights / 2) / math.sqrt(2 * math.pi)
    chain[:, :, 0] = ndtr(allowances[:, None] - at[:, 0])
    return chain


def _lengths(heights: np.ndarray, allowances: np.ndarray) -> np.ndarray:
    chain = _chain(heights, allowances)
    found = np.linalg.solve(np.eye(NODES + 1) - chain, np.ones((len(heights), NODES + 1, 1)))[:, 0, 0]
    return np.where((found > 0) & (found < ENDLESS), found, ENDLESS)


def _errors(reference: Reference | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Errors of the mean and ratios of the standard deviation, in units of the true one, and their weights, which add up to 1."""
    from scipy.special import roots_hermitenorm

    if reference is None:
        return np.zeros(1), np.ones(1), np.ones(1)
    nodes, normal = roots_hermitenorm(ERRORS)
    days, freedom = reference
    # the logarithm of the ratio is nearly normal: weighted by the ratio of both densities
    logs = nodes / math.sqrt(2 * freedom)
    chi = normal * np.exp(nodes**2 / 2 + freedom * (logs - np.expm1(2 * logs) / 2))
    shift, spread = np.meshgrid(nodes / math.sqrt(days), np.exp(logs))
    weight = np.outer(chi / chi.sum(), normal / normal.sum())
    return shift.ravel(), spread.ravel(), weight.ravel()
