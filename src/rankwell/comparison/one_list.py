"""One list of a query: its items with their grades and scores, what each rank adds, and where they are in another list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankwell.comparison.texts import Texts
from rankwell.evaluation.query import JudgedQuery
from rankwell.inspection.explaining.explanation import contributions
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property, record


class Row(NamedTuple):
    """An item of a list: its grade (None if unjudged), its score, what its rank adds, and its rank in the other list.

    ``added`` is None if the metric is no sum over ranks, ``other`` None if the other list lacks the item.
    """

    rank: int
    item: str | int
    grade: float | None
    score: float | None
    added: float | None
    other: int | None
    text: str | None


class Found(NamedTuple):
    """How many relevant and unjudged items the part of a list that a metric reads has, and all relevant items there are."""

    relevant: int
    unjudged: int
    of: int


@record(eq=False)
class OneList:
    """The list that one system gave for a query; ``one`` is None if neither the run nor the judgements have the query."""

    one: JudgedQuery | None
    metric: Metric
    is_additive: bool

    @property
    def retrieved(self) -> int:
        """How many items the list has."""
        return 0 if self.one is None else len(self.one.ranks)

    @cached_property
    def _by_text(self) -> Mapping[str, int]:
        """The first rank of each item, whose id is text."""
        found: dict[str, int] = {}
        for rank, item in ({} if self.one is None else self.one.names()).items():
            found.setdefault(str(item), rank)
        return found

    def ranks_in(self, other: OneList, top: int | None = None) -> list[int | None]:
        """Return where the items, down to a rank if it is given, are in another list first; None where it lacks them.

        One list may have numbers where the other has text.
        """
        if self.one is None:
            return []
        ids = self.one.ids(top)
        if other.one is None or not other.retrieved:
            return [None] * len(ids)
        if ids.is_text != other.one.items.ids.is_text:
            return [other._by_text.get(str(each)) for each in ids.tolist()]
        rows = other.one.items.find(ids)
        ranks = np.where(rows >= 0, other.one.first_ranks[rows], -1)
        return [rank if rank >= 0 else None for rank in ranks.tolist()]

    @cached_property
    def added(self) -> Mapping[int, float]:
        """What each rank adds to the value; ranks that add nothing may be left out."""
        return contributions(self.one) if self.one is not None and self.is_additive else {}

    @cached_property
    def found(self) -> Found:
        """The numbers of relevant and unjudged items."""
        if self.one is None:
            return Found(0, 0, 0)
        k, rel = self.metric.k, getattr(self.metric, "rel", None)
        relevant = int(self.one.judged.relevant(rel).top(k).count()[0])
        unjudged = sum(math.isnan(grade) for rank, grade in self.one.grades.items() if k is None or rank <= k)
        return Found(relevant, unjudged, int(self.one.judged.n_relevant(rel)[0]))

    def rows(self, other: OneList, texts: Texts | None = None, top: int | None = None) -> tuple[Row, ...]:
        """Return the items, down to a rank if it is given, and where they are in another list of the query."""
        if self.one is None:
            return ()
        items = self.one.names(top)
        named = dict(zip(items, texts.of(list(items.values())), strict=True)) if texts is not None else {}
        return tuple(
            Row(
                rank,
                item,
                None if math.isnan(self.one.grades[rank]) else self.one.grades[rank],
                self.one.scores.get(rank),
                self.added.get(rank, 0.0) if self.is_additive else None,
                place,
                named.get(rank),
            )
            for (rank, item), place in zip(items.items(), self.ranks_in(other, top), strict=True)
        )


def moved(row: Row, *, was_first: bool) -> int | None:
    """Return how many ranks an item of the first or the second list rises from the first to the second; None if one lacks it."""
    if row.other is None:
        return None
    return row.rank - row.other if was_first else row.other - row.rank
