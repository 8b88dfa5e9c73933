"""Bounds of the difference of two lists under unjudged items, jointly: a grade counts in both lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.metrics.bounds import DifferenceBounds, HasBounds
from rankwell.tables.lists import Ranked, distinct

if TYPE_CHECKING:
    from rankwell.matching.batch import Context
    from rankwell.matching.unjudged import Both, PoolSide


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
