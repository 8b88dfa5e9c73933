"""Numbers of all items as a group sends them: those of the items that it holds, without the catalogue, which is here already."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankwell.judge.train import Everyone
from rankwell.tables.amounts import Amounts
from rankwell.tables.ids import Ids, Known

NOTHING = Known(Ids.of_integers(np.empty(0, np.int64)))


@dataclass(frozen=True, eq=False)
class SomeAmounts:
    """Amounts of some items; the others have none."""

    rows: np.ndarray
    amounts: Amounts
    size: int

    @classmethod
    def of(cls, amounts: Amounts) -> SomeAmounts:
        """Return the amounts that are not 0."""
        rows = np.flatnonzero((amounts.upper != 0) | (amounts.lower != 0))
        return cls(rows, Amounts(amounts.upper[rows], amounts.lower[rows]), len(amounts.upper))

    def whole(self) -> Amounts:
        """Return the amounts of all items."""
        return Amounts(
            *(spread(self.rows, each, self.size) for each in (self.amounts.upper, self.amounts.lower))
        )


@dataclass(frozen=True, eq=False)
class SomeUsers:
    """What the training data of a group tell; ``known`` holds the users of ``rows`` alone."""

    rows: np.ndarray
    known: Everyone
    grades: SomeAmounts

    @classmethod
    def of(cls, known: Everyone) -> SomeUsers:
        """Return what is known of the items that anybody has."""
        rows = np.flatnonzero(known.counts)
        none = Amounts(*(known.grades.upper[:0] for _ in range(2)))
        few = replace(known, catalogue=NOTHING, counts=known.counts[rows], grades=none)
        return cls(rows, few, SomeAmounts.of(known.grades))

    def whole(self, catalogue: Known) -> Everyone:
        """Return what is known of all items."""
        counts = spread(self.rows, self.known.counts, len(catalogue))
        return replace(self.known, catalogue=catalogue, counts=counts, grades=self.grades.whole())


def spread(rows: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Return a column of so many rows with values in some, and 0 in the others."""
    column = np.zeros(size, values.dtype)
    column[rows] = values
    return column
