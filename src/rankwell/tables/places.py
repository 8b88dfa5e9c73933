"""Places: where a row of the data stands, for messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from rankwell.display.text import Composed
from rankwell.records import record

Place = Callable[[int], str]


class StoredPlace(ABC):
    """A place that needs no open file or table to answer, so that data can be pickled together with it."""

    @abstractmethod
    def __call__(self, row: int) -> str:
        """Return where a row stands."""


@record
class RowOf(StoredPlace):
    """Rows by their numbers, from 1."""

    name: str

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return Composed("{name}, row {row}", name=self.name, row=row + 1)


@record
class LineAfter(StoredPlace):
    """Rows that are the lines of a file after its first ones."""

    label: str
    first: int

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return f"{self.label}:{self.first + row + 1}"


@record(eq=False)
class Reordered(StoredPlace):
    """The places of rows that were put in another order."""

    place: StoredPlace
    order: np.ndarray

    def __call__(self, row: int) -> str:
        """Return where a row stood."""
        return self.place(int(self.order[row]))


def store_place(place: Place, name: str) -> StoredPlace:
    """Return a place that can be pickled; one that needs its file open becomes the number of the row."""
    return place if isinstance(place, StoredPlace) else RowOf(name)


def end_to_end(lengths: Sequence[int], places: Sequence[Place]) -> Place:
    """Return the place of a row of parts that stand end to end, each of which has places of its own."""
    ends = np.cumsum(lengths)

    def place(row: int) -> str:
        part = int(np.searchsorted(ends, row, side="right"))
        return places[part](row - int(ends[part] - lengths[part]))

    return place
