"""Rows of several owners, end to end: lengths, offsets, owners and places say the same."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.tables.csr import offsets_of, owners, owners_of, places_of
from rankwell.tables.sorted_keys import places_among

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
