"""Intervals of a mean, against SciPy, statsmodels 0.15.0 and plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from rankwell.kernels import resample
from rankwell.statistics.draws import further, replicates
from rankwell.statistics.intervals import LIMITS, WEIGHTS, interval, is_doubtful
from rankwell.statistics.many import Design, closed_bounds, intervals
from rankwell.statistics.moments import SampleMoments

UNITS = np.random.default_rng(0).integers(0, 2**63, 300).astype(np.uint64)
VALUES = np.random.default_rng(1).beta(0.5, 0.8, 300)


def test_t_and_wilson():
    found = interval(VALUES, UNITS, method="t", level=0.9)
    told = scipy.stats.t.interval(0.9, 299, VALUES.mean(), scipy.stats.sem(VALUES))
    assert (found.low, found.high) == pytest.approx(told)
    share = np.array([1.0] * 7 + [0.0] * 3)
    found = interval(share, UNITS[:10], method="wilson")
    # proportion_confint(7, 10, method="wilson")
    assert (found.low, found.high) == pytest.approx((0.39677814746114537, 0.8922087325936989))


@pytest.mark.parametrize("method", ["studentised", "percentile", "bca"])
def test_intervals_of_few_different_values_do_not_depend_on_how_their_means_are_rounded(method):
    for seed in range(10):
        counts = np.random.default_rng(seed).binomial(10, 0.1, 25).astype(float)
        whole, tenths = (interval(each, UNITS[:25], method=method) for each in (counts, counts / 10))
        assert (tenths.low, tenths.high) == pytest.approx((whole.low / 10, whole.high / 10))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstraps_are_near_those_of_scipy(method):
    found = interval(VALUES, UNITS, method=method, times=20_000)
    name = {"percentile": "percentile", "bca": "BCa"}[method]
    told = scipy.stats.bootstrap(
        (VALUES,), np.mean, n_resamples=20_000, method=name, random_state=np.random.default_rng(1)
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(told), abs=0.002)


def test_the_studentised_interval_is_that_of_a_plain_loop():
    values, units = VALUES[:25], UNITS[:25]
    found = interval(values, units, times=999, seed=3)
    mean, t = values.mean(), []
    for weights in resample.poisson(replicates(3, WEIGHTS, 0, 999), units, LIMITS):
        n = weights.sum()
        own = (weights * values).sum() / n
        error = math.sqrt((weights * (values - own) ** 2).sum() / (n * (n - 1)))
        t.append((own - mean) / error)
    t.sort()
    error = values.std(ddof=1) / 5
    assert (found.low, found.high) == pytest.approx((mean - t[974] * error, mean - t[24] * error))


def test_weights_are_poisson():
    drawn = resample.poisson(replicates(1, WEIGHTS, 0, 2000), UNITS, LIMITS).ravel()
    for value in range(5):
        share = math.exp(-1) / math.factorial(value)
        assert np.mean(drawn == value) == pytest.approx(share, abs=5 * math.sqrt(share / len(drawn)))


@pytest.mark.parametrize("limits", [LIMITS, LIMITS[:1], LIMITS[:0], np.arange(1, 8, dtype=np.uint64) << np.uint64(61),
                                    np.array([0, 1, 1 << 52, (1 << 52) + 1, (1 << 64) - 1], np.uint64)])  # fmt: skip
def test_weights_are_the_numbers_of_limits_that_draws_reach(limits):
    keys = replicates(4, WEIGHTS, 0, 300)
    drawn = further(keys[:, None], UNITS[None])
    told = np.searchsorted(limits, drawn, side="right")
    assert np.array_equal(resample.poisson(keys, UNITS, limits), told)


def test_weights_of_draws_at_a_limit_and_beside_it():
    keys = replicates(4, WEIGHTS, 0, 40)
    drawn = np.sort(further(keys, UNITS[:1]))
    for limits in (drawn, drawn + np.uint64(1), drawn - np.uint64(1)):
        told = np.searchsorted(limits, further(keys, UNITS[:1]), side="right")
        assert np.array_equal(resample.poisson(keys, UNITS[:1], limits)[:, 0], told)


def test_replicates_without_spread_count_as_infinite():
    """49 hits and a miss: a third of the replicates hold no miss; without them the interval would be far too short."""
    values = np.ones(50)
    values[7] = 0
    found = interval(values, UNITS[:50], limits=(0, 1))
    assert found.high == 1.0
    assert found.low < 0.94
    assert found.is_doubtful


def test_no_interval_without_spread_or_of_one_value():
    for values in np.full(60, 0.3), np.array([0.5]), np.array([]):
        found = interval(values, UNITS[: len(values)])
        assert math.isnan(found.low)
        assert math.isnan(found.high)


def test_doubt_counts_values_beside_the_most_frequent_one():
    assert is_doubtful(np.arange(49.0))
    assert not is_doubtful(np.arange(50.0))
    assert is_doubtful(np.array([1.0] * 95 + [0.0] * 5))
    assert not is_doubtful(np.array([1.0] * 60 + [0.0] * 40))


def test_intervals_do_not_depend_on_the_order_of_values():
    order = np.random.default_rng(2).permutation(300)
    one, other = interval(VALUES, UNITS), interval(VALUES[order], UNITS[order])
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)


@pytest.mark.parametrize("n", [2, 25, 379])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_exactly_0_or_1_has_an_interval(n, share):
    """Wilson's by SciPy; 25 of 25: .8668 to 1."""
    values, units = np.full(n, share), np.arange(n, dtype=np.uint64)
    told = scipy.stats.binomtest(int(n * share), n).proportion_ci(method="wilson")
    found = interval(values, units, method="auto", limits=(0.0, 1.0))
    rows = intervals(np.append(values, np.nan)[None], np.arange(n + 1, dtype=np.uint64), limits=(0.0, 1.0))
    assert found.method == rows.method[0] == "wilson"
    assert (found.low, found.high) == pytest.approx((told.low, told.high), abs=1e-12)
    assert (rows.low[0], rows.high[0]) == (found.low, found.high)
    assert (found.high if share else found.low) == share
    if (n, share) == (25, 1.0):
        assert round(found.low, 4) == 0.8668
    sums = SampleMoments.of(values[None], np.array([0.3]))
    known = sums.summaries(np.array([0.3]))
    low, high = closed_bounds(known, np.array(["wilson"], object), 0.95, sums.of_shares(known))
    assert (low[0], high[0]) == pytest.approx((found.low, found.high), abs=1e-15)


def test_a_share_of_1_is_as_certain_as_its_weights_or_its_clusters():
    """Of 40 units in 8 clusters nothing tells how alike those of one are: 8. Of weights it is the effective number."""
    units, clusters = np.arange(40, dtype=np.uint64), np.arange(40, dtype=np.uint64) // 5
    weights = np.arange(1.0, 41.0)
    effective = weights.sum() ** 2 / (weights**2).sum()
    for design, n in (
        (Design(None, clusters), 8),
        (Design(weights), effective),
        (Design(weights, clusters), 8),
    ):
        z = scipy.stats.norm.ppf(0.975)
        found = interval(np.ones(40), units, method="wilson", **design._asdict())
        assert (found.low, found.high) == (pytest.approx(n / (n + z * z)), 1.0)
        sums = SampleMoments.of(np.ones((1, 40)), np.array([0.7]), design)
        known = sums.summaries(np.array([0.7]))
        low, high = closed_bounds(known, np.array(["wilson"], object), 0.95, sums.of_shares(known))
        assert (low[0], high[0]) == (pytest.approx(found.low, abs=1e-12), 1.0)
    assert math.isnan(interval(np.ones(1), units[:1], method="wilson").low)
