"""Values that follow each other in time: how a mean changes, how far they depend on each other, how many independent ones they are worth; and
how a daily mean is watched: its reference, a one-sided CUSUM, and how many looks this takes until it raises an alarm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankwell.errors import UsageError
from rankwell.statistics.intervals import LEAST, is_doubtful
from rankwell.statistics.parts import student

NO_SPREAD = 1e-12  # of a variance beside those that it is a difference of: what is left of rounding


class MeanChange(NamedTuple):
    """A later mean less an earlier one: the units in both, the standard error, degrees of freedom, bounds; NaN where there is none.

    ``is_doubtful``: the interval is likely too short, as an earlier or later mean is of under 50 units, or under 30 units differ in what they
    add to the change.
    """

    change: float
    shared: int
    se: float
    df: int
    low: float
    high: float
    is_doubtful: bool


def mean_change(before: np.ndarray, after: np.ndarray, *, level: float = 0.95) -> MeanChange:
    """Return how the mean of some units changed, of which any may be missing (NaN) before or after.

    se² = s₁²/n₁ + s₂²/n₂ − 2mc/(n₁n₂), c the covariance over the m units in both (0 where m < 2); change ± t·se, Student's t with
    min(n₁, n₂) − 1 degrees of freedom. With all units in both this is the paired interval, with none that of two samples.

    There is no interval where a mean is of fewer than two units, or se² is 0 or comes out below.

    Examples
    --------
    >>> found = mean_change(np.array([0.4, 0.6, 0.2, 0.9]), np.array([0.5, 0.6, 0.3, 0.8]))
    >>> found.shared, found.df, round(found.change, 4), round(found.se, 4)
    (4, 3, 0.025, 0.0479)
    """
    is_first, is_second = ~np.isnan(before), ~np.isnan(after)
    first, second, is_both = before[is_first], after[is_second], is_first & is_second
    (n, k), shared = (len(first), len(second)), int(np.count_nonzero(is_both))
    few = min(n, k)
    change = float(second.mean() - first.mean()) if few else math.nan
    if few < 2:
        return MeanChange(change, shared, math.nan, 0, math.nan, math.nan, False)
    apart = float(first.var(ddof=1) / n + second.var(ddof=1) / k)
    common = float(np.cov(before[is_both], after[is_both])[0, 1]) if shared > 1 else 0.0
    variance = apart - 2 * shared * common / (n * k)
    if variance <= NO_SPREAD * apart:
        return MeanChange(change, shared, math.nan, few - 1, math.nan, math.nan, False)
    se = math.sqrt(variance)
    low, high = student(change, se, few - 1, (1 + level) / 2)
    # what each unit adds to the change: of a pair of values, their difference
    parts = np.nan_to_num(after - second.mean()) * few / k - np.nan_to_num(before - first.mean()) * few / n
    is_short = few < LEAST or is_doubtful(parts[is_first | is_second])
    return MeanChange(change, shared, se, few - 1, low, high, is_short)


def block_length(values: np.ndarray) -> float:
    """Return the mean length of blocks for the stationary bootstrap of a mean, chosen by the data.

    b = (2 g² / d)^(1/3) n^(1/3), with g = Σ λ(k/M) |k| γ(k) and d = 2 (Σ λ(k/M) γ(k))², γ the autocovariances, λ the flat-top
    window, and M twice the lag from which on autocorrelations are within 2 √(log₁₀ n / n) of 0. At least 1 and at most min(3 √n, n/3).

    Source: Politis & White (2004), Econometric Reviews 23; d as corrected by Patton, Politis & White (2009), Econometric Reviews 28.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=2000)
    >>> drifting = np.cumsum(noise) * 0.1
    >>> block_length(noise) < 3 < 20 < block_length(drifting)
    True
    """
    n = len(values)
    gamma = autocovariances(values)
    if n < 2 or gamma[0] <= 0:
        return 1.0
    run = max(5, math.ceil(math.sqrt(math.log10(n))))
    longest = min(math.ceil(math.sqrt(n)) + run, n - 1)
    is_small = np.abs(gamma[1 : longest + 1] / gamma[0]) < 2 * math.sqrt(math.log10(n) / n)
    last = _lag_before(is_small, run)
    most = min(2 * max(last, 1), longest)
    lags = np.arange(1, most + 1)
    window = np.minimum(1.0, 2 * (1 - lags / most))
    g = 2 * float((window * lags * gamma[1 : most + 1]).sum())
    total = gamma[0] + 2 * float((window * gamma[1 : most + 1]).sum())
    bound = math.ceil(min(3 * math.sqrt(n), n / 3))
    if total == 0:
        return float(max(bound, 1))
    return float(min(max((g * g / (total * total)) ** (1 / 3) * n ** (1 / 3), 1.0), max(bound, 1)))


def effective_size(values: np.ndarray) -> float:
    """Return how many independent values have a mean as uncertain as that of these values, which follow each other.

    n γ(0) / σ², where σ² is n times the variance of the mean under the stationary bootstrap with the blocks of ``block_length``:
    σ² = γ(0) + 2 Σ [(1 − k/n)(1 − p)ᵏ + (k/n)(1 − p)ⁿ⁻ᵏ] γ(k), p = 1/b. Between 1 and n; n if all values are equal.

    Source: Politis & Romano (1994), JASA 89, for σ².

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=1000)
    >>> effective_size(noise) > 700 > 400 > effective_size(np.repeat(noise, 4)[:1000])
    True
    """
    n = len(values)
    gamma = autocovariances(values)
    if n < 2 or gamma[0] <= 0:
        return float(n)
    stay = 1 - 1 / block_length(values)
    lags = np.arange(1, n)
    weights = (1 - lags / n) * stay**lags + lags / n * stay ** (n - lags)
    variance = gamma[0] + 2 * float((weights * gamma[1:]).sum())
    return float(n) if variance <= 0 else float(min(max(n * gamma[0] / variance, 1.0), n))


def autocovariances(values: np.ndarray) -> np.ndarray:
    """Return γ(k) = Σ (xᵢ − x̄)(xᵢ₊ₖ − x̄) / n for k = 0, …, n − 1."""
    n = len(values)
    if not n:
        return np.zeros(0)
    centred = np.asarray(values, float) - np.mean(values)
    size = 1 << (2 * n - 1).bit_length()  # room for the wrap-around of the transform
    spectrum = np.fft.rfft(centred, size)
    covariances = np.fft.irfft(spectrum * np.conj(spectrum), size)[:n] / n
    covariances[0] = float(centred @ centred) / n  # exactly 0 for equal values
    return np.asarray(covariances)


def _lag_before(is_small: np.ndarray, run: int) -> int:
    """The lag behind which as many autocorrelations as `run` are small; else the last that is not small."""
    for lag in range(len(is_small) - run + 1):
        if is_small[lag : lag + run].all():
            return lag
    large = np.flatnonzero(~is_small)
    return int(large[-1]) + 1 if len(large) else 0


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
