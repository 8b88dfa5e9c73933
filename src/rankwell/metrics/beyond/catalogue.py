"""Metrics of all lists together against the catalogue: how much of it is shown, which topics and users are reached, and the counts that they add up."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.metric import Better, CorpusMetric, Metric, QueryMetric, definition
from rankwell.records import cached_property, record
from rankwell.tables.lists import distinct, places_among
from rankwell.tables.states import Counts, ItemCounts, NotAdded, State, Tally, Total


@definition
class OfCounts(CorpusMetric):
    """A metric of how often each item of the catalogue is in the lists."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue"})
    grows: ClassVar[bool] = True

    def state(self, judged: Judged, context: Context) -> State:
        """How often each catalogue item is in the first k."""
        return self.shown(judged, context)

    def shown(self, judged: Judged, context: Context) -> ItemCounts:
        """Return how often each catalogue item is in the first k: the same counts for all metrics of this cut-off."""
        assert context.catalogue is not None
        return judged.once(counts_within, self.k, len(context.catalogue))


def refuse_unnumbered(metric: Metric, items: np.ndarray, context: Context) -> None:
    """Refuse items without a number where train stands in for the catalogue: leaving them out would make other lists of these.

    Raises
    ------
    DataError
        If an item shown is not in train and no catalogue was given.
    """
    if context.items is None and (missing := int(np.count_nonzero(items < 0))):
        raise DataError(
            f"{metric}: {missing:,} rows hold items that are not in train, whose items are the catalogue where none is given. "
            f"Give items= with every item that could be shown, or evaluate {metric} without train=."
        )


def counts_within(judged: Judged, k: int | None, size: int) -> ItemCounts:
    """Return how often each item of a catalogue of some size is in the first k of the lists."""
    items = judged.shown.top(k).item
    assert items is not None
    return ItemCounts.of(items[items >= 0], size, len(judged))


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
    plain: ClassVar[str] = "share of all items that anybody is shown in {top}"
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
            context.once(_weights, self.weights)

    def state(self, judged: Judged, context: Context) -> ItemCounts | WeightedCounts:
        """How often each catalogue item is in the first k, with its weight if items have one."""
        shown = self.shown(judged, context)
        if self.weights is None:
            return shown
        weights, total = context.once(_weights, self.weights)
        return WeightedCounts.of(shown, weights, total)

    def value(self, state: Counts | WeightedCounts | FewerCounts) -> float:
        """The share of items shown, or its mean over samples of lists."""
        total = float(state.size) if isinstance(state, Counts) else state.total
        if not total or (self.users is not None and self.users > state.n):
            return math.nan
        if self.users is None:
            return (state.distinct if isinstance(state, Counts) else state.weight.value) / total
        if isinstance(state, Counts):
            # by counts, not by items: a catalogue of millions has few different ones
            often = np.flatnonzero(state.alike)
            return Total.repeated(_chances(often, state.n, self.users), state.alike[often]).value / total
        return Total.of(state.weights * _chances(state.counts, state.n, self.users)).value / total


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

    def value(self, state: Counts) -> float:
        """The share of items that stand anywhere."""
        return state.distinct / state.size if state.size else math.nan


@definition
class TestShare(CorpusMetric):
    """The share of the recommended items that are judged for any query.

    Formula
        |{items shown within k} ∩ {items judged for any query}| / |{items shown within k}|

    Edge cases
        Undefined where nothing is shown. A judgement of any grade counts, also below 0. Lists of queries without judgements are not seen.
        Items outside a given catalogue are an error, or left out (``outside=ignore``).

    Convention
        Some authors call this coverage ("the percentage of recommended items that are in the test data"); it does not depend
        on the catalogue, and is closer to precision. ``coverage`` is the share of the catalogue.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, {"u": {"a": 1, "c": 1}}, metrics=["test_share@2"]).mean
        {'test_share@2': 0.5}

    Reference
        none: a variant in use.
    """

    __test__: ClassVar[bool] = False
    name: ClassVar[str] = "test_share"
    judgements: ClassVar[bool] = True
    better: ClassVar[Better] = "neither"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item"})
    grows: ClassVar[bool] = True

    def reads_all_judgements(self) -> bool:
        """What counts is that an item is judged for anybody."""
        return True

    def broken_laws(self) -> dict[str, str]:
        """What counts is that an item occurs in the judgements."""
        return {"negative grades are unjudged": "an item of any grade occurs in the judgements"}

    def state(self, judged: Judged, context: Context) -> ShownJudged:
        """How often each item is in the first k, and the same of items that are judged for anybody."""
        assert context.catalogue is not None
        rows = judged.shown.top(self.k).item
        assert rows is not None
        refuse_unnumbered(self, rows, context)
        shown = judged.once(counts_within, self.k, len(context.catalogue))
        items, counts = shown.sums.shown()
        is_judged = places_among(context.once(_judged_items, judged.pool), items) >= 0
        often = np.repeat(items[is_judged], counts[is_judged])
        return ShownJudged(shown, ItemCounts.of(often, shown.size, shown.n))

    def value(self, state: ShownJudged | FewerJudged) -> float:
        """The judged ones among the items shown."""
        shown = state.shown.distinct
        return state.judged.distinct / shown if shown else math.nan


def _weights(context: Context, column: str) -> tuple[np.ndarray, float]:
    """The weight of each item of the catalogue, and their sum."""
    assert context.items is not None
    weights = context.items.numbers(column)
    wrong = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{context.items.name}: item {brief(context.items.item.one(row))} has the weight {weights[row]:g}; a weight is "
            f"at least 0."
        )
    return weights, Total.of(weights).value


def _chances(counts: np.ndarray, n: int, size: int) -> np.ndarray:
    """The probability that each item is in a sample of ``size`` of ``n`` lists."""
    # C(n − c, size) / C(n, size), factor by factor as c grows
    # 1 − C(n − c, size) / C(n, size), the ratio as a product of its factors, since binomials of millions overflow
    place = np.arange(int(counts.max(initial=0)), dtype=np.float64)
    without = np.concatenate(([1.0], np.cumprod(np.maximum(n - size - place, 0.0) / (n - place))))
    return 1.0 - without[counts]


def _judged_items(context: Context, pool: Pool) -> np.ndarray:
    """The numbered items that are judged for anybody, ascending."""
    assert context.catalogue is not None
    rows = distinct(context.catalogue.rows_of(pool.summary.items, "item"))
    return rows[rows >= 0]


@record(eq=False)
class WeightedCounts:
    """How often each item was shown, with the weight of each of these items, and the weight of the whole catalogue.

    ``places`` holds a weight for each number of ``shown``; where all items have a number, those not shown may have 0.
    """

    shown: ItemCounts
    places: np.ndarray
    total: float

    @classmethod
    def of(cls, shown: ItemCounts, weights: np.ndarray, total: float) -> WeightedCounts:
        """Return the counts with the weights of the items, given those of the whole catalogue."""
        items = shown.sums.items
        return cls(shown, weights if items is None else weights[items], total)

    def __add__(self, other: WeightedCounts) -> WeightedCounts:
        shown = self.shown + other.shown
        places = np.zeros(len(shown.sums.numbers))
        for each in (self, other):
            each.fill(places, shown)
        return WeightedCounts(shown, places, self.total)

    def __iadd__(self, other: WeightedCounts) -> Self:
        """Add to these counts, which nobody else may hold."""
        if self.shown.sums.items is not None:
            whole = self + other
            return replace(self, shown=whole.shown, places=whole.places)
        shown = self.shown
        shown += other.shown
        other.fill(self.places, shown)
        return replace(self, shown=shown)

    def fill(self, places: np.ndarray, shown: ItemCounts) -> None:
        """Write the weights of these items to the places that they have in ``shown``."""
        own, items = self.shown.sums.items, shown.sums.items
        if own is None:
            np.maximum(places, self.places, out=places)
        else:
            places[own if items is None else np.searchsorted(items, own)] = self.places

    @property
    def weights(self) -> np.ndarray:
        """The weight of each item that was shown."""
        return self.places if self.shown.sums.items is not None else self.places[self.shown.items]

    def without(self, part: WeightedCounts) -> FewerCounts:
        """Return what is left without a part of the lists."""
        return FewerCounts(self, part)

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.shown.n

    @property
    def counts(self) -> np.ndarray:
        """How often each item was shown."""
        return self.shown.counts

    @cached_property
    def weight(self) -> Total:
        """The weight of the items shown."""
        return Total.of(self.weights)


@record(eq=False)
class FewerCounts:
    """The counts and weights of some lists without a part of them."""

    whole: WeightedCounts
    part: WeightedCounts

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.whole.n - self.part.n

    @property
    def total(self) -> float:
        """The weight of the whole catalogue."""
        return self.whole.total

    @property
    def weights(self) -> np.ndarray:
        """The weight of each item that is shown in the whole."""
        return self.whole.weights

    @property
    def counts(self) -> np.ndarray:
        """How often each of these items was shown."""
        counts = self.whole.counts.copy()
        counts[np.searchsorted(self.whole.shown.items, self.part.shown.items)] -= self.part.counts
        return counts

    @property
    def weight(self) -> Total:
        """The weight of the items shown: only those of the part may be shown no more."""
        _, after = self.whole.shown.sums.less(self.part.shown.sums)
        return self.whole.weight.without(Total.of(self.part.weights[after == 0]))


@record(eq=False)
class ShownJudged:
    """The items shown, and those of them that are judged."""

    shown: ItemCounts
    judged: ItemCounts

    def __add__(self, other: ShownJudged) -> ShownJudged:
        return ShownJudged(self.shown + other.shown, self.judged + other.judged)

    def __iadd__(self, other: ShownJudged) -> Self:
        """Add to these counts, which nobody else may hold."""
        shown, judged = self.shown, self.judged
        shown += other.shown
        judged += other.judged
        return replace(self, shown=shown, judged=judged)

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return self.shown.size

    def cut(self, low: int, high: int) -> ShownJudged:
        """Return the counts of the items from one row of the catalogue until another."""
        return ShownJudged(self.shown.cut(low, high), self.judged.cut(low, high))

    def folded(self) -> FewerJudged:
        """Return how many items were shown how often, and how many judged ones."""
        return FewerJudged(self.shown.folded(), self.judged.folded())

    def without(self, part: ShownJudged) -> FewerJudged:
        """Return what is left without a part of the lists."""
        return FewerJudged(self.shown.without(part.shown), self.judged.without(part.judged))

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.shown.n


@record(eq=False)
class FewerJudged(NotAdded):
    """How many items are shown how often, perhaps without a part of the lists, and the same of judged ones."""

    shown: Tally
    judged: Tally

    def beside(self, other: FewerJudged) -> FewerJudged:
        """Return the same of the items of both, in the same lists."""
        return FewerJudged(self.shown.beside(other.shown), self.judged.beside(other.judged))

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.shown.n


@definition
class TopicCoverage(OfCounts):
    """Topic coverage: the share of the catalogue's topics covered by the recommended items.

    Formula
        |∪_{i shown within k} A(i)| / |∪_{i in catalogue} A(i)|, A(i) the topics of item i

    Edge cases
        Undefined if no item has a topic.

    Convention
        Over all lists together; the share of topics in one list is s_recall.

    Parameters
        features: topics (the column topics, genres …), or another column

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}]
        >>> rw.evaluate({"u": ["a"]}, metrics=["topic_coverage@1"], items=films).mean
        {'topic_coverage@1': 0.5}

    Reference
        as for coverage, applied to topics.
    """

    name: ClassVar[str] = "topic_coverage"
    plain: ClassVar[str] = "share of all topics found in {top}"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue", "features"})

    features: str = "topics"

    def check_tables(self, context: Context) -> None:
        """The topics must be a column of the items table."""
        assert context.items is not None
        context.items.check_features(self.features)

    def state(self, judged: Judged, context: Context) -> ItemCounts:
        """The number of times that each topic occurs in the first k."""
        assert context.items is not None
        items = judged.shown.top(self.k).item
        assert items is not None
        features = context.items.features(self.features, items)
        _, codes, _ = features.entries(items)
        return ItemCounts.of(codes, len(features.names), len(judged))

    def value(self, state: Counts) -> float:
        """The share of topics shown."""
        return state.distinct / state.size if state.size else math.nan


@definition
class UserCoverage(QueryMetric):
    """User coverage: the share of users who get at least a given number of recommendations.

    Formula
        |{u : length of u's list within k ≥ least}| / |users|

    Edge cases
        Users are the lists of the run, the judged queries missing from the run, and the rows of ``users=`` found in neither;
        the last are counted.

    Convention
        Under ``missing=skip`` users without a list are ignored, so the value means nothing; under ``population=judged`` only
        judged queries count.

    Parameters
        least: a list counts if it holds at least this many items

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, {"u": {"a": 1}, "v": {"b": 1}}, metrics=["user_coverage", "user_coverage(least=3)"]).mean
        {'user_coverage': 0.5, 'user_coverage(least=3)': 0.0}
        >>> users = [{"user": name} for name in "uvwx"]
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["user_coverage"], users=users).mean
        {'user_coverage': 0.25}

    Reference
        M. Ge et al., Beyond accuracy, RecSys 2010.
    """

    name: ClassVar[str] = "user_coverage"
    plain: ClassVar[str] = "share of users who are recommended enough"
    judgements: ClassVar[bool] = False
    undefined = "never"
    sees_missing: ClassVar[bool] = True

    least: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least < 1 or (self.k is not None and self.least > self.k):
            raise UsageError(f"{self}: least must be a whole number from 1 to the cut-off.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """One if the list is long enough."""
        return (judged.n_shown(self.k) >= self.least).astype(np.float64)
