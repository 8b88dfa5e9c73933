"""The base of feature metrics: which columns hold the features, and which rows have none."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import ListMetric, definition
from rankwell.tables.features import Features
from rankwell.tables.lists import Ranked


@definition
class Featured(ListMetric):
    """A list metric that reads features of items."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})

    features: str = "topics"

    def check_tables(self, context: Context) -> None:
        """The features must be columns of the items table."""
        assert context.items is not None
        context.items.check_features(self.features)

    def vectors(self, judged: Judged, context: Context) -> Features:
        """The features of the items of these lists, and of the users' histories if they are needed."""
        return judged.once(_vectors, context, self.features, "history" in self.needs)

    def rows(self, judged: Judged, context: Context) -> tuple[Ranked, np.ndarray]:
        """The first k rows of each list, and which of them have features."""
        return judged.once(_rows, self.k, context, self.features, "history" in self.needs)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The number of rows whose item has no features."""
        _, has = self.rows(judged, context)
        return {f"rows without {self.features}": len(has) - int(np.count_nonzero(has))}


def _rows(
    judged: Judged, k: int | None, context: Context, wanted: str, with_history: bool
) -> tuple[Ranked, np.ndarray]:
    rows = judged.shown.top(k)
    assert rows.item is not None
    return rows, judged.once(_vectors, context, wanted, with_history).has(rows.item)


def _vectors(judged: Judged, context: Context, wanted: str, with_history: bool) -> Features:
    assert context.items is not None
    tables = [judged.shown, *([judged.history(context)] if with_history else [])]
    return context.items.features(wanted, *(rows.item for rows in tables if rows.item is not None))
