"""Rows of a run: what one thread works out about some keeps no other thread from others."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

import rankwell as rw
from rankwell.tables import rows
from rankwell.tables.ids import Ids


def test_the_queries_of_some_rows_wait_for_no_other_rows(monkeypatch):
    # before Python 3.12 a lock of all rows is held while one of their properties is worked out: with two orders of such locks,
    # compare(…, engine="stream") of several runs could stand still for ever
    queries, items = Ids.of(["q", "r"]), Ids.of(["a", "b", "c"])
    by_lists = rows.Columns(None, items, None, place=str, lists=(queries, np.array([0, 2, 3])))
    by_column = rows.Columns(Ids.of(["q", "q", "r"]), items, None, place=str)
    found = []
    other = Thread(target=lambda: found.append(by_lists.query.tolist()), daemon=True)
    group_adjacent = rows.group_adjacent

    def slowly(column):
        other.start()
        other.join(20)
        assert found == [["q", "q", "r"]]
        return group_adjacent(column)

    monkeypatch.setattr(rows, "group_adjacent", slowly)
    assert by_column.queries.tolist() == ["q", "r"]


def test_columns_of_different_lengths_are_refused():
    for columns, said in (
        ((["q", "q"], ["a"], [1.0, 2.0]), "the query column has 2 rows, item has 1"),
        ((["q"], ["a"], [1.0, 2.0]), "the query column has 1 rows, score has 2"),
    ):
        with pytest.raises(rw.RankwellError, match=said):
            rw.Run(*columns)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_a_whole_number_that_is_another_one_as_a_float_is_refused_in_its_row(kind):
    rw.Run(["q"], ["a"], np.array([2**53], kind))
    with pytest.raises(rw.RankwellError, match=str(2**53 + 1)):
        rw.Run(["q", "q"], ["a", "b"], np.array([1, 2**53 + 1], kind))
