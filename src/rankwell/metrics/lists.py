"""Metrics of the items of a list among themselves: intra-list similarity."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankwell.base import Better, ListMetric, definition
from rankwell.hits import Context, Judged
from rankwell.ranked import ratio

__all__ = ["ILS"]


@definition
class ILS(ListMetric):
    """Intra-list similarity: how alike the items of a list are, as the mean cosine of all pairs.

    Formula
        ILS@k = Σ_{i<j} cos(x_i, x_j) / (n (n − 1) / 2) = (‖Σ x̂_i‖² − n⁺) / (n (n − 1)), x̂ unit vectors, n⁺ those not 0

    Edge cases
        Undefined for a list of fewer than two items. An item without features is similar to nothing.

    Convention
        High values mean lists of little variety; they say nothing about quality.

    Parameters
        features: topics (the column of that name, or genres …), numeric, a column, or a pattern of columns

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> round(rw.evaluate({"u": ["a", "b", "c"]}, metrics=["ils@3"], items=films)["ils@3"], 4)
        0.4714

    Reference
        C.-N. Ziegler et al., Improving recommendation lists through topic diversification, WWW 2005; recmetrics.
    """

    name: ClassVar[str] = "ils"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    better: ClassVar[Better] = "lower"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})

    features: str = "topics"

    def check_tables(self, context: Context) -> None:
        """The features must be columns of the table of items."""
        assert context.items is not None
        context.items.features(self.features)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The closed form: the squared length of the sum of unit vectors."""
        assert context.items is not None
        rows = judged.shown.top(self.k)
        features = context.items.features(self.features).units
        squares = np.concatenate([np.square(sums).sum(axis=1) for _, _, sums in features.sums(rows)])
        assert rows.item is not None
        alone = rows.sum((rows.item >= 0) & (features.squares[rows.item] > 0))
        n = rows.count()
        return ratio(squares - alone, (n * (n - 1)).astype(np.float64))
