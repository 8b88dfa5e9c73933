"""Confidence sequences, against confseq 0.0.11 (its figures stand here), plain loops over the papers' formulas, and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rankwell.statistics.intervals import is_doubtful
from rankwell.statistics.sequences import confidence_sequence

VALUES = np.random.default_rng(11).normal(0.08, 0.25, 300).clip(-1, 1)


def test_bets_are_those_of_confseq():
    found = confidence_sequence(VALUES)
    # betting_cs((VALUES + 1) / 2, breaks=20000, running_intersection=True), after 10, 50, 150 and 300 values
    low = np.array([-0.42880, -0.10050, 0.02250, 0.04530])
    high = np.array([0.53270, 0.18650, 0.14320, 0.12640])
    at, room = [9, 49, 149, 299], 0.03 * (high - low)
    assert (found.low[at] < low + 2e-4).all()
    assert (found.low[at] > low - room).all()
    assert (found.high[at] > high - 2e-4).all()
    assert (found.high[at] < high + room).all()
    assert not found.is_asymptotic


def plain_bets(y, alpha):
    """μ̂, σ̂² and λ of Waudby-Smith and Ramdas (2024), formulas 14 and 15, before the bets are cut."""
    mean, variance, rows = 0.5, 0.25, []
    for t, x in enumerate(y, start=1):
        rows.append((x, mean, math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(1 + t)))))
        mean = (0.5 + sum(y[:t])) / (t + 1)
        means = [(0.5 + sum(y[:i])) / (i + 1) for i in range(1, t + 1)]
        variance = (0.25 + sum((each - m) ** 2 for each, m in zip(y, means, strict=False))) / (t + 1)
    return rows


def test_empirical_bernstein_bounds_are_those_of_a_plain_loop():
    values, alpha = VALUES[:40] / 2, 0.1
    found = confidence_sequence(values, bound=0.5, level=0.9, method="bernstein")
    total = weighted = spread = 0.0
    low, high = 0.0, 1.0
    for t, (x, mean, bet) in enumerate(plain_bets(values + 0.5, alpha)):
        bet = min(bet, 0.5)
        total, weighted = total + bet, weighted + bet * x
        spread += 4 * (x - mean) ** 2 * (-math.log(1 - bet) - bet) / 4
        reach = (math.log(2 / alpha) + spread) / total
        low, high = max(low, weighted / total - reach), min(high, weighted / total + reach)
        assert (found.low[t], found.high[t]) == pytest.approx((low - 0.5, high - 0.5))


def test_betting_bounds_are_those_of_a_search_at_each_value():
    y = ((VALUES + 1) / 2)[:40]
    bets = plain_bets(y, 0.05)
    found = confidence_sequence(VALUES[:40])

    def is_rejected(mean, t):
        capital, most = 1.0, 1.0
        for x, _, bet in bets[: t + 1]:
            capital *= 1 + min(bet, 0.5 / mean) * (x - mean)
            most = max(most, capital)
        return most >= 2 / 0.05

    for t in 14, 39:
        low, high = 1e-9, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if is_rejected(middle, t) else (low, middle)
        told = 2 * low - 1
        assert told - 0.025 * (VALUES[:40].mean() - told) <= found.low[t] <= told + 1e-9


def sequences(kind):
    rng = np.random.default_rng(2)
    for _ in range(300):
        if kind == "rare drops":
            yield np.where(rng.random(600) < 0.05, -rng.random(600), 0.0), -0.025
        else:
            yield np.where(rng.random(600) < 0.1, -rng.random(600), 0.05), -0.005


@pytest.mark.parametrize("method", ["betting", "bernstein"])
@pytest.mark.parametrize("kind", ["rare drops", "rare losses"])
def test_the_mean_is_within_all_bounds_of_a_sequence(method, kind):
    """300 sequences of 600 values, looked at after each: out of bounds at any time in at most 5 % + 3 standard errors."""
    missed = 0
    for values, mean in sequences(kind):
        found = confidence_sequence(values, method=method)
        missed += found.low[-1] > mean or found.high[-1] < mean
    assert missed / 300 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


def test_asymptotic_bounds_wait_until_intervals_are_trusted():
    for values, _ in itertools.islice(sequences("rare drops"), 5):
        found = confidence_sequence(values, bound=None)
        sure = [n for n in range(1, 601) if not is_doubtful(values[:n])]
        assert np.isnan(found.low).sum() == (sure[0] - 1 if sure else 600)


def test_asymptotic_bounds_are_those_of_a_plain_loop_and_hold_for_normal_values():
    found = confidence_sequence(VALUES * 100, bound=None)
    assert found.is_asymptotic
    assert np.isnan(found.low[:49]).all()
    rho = math.sqrt((-2 * math.log(0.05) + math.log(-2 * math.log(0.05)) + 1) / 100)
    low = -math.inf
    for t in range(50, 301):
        x = VALUES[:t] * 100
        grown = t * rho**2 + 1
        reach = x.std() * math.sqrt(2 * grown / (t * rho) ** 2 * math.log(math.sqrt(grown) / 0.05))
        low = max(low, x.mean() - reach)
        assert found.low[t - 1] == pytest.approx(low)
    rng, missed = np.random.default_rng(4), 0
    for _ in range(500):
        found = confidence_sequence(rng.normal(0.3, 2, 1000), bound=None)
        missed += np.nanmax(found.low) > 0.3 or np.nanmin(found.high) < 0.3
    assert missed / 500 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)


def test_bounds_never_widen_and_scale_with_the_bound():
    for method in "betting", "bernstein":
        found = confidence_sequence(VALUES, method=method)
        assert (np.diff(found.low) >= 0).all()
        assert (np.diff(found.high) <= 0).all()
        wide = confidence_sequence(VALUES * 3, bound=3, method=method)
        assert wide.low == pytest.approx(found.low * 3)
        mirrored = confidence_sequence(-VALUES, method=method)
        assert mirrored.high == pytest.approx(-found.low)
    assert (found.mean[-1], len(confidence_sequence(VALUES[:0]).low)) == (pytest.approx(VALUES.mean()), 0)


def test_values_beyond_the_bound_are_refused():
    for value in 1.2, -1.2, math.nan:
        with pytest.raises(ValueError, match="beyond ±bound"):
            confidence_sequence(np.array([0.1, value]))
    with pytest.raises(ValueError, match="must be above 0"):
        confidence_sequence(VALUES, bound=0)


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_equal_values_get_nearer_bounds_all_the_time(value):
    found = confidence_sequence(np.full(500, value))
    assert found.low[-1] <= value <= found.high[-1]
    assert found.high[-1] - found.low[-1] < 0.1
