"""Ranked: columns that are made when somebody reads them, against the same columns given."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from rankwell.tables.ranked import Ranked

COUNTS = ([3, 0, 1, 5], [], [0, 0], [2, 2, 2])


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("k", [1, 2, 4, 5, None])
def test_whole_lists_have_the_columns_that_their_counts_tell(counts, k):
    pairs = [(query, rank) for query, count in enumerate(counts) for rank in range(1, count + 1)]
    query, rank = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    grade, item = np.arange(len(pairs)) / 2, np.arange(len(pairs)) * 3
    top = Ranked(len(counts), None, None, grade, item=item, counts=np.array(counts, np.int64)).top(k)
    given = Ranked(len(counts), query, rank, grade, item=item).top(k)
    for name in ("query", "rank", "grade", "item"):
        assert getattr(top, name).tolist() == getattr(given, name).tolist()
        assert getattr(top, name).dtype == getattr(given, name).dtype
    assert top.count().tolist() == given.count().tolist() == [min(count, k or count) for count in counts]
    assert top.nth().tolist() == given.nth().tolist() == given.rank.tolist()
    assert len(top) == len(given)


def test_columns_of_chosen_rows_are_those_of_their_table_and_are_taken_when_they_are_read():
    numbers = np.arange(6)
    table = Ranked(3, numbers // 2, numbers % 2 + 1, numbers / 2, item=numbers * 7, tie_size=numbers + 1)
    chosen = table.where(numbers != 2).where(np.array([0, 2, 4]))
    assert "item" not in vars(chosen)
    assert chosen.item.tolist() == [0, 21, 35]
    assert "item" in vars(chosen)
    assert chosen.score is None
    held = table.of_queries(np.array([0, 2]))
    assert vars(held)["tie_size"].tolist() == [1, 2, 5, 6]
    with pytest.raises(AttributeError, match="no other"):
        _ = chosen.other


def test_a_table_and_its_first_rows_do_not_keep_each_other_alive():
    numbers = np.arange(6)
    table = Ranked(2, numbers // 3, numbers % 3 + 1, numbers / 2, item=numbers)
    top = table.where(numbers > 0).top(2)
    alive = weakref.ref(table)
    del table
    assert alive() is None
    assert top.item.tolist() == [1, 3, 4]
