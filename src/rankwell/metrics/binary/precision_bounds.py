"""Bounds of average precision under unjudged items.

With j relevant ones among the unjudged items of a list, the sum of precisions is highest if they are its j first ones,
and lowest if they are its j last ones. So the bounds are the best and the worst of as many sums as there are numbers j.
"""

from __future__ import annotations

import numpy as np

from rankwell.matching.unjudged import Unjudged
from rankwell.metrics.bounds import Ends
from rankwell.tables.csr import offsets_of
from rankwell.tables.ranked import Ranked, ratio

NO_MORE = np.iinfo(np.int64).max


def bounds(unjudged: Unjudged, rel: float | None, k: int | None, denom: str) -> Ends:
    """Return the lowest and the highest AP of each query, NaN where no grades make it defined."""
    scale, n = unjudged.scale, len(unjudged)
    relevant = np.bincount(unjudged.query[scale.relevant(unjudged.grade, rel)], minlength=n)
    can_be = bool(scale.relevant(unjudged.grades, rel).any())
    hits = unjudged.rows.where(scale.relevant(unjudged.rows.grade, rel)).top(k)
    if not can_be:
        value = ratio(_sums(hits), _divisor(denom, relevant, hits.count(), unjudged, k))
        return value, value
    free = unjudged.free.top(k)
    above, below = _neighbours(hits, free)
    sums, found, m = _sums(hits), hits.count(), free.count()

    # down to each unjudged item, all are relevant: each has those above it, and adds to the precision at hits below it
    nth = free.nth()
    most = sums[free.query] + free.running((above + nth) / free.rank + below)
    # from each unjudged item down, all are relevant
    after = _from_end(free, 1.0 / free.rank) - 1.0 / free.rank
    least = sums[free.query] + _from_end(free, (above + 1) / free.rank + below + after)

    def values(
        sum_: np.ndarray, query: np.ndarray, more: np.ndarray, outside: np.ndarray | int
    ) -> np.ndarray:
        """The values after ``more`` items within k, and others ``outside``, became relevant."""
        r = relevant[query] + more + outside
        return ratio(sum_, _divisor(denom, r, found[query] + more, unjudged, k, query))

    every = np.arange(n)
    others = (
        unjudged.free.count() - m + (unjudged.has_outside() if unjudged.outside is None else unjudged.outside)
    )
    high, low = (
        values(sums, every, np.zeros(n, np.int64), 0),
        values(sums, every, np.zeros(n, np.int64), others),
    )
    np.fmax.at(high, free.query, values(most, free.query, nth, 0))
    np.fmin.at(low, free.query, values(least, free.query, m[free.query] - nth + 1, others[free.query]))
    return low, np.where(np.isnan(high), low, high)


def _divisor(
    denom: str,
    r: np.ndarray,
    hits: np.ndarray,
    unjudged: Unjudged,
    k: int | None,
    query: np.ndarray | None = None,
) -> np.ndarray:
    """Return what AP is divided by, given R and the number of hits within k; 0 where AP is undefined."""
    last = NO_MORE if k is None else k
    if denom == "min_rk":
        below = np.minimum(r, last)
    elif denom == "hits":
        below = np.maximum(hits, 1)
    elif denom == "k":
        below = np.full(len(r), last)
    elif denom == "min_rn":
        shown = unjudged.rows.top(k).count()
        below = np.maximum(np.minimum(r, shown if query is None else shown[query]), 1)
    else:
        below = r
    return np.where(r > 0, below, 0)


def _sums(hits: Ranked) -> np.ndarray:
    return hits.sum(hits.nth() / hits.rank)


def _neighbours(hits: Ranked, free: Ranked) -> tuple[np.ndarray, np.ndarray]:
    """Return for each unjudged row the number of hits above it, and the sum of 1/rank over the hits below it."""
    width = int(max(hits.rank.max(initial=0), free.rank.max(initial=0))) + 1
    starts = offsets_of(hits.count())
    place = np.searchsorted(hits.query * width + hits.rank, free.query * width + free.rank)
    left = np.append(_from_end(hits, 1.0 / hits.rank), 0.0)
    return place - starts[free.query], np.where(place < starts[free.query + 1], left[place], 0.0)


def _from_end(rows: Ranked, values: np.ndarray) -> np.ndarray:
    """Return for each row the sum of ``values`` over the rows of its query from it down."""
    back = Ranked(rows.queries, rows.queries - 1 - rows.query[::-1], rows.rank[::-1], rows.grade)
    return back.running(values[::-1])[::-1]
