"""Effect sizes, power, equivalence and heterogeneity; figures of statsmodels 0.15.0 stand beside what they check."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from rankwell.statistics.effects import (
    effect,
    equivalence,
    heterogeneity_of,
    smallest_visible,
    units_needed,
)
from rankwell.statistics.many import summaries


def test_effects_by_hand():
    first, second = np.array([0.9, 0.4, 0.7, 0.5]), np.array([0.5, 0.4, 0.8, 0.2])
    found = effect(first, second)
    d = first - second
    assert found.dz == pytest.approx(d.mean() / d.std(ddof=1))
    assert found.smd == pytest.approx(d.mean() / math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2))
    assert (found.wins, found.ties, found.losses, found.superiority) == (2, 1, 1, 0.625)
    assert math.isnan(effect(first, first - 0.25).dz) or effect(first, first - 0.25).dz > 1e6


def test_power_is_that_of_statsmodels():
    # TTestPower().solve_power(nobs=50, alpha=.05, power=.8), and (nobs=12, alpha=.01, power=.9)
    assert smallest_visible(0.2, 50) == pytest.approx(0.2 * 0.4041829997377859, rel=1e-6)
    assert smallest_visible(1.0, 12, alpha=0.01, power=0.9) == pytest.approx(1.3199435276059601, rel=1e-5)
    assert math.isnan(smallest_visible(0.0, 50))


def test_units_needed_are_the_least_that_reach_the_power():
    needed = units_needed(0.2, 50, 0.05)
    upper = 0.2 * math.sqrt(49 / chi2.ppf(0.2, 49))
    assert smallest_visible(upper, needed) <= 0.05 < smallest_visible(upper, needed - 1)
    with pytest.raises(ValueError, match="must be positive"):
        units_needed(0.2, 50, 0)


def test_units_needed_of_many_are_those_of_each():
    rng = np.random.default_rng(4)
    sd, n = 10 ** rng.uniform(-3, 4, 60), rng.integers(2, 90, 60)
    found = units_needed(sd, n, 0.05, alpha=0.1)
    for own, size, needed in zip(sd, n, found, strict=True):
        upper = own * math.sqrt((size - 1) / chi2.ppf(0.2, size - 1))
        if needed < 10**9:
            assert smallest_visible(upper, needed, alpha=0.1) <= 0.05
            assert needed == 2 or smallest_visible(upper, needed - 1, alpha=0.1) > 0.05
        assert needed == units_needed(own, size, 0.05, alpha=0.1)
    assert {2, 10**9} < {*found}
    assert np.isnan(units_needed(np.array([0.0, math.nan, 0.2]), np.array([9, 9, 1]), 0.05)).all()


def test_equivalence_is_that_of_statsmodels():
    d = np.random.default_rng(5).normal(0.02, 0.1, 60)
    # ttost_paired(d, zeros, -.05, .05)
    assert equivalence(summaries(d[None]), 0.05)[0] == pytest.approx(0.00010565004571986503)


def heterogeneity(groups):
    n, mean = np.array([len(group) for group in groups]), np.array([group.mean() for group in groups])
    return heterogeneity_of(
        n, mean, np.array([group.std(ddof=1) if len(group) > 1 else math.nan for group in groups])
    )


def test_heterogeneity_is_welchs():
    groups = [np.random.default_rng(i).normal(i / 5, 1 + i, 20 + i) for i in range(4)]
    # anova_oneway(groups, use_var="unequal", welch_correction=True)
    assert heterogeneity(groups) == pytest.approx(0.45036439131192507)
    assert heterogeneity([*groups, np.array([1.0]), np.zeros(5)]) == pytest.approx(0.45036439131192507)
    assert math.isnan(heterogeneity(groups[:1]))
    # the mean of so many equal values is none of them to the last bit, and what is left of rounding is no spread
    alike = np.full(1234, 0.1)
    assert alike.mean() != 0.1
    assert heterogeneity([*groups, alike]) == pytest.approx(0.45036439131192507)
