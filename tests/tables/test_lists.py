"""Ranked: columns that are made when somebody reads them, against the same columns given."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from rankwell.tables.lists import Ranked

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
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = chosen.other


def test_a_table_and_its_first_rows_do_not_keep_each_other_alive():
    numbers = np.arange(6)
    table = Ranked(2, numbers // 3, numbers % 3 + 1, numbers / 2, item=numbers)
    top = table.where(numbers > 0).top(2)
    alive = weakref.ref(table)
    del table
    assert alive() is None
    assert top.item.tolist() == [1, 3, 4]


@pytest.mark.parametrize("are_tops", [False, True])
@pytest.mark.parametrize("queries", [[1, 2, 3], [0], [3, 4], [0, 1, 2, 3, 4], [0, 3], [4, 0, 3], [1], []])
def test_rows_of_queries_are_those_that_a_loop_picks(queries, are_tops):
    """In any order, next to each other or not, also of a table that takes its columns from another."""
    counts = [3, 0, 1, 5, 2]
    pairs = [(query, rank) for query, count in enumerate(counts) for rank in range(1, count + 1)]
    query, rank = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    columns = {"grade": rank / 4, "item": query * 10 + rank, "place": None if are_tops else rank}
    if are_tops:
        given = Ranked(len(counts), None, None, **columns, counts=np.array(counts))
    else:
        whole = Ranked(len(counts) + 1, query, rank * 2, **columns)
        given = whole.where(np.ones(len(pairs), np.bool_))
        given.queries = len(counts)
    found = given.of_queries(np.array(queries, np.int64))
    told = [(to, own * (1 if are_tops else 2), own, at * 10 + own)
            for to, at in enumerate(queries) for owner, own in pairs if owner == at]  # fmt: skip
    rows = zip(
        found.query.tolist(),
        found.rank.tolist(),
        (found.grade * 4).tolist(),
        found.item.tolist(),
        strict=True,
    )
    assert [*rows] == told
    assert (found.queries, found.count().tolist()) == (len(queries), [counts[at] for at in queries])
    assert found.places().tolist() == [row[2] for row in told]
    assert found.top(2).item.tolist() == [row[3] for row in told if row[1] <= 2]
    assert found.score is None


def test_rows_of_queries_next_to_each_other_are_views():
    numbers = np.arange(6)
    table = Ranked(3, numbers // 2, numbers % 2 + 1, numbers / 2, item=numbers * 7)
    assert np.shares_memory(table.of_queries(np.array([1, 2])).item, table.item)
