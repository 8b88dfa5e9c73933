"""Weighted and clustered means, against statsmodels 0.15.0 and enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from tests.statistics.plain import signs as plain_signs

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.intervals import LIMITS, WEIGHTS, interval, is_doubtful
from rankwell.statistics.paired_tests import sign_flips, t_test
from rankwell.statistics.parts import effective_n

RNG = np.random.default_rng(4)
D, OF, W = RNG.normal(0.1, 1, 60), RNG.integers(0, 12, 60), RNG.lognormal(0, 1, 60)
NUMBERS = np.random.default_rng(0).integers(0, 2**63, 400).astype(np.uint64)
UNITS, CLUSTERS = NUMBERS[:60], NUMBERS[100:][OF]
METHODS = ["studentised", "t", "percentile", "bca"]


def test_the_t_of_clusters_is_that_of_statsmodels():
    found = t_test(D, clusters=CLUSTERS)
    # OLS(D, ones).fit(cov_type="cluster", cov_kwds={"groups": OF}, use_t=True)
    assert (found.t, found.p) == pytest.approx((0.11979055493811477, 0.9068089294778923), rel=1e-12)
    assert (found.n, found.mean) == (12, pytest.approx(D.mean()))
    bounds = interval(D, UNITS, method="t", clusters=CLUSTERS)
    assert (bounds.low, bounds.high) == pytest.approx((-0.24919219, 0.27787847), abs=1e-8)
    # the same with WLS(D, ones, weights=W)
    found = t_test(D, weights=W, clusters=CLUSTERS)
    assert (found.mean, found.t, found.p) == pytest.approx(
        (0.046698677544789215, 0.3002536696321834, 0.769581949332283), rel=1e-12
    )


def test_the_t_of_weighted_units_is_that_of_statsmodels_with_effective_n():
    found, n = t_test(D, weights=W), W.sum() ** 2 / (W**2).sum()
    # WLS(D, ones, weights=W).fit(cov_type="HC0") has the sum of squares; the rest is 1 / (1 - 1/n)
    mean, error = 0.046698677544789215, 0.15792537035815307
    assert (found.n, found.mean) == pytest.approx((n, mean))
    assert found.sd / math.sqrt(n) == pytest.approx(error * math.sqrt(n / (n - 1)))
    assert found.p == pytest.approx(2 * scipy.stats.t.sf(abs(found.t), n - 1))
    assert effective_n(W) == pytest.approx(n)


@pytest.mark.parametrize("method", METHODS)
def test_equal_weights_and_clusters_of_one_are_as_none(method):
    plain = interval(D, UNITS, method=method, seed=3)
    assert interval(D, UNITS, method=method, seed=3, weights=np.full(60, 0.1)) == plain
    alone = interval(D, UNITS[::-1], method=method, seed=3, clusters=UNITS)
    assert alone[1:3] == pytest.approx(plain[1:3], abs=1e-12)
    assert t_test(D, weights=np.full(60, 0.1)) == t_test(D)
    assert t_test(D, clusters=UNITS) == pytest.approx(t_test(D))
    assert sign_flips(D, UNITS, times=999, seed=1, weights=np.full(60, 0.1)) == sign_flips(
        D, UNITS[::-1], times=999, seed=1, clusters=UNITS
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_weight_of_zero_leaves_a_unit_out(method):
    weights = np.arange(60) % 3 == 0
    some = interval(D[::3], UNITS[::3], method=method, seed=3)
    assert interval(D, UNITS, method=method, seed=3, weights=weights * 2.5)[:3] == pytest.approx(some[:3])
    nothing = interval(D, UNITS, method=method, weights=np.zeros(60))
    assert math.isnan(nothing.low)


def test_clusters_are_flipped_as_a_whole_in_every_way():
    sums = np.bincount(OF, D * W)
    reached = [
        abs(sum(s * each for s, each in zip(signs, sums, strict=True))) >= abs(sums.sum()) - 1e-9
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    found = sign_flips(D, UNITS, times=10, seed=0, weights=W, clusters=CLUSTERS)
    assert found.is_exact
    assert (found.reached, found.replicates) == (sum(reached), 2**12)


def test_many_clusters_are_flipped_as_units_that_share_their_sign():
    clusters = NUMBERS[np.arange(60) // 2]
    found = sign_flips(D, UNITS, times=640, seed=5, clusters=clusters)
    signs = plain_signs(replicates(5, 1, 0, 10), clusters)
    assert found.reached == np.count_nonzero(np.abs(signs @ D) >= abs(D.sum()) * (1 - 1e-9))


@pytest.mark.parametrize("clustered", [False, True])
def test_the_studentised_interval_of_parts_is_that_of_a_plain_loop(clustered):
    found = interval(D, UNITS, times=999, seed=3, weights=W, clusters=CLUSTERS if clustered else None)
    numbers, of = np.unique(CLUSTERS, return_inverse=True) if clustered else (UNITS, np.arange(60))
    a, b = np.bincount(of, W), np.bincount(of, W * D)

    def mean_and_error(times):
        mean = (times * b).sum() / (times * a).sum()
        parts = times.sum() if clustered else (times * a).sum() ** 2 / (times * a**2).sum()
        rest = sum(k * (y - mean * x) ** 2 for k, x, y in zip(times, a, b, strict=True))
        return mean, math.sqrt(rest * parts / (parts - 1)) / (times * a).sum()

    mean, error = mean_and_error(np.ones(len(a)))
    drawn = [mean_and_error(k) for k in resample.poisson(replicates(3, WEIGHTS, 0, 999), numbers, LIMITS)]
    t = sorted((own - mean) / spread for own, spread in drawn)
    assert (found.low, found.high) == pytest.approx((mean - t[974] * error, mean - t[24] * error))


def test_wilson_of_clusters_has_the_design_effect():
    hits = (D > 0).astype(float)
    alone = interval(hits, UNITS, method="wilson", clusters=UNITS)
    assert alone[:3] == pytest.approx(interval(hits, UNITS, method="wilson")[:3])
    # every unit four times, as clusters: as certain as one copy of each, but for the n - 1 of the plain variance
    copies = interval(np.tile(hits, 4), np.tile(UNITS, 4), method="wilson", clusters=np.tile(UNITS, 4))
    n = 240 / (4 * 239 / 4 / 59)
    share, z = hits.mean(), scipy.stats.norm.ppf(0.975)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert copies.high == pytest.approx((share + z * z / (2 * n) + reach) / (1 + z * z / n))
    even = interval(np.array([0.0, 1.0] * 30), UNITS, method="wilson", clusters=NUMBERS[np.arange(60) // 2])
    assert even[:3] == interval(np.array([0.0, 1.0] * 30), UNITS, method="wilson")[:3]


def test_weights_that_are_none_are_refused_and_one_unit_alone_says_nothing():
    for wrong in -1.0, math.nan:
        with pytest.raises(ValueError, match="must be 0 or more"):
            t_test(D[:2], weights=np.array([1.0, wrong]))
    lone = np.array([1.0, 1e-20])
    assert math.isnan(t_test(D[:2], weights=lone).p)
    for method in *METHODS, "wilson":
        assert math.isnan(interval(np.array([0.0, 1.0]), UNITS[:2], method=method, weights=lone).low)


def test_doubt_counts_effective_units():
    values = np.random.default_rng(3).random(200)
    assert not is_doubtful(values, np.ones(200))
    assert is_doubtful(values, np.where(np.arange(200) < 20, 50.0, 1.0))
    same = np.where(np.arange(200) < 20, 0.3, values)
    heavy = np.where(np.arange(200) < 20, 1.05, 0.1)
    assert effective_n(heavy) * (1 - 21 / 39) < 30
    assert effective_n(heavy) > 50
    assert not interval(same, NUMBERS[:200], method="t").is_doubtful
    assert interval(same, NUMBERS[:200], method="t", weights=heavy).is_doubtful


@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_of_parts_cover_the_mean(clustered):
    """1,000 samples of 60 units in 30 clusters, or of lognormal weights: 95 % ± 3 standard errors of the simulation."""
    rng = np.random.default_rng(8)
    units, of = NUMBERS[:60], np.arange(60) // 2
    covered = 0
    for seed in range(1000):
        values = (
            rng.beta(0.5, 0.8, 60) if not clustered else rng.beta(0.5, 0.8, 30)[of] + rng.normal(0, 0.1, 60)
        )
        options = {"clusters": NUMBERS[of]} if clustered else {"weights": rng.lognormal(0, 0.7, 60)}
        found = interval(values, units, times=399, seed=seed, **options)
        covered += found.low <= 0.5 / 1.3 <= found.high
    assert covered / 1000 == pytest.approx(0.95, abs=0.021)
