"""Tied scores: best and worst orders, and expected values over all orders; condensed lists."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from rankwell.kernels import rank_columns
from rankwell.matching.batch import Judged, Ties
from rankwell.matching.scale import Scale
from rankwell.tables.lists import Ranked, offsets_of, owners_of, places_of


def levels(grades: np.ndarray, scale: Scale) -> np.ndarray:
    """Return the grades that order a tie group; unjudged items count as 0."""
    return np.where(scale.judged(grades), grades, 0.0)


def undecided_queries(hits: Ranked, ties: Ties, scale: Scale) -> np.ndarray:
    """Return the queries with a group of tied scores whose items differ in grade (unjudged is 0)."""
    return rank_columns.undecided(hits.queries, hits.query, *ties, hits.grade, scale.lowest)


def break_ties(hits: Ranked, ties: Ties, how: Literal["best", "worst"], scale: Scale) -> tuple[Ranked, Ties]:
    """Return the hits with their ties broken by grade, so that none are left."""
    hits.tie_start, hits.tie_size = ties  # the hits have been made without them
    hits = reorder_ties(hits, how, scale)
    hits.tie_start = hits.tie_size = None
    return hits, (hits.rank, np.ones_like(hits.rank))


def reorder_ties(hits: Ranked, how: Literal["best", "worst"], scale: Scale) -> Ranked:
    """Return the hits with tied groups ordered by grade, best or worst first; equal grades keep their order."""
    rows, firsts = _rows_in_groups(hits)
    if not len(rows):
        return hits
    assert hits.tie_size is not None
    assert hits.tie_start is not None
    level = levels(hits.grade[rows], scale) * (1.0 if how == "best" else -1.0)
    new = ranks_by_level(level, firsts, hits.tie_start[rows], hits.tie_size[rows], hits.rank[rows])
    return _move(hits, rows, np.lexsort((new, hits.tie_start[rows], hits.query[rows])), new)


def _rows_in_groups(hits: Ranked) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows in tie groups of two or more items, and where each group begins among them."""
    assert hits.tie_size is not None
    assert hits.tie_start is not None
    rows = np.flatnonzero(hits.tie_size > 1)
    query, start = hits.query[rows], hits.tie_start[rows]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (query[1:] != query[:-1]) | (start[1:] != start[:-1])
    return rows, np.flatnonzero(fresh)


def ranks_by_level(
    level: np.ndarray, firsts: np.ndarray, start: np.ndarray, width: np.ndarray, old: np.ndarray
) -> np.ndarray:
    """Return the ranks of rows of tied groups ordered by level, highest first; equal levels keep their order.

    ``firsts`` is where each group begins among the rows; ``start`` and ``width``, the first rank and the size of each row's
    group, may include unjudged items, of level 0, that are not among the rows. ``old`` holds the ranks so far, ascending.
    """
    group = owners_of(np.diff(np.append(firsts, len(level))))
    above, below = np.flatnonzero(level > 0), np.flatnonzero(level < 0)

    def counts(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(group[chosen], minlength=len(firsts))

    def place(chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows ordered by level in each group, and the position of each among them."""
        chosen = chosen[np.lexsort((old[chosen], -level[chosen], group[chosen]))]
        return chosen, np.arange(len(chosen)) - np.searchsorted(group[chosen], group[chosen])

    # rows of level 0 mix with unjudged ones: they move up by the other rows that preceded them
    decided = offsets_of(level != 0)
    new = old - decided[:-1] + (decided[firsts] + counts(above))[group]
    rows, nth = place(above)
    new[rows] = start[rows] + nth
    rows, nth = place(below)
    new[rows] = start[rows] + width[rows] - counts(below)[group[rows]] + nth
    return new


def _move(hits: Ranked, rows: np.ndarray, order: np.ndarray, ranks: np.ndarray) -> Ranked:
    """The hits with some rows, whole groups of equal scores, in another order and at other ranks."""
    rank = hits.rank.copy()
    rank[rows] = ranks[order]
    other = rows[order]

    def column(values: np.ndarray) -> np.ndarray:
        values = values.copy()
        values[rows] = values[other]
        return values

    return Ranked(
        hits.queries,
        hits.query,
        rank,
        column(hits.grade),
        score=None if hits.score is None else column(hits.score),
        tie_start=hits.tie_start,
        tie_size=hits.tie_size,
        pool_row=None if hits.pool_row is None else column(hits.pool_row),
    )


def condense(judged: Judged) -> Judged:
    """Return the lists without their unjudged items: ranks, cut-offs and lengths count judged items only."""
    hits = judged.found.where(judged.scale.judged(judged.found.grade))
    lengths = hits.count()
    hits.rank, hits.place = hits.nth(), None
    if hits.tie_start is not None and len(hits):
        groups = TieGroups.of(hits)
        hits.tie_start, hits.tie_size = (column[groups.of_row] for column in (groups.first_rank, groups.rows))
    lists = judged.with_found(hits, lengths)
    lists.is_condensed = True
    return lists


class TieGroups(NamedTuple):
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
    def of(cls, rows: Ranked) -> TieGroups:
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
    groups = TieGroups.of(hits)
    within, size, rows = groups.within(k), groups.size, groups.rows
    # a group is all within k (it has a hit there for sure), all below, or split
    miss = np.where(within == 0, 1.0, 0.0)
    split = np.flatnonzero((within > 0) & (within < size))
    # Hypergeometric: hit after hit takes one of the size - shown places below k out of those left in the group. The product of
    # ratios needs no factorials, which overflow in large groups.
    chance = np.ones(len(split))
    for nth in range(int(rows[split].max(initial=0))):
        more = rows[split] > nth
        free = (size - within)[split][more] - nth
        chance[more] *= np.maximum(free, 0) / (size[split][more] - nth)  # 0: more hits than places below k
    miss[split] = chance
    none = np.ones(hits.queries)
    np.multiply.at(none, groups.query, miss)
    return 1.0 - none


def expected_precisions(hits: Ranked, k: int | None) -> np.ndarray:
    """Return per query the expected sum of the precisions at the hits within k, over all orders of tied scores."""
    groups = TieGroups.of(hits)
    within = groups.within(k)
    group = owners_of(within)
    place = places_of(within)
    size, rows = groups.size[group], groups.rows[group]
    # A hit is at each place of its group with probability rows / size; given that, each place before it has one of the other
    # rows - 1 hits with probability (rows - 1) / (size - 1). Precision is linear in the hits, so their expectation is exact.
    more_hits = (place - 1) * (rows - 1) / np.maximum(size - 1, 1)
    value = rows / size * (groups.before[group] + 1 + more_hits) / (groups.start[group] - 1 + place)
    return np.bincount(groups.query[group], weights=value, minlength=hits.queries)


def expected_reciprocal(hits: Ranked, k: int | None) -> np.ndarray:
    """Return per query the expected 1 / rank of the first hit over all orders of tied scores; 0 beyond k."""
    groups = TieGroups.of(hits)
    # the first group with a hit has the first hit in every order
    first = np.flatnonzero(groups.before == 0)
    query, start, size, rows = (
        column[first] for column in (groups.query, groups.start, groups.size, groups.rows)
    )
    within = groups.within(k)[first]
    out = np.zeros(hits.queries)
    chance = rows / size  # that the first hit is at the first rank of its group
    for place in range(1, int(within.max(initial=0)) + 1):
        now = within >= place
        query, start, size, rows, within, chance = (
            column[now] for column in (query, start, size, rows, within, chance)
        )
        out[query] += chance / (start - 1 + place)
        # from P(first hit at place) = C(size - place, rows - 1) / C(size, rows) to that of the next place
        chance = chance * np.maximum(size - place - rows + 1, 0) / np.maximum(size - place, 1)
    return out
