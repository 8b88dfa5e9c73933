"""Expected percentile rank: where in the catalogue's order the items that users took stand."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.binary.collection import check_collection
from rankwell.metrics.metric import Better, CorpusMetric, definition
from rankwell.records import record
from rankwell.tables.states import WeightedMean

__all__ = ["PercentileRank"]


@record(slots=True)
class PairRanks:
    """The weighted mean over pairs of user and item; ``n`` counts the users."""

    pairs: WeightedMean
    n: int

    def __add__(self, other: PairRanks) -> PairRanks:
        return PairRanks(self.pairs + other.pairs, self.n + other.n)


@definition
class PercentileRank(CorpusMetric):
    """Expected percentile rank: how far down the order of all items the relevant ones stand, 0 at the top and 1 at the end.

    Formula
        Σ_{u, relevant i} w_ui · ρ_ui / Σ w_ui, ρ_ui = (r − 1) / (m − 1), m the number of items of the collection; for an item
        that is not in the list (or beyond k), the mean of the ranks n + 1 … m that are left, n the length of the list

    Edge cases
        Undefined without a relevant item, or in a collection of one. A random order gives ½ on average, and so does an empty
        list.

    Convention
        Hu et al. rank all items of the catalogue, so none is missing, and give percents; w is how much the user took
        (weights=grade). Items missing from a list count as if they followed in random order.

    Parameters
        weights: grade (w is the grade), or none (every relevant item weighs 1)
        collection: the number of items that could be retrieved; default: the number of rows of items=
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b", "c"]}, {"u": {"a": 3, "b": 1}}, ["percentile_rank(collection=3)"]).mean
        {'percentile_rank(collection=3)': 0.125}

    Reference
        Y. Hu, Y. Koren and C. Volinsky, Collaborative filtering for implicit feedback datasets, ICDM 2008.
    """

    name: ClassVar[str] = "percentile_rank"
    aliases: ClassVar[tuple[str, ...]] = ("epr",)
    better: ClassVar[Better] = "lower"
    needs: ClassVar[frozenset[str]] = frozenset({"collection_size"})
    judgements: ClassVar[bool] = True
    sees_missing: ClassVar[bool] = True
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"

    weights: Literal["grade", "none"] = "grade"
    collection: int | None = None
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_collection(self.name, self.collection)

    def needed(self) -> frozenset[str]:
        """The size of the collection, unless it is given."""
        return frozenset() if self.collection is not None else self.needs

    def state(self, judged: Judged, context: Context) -> PairRanks:
        """The percentile of each relevant item, in the list or missing from it."""
        size = context.collection_size if self.collection is None else self.collection
        assert size is not None
        shown, hits = judged.n_shown(self.k), judged.relevant(self.rel).top(self.k)
        missed = judged.n_relevant(self.rel) - hits.count()
        short = np.flatnonzero((shown + missed > size) & (judged.pool_row >= 0))
        if len(short):
            row = int(short[0])
            raise DataError(
                f"query {brief(judged.queries.one(row))} has {shown[row] + missed[row]:,} retrieved or relevant items, more than "
                f"collection={size:,}. Give the number of all items that could be retrieved."
            )
        best = judged.ideal
        best = best.where(context.scale.relevant(best.grade, self.rel))
        found, whole = hits.sum(self._weights(hits.grade)), best.sum(self._weights(best.grade))
        # items that are missing take the ranks behind the list in any order: the mean of these stands for each
        ranks = np.concatenate([hits.places() - 1.0, (shown + size - 1) / 2])
        weights = np.concatenate(
            [self._weights(hits.grade), np.where(missed > 0, np.maximum(whole - found, 0.0), 0.0)]
        )
        kept = weights > 0
        n = int(np.count_nonzero(judged.n_relevant(self.rel) > 0))
        if size < 2:
            return PairRanks(WeightedMean(), n)
        return PairRanks(WeightedMean.of(ranks[kept] / (size - 1), weights[kept]), n)

    def _weights(self, grades: np.ndarray) -> np.ndarray:
        return grades if self.weights == "grade" else np.ones(len(grades))

    def value(self, state: PairRanks) -> float:
        """The mean; NaN without a relevant item."""
        return state.pairs.value if state.pairs.n else math.nan
