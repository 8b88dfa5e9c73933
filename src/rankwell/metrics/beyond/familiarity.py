"""Metrics of how like the items of a list are to those that the user had before: by their features."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.beyond.item_features import Featured
from rankwell.metrics.beyond.item_pairs import jaccard_against
from rankwell.metrics.graded.gain_functions import OfRelevance
from rankwell.metrics.metric import definition
from rankwell.tables.features import Features
from rankwell.tables.ranked import Ranked, ratio

__all__ = ["EPD", "Surprise", "Unserendipity"]


@definition
class _Familiar(Featured):
    """A metric of lists that compares features with those of the user's history."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "history"})

    def likeness(
        self,
        judged: Judged,
        context: Context,
        rows: Ranked,
        similarity: Literal["cosine", "jaccard"] = "cosine",
    ) -> np.ndarray:
        """Each row's mean similarity to the items of its user's history, NaN without one."""
        history = judged.history(context)
        sums = jaccard_against if similarity == "jaccard" else _cosines
        return ratio(sums(rows, history, self.vectors(context)), history.count()[rows.query])


@definition
class Unserendipity(_Familiar):
    """Unserendipity: how like the items of a list are to those that the user had before, as the mean cosine.

    Formula
        unserendipity@k = Σ_{i ∈ L} Σ_{j ∈ H} cos(x_i, x_j) / (n |H|), H the user's distinct training items

    Edge cases
        Undefined for an empty list and for a user without training items. An item without features is similar to nothing,
        also to itself; rows of such items are counted.

    Convention
        Low values mean lists unlike what the user knows, be they serendipitous or wrong. The mean is over all pairs; in time
        in proportion to the rows, as mean unit vector · mean unit vector.

    Parameters
        features: topics (the column of that name, or genres …), numeric, a column, or a pattern of columns

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
        """The mean over the rows of their likeness to the history."""
        rows, _ = self.rows(judged, context)
        return ratio(rows.sum(self.likeness(judged, context, rows)), rows.count())


@definition
class Surprise(_Familiar):
    """Surprise: how unlike the relevant items of a list are to those that the user had before; others add 0.

    Formula
        surprise@k = (1/n) Σ_{i ∈ L} (1 − mean_{j ∈ H} cos(x_i, x_j)) · rel_i, H the user's distinct training items

    Edge cases
        Undefined for an empty list and for a user without training items; 0 where no listed item is relevant. An item
        without features is unlike everything (1); rows of such items are counted. Values exceed 1 only where features are
        negative.

    Convention
        The serendipity of Microsoft's recommenders, which take cosines of how items occur together where no features are
        given; here they are always features. It mixes relevance and novelty: read it beside precision.

    Parameters
        features: topics (the column of that name, or genres …), numeric, a column, or a pattern of columns
        rel: from which grade an item is relevant; default the policy's rel

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
        """The mean over the rows of what the relevant ones lack in likeness."""
        rows, _ = self.rows(judged, context)
        wanted = context.scale.relevant(rows.grade, self.rel)
        return ratio(rows.sum((1 - self.likeness(judged, context, rows)) * wanted), rows.count())


@definition
class EPD(OfRelevance, _Familiar):
    """Expected profile distance: how unlike the items of a list are to the user's history, discounted by rank.

    Formula
        EPD@k = Σ_r disc(r) · rel_r · mean_{j ∈ H} d(i_r, j) / Σ_{r ≤ n} disc(r), d = 1 − similarity, H the user's distinct
        training items; relevance=graded: rel = (2^g − 1) / 2^g_max

    Edge cases
        Undefined for an empty list and for a user without training items. An item without features is at distance 1 of
        everything; rows of such items are counted. Values exceed 1 only where features are negative.

    Convention
        With relevance it mixes relevance and novelty, and has values for judged queries only; the divisor stays Σ disc(r), as
        in RankSys. Cosine distances take time in proportion to the rows, Jaccard to the pairs.

    Parameters
        features: topics (the column of that name, or genres …), numeric, a column, or a pattern of columns
        distance: cosine or jaccard (of the sets of features that are not 0)
        discount: log2p1 1 / log2(r + 1), reciprocal 1 / r, or none
        relevance: none (every item counts), binary (relevant ones), or graded
        rel: from which grade an item is relevant (under ratings: gains count); default the policy's rel
        max_grade: g_max; default the highest grade of the qrels
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)

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
        """The mean of the distances to the history."""
        rows, _ = self.rows(judged, context)
        return self.mean(rows, 1 - self.likeness(judged, context, rows, self.distance), context)


def _cosines(rows: Ranked, history: Ranked, features: Features) -> np.ndarray:
    """The cosines of each row with all items of its user's history, added: one product with the sum of unit vectors."""
    assert rows.item is not None
    units = features.units
    total = np.empty(len(rows))
    for low, high, sums in units.sums(history):
        first, last = np.searchsorted(rows.query, [low, high])
        place, code, value = units.entries(rows.item[first:last])
        known = sums[rows.query[first:last][place] - low, code]
        total[first:last] = np.bincount(place, weights=value * known, minlength=last - first)
    return total
