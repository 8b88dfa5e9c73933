"""The topics that each judged item is relevant for, the topics of each query, and their weights."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np

from rankwell.kernels import cascade, order
from rankwell.matching.batch import Context
from rankwell.matching.pool import Pool
from rankwell.records import cached_property, record
from rankwell.tables.features import Features
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Topics, distinct, offsets_of, owners, places_among

Weights = Literal["qrels", "uniform", "profile"]
NO_CHANCE = np.empty(0)


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
