"""Tables with named columns: Polars, pandas, pyarrow, DuckDB and anything else that speaks Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.errors import DataError
from rankwell.readers.column_names import NONE_GIVEN
from rankwell.readers.frame_columns import Frames, PartFrames, column_of, whole_columns
from rankwell.readers.in_memory import frame_of, index_of
from rankwell.readers.list_columns import unfolded, words_of
from rankwell.readers.pieces import FramePieces
from rankwell.readers.scans import explained
from rankwell.readers.unread import frames_of, unread_of
from rankwell.tables.columns import WORDS, Unread
from rankwell.tables.items_users import Items
from rankwell.tables.places import Place, RowOf, end_to_end
from rankwell.tables.rows import Columns, Lists, Rows
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

NEAR = 64  # rows that are compared first


class Opened(NamedTuple):
    """A table in pieces: which of its columns are wanted, and if they are known its number of rows and their places; and what is not read."""

    frames: Frames
    words: dict[str, str]
    rows: int | None = None
    place: Place | None = None
    unread: tuple[Unread, ...] = ()


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
        """Yield functions that each make one batch; a table whose queries are scattered is gathered first.

        The last list of a piece may go on in the next one. Such lists are a batch of their own, as every row would be copied
        to join pieces.
        """
        seams: list[tuple[int, pl.DataFrame]] = []
        row = waiting = 0
        for piece in self.frames(size):
            if row == 0 and self.columns(piece, 0).is_scattered:  # refuses what are no ids, too
                yield from self.regrouped().batches(size)
                return
            first, last = 0, len(piece)
            if len(piece) != self.rows:
                first, last = self._whole_lists(piece, seams[-1][1] if seams else piece[:0])
            if first:
                rest = piece if first == len(piece) else _owned(piece[:first])
                seams[-1] = seams[-1][0], seams[-1][1].vstack(rest)
            if first < last:
                yield partial(self.lists, piece[first:last], self._place_after(row + first))
            if last < len(piece):
                if waiting > size:
                    yield partial(self._joined, seams)
                    seams, waiting = [], 0
                seams.append((row + last, _owned(piece[last:])))
            waiting += first + len(piece) - last
            row += len(piece)
        if seams:
            yield partial(self._joined, seams)

    def _whole_lists(self, piece: pl.DataFrame, before: pl.DataFrame) -> tuple[int, int]:
        """From which row on a piece has lists that do not begin before it, and from which row on the next piece may go on."""
        column = self.words["query"]
        query = piece[column]
        first = _repeats(query, before[column].tail(1))
        last = len(query) - _repeats(query, query.tail(1), from_end=True)
        return first, len(query) if first == len(query) else last

    def _place_after(self, start: int) -> Place:
        return lambda row: self.place(start + row)

    def columns(self, frame: pl.DataFrame, start: int) -> Columns:
        """Return the columns of a piece that begins at a row."""
        return self._columns(frame, self._place_after(start))

    def _columns(self, frame: pl.DataFrame, place: Place) -> Columns:
        columns: dict[str, Any] = {
            word: column_of(frame[column], word, place, 0) for word, column in self.words.items()
        }
        return Columns.of(**columns, name=self.name, place=place, is_whole=False)

    def lists(self, frame: pl.DataFrame, place: Place) -> Lists:
        """Return the lists of some rows of the table."""
        return self._columns(frame, place).lists()

    def _joined(self, seams: list[tuple[int, pl.DataFrame]]) -> Lists:
        import polars as pl

        place = end_to_end([len(seam) for _, seam in seams], [self._place_after(row) for row, _ in seams])
        return self.lists(pl.concat([seam for _, seam in seams], rechunk=True), place)

    def in_pieces(self, name: str) -> FramePieces:
        """Return the rows in pieces."""
        return FramePieces(self.frames, self.words, name, self.place)

    def owned(self) -> Columns:
        """Return all rows as columns."""
        return self.table()

    def regrouped(self) -> Rows:
        """Return the same rows, divided into parts of whole lists; the number of rows must be known for that."""
        if self.rows is None:
            return self.table()
        from rankwell.readers.parted_rows import PartedRows

        return PartedRows(self)

    def table(self) -> Columns:
        """Return all rows as columns."""
        columns = whole_columns(self.frames, self.words, self.place, self.name, self.rows)
        return Columns.of(**columns, name=self.name, place=self.place)


def _owned(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows without the rest of the piece that they are a part of."""
    import polars as pl

    # To take rows, or to rechunk a frame, would wait for the threads that decode. Two pieces of a column are made one here and now.
    return pl.DataFrame([column[:1].append(column).rechunk()[1:] for column in frame])


def _repeats(column: pl.Series, query: pl.Series, *, from_end: bool = False) -> int:
    """How many of the first rows repeat a query, or of the last ones."""
    if not len(query):
        return 0
    near, wanted = (column.tail(NEAR).to_list()[::-1] if from_end else column.head(NEAR).to_list()), query[0]
    for place, each in enumerate(near):  # most lists are short, and comparing a column takes longer
        if each != wanted:
            return place
    looked = len(near)
    while looked < len(column):
        looked *= NEAR
        rows = column.tail(looked).reverse() if from_end else column.head(looked)
        differs = rows.ne_missing(query)
        if differs.any():
            return int(differs.arg_max() or 0)
    return len(column)


def run_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Run:
    """Return the run in a table with query, item, and score or rank (or neither: the order of the rows)."""
    return run_opened(open_table(table, "run", name, columns), name)


def run_opened(opened: Opened, name: str) -> Run:
    """Return the run in a table that was opened."""
    run = run_of_frames(opened.frames, opened.words, name, opened.rows, opened.place)
    run.unread = opened.unread
    return run


def run_of_frames(
    frames: Frames, words: dict[str, str], name: str, length: int | None = None, place: Place | None = None
) -> Run:
    """Return the run in pieces of a table; without score and rank the rows must be counted, so all are read."""
    rows = FrameRows(frames, words, name, length, place)
    run = Run.of_rows(rows if "score" in words or "rank" in words else rows.table(), name)
    run.words = words
    return run


def open_qrels_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> FramePieces:
    """Return the judgements in a table, to be read in pieces."""
    return open_pieces(open_table(table, "qrels", name, columns), name)


def open_pieces(opened: Opened, name: str) -> FramePieces:
    """Return the judgements in a table that was opened, to be read in pieces."""
    pieces = FramePieces(opened.frames, opened.words, name, opened.place or RowOf(name))
    pieces.unread = opened.unread
    return pieces


def qrels_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Qrels:
    """Return the judgements in a table with query, item, and perhaps grade, topic and propensity."""
    return qrels_opened(open_table(table, "qrels", name, columns), name)


def qrels_opened(opened: Opened, name: str) -> Qrels:
    """Return the judgements in a table that was opened."""
    qrels = qrels_of_frames(opened.frames, opened.words, name, opened.rows, opened.place)
    qrels.unread = opened.unread
    return qrels


def qrels_of_frames(
    frames: Frames, words: dict[str, str], name: str, length: int | None = None, place: Place | None = None
) -> Qrels:
    """Return the judgements in pieces of a table."""
    place = place or RowOf(name)
    columns = whole_columns(frames, words, place, name, length, stretched="query")
    qrels = Qrels(**columns, name=name, place=place)
    qrels.words = words
    return qrels


def items_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Items:
    """Return the catalogue in a table with an item column."""
    return items_opened(open_table(table, "items", name, columns), name)


def items_opened(opened: Opened, name: str) -> Items:
    """Return the catalogue in a table that was opened."""
    return items_of_frames(opened.frames, opened.words, name, opened.rows, opened.place)


def items_of_frames(
    frames: Frames, words: dict[str, str], name: str, length: int | None = None, place: Place | None = None
) -> Items:
    """Return the catalogue in pieces of a table."""
    return Items(whole_columns(frames, words, place or RowOf(name), name, length)["item"], name=name)


def open_table(table: Any, kind: str, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Opened:
    """Return the table of a run, of judgements or of items in pieces."""
    import polars as pl

    source, table = table, frame_of(table, name)
    schema = table.collect_schema()
    try:
        words = words_of(schema, WORDS[kind], name, columns)
    except DataError as error:
        raise DataError(f"{error}{index}") if (index := index_of(source)) else error from None
    unread = unread_of(schema, words, kind, name, columns, frames_of(table))
    table = table.select(words.values())
    if isinstance(table, pl.DataFrame):
        read: Frames = table.iter_slices
        rows: int | None = len(table)
    else:
        read, rows = ScannedFrames(table), None
    if (lists := unfolded(read, words, schema, kind, name, columns)) is not None:
        return Opened(lists[0], words, None, lists[1], unread)
    return Opened(read, words, rows, None, unread)


class ScannedFrames(PartFrames):
    """A table that Polars reads later, in frames."""

    def __init__(self, table: pl.LazyFrame, label: str = "") -> None:
        self.table, self.label = table, label

    def __call__(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the frames; what Polars raises for a table that it found itself is an InputError."""
        with explained(self.label) if self.label else nullcontext():
            yield from self.table.collect_batches(chunk_size=size, maintain_order=True, lazy=True)

    def part(self, columns: list[str], start: int, rows: int | None = None) -> ScannedFrames:
        """Return some columns, from a row on."""
        return ScannedFrames(self.table.slice(start, rows).select(columns), self.label)
