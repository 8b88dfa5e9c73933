"""Both: two runs and their unjudged items, which a grade moves in the lists of both at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from rankwell.judge.asked import Asked
from rankwell.judge.context import Context
from rankwell.judge.given_ranks import RanksBeginAtZero
from rankwell.judge.judged import Judged
from rankwell.judge.lists import judge
from rankwell.judge.pool import Pool
from rankwell.judge.scale import Scale
from rankwell.judge.unjudged import Unjudged
from rankwell.records import cached_property, record
from rankwell.tables.csr import owners
from rankwell.tables.derived import Derived
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
class Items:
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
        known = np.flatnonzero(~np.isnan(self.grade))
        return self.query[known], self.grade[known]

    @cached_property
    def scale(self) -> Scale:
        """The scale of the items once they are judged."""
        scale = self.pool.scale
        return replace(scale, kind="judgements" if scale.kind == "interactions" else scale.kind)

    def context(self, context: Context) -> Context:
        """Return the context of lists whose items are judged."""
        return replace(context, scale=self.scale)


class Side(Derived):
    """One run among the items of a pool: the rank of each item, 0 for none. Values of the run alone are cached with ``once``."""

    lifetime: ClassVar[int] = 0

    def __init__(self, items: Items, ranks: np.ndarray) -> None:
        self.items, self.ranks = items, ranks
        self._unjudged: Unjudged | None = None

    def within(self, k: int | None) -> np.ndarray:
        """Return the rows of the items that the run lists down to rank k."""
        return np.flatnonzero(self.ranks > 0 if k is None else (self.ranks > 0) & (self.ranks <= k))

    @property
    def unjudged(self) -> Unjudged:
        """The lists with their unjudged items; all others are outside."""
        if self._unjudged is None:
            self._unjudged = self._made()
        return self._unjudged

    def let_go(self) -> None:
        """Forget the lists: with their completions they take much more memory than the ranks that they are made from."""
        self._unjudged = None

    def _made(self) -> Unjudged:
        items, ranks = self.items, self.ranks
        listed = self.within(None)
        listed = listed[np.lexsort((ranks[listed], items.query[listed]))]
        rows = Ranked(len(items), items.query[listed], ranks[listed], items.grade[listed])
        outside = np.bincount(items.query[items.free[ranks[items.free] == 0]], minlength=len(items))
        return Unjudged(rows, *items.judgements, outside, items.grades, items.scale)


class Both(NamedTuple):
    """Two runs among the items of the same pool."""

    first: Side
    second: Side

    @property
    def items(self) -> Items:
        """The items of the pool."""
        return self.first.items
