"""Metrics of how unfamiliar the items of a list are to users: MSI, self-information, EPC, EFD."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.graded.gain_functions import OfRelevance
from rankwell.metrics.metric import ListMetric, definition
from rankwell.tables.lists import Ranked, ratio

__all__ = ["EFD", "EPC", "MSI", "OfChances", "SelfInformation"]


@definition
class OfChances(ListMetric):
    """A metric of the probability that an item is known: its training users over all users, or over all pairs."""

    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})
    among: ClassVar[Literal["users", "pairs"]] = "users"
    fewest: ClassVar[int] = 1  # users that unseen=max assigns to an item without any

    unseen: Literal["max", "laplace", "skip", "error"] = "max"

    def needed(self) -> frozenset[str]:
        """The catalogue, if every one of its items is counted once more."""
        smooths = self.unseen == "laplace" and self.among == "pairs"
        return super().needed() | (frozenset({"catalogue"}) if smooths else frozenset())

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The number of rows whose item has no training users."""
        assert context.train is not None
        users = context.train.users_of(judged.shown.top(self.k))
        return {"rows of items without training users": int(np.count_nonzero(users == 0))}

    def chances(self, judged: Judged, context: Context) -> tuple[Ranked, np.ndarray]:
        """Return the rows that count, and the probability of each.

        Raises
        ------
        DataError
            For an item without training users under ``unseen=error``.
        """
        assert context.train is not None
        rows = judged.shown.top(self.k)
        users = context.train.users_of(rows)
        total = context.train.users if self.among == "users" else context.train.total
        if self.unseen == "laplace":  # one more user who has everything, or one more pair of each item
            return rows, (users + 1) / (total + (1 if self.among == "users" else len(context.items or ())))
        if self.unseen == "max":
            return rows, np.maximum(users, self.fewest) / total
        unseen = np.flatnonzero(users == 0)
        if self.unseen == "error" and len(unseen):
            raise self._nobodys(judged, rows, int(unseen[0]), context)
        return rows.where(users > 0), users[users > 0] / total

    def _nobodys(self, judged: Judged, rows: Ranked, row: int, context: Context) -> DataError:
        assert rows.item is not None
        assert context.catalogue is not None
        item = int(rows.item[row])
        name = f"item {brief(context.catalogue.ids.one(item))}" if item >= 0 else "the item"
        return DataError(
            f"{self}: query {brief(judged.queries.one(int(rows.query[row])))}, rank {rows.rank[row]}: {name} has no training "
            f"user. Set unseen=max, laplace or skip, or complete train=."
        )


@definition
class MSI(OfChances):
    """Mean self-information: how surprising the items of a list are, by the share of users who have each.

    Formula
        msi@k = (1/n) Σ_{i in list} −log2(c_i / U), c_i training users of item i, U all training users

    Edge cases
        Undefined for an empty list. An item without training users (even one outside the catalogue) counts as having one; with
        unseen=skip it is left out of the sum and of n, and a list of only such items is undefined.

    Convention
        RecTools' MeanInvUserFreq, with n the length of the list. recmetrics' novelty divides by a fixed n even for shorter
        lists. High values mean unknown items, not good ones: random lists score highest.

    Parameters
        unseen: for c_i = 0: max (as c_i = 1), laplace ((c_i + 1) / (U + 1) for all items), skip or error

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}, "x": {"a": 1}}
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["msi@2", "msi@1"], train=train).mean
        {'msi@2': 1.0, 'msi@1': 0.0}

    Reference
        T. Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems, PNAS 107(10), 2010.
    """

    name: ClassVar[str] = "msi"
    plain: ClassVar[str] = "how little known {top} {are}"
    aliases: ClassVar[tuple[str, ...]] = ("miuf",)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean of the bits."""
        rows, chances = self.chances(judged, context)
        return ratio(rows.sum(-np.log2(chances)), rows.count())


@definition
class SelfInformation(MSI):
    """Self-information of item choice: how surprising the items of a list are, by their share of all training pairs.

    Formula
        self_information@k = (1/n) Σ_{i in list} −log2(c_i / T), c_i training users of item i, T = Σ_j c_j

    Edge cases
        As for msi. unseen=laplace needs ``items=``, the catalogue, whose size m it adds to T.

    Convention
        The choice model: an item is drawn as often as it was chosen. Microsoft's recommenders take its mean over all rows of
        all lists as "novelty", and give unseen items 0 bits.

    Parameters
        unseen: for c_i = 0: max (as c_i = 1), laplace ((c_i + 1) / (T + m) for all items), skip or error

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}}
        >>> rw.evaluate({"u": ["b"]}, metrics=["self_information@1"], train=train).mean
        {'self_information@1': 2.0}

    Reference
        P. Castells, S. Vargas and J. Wang, Novelty and diversity metrics for recommender systems, ECIR DDR 2011.
    """

    name: ClassVar[str] = "self_information"
    plain: ClassVar[str] = "how little known {top} {are}"
    aliases: ClassVar[tuple[str, ...]] = ()
    among: ClassVar[Literal["users", "pairs"]] = "pairs"


@definition
class EPC(OfRelevance, OfChances):
    """Expected popularity complement: the mean share of users who do not know an item, with discounted ranks.

    Formula
        epc@k = Σ_r disc(r) · rel(i_r) · (1 − c_i / U) / Σ_{r ≤ n} disc(r), c_i training users of item i, U all of them

    Edge cases
        Undefined for an empty list. An item without training users (even one outside the catalogue) has novelty 1; with
        unseen=skip it is left out of both sums, and ranks do not change.

    Convention
        Without ``relevance=`` it is pure novelty: rel(i) = 1. With it, relevance and novelty mix, and the value is defined only
        for judged queries: binary is 0 or 1, graded (2^g − 1) / 2^g_max. The divisor ignores relevance (RankSys).

    Parameters
        unseen: for c_i = 0: max (novelty 1), laplace (1 − (c_i + 1) / (U + 1) for all items), skip or error
        discount: log2p1 (1 / log2(r + 1)), none or reciprocal (1 / r)
        relevance: none, binary or graded
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel
        max_grade: g_max; default: the highest grade in the qrels
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}, "x": {"a": 1}}
        >>> metrics = ["epc(discount=none)@2", "epc(discount=none,relevance=binary)@2"]
        >>> rw.evaluate({"u": ["a", "b"]}, {"u": {"a": 1}}, metrics, train=train).mean
        {'epc(discount=none)@2': 0.375, 'epc(discount=none,relevance=binary)@2': 0.0}

    Reference
        S. Vargas and P. Castells, Rank and relevance in novelty and diversity metrics for recommender systems, RecSys 2011.
    """

    name: ClassVar[str] = "epc"
    plain: ClassVar[str] = "how little known {top} {are}"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    fewest: ClassVar[int] = 0

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean share of users without each item."""
        rows, chances = self.chances(judged, context)
        return self.mean(rows, 1.0 - chances, context)


@definition
class EFD(OfRelevance, OfChances):
    """Expected free discovery: the mean self-information of the items of a list, with discounted ranks.

    Formula
        efd@k = Σ_r disc(r) · rel(i_r) · −log2(c_i / T) / Σ_{r ≤ n} disc(r), c_i training users of item i, T = Σ_j c_j

    Edge cases
        Undefined for an empty list. An item without training users (even one outside the catalogue) counts as having one; with
        unseen=skip it is left out of both sums, and ranks do not change. unseen=laplace needs ``items=``.

    Convention
        As for epc: without ``relevance=`` it is pure novelty. Elliot's EFD gives unseen items the highest novelty of all items,
        which is that of an item with one user, if there is one.

    Parameters
        unseen: for c_i = 0: max (as c_i = 1), laplace ((c_i + 1) / (T + m) for all items), skip or error
        discount: log2p1 (1 / log2(r + 1)), none or reciprocal (1 / r)
        relevance: none, binary or graded
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel
        max_grade: g_max; default: the highest grade in the qrels
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}}
        >>> rw.evaluate({"u": ["b", "c"]}, metrics=["efd@2"], train=train).mean
        {'efd@2': 2.0}

    Reference
        S. Vargas and P. Castells, Rank and relevance in novelty and diversity metrics for recommender systems, RecSys 2011.
    """

    name: ClassVar[str] = "efd"
    plain: ClassVar[str] = "how little known {top} {are}"
    among: ClassVar[Literal["users", "pairs"]] = "pairs"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean of the bits."""
        rows, chances = self.chances(judged, context)
        return self.mean(rows, -np.log2(chances), context)
