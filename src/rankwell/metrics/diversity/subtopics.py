"""The topics that each judged item is relevant for, the topics of each query, and their weights; and the base of topic metrics, with cascades in
which gains diminish as topics are covered.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.kernels import cascade, order
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import Numbers
from rankwell.records import cached_property, record
from rankwell.tables.features import Features
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked, Topics, distinct, offsets_of, owners, places_among

Weights = Literal["qrels", "uniform", "profile"]
NO_CHANCE = np.empty(0)
# the best list is worth at most this many times the greedy one (Nemhauser, Wolsey and Fisher, 1978)
MOST_OVER_GREEDY = 1.0 / (1.0 - math.exp(-1.0))


@record(slots=True)
class Wanted:
    """The choice of topics: their source, which of them belong to a query, their weights, and what is relevant.

    ``source`` is qrels, items or a column of the items table; ``graded`` keeps every item with a positive level, otherwise the
    relevant items.
    """

    source: str
    universe: str
    weights: str
    rel: float | None
    graded: bool
    gain_from: str = "threshold"


@record(eq=False)
class Subtopics:
    """The topics that judged items are relevant for: entries of (topic, level) for each row of the pool.

    The topics of query q are ``topic[first[q]:first[q + 1]]`` in ascending order, with the ``weight`` of each (their sum is 1);
    the entries of row i are ``offsets[i]`` to ``offsets[i + 1]``, with the index of their topic among all (``at``) and among
    those of their query (``slot``). Only relevant entries of the query's topics are kept.
    """

    first: np.ndarray
    topic: np.ndarray
    weight: np.ndarray
    offsets: np.ndarray
    slot: np.ndarray
    at: np.ndarray
    level: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """The number of topics of each query."""
        return np.diff(self.first)

    @cached_property
    def query(self) -> np.ndarray:
        """The query of each topic."""
        return owners(self.first)

    @cached_property
    def owner(self) -> np.ndarray:
        """The row of the pool of each entry."""
        return owners(self.offsets)

    def highest(self) -> np.ndarray:
        """Return for each entry the highest level of its topic in its query."""
        top = np.zeros(len(self.topic))
        np.maximum.at(top, self.at, self.level)
        return top[self.at]

    def places(self, query: np.ndarray, topic: np.ndarray) -> np.ndarray:
        """Return the index of each pair of query and topic among all topics; -1 if the query lacks the topic."""
        width = int(max(self.topic.max(initial=0), topic.max(initial=0))) + 1
        return places_among(self.query * width + self.topic, query * width + topic)

    def kinds(self, pool: Pool, query: int) -> dict[tuple[int, ...], int]:
        """Return the topic sets of a query's items, with the number of items of each."""
        rows = range(int(pool.offsets[query]), int(pool.offsets[query + 1]))
        found = (tuple(self.slot[self.offsets[row] : self.offsets[row + 1]].tolist()) for row in rows)
        return dict(Counter(kind for kind in found if kind))

    def gains(
        self, query: np.ndarray, row: np.ndarray, start: np.ndarray, share: np.ndarray, damp: np.ndarray
    ) -> np.ndarray:
        """Return the gain of each row of the lists in order; ``share`` and ``damp`` have a value per entry."""
        return cascade.gains(
            query, row, NO_CHANCE, self.first, start, self.offsets, self.slot, share, damp, False
        )

    def greedy(
        self,
        candidates: np.ndarray,
        bounds: np.ndarray,
        depth: int | None,
        start: np.ndarray,
        share: np.ndarray,
        damp: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the greedy lists of all queries (see the kernel); the first of equal ``candidates`` is taken."""
        deepest = len(candidates) if depth is None else depth
        return cascade.greedy(
            candidates, bounds, deepest, self.first, start, self.offsets, self.slot, share, damp
        )

    def candidates(self, pool: Pool) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows relevant for a topic, by query, highest id first; and where each query begins."""
        has = np.diff(self.offsets) > 0
        bounds = offsets_of(has)[pool.offsets]
        rows = np.flatnonzero(has)
        place = np.arange(len(rows))
        # part of the definition, not of the policy: ndeval orders lists by ascending and its ideals by descending ids
        order.sort(
            place, bounds, np.zeros(len(rows)), *pool.items[rows].columns, order.TIE_RULES["item-desc"]
        )
        return rows[place], bounds


def subtopics(pool: Pool, context: Context, wanted: Wanted) -> Subtopics:
    """Return the topics of the judgements, computed once for all runs."""
    return context.shared.once(_made, pool, wanted)


def topics_of_pool(pool: Pool, context: Context, source: str) -> Topics:
    """Return the topics of each judged item: those it was judged for, or those of the items table with its grade."""
    if source == "qrels":
        if pool.topics is None:
            raise LookupError('a metric that reads topics must declare needs = {"topics"}')
        return pool.once(_whole_topics)
    return context.once(_topics_of_items, pool, source)


def _whole_topics(pool: Pool) -> Topics:
    assert pool.topics is not None
    return pool.topics.whole()


def _topics_of_items(context: Context, pool: Pool, source: str) -> Topics:
    items = pool.rows_in(context)
    features = features_of_items(context, source, items)
    row, topic, _ = features.entries(items)
    offsets = np.searchsorted(row, np.arange(len(pool.grades) + 1))
    return Topics(offsets, topic, np.asarray(pool.grades)[row], len(features.names))


def features_of_items(context: Context, source: str, items: np.ndarray) -> Features:
    """Return the topics of some items in the items table: its topics column (``items``), or another column."""
    assert context.items is not None
    return context.items.features(column_of(source), items)


def column_of(source: str) -> str:
    """Return what selects the topics in the items table."""
    return "topics" if source == "items" else source


def _made(context: Context, pool: Pool, wanted: Wanted) -> Subtopics:
    topics = topics_of_pool(pool, context, wanted.source)
    row = owners(topics.offsets)
    query = owners(pool.offsets)
    if wanted.graded:
        level = np.fmax(context.scale.level(topics.grade, wanted.rel, wanted.gain_from), 0.0)
        kept = np.flatnonzero(level > 0)
        level = level[kept]
    else:
        kept = np.flatnonzero(context.scale.relevant(topics.grade, wanted.rel))
        level = np.ones(len(kept))
    keys = query[row[kept]] * topics.count + topics.topic[kept]
    slots = _universe(pool, context, wanted, topics, keys)
    at = places_among(slots, keys)
    if wanted.universe != "judged":
        inside = at >= 0
        kept, level, at = kept[inside], level[inside], at[inside]
    of_slot, topic = np.divmod(slots, max(topics.count, 1))
    first = np.searchsorted(of_slot, np.arange(len(pool.offsets)))
    topic_keys = query[row] * topics.count + topics.topic if topics.weight is not None else keys
    weight = _weights(pool, context, wanted, topics, topic_keys, slots)
    return Subtopics(
        first,
        topic,
        _shares(weight, of_slot, len(pool.offsets) - 1),
        offsets_of(np.bincount(row[kept], minlength=len(topics.offsets) - 1)),
        at - first[query[row[kept]]],
        at,
        level,
    )


def _universe(pool: Pool, context: Context, wanted: Wanted, topics: Topics, kept: np.ndarray) -> np.ndarray:
    """The pairs of query and topic that count, ascending, each as query × number of topics + topic."""
    if wanted.universe == "catalogue":
        return np.arange((len(pool.offsets) - 1) * topics.count)
    return distinct(kept if wanted.universe == "judged" else _learn_weights(pool, context, wanted.source))


def _learn_weights(pool: Pool, context: Context, source: str) -> np.ndarray:
    """The pairs of query and topic of all training rows, with repeats."""
    assert context.train is not None
    queries: Ids = pool.queries.ids
    history = context.train.rows(queries)
    assert history.item is not None
    features = features_of_items(context, source, history.item)
    row, topic, _ = features.entries(history.item)
    return history.query[row] * len(features.names) + topic


def _weights(
    pool: Pool, context: Context, wanted: Wanted, topics: Topics, keys: np.ndarray, slots: np.ndarray
) -> np.ndarray:
    """The weight of each slot, before normalisation; ``keys`` are those of all entries, if the judgements carry weights."""
    if wanted.weights == "profile":
        learned, times = np.unique(_learn_weights(pool, context, wanted.source), return_counts=True)
        return _find_values(learned, times.astype(np.float64), slots)
    if wanted.weights == "uniform" or topics.weight is None:
        return np.ones(len(slots))
    known, firsts = np.unique(keys, return_index=True)
    return _find_values(known, topics.weight[firsts], slots)


def _find_values(keys: np.ndarray, values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The value of each wanted key; 0 for one that is not there."""
    return np.append(values, 0.0)[places_among(keys, wanted)]


def _shares(weight: np.ndarray, query: np.ndarray, queries: int) -> np.ndarray:
    """The weights of each query divided by their sum; NaN if that is 0."""
    total = np.bincount(query, weights=weight, minlength=queries)[query]
    return np.divide(weight, total, out=np.full(len(weight), np.nan), where=total > 0)


@definition
class OnTopics(QueryMetric):
    """A metric of judgements that knows which topics each item is relevant for.

    ``graded`` says whether a grade gains by its height; otherwise an item is relevant for a topic or not. ``weights`` and
    ``gain_from`` are fields of those metrics that weigh topics and count grades.

    Parameters
        topics: qrels (the topics that items were judged for), items (all topics of an item, by the topic column of items=), or a
            column of items=
        universe: judged (topics with a relevant item), profile (those of the user's training items) or catalogue
        rel: the grade from which an item is relevant; default above 0, or the policy's rel
        weights: qrels (the column topic_weight of the judgements, equal ones where they have none), uniform, or profile (shares of
            topics in the user's training items)
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)
    """

    needs: ClassVar[frozenset[str]] = frozenset({"judgement"})
    graded: ClassVar[bool] = False

    topics: str = "qrels"
    universe: Literal["judged", "profile", "catalogue"] = "judged"
    rel: float | None = None

    def needed(self) -> frozenset[str]:
        """Topics of the judgements or of the items; the user's history if topics or weights come from there."""
        source = {"topics"} if self.topics == "qrels" else {"features"}
        learned = {"history"} if "profile" in (self.universe, self._weights) else set()
        return super().needed() | self.needs | source | learned

    @property
    def _weights(self) -> str:
        return getattr(self, "weights", "uniform")

    def check(self) -> None:
        """Training items have topics only in the items table."""
        super().check()
        if self.topics == "qrels" and "profile" in (self.universe, self._weights):
            which = "universe" if self.universe == "profile" else "weights"
            raise UsageError(
                f"{self}: {which}=profile needs the topics of training items, which the judgements do not hold: use "
                f"topics=items (or a column of items=)."
            )

    def check_tables(self, context: Context) -> None:
        """The topics must be a column of the items table."""
        if self.topics != "qrels":
            assert context.items is not None
            context.items.check_features(column_of(self.topics))

    def broken_laws(self) -> dict[str, str]:
        """A better item may be of a topic that is already covered."""
        another = "an item of a higher grade may be of a topic that is already covered"
        return super().broken_laws() | dict.fromkeys(
            ("a better list scores no worse", "best and worst bracket expected"), another
        )

    def reads_all_judgements(self) -> bool:
        """The topics of the catalogue are those of all judgements, if they are not a column of the items."""
        return self.topics == "qrels" and self.universe == "catalogue"

    def subtopics(self, pool: Pool, context: Context) -> Subtopics:
        """The topics each judged item is relevant for, and their weights."""
        start = getattr(self, "gain_from", "threshold")
        wanted = Wanted(self.topics, self.universe, self._weights, self.rel, self.graded, start)
        return subtopics(pool, context, wanted)

    def topic_table(self, judged: Judged, context: Context) -> Topics:
        """All topics of each judged item, relevant or not."""
        return topics_of_pool(judged.pool, context, self.topics)

    def n_topics(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of topics of each query; 0 for queries without a relevant item, which have no value."""
        found = self.subtopics(judged.pool, context)
        return context.shared.once(_topic_counts, judged.pool, found)[judged.pool_row]


@definition
class Discounted(OnTopics):
    """A metric of graded gains of several topics, discounted by rank.

    Parameters
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
    """

    graded: ClassVar[bool] = True

    discount: Literal["log2p1", "jk", "reciprocal", "none"] | Numbers = "log2p1"
    base: float = 2.0
    weights: Weights = "qrels"
    gain_from: Literal["threshold", "raw"] = "threshold"

    def applies(self, parameter: str) -> bool:
        """``base`` applies only to discount=jk, ``gain_from`` only to ratings."""
        return {"base": self.discount == "jk", "gain_from": self.gain_from == "raw"}.get(parameter, True)


@definition
class Cascade(OnTopics, Additive):
    """A metric in which each item gains a share of what is left of its topics, and uses some of it up.

    ``start`` is the amount of topic t at the top; the item at rank r gains ``share`` of what is left and removes ``damp`` of
    it: Σ_r weight(r) · Σ_t share · start_t · Π_{above} (1 − damp).
    """

    sliceable: ClassVar[bool] = True

    @abstractmethod
    def start(self, topics: Subtopics) -> np.ndarray:
        """Return the amount of each topic of each query at the top of the list."""

    @abstractmethod
    def use(self, topics: Subtopics, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """Return the share that each entry gains, and the share that it removes."""

    @abstractmethod
    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """Return the weight of each rank."""

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The gain of each judged item found, after those above it."""
        rows = self.rows(judged)
        assert rows.pool_row is not None
        found, start, share, damp = self.prepared(judged.pool, context)
        gain = found.gains(judged.pool_row[rows.query], rows.pool_row, start, share, damp)
        return Terms(rows, gain, self.weights_of(rows.rank))

    def rows(self, judged: Judged) -> Ranked:
        """Return the rows that count: the judged items found."""
        return judged.found.top(self.k)

    def prepared(self, pool: Pool, context: Context) -> tuple[Subtopics, np.ndarray, np.ndarray, np.ndarray]:
        """Return the topics of the judgements, their amounts, and each entry's gain and use; computed once."""
        found = self.subtopics(pool, context)
        return found, *context.shared.once(_used_up, replace(self, k=None), found)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, if an item is relevant for a topic of the query."""
        return (self.n_topics(judged, context) > 0).astype(np.float64)

    def greedy_terms(self, pool: Pool, context: Context) -> Terms:
        """The greedy lists of all queries of the pool: at each rank the item with the highest gain."""
        found, start, share, damp = self.prepared(pool, context)
        candidates = context.shared.once(_candidates, pool, found)
        rows, gain, ends = found.greedy(*candidates, self.k, start, share, damp)
        query = owners(ends)
        rank = np.arange(1, len(rows) + 1) - ends[query]
        ideal = Ranked(len(ends) - 1, query, rank, np.asarray(pool.grades)[rows], item=rows, pool_row=rows)
        return Terms(ideal, gain, self.weights_of(rank))


@definition
class OverGreedy(Cascade):
    """A cascade divided by the value of the greedy list of all judged items, computed once for all runs."""

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The value of each query's greedy list."""
        return context.shared.once(_greedy_sums, judged.pool, self)[judged.pool_row]

    def ideal_terms(self, judged: Judged, context: Context) -> Terms:
        """The greedy lists of the batch's queries."""
        return of_queries(self.greedy_terms(judged.pool, context), judged)


def _topic_counts(_: Context, pool: Pool, found: Subtopics) -> np.ndarray:
    """The number of topics of each query, 0 if it has no value; the last is for queries without judgements."""
    entries = found.offsets[pool.offsets[1:]] - found.offsets[pool.offsets[:-1]]
    # one topic of unknown weight makes all shares of its query unknown
    unknown = np.bincount(found.query, weights=np.isnan(found.weight), minlength=len(found.counts))
    return np.append(np.where((entries > 0) & (unknown == 0), found.counts, 0), 0)


def _used_up(
    context: Context, metric: Cascade, found: Subtopics
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return metric.start(found), *metric.use(found, context)


def _candidates(_: Context, pool: Pool, found: Subtopics) -> tuple[np.ndarray, np.ndarray]:
    return found.candidates(pool)


def _greedy_sums(context: Context, pool: Pool, metric: Cascade) -> np.ndarray:
    return np.append(metric.greedy_terms(pool, context).sum(), 0.0)


def of_queries(made: Terms, judged: Judged) -> Terms:
    """Return the terms of a batch's queries, in its order, from those of all queries of the pool."""
    place = np.full(made.rows.queries, -1)
    known = np.flatnonzero(judged.pool_row >= 0)
    place[judged.pool_row[known]] = known
    rows = np.flatnonzero(place[made.rows.query] >= 0)
    rows = rows[np.argsort(place[made.rows.query[rows]], kind="stable")]
    kept = made.rows.where(rows)
    kept.queries, kept.query = len(judged), place[kept.query]
    return Terms(kept, made.gain[rows], made.weight[rows])


def everything(damp: float, weights_of: Callable[[np.ndarray], np.ndarray], k: int | None) -> float:
    """Return one topic's sum down to rank k if every item has it: Σ_{r ≤ k} (1 − damp)^(r − 1) · weight(r)."""
    assert k is not None
    ranks = np.arange(1, k + 1)
    return float(np.sum((1.0 - damp) ** (ranks - 1.0) * weights_of(ranks)))
