"""Told: what is judged so far, and which candidates can still be asked for."""

from __future__ import annotations

import numpy as np

from rankwell.judging.measure import Measure
from rankwell.judging.pooled import Pooled
from rankwell.matching.pool import Pool
from rankwell.records import cached_property


class Told:
    """The grade of each candidate (NaN if unjudged), and which are closed: judged, asked for, or skipped.

    ``known`` is the number of relevant items of each query, also of those that no run has. ``asked`` is how many candidates of
    each query are closed.
    """

    def __init__(self, pooled: Pooled, pool: Pool, measure: Measure, highest: float | None) -> None:
        self.pooled, self.measure, self.scale = pooled, measure, pool.scale
        self.grade = np.full(len(pooled), np.nan)
        query, candidate = pooled.find_judged(pool)
        is_judged = pool.scale.judged(pool.grades)
        known = is_judged & (candidate >= 0)
        self.grade[candidate[known]] = pool.grades[known]
        relevant = is_judged & measure.relevant(pool.grades, pool.scale) & (query >= 0)
        self.known = np.bincount(query[relevant], minlength=len(pooled.queries))
        self.elsewhere = int(np.count_nonzero(is_judged & (candidate < 0)))
        seen = float(pool.grades[is_judged].max()) if is_judged.any() else 1.0
        self.highest = max(seen, 1.0) if highest is None else highest
        self.closed = ~np.isnan(self.grade)
        self.relevant = measure.relevant(self.grade, pool.scale)
        self.asked = np.bincount(pooled.query[self.closed], minlength=len(pooled.queries))
        self.left = np.diff(pooled.offsets) - self.asked
        self._before = pooled.pooling_order[self.closed[pooled.pooling_order]]
        self._told: dict[int, list[int]] = {}

    @property
    def judged(self) -> np.ndarray:
        """Which candidates are judged."""
        return ~np.isnan(self.grade)

    def close(self, candidate: int) -> None:
        """Take a candidate out of those to be asked for."""
        if not self.closed[candidate]:
            self._count(candidate, 1)

    def reopen(self, candidate: int) -> None:
        """Undo ``close``."""
        if self.closed[candidate] and np.isnan(self.grade[candidate]):
            self._count(candidate, -1)

    def _count(self, candidate: int, step: int) -> None:
        query = self.pooled.query[candidate]
        self.closed[candidate] = step > 0
        self.asked[query] += step
        self.left[query] -= step

    def tell(self, candidate: int, grade: float) -> None:
        """Take note of a grade; a later one replaces an earlier one."""
        self.close(candidate)
        if np.isnan(self.grade[candidate]):
            self._told.setdefault(int(self.pooled.query[candidate]), []).append(candidate)
        is_relevant = bool(self.measure.relevant(np.array([grade]), self.scale)[0])
        query = self.pooled.query[candidate]
        self.known[query] += int(is_relevant) - int(self.relevant[candidate])
        self.grade[candidate], self.relevant[candidate] = grade, is_relevant
        self.highest = max(self.highest, grade)

    @cached_property
    def _before_by_query(self) -> tuple[np.ndarray, np.ndarray]:
        query = self.pooled.query[self._before]
        order = np.argsort(query, kind="stable")
        return query[order], self._before[order]

    def sequence(self, query: int) -> list[int]:
        """Return the judged candidates of a query in the order of their judgements; those from before in pooling order."""
        queries, candidates = self._before_by_query
        low, high = np.searchsorted(queries, [query, query + 1])
        return [*candidates[low:high].tolist(), *self._told.get(query, [])]

    def fewest(self) -> int | None:
        """Return the query with the fewest candidates asked for of those that have any left, None if none has."""
        if not self.left.any():
            return None
        return int(np.where(self.left > 0, self.asked, np.iinfo(np.int64).max).argmin())
