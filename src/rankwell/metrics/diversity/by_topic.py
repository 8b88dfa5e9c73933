"""Any metric, computed for each topic of a query and averaged over its topics: each topic is a query of its own, with its judgements alone."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.matching.ties import condense
from rankwell.metrics import metric_of
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.metric import Metric, QueryMetric, definition
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked, Topics, owners, owners_of, spread

__all__ = ["ByTopic"]


@record(eq=False)
class _Split:
    """The judgements by query and topic, computed once for all runs.

    ``pool`` has a query for each pair of query and topic, ``topic`` its topic, ``first`` the first pair of each query (plus
    one more entry). A cell is an item judged for one topic: ``cells`` are the offsets of the cells of each row of the whole
    pool, ``row`` is the row of ``pool`` for each cell, ``pair`` the pair of such a row and ``origin`` its row in the whole
    pool; ``subgroups`` are the parts of a pair's judgements, if there are any.
    """

    pool: Pool
    topic: np.ndarray
    first: np.ndarray
    cells: np.ndarray
    row: np.ndarray
    pair: np.ndarray
    origin: np.ndarray
    subgroups: Topics | None


@record(eq=False)
class TopicQueries:
    """The judged lists by topic: ``judged`` has a query per pair of query (its ``owner``) and ``topic``.

    ``origin`` is the row of the whole pool of each row of the pool of ``judged``; ``subgroups`` as in ``_Split``.
    """

    judged: Judged
    owner: np.ndarray
    topic: np.ndarray
    origin: np.ndarray
    subgroups: Topics | None

    def mean(self, queries: int, values: np.ndarray, counted: np.ndarray) -> np.ndarray:
        """Return per query the mean of one value per pair over the ``counted`` pairs, summed in the order of topics."""
        owner = self.owner[counted]
        below = np.bincount(owner, minlength=queries)
        total = np.bincount(owner, weights=values[counted], minlength=queries)
        return np.divide(total, below, out=np.full(queries, np.nan), where=below > 0)


def topic_queries(
    judged: Judged, topics: Topics | None = None, context: Context | None = None
) -> TopicQueries:
    """Return the judged lists of each topic of each query; topics are those of the judgements unless others are given.

    For metrics that declare ``needs = {"topics"}``, or ``{"judgement"}`` if they supply the topics of each row of the pool.
    An item without a judgement for a topic is unjudged there, and left out of condensed lists; but if topics come from the
    items table in ``context``, an item is judged for all topics at once.
    """
    topics = judged.pool.topics if topics is None else topics
    if topics is None:
        raise LookupError('a metric that reads topics must declare needs = {"topics"}')
    if context is None:
        return judged.once(_make_queries, judged.pool.once(_split, topics), False)
    return judged.once(_make_queries, context.once(_split_by_items, judged.pool, topics), True)


def _make_queries(judged: Judged, split: _Split, of_items: bool) -> TopicQueries:
    is_known = judged.pool_row >= 0
    lengths = np.where(is_known, split.first[judged.pool_row + 1] - split.first[judged.pool_row], 0)
    starts = np.cumsum(lengths) - lengths
    owner = owners_of(lengths)
    known = np.arange(len(owner)) + (split.first[judged.pool_row] - starts)[owner]
    here = starts - split.first[judged.pool_row]  # what leads from a query's pair in the pool to its row here
    ranks = judged.ranks
    if ranks is not None:
        rows, offsets = spread(ranks[0], owner)
        ranks = offsets, ranks[1][rows]
    made = Judged(
        Ids.of_integers(known),
        known,
        _hits_of_pairs(judged.found, split, here, len(owner)),
        judged.n_retrieved[owner],
        split.pool,
        None if judged.listed is None else _lists_of_pairs(judged.listed, split, here, owner),
        in_run=judged.in_run,
        is_expected=judged.is_expected,
        ranks=ranks,
    )
    if judged.is_condensed and not of_items:
        made = condense(made)
    return TopicQueries(made, owner, split.topic[known], split.origin, split.subgroups)


def _split(pool: Pool, topics: Topics) -> _Split:
    entries = np.diff(topics.offsets)
    of_row = owners_of(entries)
    fresh = np.ones(len(of_row), np.bool_)
    fresh[1:] = (of_row[1:] != of_row[:-1]) | (topics.topic[1:] != topics.topic[:-1])
    heads = np.flatnonzero(fresh)
    # of subgroups of one topic the highest grade, as everywhere; reduceat needs a row to begin at
    grades = np.maximum.reduceat(topics.grade, heads) if len(heads) else topics.grade
    origin, topic = of_row[heads], topics.topic[heads]
    query = owners(pool.offsets)[origin]
    # (query, topic) pairs become the queries of a pool of their own, so every metric can be measured by topic as it is
    order = np.lexsort((topic, query))
    query, topic = query[order], topic[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (query[1:] != query[:-1]) | (topic[1:] != topic[:-1])
    firsts = np.flatnonzero(fresh)
    row = np.empty(len(order), np.int64)
    row[order] = np.arange(len(order))
    subgroups = None
    if topics.subgroup is not None:
        parts = Topics(np.append(heads, len(of_row)), topics.subgroup, topics.grade, topics.count)
        subgroups = parts.take(order)
    pairs, origin = Ids.of_integers(np.arange(len(firsts))), origin[order]
    offsets = np.append(firsts, len(order))
    made = Pool(pairs, offsets, pool.items[origin], grades[order], pool.scale)
    return _Split(
        made,
        topic[firsts],
        np.searchsorted(query[firsts], np.arange(len(pool.offsets))),
        np.searchsorted(of_row[heads], np.arange(len(entries) + 1)),
        row,
        np.cumsum(fresh) - 1,
        origin,
        subgroups,
    )


def _split_by_items(_: Context, pool: Pool, topics: Topics) -> _Split:
    return _split(pool, topics)


def _hits_of_pairs(found: Ranked, split: _Split, here: np.ndarray, pairs: int) -> Ranked:
    """The hits of each pair: every hit once per topic."""
    assert found.pool_row is not None
    cells, starts = spread(split.cells, found.pool_row)
    of_hit = owners(starts)
    rows = split.row[cells]
    pair = split.pair[rows] + here[found.query[of_hit]]
    order = np.argsort(pair, kind="stable")  # keeps hits in rank order
    made = found.where(of_hit[order])
    made.queries, made.query = pairs, pair[order]
    made.pool_row = rows[order]
    made.grade = split.pool.grades[made.pool_row]
    return made


def _lists_of_pairs(shown: Ranked, split: _Split, here: np.ndarray, owner: np.ndarray) -> Ranked:
    """The whole list of each pair: that of its query, with the grades for its topic."""
    assert shown.pool_row is not None
    ends = np.searchsorted(shown.query, np.arange(shown.queries + 1))
    rows, starts = spread(ends, owner)
    made = shown.where(rows)
    made.queries, made.query = len(owner), owners(starts)
    made.grade, made.pool_row = np.full(len(rows), np.nan), np.full(len(rows), -1)
    hits = np.flatnonzero(shown.pool_row >= 0)
    cells, cell_starts = spread(split.cells, shown.pool_row[hits])
    hits = np.repeat(hits, np.diff(cell_starts))
    pool_row = split.row[cells]
    query = shown.query[hits]
    at = starts[split.pair[pool_row] + here[query]] + hits - ends[query]
    made.pool_row[at], made.grade[at] = pool_row, split.pool.grades[pool_row]
    return made


@definition
class ByTopic(QueryMetric):
    """Mean over a query's topics of another metric, computed with each topic's judgements alone.

    Formula
        (1/T) Σ_t M(list, judgements of topic t), over the T topics of the query where M is defined (``over=defined``), or
        over all of them, with 0 where it is not (``over=all``)

    Edge cases
        An item not judged for a topic is unjudged there. Undefined if M is undefined for every topic of the query. A topic
        belongs to the query if any item was judged for it, relevant or not. Under ``unjudged=condense`` each topic has a list
        of its own, without the items not judged for it. Best and worst order of tied scores use an item's highest grade, so
        they need not be the extremes for every topic.

    Convention
        If the topic is the assessor, the values are what trec_eval calls averages over judgement groups: its map_avgjg, P_avgjg
        and Rprec_mult_avgjg are ``by_topic(metric=ap,over=all)`` and so on. Intent-aware metrics are the same mean over
        subtopics. The policy's ``undefined`` applies to queries; ``over`` applies to topics.

    Parameters
        metric: a metric of judgements with a value per query, such as ap or ndcg@10
        over: defined (the topics where the metric is defined) or all topics of the query

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "y", "y"])
        >>> rw.evaluate({"q": ["a", "b", "c"]}, qrels, ["by_topic(metric=rr)", "by_topic(metric=p@2)", "p@2"]).mean
        {'by_topic(metric=rr)': 0.75, 'by_topic(metric=p@2)': 0.5, 'p@2': 1.0}

    Reference
        R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, Diversifying search results, WSDM 2009; trec_eval map_avgjg.
    """

    name: ClassVar[str] = "by_topic"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    needs: ClassVar[frozenset[str]] = frozenset({"topics"})
    always_shown: ClassVar[frozenset[str]] = frozenset({"metric"})

    metric: Metric = AP()
    over: Literal["defined", "all"] = "defined"

    def __post_init__(self) -> None:
        if isinstance(self.metric, (str, type)):
            object.__setattr__(self, "metric", metric_of(self.metric, complete=False))
        super().__post_init__()

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The range of the metric; with ``over=all`` also 0."""
        low, high = self.metric.range
        return (low, high) if self.over == "defined" else (min(low, 0.0), max(high, 0.0))

    @property
    def better(self) -> Literal["higher", "lower", "neither"]:  # type: ignore[override]
        """The direction of the metric."""
        return self.metric.better

    @property
    def undefined(self) -> Literal["judgements", "list", "never"]:  # type: ignore[override]
        """As for the metric."""
        return self.metric.undefined

    @property
    def sliceable(self) -> bool:  # type: ignore[override]
        """As for the metric."""
        return self.metric.sliceable

    def check(self) -> None:
        """Refuse metrics that have no value per topic."""
        super().check()
        self.metric.check()
        if not isinstance(self.metric, QueryMetric) or not self.metric.judgements:
            raise UsageError(f"{self}: {self.metric} does not depend on a query's judgements.")
        if "topics" in self.metric.needed():
            raise UsageError(f"{self}: {self.metric} already reads all topics.")
        if {"history", "users"} & (self.metric.needed() | self.metric.needs):
            raise UsageError(
                f"{self}: {self.metric} reads data about the user, which are the same for all topics."
            )

    def needed(self) -> frozenset[str]:
        """Topics, and what the metric needs."""
        return self.needs | self.metric.needed()

    def has_expected_value(self) -> bool:
        """Whether the metric has an exact mean over tied orders; then the mean over topics has one too."""
        return self.metric.has_expected_value()

    def caution(self) -> str:
        """The caveat of the metric."""
        return self.metric.caution()

    def broken_laws(self) -> dict[str, str]:
        """The laws that the metric breaks; and a better item may help another topic."""
        return {
            **self.metric.broken_laws(),
            "a better list scores no worse": "an item with a higher grade may help another topic",
            "best and worst bracket expected": "tied scores are ordered by the highest grade over topics",
        }

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over topics."""
        each = topic_queries(judged)
        assert isinstance(self.metric, QueryMetric)
        values: Any = np.asarray(self.metric.per_query(each.judged, context), np.float64)
        is_defined = ~np.isnan(values)
        means = each.mean(len(judged), values, is_defined)
        if self.over == "defined":
            return means
        # a topic without a value counts 0, but a query of such topics alone is as undefined as with over=defined
        everything = np.ones(len(values), np.bool_)
        zeros = each.mean(len(judged), np.where(is_defined, values, 0.0), everything)
        return np.where(np.isnan(means), np.nan, zeros)
