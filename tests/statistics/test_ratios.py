from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.errors import UsageError
from rankwell.statistics.ratios import geometric_ratio, quantile_ratio, ratio_of_logs


def latencies(n, rng):
    """Two systems on the same queries: heavy tails that they share, and noise of their own; the second is 7 % slower."""
    shared = rng.lognormal(0, 1, n)
    return shared * rng.lognormal(math.log(1.07), 0.1, n), shared * rng.lognormal(0, 0.1, n)


def test_the_interval_of_a_ratio_covers_it():
    rng = np.random.default_rng(0)
    hits = 0
    for seed in range(300):
        found = geometric_ratio(*latencies(60, rng), seed=seed)
        hits += found.low <= 1.07 <= found.high
    assert 0.92 <= hits / 300 <= 0.98  # 95 %, with the error of 300 tries


@pytest.mark.parametrize(("q", "n"), [(0.5, 80), pytest.param(0.95, 200, marks=pytest.mark.exhaustive)])
def test_the_interval_of_a_ratio_of_quantiles_covers_it(q, n):
    # both have the same distribution up to the factor, so the ratio of any quantile is 1.07
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(120):
        found = quantile_ratio(*latencies(n, rng), q, seed=seed)
        hits += found.low <= 1.07 <= found.high
    assert hits / 120 >= 0.89  # a percentile bootstrap is at least near 95 %


def test_the_values_are_those_of_their_definitions():
    new, old = np.array([2.0, 8.0, 4.0]), np.array([1.0, 2.0, 4.0])
    assert geometric_ratio(new, old).value == pytest.approx((2 * 4 * 1) ** (1 / 3))
    assert quantile_ratio(new, old, 0.5).value == 4.0 / 2.0
    assert math.isnan(quantile_ratio(new, old, 0.95).high)
    assert quantile_ratio(new, old, 0.95).needed == 72
    assert geometric_ratio(old, old)[:3] == (1, 1, 1)
    assert math.isnan(geometric_ratio(new[:1], old[:1]).low)


def test_the_same_seed_gives_the_same_bounds():
    pair = latencies(100, np.random.default_rng(2))
    assert quantile_ratio(*pair, 0.9, seed=4) == quantile_ratio(*pair, 0.9, seed=4)
    assert geometric_ratio(*pair, seed=4) == geometric_ratio(*pair, seed=4)


@pytest.mark.parametrize(
    ("new", "old"), [([], []), ([1.0], [1.0, 2.0]), ([0.0], [1.0]), ([math.inf], [1.0]), ([math.nan], [1.0])]
)
def test_what_has_no_ratio_is_refused(new, old):
    for function in geometric_ratio, lambda a, b: quantile_ratio(a, b, 0.5):
        with pytest.raises(UsageError, match="a ratio needs"):
            function(np.array(new), np.array(old))


def test_an_end_beyond_all_numbers_is_infinite():
    # five ratios seen on a busy machine: most of the spread is between two groups
    logs = np.array([-4.29467892e-03, -6.43074986e-01, -1.02829376e01, -1.02741131e01, -1.00498539e01])
    found = ratio_of_logs(logs)
    assert found.value == math.exp(logs.mean())
    assert 0 <= found.low < found.value < found.high == math.inf
