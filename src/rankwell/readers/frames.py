"""Tables with named columns: Polars, pandas, pyarrow, DuckDB and anything else that speaks Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.readers.column_names import NONE_GIVEN, WORDS
from rankwell.readers.in_memory import frame_of
from rankwell.readers.list_columns import unfolded, words_of
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items
from rankwell.tables.numbers import Changed, refuse_changed, refuse_changed_text
from rankwell.tables.places import Place, RowOf
from rankwell.tables.rows import Columns, Lists
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

Frames = Callable[[int], "Iterator[pl.DataFrame]"]
PIECE = 1_000_000
ID_WORDS = ("query", "item", "topic")


class FrameRows:
    """The rows of a run in a table, read in batches as if the rows of each query stood together.

    ``frames(size)`` gives the table in pieces of about ``size`` rows, each time from the start.
    """

    grouped = False

    def __init__(
        self,
        frames: Frames,
        words: dict[str, str],
        name: str,
        rows: int | None = None,
        place: Place | None = None,
    ) -> None:
        self.frames, self.words, self.name, self.rows = frames, words, name, rows
        self.place = place or RowOf(name)

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch; a table whose queries are scattered is gathered first."""
        carried: pl.DataFrame | None = None
        start = 0
        for piece in self.frames(size):
            frame = piece if carried is None else carried.vstack(piece)
            if start == 0 and self._columns(frame, 0).is_scattered:  # refuses what are no ids, too
                yield from self.regrouped().batches(size)
                return
            last = self._last_query(frame)
            if last:
                yield partial(self._lists, frame.head(last), start)
            carried, start = frame.tail(len(frame) - last), start + last
        if carried is not None and len(carried):
            yield partial(self._lists, carried, start)

    def _last_query(self, frame: pl.DataFrame) -> int:
        """The row at which the last query of a piece begins; the next piece may go on with it."""
        query = frame[self.words["query"]]
        differs = query.ne_missing(query.tail(1))
        return len(query) - int(differs.reverse().arg_max() or 0) if differs.any() else 0

    def _columns(self, frame: pl.DataFrame, start: int) -> Columns:
        columns: dict[str, Any] = {
            word: column_of(frame[column], word, self.place, start) for word, column in self.words.items()
        }
        return Columns.of(
            **columns, name=self.name, place=lambda row: self.place(start + row), is_whole=False
        )

    def _lists(self, frame: pl.DataFrame, start: int) -> Lists:
        return next(self._columns(frame, start).batches(len(frame)))()

    def owned(self) -> Columns:
        """Return all rows as columns."""
        return self.table()

    def regrouped(self) -> Columns:
        """Return all rows as columns, which are grouped when lists are made of them."""
        return self.table()

    def table(self) -> Columns:
        """Return all rows as columns."""
        columns = whole_columns(self.frames, self.words, self.place, self.name, self.rows)
        return Columns.of(**columns, name=self.name, place=self.place)


def run_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Run:
    """Return the run in a table with query, item, and score or rank (or neither: the order of the rows)."""
    frames, words, place = pieces_of(table, WORDS["run"], name, columns)
    return run_of_frames(frames, words, name, place=place)


def run_of_frames(
    frames: Frames, words: dict[str, str], name: str, length: int | None = None, place: Place | None = None
) -> Run:
    """Return the run in pieces of a table; without score and rank the rows must be counted, so all are read."""
    rows = FrameRows(frames, words, name, length, place)
    return Run.of_rows(rows if "score" in words or "rank" in words else rows.table(), name)


def qrels_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Qrels:
    """Return the judgements in a table with query, item, and perhaps grade, topic and propensity."""
    frames, words, place = pieces_of(table, WORDS["qrels"], name, columns)
    return qrels_of_frames(frames, words, name, place=place)


def qrels_of_frames(
    frames: Frames, words: dict[str, str], name: str, length: int | None = None, place: Place | None = None
) -> Qrels:
    """Return the judgements in pieces of a table."""
    place = place or RowOf(name)
    return Qrels(**whole_columns(frames, words, place, name, length), name=name, place=place)


def items_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Items:
    """Return the catalogue in a table with an item column."""
    frames, words, place = pieces_of(table, WORDS["items"], name, columns)
    return items_of_frames(frames, words, name, place=place)


def items_of_frames(
    frames: Frames, words: dict[str, str], name: str, length: int | None = None, place: Place | None = None
) -> Items:
    """Return the catalogue in pieces of a table."""
    return Items(whole_columns(frames, words, place or RowOf(name), name, length)["item"], name=name)


def pieces_of(
    table: Any, wanted: tuple[str, ...], name: str, columns: Mapping[str, str] = NONE_GIVEN
) -> tuple[Frames, dict[str, str], Place]:
    """Return a table in pieces, which of its columns are wanted, and where a row stands."""
    import polars as pl

    table = frame_of(table, name)
    schema = table.collect_schema()
    words = words_of(schema, wanted, name, columns)
    table = table.select(words.values())

    def pieces(size: int) -> Iterator[pl.DataFrame]:
        if isinstance(table, pl.DataFrame):
            return table.iter_slices(size)
        return table.collect_batches(chunk_size=size, maintain_order=True, lazy=True)

    frames, place = unfolded(pieces, words, schema, name) or (pieces, RowOf(name))
    return frames, words, place


def whole_columns(
    frames: Frames, words: dict[str, str], place: Place, name: str, rows: int | None = None
) -> dict[str, Any]:
    """Return the columns of all pieces, end to end; with ``rows`` known, numbers are copied only once."""
    parts: dict[str, list[Any]] = {word: [] for word in words}
    filled: dict[str, Any] = {}
    row = 0
    for frame in frames(PIECE):
        for word, column in words.items():
            part = column_of(frame[column], word, place, row)
            numbers = part.integers if isinstance(part, Ids) and not part.is_text else part
            if rows is None or isinstance(numbers, Ids):
                parts[word].append(part)
                continue
            filled.setdefault(word, np.empty(rows, numbers.dtype))[row : row + len(frame)] = numbers
        row += len(frame)
    if not row:
        raise DataError(f"{name}: the table holds no rows.")
    for word in words:
        pieces = parts.pop(word)
        if word in filled and word in ID_WORDS:
            filled[word] = Ids.of_integers(filled[word])
        elif word not in filled:
            is_array = isinstance(pieces[0], np.ndarray)
            filled[word] = np.concatenate(pieces) if is_array else Ids.concatenate(pieces).owned()
    return {word: filled[word] for word in words}


def column_of(series: pl.Series, word: str, place: Place, start: int) -> Ids | np.ndarray:
    """Return one column of a piece as ids or numbers; ``start`` is the piece's first row."""
    import polars as pl

    if series.null_count():
        row = start + int(series.is_null().arg_max() or 0)
        raise DataError(f"{place(row)}: the {word} is missing. Remove the row or fill it.")
    if word in ID_WORDS:
        return Ids.of_series(series, word, lambda row: place(start + row))
    if series.dtype == pl.String:
        numbers = series.str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.null_count():
            row = int(numbers.is_null().arg_max() or 0)
            raise DataError(f"{place(start + row)}: the {word} {series[row][:40]!r} is not a number.")
        floats = numbers.to_numpy()
        with _placed(place, start):
            refuse_changed_text(series, floats, word)
        return floats
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


@contextmanager
def _placed(place: Place, start: int) -> Iterator[None]:
    """Give the number that was changed its place; ``start`` is the first row of the piece."""
    try:
        yield
    except Changed as changed:
        raise changed.at(place(start + changed.row)) from None
