"""Tied scores: best and worst orders, and expected values over all orders; condensed lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankwell.judge.judged import Judged
from rankwell.judge.scale import Scale
from rankwell.tables.csr import offsets_of, owners_of, places_of
from rankwell.tables.ranked import NO_ROWS, Ranked


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
    """Return the grades that order a tie group; unjudged items count as 0."""
    return np.where(scale.judged(grades), grades, 0.0)


def undecided(found: Ranked, scale: Scale) -> np.ndarray:
    """Return the queries with a group of tied scores whose items differ in grade (unjudged is 0)."""
    assert found.tie_size is not None
    if found.tie_size.max(initial=1) == 1:
        return NO_ROWS
    rows, firsts = _tied(found)
    level = levels(found.grade[rows], scale)
    high, low = np.maximum.reduceat(level, firsts), np.minimum.reduceat(level, firsts)
    all_judged = np.diff(np.append(firsts, len(rows))) == found.tie_size[rows[firsts]]
    differ = (high != low) | (~all_judged & (high != 0))
    return np.flatnonzero(np.bincount(found.query[rows[firsts[differ]]]))


def reordered(found: Ranked, how: Literal["best", "worst"], scale: Scale) -> Ranked:
    """Return the hits with tied groups ordered by grade, best or worst first; equal grades keep their order."""
    rows, firsts = _tied(found)
    if not len(rows):
        return found
    assert found.tie_size is not None
    assert found.tie_start is not None
    sizes = np.diff(np.append(firsts, len(rows)))
    group = owners_of(sizes)
    level = levels(found.grade[rows], scale) * (1.0 if how == "best" else -1.0)
    start, width, old = found.tie_start[rows], found.tie_size[rows], found.rank[rows]

    def counts(mask: np.ndarray) -> np.ndarray:
        return np.bincount(group[mask], minlength=len(firsts))[group]

    def place(mask: np.ndarray) -> np.ndarray:
        """Each row's position among the masked rows of its group, ordered by level."""
        chosen = np.flatnonzero(mask)
        chosen = chosen[np.lexsort((old[chosen], -level[chosen], group[chosen]))]
        heads = np.searchsorted(group[chosen], group[chosen])
        out = np.zeros(len(rows), np.int64)
        out[chosen] = np.arange(len(chosen)) - heads
        return out

    above, below = level > 0, level < 0
    # rows of level 0 mix with unjudged ones: they move up by the other rows that preceded them
    others = offsets_of(above | below)
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
        pool_row=moved.pool_row,
    )


def condensed(judged: Judged) -> Judged:
    """Return the lists without their unjudged items: ranks, cut-offs and lengths count judged items only."""
    found = judged.found.where(judged.scale.judged(judged.found.grade))
    lengths = found.count()
    found.rank, found.place = found.nth(), None
    if found.tie_start is not None and len(found):
        groups = Groups.of(found)
        found.tie_start, found.tie_size = (
            column[groups.of_row] for column in (groups.first_rank, groups.rows)
        )
    made = judged.with_found(found, lengths)
    made.is_condensed = True
    return made


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows grouped by tied scores: each group's query, ranks and number of rows.

    ``first_rank`` is the rank of the first row, ``start`` and ``size`` are those of the group in the whole list, ``before`` is
    the number of the query's rows above the group, ``of_row`` is the group of each row.
    """

    query: np.ndarray
    first_rank: np.ndarray
    start: np.ndarray
    size: np.ndarray
    rows: np.ndarray
    before: np.ndarray
    of_row: np.ndarray

    @classmethod
    def of(cls, rows: Ranked) -> Groups:
        """Return the groups of some rows, best first."""
        assert rows.tie_start is not None
        assert rows.tie_size is not None
        fresh = np.ones(len(rows), np.bool_)
        fresh[1:] = (rows.query[1:] != rows.query[:-1]) | (rows.tie_start[1:] != rows.tie_start[:-1])
        firsts = np.flatnonzero(fresh)
        count = np.diff(np.append(firsts, len(rows)))
        return cls(
            rows.query[firsts],
            rows.rank[firsts],
            rows.tie_start[firsts],
            rows.tie_size[firsts],
            count,
            rows.nth()[firsts] - 1,
            np.cumsum(fresh) - 1,
        )

    def within(self, k: int | None) -> np.ndarray:
        """Return the number of each group's ranks within the first k."""
        return self.size if k is None else np.clip(k - self.start + 1, 0, self.size)


def chance_of_a_hit(hits: Ranked, k: int) -> np.ndarray:
    """Return per query the probability that a hit is within the first k, over all orders of tied scores."""
    groups = Groups.of(hits)
    shown, size, rows = groups.within(k), groups.size, groups.rows
    miss = np.where(shown == 0, 1.0, 0.0)
    split = np.flatnonzero((shown > 0) & (shown < size))
    chance = np.ones(len(split))
    for taken in range(int(rows[split].max(initial=0))):
        more = rows[split] > taken
        left = (size - shown)[split][more] - taken
        chance[more] *= np.maximum(left, 0) / (size[split][more] - taken)
    miss[split] = chance
    none = np.ones(hits.queries)
    np.multiply.at(none, groups.query, miss)
    return 1.0 - none


def expected_precisions(hits: Ranked, k: int | None) -> np.ndarray:
    """Return per query the expected sum of the precisions at the hits within k, over all orders of tied scores."""
    groups = Groups.of(hits)
    shown = groups.within(k)
    group = owners_of(shown)
    place = places_of(shown)
    size, rows = groups.size[group], groups.rows[group]
    others = (place - 1) * (rows - 1) / np.maximum(size - 1, 1)
    value = rows / size * (groups.before[group] + 1 + others) / (groups.start[group] - 1 + place)
    return np.bincount(groups.query[group], weights=value, minlength=hits.queries)


def expected_reciprocal(hits: Ranked, k: int | None) -> np.ndarray:
    """Return per query the expected 1 / rank of the first hit over all orders of tied scores; 0 beyond k."""
    groups = Groups.of(hits)
    first = np.flatnonzero(groups.before == 0)
    query, start, size, rows = (
        column[first] for column in (groups.query, groups.start, groups.size, groups.rows)
    )
    shown = groups.within(k)[first]
    out = np.zeros(hits.queries)
    chance = rows / size  # that the first hit is at the first rank of its group
    for place in range(1, int(shown.max(initial=0)) + 1):
        now = shown >= place
        query, start, size, rows, shown, chance = (
            column[now] for column in (query, start, size, rows, shown, chance)
        )
        out[query] += chance / (start - 1 + place)
        chance = chance * np.maximum(size - place - rows + 1, 0) / np.maximum(size - place, 1)
    return out
