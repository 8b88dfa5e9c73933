"""Bounds of the difference of two lists under unjudged items, jointly: a grade counts in both lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.metrics.bounds import DifferenceBounds, HasBounds
from rankwell.tables.ranked import Ranked

if TYPE_CHECKING:
    from rankwell.judge.context import Context
    from rankwell.judge.unjudged_pair import Both


def of_sums(metric: Any, both: Both, context: Context) -> DifferenceBounds:
    """Return the bounds of a metric that sums worth × weight and divides by the same number for both lists."""
    scale = both.lists[0].context(context)
    weight = _weights(metric, both.first) - _weights(metric, both.second)
    known = np.flatnonzero(~np.isnan(both.grade))
    sums = _by_query(both, known, metric.worth(_graded(both.grade[known]), scale) * weight[known])
    worths = metric.worth(_graded(both.grades), scale)
    worst, best = min(float(worths.min()), 0.0), max(float(worths.max()), 0.0)  # 0 where it stays unjudged
    ends = np.stack([worst * weight[both.free], best * weight[both.free]])
    least = sums + _by_query(both, both.free, ends.min(axis=0))
    most = sums + _by_query(both, both.free, ends.max(axis=0))
    return divided(metric, both, context, least, most, is_decided=True)


def divided(
    metric: Any, both: Both, context: Context, least: np.ndarray, most: np.ndarray, *, is_decided: bool
) -> DifferenceBounds:
    """Return bounds of a difference from those of its numerator, and the least and the greatest divisor."""
    small, large = divisors(metric, both, context)
    low = np.divide(least, np.where(least < 0, small, large))
    high = np.divide(most, np.where(most > 0, small, large))
    if is_decided and np.array_equal(small, large, equal_nan=True):
        return DifferenceBounds(least, most, low, high, is_decided, is_exact=True)
    outer = HasBounds.difference_bounds(metric, both, context)
    low, high = np.fmax(low, outer.low), np.fmin(high, outer.high)
    return DifferenceBounds(least, most, low, high, is_decided, is_exact=False)


def divisors(metric: Any, both: Both, context: Context) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest divisor of each query that is defined as judged; NaN for others."""
    one = both.lists[0]
    context = one.context(context)
    _, highest = metric.ends(one.grades, context)
    small = np.asarray(metric.divisor(one.completed(np.nan, np.nan), context), np.float64)
    large = np.asarray(metric.divisor(one.completed(highest, highest, highest), context), np.float64)
    is_defined = small > 0
    return np.where(is_defined, small, np.nan), np.where(is_defined, large, np.nan)


def of_first(metric: Any, both: Both, of_rank: Callable[[np.ndarray], np.ndarray]) -> DifferenceBounds:
    """Return the bounds of a metric of the first relevant item: no more than one unjudged item needs to be relevant."""
    scale = both.lists[0].scale
    relevant = np.flatnonzero(scale.relevant(both.grade, metric.rel))
    is_defined = np.bincount(both.query[relevant], minlength=len(both)) > 0
    firsts = []
    for ranks in (both.first, both.second):
        best = np.zeros(len(both))
        np.maximum.at(best, both.query[relevant], of_rank(ranks[relevant]))
        firsts.append(best)
    now = firsts[0] - firsts[1]
    least, most = now.copy(), now.copy()
    if scale.relevant(both.grades, metric.rel).any():
        query = both.query[both.free]
        one, other = (
            np.maximum(best[query], of_rank(ranks[both.free]))
            for best, ranks in zip(firsts, (both.first, both.second), strict=True)
        )
        np.minimum.at(least, query, one - other)
        np.maximum.at(most, query, one - other)
    least, most = (np.where(is_defined, each, np.nan) for each in (least, most))
    return DifferenceBounds(least, most, least, most, is_decided=True, is_exact=True)


def _weights(metric: Any, ranks: np.ndarray) -> np.ndarray:
    """Return the weight of each item in a list, 0 where it is not within k."""
    listed = ranks > 0 if metric.k is None else (ranks > 0) & (ranks <= metric.k)
    weights = np.zeros(len(ranks))
    weights[listed] = metric.weights_of(ranks[listed])
    return weights


def _graded(grades: np.ndarray) -> Ranked:
    return Ranked(1, np.zeros(len(grades), np.int64), np.arange(1, len(grades) + 1), grades)


def _by_query(both: Both, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.bincount(both.query[rows], weights=values, minlength=len(both))
