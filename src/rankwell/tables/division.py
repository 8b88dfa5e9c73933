"""Rows of a table divided into parts of whole lists: each column is read once, in order, and written part by part.

To take the rows of each part instead would go through all of the column for every part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwell.kernels import id_text
from rankwell.kernels import ids as kernel
from rankwell.records import record
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import NO_STARTS, NO_TEXT, Ids


@record(eq=False)
class DividedIds:
    """A column of ids part by part: integers; or text end to end, the lengths of its ids, and where each part begins in it."""

    numbers: np.ndarray
    text: np.ndarray
    cuts: np.ndarray

    @property
    def is_text(self) -> bool:
        """Whether the ids are text."""
        return len(self.cuts) > 0

    @classmethod
    def joined(cls, pieces: Sequence[DividedIds], part: int, rows: Sequence[tuple[int, int]]) -> Ids:
        """Return the ids of a part of several pieces, given its rows in each of them."""
        numbers = np.concatenate(
            [piece.numbers[low:high] for piece, (low, high) in zip(pieces, rows, strict=True)]
        )
        if not pieces[0].is_text:
            return Ids.of_integers(numbers)
        text = [piece.text[piece.cuts[part] : piece.cuts[part + 1]] for piece in pieces]
        return Ids.of_lengths(np.concatenate(text), numbers)


@record(eq=False)
class Division:
    """The part of each row, and the offsets of the parts. Rows of a part stay in their old order."""

    codes: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, query: Ids, parts: int) -> Division:
        """Return the division by the queries of rows."""
        codes, sizes = kernel.parts(query.keys, parts)
        return cls(codes, offsets_of(sizes))

    def numbers(self, column: np.ndarray) -> np.ndarray:
        """Return a column of numbers part by part."""
        found, bits = np.empty_like(column), f"i{column.itemsize}"
        kernel.place(
            self.codes, np.ascontiguousarray(column).view(bits), self.offsets[:-1].copy(), found.view(bits)
        )
        return found

    def ids(self, column: Ids) -> DividedIds:
        """Return a column of ids part by part."""
        if not column.is_text:
            return DividedIds(self.numbers(column.integers), NO_TEXT, NO_STARTS)
        text, cuts = id_text.divided(
            self.codes, len(self.offsets) - 1, column.text, column.starts, column.lengths
        )
        return DividedIds(self.numbers(column.lengths), text, cuts)

    def row(self, number: int) -> int:
        """Return which row has become this one."""
        part = int(np.searchsorted(self.offsets, number, side="right")) - 1
        return int(np.flatnonzero(self.codes == part)[number - self.offsets[part]])
