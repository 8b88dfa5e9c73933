"""Labels of segments, as columns: they become Python text only for the segments that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankwell.records import record

if TYPE_CHECKING:
    import polars as pl


@record(eq=False)
class Labels:
    """The labels of segments: a column of texts per column of ``by``, with a row per segment, which is its number.

    The numbers are in no order but that of the table of users; the last segment is that of all other queries.
    """

    columns: tuple[pl.Series, ...] = ()

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def of(self, segments: np.ndarray) -> list[tuple[str, ...]]:
        """Return the labels of some segments."""
        return list(zip(*(column.gather(segments).to_list() for column in self.columns), strict=True))

    def in_order(self, segments: np.ndarray) -> np.ndarray:
        """Return some segments, ascending, in the order of their labels; the last segment of all stays the last."""
        if not len(segments):
            return segments
        rest = segments[-1:] if segments[-1] == len(self) - 1 else segments[:0]
        others = segments[: len(segments) - len(rest)]
        return np.concatenate([others[self._order(others)], rest])

    def numbers_of(self, other: Labels) -> np.ndarray | None:
        """Return the segment that has each of the other's labels; None unless both have the same labels."""
        every = np.arange(len(self))
        if self is other:
            return every
        if (len(self.columns), len(self)) != (len(other.columns), len(other)):
            return None
        own, theirs = self.in_order(every), other.in_order(every)
        for column, another in zip(self.columns, other.columns, strict=True):
            if not (column.gather(own) == another.gather(theirs)).all():
                return None
        numbers = np.empty_like(every)
        numbers[theirs] = own
        return numbers

    def _order(self, segments: np.ndarray) -> np.ndarray:
        """The places of some segments, sorted by their labels."""
        import polars as pl

        frame = pl.DataFrame([column.gather(segments).alias(f"{n}") for n, column in enumerate(self.columns)])
        return frame.select(pl.arg_sort_by(frame.columns)).to_series().to_numpy()
