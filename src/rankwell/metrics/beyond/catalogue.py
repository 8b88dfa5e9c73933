"""Metrics of all lists together against the catalogue: how much of it is shown."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.judge.pool import Pool
from rankwell.metrics.metric import Better, CorpusMetric, definition
from rankwell.tables.states import ItemCounts

__all__ = [
    "Coverage",
    "OfCounts",
    "PredictionCoverage",
    "TestShare",
]


@definition
class OfCounts(CorpusMetric):
    """A metric of how often each item of the catalogue is in the lists."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue"})
    grows: ClassVar[bool] = True

    def state(self, judged: Judged, context: Context) -> ItemCounts:
        """The number of lists that show each catalogue item within k."""
        assert context.catalogue is not None
        items = judged.shown.top(self.k).item
        assert items is not None
        counts = np.bincount(items[items >= 0], minlength=len(context.catalogue))
        return ItemCounts(counts, len(judged), self, self.about(judged, context))

    def about(self, judged: Judged, context: Context) -> np.ndarray | None:
        """Return what the value needs to know about each item."""
        return None

    @abstractmethod
    def of_counts(self, counts: np.ndarray, n: int, about: np.ndarray | None) -> float:
        """Return the value from the counts of all items in ``n`` lists."""


@definition
class Coverage(OfCounts):
    """Catalogue coverage: the share of the catalogue that is recommended to at least one user.

    Formula
        coverage@k = |∪_u {items of u's list with r ≤ k}| / |catalogue|; with weights Σ_{i shown} w_i / Σ_i w_i;
        with users=n the mean over all samples of n lists: 1 − mean_i C(U − c_i, n) / C(U, n), c_i lists with i, U lists

    Edge cases
        Needs ``items=``, the catalogue. Items outside it are an error, or are left out and counted (``outside=ignore``).
        Undefined for an empty catalogue, for fewer lists than ``users``, or if all weights are 0.

    Convention
        The catalogue is the table you give. Coverage grows with the number of lists: compare systems at the same number, or
        use ``users=``. recmetrics calls this "prediction coverage"; other tools count only items of the training data.

    Parameters
        users: the number of lists to rarefy to, exactly; default: all
        weights: a column of items= with the weight of each item; default: equal weights

    Example
        >>> import rankwell as rw
        >>> run = {"u": {"a": 2, "b": 1}, "v": {"a": 1}}
        >>> rw.evaluate(run, metrics=["coverage@1", "coverage", "coverage(users=1)"], items=["a", "b", "c", "d"]).mean
        {'coverage@1': 0.25, 'coverage': 0.5, 'coverage(users=1)': 0.375}

    Reference
        J. Herlocker et al., Evaluating collaborative filtering recommender systems, ACM TOIS 22(1), 2004; M. Ge et al.,
        Beyond accuracy, RecSys 2010 (weighted); H. Sanders, Marine benthic diversity, 1968 (rarefaction).
    """

    name: ClassVar[str] = "coverage"
    aliases: ClassVar[tuple[str, ...]] = ("catalogue_coverage", "catalog_coverage")

    users: int | None = None
    weights: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.users is not None and self.users < 1:
            raise UsageError(
                f"{self.name}(users={self.users}): users, a number of lists, must be at least 1."
            )

    def needed(self) -> frozenset[str]:
        """The columns of the catalogue, if one of them gives the weights."""
        return super().needed() | (frozenset({"features"}) if self.weights else frozenset())

    def check_tables(self, context: Context) -> None:
        """Weights must be numbers of at least 0."""
        if self.weights is not None:
            self._weights(context)

    def _weights(self, context: Context) -> np.ndarray:
        assert context.items is not None
        assert self.weights is not None
        weights = context.items.numbers(self.weights)
        wrong = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
        if len(wrong):
            row = int(wrong[0])
            raise DataError(
                f"{context.items.name}: item {context.items.item.one(row)!r} has the weight {weights[row]:g}; a weight must "
                f"be at least 0."
            )
        return weights

    def about(self, judged: Judged, context: Context) -> np.ndarray | None:
        """The weight of each item."""
        return None if self.weights is None else self._weights(context)

    def of_counts(self, counts: np.ndarray, n: int, about: np.ndarray | None) -> float:
        """The share of items shown, or its mean over samples of lists."""
        weights = np.ones(len(counts)) if about is None else about
        total = math.fsum(weights)
        if not total or (self.users is not None and self.users > n):
            return math.nan
        chance = counts > 0 if self.users is None else _chances(counts, n, self.users)
        return math.fsum(weights * chance) / total


def _chances(counts: np.ndarray, n: int, size: int) -> np.ndarray:
    """The probability that each item is in a sample of ``size`` of ``n`` lists."""
    # C(n − c, size) / C(n, size), factor by factor as c grows
    place = np.arange(int(counts.max(initial=0)), dtype=np.float64)
    without = np.concatenate(([1.0], np.cumprod(np.maximum(n - size - place, 0.0) / (n - place))))
    return 1.0 - without[counts]


@definition
class PredictionCoverage(OfCounts):
    """Prediction coverage: the share of the catalogue that the system recommends to anyone, at any rank.

    Formula
        |{items in any list, at any rank}| / |catalogue|

    Edge cases
        Give whole lists: for truncated lists it is coverage at the depth of the cut. Undefined for an empty catalogue.

    Convention
        recmetrics uses this name for what is ``coverage@k`` here.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 2, "b": 1}}, metrics=["prediction_coverage"], items=["a", "b", "c", "d"]).mean
        {'prediction_coverage': 0.5}

    Reference
        J. Herlocker et al., Evaluating collaborative filtering recommender systems, ACM TOIS 22(1), 2004.
    """

    name: ClassVar[str] = "prediction_coverage"
    cut = "none"

    def of_counts(self, counts: np.ndarray, n: int, about: np.ndarray | None) -> float:
        """The share of items in any list."""
        return int(np.count_nonzero(counts)) / len(counts) if len(counts) else math.nan


@definition
class TestShare(OfCounts):
    """The share of the recommended items that are judged for any query.

    Formula
        |{items shown within k} ∩ {items judged for any query}| / |{items shown within k}|

    Edge cases
        Undefined if nothing is shown. A judgement of any grade counts. Lists of queries without judgements are ignored.

    Convention
        Some authors call this coverage ("the percentage of recommended items that are in the test data"); it does not depend
        on the catalogue, and is closer to precision. ``coverage`` is the share of the catalogue.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, {"u": {"a": 1, "c": 1}}, metrics=["test_share@2"], items=["a", "b", "c"]).mean
        {'test_share@2': 0.5}

    Reference
        none: a variant in use.
    """

    __test__: ClassVar[bool] = False
    name: ClassVar[str] = "test_share"
    judgements: ClassVar[bool] = True
    better: ClassVar[Better] = "neither"

    def about(self, judged: Judged, context: Context) -> np.ndarray:
        """Whether each item is judged for any query."""
        return context.once(_is_judged, judged.pool)

    def of_counts(self, counts: np.ndarray, n: int, about: np.ndarray | None) -> float:
        """The share of the items shown that are judged."""
        assert about is not None
        shown = int(np.count_nonzero(counts))
        return int(np.count_nonzero(about & (counts > 0))) / shown if shown else math.nan


def _is_judged(context: Context, pool: Pool) -> np.ndarray:
    assert context.catalogue is not None
    rows = pool.rows_in(context)
    return np.bincount(rows[rows >= 0], minlength=len(context.catalogue)) > 0
