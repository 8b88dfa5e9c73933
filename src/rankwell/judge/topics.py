"""The topics of the judgements: which of them each judged item has, with the grade for each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankwell.base import Metric
from rankwell.errors import DataError, NeededError
from rankwell.ids import Ids
from rankwell.ranked import Topics
from rankwell.tables import Qrels


def keys_of(qrels: Qrels) -> np.ndarray:
    """Return a number per judgement that is one for judgements of the same topic and subgroup."""
    codes = np.zeros(len(qrels), np.int64)
    for column in (qrels.topic, qrels.subgroup):
        if column is not None:
            numbers, firsts = column.group()
            codes = codes * len(firsts) + numbers
    return codes


def wanting(metrics: Iterable[Metric]) -> Metric | None:
    """Return the first metric that needs topics."""
    return next((metric for metric in metrics if "topics" in metric.needed()), None)


def require_topics(qrels: Qrels, metric: Metric) -> None:
    """Raise NeededError if the judgements have no topics: no column, or one value in the whole file.

    Preferences by subgroups name their judgement groups, so there one is enough.
    """
    if qrels.topic is not None and (qrels.subgroup is not None or len(qrels.topic.runs()) > 1):
        return
    has = "no topic column" if qrels.topic is None else "one topic in the whole file"
    instead = ""
    if "groups" in metric.resolved():
        instead = f", or write {metric.name}(groups=query) for one group per query"
    elif "topics" in metric.resolved():
        instead = f", or write {metric.name}(topics=items) for those of the items in items="
    raise NeededError(
        f"{metric} needs topics: {qrels.name} has {has}. Give judgements with a topic column (the second one of "
        f"TREC text){instead}."
    )


def topics_of(qrels: Qrels, rows: np.ndarray | None, owner: np.ndarray, grades: np.ndarray) -> Topics:
    """Return the topics of the rows of the pool, each (topic, subgroup) once with the highest of its grades.

    Parameters
    ----------
    qrels, rows
        The judgements, and which of them ``owner`` and ``grades`` speak of (None: all, as they are).
    owner
        The row of the pool that each judgement belongs to.
    grades
        The grade of each judgement.
    """
    assert qrels.topic is not None
    topic, count = _numbers(qrels.topic, rows)
    subgroup = None if qrels.subgroup is None else _numbers(qrels.subgroup, rows)[0]
    key = owner * count + topic
    if subgroup is not None:
        key = key * (int(subgroup.max(initial=0)) + 1) + subgroup
    order = np.argsort(key, kind="stable")  # nearly sorted mostly
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = np.diff(key[order]) != 0
    starts = np.flatnonzero(fresh)
    highest = np.maximum.reduceat(grades[order], starts) if len(starts) else grades[:0]
    kept = order[starts]
    offsets = np.concatenate(
        ([0], np.cumsum(np.bincount(owner[kept], minlength=int(owner.max(initial=-1)) + 1)))
    )
    weight = None if qrels.topic_weight is None else _weights(qrels, rows)[kept]
    parts = None if subgroup is None else subgroup[kept]
    return Topics(offsets, topic[kept], highest, count, parts, weight)


def _weights(qrels: Qrels, rows: np.ndarray | None) -> np.ndarray:
    """The weight of each row's topic; DataError if rows of one query and topic differ in it."""
    assert qrels.topic is not None
    assert qrels.topic_weight is not None
    (query, _), (topic, _) = qrels.query.group(), qrels.topic.group()
    order = np.lexsort([topic, query])
    weight = qrels.topic_weight[order]
    same = (np.diff(query[order]) == 0) & (np.diff(topic[order]) == 0)
    differ = np.flatnonzero(same & (weight[1:] != weight[:-1]))
    if len(differ):
        first, second = sorted(int(order[at]) for at in (differ[0], differ[0] + 1))
        raise DataError(
            f"{qrels.place(second)}: topic {qrels.topic.one(second)!r} of query {qrels.query.one(second)!r} weighs "
            f"{qrels.topic_weight[second]:g}, and {qrels.topic_weight[first]:g} at {qrels.place(first)}. Give it one weight."
        )
    return qrels.topic_weight if rows is None else qrels.topic_weight[rows]


def _numbers(column: Ids, rows: np.ndarray | None) -> tuple[np.ndarray, int]:
    """The place of each id among the distinct ones in the order of ids, which no order of rows changes; and how many they are."""
    codes, firsts = column.group()
    place = np.empty(len(firsts), np.int64)
    place[column[firsts].text_order()] = np.arange(len(firsts))
    return place[codes] if rows is None else place[codes[rows]], len(firsts)
