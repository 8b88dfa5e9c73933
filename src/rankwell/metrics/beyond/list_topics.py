"""Metrics of how a list spreads over the topics of its items: entropy, and binomial diversity."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.item_features import Featured
from rankwell.metrics.metric import definition
from rankwell.tables.lists import shares

__all__ = ["BinomialDiversity", "CategoryEntropy"]


@definition
class CategoryEntropy(Featured):
    """Category entropy: how evenly a list is spread over topics, such as genres, in bits.

    Formula
        H = −Σ_t q_t log q_t, q_t = Σ_{i ∈ L} w_it / Σ_{i ∈ L} Σ_t w_it over the first k items; w_it = 1 / number of i's topics
        for each topic t of i, or 1 (count=topic)

    Edge cases
        Undefined if no item of the list has a topic; rows of items without topics are left out and counted. 0 if all items are
        of one topic, log of the number of topics if all are equally frequent.

    Convention
        Of each list alone; ``entropy`` is of how often items are shown. LensKit counts each topic of an item fully, and adds
        0.000001 to the sum of every topic.

    Parameters
        count: item (the topics of an item share its weight), or topic (each topic of an item counts 1)
        base: the base of the logarithm
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns; each nonzero feature counts
            as a topic

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> metrics = ["category_entropy@2", "category_entropy@3", "category_entropy(count=topic)@2"]
        >>> res = rw.evaluate({"u": ["a", "b", "c"]}, metrics=metrics, items=films)
        >>> {name: round(value, 4) for name, value in res.mean.items()}
        {'category_entropy@2': 0.8113, 'category_entropy@3': 1.0, 'category_entropy(count=topic)@2': 0.9183}

    Reference
        C. Shannon, A mathematical theory of communication, 1948; LensKit entropy.
    """

    name: ClassVar[str] = "category_entropy"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    count: Literal["item", "topic"] = "item"
    base: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base <= 1:
            raise UsageError(f"{self.name}(base={self.base:g}): base must be above 1.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The entropies, for blocks of lists."""
        rows, _ = self.rows(judged, context)
        vectors = self.vectors(judged, context)
        topics = vectors.shares if self.count == "item" else vectors.sets
        values = np.empty(len(judged))
        for low, high, sums in topics.sums(rows):
            q = shares(sums)
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = np.where(q > 0, q * np.log(q), 0.0)
            entropy = np.maximum(-terms.sum(axis=1), 0.0) / math.log(self.base)
            values[low:high] = np.where(sums.sum(axis=1) > 0, entropy, np.nan)
        return values


@definition
class BinomialDiversity(Featured):
    """Binomial diversity: whether a list covers topics, and repeats none, compared with lists drawn at random.

    Formula
        coverage · nonredundancy, with X_t binomial, n draws of probability p_t = (1 − λ) · share of training pairs with topic t +
        λ · share of the user's training items with it; coverage = Π_{t not in list} P(X_t = 0)^(1/|F|), F the topics with
        p_t > 0; nonredundancy = Π_{t in list} P(X_t ≥ c_t | X_t > 0)^(1/|F_L|), c_t items of topic t in the list, F_L its topics

    Edge cases
        Undefined for an empty list, and with λ above 0 for a user without training items. An item without topics only lengthens
        the list; its rows are counted. A topic that is not in train may stand in a list once; twice makes nonredundancy 0.

    Convention
        A topic missing from the list costs the more, the more frequent it is; a topic costs if it is more frequent than expected.
        λ = 0 asks for the mix of the whole log, λ = 1 for that of the user. RankSys calls λ alpha.

    Parameters
        lam: λ, the weight of the user's own shares, 0 to 1
        part: both, coverage or nonredundancy
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns; each nonzero feature counts
            as a topic

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> metrics = ["binomial_diversity(lam=0)@1", "binomial_diversity(lam=0)@2"]
        >>> res = rw.evaluate({"u": ["a", "c", "b"]}, metrics=metrics, items=films, train={"u": {"a": 1, "c": 1}})
        >>> {name: round(value, 4) for name, value in res.mean.items()}
        {'binomial_diversity(lam=0)@1': 0.7071, 'binomial_diversity(lam=0)@2': 1.0}

    Reference
        S. Vargas, L. Baltrunas, A. Karatzoglou and P. Castells, Coverage, redundancy and size-awareness in genre diversity for
        recommender systems, RecSys 2014; RankSys BinomialDiversity.
    """

    name: ClassVar[str] = "binomial_diversity"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "counts", "history"})

    lam: float = 0.5
    part: Literal["both", "coverage", "nonredundancy"] = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.lam <= 1:
            raise UsageError(f"{self.name}(lam={self.lam:g}): lam must be between 0 and 1.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The products, for blocks of lists."""
        rows, _ = self.rows(judged, context)
        history, topics = judged.history(context), self.vectors(judged, context).sets
        everyone, own = context.once(_frequent, self.features), history.count()
        length = rows.count()
        values = np.empty(len(judged))
        for (low, high, counts), (_, _, known) in zip(topics.sums(rows), topics.sums(history), strict=True):
            mine = known / np.maximum(own[low:high, None], 1)
            chance = np.minimum((1 - self.lam) * everyone + self.lam * mine, 1.0)  # which rounding may pass
            values[low:high] = self._products(counts, chance, length[low:high, None])
        has_history = own > 0 if self.lam else True
        return np.where((length > 0) & has_history, values, np.nan)

    def _products(self, counts: np.ndarray, chance: np.ndarray, n: np.ndarray) -> np.ndarray:
        from scipy.special import bdtrc

        is_here = counts > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            never = n * np.log1p(-chance)
            # P(X ≥ count) given that there is one; log1p and expm1, as topics of rare items have chances near 0
            at_least = bdtrc(np.maximum(counts - 1, 0), n, chance) / -np.expm1(never)
            at_least = np.where(chance > 0, at_least, counts <= 1)
            missing = np.where(is_here | (chance == 0), 0.0, never).sum(axis=1)
            repeated = np.where(is_here, np.log(at_least), 0.0).sum(axis=1)
        coverage = np.exp(missing / np.maximum((chance > 0).sum(axis=1), 1))
        freshness = np.exp(repeated / np.maximum(is_here.sum(axis=1), 1))
        return np.minimum({"both": coverage * freshness, "coverage": coverage}.get(self.part, freshness), 1.0)


def _frequent(context: Context, features: str) -> np.ndarray:
    """The share of training pairs whose item has each topic."""
    assert context.train is not None
    assert context.items is not None
    topics = context.items.features(features)
    counts = context.train.counts[: len(topics.offsets) - 1]
    per_entry = np.repeat(counts, np.diff(topics.offsets))
    sums = np.bincount(topics.codes, weights=per_entry, minlength=max(len(topics.names), 1))
    return sums / max(context.train.total, 1)
