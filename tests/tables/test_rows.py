"""Rows of a run: what one thread works out about some keeps no other thread from others."""

from __future__ import annotations

from threading import Thread

import numpy as np

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
