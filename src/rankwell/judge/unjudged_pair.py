"""Both: two lists of each query and their unjudged items, which a grade moves in both lists at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from rankwell.judge.asked import Asked
from rankwell.judge.context import Context
from rankwell.judge.given_ranks import RanksBeginAtZero
from rankwell.judge.judged import Judged
from rankwell.judge.lists import judge
from rankwell.judge.pool import Pool
from rankwell.judge.unjudged import Unjudged
from rankwell.records import record
from rankwell.tables.csr import owners
from rankwell.tables.ranked import Ranked
from rankwell.tables.run_qrels import Run

BATCH = 250_000  # rows at a time


def batches_of(run: Run, pool: Pool, asked: Asked, context: Context) -> Iterator[Judged]:
    """Yield the judged lists of a run, a batch at a time."""
    for batch in run.rows.batches(BATCH):
        lists = batch()
        try:
            judged, _ = judge(lists, pool, asked, context)
        except RanksBeginAtZero:
            judged, _ = judge(lists, pool, replace(asked, rank_base=0), context)
        yield judged


def ranks_in(run: Run, pool: Pool, asked: Asked, context: Context) -> np.ndarray:
    """Return the rank that each item of a pool has in a run, 0 where the run does not list it."""
    ranks = np.zeros(len(pool.grades), np.int64)
    for judged in batches_of(run, pool, replace(asked, needs=frozenset({"judgement"})), context):
        assert judged.found.pool_row is not None
        ranks[judged.found.pool_row] = judged.found.rank
    return ranks


@record(eq=False)
class Both:
    """The items of a pool that holds all of two runs: the query and the grade of each (NaN: unjudged), and its ranks, 0 for none."""

    pool: Pool
    first: np.ndarray
    second: np.ndarray
    grades: np.ndarray

    def __len__(self) -> int:
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
    def lists(self) -> tuple[Unjudged, Unjudged]:
        """Either list with its unjudged items; all others are outside."""
        one, other = (self._list(ranks) for ranks in (self.first, self.second))
        return one, other

    def _list(self, ranks: np.ndarray) -> Unjudged:
        listed = np.flatnonzero(ranks > 0)
        listed = listed[np.lexsort((ranks[listed], self.query[listed]))]
        rows = Ranked(len(self), self.query[listed], ranks[listed], self.grade[listed])
        known = np.flatnonzero(~np.isnan(self.grade))
        outside = np.bincount(self.query[self.free[ranks[self.free] == 0]], minlength=len(self))
        scale = self.pool.scale
        kind = "judgements" if scale.kind == "interactions" else scale.kind
        return Unjudged(
            rows, self.query[known], self.grade[known], outside, self.grades, replace(scale, kind=kind)
        )
