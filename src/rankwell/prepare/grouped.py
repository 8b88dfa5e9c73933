"""Popularity cuts within groups: each category of items, and each window of time, is cut separately."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from rankwell.display.table import Cell, Column, Kind, Table
from rankwell.prepare.counting import By, popularity
from rankwell.prepare.longtail import LongTail
from rankwell.prepare.pairs import Coded
from rankwell.prepare.reporting import Fact, Share
from rankwell.prepare.windows import Windows
from rankwell.readers.logs import Log
from rankwell.records import cached_property, record
from rankwell.tables.csr import distinct
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items
from rankwell.tables.popularity import PARTS, Cut, Head

NONE = "(none)"
TAIL = PARTS.index("tail")


@record(eq=False)
class Categories:
    """The categories of each item, as pairs of item and category in the order of categories."""

    names: tuple[str, ...]
    item: np.ndarray
    category: np.ndarray

    @classmethod
    def of(cls, items: Items | None, column: str | None, size: int) -> Categories:
        """Return the categories in a column of the items; without a column there is one for all.

        Items without a category share an extra one.
        """
        if items is None or column is None:
            return cls(("",), np.arange(size), np.zeros(size, np.int64))
        groups = items.groups(column)
        bare = np.flatnonzero(groups.lengths == 0)
        item = np.concatenate([np.repeat(np.arange(size), groups.lengths), bare])
        category = np.concatenate([groups.codes, np.full(len(bare), len(groups.names))])
        order = np.argsort(category, kind="stable")
        names = (*groups.names, NONE) if len(bare) else groups.names
        return cls(names, item[order], category[order])

    def members(self) -> list[np.ndarray]:
        """Return the items of each category."""
        return np.split(self.item, np.searchsorted(self.category, np.arange(1, len(self.names))))

    def users(self, item: np.ndarray, user: np.ndarray) -> np.ndarray:
        """Return the number of distinct users of each category in some rows."""
        pairs = pl.DataFrame({"item": self.item, "category": self.category})
        rows = pl.DataFrame({"item": item, "user": user}).unique().join(pairs, on="item")
        found = rows.select("category", "user").unique()["category"].to_numpy()
        return np.bincount(found, minlength=len(self.names))


@record
class Group:
    """A group and its popular items; ``tail`` is None if nobody used any of its items."""

    window: str
    category: str
    tail: LongTail | None
    popular: np.ndarray

    def row(self) -> list[Cell]:
        """Return the report's cells: items, users, volume, popular items and their volume, and the last of them."""
        assert self.tail is not None
        tail, counts = self.tail, self.tail.counts
        inside = tail.order[self.popular[tail.order]]
        last = None if not len(inside) else int(inside[-1])
        return [
            len(counts), tail.users, tail.total, len(inside), counts[self.popular].sum().item() / tail.total,
            None if last is None else str(tail.items.one(last)), None if last is None else counts[last].item(),
        ]  # fmt: skip


@dataclass(frozen=True, eq=False)
class GroupedTail(LongTail):
    """The items by popularity (in the last window), with a head of items that are popular within a group.

    ``popular`` says for each window and item whether it is popular in a group of that window.
    """

    popular: np.ndarray = field(default_factory=lambda: np.zeros((1, 0), np.bool_))
    groups: tuple[Group, ...] = ()
    windows: Windows | None = None
    within: str | None = None

    @cached_property
    def part(self) -> np.ndarray:
        """The part of each item: 0 head, 2 tail."""
        return np.where(self.popular[-1], 0, TAIL)

    def in_head(self, row: np.ndarray, log: Log, facts: dict[str, Fact]) -> np.ndarray:
        """Return which rows of a table are popular in their window, given their items' rows here (-1: none)."""
        if self.windows is None:
            return self.popular[-1][row] & (row >= 0)
        if "time" not in log.words:
            facts["window"] = f"the last one, {self.windows.labels[-1]}: the table has no times"
            return self.popular[-1][row] & (row >= 0)
        facts["rows before the first window, cut as in it"] = self.windows.before(log)
        return self.popular[self.windows.of_rows(log), row] & (row >= 0)

    def facts(self) -> dict[str, Fact]:
        """Return the number of groups, and of groups without interactions or popular items."""
        used = [group for group in self.groups if group.tail is not None]
        found: dict[str, Fact] = {"groups": len(self.groups)}
        found["groups without interactions, left out"] = Share(len(self.groups) - len(used), len(self.groups))
        bare = sum(not group.popular.any() for group in used)
        found["groups without popular items"] = Share(bare, len(used))
        return found

    def by_group(self) -> Table:
        """Return a row per group that has interactions."""
        words = [(self.windows is not None, "window"), (self.within is not None, self.within or "")]
        columns = [Column(word) for there, word in words if there]
        columns += [Column("items", "count"), Column("users", "count")]
        kind: Kind = "count" if self.counts.dtype.kind in "iu" else "value"
        columns += [
            Column(self.volume, kind),
            Column("popular", "count"),
            Column(f"of {self.volume}", "value"),
        ]
        columns += [Column("last popular item"), Column(f"its {self.by}", kind)]
        rows = []
        for group in self.groups:
            if group.tail is not None:
                labels = [group.window] if self.windows is not None else []
                labels += [group.category] if self.within is not None else []
                rows.append([*labels, *group.row()])
        notes = [self.rule, "each group is cut separately; items that nobody used are never popular"]
        notes += (
            [f"an item of several {self.within} is popular if it is popular in one of them"]
            if self.within
            else []
        )
        return Table(columns, rows, caption="groups", notes=notes)


def grouped_tail(
    log: Log, queries: Coded, own: Coded, ids: Ids, place: np.ndarray, *,
    items: Items | None, within: str | None, window: float | str | None, head: Head, by: By, weight: str,
) -> GroupedTail:  # fmt: skip
    """Return the cut of each group of a training log.

    ``place`` is the row of ``ids`` for each item of ``own``.
    """
    categories = Categories.of(items, within, len(ids))
    windows = None if window is None else Windows.of(log, window)
    at = np.zeros(len(log), np.int64) if windows is None else windows.of_rows(log)
    labels = ("",) if windows is None else windows.labels
    popular = np.zeros((len(labels), len(ids)), np.bool_)
    groups: list[Group] = []
    for number, label in enumerate(labels):
        rows = at == number
        found = popularity(log, queries, own, by, weight, rows)
        counts = np.zeros(len(ids), found.dtype)
        counts[place] = found
        users = categories.users(place[own.codes[0][rows]], queries.codes[0][rows])
        inside = categories.members()
        if items is None:
            inside = [members[counts[members] > 0] for members in inside]
        for group, members in _cut(categories.names, inside, users, label, counts, ids, head, by):
            popular[number, members[group.popular]] = True
            groups.append(group)
    last = len(distinct(queries.codes[0][at == len(labels) - 1]))
    name = log.name if windows is None else f"{log.name}, {labels[-1]}"
    return GroupedTail(ids, counts, last, Cut(head), by, name, popular, tuple(groups), windows, within)


def _cut(
    names: Sequence[str], inside: Sequence[np.ndarray], users: np.ndarray, label: str, counts: np.ndarray, ids: Ids,
    head: Head, by: By,
) -> Iterator[tuple[Group, np.ndarray]]:  # fmt: skip
    """The groups of one window, and the items of each."""
    for name, members, size in zip(names, inside, users.tolist(), strict=True):
        if not counts[members].any():
            yield Group(label, name, None, np.zeros(len(members), np.bool_)), members
            continue
        tail = LongTail(ids[members], counts[members], size, Cut(head), by, name)
        yield Group(label, name, tail, (tail.part == 0) & (tail.counts > 0)), members
