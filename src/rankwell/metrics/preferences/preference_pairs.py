"""Preferences between two items of a judgement group, and how many of them a list fulfils.

Of two items of a group the one with the higher grade is preferred. If both were retrieved, the preference is fulfilled if
that item is ranked above the other; if one was retrieved, if it is that item; if neither was, it is not fulfilled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching.batch import Judged
from rankwell.matching.pool import Pool
from rankwell.records import record
from rankwell.tables.lists import Topics, distinct, offsets_of, owners, spread

Pairs = Literal["all", "one", "both"]


@record(eq=False)
class PairTally:
    """Preferences per group by how many of the two items were retrieved (both, one, none), and those fulfilled."""

    both: np.ndarray
    both_fulfilled: np.ndarray
    one: np.ndarray
    one_fulfilled: np.ndarray
    none: np.ndarray

    def possible(self, pairs: Pairs) -> np.ndarray:
        """The number of preferences counted by ``pairs``."""
        found = self.both if pairs == "both" else self.both + self.one
        return found + self.none if pairs == "all" else found

    def fulfilled(self, pairs: Pairs) -> np.ndarray:
        """The number of these that are fulfilled."""
        return self.both_fulfilled if pairs == "both" else self.both_fulfilled + self.one_fulfilled

    def put(self, group: int, other: PairTally) -> None:
        """Replace the numbers of a group by those of a single group's tally."""
        for each in fields(self):
            getattr(self, each.name)[group] = getattr(other, each.name)[0]


@record(eq=False)
class GroupItems:
    """The judged items of groups: the group, level (rank of its grade, from 0), grade of each, and whether it was retrieved.

    A group's items are in list order; those not retrieved follow, the lowest level first.
    """

    groups: int
    group: np.ndarray
    level: np.ndarray
    grade: np.ndarray
    is_shown: np.ndarray

    @classmethod
    def of(cls, groups: Judged) -> GroupItems:
        """Return the items of each group of a batch."""
        scale, n = groups.scale, len(groups)
        found, best = groups.found, groups.ideal
        found = found.where(scale.judged(found.grade))
        best = best.where(scale.judged(best.grade))
        grades, level = np.unique(best.grade, return_inverse=True)
        size = max(len(grades), 1)
        keys, counts = np.unique(best.query * size + level, return_counts=True)
        own = np.searchsorted(grades, found.grade)
        # what is left of each (group, level) after the items of the list: the judged items that it lacks
        np.subtract.at(counts, np.searchsorted(keys, found.query * size + own), 1)
        left = np.repeat(keys, counts)
        group = np.concatenate((found.query, left // size))
        order = np.argsort(group, kind="stable")
        level = np.concatenate((own, left % size))[order]
        is_shown = np.arange(len(group)) < len(found)
        return cls(n, group[order], level, grades[level], is_shown[order])

    def where(self, kept: np.ndarray) -> GroupItems:
        """Return some of the items."""
        return GroupItems(
            self.groups, self.group[kept], self.level[kept], self.grade[kept], self.is_shown[kept]
        )

    def count(self, chosen: np.ndarray) -> np.ndarray:
        """Return the number of chosen items per group."""
        return np.bincount(self.group[chosen], minlength=self.groups)

    def nth(self, chosen: np.ndarray) -> np.ndarray:
        """Return for each item the number of chosen items of its group down to it."""
        until = np.cumsum(chosen)
        before = offsets_of(self.count(chosen))
        return until - before[self.group]

    def tally(self) -> PairTally:
        """Return the preferences of each group."""
        shown, hidden = self.where(self.is_shown), self.where(~self.is_shown)
        both, none, whole = shown.unlike(), hidden.unlike(), self.unlike()
        both_fulfilled = shown.above()
        # items not retrieved are in ascending order, so they add nothing here
        one_fulfilled = self.above() - both_fulfilled
        return PairTally(both, both_fulfilled, whole - both - none, one_fulfilled, none)

    def unlike(self) -> np.ndarray:
        """Return per group the number of item pairs on different levels."""
        # all pairs less those of equal level
        size = int(self.level.max(initial=0)) + 1
        keys, counts = np.unique(self.group * size + self.level, return_counts=True)
        n = np.bincount(self.group, minlength=self.groups)
        alike = np.zeros(self.groups, np.int64)
        np.add.at(alike, keys // size, counts * (counts - 1) // 2)
        return n * (n - 1) // 2 - alike

    def above(self) -> np.ndarray:
        """Return per group the number of item pairs whose first item is on the higher level.

        Two levels first differ in one binary digit. For each digit, from the highest, items with equal higher digits are grouped,
        and those with a 1 counted above those with a 0.
        """
        total = np.zeros(self.groups, np.int64)
        # Levels differ first at some binary digit: there the higher has a 1. Pairs are counted digit by digit among items whose
        # higher digits agree, which takes one sort per digit in place of one comparison per pair.
        digits = int(self.level.max(initial=0)).bit_length()
        for digit in range(digits - 1, -1, -1):
            block = (self.group << digits - digit - 1) + (self.level >> digit + 1)
            order = np.argsort(block, kind="stable")
            block, group = block[order], self.group[order]
            is_one = (self.level[order] >> digit & 1).astype(np.bool_)
            ones = offsets_of(is_one)
            starts = np.searchsorted(block, block)
            above = ones[:-1] - ones[starts]
            np.add.at(total, group[~is_one], above[~is_one])
        return total


@record(eq=False)
class PreferenceMatrix:
    """The preferences of one group as a matrix: ``[a, b]`` is whether a is preferred to b.

    ``rows`` are rows of the pool: first the ``shown`` retrieved ones in list order, then the others (in groups with subgroups,
    in the order of their ids).
    """

    preferred: np.ndarray
    rows: np.ndarray
    grade: np.ndarray
    shown: int

    def tally(self, kept: np.ndarray | None = None) -> PairTally:
        """Return the preferences among the ``kept`` items (None: all)."""
        preferred, shown = self.preferred, self.shown
        if kept is not None:
            preferred, shown = preferred[np.ix_(kept, kept)], int(kept[:shown].sum())
        above, below = slice(None, shown), slice(shown, None)
        one_fulfilled = preferred[above, below].sum()
        numbers = (
            preferred[above, above].sum(),
            np.triu(preferred[above, above]).sum(),
            one_fulfilled + preferred[below, above].sum(),
            one_fulfilled,
            preferred[below, below].sum(),
        )
        return PairTally(*(np.array([number], np.int64) for number in numbers))


def preference_matrices(groups: Judged, subgroups: Topics | None) -> Callable[[int], PreferenceMatrix]:
    """Return a function from group to matrix: from the grades of a single part, or from all that several parts imply."""
    pool, found = groups.pool, groups.found
    assert found.pool_row is not None
    ends = np.searchsorted(found.query, np.arange(len(groups) + 1))

    def matrix(group: int) -> PreferenceMatrix:
        first = int(pool.offsets[groups.pool_row[group]])
        rows = np.arange(first, int(pool.offsets[groups.pool_row[group] + 1]))
        shown = found.pool_row[ends[group] : ends[group + 1]]  # type: ignore[index]
        is_hidden = groups.scale.judged(pool.grades[rows])
        shown = shown[is_hidden[shown - first]]
        is_hidden[shown - first] = False
        hidden = rows[is_hidden]
        if subgroups is not None:
            hidden = hidden[pool.items[hidden].text_order()]
        rows = np.concatenate((shown, hidden))
        grade = pool.grades[rows]
        if subgroups is None:
            return PreferenceMatrix(grade[:, None] > grade[None, :], rows, grade, len(shown))
        entries, starts = spread(subgroups.offsets, rows)
        at = owners(starts)
        assert subgroups.subgroup is None
        part, level = subgroups.topic[entries], subgroups.grade[entries]
        preferred = np.zeros((len(rows), len(rows)), np.bool_)
        parts = distinct(part)
        for each in parts:
            inside = (part == each) & groups.scale.judged(level)
            members = at[inside]
            preferred[np.ix_(members, members)] |= level[inside][:, None] > level[inside][None, :]
        if len(parts) > 1:
            preferred = _close_chains(preferred)
        if (preferred & preferred.T).any():
            a, b = np.argwhere(np.triu(preferred & preferred.T, 1))[0]
            names = pool.items.one(int(rows[a])), pool.items.one(int(rows[b]))
            raise DataError(
                f"preferences contradict each other: in one judgement group {brief(names[0])} and {brief(names[1])} are each "
                f"preferred to the other. Fix the judgements, or put the two opinions into separate groups."
            )
        return PreferenceMatrix(preferred, rows, grade, len(shown))

    return matrix


def groups_of_parts(groups: Judged, subgroups: Topics | None) -> np.ndarray:
    """Return the groups whose judgements have several parts."""
    if subgroups is None:
        return np.empty(0, np.int64)
    several = groups.pool.once(_has_several, subgroups)
    return np.flatnonzero(several[groups.pool_row]) if len(several) else np.empty(0, np.int64)


def _has_several(pool: Pool, subgroups: Topics) -> np.ndarray:
    starts = subgroups.offsets[pool.offsets]
    pair = owners(starts)
    keys = np.unique(np.stack([pair, subgroups.topic]), axis=1)
    return np.bincount(keys[0], minlength=len(starts) - 1) > 1


def _close_chains(preferred: np.ndarray) -> np.ndarray:
    """Add the implied preferences: a above b and b above c imply a above c."""
    # each round doubles the length of the chains; a product of floats is a fast one, and only its sign is read
    while True:
        wider = preferred | (preferred.astype(np.float32) @ preferred.astype(np.float32) > 0)
        if (wider == preferred).all():
            return preferred
        preferred = wider
