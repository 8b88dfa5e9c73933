from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.errors import UsageError
from rankwell.statistics.quantiles import needed, quantile_interval


def tail_below(count: int, n: int, q: float) -> float:
    """P(at most ``count`` of n values are below the quantile), added up term by term."""
    return math.fsum(math.comb(n, each) * q**each * (1 - q) ** (n - each) for each in range(count + 1))


@pytest.mark.parametrize(("q", "n"), [(0.95, 72), (0.99, 368), (0.999, 3688)])
def test_both_bounds_exist_from_the_known_number_of_values_on(q, n):  # the smallest n with qⁿ ≤ 0.025
    assert needed(q) == n
    assert q**n <= 0.025 < q ** (n - 1)
    assert np.isnan(quantile_interval(np.arange(float(n - 1)), q).high)
    assert quantile_interval(np.arange(float(n)), q).high == n - 1
    assert quantile_interval(np.arange(float(n - 1)), q).missing == 1


@pytest.mark.parametrize("n", [6, 7, 20, 61, 100, 131])
@pytest.mark.parametrize("q", [0.2, 0.5, 0.9, 0.95])
def test_the_bounds_are_the_closest_order_statistics_whose_tails_are_small_enough(n, q):
    found = quantile_interval(np.arange(1.0, n + 1), q)
    if n < needed(q):
        assert math.isnan(found.low)
        return
    low, high = int(found.low), int(found.high)
    assert tail_below(low - 1, n, q) <= 0.025 < tail_below(low, n, q)
    assert 1 - tail_below(high - 1, n, q) <= 0.025 < 1 - tail_below(high - 2, n, q)


@pytest.mark.parametrize(("q", "n"), [(0.5, 25), (0.9, 60), (0.95, 120), (0.99, 500)])
def test_the_interval_covers_the_quantile_of_a_skewed_distribution(q, n):
    generator = np.random.default_rng(7)
    truth = -math.log(1 - q)  # of the exponential distribution
    found = [quantile_interval(generator.exponential(size=n), q) for _ in range(2000)]
    share = np.mean([each.low <= truth <= each.high for each in found])
    assert share >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / 2000)


def test_values_in_copies_are_worth_what_they_were_without_them():
    values = np.random.default_rng(3).exponential(size=400)
    alone = quantile_interval(values, 0.95)
    copied = quantile_interval(np.repeat(values, 5), 0.95, effective=400)
    assert copied.value == alone.value
    assert copied.low <= alone.low < alone.high <= copied.high
    assert quantile_interval(np.repeat(values, 5), 0.95, effective=60).missing == 12


def test_calls_that_were_given_up_count_as_infinite():
    found = quantile_interval(np.array([1.0] * 90 + [math.inf] * 10), 0.95)
    assert (found.value, found.high) == (math.inf, math.inf)
    assert quantile_interval(np.array([1.0] * 90 + [math.inf] * 10), 0.5).high == 1.0


def test_what_is_no_sample_is_refused():
    for values in (np.array([]), np.array([1.0, math.nan])):
        with pytest.raises(UsageError, match="at least one value"):
            quantile_interval(values, 0.5)
    with pytest.raises(UsageError, match="q is between 0 and 1, not 95"):
        quantile_interval(np.ones(3), 95)
    with pytest.raises(UsageError, match="effective"):
        quantile_interval(np.ones(3), 0.5, effective=0)
