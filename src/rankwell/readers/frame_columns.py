"""Columns of tables that come in pieces: ids and numbers of one piece, or of all end to end."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankwell.errors import DataError, NoRowsError, brief
from rankwell.tables.columns import GRADE_WORDS, ID_WORDS, TRUTH
from rankwell.tables.ids import Ids, packed
from rankwell.tables.places import Place
from rankwell.tables.rows import Stretches
from rankwell.tables.series import Changed, refuse_changed, refuse_changed_text

if TYPE_CHECKING:
    import polars as pl

Frames = Callable[[int], "Iterator[pl.DataFrame]"]
PIECE = 250_000


class PartFrames(ABC):
    """Frames of which some columns, of the rows from somewhere on, can be read alone; ``group`` rows are read together."""

    table: pl.LazyFrame
    group: int = 0

    @abstractmethod
    def __call__(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield frames of about so many rows."""

    def part(self, columns: list[str], start: int, rows: int | None = None) -> Self:
        """Return the frames of some columns, from a row on: of all rows, or of so many."""
        other = copy.copy(self)
        other.table = self.table.slice(start, rows).select(columns)
        return other


def whole_columns(
    frames: Frames,
    words: dict[str, str],
    place: Place,
    name: str,
    rows: int | None = None,
    *,
    stretched: str | None = None,
) -> dict[str, Any]:
    """Return the columns of all pieces, end to end; with ``rows`` known, numbers are copied only once.

    A ``stretched`` column is given as stretches of rows, unless those of the first piece are short.
    """
    growing = {word: Growing(rows) for word in words}
    row = 0
    for frame in frames(PIECE):
        for word, column in words.items():
            part = column_of(frame[column], word, place, row)
            if word == stretched and isinstance(part, Ids):
                stretches = stretches_of(part)
                stretched = word if row or stretches.are_long else None
                growing[word].add(stretches if stretched else part, row)
            else:
                growing[word].add(part, row)
        row += len(frame)
    if not row:
        raise NoRowsError(f"{name}: the table holds no rows.")
    return {word: column.whole(is_id=word in ID_WORDS) for word, column in growing.items()}


class Growing:
    """A column that grows piece by piece, in memory of its own; numbers of a known number of rows have their place at once."""

    def __init__(self, rows: int | None) -> None:
        self.rows, self.parts = rows, list[Any]()
        self.filled: np.ndarray | None = None

    def add(self, part: Ids | Stretches | np.ndarray, row: int) -> None:
        """Add a piece that begins at a row."""
        numbers = part.integers if isinstance(part, Ids) and not part.is_text else part
        if self.rows is None or not isinstance(numbers, np.ndarray):
            self.parts.append(part)
            return
        if self.filled is None:
            self.filled = np.empty(self.rows, numbers.dtype)
        self.filled[row : row + len(numbers)] = numbers

    def whole(self, *, is_id: bool) -> Ids | Stretches | np.ndarray:
        """Return the whole column."""
        if self.filled is not None:
            return Ids.of_integers(self.filled) if is_id else self.filled
        if isinstance(self.parts[0], Stretches):
            return Stretches.concatenate(self.parts)
        return Ids.concatenate(self.parts).owned() if is_id else np.concatenate(self.parts)


def stretches_of(ids: Ids) -> Stretches:
    """Return the stretches of equal ids in a column, in memory of their own."""
    found = Stretches.of(ids)
    return Stretches(packed(found.ids), found.offsets) if ids.is_text else found


def column_of(series: pl.Series, word: str, place: Place, start: int) -> Ids | np.ndarray:
    """Return one column of a piece as ids or numbers; ``start`` is the piece's first row."""
    import polars as pl

    if series.null_count():
        row = start + int(series.is_null().arg_max() or 0)
        raise DataError(f"{place(row)}: the {word} is missing. Remove the row or fill it.")
    if word in ID_WORDS:
        return Ids.of_series(series, word, lambda row: place(start + row))
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    if series.dtype == pl.String:
        floats = _numbers_in(series, word, lambda row: place(start + row)).to_numpy()
        with _placed(place, start):
            refuse_changed_text(series, floats, word)
        return floats
    if series.dtype.is_decimal():
        series = series.cast(pl.Float64)
    if not series.dtype.is_numeric() and series.dtype != pl.Boolean:
        raise DataError(
            f"{place(start)}: the {word} column {brief(series.name)} is {series.dtype}, not numbers. Cast the column."
        )
    if series.dtype.is_integer() and "128" in str(series.dtype):
        floats = series.cast(pl.Float64).to_numpy()
        with _placed(place, start):
            refuse_changed(series, floats, word)
        return floats
    return series.to_numpy()


def _numbers_in(series: pl.Series, word: str, place: Place) -> pl.Series:
    """The numbers that a column writes, true and false as 1 and 0, and of grades also the words that judges write."""
    import polars as pl

    text = series.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return numbers
    words = GRADE_WORDS if word == "grade" else TRUTH
    meant = text.str.to_lowercase().replace_strict(words, default=None, return_dtype=pl.Float64)
    numbers = numbers.fill_null(meant) if numbers.null_count() == len(numbers) else numbers
    if not numbers.null_count():
        return numbers
    row = int(numbers.is_null().arg_max() or 0)
    wrong = f"{place(row)}: the {word} {series[row][:40]!r} is not a number."
    if word == "grade" and numbers.null_count() == len(numbers):
        wrong += f" Of words only these are read: {', '.join(GRADE_WORDS)}; replace others by numbers, the better the higher."
    raise DataError(wrong)


@contextmanager
def _placed(place: Place, start: int) -> Iterator[None]:
    """Give the number that was changed its place; ``start`` is the first row of the piece."""
    try:
        yield
    except Changed as changed:
        raise changed.at(place(start + changed.row)) from None
