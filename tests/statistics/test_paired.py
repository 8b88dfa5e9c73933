"""Tests of paired differences, against SciPy and enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from tests.statistics.plain import signs as plain_signs

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.paired_tests import sign_flips, sign_test, t_test, wilcoxon

UNITS = np.random.default_rng(0).integers(0, 2**63, 400).astype(np.uint64)


@pytest.mark.parametrize("seed", range(5))
def test_t_is_that_of_scipy(seed):
    d = np.random.default_rng(seed).normal(0.1, 1, 5 + 20 * seed)
    found, told = t_test(d), scipy.stats.ttest_1samp(d, 0)
    assert (found.t, found.p) == pytest.approx((told.statistic, told.pvalue), rel=1e-12)
    assert (found.mean, found.sd) == pytest.approx((d.mean(), d.std(ddof=1)))


def test_t_of_too_few_and_of_equal_differences():
    assert math.isnan(t_test(np.array([0.3])).p)
    assert math.isnan(t_test(np.array([])).mean)
    assert t_test(np.zeros(5)).p == 1.0
    equal = t_test(np.full(5, 0.1))
    assert (equal.sd, equal.p) == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(6))
def test_few_differences_are_flipped_in_every_way(seed):
    """Differences on a lattice, where many sums are equal but for rounding, and zeros, which no flip changes."""
    d = np.random.default_rng(seed).integers(-3, 5, 9) / 10
    kept = d[d != 0]
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, kept, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(kept))
    ]
    reached = sum(each >= abs(kept.sum()) - 1e-7 for each in sums)
    found = sign_flips(d, UNITS[:9], times=100, seed=1)
    assert (found.p, found.reached, found.replicates, found.is_exact) == (
        reached / len(sums),
        reached,
        len(sums),
        True,
    )


@pytest.mark.parametrize("n", [1, 2, 3, 19, 20])
@pytest.mark.parametrize("kind", ["lattice", "continuous", "adds up to 0"])
def test_all_signs_are_counted_by_halves_as_if_all_sums_were_written(n, kind):
    random = np.random.default_rng(n)
    d = random.choice([-0.3, -0.1, 0.1, 0.2, 0.7], n) if kind == "lattice" else random.normal(0.2, 1, n)
    d = np.concatenate([d, -d])[n // 2 : n // 2 + n] if kind == "adds up to 0" else d
    sums = np.zeros(1)
    for value in d:
        sums = np.concatenate([sums + value, sums - value])
    told = int(np.count_nonzero(np.abs(sums) >= abs(d.sum()) - 1e-7))
    assert sign_flips(d, UNITS[:n], times=1, seed=0) == (told / 2**n, told, 2**n, True)


def test_many_differences_are_flipped_at_random():
    d = np.random.default_rng(7).normal(0.12, 1, 300)
    found = sign_flips(d, UNITS[:300], times=50_000, seed=1)
    told = scipy.stats.permutation_test(
        (d,),
        lambda each: abs(each.mean()),
        permutation_type="samples",
        n_resamples=50_000,
        alternative="greater",
        random_state=np.random.default_rng(1),
    ).pvalue
    assert not found.is_exact
    assert found.p == (found.reached + 1) / 50_001
    assert found.p == pytest.approx(told, abs=4 * math.sqrt(2 * told * (1 - told) / 50_000))
    assert found.p == pytest.approx(t_test(d).p, abs=0.01)


def test_signs_belong_to_units_and_not_to_places():
    d = np.random.default_rng(8).normal(0.1, 1, 100)
    order = np.random.default_rng(9).permutation(100)
    assert sign_flips(d, UNITS[:100], times=2000, seed=5) == sign_flips(
        d[order], UNITS[:100][order], times=2000, seed=5
    )
    assert (
        sign_flips(d, UNITS[:100], times=2000, seed=5).reached
        != sign_flips(d, UNITS[:100], times=2000, seed=6).reached
    )


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 2), (64, 64, 1), (83, 65, 3), (200, 130, 2)])
def test_sums_under_signs_are_those_of_a_product_with_all_signs(shape):
    units, columns, keys = shape
    rng = np.random.default_rng(columns)
    values = rng.normal(size=(units, columns))
    keys, numbers = replicates(5, 1, 0, keys), rng.integers(0, 2**63, units).astype(np.uint64)
    found = resample.flipped_sums(keys, numbers, values)
    np.testing.assert_allclose(found, plain_signs(keys, numbers) @ values, rtol=0, atol=1e-12 * units)


def test_half_of_the_signs_are_negative_and_no_two_units_share_them():
    signs = plain_signs(replicates(3, 1, 0, 64), UNITS[:50])
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 4 / math.sqrt(signs.size)
    together = signs.T @ signs / len(signs) - np.eye(50)
    assert np.abs(together).max() < 5 / math.sqrt(len(signs))


def test_wilcoxon_and_the_sign_test():
    d = np.random.default_rng(3).normal(0.2, 1, 40).round(1)
    assert wilcoxon(d) == scipy.stats.wilcoxon(d, zero_method="pratt").pvalue
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    assert sign_test(d) == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue)
    assert math.isnan(wilcoxon(np.zeros(4)))
    assert math.isnan(sign_test(np.zeros(4)))
