from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.statistics.series import autocovariances, block_length, effective_size


def drifting(n, rho, seed):
    """An autoregressive series, whose mean has the variance (1 + ρ)/(1 − ρ) times that of independent values."""
    noise = np.random.default_rng(seed).normal(size=n)
    values = np.zeros(n)
    for at in range(1, n):
        values[at] = rho * values[at - 1] + noise[at]
    return values


def by_loops(values):
    """The block length by the words of Politis & White (2004) and Patton, Politis & White (2009), one sum at a time."""
    n, mean = len(values), float(np.mean(values))

    def gamma(lag):
        return math.fsum((values[at] - mean) * (values[at + lag] - mean) for at in range(n - lag)) / n

    run = max(5, math.ceil(math.sqrt(math.log10(n))))
    longest = min(math.ceil(math.sqrt(n)) + run, n - 1)
    limit = 2 * math.sqrt(math.log10(n) / n)
    rho = [gamma(lag) / gamma(0) for lag in range(longest + 1)]
    # the smallest lag that is followed by enough lags with small correlations
    found = [m for m in range(longest - run + 1) if all(abs(rho[m + k]) < limit for k in range(1, run + 1))]
    m = found[0] if found else max(lag for lag in range(1, longest + 1) if abs(rho[lag]) >= limit)
    most = min(2 * max(m, 1), longest)

    def window(t):
        return 1.0 if abs(t) <= 0.5 else 2 * (1 - abs(t))

    g = sum(window(k / most) * abs(k) * gamma(abs(k)) for k in range(-most, most + 1))
    d = 2 * sum(window(k / most) * gamma(abs(k)) for k in range(-most, most + 1)) ** 2
    best = (2 * g * g / d) ** (1 / 3) * n ** (1 / 3)
    return min(max(best, 1), math.ceil(min(3 * math.sqrt(n), n / 3)))


@pytest.mark.parametrize(
    ("n", "rho"), [(40, 0.3), (200, 0.0), (300, 0.9), (400, 0.5), (300, -0.4), (50, 0.99)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_block_length_is_that_of_the_papers(n, rho, seed):
    values = drifting(n, rho, seed)
    assert block_length(values) == pytest.approx(by_loops(values), rel=1e-9)


def test_autocovariances_are_sums_of_products():
    values = np.random.default_rng(0).normal(size=17)
    centred = values - values.mean()
    expected = [float(centred[: 17 - lag] @ centred[lag:]) / 17 for lag in range(17)]
    np.testing.assert_allclose(autocovariances(values), expected, atol=1e-14)


@pytest.mark.parametrize(("n", "rho"), [(120, 0.5), (60, 0.0)])
def test_the_variance_is_that_of_the_stationary_bootstrap(n, rho):
    """Against drawn series: blocks that begin anywhere, go on with probability 1 − p, and wrap around."""
    values = drifting(n, rho, 5)
    stay = 1 - 1 / block_length(values)
    rng = np.random.default_rng(1)
    means = []
    for _ in range(20_000):
        begins = rng.random(n) >= stay
        begins[0] = True
        starts = rng.integers(n, size=n)
        last = np.maximum.accumulate(np.where(begins, np.arange(n), 0))
        means.append(values[(starts[last] + np.arange(n) - last) % n].mean())
    expected = min(max(values.var() / np.var(means), 1), n)
    assert effective_size(values) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
def test_a_drifting_series_is_worth_as_many_values_as_theory_says(rho):
    shares = [effective_size(drifting(2000, rho, seed)) / 2000 for seed in range(30)]
    assert np.median(shares) == pytest.approx((1 - rho) / (1 + rho), rel=0.25, abs=0.02)


@pytest.mark.parametrize("values", [[], [1.0], [2.0] * 50])
def test_series_without_spread_are_worth_all_their_values(values):
    assert effective_size(np.array(values)) == len(values)
    assert block_length(np.array(values)) == 1


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_short_series_have_sizes_in_their_range(n):
    for seed in range(20):
        values = np.random.default_rng(seed).normal(size=n)
        assert 1 <= effective_size(values) <= n
        assert block_length(values) >= 1
