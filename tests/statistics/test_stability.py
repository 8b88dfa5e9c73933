"""Swaps between disjoint halves: against all divisions of few units, and a plain loop over comparisons."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rankwell.statistics.agreement import swaps

UNITS = np.arange(60, dtype=np.uint64) * np.uint64(104_729)


def all_divisions(values, size):
    """The rate of swaps, the share of ties, and the differences, over all ordered pairs of disjoint sets."""
    units = range(values.shape[1])
    rows = []
    for one in itertools.combinations(units, size):
        for other in itertools.combinations(sorted(set(units) - set(one)), size):
            for left, right in itertools.combinations(range(len(values)), 2):
                rows.append(
                    [
                        (values[left, list(chosen)] - values[right, list(chosen)]).mean()
                        for chosen in (one, other)
                    ]
                )
    first, second = np.array(rows).T
    decided = (abs(first) > 1e-9) & (abs(second) > 1e-9)
    return (first * second < 0)[decided].mean(), 1 - decided.mean()


@pytest.mark.parametrize(("seed", "size"), [(0, 2), (1, 3), (2, 3)])
def test_many_divisions_give_the_shares_of_all(seed, size):
    values = np.random.default_rng(seed).integers(0, 4, (3, 7)) / 3
    rate, tied = all_divisions(values, size)
    found = swaps(values, UNITS[:7], size, times=20_000, seed=seed)
    assert (found.rate, found.tied) == pytest.approx((rate, tied), abs=0.015)
    assert found.size == size


def test_an_order_that_every_unit_has_is_never_swapped_and_equal_rows_are_always_tied():
    values = np.tile([[0.9], [0.5], [0.1]], 20)
    found = swaps(values, UNITS[:20], 10, times=50, seed=0)
    assert (found.rate, found.tied, found.reached) == (0, 0, 1)
    assert found.needed == pytest.approx(0.4)
    same = swaps(values[:1].repeat(2, axis=0), UNITS[:20], 10, times=50, seed=0)
    assert math.isnan(same.rate)
    assert same.tied == 1


def test_noise_alone_is_swapped_half_of_the_time_or_more():
    found = swaps(np.random.default_rng(0).random((8, 60)), UNITS, 10, times=400, seed=0)
    assert 0.35 < found.rate < 0.65
    assert found.reached < 0.05


def test_more_units_swap_less():
    random = np.random.default_rng(1)
    values = np.arange(5)[:, None] * 0.1 + random.random((5, 60))
    rates = [swaps(values, UNITS, size, times=300, seed=0).rate for size in (5, 15, 30)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < rates[0] / 2


def test_the_difference_needed_is_the_least_that_holds_the_error():
    random = np.random.default_rng(2)
    values = np.arange(4)[:, None] * 0.08 + random.random((4, 40))
    found = swaps(values, UNITS[:40], 20, times=500, seed=3)
    assert 0 < found.reached < 1
    again = swaps(values, UNITS[:40], 20, times=500, seed=3, most=0.10)
    assert again.needed < found.needed
    assert again.reached > found.reached


def test_the_order_of_units_does_not_matter():
    values = np.random.default_rng(4).random((4, 30))
    order = np.random.default_rng(5).permutation(30)
    one = swaps(values, UNITS[:30], 10, times=100, seed=0)
    other = swaps(values[:, order], UNITS[:30][order], 10, times=100, seed=0)
    assert tuple(one) == pytest.approx(tuple(other), nan_ok=True)
