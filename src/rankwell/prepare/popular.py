"""Leaving out what users find by themselves: a cut by popularity, fitted on the training data, applied to any table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import polars as pl

from rankwell.attributes import Items
from rankwell.errors import DataError, UsageError, one_of
from rankwell.ids import Ids, Known
from rankwell.longtail import LongTail
from rankwell.popularity import Cut, Head, Rule, Ties
from rankwell.prepare.actions import capped, counted, refilled, refuse, refuse_logs, relabelled
from rankwell.prepare.counting import By, popularity
from rankwell.prepare.pairs import coded
from rankwell.prepare.reporting import Fact, Prepared, Report, Share, such_as
from rankwell.readers import read_items
from rankwell.readers.logs import read_log

Action = Literal["drop", "cap", "relabel", "mark"]


class PopularityCut:
    """A cut that says which items are popular: from the training data alone, the same for every table.

    Exactly one rule is given. Popular items are the head, all others (those that the training data lack, too) the tail.

    Parameters
    ----------
    by
        What popularity is: distinct ``users``, ``events`` (rows), or the sum of the column ``weight``.
    share_of_volume
        The most popular items until they have this share of all interactions.
    top
        This many items.
    fraction
        This share of the items, rounded up.
    reach
        Items of more than this share of the users.
    count
        Items with more than this many users (events, weight).
    quantile
        Items above this quantile of the counts.
    iqr
        Items above Q3 + iqr · (Q3 − Q1) of the counts; 1.5 is usual.
    ties
        Whether items as popular as the last one of the head are all ``in`` the head or all ``out`` of it.
    weight
        The column of weights, for ``by="weight"``.

    Raises
    ------
    UsageError
        If no rule or several are given, or the number does not fit the rule.

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
    >>> report["queries left without rows"]
    1 of 2 (0.5000) (such as 'bob')

    Reference
        Leaving out what is popular changes the question: report head, tail and all side by side too
        (``rankwell.evaluate(…, slices=cut)``). P. Cremonesi, Y. Koren and R. Turrin, Performance of recommender algorithms on
        top-N recommendation tasks, RecSys 2010 (long-tail test set).
    """

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
    ) -> None:
        rules: dict[Rule, float | None] = {
            "volume": share_of_volume, "top": top, "fraction": fraction, "reach": reach,
            "count": count, "quantile": quantile, "iqr": iqr,
        }  # fmt: skip
        given = {rule: at for rule, at in rules.items() if at is not None}
        if len(given) != 1:
            told = [
                ["share_of_volume" if rule == "volume" else rule for rule in some] for some in (given, rules)
            ]
            raise UsageError(
                f"PopularityCut takes one rule, not {' and '.join(told[0]) or 'none'}; it is {one_of(told[1])}, such as top=100."
            )
        if by not in ("users", "events", "weight"):
            raise UsageError(f"by={by!r}: popularity is counted by users, events or weight.")
        if ties not in ("in", "out"):
            raise UsageError(
                f"ties={ties!r}: equally popular items at the cut are all 'in' the head or all 'out' of it."
            )
        if reach is not None and by != "users":
            raise UsageError(f"reach={reach:g} is a share of the users; it goes with by='users', not {by!r}.")
        self.by, self.weight = by, weight
        self.head = Head(*next(iter(given.items())), ties)
        self.tail_: LongTail | None = None

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
            The catalogue, so that items that nobody used count for ``fraction``, ``quantile`` and ``iqr``.
        columns
            Which column is which, if its name does not tell.
        name
            What the training data are called in reports.

        Raises
        ------
        RankwellError
            If the data cannot be read, lack a column, or have items outside the catalogue.
        """
        log = read_log(train, columns=columns, name=name or (None if isinstance(train, str) else "train"))
        queries, own = coded([log], "query"), coded([log], "item")
        counts = popularity(log, queries, own, self.by, self.weight)
        ids = own.ids
        if items is not None:
            catalogue = Known(read_items(items).item)
            rows = catalogue.rows_of(ids, "item")
            if (rows < 0).any():
                outside = np.flatnonzero(rows < 0)
                raise DataError(
                    f"{log.name} has {len(outside):,} item(s) outside the catalogue{such_as(own.names(outside))}. Complete it, or "
                    f"fit without items=."
                )
            whole = np.zeros(len(catalogue), counts.dtype)
            whole[rows] = counts
            ids, counts = catalogue.ids, whole
        self.tail_ = LongTail(ids, counts, len(queries), Cut(self.head), by=self.by, name=log.name)
        return self

    @property
    def fitted(self) -> LongTail:
        """The long tail of the training data; UsageError before ``fit``."""
        if self.tail_ is None:
            raise UsageError("the cut is not fitted; call PopularityCut(…).fit(train) first.")
        return self.tail_

    @property
    def items_(self) -> list[str] | list[int]:
        """The popular items, most popular first."""
        tail = self.fitted
        return tail.items[tail.order[tail.part[tail.order] == 0]].tolist()

    def parts(self, items: Ids) -> dict[str, Items]:
        """Return head and tail of some items, as ``slices=`` of evaluate takes it."""
        return self.fitted.parts(items)

    def to_frame(self) -> pl.DataFrame:
        """Return all items of the training data with popularity and part, most popular first."""
        return self.fitted.to_frame()

    def summary(self) -> Report:
        """Say what is popular: how many items, their share of the volume, and where the cut lies."""
        tail = self.fitted
        boundary = tail.boundary
        facts: dict[str, Fact] = {
            "popular items": Share(len(self.items_), len(tail.items)),
            f"their {tail.volume}": Share(tail.counts[tail.part == 0].sum().item(), tail.total),
            "last item of the head": "none" if boundary is None else f"{tail.items.one(boundary)!r}",
            f"its {self.by}": None if boundary is None else tail.counts[boundary].item(),
            "items as popular as it": 0
            if boundary is None
            else int(np.sum(tail.counts == tail.counts[boundary])),
            "most popular item of the tail": self._highest_of_tail(),
        }
        return Report(f"Popularity cut of {tail.name}", facts, (tail.table(),))

    def _highest_of_tail(self) -> Fact:
        tail = self.fitted
        rest = tail.counts[tail.part == 2]
        return rest.max().item() if len(rest) else None

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
        """Treat the popular items of a table: training data, judgements, or lists.

        Parameters
        ----------
        table
            A path, a data frame, records, or a dict; all its columns are kept.
        action
            ``drop`` removes the rows of popular items. ``cap`` keeps of an item that is c times as popular as ``cap`` the
            c-th part of its rows, rounded up, at random: ``cap`` rows of each in the training data, and in another table
            as many as that makes there. ``relabel`` gives all popular items one id. ``mark`` adds a column.
        refill
            For lists that are longer than needed: the length to which they are cut after the rows were dropped, so that
            lower places move up; ranks are counted anew, lists that stay shorter are counted.
        cap
            The popularity to which items are cut; default that of the most popular item of the tail.
        label
            The id for ``relabel``; default ``(popular)`` for ids that are text.
        into
            The column for ``mark``: true for popular items.
        seed
            Of the rows that ``cap`` keeps.
        columns, name
            Which column is which, if its name does not tell; what the table is called in the report.

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
        log = read_log(table, *(("rank", "score") if refill is not None else ()), columns=columns, name=name)
        row = Known(tail.items).rows_of(log.ids("item"), "item")
        popular = (row >= 0) & (tail.part[row] == 0)
        facts: dict[str, Fact] = {
            "rows": len(log),
            "rows of popular items": Share(int(popular.sum()), len(log)),
        }
        notes: list[str] = []
        frame = log.frame
        keep = np.ones(len(log), np.bool_)
        if action == "mark":
            frame = frame.with_columns(pl.Series(into, popular))
        elif action == "relabel":
            frame, repeated = relabelled(log, popular, label)
            facts["rows that repeat the new id"] = repeated
            if repeated:
                notes.append(
                    "Lists and judgements with an id twice are refused by evaluate, unless --duplicates first or drop is said."
                )
        elif action == "drop":
            keep = ~popular
        else:
            most = self._cap(cap)
            facts["cap"] = most
            keep = capped(row, popular, tail.counts, most, seed)
            notes.append(
                f"Of each popular item cap ÷ popularity of the rows are kept, at random (seed {seed})."
            )
        if refill is not None:
            refuse_logs(log)
            frame, keep = refilled(log, keep, refill, facts)
        facts |= counted(log.replaced(frame), keep)
        if not keep.any():
            raise DataError(
                f"{log.name}: no row is left; every item is popular by this cut. Take a smaller head."
            )
        title = f"Popular items of {log.name}: {action}"
        return Prepared(frame.filter(pl.Series(keep)), Report(title, facts, (), tuple(notes)))

    def _cap(self, cap: float | None) -> float:
        most = self._highest_of_tail() if cap is None else cap
        if not isinstance(most, (int, float)) or not most > 0:
            raise UsageError("the tail is empty or has nothing, so it gives no cap; say cap=.")
        return most
