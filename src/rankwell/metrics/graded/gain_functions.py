"""Gains of grades and discounts of ranks, shared by the metrics of graded relevance."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.kernels import rank_columns
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale, exp2_gain, exp2_share, refuse_large_gains
from rankwell.metrics.bounds import OWN_TOP, Bounded
from rankwell.metrics.metric import ListMetric, QueryMetric, definition
from rankwell.metrics.parameters import Gains, Numbers, named_gains
from rankwell.records import record
from rankwell.tables.lists import Ranked, ratio

BLOCK = 4096
LARGEST_WEIGHT = 1e6  # of a rank in a list of discounts


def discount(kind: str | Numbers, base: float, ranks: np.ndarray) -> np.ndarray:
    """Return the weight of each rank, from cached tables."""
    if not isinstance(kind, str):
        if (most := max(map(abs, kind))) > LARGEST_WEIGHT:
            raise UsageError(
                f"discount=[…]: the weight {most:g} is too large; weights are at most {LARGEST_WEIGHT:.0e}."
            )
        weights = np.append(np.asarray(kind), 0.0)  # ranks behind the list that was given weigh 0
        return weights[np.minimum(ranks, len(weights)) - 1]
    try:  # nearly always the first table has all ranks
        return _weights(kind, base, 0)[ranks - 1]
    except IndexError:
        pass
    blocks = int(ranks.max() - 1) // BLOCK + 1
    return np.concatenate([_weights(kind, base, block) for block in range(blocks)])[ranks - 1]


@cache
def _weights(kind: str, base: float, block: int) -> np.ndarray:
    """The weights of one block of ranks."""
    ranks = np.arange(block * BLOCK + 1, (block + 1) * BLOCK + 1)
    if kind == "log2p1":
        return 1.0 / np.log2(ranks + 1.0)
    if (
        kind == "jk"
    ):  # Järvelin and Kekäläinen do not discount before rank b; log_b of these is below 1, and of rank 1 it is 0
        logs = np.log(ranks) / np.log(base)
        return np.where(ranks < base, 1.0, 1.0 / np.maximum(logs, np.finfo(float).tiny))
    return 1.0 / ranks if kind == "reciprocal" else np.ones(len(ranks))


def tails(begins: np.ndarray) -> np.ndarray:
    """Σ_{n ≥ 0} 1 / (n + a)² for each beginning a, computed once for equal ones, of which there are many."""
    from scipy.special import zeta

    distinct, places = np.unique(begins, return_inverse=True)
    return zeta(2, distinct)[places]


@record(slots=True)
class Gain:
    """A metric's rule for turning grades into gains."""

    gain: str | Gains
    rel: float | None
    gain_from: str

    @classmethod
    def of(cls, metric: Any) -> Gain:
        """Return the rule of a metric."""
        return cls(metric.gain, metric.rel, metric.gain_from)


def gain_of(metric: Any, ranked: Ranked, scale: Scale) -> np.ndarray:
    """Return each row's gain under a metric's ``gain``, ``rel`` and ``gain_from``."""
    if isinstance(metric.gain, str):
        level = scale.level(ranked.grade, metric.rel, metric.gain_from)
        if metric.gain == "exp2":
            return np.maximum(exp2_gain(level), 0.0)
        return refuse_large_gains(np.maximum(level, 0.0), ranked.grade)
    pairs, has_own = named_gains(metric.gain)
    grades, table = np.array(pairs).T
    place = np.minimum(
        np.searchsorted(grades, ranked.grade), len(grades) - 1
    )  # NaN sorts behind all, and equals none
    named = (grades[place] == ranked.grade) & scale.judged(ranked.grade)
    others = np.where(ranked.grade > 0, ranked.grade, 0.0) if has_own else 0.0
    return refuse_large_gains(np.where(named, table[place], others), ranked.grade)


def best_first(metric: Any, best: Ranked, scale: Scale) -> tuple[Ranked, np.ndarray]:
    """Return the items with a positive gain, and their gains, highest gain first (a table may reorder grades)."""
    gains = gain_of(metric, best, scale)
    rows = (gains > 0).nonzero()[0]
    best, gains = best.where(rows), gains.take(rows)
    rises = rank_columns.rises(best.query, np.ascontiguousarray(gains, np.float64))
    order = np.lexsort((-gains, best.query)) if rises else slice(None)
    pool_row = None if best.pool_row is None else best.pool_row[order]
    return Ranked(best.queries, best.query, best.nth(), best.grade[order], pool_row=pool_row), gains[order]


def best_of(metric: Any, judged: Judged, scale: Scale) -> tuple[Ranked, np.ndarray]:
    """Return the same for the ideal lists of a batch, computed once for all metrics with the same gains."""
    return judged.once_for_any_order(_best_of, Gain.of(metric), scale)


def _best_of(judged: Judged, gain: Gain, scale: Scale) -> tuple[Ranked, np.ndarray]:
    return best_first(gain, judged.ideal, scale)


def can_gain(best: Ranked, gain: Gain, scale: Scale) -> np.ndarray:
    """Return 1 for each query with a judged item that has a gain, else 0."""
    return (best_first(gain, best, scale)[0].count() > 0).astype(float)


def top_level(metric: Any, level: np.ndarray, context: Context) -> float:
    """Return the highest level of the scale: ``max_grade``, or the highest grade of all judgements.

    Raises
    ------
    UsageError
        If a level is higher than that.
    """
    # a scale has a 0, also where all that is judged is below it: then nothing gains, and no query has a value
    highest = max(context.grade_max or 0, 0) if metric.max_grade is None else metric.max_grade
    top = float(context.scale.level(np.array([highest], float), metric.rel, metric.gain_from)[0])
    if len(level) and level.max() > top:
        raise UsageError(
            f"{metric}: a grade is above max_grade; set max_grade to the highest grade of the scale."
        )
    return top


def ideal_divisors(best: Ranked, metric: Any, scale: Scale, grade_max: float | None) -> np.ndarray:
    """Return a metric's divisors (``metric.divisors``) from the ideal lists and the judgements."""
    return metric.divisors(best, Context(scale, grade_max))


@definition
class OnScale(QueryMetric):
    """A metric that may depend on the highest grade of the scale, which ``max_grade`` can set."""

    def is_scaled(self) -> bool:
        """Whether the value depends on the highest grade."""
        return True

    def bounded(self) -> Bounded:
        """None if the scale ends at the highest grade of each query."""
        is_own = self.is_scaled() and self.max_grade == "query"  # type: ignore[attr-defined]
        return OWN_TOP if is_own else super().bounded()

    def needed(self) -> frozenset[str]:
        """The highest grade of the judgements, if it matters and is not given."""
        asked = self.is_scaled() and self.max_grade is None  # type: ignore[attr-defined]
        return frozenset({"grade_max"} if asked else ())

    def broken_laws(self) -> dict[str, str]:
        """The highest grade of all judgements sets the scale, unless it is given."""
        if not self.needed():
            return super().broken_laws()
        return super().broken_laws() | {
            "judgements are apart": "the highest grade of all judgements sets the scale"
        }


@definition
class OfRelevance(ListMetric):
    """A mean over the rows of a list with discounted ranks; rows can be weighted by their relevance.

    Σ_r disc(r) · rel(i_r) · value(i_r) / Σ_r disc(r): the divisor does not depend on relevance.
    """

    discount: Literal["log2p1", "none", "reciprocal"] = "log2p1"
    relevance: Literal["none", "binary", "graded"] = "none"
    rel: float | None = None
    max_grade: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    @property
    def judgements(self) -> bool:  # type: ignore[override]
        """Whether relevance is used."""
        return self.relevance != "none"

    def applies(self, parameter: str) -> bool:
        """``rel``, ``max_grade`` and ``gain_from`` apply only with relevance."""
        is_graded = self.relevance == "graded"
        allowed = {
            "rel": self.judgements,
            "max_grade": is_graded,
            "gain_from": is_graded and self.gain_from == "raw",
        }
        return allowed.get(parameter, True)

    def needed(self) -> frozenset[str]:
        """The highest grade of the judgements, if it matters and is not given."""
        is_scaled = self.relevance == "graded" and self.max_grade is None
        return super().needed() | (frozenset({"grade_max"}) if is_scaled else frozenset())

    def broken_laws(self) -> dict[str, str]:
        """The highest grade of all judgements sets the scale, unless it is given."""
        law = {"judgements are apart": "the highest grade of all judgements sets the scale"}
        return super().broken_laws() | (law if "grade_max" in self.needed() else {})

    def mean(self, rows: Ranked, values: np.ndarray, context: Context) -> np.ndarray:
        """Return the mean of the values of each query's rows; NaN without rows."""
        weights = discount(self.discount, 2.0, rows.rank)
        return ratio(rows.sum(weights * self._wanted(rows, context) * values), rows.sum(weights))

    def _wanted(self, rows: Ranked, context: Context) -> np.ndarray:
        """The relevance of each row, 0 to 1."""
        if self.relevance == "none":
            return np.ones(len(rows))
        if self.relevance == "binary":
            return context.scale.relevant(rows.grade, self.rel).astype(np.float64)
        level = np.fmax(context.scale.level(rows.grade, self.rel, self.gain_from), 0.0)
        top = top_level(self, level[level > 0], context)
        return exp2_share(level, max(top, 0.0))


@record(eq=False)
class Ideals:
    """The ideal lists of a batch's queries: their lengths and running totals, computed once for all runs."""

    counts: np.ndarray
    starts: np.ndarray
    totals: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(
        cls, metric: Any, judged: Judged, context: Context, weigh: Callable[[Ranked, np.ndarray], np.ndarray]
    ) -> Ideals:
        """Return the ideal lists of a metric, with weighted gains."""
        counts, starts, totals, sums = judged.pool.once(_ideal_columns, Gain.of(metric), context.scale, weigh)
        return cls(counts[judged.pool_row], starts[judged.pool_row], totals, sums[judged.pool_row])

    def until(self, query: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Return running totals at some ranks of some queries; beyond the end, the last total."""
        counts = self.counts[query]
        return np.where(counts > 0, self.totals[self.starts[query] + np.minimum(place, counts) - 1], 0.0)

    def whole(self) -> np.ndarray:
        """Return the total of each list."""
        return self.until(np.arange(len(self.counts)), self.counts)


def _ideal_columns(
    pool: Pool, gain: Gain, scale: Scale, weigh: Callable[[Ranked, np.ndarray], np.ndarray]
) -> tuple[np.ndarray, ...]:
    best, gains = best_first(gain, pool.ideal, scale)
    counts = best.count()
    columns = counts, np.cumsum(counts) - counts, best.running(weigh(best, gains)), best.sum(gains)
    return tuple(
        np.append(column, 0) for column in columns
    )  # the last entry, -1, is for queries without judgements
