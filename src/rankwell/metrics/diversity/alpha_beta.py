"""Metrics of ratings and topic interests together: αβ-DCG, αβ-nDCG and its two components."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwell.matching.batch import Context
from rankwell.metrics.diversity.satisfaction import Unrated
from rankwell.metrics.diversity.topic_ideal import Normalised, OfRatings
from rankwell.metrics.metric import definition

__all__ = ["ABDCG", "ABHit", "ABTopic", "ABnDCG"]


@definition
class ABDCG(OfRatings, Unrated):
    """αβ-DCG: the discounted probability that each item satisfies an interest of the user not yet satisfied above.

    Formula
        αβ-DCG@k = Σ_{r ≤ k} d(r) · (1 − Π_φ (1 − a_φ(i_r) S_φ(r))), d(r) = 1 / log2(r + 1), S_φ(r) = γ_φ Π_{j < r} (1 − a_φ(i_j));
        a_φ(i) = 0 if i lacks topic φ, α if the user did not rate i, β · ρ(rating) if they did; γ_φ is their interest in φ

    Edge cases
        An item without topics, or outside the catalogue, has no gain and takes up its rank; so does a repeated item.
        Interactions all count as the highest rating (ρ = 1). A negative grade is no rating under ``negative=unjudged``. Undefined
        for a user without known interests: without training items that have topics and a grade above 0 (but see ``cold``).

    Convention
        Topics are weighted by the user's own interest, and their probabilities are combined as if independent. α = .1 and β = .9
        are our choice; the paper names no values, and results depend on them, so they are always written. Some blog posts take
        the product down to r itself, so that a certain hit scores 0. Under ratio the lowest grade of a 1-5 scale counts .18, more
        than an unrated item; minmax counts it as 0.

    Parameters
        alpha, beta, topics
        profile: γ. ml: Σ ratings of the user's items with the topic ÷ Σ over all topics; item_share: ÷ Σ ratings of his items;
            smoothed: (1 − smoothing) · ml + smoothing · p; dirichlet: (Σ ratings with the topic + mu · p) ÷ (Σ over topics + mu), p
            being ml of all users together; given: columns of users= named after topics, from 0 to 1
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
        """The parameter α."""
        return self.alpha


@definition
class ABnDCG(Normalised, OfRatings, Unrated):
    """αβ-nDCG: αβ-DCG of the list, divided by that of the best list that could have been recommended to the user.

    Formula
        αβ-nDCG@k = αβ-DCG@k(list) / αβ-DCG@k(ideal); the ideal is built from the top: at each rank the candidate with the highest
        gain after those before it, on ties (to 1e-12) the one with the lowest id as text

    Edge cases
        Undefined for a user without known interests, and if no candidate has a gain. A list shorter than k is compared with an
        ideal of k candidates. The user's training items are never candidates. Values above 1 are counted: the greedy list need
        not be the best, and unrated items gain α although candidates=judged excludes them. If a user rated nothing in the list,
        the value measures topics alone; such users are counted.

    Convention
        The ideal does not depend on the list, so all systems are compared with the same number; with best_of it does, which is
        the same as clip. Finding the best list of all is NP-hard: exact searches for it, and fails if that takes too long.

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
        """The parameter α."""
        return self.alpha


@definition
class ABHit(Normalised, OfRatings):
    """The accuracy component of αβ-nDCG: its value with α = 0, where only rated items have gains.

    Formula
        ab_hit@k = αβ-nDCG@k with α = 0

    Edge cases
        Undefined for a user without known interests, or who rated no candidate of a topic of interest.

    Convention
        Together with ab_topic it shows where a difference in αβ-nDCG comes from. With one topic it is a form of ERR with a
        logarithmic discount.

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
        as for ab_ndcg.
    """

    name: ClassVar[str] = "ab_hit"

    @property
    def unrated(self) -> float:
        """Zero: an unrated item does not satisfy."""
        return 0.0


@definition
class ABTopic(Normalised):
    """The diversity component of αβ-nDCG: its value if every item had the highest rating, where only topics count.

    Formula
        ab_topic@k = αβ-nDCG@k with a = β for each topic of each item, rated or not

    Edge cases
        Undefined for a user without known interests, or without a candidate of a topic of interest.

    Convention
        Together with ab_hit it shows where a difference in αβ-nDCG comes from: a list with the user's own mix of topics scores
        high, whatever they think of its items.

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
        as for ab_ndcg.
    """

    name: ClassVar[str] = "ab_topic"

    @property
    def unrated(self) -> float:
        """The parameter β: an unrated item satisfies like one with the highest rating."""
        return self.beta

    def chance(self, grade: np.ndarray, context: Context) -> np.ndarray:
        """β for every item."""
        return np.full(len(grade), self.beta)
