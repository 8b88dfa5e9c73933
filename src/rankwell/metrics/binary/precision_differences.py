"""Bounds of the difference of two average precisions under unjudged items.

The sum of precisions is Σ_i x_i/r_i + Σ_{i above j} x_i x_j/r_j, with x = 1 for relevant items: a quadratic function of what the
judges say. So is the difference of two lists. An unjudged item whose every possible contribution has one sign is decided; if at
most ``MOST`` others are left, all their values are tried, else a product counts half for either item where it helps, which
is an outer bound. Of more than ``LARGE`` items, each list is bounded by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.matching.context import Context
from rankwell.metrics.bounds import DifferenceBounds
from rankwell.metrics.differences import divided, divisors

if TYPE_CHECKING:
    from rankwell.matching.unjudged import Both

MOST, LARGE = 20, 600
FAR = np.inf  # the rank of an item that a list does not hold


def difference_bounds(metric: Any, both: Both, context: Context) -> DifferenceBounds:
    """Return the bounds of the difference of AP, whose divisor is the same for both lists."""
    items, n = both.items, len(both.items)
    ranks = np.stack([_within(each.ranks, metric.k) for each in both])
    relevant = items.scale.relevant(items.grade, metric.rel)
    can_be = items.scale.relevant(items.grades, metric.rel).any()
    least, most = np.zeros((2, n))
    is_exact = np.ones(n, np.bool_)
    matters = np.isfinite(ranks).any(axis=0)
    is_free = np.isnan(items.grade) & bool(can_be) & matters
    for query in range(n):
        rows = slice(*items.pool.offsets[query : query + 2])
        hits, free = ranks[:, rows][:, (relevant & matters)[rows]], ranks[:, rows][:, is_free[rows]]
        if free.shape[1] > LARGE:
            least[query], most[query] = _apart(hits, free)
            is_exact[query] = False
            continue
        constant, linear, pairs = _quadratic(hits, free)
        most[query], sure = _highest(linear, pairs)
        lowest, also = _highest(-linear, -pairs)
        least[query], is_exact[query] = constant - lowest, sure and also
        most[query] += constant
    # a sum for all grades that do not matter here would be a difference of 0, so bounds below rounding errors are 0
    least, most = (np.where(np.abs(each) < 1e-12, 0.0, each) for each in (least, most))
    small, _ = divisors(metric, both, context)
    least, most = (np.where(np.isnan(small), np.nan, each) for each in (least, most))
    return divided(metric, both, context, least, most, is_decided=bool(is_exact.all()))


def _within(ranks: np.ndarray, k: int | None) -> np.ndarray:
    listed = ranks > 0 if k is None else (ranks > 0) & (ranks <= k)
    return np.where(listed, ranks, FAR)


def _apart(hits: np.ndarray, free: np.ndarray) -> tuple[float, float]:
    """Return outer bounds of the difference of sums of precisions: the fewest relevant items in one list, the most in the other."""
    few = [_sum(own) for own in hits]
    many = [_sum(np.concatenate(pair)) for pair in zip(hits, free, strict=True)]
    return few[0] - many[1], many[0] - few[1]


def _sum(ranks: np.ndarray) -> float:
    """Return the sum of the precisions at some ranks."""
    return float(np.sum(np.arange(1, len(ranks) + 1) / np.sort(ranks)))


def _quadratic(hits: np.ndarray, free: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the difference of sums of precisions as constant + Σ linear_i x_i + Σ_{i<j} pairs_ij x_i x_j; ranks of either list."""
    sign = np.array([1.0, -1.0])
    constant = _sum(hits[0]) - _sum(hits[1])
    alone = sign @ (1.0 / free)
    with_hits = np.einsum("s,sij->i", sign, 1.0 / np.maximum(free[:, :, None], hits[:, None, :]))
    pairs = np.einsum("s,sij->ij", sign, 1.0 / np.maximum(free[:, :, None], free[:, None, :]))
    np.fill_diagonal(pairs, 0.0)
    return constant, alone + with_hits, pairs


def _highest(linear: np.ndarray, pairs: np.ndarray) -> tuple[float, bool]:
    """Return the highest value of Σ linear_i x_i + Σ_{i<j} pairs_ij x_i x_j over x of 0 and 1, and whether it is exact."""
    total = 0.0
    while len(linear):
        out = linear + np.maximum(pairs, 0.0).sum(axis=1) <= 0
        sure = ~out & (linear + np.minimum(pairs, 0.0).sum(axis=1) >= 0)
        if not (out | sure).any():
            break
        # sure items count, with each other and with those that are left
        total += float(linear[sure].sum() + pairs[np.ix_(sure, sure)].sum() / 2)
        left = ~(out | sure)
        linear = linear[left] + pairs[np.ix_(left, sure)].sum(axis=1)
        pairs = pairs[np.ix_(left, left)]
    if len(linear) <= MOST:
        return total + _tried(linear, pairs), True
    return total + float(np.maximum(linear + np.maximum(pairs, 0.0).sum(axis=1) / 2, 0.0).sum()), False


def _tried(linear: np.ndarray, pairs: np.ndarray) -> float:
    """Return the highest value, trying all values of all items."""
    values = np.zeros(1)
    for at in range(len(linear)):
        beside = np.zeros(1)
        for other in range(at):
            beside = np.concatenate([beside, beside + pairs[at, other]])
        values = np.concatenate([values, values + linear[at] + beside])
    return float(values.max())
