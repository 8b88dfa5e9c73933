"""A single query with its judged list, for curves, worked examples and differences; and the lists of a few queries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwell.errors import UsageError, brief, nearest
from rankwell.evaluation.task import BATCH_ROWS, Task
from rankwell.matching import judge, missing_lists
from rankwell.matching.batch import Judged
from rankwell.matching.parts import PartLists
from rankwell.matching.pool import Pool
from rankwell.records import cached_property, record
from rankwell.tables.ids import Ids, Known, own_text, to_same_kind
from rankwell.tables.lists import NO_ROWS, Ranked, owners
from rankwell.tables.rows import Columns, Lists, Rows, join_extra, lowest_rank, own_column
from rankwell.tables.run_qrels import Run
from rankwell.tables.series import RowOf


@record(eq=False)
class JudgedQuery:
    """One query: its judged list, and the ids, grades and scores of its items; no scores if the run has only ranks.

    An id becomes a Python value when it is asked for, as most lists are much longer than what is shown of them.
    """

    query: str | int
    judged: Judged
    task: Task
    items: Known  # the items of the list
    rows: np.ndarray  # of ``items``, best first
    ranks: np.ndarray  # of these rows
    grades: dict[int, float]  # by rank
    scores: dict[int, float]  # by rank
    pooled: Ids  # ids of the judged items, by ``pool_row``
    parts: Ids | None = (
        None  # what the run calls the parts of the query, if it has parts; ranks then go on from one to the next
    )
    sized: Ranked | None = None  # the rows that a budget cuts, which are not folded into groups

    def ids(self, top: int | None = None) -> Ids:
        """Return the item ids, best first, down to a rank if it is given."""
        return self.items.ids[self.rows[: self._number(top)]]

    def names(self, top: int | None = None) -> dict[int, str | int]:
        """Return the item ids by rank as Python values, best first, down to a rank if it is given."""
        return dict(zip(self.ranks[: self._number(top)].tolist(), self.ids(top).tolist(), strict=True))

    def _number(self, top: int | None) -> int:
        return len(self.ranks) if top is None else int(np.searchsorted(self.ranks, top, "right"))

    @cached_property
    def first_ranks(self) -> np.ndarray:
        """The first rank of each of ``items``, -1 for those that are left out."""
        first = np.full(len(self.items), -1)
        first[self.rows[::-1]] = self.ranks[
            ::-1
        ]  # from the last to the first, so that the first rank of a copy stays
        return first


def one_query(task: Task, table: Columns, query: str | int | None) -> JudgedQuery:
    """Return one query with its judged list, which is empty if the run lacks the query."""
    own_id = _id_of_query(table.query, task.pool.queries.ids, query)
    rows = np.flatnonzero(Known(own_id).find(table.query) == 0) if len(table.item) else NO_ROWS
    like = task.pool.queries.ids
    pool_row = int(task.pool.queries.find(to_same_kind(own_id, like, "query")[0])[0]) if len(like) else -1
    pool = _pool_of_query(task.pool, pool_row)
    items, item, rank = Known(Ids.of([])), NO_ROWS, NO_ROWS
    grades: dict[int, float] = {}
    scores: dict[int, float] = {}
    parts = None
    sized: Ranked | None = None
    if len(rows):
        lists = table.part(rows)
        judged, _ = judge(lists, pool, task.asked.reading("judgement"), task.context)
        ids, groups = lists.items, task.context.groups
        ids = ids if groups is None else groups.groups_of(ids, lists.place)[0]
        items = Known(ids[ids.group()[1]])
        parts = PartLists.of(lists).names if "part" in lists.extra else None
        whole, sized = _shown_list(task, lists, pool, items)
        assert whole.item is not None
        order = np.argsort(whole.rank, kind="stable")
        item, rank, ranks = whole.item[order], whole.rank[order], whole.rank.tolist()
        grades = dict(zip(ranks, whole.grade.tolist(), strict=True))
        scores = {} if whole.score is None else dict(zip(ranks, whole.score.tolist(), strict=True))
    else:
        judged = missing_lists(pool, NO_ROWS)
    return JudgedQuery(
        own_id.one(0), judged, task, items, item, rank, grades, scores, pool.items, parts, sized
    )


def _id_of_query(queries: Ids, judged: Ids, query: str | int | None) -> Ids:
    """Return the requested query, as the type of the run's ids.

    UsageError if neither run nor judgements have it, or no query was named and the run has several.
    """
    if query is None:
        distinct = queries[queries.group()[1]]
        if len(distinct) != 1:
            example = f", such as {brief(distinct.one(0))}" if len(distinct) else ""
            raise UsageError(f"the run has {len(distinct):,} lists; name the query to show{example}.")
        return distinct
    # the id as it was given, as text (on a command line all are), and as a number that was given as text
    for form in (Ids.of([query]), Ids.of([str(query)]), Ids.of([str(query)]).as_integers()):
        for ids in (queries, judged):
            is_comparable = form is not None and len(ids) and form.is_text == ids.is_text
            if form is not None and is_comparable and (Known(form).find(ids) == 0).any():
                is_like_run = form.is_text == queries.is_text or not len(queries)
                return form if is_like_run else to_same_kind(form, queries, "query")[0]
    names = queries[queries.group()[1]].tolist()
    raise UsageError(
        f"query {brief(query)} is in neither the run nor the judgements.{nearest(str(query), [str(name) for name in names])}"
    )


def _pool_of_query(pool: Pool, row: int) -> Pool:
    """Return the judgements of one query, with an ideal list that points to its items."""
    low, high = (int(pool.offsets[row]), int(pool.offsets[row + 1])) if row >= 0 else (0, 0)
    queries = pool.queries.ids[row : row + 1] if row >= 0 else pool.queries.ids[:0]
    offsets = np.array([0, high - low] if row >= 0 else [0], np.int64)
    grades = np.ascontiguousarray(pool.grades[low:high])
    topics = None if pool.topics is None else pool.topics.take(np.arange(low, high))
    propensity = None if pool.propensity is None else pool.propensity[low:high]
    return Pool(
        queries, offsets, pool.items[low:high], grades, pool.scale, topics, propensity, names_ideal=True
    )


def _shown_list(task: Task, lists: Lists, pool: Pool, items: Known) -> tuple[Ranked, Ranked | None]:
    """The whole list at its ranks under the policy, with the scores of the run if it has any; and the rows that a budget cuts."""
    has_scores = not lists.by_rank or lists.given is not None
    asked = task.asked.reading("shown", *(["score"] if has_scores else []))
    judged, _ = judge(lists, pool, replace(asked, deepest=None), task.context.of_run(items))
    whole = judged.shown
    if "part" in whole.extra:
        whole.rank = np.arange(1, len(whole) + 1)
    elif task.asked.policy.unjudged == "condense":
        whole = whole.where(task.context.scale.judged(whole.grade))
        whole.rank = np.arange(1, len(whole) + 1)
    return whole, judged.sized if "sizes" in asked.needs else None


def lists_of(run: Run, queries: Ids) -> Run:
    """Return the lists of some queries as a run in memory; what is still to be read is read once, batch by batch."""
    wanted = Known(queries)
    parts, lowest = _parts(run.rows, wanted)
    listed = Ids.concatenate([part.queries for part in parts]) if parts else queries[:0]
    # a query in two batches shows that its rows are scattered: only then is the run put in order, which a large one takes long for
    if not run.rows.grouped and not listed.is_distinct():
        parts, lowest = _parts(run.rows.regrouped(), wanted)
    return Run.of_rows(_concatenate(parts, run.name, queries, lowest), run.name)


def _parts(rows: Rows, known: Known) -> tuple[list[Lists], int]:
    """The wanted lists of each batch, without the memory of the others, and the lowest rank of the whole run."""
    parts, lowest = [], 1
    for make in rows.batches(BATCH_ROWS):
        lists = make()
        if lists.rank_base is not None:
            lowest = lists.rank_base
        elif lists.has_ranks:
            lowest = min(lowest, lowest_rank(-lists.score))
        places = np.flatnonzero(known.rows_of(lists.queries, "query") >= 0)
        if len(places):
            parts.append(_take_lists(lists, places))
    return parts, lowest


def _take_lists(lists: Lists, places: np.ndarray) -> Lists:
    """Some lists of a batch, which may be held in memory that is used again."""
    is_wanted = np.zeros(len(lists.queries), bool)
    is_wanted[places] = True
    rows = np.flatnonzero(is_wanted[owners(lists.offsets)])
    lengths = np.diff(lists.offsets)[places]
    return Lists(
        own_text(lists.queries[places].owned()),
        np.concatenate([[0], np.cumsum(lengths)]),
        own_text(lists.items[rows].owned()),
        lists.score[rows],
        lists.place,
        lists.by_rank,
        given=None if lists.given is None else lists.given[rows],
        has_ranks=lists.has_ranks,
        extra={word: own_column(column[rows]) for word, column in lists.extra.items()},
    )


def _concatenate(parts: list[Lists], name: str, queries: Ids, lowest: int) -> Columns:
    """The lists of all batches end to end."""
    place = RowOf(name)
    if not parts:
        return Columns(queries[:0], Ids.of([]), np.empty(0), place=place)
    first = parts[0]
    score = np.concatenate([part.score for part in parts])
    scores = [part.given for part in parts if part.given is not None]
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))])
    rows = Columns(
        None,
        Ids.concatenate([part.items for part in parts]),
        -score if first.by_rank else score,
        place=place,
        by_rank=first.by_rank,
        given_score=np.concatenate(scores) if scores else None,
        lists=(Ids.concatenate([part.queries for part in parts]), offsets),
        extra=join_extra([part.extra for part in parts]),
    )
    rows.by_place = first.by_rank and not first.has_ranks
    rows.rank_base = lowest if first.by_rank else None
    return rows
