"""Holes, the unjudged items: those of judged lists, of two runs at once and of a stated pool, and the lists with grades put in for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from rankwell.kernels import match
from rankwell.matching.batch import Context, Judged
from rankwell.matching.lists import RanksBeginAtZero, judge
from rankwell.matching.policy import Asked, Policy
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.records import Derived, cached_property, record
from rankwell.tables.ids import Ids, Known, to_same_kind
from rankwell.tables.lists import Ranked, offsets_of, owners, owners_of, places_of
from rankwell.tables.run_qrels import Run

T = TypeVar("T")
BATCH = 250_000  # rows at a time


class Unjudged:
    """The lists of judged queries with their unjudged items, each of which may stay unjudged or get a grade of the scale.

    ``rows`` are all rows of the lists in rank order, with grade NaN where unjudged, and ``free`` are the unjudged ones.
    ``query`` and ``grade`` hold the judgements of the queries, by query. ``outside`` is the number of unjudged items of the
    stated pool that a list lacks, or None if no pool was stated, so that any number of relevant items may be anywhere.
    ``grades`` is the scale, lowest first.
    """

    def __init__(
        self,
        rows: Ranked,
        query: np.ndarray,
        grade: np.ndarray,
        outside: np.ndarray | None,
        grades: np.ndarray,
        scale: Scale,
    ) -> None:
        self.rows, self.query, self.grade = rows, query, grade
        self.outside, self.grades, self.scale = outside, grades, scale
        self.free = rows.where(np.isnan(rows.grade))
        self.has_gaps = bool(np.any(rows.rank != rows.nth()))
        self._completed: dict[tuple[float, float, float, int | None], Judged] = {}

    @classmethod
    def of(cls, judged: Judged, grades: np.ndarray, *, is_stated: bool) -> Unjudged:
        """Return the unjudged items of a batch, whose queries are all judged.

        With ``is_stated``, the judgements hold the unjudged items of the stated pool, with grades that are NaN.
        """
        scale, hits = judged.scale, judged.found
        rank = None
        lengths = judged.n_retrieved
        if judged.ranks is not None:
            offsets, ranks = judged.ranks
            rank = ranks[np.lexsort((ranks, owners_of(np.diff(offsets))))]
            lengths = np.diff(offsets)
        starts = offsets_of(lengths)
        # every row of the lists is laid out unjudged, then the judged hits are put in their places
        is_known = scale.judged(hits.grade)
        grade = np.full(starts[-1], np.nan)
        places = (starts[hits.query] + hits.places() - 1)[is_known]
        grade[places] = hits.grade[is_known]
        rows = Ranked(
            len(judged),
            owners_of(lengths),
            places_of(lengths) if rank is None else rank,
            grade,
            counts=lengths,
        )
        query, _, pooled = judged.pool_rows()
        own = judged.pool.grades[pooled]
        is_judged = scale.judged(own)
        outside = None
        if is_stated:  # what of the pool the list has is not outside
            outside = np.bincount(query[~is_judged], minlength=len(judged)) - hits.where(~is_known).count()
        # interactions are grades of 1, and what is completed may hold others
        kind = "judgements" if scale.kind == "interactions" else scale.kind
        return cls(rows, query[is_judged], own[is_judged], outside, grades, replace(scale, kind=kind))

    def __len__(self) -> int:
        return self.rows.queries

    def context(self, context: Context) -> Context:
        """Return the context of completed lists."""
        return replace(context, scale=self.scale)

    def of_queries(self, queries: np.ndarray) -> Unjudged:
        """Return the same of some queries (ascending)."""
        numbers = np.full(len(self), -1)
        numbers[queries] = np.arange(len(queries))
        is_kept = numbers[self.query] >= 0
        outside = None if self.outside is None else self.outside[queries]
        rows = self.rows.of_queries(queries)
        return Unjudged(
            rows, numbers[self.query[is_kept]], self.grade[is_kept], outside, self.grades, self.scale
        )

    def has_outside(self) -> np.ndarray:
        """Return for each query whether an unjudged item that its list lacks can be relevant."""
        return np.ones(len(self), np.bool_) if self.outside is None else self.outside > 0

    def completed(self, within: float, below: float, outside: float = np.nan, k: int | None = None) -> Judged:
        """Return the lists after unjudged items got grades: those down to rank k, those below it, those of the pool outside.

        NaN leaves items unjudged. Without a stated pool, one item outside each list gets the grade.
        """
        key = within, below, outside, k  # NaN is np.nan, which is itself
        if key not in self._completed:
            rank = self.free.rank
            grades = np.full(len(rank), within) if k is None else np.where(rank <= k, within, below)
            self._completed[key] = self.judged_as(grades, outside)
        return self._completed[key]

    def judged_as(self, grades: np.ndarray, outside: float = np.nan) -> Judged:
        """Return the lists after unjudged items got a grade each, and those of the pool outside a list one grade."""
        every = self.rows.grade.copy()  # in place of NaN a grade, list by list in rank order, as free is
        every[np.flatnonzero(np.isnan(every))] = grades
        places = np.flatnonzero(~np.isnan(every))
        found = Ranked(len(self), self.rows.query[places], self.rows.rank[places], every[places])
        places = np.flatnonzero(~np.isnan(grades))
        query, grade = [self.query, self.free.query[places]], [self.grade, grades[places]]
        if not np.isnan(outside):
            more = owners_of(np.ones(len(self), np.int64) if self.outside is None else self.outside)
            query.append(more)
            grade.append(np.full(len(more), outside))
        owner, pooled = np.concatenate(query), np.concatenate(grade)
        order = np.argsort(
            owner, kind="stable"
        )  # a pool holds its rows by query; within one no metric asks for an order
        offsets = offsets_of(np.bincount(owner, minlength=len(self)))
        # metrics of grades read no ids, so numbers stand in for those of the queries and items
        numbers = np.arange(len(self))
        items = Ids.of_integers(np.arange(len(owner)))
        pool = Pool(Ids.of_integers(numbers), offsets, items, pooled[order], self.scale)
        lengths = self.rows.count()
        ranks = (offsets_of(lengths), self.rows.rank) if self.has_gaps else None
        return Judged(Ids.of_integers(numbers), numbers, found, lengths, pool, ranks=ranks)

    def last_only(self, grade: float, others: float) -> Judged:
        """Return the lists after the last unjudged item of each got a grade, and the others another."""
        free = self.free
        is_last = np.append(free.query[1:] != free.query[:-1], True)[: len(free)]
        return self.judged_as(np.where(is_last, grade, others))


def with_pooled(pool: Pool, runs: Iterable[Run], depth: int | None, policy: Policy) -> Pool:
    """Return the judgements with the unjudged items that the runs hold down to rank ``depth``, whose grades are NaN."""
    # a list is not read below the depth of the policy, and what nobody reads is in no pool
    deepest = policy.depth if depth is None else min(depth, policy.depth or depth)
    rules = replace(policy, depth=deepest, missing="skip")
    unjudged: list[tuple[np.ndarray, Ids]] = []
    for run in runs:
        unjudged += _free_items(run, pool, Asked(rules, needs=frozenset({"shown", "item"})))
    if any(not items.is_text for _, items in unjudged) and pool.items.is_text:
        pool = pool.in_integers()
    query = np.concatenate([owners(pool.offsets), *(rows for rows, _ in unjudged)])
    items = Ids.concatenate([pool.items, *(to_same_kind(own, pool.items, "item")[0] for _, own in unjudged)])
    grades = np.concatenate([pool.grades, np.full(len(query) - len(pool.grades), np.nan)])
    order = np.argsort(query, kind="stable")
    query, items, grades = query[order], items[order], grades[order]
    offsets = offsets_of(np.bincount(query, minlength=len(pool.queries)))
    # of copies the first stays, and judgements come before the unjudged items of a query
    again, _ = match.repeats(offsets, *items.columns)
    is_first = np.ones(len(query), np.bool_)
    is_first[again] = False
    rows, until = np.flatnonzero(is_first), offsets_of(is_first)
    return Pool(pool.queries.ids, until[offsets], items[rows], grades[rows], pool.scale)


def _free_items(run: Run, pool: Pool, asked: Asked) -> list[tuple[np.ndarray, Ids]]:
    """Return the unjudged items of a run's lists, with the row of each one's query in the pool, a batch at a time."""
    catalogue = Known(run.rows.table().item.distinct())

    def unjudged(judged: Judged) -> tuple[np.ndarray, Ids]:
        whole = judged.shown
        assert whole.item is not None
        row = judged.pool_row[whole.query]
        free = np.flatnonzero(np.isnan(whole.grade) & (row >= 0))
        return row[free], catalogue.ids[whole.item[free]]

    return _read_batches(run, pool, asked, Context(pool.scale, catalogue=catalogue), unjudged)


def _read_batches(
    run: Run, pool: Pool, asked: Asked, context: Context, read: Callable[[Judged], T]
) -> list[T]:
    """What a function reads of the judged lists of each batch of a run."""

    def batches(asked: Asked) -> list[T]:
        return [read(judge(make(), pool, asked, context)[0]) for make in run.rows.batches(BATCH)]

    # a first rank of 0 may come in any batch, and then every list of the run counts from 0: all are read again
    try:
        return batches(asked)
    except RanksBeginAtZero:
        return batches(replace(asked, rank_base=0))


def ranks_in(run: Run, pool: Pool, asked: Asked, context: Context) -> np.ndarray:
    """Return the rank that each item of a pool has in a run, 0 where the run does not list it."""
    ranks = np.zeros(len(pool.grades), np.int64)
    asked = replace(asked, needs=frozenset({"judgement"}))
    for hits in _read_batches(run, pool, asked, context, lambda judged: judged.found):
        assert hits.pool_row is not None
        ranks[hits.pool_row] = hits.rank
    return ranks


@record(eq=False)
class PooledItems:
    """The items of a pool that holds all of some runs; ``grades`` is the scale that judges use, lowest first."""

    pool: Pool
    grades: np.ndarray

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.pool.offsets) - 1

    @cached_property
    def query(self) -> np.ndarray:
        """The row of each item's query in the pool."""
        return owners(self.pool.offsets)

    @cached_property
    def grade(self) -> np.ndarray:
        """The grade of each item, NaN where it is not judged."""
        grade = np.asarray(self.pool.grades, np.float64)
        return np.where(self.pool.scale.judged(grade), grade, np.nan)

    @cached_property
    def free(self) -> np.ndarray:
        """The rows of the unjudged items."""
        return np.flatnonzero(np.isnan(self.grade))

    @cached_property
    def judgements(self) -> tuple[np.ndarray, np.ndarray]:
        """The query and the grade of each judged item."""
        rows = np.flatnonzero(~np.isnan(self.grade))
        return self.query[rows], self.grade[rows]

    @cached_property
    def scale(self) -> Scale:
        """The scale of the items once they are judged."""
        scale = self.pool.scale
        return replace(scale, kind="judgements" if scale.kind == "interactions" else scale.kind)

    def context(self, context: Context) -> Context:
        """Return the context of lists whose items are judged."""
        return replace(context, scale=self.scale)


class PoolSide(Derived):
    """One run among the items of a pool: the rank of each item, 0 for none. Values of the run alone are cached with ``once``."""

    lifetime: ClassVar[int] = 0

    def __init__(self, items: PooledItems, ranks: np.ndarray) -> None:
        self.items, self.ranks = items, ranks
        self._unjudged: Unjudged | None = None

    def within(self, k: int | None) -> np.ndarray:
        """Return the rows of the items that the run lists down to rank k."""
        return np.flatnonzero(self.ranks > 0 if k is None else (self.ranks > 0) & (self.ranks <= k))

    @property
    def unjudged(self) -> Unjudged:
        """The lists with their unjudged items; all others are outside."""
        if self._unjudged is None:
            self._unjudged = self._of_ranks()
        return self._unjudged

    def let_go(self) -> None:
        """Forget the lists: with their completions they take much more memory than the ranks that they are made from."""
        self._unjudged = None

    def _of_ranks(self) -> Unjudged:
        items, ranks = self.items, self.ranks
        rows = self.within(None)
        rows = rows[np.lexsort((ranks[rows], items.query[rows]))]
        lists = Ranked(len(items), items.query[rows], ranks[rows], items.grade[rows])
        outside = np.bincount(items.query[items.free[ranks[items.free] == 0]], minlength=len(items))
        return Unjudged(lists, *items.judgements, outside, items.grades, items.scale)


class Both(NamedTuple):
    """Two runs among the items of the same pool."""

    first: PoolSide
    second: PoolSide

    @property
    def items(self) -> PooledItems:
        """The items of the pool."""
        return self.first.items
