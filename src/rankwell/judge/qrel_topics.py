"""The topics of the judgements: those of each judged item, with a grade for each."""

from __future__ import annotations

import numpy as np

from rankwell.errors import DataError, NeededError, brief
from rankwell.judge.asked import Asker
from rankwell.records import record
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids, Known
from rankwell.tables.ranked import Topics
from rankwell.tables.run_qrels import Qrels


@record(slots=True)
class Numbered:
    """Topics of judgements, numbered in the order of their ids, their number, and likewise for subgroups."""

    topic: np.ndarray
    count: int
    subgroup: np.ndarray | None = None
    subgroups: int = 1

    @classmethod
    def of(cls, qrels: Qrels, rows: np.ndarray | None, topics: Known | None = None) -> Numbered:
        """Return the numbering for some judgements (None: all, in their order); ``topics`` are those of all of them."""
        assert qrels.topic is not None
        if topics is None:
            topic, count = _numbers(qrels.topic, rows)
        else:
            topic, count = (
                topics.rows_of(qrels.topic if rows is None else qrels.topic[rows], "topic"),
                len(topics),
            )
        if qrels.subgroup is None:
            return cls(topic, count)
        return cls(topic, count, *_numbers(qrels.subgroup, rows))

    def within(self, owner: np.ndarray) -> np.ndarray:
        """Return a number per judgement, the same for judgements with equal owner, topic and subgroup."""
        key = owner * self.count + self.topic
        return key if self.subgroup is None else key * self.subgroups + self.subgroup


def require_topics(qrels: Qrels, asker: Asker) -> None:
    """Raise NeededError if the judgements have no topics: no column, or one value in the whole file.

    Preferences with subgroups name their judgement groups, so one topic is enough there.
    """
    if qrels.topic is not None and (
        qrels.subgroup is not None or bool((qrels.topic.keys[1:] != qrels.topic.keys[:1]).any())
    ):
        return
    raise without_topics(qrels.name, asker, has_column=qrels.topic is not None)


def without_topics(name: str, asker: Asker, *, has_column: bool) -> NeededError:
    """Return the error of judgements that have no topics, although a metric asks for them."""
    has = "one topic in the whole file" if has_column else "no topic column"
    instead = ""
    if "groups" in asker.parameters:
        instead = f", or write {asker.name}(groups=query) for one group per query"
    elif "topics" in asker.parameters:
        instead = f", or write {asker.name}(topics=items) for those of the items in items="
    return NeededError(
        f"{asker} needs topics: {name} has {has}. Give judgements with a topic column (the second one of "
        f"TREC text){instead}."
    )


def topics_of(
    qrels: Qrels, rows: np.ndarray | None, found: Numbered, owner: np.ndarray, grades: np.ndarray
) -> Topics:
    """Return the topics of the rows of the pool, each (topic, subgroup) once with the highest of its grades.

    Parameters
    ----------
    qrels, rows
        The judgements, and which of them ``found``, ``owner`` and ``grades`` refer to (None: all, in their order).
    found
        The topics of each judgement.
    owner
        The row of the pool that each judgement belongs to.
    grades
        The grade of each judgement.
    """
    key, kept = found.within(owner), None
    if not rises(key):
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        kept, grades = order[starts], np.maximum.reduceat(grades[order], starts)
        owner = owner[kept]
    counts = np.bincount(owner, minlength=int(owner.max(initial=-1)) + 1)
    weight = None if qrels.topic_weight is None else _weights(qrels, rows)
    columns = (
        column if column is None or kept is None else column[kept]
        for column in (found.topic, found.subgroup, weight)
    )
    topic, subgroup, weight = columns
    assert topic is not None
    return Topics(offsets_of(counts), topic, grades, found.count, subgroup, weight)


def rises(keys: np.ndarray) -> bool:
    """Whether the keys are strictly ascending, as they are if judgements are grouped by item and topic."""
    return bool((keys[1:] > keys[:-1]).all())


def _weights(qrels: Qrels, rows: np.ndarray | None) -> np.ndarray:
    """The weight of each row's topic; DataError if rows of one query and topic disagree."""
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
            f"{qrels.place(second)}: topic {brief(qrels.topic.one(second))} of query {brief(qrels.query.one(second))} weighs "
            f"{qrels.topic_weight[second]:g} here and {qrels.topic_weight[first]:g} at {qrels.place(first)}. Give it one weight."
        )
    return qrels.topic_weight if rows is None else qrels.topic_weight[rows]


def _numbers(column: Ids, rows: np.ndarray | None) -> tuple[np.ndarray, int]:
    """The index of each id among the distinct ones in the order of ids, whatever the order of rows; and their number."""
    codes, firsts = column.group()
    place = np.empty(len(firsts), np.int64)
    place[column[firsts].text_order()] = np.arange(len(firsts))
    return place[codes] if rows is None else place[codes[rows]], len(firsts)
