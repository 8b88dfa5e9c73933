"""What numbers of replicates can tell; figures of statsmodels 0.15.0 stand beside what they check."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from rankwell.statistics.families import holm, is_testable, replicates_needed, share_interval
from rankwell.statistics.paired_tests import sign_flips


@pytest.mark.parametrize(
    ("reached", "replicates", "told"),
    [  # proportion_confint(reached, replicates, method="beta")
        (0, 999, (0.0, 0.003685762865739384)),
        (37, 9999, (0.0026066998076278956, 0.005096900585896822)),
        (999, 999, (0.9963142371342606, 1.0)),
        (5000, 100000, (0.048657255207270746, 0.05136892088058044)),
    ],
)
def test_the_interval_of_a_share_is_that_of_statsmodels(reached, replicates, told):
    assert share_interval(reached, replicates) == pytest.approx(told, rel=1e-9)


def test_bounds_of_a_share_are_where_the_binomial_tails_have_half_of_the_rest():
    low, high = share_interval(12, 400, level=0.9)
    assert scipy.stats.binom.sf(11, 400, low) == pytest.approx(0.05)
    assert scipy.stats.binom.cdf(12, 400, high) == pytest.approx(0.05)
    assert all(math.isnan(bound) for bound in share_interval(0, 0))


def test_the_interval_of_random_signs_holds_the_share_of_all_signs():
    d = np.random.default_rng(2).normal(0.4, 1, 16)
    units = np.arange(21, dtype=np.uint64)
    exact = sign_flips(d, units[:16], times=1, seed=0)
    padded = np.concatenate([d, np.full(5, 1e-8)])  # too many to try all, and too small to matter
    found = sign_flips(padded, units, times=20_000, seed=1)
    low, high = share_interval(found.reached, found.replicates, level=0.999)
    assert exact.is_exact
    assert not found.is_exact
    assert low < exact.p < high


@pytest.mark.parametrize(
    ("m", "times", "alpha"), [(1, 19, 0.05), (3, 99, 0.03), (10, 199, 0.05), (7, 9999, 0.0007)]
)
def test_what_cannot_reach_alpha_is_not_testable(m, times, alpha):
    def least(count):
        return holm(np.full(count, 1 / (times + 1))).max()

    assert is_testable(m, times, alpha)
    assert least(m) <= alpha + 1e-12
    assert not is_testable(m + 1, times, alpha)
    assert least(m + 1) > alpha
    assert is_testable(m, replicates_needed(m, alpha), alpha)
