"""Bounds over mixtures: limits against the probabilities of all outcomes, bounds against a program with every column."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import beta

from rankwell.statistics.mixtures import MixtureBounds, ShareLimits, limits_of_shares
from rankwell.statistics.samples import at_most


def distribution_of_sum(chances):
    found = np.ones(1)
    for p in chances:
        found = np.append(found * (1 - p), 0) + np.append(0, found * p)
    return found


@pytest.mark.parametrize("n", [1, 2, 7, 20])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_limits_hold_for_trials_that_are_unlike_each_other(n, level):
    """The exact probability that the limits of one share miss its expectation, over all outcomes."""
    rng = np.random.default_rng(n)
    counts = np.arange(n + 1)
    made = [limits_of_shares(np.array([count]), n, level=level) for count in counts]
    low, high = (np.array([getattr(each, side)[0] for each in made]) for side in ("low", "high"))
    for turn in range(300):
        chances = rng.random(n) ** rng.choice([0.2, 1, 5, 50]) if turn % 3 else np.full(n, rng.random() ** 4)
        chances = np.where(rng.random(n) < 0.3, rng.integers(0, 2), chances)
        inside = (low <= chances.mean() + 1e-12) & (chances.mean() <= high + 1e-12)
        assert distribution_of_sum(chances)[inside].sum() >= level - 1e-9


def test_limits_are_those_of_clopper_and_pearson_but_for_a_count_of_one():
    found = limits_of_shares(np.array([0, 1, 4, 10]), 10, level=0.9)
    tail = 0.1 / 8
    assert found.high[:3] == pytest.approx([beta.ppf(1 - tail, c + 1, 10 - c) for c in (0, 1, 4)])
    assert found.low[2:] == pytest.approx([beta.ppf(tail, c, 11 - c) for c in (4, 10)])
    assert (found.low[:2], found.high[3]) == (pytest.approx([0, tail / 10]), 1.0)


def direct(target, features, limits):
    """The same program with every column, by SciPy."""
    rows = np.concatenate([features, -features])
    right = np.concatenate([limits.high, -limits.low])
    found = [
        linprog(sign * target, A_ub=rows, b_ub=right, A_eq=np.ones((1, len(target))), b_eq=[1.0])
        for sign in (1, -1)
    ]
    return None if found[0].status else (found[0].fun, -found[1].fun)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_those_of_the_whole_program_and_no_mixture_is_outside(seed, monkeypatch):
    monkeypatch.setattr("rankwell.statistics.mixtures.COLUMNS", 7)  # so that most columns have to enter
    rng = np.random.default_rng(seed)
    total, draws = 90, 8
    features = at_most(np.arange(total + 1), total, draws, np.arange(draws))
    true = rng.dirichlet(np.full(total + 1, 0.05))
    shares = features @ true
    limits = ShareLimits(shares - 0.02, shares + 0.02)
    target = rng.choice([(np.arange(91) < 5) * 1.0, 1 / (1 + np.arange(91)), rng.random(91)], 1)[0]
    low, high = MixtureBounds(features, limits).of(target)
    assert (low, high) == pytest.approx(direct(target, features, limits), abs=1e-5)
    assert low - 1e-9 <= true @ target <= high + 1e-9
    fitting = 0
    for _ in range(300):
        other = rng.dirichlet(np.full(total + 1, 0.05)) * 0.01 + true * 0.99
        if (np.abs(features @ other - shares) <= 0.02).all():
            fitting += 1
            assert low - 1e-9 <= other @ target <= high + 1e-9
    assert fitting > 100


def test_limits_that_no_mixture_meets_have_no_bounds():
    features = at_most(np.arange(21), 20, 4, np.arange(4))
    falling = ShareLimits(np.array([0.5, 0.0, 0.0, 0.0]), np.array([0.6, 0.4, 0.4, 0.4]))
    assert direct(np.arange(21.0), features, falling) is None
    assert MixtureBounds(features, falling).of(np.arange(21.0)) is None


def test_a_target_that_is_the_same_everywhere_is_known():
    features = at_most(np.arange(21), 20, 4, np.arange(4))
    assert MixtureBounds(features, ShareLimits(np.zeros(4), np.ones(4))).of(np.full(21, 0.3)) == (0.3, 0.3)
