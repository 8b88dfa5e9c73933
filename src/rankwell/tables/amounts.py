"""Amounts by item: sums of numbers that are the same whatever the order and the parts in which they are added."""

from __future__ import annotations

import numpy as np

from rankwell.records import record

STEP = 2.0**-20  # multiples of it up to 2^33 are added up exactly


@record(eq=False)
class Amounts:
    """The sum of the numbers of each item, in two halves: multiples of 2^-20, and what is left, where rounding does no harm.

    >>> one, two = Amounts.of(np.array([0, 1]), np.array([.1, 2]), 2), Amounts.of(np.array([0]), np.array([.2]), 2)
    >>> (one + two).total.tolist()
    [0.30000000000000004, 2.0]
    """

    upper: np.ndarray
    lower: np.ndarray

    @classmethod
    def of(cls, items: np.ndarray, numbers: np.ndarray, size: int) -> Amounts:
        """Return the sums of the numbers of ``size`` items; those of item -1 are left out."""
        known = np.flatnonzero(items >= 0)
        items, numbers = items[known], numbers[known]
        upper = np.floor(numbers / STEP) * STEP
        lower = numbers - upper
        return cls(*(np.bincount(items, weights=half, minlength=size) for half in (upper, lower)))

    @property
    def total(self) -> np.ndarray:
        """The sums."""
        found: np.ndarray = self.upper + self.lower
        return found

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(self.upper + other.upper, self.lower + other.lower)
