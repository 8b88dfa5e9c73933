"""Topic-satisfaction metrics with ratings, and their division by the value of the best list."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.additive import Terms
from rankwell.metrics.diversity.candidates import Best, Candidates
from rankwell.metrics.diversity.satisfaction import Topical, known_users
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import Metric, definition
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked

EXACT = 6  # the longest list for which the best one is searched for


@definition
class OfRatings(Topical):
    """A metric where a rated item satisfies by what it was rated.

    Parameters
        rating_map: how a rating counts: ratio, minmax, exp or binary (see ab_dcg)
        max_grade: the highest grade of the scale; default that of the qrels
        min_grade: the lowest grade of the scale (minmax); default that of the qrels
        rel: the rating from which binary counts 1; default the policy's rel
    """

    rating_map: Literal["ratio", "minmax", "exp", "binary"] = "ratio"
    max_grade: float | None = None
    min_grade: float | None = None
    rel: float | None = None

    def applies(self, parameter: str) -> bool:
        """``max_grade``, ``min_grade`` and ``rel`` apply only to rating maps that use them."""
        is_binary = self.rating_map == "binary"
        belongs = {"max_grade": not is_binary, "min_grade": self.rating_map == "minmax", "rel": is_binary}
        return belongs.get(parameter, super().applies(parameter))

    def needed(self) -> frozenset[str]:
        """The ends of the scale, unless they are given."""
        ends = {"grade_max": self.max_grade, "grade_min": self.min_grade}
        asked = {need for need, given in ends.items() if given is None and self.applies(need[6:] + "_grade")}
        return super().needed() | asked

    def check_tables(self, context: Context) -> None:
        """The grades must lie within the scale, whose ends must differ under minmax."""
        super().check_tables(context)
        if context.scale.kind == "interactions" or context.grade_max is None or not self.applies("max_grade"):
            return
        top, low = self._ends(context)
        if context.grade_max > top:
            raise UsageError(
                f"{self}: a grade is above max_grade; set max_grade to the highest grade of the scale."
            )
        if self.rating_map == "minmax" and low >= top:
            raise UsageError(
                f"{self}: all grades are {top:g}, so minmax has no span. Set min_grade= and max_grade= to the ends of the "
                f"scale, or use rating_map=ratio."
            )

    def broken_laws(self) -> dict[str, str]:
        """The lowest and highest of all grades set the scale, unless they are given."""
        if not self.needed() & {"grade_max", "grade_min"}:
            return super().broken_laws()
        law = {"judgements are apart": "the highest grade of all judgements sets the scale"}
        return super().broken_laws() | law

    def chance(self, grade: np.ndarray, context: Context) -> np.ndarray:
        """α if unrated, β · ρ(grade) if rated."""
        rated = np.flatnonzero(context.scale.judged(grade))
        chance = np.full(len(grade), self.unrated)
        chance[rated] = self.beta * self.map(grade[rated], context)
        return chance

    def map(self, grade: np.ndarray, context: Context) -> np.ndarray:
        """Return ρ of the grades, 0 to 1."""
        if context.scale.kind == "interactions":
            return np.ones(len(grade))
        if self.rating_map == "binary":
            return context.scale.relevant(grade, self.rel).astype(np.float64)
        top, low = self._ends(context)
        if self.rating_map == "exp":
            # (2^g − 1) / 2^top, without the powers themselves, which overflow for large grades
            return np.maximum(np.exp2(grade - top) - np.exp2(-top), 0.0)
        if self.rating_map == "ratio":
            return np.maximum(grade, 0.0) / top if top > 0 else np.zeros(len(grade))
        if len(grade) and grade.min() < low:
            raise UsageError(
                f"{self}: a grade is below min_grade; set min_grade to the lowest grade of the scale."
            )
        return (grade - low) / (top - low)

    def _ends(self, context: Context) -> tuple[float, float]:
        """The highest and the lowest grade of the scale."""
        top = context.grade_max if self.max_grade is None else self.max_grade
        low = context.grade_min if self.min_grade is None else self.min_grade
        return (0.0 if top is None else top), (0.0 if low is None else low)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """As for every such metric, plus ratings of disliked items that satisfy at least as much as unrated items."""
        return super().counts(judged, context) | self._disliked(judged, context)

    def _disliked(self, judged: Judged, context: Context) -> dict[str, int]:
        scale, pool = judged.scale, judged.pool
        rows = judged.in_catalogue(context)
        grade = rows.grade[scale.judged(rows.grade)]
        if self.unrated == 0 or scale.kind == "interactions" or not len(grade):
            return {}
        lowest, highest = pool.summary.lowest, pool.summary.highest
        disliked = grade < scale.rel if scale.rel is not None else (grade == lowest) & (lowest < highest)
        wrong = int(np.count_nonzero(self.chance(grade[disliked], context) >= self.unrated))
        return {"disliked items that count at least as much as unrated ones (alpha ≤ beta·rating)": wrong}


@record(eq=False)
class Ideals:
    """The value of each user's best list at some cut-offs, and whether they rated a candidate."""

    totals: dict[int | None, np.ndarray]
    has_rated: np.ndarray


@definition
class Normalised(Topical):
    """A metric of satisfied topics, divided by what the best list of the user's candidates reaches.

    Parameters
        candidates: catalogue, judged (what the user rated) or pool (that, and the list down to k); without his training items
        ideal: greedy, exact (k up to 6), or best_of (the better of the greedy list and the list itself)
        clip: whether values above 1 are made 1
    """

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "history"})
    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "IDCG")

    candidates: Literal["catalogue", "judged", "pool"] = "catalogue"
    ideal: Literal["greedy", "exact", "best_of"] = "greedy"
    clip: bool = False

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """A list may be better than the ideal used, or hold items that are not candidates."""
        return 0.0, 1.0 if self.clip or self.ideal == "best_of" else math.inf

    def applies(self, parameter: str) -> bool:
        """``clip`` has no effect with ideal=best_of."""
        return self.ideal != "best_of" if parameter == "clip" else super().applies(parameter)

    def check(self) -> None:
        """ideal=exact requires a short list."""
        super().check()
        if self.ideal == "exact":
            refuse_long(self)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The value of the ideal list; with clip or best_of at least the value of the list itself."""
        ideal = self._of_queries(self._ideals(judged, context).totals[self.k], judged)
        # a greedy list need not be the best; values above 1 that come of it are counted, or prevented here
        if self.clip or self.ideal == "best_of":
            ideal = np.where(ideal > 0, np.maximum(ideal, self.terms(judged, context).sum()), 0.0)
        return ideal

    def ideal_terms(self, judged: Judged, context: Context) -> Terms | None:
        """The gains of the ideal lists."""
        kinds = self.kinds(context)
        rated = judged.in_catalogue(context)
        query, item, gains, ranks = [], [], [], []
        depth = min(self.k or len(kinds.of_item), len(kinds.of_item))
        for best in self._best(self._candidates(judged, context), depth, judged.queries):
            user, rank = np.nonzero(best.places >= 0)
            query.append(user + best.low)
            ranks.append(rank + 1)
            item.append(kinds.order[best.places[user, rank]])
            gains.append(best.gains[user, rank])
        listed = np.concatenate(item)
        rows = Ranked(len(judged), np.concatenate(query), np.concatenate(ranks), np.empty(0), item=listed)
        rows.grade = _grades_of(rows, rated)
        return Terms(rows, np.concatenate(gains), discount("log2p1", 2.0, rows.rank), kinds.ids)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """As for every such metric, plus users who rated no candidate, and values above 1."""
        ideals, is_judged = self._ideals(judged, context), judged.pool_row >= 0
        has_rated = self._of_queries(ideals.has_rated, judged) > 0
        above = self.per_query(judged, context) > 1 + 1e-12
        return super().counts(judged, context) | {
            "users who rated no candidate that has topics": int(np.count_nonzero(is_judged & ~has_rated)),
            f"values of {self} above 1": int(np.count_nonzero(above & is_judged)),
        }

    def _of_queries(self, column: np.ndarray, judged: Judged) -> np.ndarray:
        """The values of a column of ideals for each query, 0 for those without judgements."""
        return column if self.candidates == "pool" else np.append(column, 0)[known_users(judged)]

    def _ideals(self, judged: Judged, context: Context) -> Ideals:
        """The best lists' values for all judged users, computed once; for candidates=pool, for this run alone."""
        searched: Literal["exact", "greedy"] = "exact" if self.ideal == "exact" else "greedy"
        asked = () if self.ideal == "exact" else context.cuts.get(self.name, ())
        cuts = asked if self.k in asked and self.candidates != "pool" else (self.k,)
        if self.candidates == "pool":
            return judged.once(_of_batch, _ideal_metric(self, self.k, searched), context)
        return context.once(_of_everyone, judged.pool, _ideal_metric(self, None, searched), cuts)

    def measured(self, judged: Judged, context: Context, cuts: tuple[int | None, ...]) -> Ideals:
        """Return the values of the best lists of a batch at some cut-offs."""
        longest = max(len(self.kinds(context).of_item), 1)
        depths = {cut: min(cut or longest, longest) for cut in cuts}
        # a greedy list is the beginning of a longer one, so one list of the greatest depth serves all cut-offs
        weights = discount("log2p1", 2.0, np.arange(1, max(depths.values()) + 1))
        candidates = self._candidates(judged, context)
        totals = {cut: np.zeros(len(judged)) for cut in cuts}
        has_rated = np.zeros(len(judged), np.bool_)
        for best in self._best(candidates, len(weights), judged.queries):
            sums = np.cumsum(best.gains * weights, axis=1)  # in rank order, like a list's own value
            for cut, depth in depths.items():
                totals[cut][best.low : best.high] = sums[:, depth - 1]
            rows = slice(*np.searchsorted(candidates.own.query, [best.low, best.high]))
            own = candidates.own.query[rows][best.admitted & judged.scale.judged(candidates.own.grade[rows])]
            has_rated[own] = True
        return Ideals(totals, has_rated)

    def _best(self, candidates: Candidates, depth: int, queries: Ids) -> Iterator[Best]:
        """The best lists of users, in blocks."""
        if self.ideal != "exact":
            return candidates.best(depth)
        weights = discount("log2p1", 2.0, np.arange(1, depth + 1))
        return (best.exact(weights, queries.one) for best in candidates.best(depth))

    def _candidates(self, judged: Judged, context: Context) -> Candidates:
        """The candidates of each query: its rated items, and any others asked for, without training items."""
        pool, train = judged.pool, context.train
        assert train is not None
        kinds, interests, users = self.kinds(context), self.interests(pool, context), known_users(judged)
        rated = judged.in_catalogue(context)
        own = rated.where(judged.scale.judged(rated.grade))
        if self.candidates == "pool":
            rows = judged.shown.top(self.k)
            own = _append_rows(own, rows.where(~judged.scale.judged(rows.grade)))
        assert own.item is not None
        # an item without topics, or outside the catalogue (row -1), gains nothing
        own = own.where((own.item >= 0) & (np.append(kinds.of_item, -1)[own.item] >= 0))
        return Candidates(
            kinds,
            own,
            self.chance(own.grade, context),
            self.unrated if self.candidates == "catalogue" else None,
            lambda low, high: interests.rows(users[low:high]),
            lambda low, high: train.rows(judged.queries[low:high]),
        )


@lru_cache(maxsize=256)
def _ideal_metric(metric: Normalised, k: int | None, ideal: Literal["exact", "greedy"]) -> Normalised:
    """The metric that has the same best lists, whatever is done with their values; it is asked for in every batch."""
    return replace(metric, k=k, clip=False, ideal=ideal)


def _of_batch(judged: Judged, metric: Normalised, context: Context) -> Ideals:
    return metric.measured(judged, context, (metric.k,))


def _of_everyone(context: Context, pool: Pool, metric: Normalised, cuts: tuple[int | None, ...]) -> Ideals:
    return metric.measured(without_lists(pool), context, cuts)


def refuse_long(metric: Metric) -> None:
    """Raise UsageError if a metric's lists are too long to search for the best one."""
    if metric.k is None or metric.k > EXACT:
        raise UsageError(
            f"{metric}: ideal=exact searches for the best list down to rank {EXACT}; write @{EXACT} or less, or use "
            f"ideal=greedy."
        )


def without_lists(pool: Pool) -> Judged:
    """Return all judged queries, without lists."""
    queries = len(pool.queries)
    none = Ranked(queries, *(np.empty(0, np.int64),) * 2, np.empty(0))
    return Judged(pool.queries.ids, np.arange(queries), none, np.zeros(queries, np.int64), pool)


def _append_rows(rows: Ranked, more: Ranked) -> Ranked:
    """The rows of both tables, grouped by query, those of the first table first."""
    assert rows.item is not None
    assert more.item is not None
    query = np.concatenate([rows.query, more.query])
    order = np.argsort(query, kind="stable")
    rank, grade, item = (
        np.concatenate(pair)[order]
        for pair in ((rows.rank, more.rank), (rows.grade, more.grade), (rows.item, more.item))
    )
    return Ranked(rows.queries, query[order], rank, grade, item=item)


def _grades_of(rows: Ranked, rated: Ranked) -> np.ndarray:
    """The grade of each row, NaN if it was not rated."""
    assert rows.item is not None
    assert rated.item is not None
    grades = dict(
        zip(zip(rated.query.tolist(), rated.item.tolist(), strict=True), rated.grade.tolist(), strict=True)
    )
    pairs = zip(rows.query.tolist(), rows.item.tolist(), strict=True)
    return np.array([grades.get(pair, math.nan) for pair in pairs], np.float64)
