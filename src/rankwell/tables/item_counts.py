"""Sums by item: one number for every item of a small catalogue, else only for the items that were shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from rankwell.records import cached_property, record
from rankwell.tables.states import NotAdded, sums_in_halves

# so many items all have a number; so do all items of a catalogue of at most so many times those shown, or shown in a sum
SMALL = 1 << 15
SPARE, GROWING = 4, 16


@record(eq=False)
class ItemSums:
    """Exact sums by item, of items that are rows of a catalogue of ``size``.

    ``numbers`` holds the sums in its last axis: those of ``items``, ascending, or of all items if ``items`` is None.

    >>> few = ItemSums.counted(np.array([7, 7, 99_999_999]), 100_000_000)
    >>> few.items.tolist(), few.numbers.tolist()
    ([7, 99999999], [2, 1])
    """

    numbers: np.ndarray
    size: int
    items: np.ndarray | None = None

    @classmethod
    def counted(cls, rows: np.ndarray, size: int) -> ItemSums:
        """Return how often each item stands in ``rows``."""
        if _fits(size, len(rows)):
            return cls(np.bincount(rows, minlength=size), size)
        items, counts = np.unique(rows, return_counts=True)
        return cls(counts, size, items)

    @classmethod
    def in_halves(cls, rows: np.ndarray, wholes: np.ndarray, size: int) -> ItemSums:
        """Return the sum of whole numbers of ``1 / WHOLE`` for each item, in two halves."""
        items, codes, many = _coded(rows, size)
        return cls(sums_in_halves(codes, wholes, many), size, items)

    def __add__(self, other: ItemSums) -> ItemSums:
        if self.items is None or other.items is None:
            full, rest = (self, other) if self.items is None else (other, self)
            total = ItemSums(full.numbers.copy(), self.size)
            total += rest
            return total
        items, numbers = _merged(self.items, self.numbers, other.items, other.numbers)
        if not _fits(self.size, len(items), GROWING):
            return ItemSums(numbers, self.size, items)
        total = ItemSums(np.zeros((*numbers.shape[:-1], self.size), np.int64), self.size)
        total.numbers[..., items] = numbers
        return total

    def __iadd__(self, other: ItemSums) -> Self:
        """Add to these sums, which nobody else may hold: if all items have a number, only those of ``other`` are touched."""
        if self.items is not None:
            total = self + other
            return replace(self, numbers=total.numbers, items=total.items)
        if other.items is None:
            np.add(self.numbers, other.numbers, out=self.numbers)
        else:
            for own, more in zip(np.atleast_2d(self.numbers), np.atleast_2d(other.numbers), strict=True):
                np.add.at(own, other.items, more)  # += would take each number out, and put it back
        return self

    def cut(self, low: int, high: int) -> ItemSums:
        """Return the sums of the items from one row of the catalogue until another, as a catalogue of their own."""
        if self.items is None:
            return ItemSums(self.numbers[..., low:high], high - low)
        first, last = np.searchsorted(self.items, (low, high))
        return ItemSums(self.numbers[..., first:last], high - low, self.items[first:last] - low)

    def less(self, part: ItemSums) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the items of ``part``, which is a part of these sums, with and without that part."""
        items, numbers = part.shown()
        mine = self.numbers[..., items if self.items is None else np.searchsorted(self.items, items)]
        return mine, mine - numbers

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the items with a sum above 0, ascending, and their numbers."""
        if self.items is not None:
            return self.items, self.numbers
        has = np.flatnonzero(self.numbers if self.numbers.ndim == 1 else self.numbers.any(axis=0))
        return has, self.numbers[..., has]

    def alike(self) -> np.ndarray:
        """Return how many items have the number 0, 1, 2 …"""
        alike = np.bincount(self.numbers, minlength=1)
        alike[0] += 0 if self.items is None else self.size - len(self.items)
        return alike


def _fits(size: int, shown: int, spare: int = SPARE) -> bool:
    """Whether a number for every item takes little room; a sum may take more, as others are added to it at once."""
    return size <= max(SMALL, spare * shown)


def _coded(rows: np.ndarray, size: int) -> tuple[np.ndarray | None, np.ndarray, int]:
    """The items that have a number (None: all), the place of each row's among them, and how many there are."""
    if _fits(size, len(rows)):
        return None, rows, size
    items, codes = np.unique(rows, return_inverse=True)
    return items, codes, len(items)


def _merged(
    left: np.ndarray, of_left: np.ndarray, right: np.ndarray, of_right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The union of two ascending columns of items, and the sums of their numbers; a sort of both would be ten times slower."""
    if len(left) < len(right):
        left, of_left, right, of_right = right, of_right, left, of_left
    at = np.searchsorted(left, right)
    is_new = np.append(left, -1)[at] != right
    numbers = of_left.copy()
    numbers[..., at[~is_new]] += of_right[..., ~is_new]
    at = at[is_new]
    return np.insert(left, at, right[is_new]), np.insert(numbers, at, of_right[..., is_new], axis=-1)


def padded_sum(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the sum of two columns, the shorter one filled up with 0.

    >>> padded_sum(np.array([1, 2]), np.array([5])).tolist()
    [6, 2]
    """
    short, long = sorted((one, two), key=len)
    total = long.copy()
    total[: len(short)] += short
    return total


@record(eq=False)
class Tally(NotAdded):
    """How many items of a catalogue were shown 0, 1, 2 … times in ``n`` lists: all that most metrics ask of the counts."""

    alike: np.ndarray
    n: int

    def beside(self, other: Tally) -> Tally:
        """Return the tally of the items of both, in the same lists."""
        return Tally(padded_sum(self.alike, other.alike), self.n)

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return int(self.alike.sum())

    @property
    def distinct(self) -> int:
        """The number of items that were shown."""
        return int(self.alike[1:].sum())

    def without(self, part: ItemSums, whole: ItemSums, lists: int) -> Tally:
        """Return the tally after a part of the counts is taken out of the whole: only the part's items change."""
        before, after = whole.less(part)
        alike = self.alike - np.bincount(before, minlength=len(self.alike))
        return Tally(alike + np.bincount(after, minlength=len(alike)), self.n - lists)


@record(eq=False)
class ItemCounts:
    """How often each item (or topic) of a catalogue of ``size`` was shown, in ``n`` lists.

    >>> both = ItemCounts.of(np.array([3, 1]), 4, n=1) + ItemCounts.of(np.array([3]), 4, n=1)
    >>> both.items.tolist(), both.counts.tolist(), both.size, both.n
    ([1, 3], [1, 2], 4, 2)
    >>> both.alike.tolist(), both.without(ItemCounts.of(np.array([3]), 4, n=1)).alike.tolist()
    ([2, 1, 1], [2, 2, 0])
    """

    sums: ItemSums
    n: int

    @classmethod
    def of(cls, rows: np.ndarray, size: int, n: int) -> ItemCounts:
        """Return the counts of the items in ``rows``, of ``n`` lists."""
        return cls(ItemSums.counted(rows, size), n)

    def __add__(self, other: ItemCounts) -> ItemCounts:
        return ItemCounts(self.sums + other.sums, self.n + other.n)

    def __iadd__(self, other: ItemCounts) -> Self:
        """Add to these counts, which nobody else may hold."""
        sums = self.sums
        sums += other.sums
        return replace(self, sums=sums, n=self.n + other.n)

    def cut(self, low: int, high: int) -> ItemCounts:
        """Return the counts of the items from one row of the catalogue until another."""
        return ItemCounts(self.sums.cut(low, high), self.n)

    def folded(self) -> Tally:
        """Return how many items were shown how often."""
        return self._tally

    def without(self, part: ItemCounts) -> Tally:
        """Return how many items were shown how often without a part of the lists."""
        return self._tally.without(part.sums, self.sums, part.n)

    @cached_property
    def _tally(self) -> Tally:
        return Tally(self.sums.alike(), self.n)

    @property
    def alike(self) -> np.ndarray:
        """The number of items that were shown 0, 1, 2 … times."""
        return self._tally.alike

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return self.sums.size

    @property
    def distinct(self) -> int:
        """The number of items that were shown."""
        return self._tally.distinct

    @property
    def items(self) -> np.ndarray:
        """The items that were shown, ascending."""
        return self.sums.shown()[0]

    @property
    def counts(self) -> np.ndarray:
        """How often each of ``items`` was shown."""
        return self.sums.shown()[1]


Counts = ItemCounts | Tally
