"""Tables read in pieces, each time from the start: columns by word, in the order of the rows; none is held."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

import numpy as np

from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.readers.bytes.files import CHANGED, File
from rankwell.tables.columns import ID_WORDS, NUMBER_WORDS, TRUTH, UnreadColumn, merge_unread, words_read
from rankwell.tables.ids import Ids
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Matrix, Qrels, Run
from rankwell.tables.series import Changed, Place, refuse_changed, refuse_changed_text

if TYPE_CHECKING:
    import polars as pl

PIECE = 250_000
HEAD = 1000  # rows
PLAIN_QRELS = ("grade", "topic", "subgroup", "topic_weight", "propensity", "imputed")
Frames = Callable[[int], "Iterator[pl.DataFrame]"]
Piece = dict[str, Ids | np.ndarray]


class Pieces(ABC):
    """A run or judgements, read in pieces: ``query``, ``item``, and ``score``, ``rank``, ``grade`` or what else it has."""

    name: str
    place: Place  # where a row stands
    files: Sequence[File] = ()  # none if it is not in files
    ahead = 0  # so many rows are held at a time while it is read, at least
    unread: tuple[UnreadColumn, ...] = ()
    query_column = ""  # what the table calls it, if its columns have names

    @abstractmethod
    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:
        """Yield pieces of the rows from ``start`` on, with at least the columns asked for; None for all."""

    def head(self) -> Piece | None:
        """Return some of the first rows; None if there are none."""
        with closing(self.read()) as reading:
            return next(reading, None)

    def top(self, words: Sequence[str], rows: int) -> list[Piece]:
        """Return the first pieces, with at least so many rows if there are as many."""
        pieces: list[Piece] = []
        with closing(self.read(words)) as reading:
            for piece in reading:
                pieces.append({word: piece[word] for word in words})
                rows -= len(piece[words[0]])
                if rows <= 0:
                    break
        return pieces

    def distinct(self, word: str) -> int:
        """Return the number of different ids in a column."""
        found: Ids | None = None
        for piece in self.read((word,)):
            ids = piece[word]
            assert isinstance(ids, Ids)
            both = ids if found is None else Ids.concatenate([found, ids])
            found = both[both.group()[1]]
        return 0 if found is None else len(found)


@runtime_checkable
class InPieces(Protocol):
    """The rows of a run that can be read in pieces."""

    def in_pieces(self, name: str) -> Pieces:
        """Return the rows in pieces."""


def pieces_of(run: Run) -> Pieces:
    """Return a run in pieces; of one whose rows can only be read as a whole, these are parts of what is in memory."""
    rows = run.rows
    if isinstance(rows, InPieces):
        return rows.in_pieces(run.name)
    if (table := rows.table()).has_empty_lists:
        raise UsageError(
            f"{run.name}: it has empty lists, which tables of rows cannot tell; use engine='memory'."
        )
    return held_run(table, run.name)


class FramePieces(Pieces):
    """A table in frames; where these can begin in the middle, rows before are not read."""

    def __init__(self, frames: Frames, words: dict[str, str], name: str, place: Place) -> None:
        self.frames, self.words, self.name, self.place = frames, words, name, place
        self.ahead = frames.group if isinstance(frames, PartFrames) else 0

    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:
        """Yield pieces, with just the columns asked for."""
        columns = {word: column for word, column in self.words.items() if words is None or word in words}
        frames, row = self.frames, 0
        if isinstance(frames, PartFrames):
            frames, row, start = frames.part(list(columns.values()), start), start, 0
        for frame in frames(PIECE):
            if len(frame) <= start:
                start -= len(frame)
            elif len(frame):
                yield self.piece(frame[start:], row + start, columns, self.place)
                start = 0
            row += len(frame)

    def head(self) -> Piece | None:
        """Return some of the first rows, without reading ahead; None if there are none."""
        frames = self.frames
        if isinstance(frames, PartFrames):
            frames = frames.part(list(self.words.values()), 0, HEAD)
        return super(FramePieces, FramePieces(frames, self.words, self.name, self.place)).head()

    def piece(self, frame: pl.DataFrame, row: int, words: dict[str, str], place: Place) -> Piece:
        """Return the columns of a frame that begins at a row."""
        return {word: column_of(frame[column], word, place, row) for word, column in words.items()}


class BlockPieces(Pieces):
    """Lines of text in blocks, which a function makes columns of."""

    def __init__(self, name: str, blocks: Callable[[], Iterator[tuple[Piece, Place]]], label: str) -> None:
        self.name, self.blocks, self.label = name, blocks, label

    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:  # noqa: ARG002 - lines are read whole
        """Yield pieces, with all columns."""
        for piece, _ in self.blocks():
            rows = len(piece["item"])
            if start < rows:
                yield piece if not start else {word: column[start:] for word, column in piece.items()}
            start = max(start - rows, 0)

    def place(self, row: int) -> str:
        """Return ``file:line`` of a row; the blocks are read once more."""
        for piece, place in self.blocks():
            if row < len(piece["item"]):
                return place(row)
            row -= len(piece["item"])
        raise InputError(f"{self.label}: {CHANGED}")


class HeldPieces(Pieces):
    """Columns that are in memory, as one piece."""

    def __init__(self, piece: Piece, name: str, place: Place, matrix: Matrix | None = None) -> None:
        self.piece, self.name, self.place, self.matrix = piece, name, place, matrix

    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:
        """Yield the columns, cut into pieces of a moderate size."""
        columns = {word: cells for word, cells in self.piece.items() if words is None or word in words}
        for low in range(start, len(self.piece["item"]), PIECE):
            yield {word: column[low : low + PIECE] for word, column in columns.items()}


def held_run(rows: Columns, name: str) -> HeldPieces:
    """Return the columns of a run in pieces."""
    piece: Piece = {"query": rows.query, "item": rows.item}
    if not rows.by_place:  # then the order of the rows is that of the lists
        piece["rank" if rows.by_rank else "score"] = rows.key
    if rows.given_score is not None:
        piece["score"] = rows.given_score
    piece |= rows.extra
    return HeldPieces(piece, name, rows.place)


def held_qrels(qrels: Qrels) -> HeldPieces:
    """Return judgements that are in memory in pieces."""
    piece: Piece = {"query": qrels.query, "item": qrels.item}
    piece |= {word: column for word in PLAIN_QRELS if (column := getattr(qrels, word)) is not None}
    pieces = HeldPieces(piece, qrels.name, qrels.place, qrels.matrix)
    pieces.unread, pieces.query_column = qrels.unread, qrels.words.get("query", "")
    return pieces


class SeveralPieces(Pieces):
    """Several tables end to end; all have the same columns."""

    def __init__(self, parts: Sequence[Pieces], name: str) -> None:
        self.parts, self.name = parts, name
        self.files = [file for part in parts for file in part.files]
        self.ahead = max(part.ahead for part in parts)
        self.unread = merge_unread([part.unread for part in parts])
        self.query_column = parts[0].query_column

    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:
        """Yield the pieces of all parts."""
        seen: set[str] | None = None
        # of each column of ids whether it is text, and the first part that says so
        kinds: dict[str, tuple[bool, str]] = {}
        for part in self.parts:
            rows = 0
            for piece in part.read(words, 0):
                if seen is not None and piece.keys() != seen:
                    differ = ", ".join(sorted(piece.keys() ^ seen))
                    raise DataError(
                        f"{part.name}: some of the files of {self.name} have a column {differ}, others have none."
                    )
                seen = set(piece)
                for word, column in piece.items():
                    if isinstance(column, Ids):
                        is_text, first = kinds.setdefault(word, (column.is_text, part.name))
                        if column.is_text != is_text:
                            raise not_alike(word, *((first, part.name) if is_text else (part.name, first)))
                rows = len(piece["item" if "item" in piece else next(iter(piece))])
                if start < rows:
                    yield piece if not start else {word: column[start:] for word, column in piece.items()}
                start = max(start - rows, 0)

    def place(self, row: int) -> str:
        """Return where a row stands."""
        for part in self.parts:
            rows = sum(len(piece["query"]) for piece in part.read(["query"]))
            if row < rows:
                return part.place(row)
            row -= rows
        raise InputError(f"{self.name}: {CHANGED}")


def not_alike(word: str, text: str, integers: str) -> DataError:
    """Return the error of files of one table whose ids are text in one and integers in another."""
    return DataError(f"{word} ids are text in {text} and integers in {integers}. Write them alike.")


# Frames, and their columns as ids and numbers: of one piece, or of all end to end.


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
    """The numbers that a column writes, true and false as 1 and 0, and of grades and scores also the words that judges write."""
    import polars as pl

    text = series.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return numbers
    words = NUMBER_WORDS.get(word, TRUTH)
    meant = text.str.to_lowercase().replace_strict(words, default=None, return_dtype=pl.Float64)
    is_of_words = numbers.null_count() == len(numbers)
    numbers = numbers.fill_null(meant) if is_of_words else numbers
    if not numbers.null_count():
        return numbers
    row = int(numbers.is_null().arg_max() or 0)
    wrong = f"{place(row)}: the {word} {series[row][:40]!r} is not a number."
    if is_of_words:
        wrong += words_read(word, text.str.to_lowercase().to_list())
    raise DataError(wrong)


@contextmanager
def _placed(place: Place, start: int) -> Iterator[None]:
    """Give the number that was changed its place; ``start`` is the first row of the piece."""
    try:
        yield
    except Changed as changed:
        raise changed.at(place(start + changed.row)) from None
