"""Bounds under unjudged items: how far judging them could move the values of a metric, or the difference of two lists, jointly, and whether this is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from rankwell.tables.lists import Ranked, distinct

if TYPE_CHECKING:
    from rankwell.matching.batch import Context
    from rankwell.matching.holes import Both, PoolSide, Unjudged


Ends = tuple[np.ndarray, np.ndarray]


class Bounded(NamedTuple):
    """Whether a metric has bounds: exact ones, proven outer ones, or none, and why.

    ``reads_pool``: the lower bound depends on how many relevant items a query can have, so it needs a stated pool.
    """

    kind: Literal["exact", "outer", "none"] = "exact"
    reads_pool: bool = False
    why: str = ""


class DifferenceBounds(NamedTuple):
    """The lowest and the highest difference of each query over all grades of its unjudged items.

    ``least`` and ``most`` bound a number that has the sign of the difference. ``is_decided`` says that they are exact, so that
    a sign is sure where they agree, and undecided where not; ``is_exact`` says that ``low`` and ``high`` are.
    """

    least: np.ndarray
    most: np.ndarray
    low: np.ndarray
    high: np.ndarray
    is_decided: bool
    is_exact: bool


EXACT, FREE_R = Bounded(), Bounded(reads_pool=True)
UNKNOWN = Bounded("none", why="no bounds are known for this metric")
NO_JUDGEMENTS = Bounded("none", why="it reads no judgements")
WHOLE = Bounded("none", why="it has one value for all lists")
RISES = Bounded("none", why="its discount rises with the rank")
LOSSES = Bounded("none", why="its table holds negative gains")
OWN_LENGTH = Bounded("none", why="its ideal list is no longer than the list")
OWN_TOP = Bounded("none", why="its scale ends at the highest grade of each query, which judging could raise")


class HasBounds:
    """What a metric of queries says of its bounds under unjudged items.

    A metric that ``rises`` is lowered by no higher grade within k, and raised by no other grade: its bounds are two evaluations.
    """

    rises: ClassVar[bool] = False

    def bounded(self: Any) -> Bounded:
        """Whether bounds under unjudged items are known, and of what kind."""
        if not self.judgements:
            return NO_JUDGEMENTS
        return EXACT if self.rises else UNKNOWN

    def ends(self, grades: np.ndarray, context: Context) -> tuple[float, float]:
        """Return the grades of a scale (lowest first) that add least and most to the value."""
        return float(grades[0]), float(grades[-1])

    def bounds(self: Any, unjudged: Unjudged, context: Context) -> Ends:
        """Return the lowest and the highest value of each query over all grades of its unjudged items.

        NaN where no grades make the metric defined. Lowest: unjudged items within k get the lowest grade, all others the
        highest. Highest: the reverse. Where only items within k can make a query defined, one of them must be relevant,
        which adds least at the last rank.
        """
        lowest, highest = self.ends(unjudged.grades, context)
        context = unjudged.context(context)
        low = self.per_query(unjudged.completed(lowest, highest, highest, self.k), context)
        high = self.per_query(unjudged.completed(highest, lowest, k=self.k), context)
        high = np.where(np.isnan(high), low, high)
        # undefined at the low end, defined after some grade: the last unjudged item, where a gain adds least, gets each in turn
        left = np.flatnonzero(np.isnan(low) & ~np.isnan(high))
        if len(left):
            few = unjudged.of_queries(left)
            for grade in unjudged.grades:
                low[left] = np.fmin(low[left], self.per_query(few.last_only(float(grade), lowest), context))
        return low, high

    def has_common_divisor(self) -> bool:
        """Whether the values of two lists are divided by the same number, so that the sign of their difference ignores it."""
        return False

    def difference_bounds(self: Any, both: Both, context: Context) -> DifferenceBounds:
        """Return the bounds of the difference of two lists, first less second, whose unjudged items are the same ones.

        By default each list is bounded by itself, which gives outer bounds.
        """
        (low, high), (lowest, highest) = (each.once(_ends_of, self, context) for each in both)
        least, most = low - highest, high - lowest
        return DifferenceBounds(least, most, least, most, is_decided=False, is_exact=False)


def _ends_of(side: PoolSide, metric: Any, context: Context) -> Ends:
    found: Ends = metric.bounds(side.unjudged, context)
    return found


def of_sums(metric: Any, both: Both, context: Context) -> DifferenceBounds:
    """Return the bounds of a metric that sums worth × weight and divides by the same number for both lists."""
    items = both.items
    scale = items.context(context)
    rows, weight = _differing(*(each.once(_weights, metric) for each in both))
    grade = items.grade[rows]
    is_free = np.isnan(grade)
    known, free = rows[~is_free], rows[is_free]
    sums = _by_query(both, known, metric.worth(_graded(grade[~is_free]), scale) * weight[~is_free])
    worths = metric.worth(_graded(items.grades), scale)
    worst, best = min(float(worths.min()), 0.0), max(float(worths.max()), 0.0)  # 0 where it stays unjudged
    # each unjudged item moves the sum by its own term alone, so the least and the greatest sum take each at its own end
    ends = np.stack([worst * weight[is_free], best * weight[is_free]])
    least = sums + _by_query(both, free, ends.min(axis=0))
    most = sums + _by_query(both, free, ends.max(axis=0))
    return divide_bounds(metric, both, context, least, most, is_decided=True)


def divide_bounds(
    metric: Any, both: Both, context: Context, least: np.ndarray, most: np.ndarray, *, is_decided: bool
) -> DifferenceBounds:
    """Return bounds of a difference from those of its numerator, and the least and the greatest divisor."""
    small, large = divisors(metric, both, context)
    # a negative numerator is lowest over the least divisor, a positive one over the greatest
    low = np.divide(least, np.where(least < 0, small, large))
    high = np.divide(most, np.where(most > 0, small, large))
    if is_decided and np.array_equal(small, large, equal_nan=True):
        return DifferenceBounds(least, most, low, high, is_decided, is_exact=True)
    # the numerator's end and the divisor's may need different grades, so both ways hold and the narrower one is taken
    outer = HasBounds.difference_bounds(metric, both, context)
    low, high = np.fmax(low, outer.low), np.fmin(high, outer.high)
    return DifferenceBounds(least, most, low, high, is_decided, is_exact=False)


def divisors(metric: Any, both: Both, context: Context) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest divisor of each query that is defined as judged; NaN for others."""
    return both.first.once(_divisors, metric, context)


def _divisors(side: PoolSide, metric: Any, context: Context) -> tuple[np.ndarray, np.ndarray]:
    one = side.unjudged
    context = one.context(context)
    _, highest = metric.ends(one.grades, context)
    small = np.asarray(metric.divisor(one.completed(np.nan, np.nan), context), np.float64)
    large = np.asarray(metric.divisor(one.completed(highest, highest, highest), context), np.float64)
    is_defined = small > 0
    return np.where(is_defined, small, np.nan), np.where(is_defined, large, np.nan)


def of_first(metric: Any, both: Both, of_rank: Callable[[np.ndarray], np.ndarray]) -> DifferenceBounds:
    """Return the bounds of a metric of the first relevant item: no more than one unjudged item needs to be relevant."""
    items, n = both.items, len(both.items)
    relevant = np.flatnonzero(items.scale.relevant(items.grade, metric.rel))
    is_defined = np.bincount(items.query[relevant], minlength=n) > 0
    firsts = []
    for each in both:
        best = np.zeros(n)
        np.maximum.at(best, items.query[relevant], of_rank(each.ranks[relevant]))
        firsts.append(best)
    # an item moves a list only by becoming its first hit: a second one behind it changes nothing, a better one alone does more
    now = firsts[0] - firsts[1]
    least, most = now.copy(), now.copy()
    if items.scale.relevant(items.grades, metric.rel).any():
        query = items.query[items.free]
        one, other = (
            np.maximum(best[query], of_rank(each.ranks[items.free]))
            for best, each in zip(firsts, both, strict=True)
        )
        np.minimum.at(least, query, one - other)
        np.maximum.at(most, query, one - other)
    least, most = (np.where(is_defined, each, np.nan) for each in (least, most))
    return DifferenceBounds(least, most, least, most, is_decided=True, is_exact=True)


def _weights(side: PoolSide, metric: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the items that a run lists within k, and the weight of each."""
    rows = side.within(metric.k)
    return rows, metric.weights_of(side.ranks[rows])


def _differing(
    first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that have a weight in either of two runs, and the weight in the first less that in the second."""
    rows = distinct(np.concatenate([first[0], second[0]]))
    weight = np.zeros(len(rows))
    weight[np.searchsorted(rows, first[0])] = first[1]
    weight[np.searchsorted(rows, second[0])] -= second[1]
    return rows, weight


def _graded(grades: np.ndarray) -> Ranked:
    return Ranked(1, np.zeros(len(grades), np.int64), np.arange(1, len(grades) + 1), grades)


def _by_query(both: Both, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.bincount(both.items.query[rows], weights=values, minlength=len(both.items))
