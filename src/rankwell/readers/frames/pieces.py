"""Tables read in pieces, each time from the start: columns by word, in the order of the rows; none is held. Cells that a run may lack are marked,
spans of documents become items ``document:start-end``.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from rankwell.errors import DataError, InputError, brief
from rankwell.readers.bytes.files import CHANGED, File
from rankwell.readers.frames.thousands import beside
from rankwell.tables.cells import kinds_of
from rankwell.tables.columns import (
    EXTRA,
    ID_WORDS,
    NUMBER_WORDS,
    SPAN,
    TRUTH,
    UnreadColumn,
    merge_unread,
    words_read,
)
from rankwell.tables.ids import Ids
from rankwell.tables.rows import NO_ID, Columns, are_items, filled
from rankwell.tables.run_qrels import Matrix, Qrels, Run
from rankwell.tables.series import (
    Changed,
    Place,
    how_to_write,
    numbers_of,
    refuse_changed,
    refuse_changed_text,
)

if TYPE_CHECKING:
    import polars as pl


PIECE = 250_000
HEAD = 1000  # rows
PLAIN_QRELS = ("grade", "topic", "subgroup", "topic_weight", "propensity", "imputed")
Frames = Callable[[int], "Iterator[pl.DataFrame]"]
Piece = dict[str, Ids | np.ndarray]
GAPPED = frozenset(EXTRA)
# of questions with references, as Chroma's evaluation of chunkings has them
REFERENCES = ("question", "references", "corpus_id")
REFERENCE_ENDS = ("start_index", "end_index")


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
        return 0 if found is None else int(are_items(found).sum())


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
    return held_run(rows.table().with_gaps(), run.name)


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
    if series.dtype == pl.Object and str in (kinds := kinds_of(series)) and kinds <= {str, int, float}:
        series = pl.Series(
            series.name, [str(cell) for cell in series]
        )  # as other tables write numbers in text
    if series.dtype == pl.String:
        floats = _numbers_in(series, word, lambda row: place(start + row)).to_numpy()
        with _placed(place, start):
            refuse_changed_text(series, floats, word)
        return floats
    if series.dtype == pl.Object:  # of several types, such as Decimals and whole numbers
        return numbers_of(series.to_list(), word, lambda row: place(start + row))
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
    if series[row].strip() == series.name:
        advice = " The header stands here again: remove the line."
    else:
        advice = how_to_write(series[row])
        advice += beside(series[row], series) if advice else ""
        if is_of_words and not advice:
            advice = words_read(word, text.str.to_lowercase().to_list())
        if not advice and row == 0 and numbers.null_count() == 1 < len(numbers):
            advice = " All others are: if it is a second line of the header, remove the line."
    raise DataError(wrong + advice)


@contextmanager
def _placed(place: Place, start: int) -> Iterator[None]:
    """Give the number that was changed its place; ``start`` is the first row of the piece."""
    try:
        yield
    except Changed as changed:
        raise changed.at(place(start + changed.row)) from None


def with_gaps(frames: Frames, words: Mapping[str, str], place: Place) -> Frames:
    """Return a run in pieces in which no wanted cell is missing; ``words`` says which columns are wanted, ``GAPPED`` ones among them.

    A row that has a part needs no item, and then no score and no rank. Missing numbers of the columns that only some metrics need are nan.
    """

    def read(size: int) -> Iterator[pl.DataFrame]:
        row = 0
        for frame in frames(size):
            yield fill_gaps(frame, words, lambda at, row=row: place(row + at), has_parts="part" in words)  # type: ignore[misc]
            row += len(frame)

    return read


def fill_gaps(
    frame: pl.DataFrame, words: Mapping[str, str], place: Place, *, has_parts: bool
) -> pl.DataFrame:
    """Return a piece of such a table without missing cells; DataError names the place of a number that is none."""
    import polars as pl

    columns = []
    for word, column in words.items():
        series = frame[column]
        if word in EXTRA and word not in ID_WORDS:
            columns.append(pl.Series(column, _numbers(series, word, place)))
        elif has_parts and word in ("item", "part"):
            columns.append(filled(series))
        elif has_parts and word in ("score", "rank"):
            missing = series.fill_nan(None) if series.dtype.is_float() else series
            item = filled(frame[words["item"]])
            if item.dtype != pl.String and not item.dtype.is_integer():
                continue  # no ids: refused where they are made
            is_free = missing.is_null() & (item == (NO_ID if item.dtype.is_integer() else ""))
            one = pl.Series([1]).cast(series.dtype) if series.dtype != pl.Null else pl.Series([1])
            ones = one.new_from_index(0, len(frame)).zip_with(is_free, series.cast(one.dtype))
            columns.append(ones.alias(column))
    return frame.with_columns(columns)


def _numbers(series: pl.Series, word: str, place: Callable[[int], str]) -> np.ndarray:
    """A column of numbers, nan where there is none."""
    series = series.fill_nan(None) if series.dtype.is_float() else series
    rows = np.flatnonzero(series.is_not_null().to_numpy())
    numbers = np.full(len(series), np.nan)
    if len(rows):
        numbers[rows] = column_of(series.drop_nulls(), word, lambda row: place(int(rows[row])), 0)
    return numbers


def with_items(frames: Frames, words: Mapping[str, str], place: Place) -> tuple[Frames, dict[str, str]]:
    """Return a table, and which column of it is which, with items in place of spans if it holds spans."""
    if "start" not in words or "item" in words:
        return frames, dict(words)
    from rankwell.tables.spans import Spans  # of few judgements

    column = words["document"]

    def with_item(size: int) -> Iterator[pl.DataFrame]:
        row = 0
        for frame in frames(size):
            spans = Spans.of_frame(frame, words, lambda at, row=row: place(row + at))  # type: ignore[misc]
            yield frame.with_columns(spans.texts().alias(column))
            row += len(frame)

    return with_item, {word: own for word, own in words.items() if word not in SPAN} | {"item": column}


def are_references(columns: Collection[str]) -> bool:
    """Whether a table has the columns of such questions.

    >>> are_references(["question", "references", "corpus_id"]), are_references(["query", "references", "corpus_id"])
    (True, False)
    """
    return set(REFERENCES).issubset(columns)


def spans_of(frame: pl.DataFrame, place: Place) -> tuple[Frames, dict[str, str], int, Place]:
    """Return a table with a row per reference: its frames, its columns by word, its length, and where a row stands; the question is the query.

    DataError names the row whose references are no list of objects with a start and an end.
    """
    import json

    import polars as pl

    owners: list[int] = []
    rows: list[tuple[Any, ...]] = []
    for row, (question, cell, document) in enumerate(frame.select(REFERENCES).iter_rows()):
        try:
            references = json.loads(cell) if isinstance(cell, str) else cell
            ends = [[str(reference[end]) for end in REFERENCE_ENDS] for reference in references]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise DataError(
                f"{place(row)}: the references {brief(cell)} are no list of objects with start_index and end_index, as JSON. Fix them."
            ) from None
        rows += [(question, document, *each) for each in ends]
        owners += [row] * len(ends)
    words = {word: word for word in ("query", "document", "start", "end")}
    table = pl.DataFrame(rows, list(words), orient="row")

    def of_question(row: int) -> str:
        return place(owners[row])

    frames, words = with_items(table.iter_slices, words, of_question)
    return frames, words, len(table), of_question
