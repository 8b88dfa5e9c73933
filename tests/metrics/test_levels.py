"""Levels of recall: how many hits reach one, in whole numbers of any size, beside Python's fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwell as rw
from rankwell.metrics.binary.precision_recall import needed_hits


@given(st.floats(0, 1), st.lists(st.integers(0, 10**6), max_size=5))
def test_the_hits_that_reach_a_level_are_those_of_fractions(level, relevant):
    expected = [math.ceil(Fraction(repr(level)) * each) for each in relevant]
    assert needed_hits(level, np.array(relevant, np.int64), "exact").tolist() == expected


@pytest.mark.parametrize("level", [0.12345678901234568, 1e-300, 5e-324, 0.9999999999999999])
def test_a_level_of_many_digits_is_reached_where_fractions_say(level):
    """1,000 relevant items, one at every other rank: precision at or after the rank that reaches the level."""
    run = {"q": [f"d{number}" for number in range(2000)]}
    qrels = {"q": [f"d{number}" for number in range(0, 2000, 2)]}
    needed = max(math.ceil(Fraction(repr(level)) * 1000), 1)
    expected = max(hits / (2 * hits - 1) for hits in range(needed, 1001))
    assert rw.evaluate(run, qrels, rw.IPrec(level=level))[rw.IPrec(level=level)] == pytest.approx(
        expected, abs=1e-15
    )
