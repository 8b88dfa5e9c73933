"""Popularity: popular items found in the training data by one rule, and dropped, capped, relabelled or marked in any table; lists refilled."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import polars as pl

from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.prepare.choices import chances
from rankwell.prepare.cuts import (
    By,
    GroupedTail,
    cut_groups,
    head_of,
    in_catalogue,
    popularity,
    refuse_window,
)
from rankwell.prepare.longtail import LongTail
from rankwell.prepare.pairs import code_ids, n_distinct, nth, places
from rankwell.prepare.report import Fact, Prepared, Report, Share
from rankwell.readers.logs import Log, read_log
from rankwell.tables.arguments import checked
from rankwell.tables.columns import known_word
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.popularity import Cut, Rule, Ties

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
