"""Metrics of topics that a user cares for, rated and not: αβ-DCG, αβ-nDCG and its two components."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwell.judge.context import Context
from rankwell.metrics.diversity.normalised import Normalised
from rankwell.metrics.diversity.rated_topics import OfRatings
from rankwell.metrics.diversity.satisfaction import Unrated
from rankwell.metrics.metric import definition

__all__ = ["ABDCG", "ABHit", "ABTopic", "ABnDCG"]


@definition
class ABDCG(OfRatings, Unrated):
    """αβ-DCG: the chance that each item satisfies by a topic that the user cares for and has not had enough of, discounted.

    Formula
        αβ-DCG@k = Σ_{r ≤ k} d(r) · (1 − Π_φ (1 − a_φ(i_r) S_φ(r))), d(r) = 1 / log2(r + 1), S_φ(r) = γ_φ Π_{j < r} (1 − a_φ(i_j));
        a_φ(i) = 0 if φ is no topic of i, α if the user did not rate i, β · ρ(rating) if he did; γ_φ is his interest in φ

    Edge cases
        An item without topics, or outside the catalogue, gains nothing and takes up its rank; so does a later copy of an item.
        Interactions are all rated best (ρ = 1). A negative grade is no rating under ``negative=unjudged``. Undefined for a user
        of whom no interest is known: without training items that have topics and a grade above 0 (but see ``cold``).

    Convention
        Topics are all weighed by the user's own interest, and their chances are combined as if independent. α = .1 and β = .9
        are ours; the paper names no values, and results depend on them, so they are always written. Blog posts take the
        product down to r itself, by which a sure hit scores 0. Under ratio a lowest grade of 1 in 5 counts .18, more than an
        unrated item: minmax counts it 0.

    Parameters
        alpha, beta, topics
        profile: γ. ml: Σ ratings of the user's items with the topic ÷ Σ over all topics; item_share: ÷ Σ ratings of his items;
            smoothed: (1 − smoothing) · ml + smoothing · p; dirichlet: (Σ ratings with the topic + mu · p) ÷ (Σ over topics + mu), p
            being ml of all users together; given: columns of users= that have the names of topics, from 0 to 1
        smoothing: the weight of p in smoothed, 0 to 1
        mu: the weight of p in dirichlet, in ratings
        profile_source
        cold: what a user without a profile gets: skip (undefined), prior (p), uniform (1 / number of topics)
        unknown_topic
        rating_map: ρ. ratio: g / g_max; minmax: (g − g_min) / (g_max − g_min); exp: (2^g − 1) / 2^g_max; binary: 1 from rel, else 0
        max_grade: g_max; default the highest grade of the qrels
        min_grade: g_min of minmax; default the lowest grade of the qrels
        rel

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "War"}, {"item": "c", "genres": "Drama"}]
        >>> train = {"u": {"x": 3, "y": 1}}
        >>> items = [*films, {"item": "x", "genres": "War"}, {"item": "y", "genres": "Drama"}]
        >>> res = rw.evaluate({"u": ["a", "b", "c"]}, {"u": {"a": 5}}, ["ab_dcg@3"], items=items, train=train)
        >>> {name: round(value, 4) for name, value in res.mean.items()}  # .9·.75, then .1·.075 and .1·.25, discounted
        {'ab_dcg(alpha=0.1,beta=0.9)@3': 0.6922}

    Reference
        J. Parapar and F. Radlinski, Towards unified metrics for accuracy and diversity for recommender systems, RecSys 2021.
    """

    name: ClassVar[str] = "ab_dcg"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    @property
    def unrated(self) -> float:
        """α."""
        return self.alpha


@definition
class ABnDCG(Normalised, OfRatings, Unrated):
    """αβ-nDCG: αβ-DCG of the list, divided by that of the best list of what could have been recommended to the user.

    Formula
        αβ-nDCG@k = αβ-DCG@k(list) / αβ-DCG@k(ideal); the ideal is built from the top: at each rank the candidate that gains most
        after those before it, of equal ones (to 1e-12) the one with the smallest id as text

    Edge cases
        Undefined for a user of whom no interest is known, and where no candidate gains anything. A list shorter than k is held
        against k candidates. The user's training items are never candidates. Values above 1 are counted: the greedy list need
        not be the best one, and unrated items gain α though candidates=judged does not hold them. Where a user rated nothing
        in the list, the value tells topics alone; such users are counted.

    Convention
        The ideal does not depend on the list, so that systems are held against one number; best_of does, and is the same as
        clip. To find the best list of all is NP-hard: exact searches it, and gives up where that takes too long.

    Parameters
        alpha, beta, topics, profile, smoothing, mu, profile_source, cold, unknown_topic
        rating_map, max_grade, min_grade, rel, candidates, ideal, clip

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "War"}, {"item": "c", "genres": "Drama"}]
        >>> train = {"u": {"x": 3, "y": 1}}
        >>> items = [*films, {"item": "x", "genres": "War"}, {"item": "y", "genres": "Drama"}]
        >>> res = rw.evaluate({"u": ["a", "b", "c"]}, {"u": {"a": 5}}, ["ab_ndcg@3"], items=items, train=train)
        >>> {name: round(value, 4) for name, value in res.mean.items()}  # the best list is a, c, b
        {'ab_ndcg(alpha=0.1,beta=0.9)@3': 0.9967}

    Reference
        J. Parapar and F. Radlinski, Towards unified metrics for accuracy and diversity for recommender systems, RecSys 2021.
    """

    name: ClassVar[str] = "ab_ndcg"

    @property
    def unrated(self) -> float:
        """α."""
        return self.alpha


@definition
class ABHit(Normalised, OfRatings):
    """The accuracy in αβ-nDCG: its value with α = 0, where rated items alone gain, each less after others of its topics.

    Formula
        ab_hit@k = αβ-nDCG@k with α = 0

    Edge cases
        Undefined for a user of whom no interest is known, or who rated no candidate of a topic that he cares for.

    Convention
        Beside ab_topic it tells what a difference in αβ-nDCG comes from. With one topic it is a kind of ERR with a logarithmic
        discount.

    Parameters
        beta: the chance that an item with the highest rating satisfies, 0 to 1
        topics, profile, smoothing, mu, profile_source, cold, unknown_topic, rating_map, max_grade, min_grade, rel
        candidates: catalogue, judged or pool: here all alike, as rated items alone gain
        ideal, clip

    Example
        >>> import rankwell as rw
        >>> items = [{"item": item, "genres": "War"} for item in "abcx"]
        >>> rw.evaluate({"u": ["b", "a"]}, {"u": {"a": 5}}, ["ab_hit@2"], items=items, train={"u": {"x": 3}}).mean
        {'ab_hit(beta=0.9)@2': 0.6309297535714575}

    Reference
        as ab_ndcg.
    """

    name: ClassVar[str] = "ab_hit"

    @property
    def unrated(self) -> float:
        """An unrated item does not satisfy."""
        return 0.0


@definition
class ABTopic(Normalised):
    """The diversity in αβ-nDCG: its value as if every item were rated best, where topics alone count.

    Formula
        ab_topic@k = αβ-nDCG@k with a = β for each topic of each item, rated or not

    Edge cases
        Undefined for a user of whom no interest is known, or without a candidate of a topic that he cares for.

    Convention
        Beside ab_hit it tells what a difference in αβ-nDCG comes from: a list of the user's own mix of topics scores high,
        whatever he thinks of its items.

    Parameters
        beta: the chance that an item of a topic that the user cares for satisfies, 0 to 1
        topics, profile, smoothing, mu, profile_source, cold, unknown_topic, candidates, ideal, clip

    Example
        >>> import rankwell as rw
        >>> items = [{"item": item, "genres": g} for item, g in zip("abcx", ["War", "War", "Drama", "Drama|War"])]
        >>> res = rw.evaluate({"u": ["a", "b"]}, {"u": {"b": 1}}, ["ab_topic@2"], items=items, train={"u": {"x": 3}})
        >>> {name: round(value, 4) for name, value in res.mean.items()}  # c at rank 2 would be better
        {'ab_topic(beta=0.9)@2': 0.6518}

    Reference
        as ab_ndcg.
    """

    name: ClassVar[str] = "ab_topic"

    @property
    def unrated(self) -> float:
        """An unrated item satisfies as one that is rated best."""
        return self.beta

    def chance(self, grade: np.ndarray, context: Context) -> np.ndarray:
        """β for every item."""
        return np.full(len(grade), self.beta)
