"""Numbers of all items as a group sends them: those of the items that it holds, without the catalogue, which is here already."""

from __future__ import annotations

import numpy as np

from rankwell.judge.train import Everyone
from rankwell.records import record
from rankwell.tables.amounts import Amounts
from rankwell.tables.digests import Digest
from rankwell.tables.ids import Known


@record(eq=False)
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


@record(eq=False)
class SomeUsers:
    """What the training data of a group tell: the users of the items in ``rows``; the other items have none."""

    rows: np.ndarray
    counts: np.ndarray
    users: int
    total: int
    digest: Digest
    grades: SomeAmounts

    @classmethod
    def of(cls, known: Everyone) -> SomeUsers:
        """Return what is known of the items that anybody has."""
        rows = np.flatnonzero(known.counts)
        grades = SomeAmounts.of(known.grades)
        return cls(rows, known.counts[rows], known.users, known.total, known.digest, grades)

    def whole(self, catalogue: Known) -> Everyone:
        """Return what is known of all items."""
        counts = spread(self.rows, self.counts, len(catalogue))
        return Everyone(catalogue, counts, self.users, self.total, self.digest, self.grades.whole())


def spread(rows: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Return a column of so many rows with values in some, and 0 in the others."""
    column = np.zeros(size, values.dtype)
    column[rows] = values
    return column
