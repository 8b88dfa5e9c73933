"""Unjudged: the unjudged items of judged lists, and the lists as they would be if judges gave them some grades."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.judge.pool import Pool
from rankwell.judge.scale import Scale
from rankwell.tables.csr import offsets_of, owners_of, places_of
from rankwell.tables.ids import Ids
from rankwell.tables.ranked import Ranked


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
        scale, found = judged.scale, judged.found
        rank = None
        lengths = judged.n_retrieved
        if judged.ranks is not None:
            offsets, given = judged.ranks
            rank = given[np.lexsort((given, owners_of(np.diff(offsets))))]
            lengths = np.diff(offsets)
        starts = offsets_of(lengths)
        is_known = scale.judged(found.grade)
        grade = np.full(starts[-1], np.nan)
        places = (starts[found.query] + found.places() - 1)[is_known]
        grade[places] = found.grade[is_known]
        rows = Ranked(
            len(judged),
            owners_of(lengths),
            places_of(lengths) if rank is None else rank,
            grade,
            counts=lengths,
        )
        query, _, pooled = judged.pool_rows()
        own = judged.pool.grades[pooled]
        known = scale.judged(own)
        outside = None
        if is_stated:
            outside = np.bincount(query[~known], minlength=len(judged)) - found.where(~is_known).count()
        # interactions are grades of 1, and what is completed may hold others
        kind = "judgements" if scale.kind == "interactions" else scale.kind
        return cls(rows, query[known], own[known], outside, grades, replace(scale, kind=kind))

    def __len__(self) -> int:
        return self.rows.queries

    def context(self, context: Context) -> Context:
        """Return the context of completed lists."""
        return replace(context, scale=self.scale)

    def of_queries(self, queries: np.ndarray) -> Unjudged:
        """Return the same of some queries (ascending)."""
        numbers = np.full(len(self), -1)
        numbers[queries] = np.arange(len(queries))
        kept = numbers[self.query] >= 0
        outside = None if self.outside is None else self.outside[queries]
        rows = self.rows.of_queries(queries)
        return Unjudged(rows, numbers[self.query[kept]], self.grade[kept], outside, self.grades, self.scale)

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
        every = self.rows.grade.copy()
        every[np.flatnonzero(np.isnan(every))] = grades
        given = np.flatnonzero(~np.isnan(every))
        found = Ranked(len(self), self.rows.query[given], self.rows.rank[given], every[given])
        given = np.flatnonzero(~np.isnan(grades))
        query, grade = [self.query, self.free.query[given]], [self.grade, grades[given]]
        if not np.isnan(outside):
            more = owners_of(np.ones(len(self), np.int64) if self.outside is None else self.outside)
            query.append(more)
            grade.append(np.full(len(more), outside))
        owner, pooled = np.concatenate(query), np.concatenate(grade)
        order = np.argsort(owner, kind="stable")
        offsets = offsets_of(np.bincount(owner, minlength=len(self)))
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
