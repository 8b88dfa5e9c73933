"""Metrics of the items of a list among themselves: intra-list similarity and distance."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.item_features import Featured, squares_within, sums_within, within
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import Better, definition
from rankwell.tables.features import Features
from rankwell.tables.lists import Ranked, ratio

__all__ = ["EILD", "ILD", "ILS"]


@definition
class ILS(Featured):
    """Intra-list similarity: the mean cosine over all pairs of a list's items.

    Formula
        ILS@k = Σ_{i<j} cos(x_i, x_j) / (n (n − 1) / 2) = (‖Σ x̂_i‖² − n⁺) / (n (n − 1)), x̂ unit vectors, n⁺ those not 0;
        average=matrix: the mean of all n² cells, the diagonal too; average=sum: Σ_{i<j}, not divided

    Edge cases
        Undefined for a list of fewer than two items. An item without features has similarity 0 to every item, itself included;
        with missing=skip it is left out, and a list with fewer than two other items is undefined. Rows of items without
        features are counted. The value of average=sum has no bounds.

    Convention
        High values mean lists with little variety, not lists of low quality. recmetrics uses the mean over pairs, Ziegler the
        sum. Cosines take time linear in the rows, Jaccard similarities in the pairs.

    Parameters
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns
        similarity: cosine, or jaccard: shared features over all features of both, 0 if neither has any
        average: pairs, matrix or sum
        missing: zero or skip, for items without features

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> res = rw.evaluate({"u": ["a", "b", "c"]}, metrics=["ils@3", "ils(similarity=jaccard)@3"], items=films)
        >>> [round(value, 4) for value in res.mean.values()]
        [0.4714, 0.3333]

    Reference
        C.-N. Ziegler et al., Improving recommendation lists through topic diversification, WWW 2005; recmetrics.
    """

    name: ClassVar[str] = "ils"
    plain: ClassVar[str] = "how alike the items of a list are"
    better: ClassVar[Better] = "lower"

    similarity: Literal["cosine", "jaccard"] = "cosine"
    average: Literal["pairs", "matrix", "sum"] = "pairs"
    missing: Literal["zero", "skip"] = "zero"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """A sum of pairs has no bounds."""
        return (-1.0, 1.0) if self.average != "sum" else (-np.inf, np.inf)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over pairs; for cosines from the squared length of the sum of unit vectors."""
        rows, has = self.rows(judged, context)
        if self.missing == "skip":
            rows, has = rows.where(has), has[has]
        n = rows.count()
        pairs = _similarity(rows, has, self.vectors(judged, context), self.similarity)
        if self.average == "sum":
            return np.where(n > 1, pairs, np.nan)
        if (
            self.average == "matrix"
        ):  # over all cells, where each item with features is like itself, and each pair stands twice
            return ratio(2 * pairs + rows.sum(has), np.where(n > 1, n * n, 0).astype(np.float64))
        return ratio(2 * pairs, (n * (n - 1)).astype(np.float64))


@definition
class ILD(Featured):
    """Intra-list distance: the mean distance over all pairs of a list's items.

    Formula
        ILD@k = Σ_{i<j} d(x_i, x_j) / (n (n − 1) / 2); cosine: d = 1 − cos, so ILD = 1 − ILS; jaccard: d = 1 − |A ∩ B| / |A ∪ B|;
        sqeuclidean: Σ_{i<j} ‖x_i − x_j‖² = n Σ ‖x_i − x̄‖²

    Edge cases
        Undefined for a list of fewer than two items; with single=zero a list of one scores 0. An item without features is a zero
        vector: its cosine and Jaccard distance to all others is 1. With missing=skip it is left out, and a list with fewer than
        two other items is undefined. Rows of items without features are counted. Cosine distances exceed 1 only if features are
        negative.

    Convention
        High values mean varied lists, which need not be good ones. Cosine and sqeuclidean distances take time linear in the
        rows, jaccard and euclidean distances in the pairs.

    Parameters
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns
        distance: cosine, jaccard (of the sets of nonzero features), euclidean or sqeuclidean (of the raw vectors)
        missing: zero or skip, for items without features
        single: skip or zero, for lists of one item (RecTools and RecPack: zero)

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> round(rw.evaluate({"u": ["a", "b", "c"]}, metrics=["ild@3"], items=films)["ild@3"], 4)
        0.5286

    Reference
        B. Smyth and P. McClave, Similarity vs. diversity, ICCBR 2001; M. Zhang and N. Hurley, Avoiding monotony, RecSys 2008.
    """

    name: ClassVar[str] = "ild"
    plain: ClassVar[str] = "how different the items of a list are"

    distance: Literal["cosine", "jaccard", "euclidean", "sqeuclidean"] = "cosine"
    missing: Literal["zero", "skip"] = "zero"
    single: Literal["skip", "zero"] = "skip"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Jaccard distances are at most 1, cosine distances at most 2, others unbounded."""
        return 0.0, {"jaccard": 1.0, "cosine": 2.0}.get(self.distance, np.inf)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over pairs."""
        values = self._means(judged, context)
        if self.single == "skip":
            return values
        return np.where(judged.n_shown(self.k) == 1, 0.0, values)

    def _means(self, judged: Judged, context: Context) -> np.ndarray:
        rows, has = self.rows(judged, context)
        if self.missing == "skip":
            rows, has = rows.where(has), has[has]
        vectors, n = self.vectors(judged, context), rows.count()
        pairs = n * (n - 1) / 2
        if self.distance == "sqeuclidean":
            return ratio(squares_within(rows, vectors), pairs)
        if self.distance == "euclidean":
            return ratio(sums_within(rows, vectors, "euclidean"), pairs)
        return np.maximum(1 - ratio(_similarity(rows, has, vectors, self.distance), pairs), 0.0)


@definition
class EILD(Featured):
    """Expected intra-list distance: the distance between a list's items, weighted by how likely each is seen and relevant.

    Formula
        relative: Σ_i w_i · [Σ_{j≠i} disc(max(1, j − i)) rel_j d(i, j) / Σ_{j≠i} disc(max(1, j − i)) rel_j] / Σ_i w_i;
        symmetric: Σ_{i<j} w_i w_j d(i, j) / Σ_{i<j} w_i w_j; i, j ranks, w_i = disc(i) rel_i, d = 1 − similarity

    Edge cases
        Undefined for an empty list and if no listed item is relevant (symmetric: fewer than two). In the relative form an
        item with no other to compare with adds 0 and its weight stays in the divisor, so a list of one item scores 0. An item
        without features has distance 1 to all others; with missing=skip its pairs are left out. Rows of items without
        features are counted.

    Convention
        relative is RankSys's: from each item the user moves on downwards, and has seen what is above. symmetric weights pairs.
        relevance=binary is defined for judged queries only. symmetric cosines take time linear in the rows.

    Parameters
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns
        distance: cosine or jaccard (of the sets of nonzero features)
        discount: disc(r): log2p1 1 / log2(r + 1), reciprocal 1 / r, or none
        relevance: none (every item counts), or binary (relevant items count)
        weights: relative or symmetric
        missing: zero or skip, for items without features
        rel: the lowest grade that counts as relevant; default: the policy's rel

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> res = rw.evaluate({"u": ["a", "b", "c"]}, metrics=["eild@3", "eild(weights=symmetric)@3"], items=films)
        >>> [round(value, 4) for value in res.mean.values()]
        [0.5042, 0.5373]

    Reference
        S. Vargas and P. Castells, Rank and relevance in novelty and diversity metrics for recommender systems, RecSys 2011;
        RankSys EILD.
    """

    name: ClassVar[str] = "eild"
    range: ClassVar[tuple[float, float]] = (0.0, 2.0)

    distance: Literal["cosine", "jaccard"] = "cosine"
    discount: Literal["log2p1", "none", "reciprocal"] = "log2p1"
    relevance: Literal["none", "binary"] = "none"
    weights: Literal["relative", "symmetric"] = "relative"
    missing: Literal["zero", "skip"] = "zero"
    rel: float | None = None

    @property
    def judgements(self) -> bool:  # type: ignore[override]
        """Whether relevance is used."""
        return self.relevance != "none"

    def applies(self, parameter: str) -> bool:
        """``rel`` applies only with relevance."""
        return parameter != "rel" or self.judgements

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The weighted mean over pairs of the rows that count."""
        rows, has = self.rows(judged, context)
        wanted = (
            context.scale.relevant(rows.grade, self.rel) if self.judgements else np.ones(len(rows), np.bool_)
        )
        kept = wanted & has if self.missing == "skip" else wanted
        compared = rows.where(kept)
        weights, vectors = self._discount(compared.rank), self.vectors(judged, context)
        if self.weights == "relative":
            above = compared.sum(weights * self._seen_from_each(compared, vectors))
            return ratio(above, rows.sum(np.where(wanted, self._discount(rows.rank), 0.0)))
        # Σ_{i<j} w_i w_j = ((Σ w)² − Σ w²) / 2, as for the similarities
        total, squares = compared.sum(weights), compared.sum(np.square(weights))
        alike = _similarity(compared, has[kept], vectors, self.distance, weights)
        return np.maximum(1 - ratio(2 * alike, np.square(total) - squares), 0.0)

    def _discount(self, ranks: np.ndarray) -> np.ndarray:
        return discount(self.discount, 2.0, ranks)

    def _seen_from_each(self, rows: Ranked, vectors: Features) -> np.ndarray:
        """Each row's mean distance to the others of its list, discounted by how far below it they are."""
        above, below = np.zeros(len(rows)), np.zeros(len(rows))
        # seen from the upper row the lower one is discounted by its distance; seen from below, all above was seen before
        for upper, lower, similarity in within(rows, vectors, self.distance):
            apart, further = 1 - similarity, self._discount(rows.rank[lower] - rows.rank[upper])
            above[upper] += further * apart
            below[upper] += further
            above[lower] += apart
            below[lower] += 1.0
        return np.divide(above, below, out=np.zeros(len(rows)), where=below > 0)


def _similarity(
    rows: Ranked,
    has: np.ndarray,
    features: Features,
    similarity: Literal["cosine", "jaccard"],
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """The sum of the similarities of all pairs of each list, each weighted by both its rows; ``has`` says which have features.

    For cosines Σ_{i<j} w_i w_j cos(i, j) = (‖Σ w_i x̂_i‖² − Σ w_i² of items with features) / 2.
    """
    if similarity == "jaccard":
        return sums_within(rows, features, "jaccard", weights)
    assert rows.item is not None
    sums = features.units.sums(rows, weights)
    # Σ_{i<j} cos = (‖Σ x̂‖² − Σ ‖x̂‖²) / 2: linear in the length of the list
    squares = np.concatenate([np.square(sum_).sum(axis=1) for _, _, sum_ in sums] or [np.empty(0)])
    return (squares - rows.sum(has if weights is None else np.where(has, np.square(weights), 0.0))) / 2
