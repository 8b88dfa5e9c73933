"""Bootstrap weights of units, and percentiles of what is computed with them."""

from __future__ import annotations

import math

import numpy as np

from rankwell.statistics.resampled import drawn_weights, percentiles

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
