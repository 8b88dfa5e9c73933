"""Sums by item: one number for every item of a small catalogue, else only for the items that were shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwell.tables.states import sums_in_halves

SMALL = 1 << 15  # so many items all have a number
SPARE = 4  # and so do all items of a catalogue of at most so many times those shown


@dataclass(frozen=True, eq=False)
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
        items, codes, many = _coded(rows, size)
        return cls(np.bincount(codes, minlength=many), size, items)

    @classmethod
    def in_halves(cls, rows: np.ndarray, wholes: np.ndarray, size: int) -> ItemSums:
        """Return the sum of whole numbers of ``1 / WHOLE`` for each item, in two halves."""
        items, codes, many = _coded(rows, size)
        return cls(sums_in_halves(codes, wholes, many), size, items)

    def __add__(self, other: ItemSums) -> ItemSums:
        if self.items is None and other.items is None:
            return ItemSums(self.numbers + other.numbers, self.size)
        items = None
        if self.items is not None and other.items is not None:
            union = np.union1d(self.items, other.items)
            items = None if _fits(self.size, len(union)) else union
        numbers = np.zeros((*self.numbers.shape[:-1], self.size if items is None else len(items)), np.int64)
        for each in (self, other):
            if each.items is None:
                numbers += each.numbers
            else:
                numbers[..., each.items if items is None else np.searchsorted(items, each.items)] += (
                    each.numbers
                )
        return ItemSums(numbers, self.size, items)

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the items with a sum above 0, ascending, and their numbers."""
        if self.items is not None:
            return self.items, self.numbers
        has = np.flatnonzero(self.numbers if self.numbers.ndim == 1 else self.numbers.any(axis=0))
        return has, self.numbers[..., has]


def _fits(size: int, shown: int) -> bool:
    """Whether a number for every item takes little room."""
    return size <= max(SMALL, SPARE * shown)


def _coded(rows: np.ndarray, size: int) -> tuple[np.ndarray | None, np.ndarray, int]:
    """The items that have a number (None: all), the place of each row's among them, and how many there are."""
    if _fits(size, len(rows)):
        return None, rows, size
    items, codes = np.unique(rows, return_inverse=True)
    return items, codes, len(items)


@dataclass(frozen=True, eq=False)
class ItemCounts:
    """How often each item (or topic) of a catalogue of ``size`` was shown, in ``n`` lists.

    >>> both = ItemCounts.of(np.array([3, 1]), 4, n=1) + ItemCounts.of(np.array([3]), 4, n=1)
    >>> both.items.tolist(), both.counts.tolist(), both.size, both.n
    ([1, 3], [1, 2], 4, 2)
    """

    sums: ItemSums
    n: int

    @classmethod
    def of(cls, rows: np.ndarray, size: int, n: int) -> ItemCounts:
        """Return the counts of the items in ``rows``, of ``n`` lists."""
        return cls(ItemSums.counted(rows, size), n)

    def __add__(self, other: ItemCounts) -> ItemCounts:
        return ItemCounts(self.sums + other.sums, self.n + other.n)

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return self.sums.size

    @property
    def distinct(self) -> int:
        """The number of items that were shown."""
        return (
            len(self.sums.items) if self.sums.items is not None else int(np.count_nonzero(self.sums.numbers))
        )

    @property
    def items(self) -> np.ndarray:
        """The items that were shown, ascending."""
        return self.sums.shown()[0]

    @property
    def counts(self) -> np.ndarray:
        """How often each of ``items`` was shown."""
        return self.sums.shown()[1]
