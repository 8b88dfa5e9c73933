"""Equal scores: the best and the worst order of tied items, and which queries they could change; condensed lists."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankwell.hits import Judged, Scale
from rankwell.ranked import NO_ROWS, Ranked


def _tied(found: Ranked) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows in tie groups of two or more items, and where each group begins among them."""
    assert found.tie_size is not None
    assert found.tie_start is not None
    rows = np.flatnonzero(found.tie_size > 1)
    query, start = found.query[rows], found.tie_start[rows]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (query[1:] != query[:-1]) | (start[1:] != start[:-1])
    return rows, np.flatnonzero(fresh)


def levels(grades: np.ndarray, scale: Scale) -> np.ndarray:
    """Return the grades that order a tie group: unjudged counts as 0."""
    return np.where(scale.judged(grades), grades, 0.0)


def undecided(found: Ranked, scale: Scale) -> np.ndarray:
    """Return the queries with a group of equal scores in which items differ in their grade (unjudged is 0)."""
    assert found.tie_size is not None
    if found.tie_size.max(initial=1) == 1:
        return NO_ROWS
    rows, firsts = _tied(found)
    level = levels(found.grade[rows], scale)
    high, low = np.maximum.reduceat(level, firsts), np.minimum.reduceat(level, firsts)
    all_judged = np.diff(np.append(firsts, len(rows))) == found.tie_size[rows[firsts]]
    differ = (high != low) | (~all_judged & (high != 0))
    return np.unique(found.query[rows[firsts[differ]]])


def reordered(found: Ranked, how: Literal["best", "worst"], scale: Scale) -> Ranked:
    """Return the hits with tied groups ordered by grade, best or worst first; equal grades keep their order."""
    rows, firsts = _tied(found)
    if not len(rows):
        return found
    assert found.tie_size is not None
    assert found.tie_start is not None
    sizes = np.diff(np.append(firsts, len(rows)))
    group = np.repeat(np.arange(len(firsts)), sizes)
    level = levels(found.grade[rows], scale) * (1.0 if how == "best" else -1.0)
    start, width, old = found.tie_start[rows], found.tie_size[rows], found.rank[rows]

    def counts(mask: np.ndarray) -> np.ndarray:
        return np.bincount(group[mask], minlength=len(firsts))[group]

    def place(mask: np.ndarray) -> np.ndarray:
        """Each row's place among the masked rows of its group, in the order of the level."""
        chosen = np.flatnonzero(mask)
        chosen = chosen[np.lexsort((old[chosen], -level[chosen], group[chosen]))]
        heads = np.searchsorted(group[chosen], group[chosen])
        out = np.zeros(len(rows), np.int64)
        out[chosen] = np.arange(len(chosen)) - heads
        return out

    above, below = level > 0, level < 0
    # rows of level 0 share their place with unjudged ones: they move by the others that stood before them
    others = np.concatenate(([0], np.cumsum(above | below)))
    before = others[:-1] - others[firsts][group]
    middle = old - start - before + counts(above)
    new = np.where(above, place(above), np.where(below, width - counts(below) + place(below), middle)) + start
    rank = found.rank.copy()
    rank[rows] = new
    order = np.lexsort((rank, found.query))
    moved = found.where(order)
    return Ranked(
        found.queries,
        moved.query,
        rank[order],
        moved.grade,
        score=moved.score,
        tie_start=moved.tie_start,
        tie_size=moved.tie_size,
    )


def condensed(judged: Judged) -> Judged:
    """Return the lists without their unjudged items: ranks, cut-offs and lengths count judged ones only."""
    found = judged.found.where(judged.scale.judged(judged.found.grade))
    lengths = found.count()
    found.rank = found.nth()
    return judged.with_found(found, lengths)
