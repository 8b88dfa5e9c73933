"""Choices among the rows of a log are those of a sort of all of them."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.prepare.drawing import lowest
from rankwell.prepare.pairs import nth, repeats

TIMES = {
    "few": lambda rng, n: rng.integers(0, 5, n),
    "seconds": lambda rng, n: rng.integers(1_500_000_000, 1_700_000_000, n),
    "nanoseconds that no float tells apart": lambda rng, n: 1_700_000_000_000_000_000 + rng.integers(0, 9, n),
    "the whole range": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "next to each other at both ends": lambda rng, n: rng.choice(
        [-(2**63), -(2**63) + 1, 2**63 - 2, 2**63 - 1], n
    ),
    "floats": lambda rng, n: rng.choice([0.1, 0.2, -5.5, np.inf], n),
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("n", [0, 1, 7, 500])
def test_places_of_rows_are_those_of_a_stable_sort(kind, n):
    rng = np.random.default_rng(n)
    codes, times = rng.integers(0, 6, n), TIMES[kind](rng, n)
    expected = np.zeros(n, np.int64)
    for code in range(6):
        rows = [row for _, row in sorted((times[row].item(), row) for row in range(n) if codes[row] == code)]
        expected[rows] = range(1, len(rows) + 1)
    assert nth(codes, times).tolist() == expected.tolist()


@pytest.mark.parametrize("number", [1, 2, 30, 60])
def test_the_lowest_values_are_the_first_of_a_stable_sort(number):
    values = np.random.default_rng(number).integers(0, 12, 60).astype(np.uint64)
    expected = sorted(range(60), key=values.__getitem__)[:number]
    assert np.flatnonzero(lowest(values, number)).tolist() == sorted(expected)


def test_rows_that_occurred_before_are_marked():
    assert repeats(np.array([7, -1, 7, 7, 2**62, -1])).tolist() == [False, False, True, True, False, True]
    assert repeats(np.empty(0, np.int64)).tolist() == []
