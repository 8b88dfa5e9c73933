"""Ranked, Judged and Context: the tables that metrics read, as NumPy columns, many queries end to end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwell.ids import Ids, Known
from rankwell.kernels import order

NO_ROWS = np.empty(0, np.int64)


class Ranked:
    """Graded rows in rank order, the rows of each query together.

    Columns of one length: ``query`` (which of the ``queries``, ascending), ``rank`` (from 1), ``grade`` (NaN where
    unjudged), and on request ``item`` (row of the catalogue, -1 outside), ``score``, ``tie_start`` and ``tie_size``
    (first rank and size of the group of equal scores).
    """

    __slots__ = ("_counts", "_nth", "grade", "item", "queries", "query", "rank", "score", "tie_size", "tie_start")

    def __init__(
        self,
        queries: int,
        query: np.ndarray,
        rank: np.ndarray,
        grade: np.ndarray,
        *,
        item: np.ndarray | None = None,
        score: np.ndarray | None = None,
        tie_start: np.ndarray | None = None,
        tie_size: np.ndarray | None = None,
    ) -> None:
        self.queries, self.query, self.rank, self.grade = queries, query, rank, grade
        self.item, self.score, self.tie_start, self.tie_size = item, score, tie_start, tie_size
        self._counts: np.ndarray | None = None
        self._nth: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.query)

    def where(self, rows: np.ndarray) -> Ranked:
        """Return the rows of a mask (or ascending row numbers)."""
        extra = {
            name: None if (column := getattr(self, name)) is None else column[rows]
            for name in ("item", "score", "tie_start", "tie_size")
        }
        return Ranked(self.queries, self.query[rows], self.rank[rows], self.grade[rows], **extra)

    def top(self, k: int | None) -> Ranked:
        """Return the rows down to rank k; all for None."""
        return self if k is None else self.where(self.rank <= k)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of ``values`` per query, added in rank order (float64)."""
        return np.bincount(self.query, weights=values, minlength=self.queries).astype(np.float64, copy=False)

    def count(self) -> np.ndarray:
        """Return the number of rows per query (int64)."""
        if self._counts is None:
            self._counts = np.bincount(self.query, minlength=self.queries)
        return self._counts

    def nth(self) -> np.ndarray:
        """Return each row's place among the rows of its query, from 1."""
        if self._nth is None:
            counts = self.count()
            self._nth = np.arange(1, len(self.query) + 1) - (np.cumsum(counts) - counts)[self.query]
        return self._nth

    def product_before(self, factors: np.ndarray) -> np.ndarray:
        """Return for each row the product of ``factors`` over the rows of its query before it, in rank order."""
        product = np.ones(len(self.query))
        nth = self.nth()
        rows = np.flatnonzero(nth > 1)
        rows = rows[np.argsort(nth[rows], kind="stable")]
        steps = np.searchsorted(nth[rows], np.arange(2, int(nth.max(initial=1)) + 2))
        for low, high in zip(steps[:-1], steps[1:], strict=True):
            step = rows[low:high]
            product[step] = product[step - 1] * factors[step - 1]
        return product


@dataclass(frozen=True, slots=True)
class Scale:
    """What grades mean here: which items are relevant, which count as judged, and what gains start from."""

    kind: str = "judgements"
    rel: float | None = None
    negative: str = "unjudged"

    def threshold(self, rel: float | None) -> float | None:
        """The grade from which an item is relevant; a metric's own ``rel`` wins; None means above 0."""
        return self.rel if rel is None else rel

    def relevant(self, grade: np.ndarray, rel: float | None = None) -> np.ndarray:
        """Return which grades are relevant; unjudged (NaN) never is."""
        threshold = self.threshold(rel)
        if threshold is None:
            return grade > 0
        return (grade >= threshold) & self.judged(grade)

    def judged(self, grade: np.ndarray) -> np.ndarray:
        """Return which grades are judgements: negative ones are not under ``negative='unjudged'``."""
        return grade >= 0 if self.negative == "unjudged" else ~np.isnan(grade)

    def level(self, grade: np.ndarray, rel: float | None = None, gain_from: str = "threshold") -> np.ndarray:
        """Return the level that gains are computed from: the grade, or under ratings the steps from the threshold."""
        threshold = self.threshold(rel)
        if self.kind != "ratings" or gain_from == "raw" or threshold is None:
            return grade
        return np.where(grade >= threshold, grade - threshold + 1, np.where(np.isnan(grade), np.nan, 0.0))


@dataclass(frozen=True, slots=True)
class Context:
    """What all batches share, made once: the scale of the grades, the highest grade, the catalogue."""

    scale: Scale = Scale()
    grade_max: float | None = None
    catalogue: Known | None = None


class Pool:
    """The judgements, prepared once for all runs: per query its judged items and their grades.

    What depends on the judgements alone is kept (:meth:`once`) and so shared by runs, batches and cut-offs.
    """

    def __init__(self, queries: Ids, offsets: np.ndarray, items: Ids, grades: np.ndarray, scale: Scale) -> None:
        self.queries, self.offsets, self.items, self.grades, self.scale = Known(queries), offsets, items, grades, scale
        self._kept: dict[Any, Any] = {}
        self._lock = threading.RLock()

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what ``make`` gives, computed at the first call with this key; safe between threads."""
        if key not in self._kept:
            with self._lock:
                if key not in self._kept:
                    self._kept[key] = make()
        return self._kept[key]

    @property
    def ideal(self) -> Ranked:
        """All judged items of all queries, best grade first."""
        return self.once("ideal", self._ideal)  # type: ignore[no-any-return]

    def _ideal(self) -> Ranked:
        lengths = np.diff(self.offsets)
        grades = self.grades
        if self.scale.kind != "interactions":
            rows = np.arange(len(grades))
            order.sort(rows, self.offsets, grades, *Ids.of_integers(rows).columns, order.TIE_RULES["order"])
            grades = grades[rows]
        query = np.repeat(np.arange(len(lengths)), lengths)
        rank = np.arange(1, len(grades) + 1) - np.repeat(self.offsets[:-1], lengths)
        return Ranked(len(lengths), query, rank, grades)

    def relevant_counts(self, rel: float | None) -> np.ndarray:
        """Return R, the number of relevant judged items, of each query of the pool."""

        def count() -> np.ndarray:
            until = np.concatenate(([0], np.cumsum(self.scale.relevant(self.grades, rel))))
            return until[self.offsets[1:]] - until[self.offsets[:-1]]

        return self.once(("relevant", rel), count)  # type: ignore[no-any-return]

    def in_integers(self) -> Pool:
        """Return the same pool with those ids as integers that are text and plain numbers."""

        def convert() -> Pool:
            queries, items = (ids.as_integers() or ids if ids.is_text else ids for ids in (self.queries.ids, self.items))
            return Pool(queries, self.offsets, items, self.grades, self.scale)

        return self.once("integers", convert)  # type: ignore[no-any-return]


class Judged:
    """The judged lists of a batch of queries: what a metric is a function of.

    ``known`` is each query's row in the pool (-1: not judged), ``in_run`` whether the run holds these lists at all,
    ``found`` are the judged items at the ranks that the run gave them, ``ideal`` all judged items, best first,
    ``shown`` (only if a metric needs it) the whole list, ``n_retrieved`` the length of each list.
    """

    def __init__(
        self,
        queries: Ids,
        known: np.ndarray,
        found: Ranked,
        n_retrieved: np.ndarray,
        pool: Pool,
        shown: Ranked | None = None,
        *,
        in_run: bool = True,
    ) -> None:
        self.queries, self.known, self.found, self.n_retrieved = queries, known, found, n_retrieved
        self.in_run = in_run
        self.pool, self.scale, self._shown = pool, pool.scale, shown
        self._kept: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self.known)

    @property
    def shown(self) -> Ranked:
        """The whole lists in rank order; for metrics that declare ``needs = {"shown"}``."""
        if self._shown is None:
            raise LookupError('a metric that reads judged.shown declares needs = {"shown"}')
        return self._shown

    @property
    def ideal(self) -> Ranked:
        """All judged items of these queries, best grade first."""
        return self.once("ideal", self._ideal)  # type: ignore[no-any-return]

    def _ideal(self) -> Ranked:
        pooled, offsets = self.pool.ideal, self.pool.offsets
        lengths = np.where(self.known >= 0, offsets[self.known + 1] - offsets[self.known], 0)
        starts = np.cumsum(lengths) - lengths
        rows = np.arange(int(lengths.sum())) + np.repeat(offsets[self.known] - starts, lengths)
        query = np.repeat(np.arange(len(self)), lengths)
        return Ranked(len(self), query, pooled.rank[rows], pooled.grade[rows])

    def take(self, rows: np.ndarray, found: Ranked) -> Judged:
        """Return the judged lists of some queries (ascending rows), with their hits given anew."""
        numbers = np.full(len(self), -1)
        numbers[rows] = np.arange(len(rows))
        kept = found.where(numbers[found.query] >= 0)
        kept = Ranked(len(rows), numbers[kept.query], kept.rank, kept.grade)
        return Judged(self.queries[rows], self.known[rows], kept, self.n_retrieved[rows], self.pool)

    def relevant(self, rel: float | None = None) -> Ranked:
        """Return the relevant items found, in rank order."""

        def find() -> Ranked:
            return self.found.where(self.scale.relevant(self.found.grade, rel))

        return self.once(("relevant", rel), find)  # type: ignore[no-any-return]

    def n_relevant(self, rel: float | None = None) -> np.ndarray:
        """Return R per query: how many judged items are relevant, retrieved or not."""
        counts = self.pool.relevant_counts(rel)
        return self.once(("n_relevant", rel), lambda: self._per_query(counts, 0))  # type: ignore[no-any-return]

    def of_ideal(self, key: Any, function: Callable[[Ranked], np.ndarray]) -> np.ndarray:
        """Return ``function(ideal)`` per query, computed once for all queries of the pool and kept under ``key``."""
        return self._per_query(self.pool.once(key, lambda: function(self.pool.ideal)), np.nan)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what ``make`` gives, computed at the first call with this key; metrics of one batch share it."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def _per_query(self, pooled: np.ndarray, otherwise: float) -> np.ndarray:
        if not len(pooled):
            return np.full(len(self), otherwise)
        return np.where(self.known >= 0, pooled[self.known], otherwise)


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return ``above / below``, NaN where ``below`` is 0: the value is undefined there."""
    return np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below != 0)
