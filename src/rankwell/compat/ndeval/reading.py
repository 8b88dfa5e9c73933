"""ndeval's input files: judgements by subtopic, and runs ordered by rank or by score."""

from __future__ import annotations

import numpy as np

from rankwell.compat.ndeval.options import Options
from rankwell.compat.ndeval.words import Words
from rankwell.errors import DataError
from rankwell.kernels import order
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels, Run

QRELS, RUN = "topic subtopic docno grade", "topic Q0 docno rank score runid"


@record
class Judgements:
    """The judgements of a file, the number of subtopics with a relevant document per topic, and whether lines are repeated.

    Lines count as repeated if several have the same document and subtopic, and not all of them are 0.
    """

    qrels: Qrels
    subtopics: dict[int, int]
    is_repeated: bool


@record
class Lists:
    """The lists of a run: the documents of each topic, best first; topics in ascending order."""

    runid: bytes
    topics: np.ndarray
    query: np.ndarray
    item: Ids

    def run(self) -> Run:
        """Return a run whose rows are in the order of the lists."""
        return Run(self.query, self.item)


def read_judgements(path: str) -> Judgements:
    """Read the judgements; grades above 1 become 1, and the last of several for the same document and subtopic counts.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, or a line is malformed.
    """
    words = Words(path, QRELS)
    topic, subtopic = words.naturals("topic"), words.naturals("subtopic")
    grade, item = np.minimum(words.naturals("grade"), 1), words.ids("docno")
    documents, _ = item.group()
    rows = np.lexsort((subtopic, documents, topic))
    same = np.logical_and.reduce([np.diff(each[rows]) == 0 for each in (subtopic, documents, topic)])
    is_repeated = bool(np.any(same & (np.maximum(grade[rows][1:], grade[rows][:-1]) > 0)))
    rows = rows[np.append(~same, True)]
    topic, subtopic, grade, item = topic[rows], subtopic[rows], grade[rows], item[rows]
    relevant = np.unique(np.stack([topic, subtopic])[:, grade > 0], axis=1)[0]
    counts = dict.fromkeys(np.unique(topic).tolist(), 0) | dict(
        zip(*(each.tolist() for each in np.unique(relevant, return_counts=True)), strict=True)
    )
    # judgements of a single subtopic would be read as judgements without subtopics; a 0 for a second one changes no value
    every = np.append(np.arange(len(rows)), 0)
    subtopic, grade = np.append(subtopic, -1), np.append(grade, 0)
    return Judgements(Qrels(topic[every], item[every], grade, subtopic), counts, is_repeated)


def read_lists(path: str, options: Options) -> Lists:
    """Read a run, down to the depth: by rank, or by score and then document, both descending (-traditional).

    Raises
    ------
    InputError, DataError
        If the file cannot be read, a line is malformed, or a topic repeats a rank or a document.
    """
    words = Words(path, RUN)
    topic, rank = words.naturals("topic", _without_task), words.naturals("rank")
    item, start = words.ids("docno"), words.ids("runid")
    key = words.scores("score") if options.is_traditional else -rank.astype(np.float64)
    rows = np.argsort(topic, kind="stable")
    topics, firsts = np.unique(topic[rows], return_index=True)
    order.sort(rows, np.append(firsts, len(rows)), key, *item.columns, order.TIE_RULES["item-desc"])
    topic, rank = topic[rows], rank[rows]
    twice = np.flatnonzero((np.diff(topic) == 0) & (np.diff(rank) == 0))
    if len(twice) and not options.is_traditional:
        at = twice[0]
        raise DataError(
            f"{path}: duplicate rank ({rank[at]}) for topic {topic[at]}. Use -traditional to order by score instead."
        )
    kept = np.arange(len(rows)) - np.repeat(firsts, np.diff(firsts, append=len(rows))) < (
        options.depth or len(rows)
    )
    rows, topic = rows[kept], topic[kept]
    _refuse_duplicates(path, topic, item[rows])
    runid = words.text[start.starts[0] : start.starts[0] + start.lengths[0]].tobytes()
    return Lists(runid, topics, topic, item[rows])


def _refuse_duplicates(path: str, topic: np.ndarray, item: Ids) -> None:
    documents, _ = item.group()
    rows = np.lexsort((documents, topic))
    twice = np.flatnonzero((np.diff(topic[rows]) == 0) & (np.diff(documents[rows]) == 0))
    if len(twice):
        at = int(rows[twice[0]])
        raise DataError(
            f"{path}: duplicate docno ({item.one(at)}) for topic {topic[at]}. Remove one of the lines."
        )


def _without_task(word: bytes) -> bytes:
    """Remove a task prefix from a topic number, such as ``wt09-1``."""
    return word if word[:1].isdigit() else word.partition(b"-")[2]
