"""Rows of several owners, end to end: lengths, offsets, owners and places say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwell.kernels import rank_columns
from rankwell.tables import lists
from rankwell.tables.lists import are_places, offsets_of, owners, owners_of, places_among, places_of

CASES = ([], [0], [3], [0, 0, 2], [2, 0, 3, 1, 0], [1] * 5)


@pytest.mark.parametrize("lengths", CASES)
def test_offsets_owners_and_places_are_those_of_a_plain_loop(lengths):
    rows = [(owner, place) for owner, length in enumerate(lengths) for place in range(1, length + 1)]
    given = np.array(lengths, np.int64)
    assert offsets_of(given).tolist() == [sum(lengths[:end]) for end in range(len(lengths) + 1)]
    assert owners_of(given).tolist() == owners(offsets_of(given)).tolist() == [owner for owner, _ in rows]
    assert places_of(given).tolist() == [place for _, place in rows]


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.bool_])
def test_offsets_and_owners_are_64_bit_whatever_the_lengths_are(kind):
    lengths = np.array([1, 0, 1]).astype(kind)
    assert offsets_of(lengths).dtype == np.int64
    assert owners_of(lengths.astype(np.int64)).dtype == np.int64
    assert owners(np.array([0, 1, 3], np.int32)).dtype == np.int64


def test_places_among_sorted_keys_are_those_that_a_list_finds():
    keys, wanted = [0, 3, 4, 9], list(range(-1, 12))
    expected = [keys.index(key) if key in keys else -1 for key in wanted]
    assert places_among(np.array(keys), np.array(wanted)).tolist() == expected
    assert places_among(np.empty(0, np.int64), np.array([0, 5])).tolist() == [-1, -1]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([0, 1, 2, 3, 4, 1.5, -1, np.inf]), max_size=4), max_size=5),
    st.sampled_from([0, 1]),
    st.booleans(),
)
def test_numbers_are_places_and_ranks_without_gaps_as_a_plain_loop_finds(lists, base, in_order):
    if in_order:
        lists = [[float(rank) for rank in range(base, base + len(each))] for each in lists]
    offsets = offsets_of(np.array([len(each) for each in lists], np.int64))
    numbers = np.array([number for each in lists for number in each], np.float64)
    wanted = [list(range(base, base + len(each))) for each in lists]
    assert rank_columns.are_closed(offsets, -numbers, base) == all(
        sorted(each) == one for each, one in zip(lists, wanted, strict=True)
    )
    places = [list(range(1, len(each) + 1)) for each in lists]
    assert are_places(numbers, offsets) == (lists == places)
    if lists == places:
        assert are_places(numbers.astype(np.int8), offsets)


def test_places_are_looked_for_beyond_the_first_owners(monkeypatch):
    monkeypatch.setattr(lists, "SLICE", 2)
    numbers, offsets = np.array([1, 1, 2, 1, 1, 2]), np.array([0, 1, 3, 4, 6])
    assert are_places(numbers, offsets)
    for row in range(len(numbers)):
        assert not are_places(numbers + (np.arange(len(numbers)) == row), offsets)
