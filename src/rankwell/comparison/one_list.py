"""One list of a query: its items with their grades and scores, what each rank adds, and where they are in another list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from rankwell.comparison.texts import Texts
from rankwell.evaluation.one_query import One
from rankwell.inspection.explaining.contributions import contributions
from rankwell.metrics.metric import Metric
from rankwell.records import record


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

    one: One | None
    metric: Metric
    is_additive: bool

    @cached_property
    def items(self) -> Mapping[int, str | int]:
        """The items by rank, best first."""
        return {} if self.one is None else dict(sorted(self.one.names.items()))

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """The first rank of each item; ids are text, because another run may have numbers."""
        found: dict[str, int] = {}
        for rank, item in self.items.items():
            found.setdefault(str(item), rank)
        return found

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
        items = {rank: item for rank, item in self.items.items() if top is None or rank <= top}
        named = dict(zip(items, texts.of(list(items.values())), strict=True)) if texts is not None else {}
        return tuple(
            Row(
                rank,
                item,
                None if math.isnan(self.one.grades[rank]) else self.one.grades[rank],
                self.one.scores.get(rank),
                self.added.get(rank, 0.0) if self.is_additive else None,
                other.ranks.get(str(item)),
                named.get(rank),
            )
            for rank, item in items.items()
        )


def moved(row: Row, *, was_first: bool) -> int | None:
    """Return how many ranks an item of the first or the second list rises from the first to the second; None if one lacks it."""
    if row.other is None:
        return None
    return row.rank - row.other if was_first else row.other - row.rank
