"""Choices among the rows of a log are those of a sort of all of them."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.prepare.choices import mark_lowest, order_of
from rankwell.prepare.pairs import add_codes, are_among, are_copies, code_ids, nth, places
from rankwell.readers.logs import read_log
from rankwell.tables.ids import Ids

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
    assert np.flatnonzero(mark_lowest(values, number)).tolist() == sorted(expected)


@pytest.mark.parametrize("most", [3, 2**63])
def test_rows_of_equal_draws_keep_their_order(most):
    drawn = np.random.default_rng(most).integers(0, most, 100).astype(np.uint64)
    assert order_of(drawn).tolist() == sorted(range(100), key=drawn.tolist().__getitem__)


def test_rows_that_occurred_before_are_marked():
    assert are_copies(np.array([7, -1, 7, 7, 2**62, -1])).tolist() == [False, False, True, True, False, True]
    assert are_copies(np.empty(0, np.int64)).tolist() == []


@pytest.mark.parametrize("spread", [3, 40, 2**61])
@pytest.mark.parametrize("n", [0, 1, 2, 60])
def test_repeats_and_matches_are_those_of_sets(spread, n):
    rng = np.random.default_rng(n)
    values, others = (rng.integers(-spread, spread, size) for size in (n, 30))
    values[::4] = rng.choice(others, len(values[::4]))
    assert are_copies(values).tolist() == [value in values[:row] for row, value in enumerate(values)]
    assert are_among(values, others).tolist() == [value in set(others.tolist()) for value in values.tolist()]
    assert not are_among(values, np.empty(0, np.int64)).any()


@pytest.mark.parametrize("low", [-(2**63), -20, 0, 2**63 - 40])
@pytest.mark.parametrize("spread", [1, 40])
def test_integers_are_numbered_by_first_appearance(low, spread):
    listed = [low + int(value) for value in np.random.default_rng(spread).integers(0, spread, 50)]
    far = [*listed, 2**62]  # no narrow range
    for values in (listed, far):
        codes, firsts = Ids.of(values).group()
        distinct = list(dict.fromkeys(values))
        assert [distinct[code] for code in codes] == values
        assert firsts.tolist() == [values.index(value) for value in distinct]


@pytest.mark.parametrize("kinds", ["iii", "sss", "iis", "sii", "ssi"])
def test_codes_of_one_more_table_are_those_of_all_tables_at_once(kinds):
    rng = np.random.default_rng(0)
    logs = []
    for kind in kinds:
        users, items = (rng.integers(0, 30, 40).tolist() for _ in range(2))
        columns = {"user": users, "item": items}
        logs.append(
            read_log({word: [str(n) if kind == "s" else n for n in ids] for word, ids in columns.items()})
        )
    for word in ("query", "item"):
        whole, by_parts = code_ids(logs, word), add_codes(code_ids(logs[:2], word), logs[2], word)
        assert whole.ids.tolist() == by_parts.ids.tolist()
        for one, other in zip(whole.codes, by_parts.codes, strict=True):
            assert one.tolist() == other.tolist()


def test_ranks_that_count_the_rows_of_lists_are_their_places():
    lists = {"user": ["b", "b", "a", "a", "a"], "item": [5, 1, 2, 3, 9]}
    assert places(read_log({**lists, "rank": [1, 2, 1, 2, 3]}, "rank")).tolist() == [1, 2, 1, 2, 3]
    assert places(read_log({**lists, "rank": [2, 1, 1, 2, 3]}, "rank")).tolist() == [2, 1, 1, 2, 3]
    assert places(read_log({**lists, "rank": [1, 2, 1, 5, 9]}, "rank")).tolist() == [1, 2, 1, 2, 3]
