"""Metrics of how similar a list's items are to the user's training items, by their features."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.item_features import Featured, jaccard_against
from rankwell.metrics.graded.gain_functions import OfRelevance
from rankwell.metrics.metric import definition
from rankwell.tables.features import Features
from rankwell.tables.lists import Ranked, ratio

__all__ = ["EPD", "Surprise", "Unserendipity"]


@definition
class _Familiar(Featured):
    """A list metric that compares features with those of the user's history."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "history"})

    def likeness(
        self,
        judged: Judged,
        context: Context,
        rows: Ranked,
        similarity: Literal["cosine", "jaccard"] = "cosine",
    ) -> np.ndarray:
        """Each row's mean similarity to the items of its user's history; NaN without history."""
        history = judged.history(context)
        sums = jaccard_against if similarity == "jaccard" else _cosines
        return ratio(sums(rows, history, self.vectors(judged, context)), history.count()[rows.query])


@definition
class Unserendipity(_Familiar):
    """Unserendipity: the mean cosine between the items of a list and the user's training items.

    Formula
        unserendipity@k = Σ_{i ∈ L} Σ_{j ∈ H} cos(x_i, x_j) / (n |H|), H the user's distinct training items

    Edge cases
        Undefined for an empty list and for a user without training items. An item without features has similarity 0 to every
        item, itself included; rows of such items are counted.

    Convention
        Low values mean lists unlike what the user knows, whether serendipitous or wrong. The mean over all pairs is computed
        in time linear in the rows, as mean unit vector · mean unit vector.

    Parameters
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> res = rw.evaluate({"u": ["b", "c"]}, metrics=["unserendipity@2"], items=films, train={"u": {"a": 1}})
        >>> round(res["unserendipity@2"], 4)
        0.3536

    Reference
        Y. C. Zhang et al., Auralist: introducing serendipity into music recommendation, WSDM 2012.
    """

    name: ClassVar[str] = "unserendipity"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean similarity of the rows to the history."""
        rows, _ = self.rows(judged, context)
        return ratio(rows.sum(self.likeness(judged, context, rows)), rows.count())


@definition
class Surprise(_Familiar):
    """Surprise: how dissimilar the relevant items of a list are to the user's training items; other items add 0.

    Formula
        surprise@k = (1/n) Σ_{i ∈ L} (1 − mean_{j ∈ H} cos(x_i, x_j)) · rel_i, H the user's distinct training items

    Edge cases
        Undefined for an empty list and for a user without training items; 0 if no listed item is relevant. An item without
        features has dissimilarity 1 to everything; rows of such items are counted. Values exceed 1 only if features are
        negative.

    Convention
        Called serendipity in Microsoft's recommenders, which use cosines of item co-occurrence if no features are given; here
        they are always of features. It mixes relevance and novelty: read it together with precision.

    Parameters
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns
        rel: the lowest grade that counts as relevant; default: the policy's rel

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> res = rw.evaluate({"u": ["b", "c"]}, {"u": {"b": 1}}, ["surprise@2"], items=films, train={"u": {"a": 1}})
        >>> round(res["surprise@2"], 4)
        0.1464

    Reference
        Y. C. Zhang et al., Auralist: introducing serendipity into music recommendation, WSDM 2012; Microsoft recommenders
        user_serendipity.
    """

    name: ClassVar[str] = "surprise"
    range: ClassVar[tuple[float, float]] = (0.0, 2.0)
    judgements: ClassVar[bool] = True

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over the rows of the relevant items' dissimilarity."""
        rows, _ = self.rows(judged, context)
        wanted = context.scale.relevant(rows.grade, self.rel)
        return ratio(rows.sum((1 - self.likeness(judged, context, rows)) * wanted), rows.count())


@definition
class EPD(OfRelevance, _Familiar):
    """Expected profile distance: how dissimilar a list's items are to the user's history, discounted by rank.

    Formula
        EPD@k = Σ_r disc(r) · rel_r · mean_{j ∈ H} d(i_r, j) / Σ_{r ≤ n} disc(r), d = 1 − similarity, H the user's distinct
        training items; relevance=graded: rel = (2^g − 1) / 2^g_max

    Edge cases
        Undefined for an empty list and for a user without training items. An item without features has distance 1 to
        everything; rows of such items are counted. Values exceed 1 only if features are negative.

    Convention
        With relevance it mixes relevance and novelty, and is defined for judged queries only; the divisor stays Σ disc(r), as
        in RankSys. Cosine distances take time linear in the rows, Jaccard distances in the pairs.

    Parameters
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns
        distance: cosine or jaccard (of the sets of nonzero features)
        discount: log2p1 1 / log2(r + 1), reciprocal 1 / r, or none
        relevance: none (every item counts), binary (relevant items count), or graded
        rel: the lowest grade that is relevant (for ratings: that has a gain); default: the policy's rel
        max_grade: g_max; default: the highest grade in the qrels
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> res = rw.evaluate({"u": ["b", "c"]}, metrics=["epd@2"], items=films, train={"u": {"a": 1}})
        >>> round(res["epd@2"], 4)
        0.5664

    Reference
        S. Vargas and P. Castells, Rank and relevance in novelty and diversity metrics for recommender systems, RecSys 2011;
        RankSys EPD.
    """

    name: ClassVar[str] = "epd"
    range: ClassVar[tuple[float, float]] = (0.0, 2.0)

    distance: Literal["cosine", "jaccard"] = "cosine"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean distance to the history."""
        rows, _ = self.rows(judged, context)
        return self.mean(rows, 1 - self.likeness(judged, context, rows, self.distance), context)


def _cosines(rows: Ranked, history: Ranked, features: Features) -> np.ndarray:
    """The sum of each row's cosines with all items of its user's history: one product with the sum of unit vectors."""
    assert rows.item is not None
    units = features.units
    total = np.empty(len(rows))
    for low, high, sums in units.sums(history):
        first, last = np.searchsorted(rows.query, [low, high])
        # Σ_h cos(i, h) = x̂_i · Σ_h x̂_h: linear in the history, not quadratic
        place, code, value = units.entries(rows.item[first:last])
        known = sums[rows.query[first:last][place] - low, code]
        total[first:last] = np.bincount(place, weights=value * known, minlength=last - first)
    return total
