"""Values that follow each other in time: how a mean changes, how far they depend on each other, how many independent ones they are worth."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.statistics.intervals import LEAST, is_doubtful

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
    from scipy.special import stdtrit

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
    reach = float(stdtrit(few - 1, (1 + level) / 2)) * se
    # what each unit adds to the change: of a pair of values, their difference
    parts = np.nan_to_num(after - second.mean()) * few / k - np.nan_to_num(before - first.mean()) * few / n
    is_short = few < LEAST or is_doubtful(parts[is_first | is_second])
    return MeanChange(change, shared, se, few - 1, change - reach, change + reach, is_short)


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
