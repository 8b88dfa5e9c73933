"""The base of feature metrics: which columns hold the features, and which rows have none."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.metric import ListMetric, definition
from rankwell.tables.features import Features
from rankwell.tables.ranked import Ranked


@definition
class Featured(ListMetric):
    """A list metric that reads features of items."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})

    features: str = "topics"

    def check_tables(self, context: Context) -> None:
        """The features must be columns of the items table."""
        self.vectors(context)

    def vectors(self, context: Context) -> Features:
        """The features of all items of the catalogue."""
        assert context.items is not None
        return context.items.features(self.features)

    def rows(self, judged: Judged, context: Context) -> tuple[Ranked, np.ndarray]:
        """The first k rows of each list, and which of them have features."""
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        return rows, self.vectors(context).has(rows.item)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The number of rows whose item has no features."""
        _, has = self.rows(judged, context)
        return {f"rows without {self.features}": len(has) - int(np.count_nonzero(has))}
