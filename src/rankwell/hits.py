"""Judged: what a metric is a function of, with its Context; and the judgements behind it, prepared once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from rankwell.context import Context, Scale
from rankwell.ids import Ids, Known, alike
from rankwell.kernels import order
from rankwell.ranked import Ranked, Topics

__all__ = ["Context", "Judged", "Pool", "Scale"]


class Pool:
    """The judgements, prepared once for all runs: per query its judged items, their grades, on request topics, propensities.

    What depends on the judgements alone is kept (``once``) and so shared by runs, batches and cut-offs.
    """

    def __init__(
        self,
        queries: Ids,
        offsets: np.ndarray,
        items: Ids,
        grades: np.ndarray,
        scale: Scale,
        topics: Topics | None = None,
        propensity: np.ndarray | None = None,
    ) -> None:
        self.queries, self.offsets, self.items = Known(queries), offsets, items
        self.grades, self.scale, self.topics, self.propensity = grades, scale, topics, propensity
        self._kept: dict[Any, Any] = {}
        self._lock = threading.RLock()

    @property
    def is_wider(self) -> bool:
        """Whether rows of the pool lead to more than grades: to topics or propensities."""
        return self.topics is not None or self.propensity is not None

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
        return self.once("ideal", self._ideal)

    def _ideal(self) -> Ranked:
        lengths = np.diff(self.offsets)
        grades, rows = self.grades, np.arange(len(self.grades))
        if self.scale.kind != "interactions":
            order.sort(rows, self.offsets, grades, *Ids.of_integers(rows).columns, order.TIE_RULES["order"])
            grades = grades[rows]
        query = np.repeat(np.arange(len(lengths)), lengths)
        rank = np.arange(1, len(grades) + 1) - np.repeat(self.offsets[:-1], lengths)
        return Ranked(len(lengths), query, rank, grades, judgement=None if self.topics is None else rows)

    @property
    def ideals(self) -> tuple[Ranked, np.ndarray | None]:
        """The ideal lists that differ, and which of them each query has (None: each its own)."""
        return self.once("ideals", self._ideals)

    def _ideals(self) -> tuple[Ranked, np.ndarray | None]:
        lengths = np.diff(self.offsets)
        if not len(self.grades) or self.grades.min() != self.grades.max():
            return self.ideal, None
        # where all grades are equal, queries with equally many judged items have one ideal
        sizes = np.flatnonzero(np.bincount(lengths))
        profile = np.zeros(int(sizes[-1]) + 1, np.int64)
        profile[sizes] = np.arange(len(sizes))
        query = np.repeat(np.arange(len(sizes)), sizes)
        rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return Ranked(len(sizes), query, rank, np.full(len(query), self.grades[0])), profile[lengths]

    def relevant_counts(self, rel: float | None) -> np.ndarray:
        """Return R, the number of relevant judged items, of each query of the pool."""

        def count() -> np.ndarray:
            if self.scale.kind == "interactions" and self.scale.threshold(rel) is None:
                return np.diff(self.offsets)
            until = np.concatenate(([0], np.cumsum(self.scale.relevant(self.grades, rel))))
            return until[self.offsets[1:]] - until[self.offsets[:-1]]

        return self.once(("relevant", rel), count)

    def rows_in(self, catalogue: Known) -> np.ndarray:
        """Return the row of each judged item in a catalogue, -1 outside."""
        return self.once(("in catalogue", id(catalogue)), lambda: catalogue.rows_of(self.items, "item"))

    def only(self, items: Known) -> Pool:
        """Return the same queries with the judgements of some items only."""
        kept = items.find(alike(self.items, items.ids, "item")[0]) >= 0
        until = np.concatenate(([0], np.cumsum(kept)))
        rows = np.flatnonzero(kept)
        topics = None if self.topics is None else self.topics.take(rows)
        propensity = None if self.propensity is None else self.propensity[rows]
        offsets = until[self.offsets]
        return Pool(
            self.queries.ids, offsets, self.items[rows], self.grades[rows], self.scale, topics, propensity
        )

    def in_integers(self) -> Pool:
        """Return the same pool with those ids as integers that are text and plain numbers."""

        def convert() -> Pool:
            queries, items = (
                ids.as_integers() or ids if ids.is_text else ids for ids in (self.queries.ids, self.items)
            )
            return Pool(queries, self.offsets, items, self.grades, self.scale, self.topics, self.propensity)

        return self.once("integers", convert)


class Judged:
    """The judged lists of a batch of queries: what a metric is a function of.

    ``known`` is each query's row in the pool (-1: not judged), ``in_run`` whether the run holds these lists at all,
    ``found`` are the judged items at the ranks that the run gave them, ``ideal`` all judged items, best first,
    ``tied`` the same hits as ``found`` with their groups of equal scores, ``shown`` (only if a metric needs it) the
    whole list, ``n_retrieved`` the length of each list. ``is_expected`` asks for the mean over all orders of equal
    scores.
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
        tied: Ranked | None = None,
        in_run: bool = True,
        is_expected: bool = False,
    ) -> None:
        self.queries, self.known, self.found, self.n_retrieved = queries, known, found, n_retrieved
        self.tied, self.in_run, self.is_expected = tied, in_run, is_expected
        self.pool, self.scale, self._shown = pool, pool.scale, shown
        self.is_condensed = False
        self._kept: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self.known)

    @property
    def listed(self) -> Ranked | None:
        """The whole lists in rank order, if a metric of the batch needs them."""
        return self._shown

    @property
    def shown(self) -> Ranked:
        """The whole lists in rank order; for metrics that declare ``needs = {"shown"}``."""
        if self._shown is None:
            raise LookupError('a metric that reads judged.shown declares needs = {"shown"}')
        return self._shown

    @property
    def ideal(self) -> Ranked:
        """All judged items of these queries, best grade first."""
        return self.once("ideal", self._ideal)

    def _ideal(self) -> Ranked:
        pooled = self.pool.ideal
        query, rank, rows = self.pool_rows()
        judgement = None if pooled.judgement is None else pooled.judgement[rows]
        return Ranked(len(self), query, rank, pooled.grade[rows], judgement=judgement)

    def pool_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the judgements of these queries: of which query each is, its place from 1, and its row in the pool."""
        offsets = self.pool.offsets
        lengths = np.where(self.known >= 0, offsets[self.known + 1] - offsets[self.known], 0)
        query = np.repeat(np.arange(len(self)), lengths)
        place = np.arange(len(query)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return query, place + 1, place + np.repeat(offsets[self.known], lengths)

    def take(self, rows: np.ndarray, found: Ranked) -> Judged:
        """Return the judged lists of some queries (ascending rows), with their hits given anew."""
        shown = None if self._shown is None else self._shown.of_queries(rows)
        found = found.of_queries(rows)
        known, lengths = self.known[rows], self.n_retrieved[rows]
        return Judged(self.queries[rows], known, found, lengths, self.pool, shown, in_run=self.in_run)

    def with_found(self, found: Ranked, n_retrieved: np.ndarray) -> Judged:
        """Return the same queries with other hits and lengths."""
        return Judged(
            self.queries,
            self.known,
            found,
            n_retrieved,
            self.pool,
            self._shown,
            in_run=self.in_run,
            is_expected=self.is_expected,
        )

    def relevant(self, rel: float | None = None) -> Ranked:
        """Return the relevant items found, in rank order."""

        def find() -> Ranked:
            rows = self.scale.relevant(self.found.grade, rel)
            return self.found if rows.all() else self.found.where(rows)

        return self.once(("relevant", rel), find)

    def n_relevant(self, rel: float | None = None) -> np.ndarray:
        """Return R per query: how many judged items are relevant, retrieved or not."""
        counts = self.pool.relevant_counts(rel)
        return self.once(("n_relevant", rel), lambda: self._per_query(counts, 0))

    def history(self, context: Context) -> Ranked:
        """Return what the system learned of each query; for metrics that declare ``needs = {"history"}``."""
        if context.train is None:
            raise LookupError('a metric that reads judged.history declares needs = {"history"}')
        train = context.train
        return self.once("history", lambda: train.rows(self.queries))

    def in_catalogue(self, context: Context) -> Ranked:
        """Return all judged items of these queries, in the order of the data, ``item`` being rows of the catalogue."""

        def find() -> Ranked:
            pool, catalogue = self.pool, context.catalogue
            assert catalogue is not None
            item = pool.rows_in(catalogue)
            query, rank, rows = self.pool_rows()
            return Ranked(len(self), query, rank, pool.grades[rows], item=item[rows], judgement=rows)

        return self.once("in catalogue", find)

    def n_nonrelevant(self, rel: float | None = None) -> np.ndarray:
        """Return N per query: how many judged items are not relevant, retrieved or not."""
        scale = self.scale
        return self.of_ideal(
            ("nonrelevant", rel),
            lambda best: best.where(scale.judged(best.grade) & ~scale.relevant(best.grade, rel)).count(),
        )

    def n_shown(self, k: int | None) -> np.ndarray:
        """Return the length of each list down to rank k; all of it for None."""
        return self.n_retrieved if k is None else np.minimum(self.n_retrieved, k)

    def of_ideal(self, key: Any, function: Callable[[Ranked], np.ndarray]) -> np.ndarray:
        """Return ``function(ideal)`` per query, computed once for all queries of the pool and kept under ``key``."""

        def compute() -> np.ndarray:
            ideal, profile = self.pool.ideals
            return function(ideal) if profile is None else function(ideal)[profile]

        return self._per_query(self.pool.once(key, compute), np.nan)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what ``make`` gives, computed at the first call with this key; metrics of one batch share it."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def _per_query(self, pooled: np.ndarray, otherwise: float) -> np.ndarray:
        if not len(pooled):
            return np.full(len(self), otherwise)
        return np.where(self.known >= 0, pooled[self.known], otherwise)
