"""Places: where a row of the data stands, for messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

Place = Callable[[int], str]


class Held(ABC):
    """A place that holds all that it says, so that data can be pickled together with it."""

    @abstractmethod
    def __call__(self, row: int) -> str:
        """Return where a row stands."""


@dataclass(frozen=True)
class RowOf(Held):
    """Rows by their numbers, from 1."""

    name: str

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return f"{self.name}, row {row + 1}"


def held(place: Place, name: str) -> Held:
    """Return a place that can be pickled; one that needs its file open becomes the number of the row."""
    return place if isinstance(place, Held) else RowOf(name)
