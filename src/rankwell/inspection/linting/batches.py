"""The lists of a run in batches that are held: each is looked at by itself, on all cores, and evaluated without reading it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from rankwell.errors import brief
from rankwell.kernels import order
from rankwell.records import record
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids
from rankwell.tables.places import end_to_end
from rankwell.tables.rows import PART_ROWS, Columns, Lists, Rows
from rankwell.tables.workers import on_all_cores


class HeldRows:
    """The rows of a run as batches of whole lists that are held."""

    grouped = True

    def __init__(self, lists: list[Lists]) -> None:
        self.lists = lists

    @classmethod
    def of(cls, rows: Rows) -> HeldRows:
        """Return rows from a reader, with those of each query together."""
        held = cls(on_all_cores(_made, rows.batches(PART_ROWS)))
        if rows.grouped or not held.lists or held.queries.is_distinct():
            return held
        return cls(on_all_cores(_made, rows.regrouped().batches(PART_ROWS)))

    @property
    def queries(self) -> Ids:
        """The query of each list."""
        return Ids.concatenate([lists.queries for lists in self.lists])

    @property
    def items(self) -> Ids:
        """The item of each row."""
        return Ids.concatenate([lists.items for lists in self.lists])

    def __len__(self) -> int:
        return sum(lists.rows for lists in self.lists)

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:  # noqa: ARG002 - they are made already
        """Yield functions that each return one batch, of the size that it has."""
        for lists in self.lists:
            yield partial(_itself, lists)

    def owned(self) -> HeldRows:
        """Return these rows: they are held."""
        return self

    def regrouped(self) -> HeldRows:
        """Return these rows: they are grouped."""
        return self

    def table(self) -> Columns:
        """Return all rows as columns."""
        first = self.lists[0]
        offsets = offsets_of(np.concatenate([np.diff(lists.offsets) for lists in self.lists]))
        score = np.concatenate([lists.score for lists in self.lists])
        given = None
        if first.given is not None:
            given = np.concatenate([lists.given for lists in self.lists if lists.given is not None])

        rows = Columns(
            None,
            self.items,
            -score if first.by_rank else score,
            place=end_to_end([lists.rows for lists in self.lists], [lists.place for lists in self.lists]),
            by_rank=first.by_rank,
            given_score=given,
            lists=(self.queries, offsets),
        )
        rows.by_place, rows.rank_base = first.by_rank and not first.has_ranks, first.rank_base
        return rows


def _made(make: Callable[[], Lists]) -> Lists:
    return make()


def _itself(lists: Lists) -> Lists:
    return lists


@record
class Marked:
    """Rows that a rule has something to say about: how many there are, and the first of them."""

    count: int
    lists: Lists
    row: int

    @property
    def place(self) -> str:
        """Where the first row stands."""
        return self.lists.place(self.row)

    @property
    def item(self) -> str:
        """The item of the first row, for a message."""
        return brief(self.lists.items.one(self.row))

    @property
    def query(self) -> str:
        """The query of the first row, for a message."""
        at = int(np.searchsorted(self.lists.offsets, self.row, side="right")) - 1
        return brief(self.lists.queries.one(at))


def marked(batches: list[Lists], rows: list[np.ndarray]) -> Marked | None:
    """Return what there is to say of some rows of each batch; None if there are none."""
    found = [(lists, own) for lists, own in zip(batches, rows, strict=True) if len(own)]
    return Marked(sum(len(own) for _, own in found), found[0][0], int(found[0][1][0])) if found else None


def inside(lists: Lists) -> np.ndarray:
    """Return whether each row but the first is of the same list as the row above it."""
    same = np.ones(max(lists.rows - 1, 0), np.bool_)
    begins = lists.offsets[1:-1]
    same[begins[(begins > 0) & (begins < lists.rows)] - 1] = (
        False  # where the list above or below is not empty
    )
    return same


def in_order(lists: Lists, key: np.ndarray) -> np.ndarray | None:
    """Return the rows, those of the highest key first in each list; None if they are in this order already."""
    if not np.any((key[1:] > key[:-1]) & inside(lists)):
        return None
    rows = np.arange(lists.rows)
    order.sort(rows, lists.offsets, key, *Ids.of_integers(rows).columns, order.TIE_RULES["order"])
    return rows
