"""Margins, against SciPy, enumeration and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from rankwell.statistics.intervals import interval
from rankwell.statistics.paired_tests import by_bootstrap, by_flips, by_t, margins, sign_flips
from rankwell.statistics.parts import parts_of

UNITS = np.random.default_rng(0).integers(0, 2**63, 400).astype(np.uint64)
OLD = np.random.default_rng(1).beta(2, 2, 200)
NEW = OLD + np.random.default_rng(2).normal(-0.004, 0.06, 200)
FEW = np.array([0.12, -0.04, 0.0, 0.31, -0.02, 0.0, 0.07, -0.11, 0.05, 0.2, -0.05, 0.05])


def found_for(d, **options):
    d = np.asarray(d, float)
    return margins(d, np.zeros(len(d)), UNITS[: len(d)], **options)


def test_many_differences_are_tested_by_t_as_scipy_does():
    found = margins(NEW, OLD, UNITS[:200], margin=0.01)
    d = NEW - OLD
    assert found.method == "t"
    assert found.p_drop == pytest.approx(scipy.stats.ttest_1samp(d, 0, alternative="less").pvalue)
    assert found.p_margin == pytest.approx(scipy.stats.ttest_1samp(d, -0.01, alternative="greater").pvalue)
    assert found.p_beyond == pytest.approx(1 - found.p_margin)
    told = scipy.stats.ttest_1samp(d, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((told.low, told.high))
    assert found.spare == pytest.approx(found.low + 0.01)


def test_a_relative_margin_counts_the_error_of_the_mean_that_it_is_a_share_of():
    found = margins(NEW, OLD, UNITS[:200], margin=0.03, is_relative=True)
    told = scipy.stats.ttest_1samp(NEW - 0.97 * OLD, 0, alternative="greater")
    assert found.p_margin == pytest.approx(told.pvalue)
    assert found.spare == pytest.approx(told.confidence_interval(0.95).low)
    assert found.p_drop == margins(NEW, OLD, UNITS[:200], margin=0.01).p_drop
    # values turned so that larger is better: 3 % more than the old mean is tolerated
    turned = margins(-OLD, -NEW, UNITS[:200], margin=0.03, is_relative=True)
    assert turned.p_margin == pytest.approx(
        scipy.stats.ttest_1samp(1.03 * NEW - OLD, 0, alternative="greater").pvalue
    )


def p_of_all_flips(d, shift):
    """The one-sided p of the hypothesis that the mean is at most ``shift``, every pattern of signs tried."""
    moved = d - shift
    sums = [
        sum(s * x for s, x in zip(signs, moved, strict=True))
        for signs in itertools.product((1, -1), repeat=len(d))
    ]
    return np.mean([each >= moved.sum() - 1e-9 for each in sums])


@pytest.mark.parametrize("shift", [-0.1, -0.02, 0.0, 0.03, 0.1])
def test_few_differences_are_flipped_in_every_way_at_any_shift(shift):
    found = by_flips(parts_of(FEW - shift, UNITS[:12]), alpha=0.05, times=10, seed=0)
    assert found.above == p_of_all_flips(FEW, shift)
    assert found.below == p_of_all_flips(-FEW, -shift)


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.2, 1 / 64])
@pytest.mark.parametrize("n", [12, 45])
def test_the_bound_is_where_p_crosses_alpha(alpha, n):
    d = np.resize(FEW, n) + np.arange(n) / 1000
    units = UNITS[:n]

    def p(shift):
        return by_flips(parts_of(d - shift, units), alpha=alpha, times=999, seed=4)

    bounds = p(0.0)
    for step in 1e-9, 1e-3:
        assert p(bounds.low - step).above < alpha <= p(bounds.low + step).above
        assert p(bounds.high + step).below < alpha <= p(bounds.high - step).below
    for margin in 0.01, 0.03, 0.1, 0.15:
        found = found_for(d, margin=margin, alpha=alpha, times=999)
        assert found.method == "sign flips"
        assert (found.p_margin < alpha) == (found.spare > 0)
        assert found.spare == pytest.approx(found.low + margin)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_bound_of_the_bootstrap_is_that_of_the_interval_and_where_p_crosses_alpha(alpha):
    parts = parts_of(FEW, UNITS[:12])
    found = by_bootstrap(parts, alpha=alpha, times=999, seed=4)
    told = interval(FEW, UNITS[:12], level=1 - 2 * alpha, times=999, seed=4)
    # p < alpha needs one replicate less beyond than an interval has where alpha · (B + 1) is whole
    assert found.low == pytest.approx(told.low, rel=0.1)
    assert found.high == pytest.approx(told.high, rel=0.1)
    for bound, side in (found.low, "above"), (found.high, "below"):
        inwards = 1e-9 if side == "above" else -1e-9
        p = [
            getattr(
                by_bootstrap(parts_of(FEW - bound + step, UNITS[:12]), alpha=alpha, times=999, seed=4), side
            )
            for step in (inwards, -inwards)
        ]
        assert p[0] < alpha <= p[1]
    many = by_bootstrap(parts_of(NEW - OLD, UNITS[:200]), alpha=0.05, times=9999, seed=1)
    assert many.above == pytest.approx(by_t(parts_of(NEW - OLD, UNITS[:200]), alpha=0.05).above, abs=0.01)
    assert margins(NEW, OLD, UNITS[:200], margin=0.01, by="bootstrap").method == "bootstrap"
    assert by_bootstrap(parts_of(np.full(9, 0.1), UNITS[:9]), alpha=0.05, times=99, seed=0).above == 0


def test_the_bootstrap_allows_for_rare_large_drops():
    """600 samples of 60 units of which a tenth drop much, by the margin in the mean: t passes them too often."""
    rng, passed = np.random.default_rng(1), np.zeros(2)
    for seed in range(600):
        d = np.where(rng.random(60) < 0.1, -rng.random(60) * 0.6, 0.02)
        passed += [
            found_for(d, margin=0.012, by=by, times=499, seed=seed).p_margin < 0.05
            for by in ("t", "bootstrap")
        ]
    by_default, by_draws = passed / 600
    assert by_draws < 0.05
    assert by_default > 0.1


def test_with_signs_at_random_both_sides_make_the_two_sided_p():
    d = np.resize(FEW, 48)
    found = by_flips(parts_of(d, UNITS[:48]), alpha=0.05, times=5000, seed=3)
    two = sign_flips(d, UNITS[:48], times=5000, seed=3)
    assert found.above == pytest.approx(two.p / 2, abs=0.004)
    assert found.above == pytest.approx(by_t(parts_of(d, UNITS[:48]), alpha=0.05).above, abs=0.01)
    assert found.above + found.below == pytest.approx(1, abs=0.03)


def test_weights_and_clusters_are_flipped_as_totals():
    d, weights, clusters = np.resize(FEW, 30), np.linspace(1, 4, 30), UNITS[np.arange(30) // 3]
    found = margins(d, np.zeros(30), UNITS[:30], margin=0.02, weights=weights, clusters=clusters)
    of = np.unique(clusters, return_inverse=True)[1]
    assert found.p_drop == p_of_all_flips(-np.bincount(of, d * weights), 0)
    assert found.p_margin == p_of_all_flips(np.bincount(of, (d + 0.02) * weights), 0)
    assert found.n == 10


def test_four_differences_say_nothing_and_none_at_all_passes():
    four = np.zeros(100)
    four[:4] = -0.9
    found = found_for(four, margin=0.01)
    assert (found.method, found.nonzero) == ("too few", 4)
    assert all(math.isnan(each) for each in found[3:9])
    four[4] = -0.9
    assert found_for(four, margin=0.01, times=20_000).p_drop == pytest.approx(1 / 32, abs=0.005)
    same = margins(OLD, OLD + 1e-12, UNITS[:200], margin=0)
    assert (same.method, same.p_drop, same.p_margin, same.low) == ("identical", 1, 0, 0)
    assert found_for([], margin=0.1).method == "too few"
    # differences that are none in the sum of each cluster are not identical values
    even = margins(
        np.tile([0.1, -0.1], 20), np.zeros(40), UNITS[:40], margin=0.01, clusters=UNITS[np.arange(40) // 2]
    )
    assert even.method == "too few"
    with pytest.raises(ValueError, match="must be 0 or more"):
        found_for(FEW, margin=-0.1)


def test_bounds_that_no_number_of_flips_reaches_are_infinite():
    found = by_flips(parts_of(np.array([0.1, 0.2, 0.1, 0.3]), UNITS[:4]), alpha=0.05, times=10, seed=0)
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert found.above == 1 / 16


def test_bounds_do_not_depend_on_the_order_of_units():
    d, order = np.resize(FEW, 45), np.random.default_rng(3).permutation(45)
    one = margins(d, np.zeros(45), UNITS[:45], margin=0.02)
    other = margins(d[order], np.zeros(45), UNITS[:45][order], margin=0.02)
    assert one[3:6] == other[3:6]
    assert one[6:9] == pytest.approx(other[6:9], abs=1e-12)


def test_a_drop_of_the_margin_passes_as_often_as_alpha_says():
    """2,000 samples of 40 units, symmetric about −.02, a fifth of them apart: 5 % + 3 standard errors of the simulation."""
    rng, passed = np.random.default_rng(9), 0
    for seed in range(2000):
        d = -0.02 + (rng.random(40) < 0.2) * rng.choice([-0.1, 0.1], 40)
        passed += found_for(d, margin=0.02, times=199, seed=seed).p_margin < 0.05
    assert passed / 2000 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2000)
