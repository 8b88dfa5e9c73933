"""Bootstrap weights of units, and percentiles of what is computed with them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.statistics.agreement import cohen, kendall
from rankwell.statistics.bootstrap import around, drawn_weights, percentiles

UNITS = np.arange(40, dtype=np.uint64) * np.uint64(7919)


def test_a_units_weights_do_not_depend_on_the_others():
    [whole] = drawn_weights(UNITS, 200, seed=5)
    [some] = drawn_weights(UNITS[10:3:-1], 200, seed=5)
    assert (whole[:, 10:3:-1] == some).all()
    [other] = drawn_weights(UNITS, 200, seed=6)
    assert (whole != other).any()


def test_weights_are_poisson_with_mean_1():
    [found] = drawn_weights(UNITS, 5000, seed=0)
    shares = [float((found == value).mean()) for value in range(4)]
    told = [math.exp(-1) / math.factorial(value) for value in range(4)]
    assert np.allclose(shares, told, atol=0.005)


def test_replicates_come_in_parts_that_hold_all_of_them():
    many = np.arange(50_000, dtype=np.uint64)
    parts = list(drawn_weights(many, 200, seed=0))
    assert len(parts) > 1
    assert sum(map(len, parts)) == 200


def test_undefined_replicates_are_left_out_and_too_many_leave_nothing():
    drawn = np.append(np.arange(99.0), np.full(60, math.nan))
    assert percentiles(drawn, 0.5) == (24, 74)
    assert all(map(math.isnan, percentiles(np.append(drawn, np.full(60, math.nan)), 0.5)))


@pytest.mark.parametrize("n", [50, 200])
def test_intervals_of_kappa_hold_that_of_the_population(n):
    """Queries differ in how many items are relevant and in how often the second judge errs."""
    random = np.random.default_rng(0)
    size = 4000
    sides = random.multinomial(40, random.dirichlet([4, 1, 1], size)).reshape(size, 3, 1) * random.beta(
        2, 8, (size, 1, 1)
    )
    tables = sides * np.array([[0.0, 0.7, 0.3], [0.5, 0.0, 0.5], [0.1, 0.9, 0.0]])
    tables += np.eye(3) * (sides / np.maximum(sides.sum(axis=1, keepdims=True), 1e-9) * 40 * 0.6)
    values = np.arange(3.0)
    truth = float(cohen(tables.sum(axis=0), values))
    held = 0
    for draw in range(200):
        chosen = random.choice(size, n, replace=False)
        weights = np.concatenate(list(drawn_weights(chosen.astype(np.uint64), 400, seed=draw)))
        drawn = cohen((weights @ tables[chosen].reshape(n, 9)).reshape(-1, 3, 3), values)
        low, high = percentiles(drawn, 0.95)
        held += low <= truth <= high
    assert 0.90 <= held / 200 <= 0.99


def test_percentiles_are_moved_to_the_value_and_cut_at_what_it_can_be():
    drawn = np.arange(99.0)
    assert around(60, drawn, 0.5, (0, 100)) == (35, 85)
    assert around(90, drawn, 0.5, (0, 100)) == (65, 100)
    assert around(5, drawn, 0.5, (0, 100)) == (0, 30)
    assert around(100, np.repeat([0.0, 100.0], [1, 99]), 0.5, (0, 100)) == (
        100,
        100,
    )  # not above what it can be
    assert all(map(math.isnan, around(5, np.full(9, math.nan), 0.5, (0, 1))))


@pytest.mark.parametrize(("systems", "n"), [(10, 30), (40, 50)])
def test_moved_percentiles_hold_the_expected_agreement_of_noisy_leaderboards(systems, n):
    """Values of two metrics with the same true order, and noise of queries, systems and metrics."""
    random = np.random.default_rng(1)
    size, trials = 4000, 60
    skill = np.linspace(0, 1, systems)[:, None]
    one, other = (
        skill + random.normal(0, 1, (1, size)) + random.normal(0, 1, (systems, size)) for _ in range(2)
    )
    found = []
    for trial in range(trials):
        chosen = random.choice(size, n, replace=False)
        weights = np.concatenate(list(drawn_weights(chosen.astype(np.uint64), 300, seed=trial)))
        drawn = kendall(*(weights @ each[:, chosen].T for each in (one, other)))
        value = float(kendall(*(each[:, chosen].mean(axis=1) for each in (one, other))))
        found.append((value, around(value, drawn, 0.95, (-1, 1)), percentiles(drawn, 0.95)))
    expected = np.mean([value for value, _, _ in found])
    held, as_they_are = (sum(each[at][0] <= expected <= each[at][1] for each in found) for at in (1, 2))
    assert held >= 0.9 * trials
    assert held >= as_they_are or systems < 40
