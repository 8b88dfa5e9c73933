"""Metrics of unexpected items, and of unexpected items that are relevant: unexpectedness and three kinds of serendipity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.item_features import Featured, closest
from rankwell.metrics.metric import ListMetric, definition
from rankwell.tables.lists import Ranked, distinct, ratio

__all__ = ["Serendipity", "SerendipityKotkov", "SerendipityMurakami", "Unexpectedness"]


@definition
class Unexpectedness(ListMetric):
    """Unexpectedness: the share of a list that is not among the most popular items, which anyone would expect.

    Formula
        unexpectedness@k = |list ∖ PM| / n, PM the ``top`` items with the most training users

    Edge cases
        Undefined for an empty list. An item not in train is unexpected. Equally popular items are ordered by id.

    Convention
        PM is one set for all users; items that a user already knows are not removed. The value depends on ``top``: print it.

    Parameters
        top: the number of most popular items that are expected

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}}
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["unexpectedness(top=1)@2"], train=train).mean
        {'unexpectedness(top=1)@2': 0.5}

    Reference
        P. Adamopoulos and A. Tuzhilin, On unexpectedness in recommender systems, ACM TIST 5(4), 2014; RePlay, with the
        lists of a given model for PM.
    """

    name: ClassVar[str] = "unexpectedness"
    plain: ClassVar[str] = "share of {top} that is no best-seller"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})

    top: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top < 1:
            raise UsageError(f"{self.name}(top={self.top}): top, a number of items, must be at least 1.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The share of rows that count."""
        assert context.train is not None
        rows = judged.shown.top(self.k)
        known = min(self.top, len(context.train.catalogue))
        unexpected = context.train.places_of(rows) > known
        return ratio(rows.sum(unexpected & self._wanted(rows, context)), rows.count())

    def _wanted(self, rows: Ranked, context: Context) -> np.ndarray:
        """Whether each row counts if it is unexpected."""
        return np.ones(len(rows), np.bool_)


@definition
class Serendipity(Unexpectedness):
    """Serendipity: the share of a list that is relevant and not among the most popular items.

    Formula
        serendipity@k = |{i ∈ list ∖ PM : i relevant}| / n, PM the ``top`` items with the most training users

    Edge cases
        Undefined for an empty list and for queries without judgements. An item not in train is unexpected.

    Convention
        Ge et al. treat the lists of a primitive recommender as expected; here that recommends the most popular items.

    Parameters
        top: the number of most popular items that are expected
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> train, qrels = {"u": {"a": 1, "b": 1}, "v": {"a": 1}}, {"u": {"a": 1, "b": 1}}
        >>> rw.evaluate({"u": ["a", "b", "c"]}, qrels, ["serendipity(top=1)@3"], train=train).mean
        {'serendipity(top=1)@3': 0.3333333333333333}

    Reference
        M. Ge, C. Delgado-Battenfeld and D. Jannach, Beyond accuracy: evaluating recommender systems by coverage and
        serendipity, RecSys 2010.
    """

    name: ClassVar[str] = "serendipity"
    plain: ClassVar[str] = "share of {top} that is relevant and no best-seller"
    judgements: ClassVar[bool] = True

    rel: float | None = None

    def _wanted(self, rows: Ranked, context: Context) -> np.ndarray:
        return context.scale.relevant(rows.grade, self.rel)


@definition
class SerendipityMurakami(ListMetric):
    """Serendipity by rank: relevant items that are ranked higher in the list than by popularity.

    Formula
        serendipity_murakami@k = (1/n) Σ_r max(P(i_r) − PM(i_r), 0) · rel(i_r) · hits_r / r, with P = (m + 1 − r) / m,
        PM = (m + 1 − place of i_r by popularity) / m, m items in the catalogue, hits_r relevant ones down to rank r

    Edge cases
        Undefined for an empty list and for queries without judgements. Needs ``items=``, the catalogue; an item outside it has
        PM = 0. Equally popular items are ordered by id, items without training users last.

    Convention
        form=rectools is what RecTools computes: no hits_r / r; equally popular items share a place and no place is skipped; an
        item without training users has PM = 0. Its documentation divides by k, its code by n. RecTools includes users without
        judgements in the mean, with 0.

    Parameters
        form: murakami or rectools
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> train, qrels = {"u": {"a": 1, "b": 1}, "v": {"a": 1}}, {"u": {"b": 1}}
        >>> rw.evaluate({"u": ["b", "a"]}, qrels, ["serendipity_murakami@2"], train=train, items=["a", "b", "c", "d"]).mean
        {'serendipity_murakami@2': 0.125}

    Reference
        T. Murakami, K. Mori and R. Orihara, Metrics for evaluating the serendipity of recommendation lists, JSAI 2007
        (LNAI 4914, 2008); RecTools Serendipity.
    """

    name: ClassVar[str] = "serendipity_murakami"
    judgements: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue", "counts"})

    form: Literal["murakami", "rectools"] = "murakami"
    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The excess of each hit over its popularity, weighted by the precision at its rank."""
        rows = judged.shown.top(self.k)
        hits = rows.where(context.scale.relevant(rows.grade, self.rel))
        places = self._places(hits, context)
        # how much further up than by popularity: a hit that is popular is expected, and no surprise
        higher = np.maximum(places - hits.rank, 0) / max(len(context.items or ()), 1)
        weights = hits.nth() / hits.rank if self.form == "murakami" else 1.0
        return ratio(hits.sum(higher * weights), rows.count())

    def _places(self, rows: Ranked, context: Context) -> np.ndarray:
        train = context.train
        assert train is not None
        if self.form == "murakami":
            return train.places_of(rows)
        levels = distinct(train.counts[train.counts > 0])
        users = train.users_of(rows)
        last = len(train.catalogue) + 1
        return np.where(users > 0, len(levels) - np.searchsorted(levels, users), last)


@definition
class SerendipityKotkov(Featured):
    """Serendipity by three conditions: the share of a list that is relevant, novel, and unlike the user's items.

    Formula
        serendipity_kotkov@k = |{i in list : i relevant, c_i / U ≤ novel, i ∉ H_u, max_{j ∈ H_u} cos(x_i, x_j) ≤ distance}| / n,
        c_i training users of item i, U all of them, H_u the user's training items, x features

    Edge cases
        Undefined for an empty list, for a user without training items, and for queries without judgements. An item without
        features is unlike every other; one without training users is novel.

    Convention
        The thresholds are up to the evaluator: ``distance``, the highest cosine at which an item is unexpected, is required.

    Parameters
        novel: the highest share of users at which an item is novel
        distance: the highest cosine at which an item is unlike another
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> train, qrels = {"u": {"a": 1}, "v": {"a": 1}}, {"u": {"b": 1, "c": 1}}
        >>> metric = "serendipity_kotkov(distance=.5)@2"
        >>> rw.evaluate({"u": ["b", "c"]}, qrels, [metric], items=films, train=train).mean
        {'serendipity_kotkov(distance=0.5)@2': 0.5}

    Reference
        D. Kotkov, S. Wang and J. Veijalainen, A survey of serendipity in recommender systems, Knowledge-Based Systems 111,
        2016.
    """

    name: ClassVar[str] = "serendipity_kotkov"
    judgements: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "history", "counts"})

    novel: float = 0.01
    distance: float | None = None
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.novel <= 1:
            raise UsageError(
                f"{self.name}(novel={self.novel:g}): novel, a share of users, must be between 0 and 1."
            )

    def check(self) -> None:
        """``distance`` has no default."""
        super().check()
        if self.distance is None:
            raise UsageError(
                f"{self.name} needs a threshold: write {self.name}(distance=0.5), the highest cosine to the user's own items at "
                f"which an item is unexpected."
            )

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The share of rows that meet all conditions."""
        assert context.train is not None
        train, own = context.train, judged.history(context)
        rows = judged.shown.top(self.k)
        chosen = context.scale.relevant(rows.grade, self.rel) & (own.count() > 0)[rows.query]
        # the conditions that cost least first: cosines are computed only for rows that meet the others
        chosen &= train.users_of(rows) / train.users <= self.novel
        hits = rows.where(chosen)
        hits = hits.where(~hits.among(own))
        hits = hits.where(closest(hits, own, self.vectors(judged, context)) <= self.distance)
        return np.where(own.count() > 0, ratio(hits.count(), rows.count()), np.nan)
