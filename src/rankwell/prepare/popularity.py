"""Popularity: popular items found in the training data by one rule, in all or within each category or window of time; dropped, capped,
relabelled or marked in any table; lists refilled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from rankwell.display.table import Cell, Column, Kind, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.prepare.choices import chances
from rankwell.prepare.leaks import DAY, moments
from rankwell.prepare.longtail import LongTail
from rankwell.prepare.pairs import Coded, are_copies, code_ids, keys, n_distinct, nth, places
from rankwell.prepare.report import Fact, Prepared, Report, Share, such_as
from rankwell.readers import read_items
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.logs import Log, read_log
from rankwell.records import cached_property, record
from rankwell.tables.arguments import checked
from rankwell.tables.columns import known_word
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


Action = Literal["drop", "cap", "relabel", "mark"]
ACTIONS = ("drop", "cap", "relabel", "mark")
DUMMY = "(popular)"


class PopularityCut:
    """A rule for which items are popular, fitted on the training data alone and applied to any table.

    Exactly one rule is given. Popular items are the head, all others the tail, including those missing from the training data.

    Parameters
    ----------
    by
        How to count popularity: distinct ``users``, ``events`` (rows), or the sum of the column ``weight``.
    share_of_volume
        The most popular items until they have at least this share of all interactions.
    top
        This many items.
    fraction
        This share of the items, rounded up.
    reach
        Items of more than this share of the users.
    count
        Items with more than this many users (events, weight).
    quantile
        Items strictly above this quantile of the counts.
    iqr
        Items strictly above Q3 + iqr · (Q3 − Q1) of the counts; 1.5 is usual.
    ties
        Whether items as popular as the last one of the head are all ``in`` the head or all ``out`` of it.
    weight
        The column of weights, for ``by="weight"``.
    within
        A column of the items table: each of its categories is cut separately, as if the log had no other items. An item of
        several categories is popular if it is popular in one; items without a category share an extra one.
    window
        A number of days, counted back from the newest training row, or ``day``, ``week``, ``month``, ``quarter`` or ``year``
        (UTC): each window is cut separately, as if the log had no other rows. Rows of other tables are cut as in the last
        window begun by their time; tables without times, lists and ``slices=`` as in the last window.

    Raises
    ------
    UsageError
        If no rule or several are given, or the number does not fit the rule.

    Notes
    -----
    In groups (``within``, ``window``) an item that nobody used is never popular, and a group without interactions is left out
    and counted. ``action="cap"`` is refused there: popularity differs between groups.

    Examples
    --------
    >>> train = {"ann": ["a", "b", "c"], "bob": ["a", "b"], "cid": ["a", "d"], "dee": ["a"]}
    >>> cut = PopularityCut(top=1).fit(train)
    >>> cut.items_
    ['a']
    >>> test = {"ann": {"a": 1, "d": 1}, "bob": {"a": 1}}
    >>> kept, report = cut.apply(test)
    >>> kept.rows()
    [('ann', 'd', 1.0)]

    Reference
        Leaving out popular items changes the question: also report head, tail and all side by side
        (``rankwell.evaluate(…, slices=cut)``). P. Cremonesi, Y. Koren and R. Turrin, Performance of recommender algorithms on
        top-N recommendation tasks, RecSys 2010 (long-tail test set).
    """

    @checked
    def __init__(
        self,
        *,
        by: By = "users",
        share_of_volume: float | None = None,
        top: int | None = None,
        fraction: float | None = None,
        reach: float | None = None,
        count: float | None = None,
        quantile: float | None = None,
        iqr: float | None = None,
        ties: Ties = "in",
        weight: str = "weight",
        within: str | None = None,
        window: float | str | None = None,
    ) -> None:
        rules: dict[Rule, float | None] = {
            "volume": share_of_volume, "top": top, "fraction": fraction, "reach": reach,
            "count": count, "quantile": quantile, "iqr": iqr,
        }  # fmt: skip
        self.head = head_of(by, ties, rules)
        if window is not None:
            refuse_window(window)
        self.by, self.weight, self.within, self.window = by, weight, within, window
        self.tail_: LongTail | None = None

    def __repr__(self) -> str:
        return f"PopularityCut: {self.head.rule} {self.head.at:g}{'' if self.tail_ else ', not fitted'}"

    def fit(
        self,
        train: Any,
        items: Any = None,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> PopularityCut:
        """Find the popular items in the training data, and return the cut.

        Parameters
        ----------
        train
            A path, a data frame, records, or a dict.
        items
            The catalogue, so that items that nobody used count for ``fraction``, ``quantile`` and ``iqr``; with ``within`` a
            table that has this column.
        columns
            Which column is which, if the name does not say.
        name
            What to call the training data in reports.

        Raises
        ------
        RankwellError
            If the data cannot be read, lack a column, or have items outside the catalogue.
        """
        if self.within is not None and items is None:
            raise UsageError(
                f"within={brief(self.within)} is a column of the items: give items=, a table with that column."
            )
        timed = () if self.window is None else ("time",)
        called = name or (None if isinstance(train, str) else "train")
        log = read_log(train, *timed, columns=columns, name=called)
        queries, own = code_ids([log], "query"), code_ids([log], "item")
        table, ids, place = in_catalogue(log, own, items, with_columns=self.within is not None)
        if self.within is not None or self.window is not None:
            self.tail_ = cut_groups(
                log, queries, own, ids, place, items=table, within=self.within, window=self.window, head=self.head,
                by=self.by, weight=self.weight,
            )  # fmt: skip
            return self
        used = popularity(log, queries, own, self.by, self.weight)
        counts = np.zeros(len(ids), used.dtype)  # 0 for items of the catalogue that nobody used
        counts[place] = used
        self.tail_ = LongTail(ids, counts, len(queries), Cut(self.head), by=self.by, name=log.name)
        return self

    @property
    def fitted(self) -> LongTail:
        """The long tail of the training data; raises UsageError before ``fit``."""
        if self.tail_ is None:
            raise UsageError("the cut is not fitted; call PopularityCut(…).fit(train) first.")
        return self.tail_

    @property
    def items_(self) -> list[str] | list[int]:
        """The popular items, most popular first."""
        tail = self.fitted
        return tail.items[tail.order[tail.part[tail.order] == 0]].tolist()

    def parts(self, items: Ids) -> dict[str, Items]:
        """Return head and tail of some items, in the form that ``slices=`` of evaluate takes."""
        return self.fitted.parts(items)

    def to_frame(self) -> pl.DataFrame:
        """Return all items of the training data with popularity and part, most popular first."""
        return self.fitted.to_frame()

    def summary(self) -> Report:
        """Describe the cut: how many items are popular, their share of the volume, and where the cut lies."""
        tail = self.fitted
        boundary = tail.boundary
        title = f"Popularity cut of {tail.name}"
        facts: dict[str, Fact] = {
            "popular items": Share(len(self.items_), len(tail.items)),
            f"their {tail.volume}": Share(tail.counts[tail.part == 0].sum().item(), tail.total),
        }
        if isinstance(tail, GroupedTail):
            return Report(title, facts | tail.facts(), (tail.by_group(),))
        facts |= {
            "last item of the head": "none" if boundary is None else brief(tail.items.one(boundary)),
            f"its {self.by}": None if boundary is None else tail.counts[boundary].item(),
            "items as popular as it": 0
            if boundary is None
            else int(np.sum(tail.counts == tail.counts[boundary])),
            "most popular item of the tail": tail.highest_of_tail,
        }
        return Report(title, facts, (tail.table(),))

    def apply(
        self,
        table: Any,
        action: Action = "drop",
        *,
        refill: int | None = None,
        cap: float | None = None,
        label: str | int | None = None,
        into: str = "popular",
        seed: int = 0,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Prepared:
        """Drop, cap, relabel or mark the popular items of a table: training data, judgements, or lists.

        Parameters
        ----------
        table
            A path, a data frame, records, or a dict; all its columns are kept.
        action
            ``drop`` removes the rows of popular items. ``cap`` keeps 1/c of the rows, rounded up and drawn at random, of an item
            that is c times as popular as ``cap``: ``cap`` rows of each in the training data, and the corresponding number in
            another table. ``relabel`` gives all popular items one id. ``mark`` adds a column.
        refill
            For lists that are longer than needed: the length to which they are cut after rows were dropped, so that lower
            positions move up; ranks are renumbered, and lists that stay shorter are counted.
        cap
            The popularity to which items are cut; default: that of the most popular item of the tail.
        label
            The id for ``relabel``; default: ``(popular)`` for text ids.
        into
            The column for ``mark``: true for popular items.
        seed
            For the rows that ``cap`` keeps.
        columns, name
            Which column is which, if the name does not say; what to call the table in the report.

        Returns
        -------
        Prepared
            The table, and the report: rows, items and queries before and after, queries left without rows.

        Raises
        ------
        RankwellError
            If the table cannot be read, lacks a column, or nothing would be left of it.
        """
        tail = self.fitted
        refuse(action, refill, cap, label)
        if action == "cap" and isinstance(tail, GroupedTail):
            raise UsageError(
                "action='cap' needs one popularity per item, but groups have their own; use drop, relabel or mark."
            )
        ranked = () if refill is None else ("rank", "score")
        log = read_log(table, *ranked, columns=columns, name=name, perhaps=("time",))
        row = Known(tail.items).rows_of(log.ids("item"), "item")
        facts: dict[str, Fact] = {"rows": len(log)}
        if isinstance(tail, GroupedTail):
            popular = tail.in_head(row, log, facts)
        else:
            popular = (row >= 0) & (tail.part[row] == 0)  # -1, an item that training lacks, is never popular
        facts["rows of popular items"] = Share(int(popular.sum()), len(log))
        notes: list[str] = []
        frame, keep = log.frame, np.ones(len(log), np.bool_)
        if action == "mark":
            frame = frame.with_columns(pl.Series(into, popular))
        elif action == "relabel":
            frame = relabel(log, popular, label, facts, notes)
        elif action == "drop":
            keep = ~popular
        else:
            facts["cap"] = most = self._cap(cap)
            keep = cap_rows(log, row, popular, tail.counts, most, seed, notes)
        if refill is not None:
            refuse_logs(log)
            frame, keep = refill_lists(log, keep, refill, facts)
        facts |= count_left(log.replaced(frame), keep)
        if not keep.any():
            raise DataError(
                f"{log.name}: no row is left; every item is popular by this cut. Use a smaller head."
            )
        title = f"Popular items of {log.name}: {action}"
        return Prepared(frame.filter(pl.Series(keep)), Report(title, facts, (), tuple(notes)))

    def _cap(self, cap: float | None) -> float:
        most = self.fitted.highest_of_tail if cap is None else cap
        if most is None or not most > 0:
            raise UsageError(
                "the tail is empty or has no interactions, so there is no default cap; give cap=."
            )
        return most


def refuse(action: str, refill: int | None, cap: float | None, label: object) -> None:
    """Raise UsageError for an unknown action, or an argument of another action."""
    if action not in ACTIONS:
        raise UsageError(f"action={brief(action)}: must be {one_of(ACTIONS)}.")
    for word, value, wanted in (
        ("refill", refill, "drop"),
        ("cap", cap, "cap"),
        ("label", label, "relabel"),
    ):
        if value is not None and action != wanted:
            raise UsageError(
                f"{word}={brief(value)} applies only to action={brief(wanted)}, not {brief(action)}."
            )
    if refill is not None and (refill < 1 or int(refill) != refill):
        raise UsageError(f"refill={refill}: the length of the lists must be a whole number of at least 1.")
    if cap is not None and not cap > 0:
        raise UsageError(f"cap={cap:g}: must be above 0; to remove all rows use action='drop'.")


def refuse_logs(log: Log) -> None:
    """Raise UsageError for a table that is not a run: it has grades or times, but no ranks or scores."""
    others = [column for column in log.frame.columns if known_word(column) in ("grade", "time")]
    if others and not log.is_lists:
        raise UsageError(
            f"{log.name}: refill= needs lists, but this table has the column {brief(others[0])} and no rank or score."
        )


def refill_lists(
    log: Log, keep: np.ndarray, length: int, facts: dict[str, Fact]
) -> tuple[pl.DataFrame, np.ndarray]:
    """Return the lists refilled and cut, and which of their rows remain."""
    place, queries = places(log), code_ids([log], "query")
    rows = np.flatnonzero(keep)
    moved = np.zeros(len(log), np.int64)
    moved[rows] = nth(queries.codes[0][rows], place[rows])  # places among the rows that stay
    cut = keep & (moved <= length)
    before = np.bincount(queries.codes[0], minlength=len(queries))
    after = np.bincount(queries.codes[0][cut], minlength=len(queries))
    facts[f"lists shorter than {length} before"] = Share(int(np.sum(before < length)), len(queries))
    facts[f"lists shorter than {length} after"] = Share(int(np.sum(after < length)), len(queries))
    facts["rows moved up from below"] = int(np.sum(cut & (place > length)))
    if "rank" in log.words:
        return log.frame.with_columns(pl.Series(log.words["rank"], moved)), cut
    return log.frame, cut


def relabel(
    log: Log, popular: np.ndarray, label: str | int | None, facts: dict[str, Fact], notes: list[str]
) -> pl.DataFrame:
    """The table with one id for all popular items; records how many rows repeat it within their query."""
    ids, column = log.ids("item"), log.words["item"]
    if label is None:
        if not ids.is_text:
            raise UsageError(f"{log.name}: item ids are integers; set label= to an integer that no item has.")
        label = DUMMY
    if isinstance(label, str) != ids.is_text:
        raise UsageError(
            f"label={brief(label)}: item ids of {log.name} are {'text' if ids.is_text else 'integers'}."
        )
    series = log.frame[column]
    if (series.cast(pl.String) == str(label)).any():
        raise UsageError(
            f"label={brief(label)}: {log.name} already has this item; use an id that no item has."
        )
    kind = pl.String if ids.is_text else pl.Int64
    new = pl.select(
        pl.when(pl.Series(popular)).then(pl.lit(label, kind)).otherwise(series.cast(kind))
    ).to_series()
    queries = code_ids([log], "query").codes[0]
    repeated = int(np.sum(popular)) - n_distinct(queries[popular])  # all but one of each query
    facts["rows that repeat the new id"] = repeated
    if repeated:
        notes.append(
            "evaluate refuses lists and judgements that repeat an id, unless --duplicates first or drop is set."
        )
    return log.frame.with_columns(new.alias(column))


def cap_rows(
    log: Log,
    row: np.ndarray,
    popular: np.ndarray,
    counts: np.ndarray,
    cap: float,
    seed: int,
    notes: list[str],
) -> np.ndarray:
    """Which rows to keep so that each popular item keeps the share cap ÷ popularity of them."""
    rows = np.flatnonzero(popular)
    item = row[rows]
    chance = chances(log, seed)[rows]
    there = np.bincount(item, minlength=len(counts))
    # the share, of the rows that this table has; the smallest double stands in for 0, as 0 / 0 would be NaN, and rounding takes
    # back what a product is above a whole number before ceil makes one more of it
    allowed = np.ceil(np.round(there * np.minimum(cap / np.maximum(counts, math.ulp(0.0)), 1.0), 9))
    keep = ~popular
    keep[rows] = nth(item, chance) <= allowed[item]
    notes.append(
        f"Each popular item keeps the share cap ÷ popularity of its rows, drawn at random (seed {seed})."
    )
    return keep


def count_left(log: Log, keep: np.ndarray) -> dict[str, Fact]:
    """Count what is left: rows, items, queries, and the queries that lost all their rows."""
    queries, items = code_ids([log], "query"), code_ids([log], "item")
    has = np.bincount(queries.codes[0][keep], minlength=len(queries)) > 0
    still = np.bincount(items.codes[0][keep], minlength=len(items)) > 0
    empty = np.flatnonzero(~has)
    return {
        "rows after": Share(int(keep.sum()), len(log)),
        "items after": Share(int(still.sum()), len(items)),
        "queries left without rows": Share(len(empty), len(queries), tuple(queries.names(empty))),
    }
