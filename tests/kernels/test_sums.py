"""Sums of doubles are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwell.kernels import sums
from rankwell.tables import states

FEW = settings(max_examples=150, deadline=None, derandomize=True)


@FEW
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_sums_by_exponent_are_exact(values):
    upper, lower = sums.by_exponent(np.array(values, np.float64))
    parts = zip(range(2048), upper.tolist(), lower.tolist(), strict=True)
    total = sum(((up << 26) + low) * Fraction(2) ** (max(power, 1) - 1075) for power, up, low in parts)
    assert total == sum(map(Fraction, values))


@FEW
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=60))
def test_few_and_many_values_have_one_exact_sum(values):
    few = sum(states.exact_sum(np.array(values[at : at + 5])) for at in range(0, len(values), 5))
    assert states.exact_sum(np.array(values, np.float64)) == few == sum(map(Fraction, values)) * 2**1127
