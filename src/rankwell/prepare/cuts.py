"""Popularity cuts within groups: each category of items, and each window of time, is cut separately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from rankwell.display.table import Cell, Column, Kind, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.prepare.leaks import DAY, moments
from rankwell.prepare.longtail import LongTail
from rankwell.prepare.pairs import Coded, are_copies, keys
from rankwell.prepare.report import Fact, Share, such_as
from rankwell.readers import read_items
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.logs import Log
from rankwell.records import cached_property, record
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.lists import distinct
from rankwell.tables.popularity import PARTS, Cut, Head, Rule, Ties

By = Literal["users", "events", "weight"]
NONE = "(none)"
TAIL = PARTS.index("tail")
PERIODS = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}


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
        order = np.argsort(
            category, kind="stable"
        )  # items of a category stay ascending, as members() gives them
        names = (*groups.names, NONE) if len(bare) else groups.names
        return cls(names, item[order], category[order])

    def members(self) -> list[np.ndarray]:
        """Return the items of each category."""
        return np.split(self.item, np.searchsorted(self.category, np.arange(1, len(self.names))))

    def users(self, item: np.ndarray, user: np.ndarray) -> np.ndarray:
        """Return the number of distinct users of each category in some rows."""
        pairs = pl.DataFrame({"item": self.item, "category": self.category})
        rows = pl.DataFrame({"item": item, "user": user}).unique().join(pairs, on="item")
        of_users = rows.select("category", "user").unique()["category"].to_numpy()
        return np.bincount(of_users, minlength=len(self.names))


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


@dataclass(frozen=True, eq=False, repr=False)
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
        facts: dict[str, Fact] = {"groups": len(self.groups)}
        facts["groups without interactions, left out"] = Share(len(self.groups) - len(used), len(self.groups))
        bare = sum(not group.popular.any() for group in used)
        facts["groups without popular items"] = Share(bare, len(used))
        return facts

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


def cut_groups(
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
        used = popularity(log, queries, own, by, weight, rows)
        counts = np.zeros(len(ids), used.dtype)
        counts[place] = used
        users = categories.users(place[own.codes[0][rows]], queries.codes[0][rows])
        inside = categories.members()
        if (
            items is None
        ):  # without a catalogue a window has the items used in it, as if the log had no other rows
            inside = [members[counts[members] > 0] for members in inside]
        for group, members in _cut_window(categories.names, inside, users, label, counts, ids, head, by):
            popular[number, members[group.popular]] = True
            groups.append(group)
    # the tail as a whole is that of the last window, so its users are too
    last = len(distinct(queries.codes[0][at == len(labels) - 1]))
    name = log.name if windows is None else f"{log.name}, {labels[-1]}"
    return GroupedTail(ids, counts, last, Cut(head), by, name, popular, tuple(groups), windows, within)


def _cut_window(
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


def popularity(
    log: Log, queries: Coded, items: Coded, by: By, weight: str, rows: np.ndarray | None = None
) -> np.ndarray:
    """Return the popularity of each item in a log, or in some rows: its number of users, of rows, or the sum of weights.

    Raises
    ------
    UsageError, DataError
        If there is no column of weights, or a weight is negative or not a number.
    """
    taken = slice(None) if rows is None else rows
    own, size = items.codes[0][taken], len(items)
    if by == "events":
        return np.bincount(own, minlength=size)
    if by == "users":
        return np.bincount(own[~are_copies(keys(queries, items, 0)[taken])], minlength=size)
    weights = log.named_numbers(weight)
    if weights.min() < 0:
        row = int(weights.argmin())
        raise DataError(f"{log.place(row)}: the {weight} is {weights[row]:g}; a weight must be at least 0.")
    return np.bincount(own, weights=weights[taken], minlength=size)


def head_of(by: By, ties: Ties, rules: Mapping[Rule, float | None]) -> Head:
    """Return the cut for the one rule that is given.

    Raises
    ------
    UsageError
        If none or several are given, or the rule does not fit the other arguments.
    """
    rules_given = {rule: at for rule, at in rules.items() if at is not None}
    if len(rules_given) != 1:
        named = [
            ["share_of_volume" if rule == "volume" else rule for rule in some]
            for some in (rules_given, rules)
        ]
        raise UsageError(
            f"PopularityCut needs exactly one rule, not {' and '.join(named[0]) or 'none'}; give {one_of(named[1])}, such as top=100."
        )
    if by not in ("users", "events", "weight"):
        raise UsageError(f"by={brief(by)}: must be users, events or weight.")
    if ties not in ("in", "out"):
        raise UsageError(
            f"ties={brief(ties)}: must be 'in' (equally popular items at the cut are in the head) or 'out'."
        )
    if "reach" in rules_given and by != "users":
        raise UsageError(
            f"reach={rules_given['reach']:g} is a share of the users, so it needs by='users', not {brief(by)}."
        )
    return Head(*next(iter(rules_given.items())), ties)


def in_catalogue(
    log: Log, own: Coded, items: Any, *, with_columns: bool
) -> tuple[Items | None, Ids, np.ndarray]:
    """Return the table of items, if there is one, the ids of all items, and the index among them of each of the log's items.

    Raises
    ------
    DataError
        If an item of the log is not in the catalogue.
    """
    if items is None:
        return None, own.ids, np.arange(len(own))
    table = (read_catalogue if with_columns else read_items)(items)
    place = Known(table.item).rows_of(own.ids, "item")
    outside = np.flatnonzero(place < 0)
    if len(outside):
        raise DataError(
            f"{log.name} has {len(outside):,} item(s) outside the catalogue{such_as(own.names(outside))}. Complete it, or "
            f"fit without items=."
        )
    return table, table.item, place


@record(eq=False)
class Windows:
    """The windows in which a log has rows: the start of each (in microseconds), and its label."""

    starts: np.ndarray
    labels: tuple[str, ...]

    @classmethod
    def of(cls, log: Log, window: float | str) -> Windows:
        """Return the windows of a log: periods of some days, counted back from its newest row, or calendar periods (UTC).

        Raises
        ------
        UsageError, DataError
            If the window is not a number of days or a period, or the times are not moments.
        """
        refuse_window(window)
        times = moments(log)
        if isinstance(window, str):
            begun = pl.Series(times).cast(pl.Datetime("us")).dt.truncate(PERIODS[window])
            starts = distinct(begun.to_physical().to_numpy())
        else:
            length = max(round(window * DAY), 1)
            newest = int(times.max())
            # the newest row is the last moment of its window, so that the last window is a whole one
            starts = newest + 1 - length * (distinct((newest - times) // length)[::-1] + 1)
        dates = pl.Series(starts).cast(pl.Datetime("us"))
        whole = bool((dates.dt.truncate("1d") == dates).all())
        texts = dates.dt.strftime("%Y-%m-%d" if whole else "%Y-%m-%d %H:%M:%S").to_list()
        return cls(starts, tuple(f"from {text}" for text in texts))

    def of_rows(self, log: Log) -> np.ndarray:
        """Return the window of each row: the last one that has begun, or the first."""
        return np.maximum(np.searchsorted(self.starts, moments(log), "right") - 1, 0)

    def before(self, log: Log) -> int:
        """Return how many rows are older than the first window."""
        return int(np.sum(moments(log) < self.starts[0]))


def refuse_window(window: float | str) -> None:
    """Raise UsageError unless a window is a number of days or a period."""
    if isinstance(window, str) and window not in PERIODS:
        raise UsageError(
            f"window={brief(window)}: must be a number of days, or {one_of(PERIODS)}.{nearest(window, PERIODS)}"
        )
    if not isinstance(window, str) and not 0 < window < float("inf"):
        raise UsageError(f"window={brief(window)}: the number of days must be above 0.")
