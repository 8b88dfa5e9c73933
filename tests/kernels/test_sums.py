"""Sums of doubles are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwell.kernels import sums
from rankwell.tables import states

FEW = settings(max_examples=150, deadline=None, derandomize=True)


EDGES = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, np.nextafter(2.0**-1022, 0), 1.7976931348623157e308, 1.0]
FINITE = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(EDGES))


@FEW
@given(st.lists(FINITE), st.integers(1, 60))
def test_a_sum_of_doubles_is_the_sum_of_fractions(values, times):
    assert sums.exact(np.array(values * times, np.float64)) == sum(map(Fraction, values)) * times * 2**1127


@FEW
@given(st.lists(FINITE, max_size=60))
def test_parts_of_values_have_the_sum_of_all(values):
    parts = sum(states.exact_sum(np.array(values[at : at + 5])) for at in range(0, len(values), 5))
    assert states.exact_sum(np.array(values, np.float64)) == parts


@FEW
@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-9, 9), st.floats(0, 1)), max_size=40))
def test_sums_per_query_are_those_of_numpy_to_the_bit(rows):
    rows = sorted(rows, key=lambda row: row[0])
    query, gain, weight = (np.array([row[place] for row in rows], kind) for place, kind in enumerate("qdd"))
    below = np.array([1.0, 0.0, 3.0, -0.0, np.inf])
    expected = np.bincount(query, weights=gain * weight, minlength=5) / np.where(below == 0, np.nan, below)
    assert np.array_equal(sums.ratios(query, gain, weight, below), expected, equal_nan=True)


def test_undefined_values_are_counted_and_the_first_infinite_one_is_named():
    assert sums.undefined(np.array([])) == (0, -1)
    assert sums.undefined(np.array([1.0, 0.0, -5e-324, 1.7976931348623157e308])) == (0, -1)
    assert sums.undefined(np.array([np.nan, 1.0, -np.inf, np.nan, np.inf])) == (2, 2)


def test_a_number_beyond_a_limit_is_seen_on_both_sides_and_nan_is_none():
    assert not sums.any_beyond(np.array([np.nan, 2.0, -2.0]), 2.0)
    assert sums.any_beyond(np.array([np.nan, 2.5]), 2.0)
    assert sums.any_beyond(np.array([-np.inf, np.nan]), 2.0)


@FEW
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(1, 12), st.floats(-9, 9)), unique_by=lambda row: row[:2]
    ),
    st.sampled_from([1, 3, 8, 2**53]),
)
def test_sums_down_to_a_rank_are_those_of_the_rows_above_it_to_the_bit(rows, k):
    rows = sorted(rows)
    query, rank, gain = (np.array([row[place] for row in rows], kind) for place, kind in enumerate("qqd"))
    nth = np.array([sum(other[0] == row[0] and other[1] <= row[1] for other in rows) for row in rows], "q")
    top = np.flatnonzero(rank <= k)
    below, weights = np.array([1.0, 0.0, 3.0, 7.0, np.inf]), 1 / np.log2(np.arange(1, min(k, 12) + 1) + 1.0)

    def over(chosen, terms):
        whole = np.bincount(query[chosen], weights=terms, minlength=5)
        return (whole / np.where(below == 0, np.nan, below)).tobytes()

    first = top[nth[top] == 1]
    assert sums.shares(query, rank, k, below).tobytes() == over(top, np.ones(len(top)))
    assert sums.precisions(query, rank, k, below).tobytes() == over(top, nth[top] / rank[top])
    assert sums.reciprocals(query, rank, k, below).tobytes() == over(first, 1.0 / rank[first])
    discounted = sums.until(query, rank, k, gain, weights, below)
    assert discounted.tobytes() == over(top, gain[top] * weights[rank[top] - 1])
