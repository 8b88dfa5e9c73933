"""Tables with named columns: Polars, pandas, pyarrow, DuckDB and anything else that speaks Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, NoRowsError
from rankwell.readers.frames.columns import NONE_GIVEN
from rankwell.readers.frames.in_memory import frame_of, index_of, is_records, matrix_advice, refuse_unlike_ids
from rankwell.readers.frames.list_columns import ListTable, words_of
from rankwell.readers.frames.pieces import (
    GAPPED,
    PIECE,
    FramePieces,
    Frames,
    PartFrames,
    Pieces,
    are_references,
    column_of,
    spans_of,
    with_gaps,
    with_items,
)
from rankwell.readers.frames.scans import polars_errors
from rankwell.readers.frames.unread import Read, unread_of, warn_of_total
from rankwell.records import record
from rankwell.tables.columns import ID_WORDS, WORDS, UnreadColumn
from rankwell.tables.ids import NO_STARTS, NO_TEXT, Ids, pack
from rankwell.tables.items_users import Items
from rankwell.tables.rows import Columns, DividedIds, Division, IdStretches, Lists, Rows, lowest_rank
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import Place, RowOf, end_to_end

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.bytes.files import File

NEAR = 64  # rows that are compared first


def run_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Run:
    """Return the run in a table with query, item, and score or rank (or neither: the order of the rows)."""
    return open_table(table, "run", name, columns).run(name)


def qrels_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Qrels:
    """Return the judgements in a table with query, item, and perhaps grade, topic and propensity."""
    return open_table(table, "qrels", name, columns).qrels(name)


def items_of(table: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Items:
    """Return the catalogue in a table with an item column."""
    return open_table(table, "items", name, columns).items(name)


def open_table(
    table: Any, kind: str, name: str, columns: Mapping[str, str] = NONE_GIVEN, *, label: str = ""
) -> OpenTable:
    """Return the table of a run, of judgements or of items in pieces; ``label`` is what errors call one that Polars found itself."""
    import polars as pl

    source, table = table, frame_of(table, name)
    is_held = isinstance(table, pl.DataFrame)

    def read(names: list[str]) -> Frames:
        part = table.select(names)
        return part.iter_slices if is_held else ScannedFrames(part, label)

    rows = len(table) if is_held else None
    # one that Polars reads later may not be what it was meant to be
    with nullcontext() if is_held else polars_errors(label or name):
        schema = table.collect_schema()
    if kind == "qrels" and not columns and are_references(schema):
        return OpenTable(*spans_of(table.lazy().collect(), RowOf(label or name)))
    try:
        words = words_of(schema, WORDS[kind], name, columns)
    except DataError as error:
        advice = matrix_advice(source) or index_of(source)
        raise DataError(f"{error}{advice}") if advice else error from None
    if source is not table and is_records(source):
        for word in {"query", "item"} & set(words):
            refuse_unlike_ids(source, word, words[word], RowOf(name))
    if is_held and kind in ("run", "qrels") and "item" in words and len(table):
        warn_of_total(table[words["item"]][-1], words["item"], name)
    return open_columns(read, schema, words, kind, name, columns, rows=rows)


def open_columns(
    read: Read,
    schema: Mapping[str, pl.DataType],
    words: dict[str, str],
    kind: str,
    name: str,
    columns: Mapping[str, str],
    *,
    label: str = "",
    rows: int | None = None,
) -> OpenTable:
    """Return a table of which ``read`` gives some columns in pieces; ``label`` is what messages about its columns call it."""
    unread = unread_of(schema, words, kind, label or name, columns, read)
    frames = read([*words.values()])
    if "item" not in words:
        return OpenTable(*with_items(frames, words, RowOf(label or name)), rows, None, unread)
    lists = ListTable(frames, words, kind, name, columns).of_schema(schema)
    has_gaps = kind == "run" and not GAPPED.isdisjoint(words)
    if lists is not None:
        frames = with_gaps(lists.frames, words, lists.place) if has_gaps else lists.frames
        return OpenTable(frames, words, None, lists.place, unread, has_gaps=lists.keeps_empty)
    frames = with_gaps(frames, words, RowOf(label or name)) if has_gaps else frames
    return OpenTable(frames, words, rows, None, unread)


@record(eq=False)
class OpenTable:
    """A table in pieces: which of its columns are wanted, and if they are known its number of rows and their places; and what is not read."""

    frames: Frames
    words: dict[str, str]
    rows: int | None = None
    place: Place | None = None
    unread: tuple[UnreadColumn, ...] = ()
    has_gaps: bool = False  # whether a row without an item may say that a list is empty

    def run(self, name: str) -> Run:
        """Return the run; without score and rank the rows must be counted, so all are read."""
        rows = FrameRows(self, name)
        run = Run.of_rows(rows if "score" in self.words or "rank" in self.words else rows.table(), name)
        run.words, run.unread, run.has_pads = self.words, self.unread, self.has_gaps
        return run

    def qrels(self, name: str) -> Qrels:
        """Return the judgements."""
        qrels = Qrels(**self.whole(name, stretched="query"), name=name, place=self.place or RowOf(name))
        qrels.words, qrels.unread = self.words, self.unread
        return qrels

    def items(self, name: str) -> Items:
        """Return the catalogue."""
        return Items(self.whole(name)["item"], name=name)

    def pieces(self, name: str) -> Pieces:
        """Return the judgements, to be read in pieces."""
        pieces = FramePieces(self.frames, self.words, name, self.place or RowOf(name))
        pieces.unread, pieces.query_column = self.unread, self.words.get("query", "")
        return pieces

    def whole(self, name: str, *, stretched: str | None = None) -> dict[str, Any]:
        """Return the columns of all pieces, end to end; with the number of rows known, numbers are copied only once.

        A ``stretched`` column is given as stretches of rows, unless those of the first piece are short.
        """
        growing = {word: GrowingColumn(self.rows) for word in self.words}
        place, row = self.place or RowOf(name), 0
        for frame in self.frames(PIECE):
            for word, column in self.words.items():
                part: Any = column_of(frame[column], word, place, row)
                if word == stretched and isinstance(part, Ids):
                    stretches = stretches_of(part)
                    stretched = word if row or stretches.are_long else None
                    part = stretches if stretched else part
                growing[word].add(part, row)
            row += len(frame)
        if not row:
            raise NoRowsError(f"{name}: the table holds no rows.")
        return {word: column.whole(is_id=word in ID_WORDS) for word, column in growing.items()}


class GrowingColumn:
    """A column that grows piece by piece, in memory of its own; what is in a known number of rows has its place at once."""

    def __init__(self, rows: int | None) -> None:
        self.rows, self.parts = rows, list[Any]()
        self.filled: list[np.ndarray] = []  # the numbers; or of text keys, starts and lengths

    def add(self, part: Ids | IdStretches | np.ndarray, row: int) -> None:
        """Add a piece that begins at a row."""
        if self.rows is None or isinstance(part, IdStretches):
            self.parts.append(part)
            return
        columns = [part.integers if not part.is_text else part.keys] if isinstance(part, Ids) else [part]
        if isinstance(part, Ids) and part.is_text:
            columns += [part.starts + sum(map(len, self.parts)), part.lengths]
            self.parts.append(part.text)
        self.filled = self.filled or [np.empty(self.rows, column.dtype) for column in columns]
        for filled, column in zip(self.filled, columns, strict=True):
            filled[row : row + len(column)] = column

    def whole(self, *, is_id: bool) -> Ids | IdStretches | np.ndarray:
        """Return the whole column."""
        if self.filled and self.parts:
            keys, starts, lengths = self.filled
            return Ids(keys, np.concatenate(self.parts), starts, lengths)
        if self.filled:
            return Ids.of_integers(self.filled[0]) if is_id else self.filled[0]
        if isinstance(self.parts[0], IdStretches):
            return IdStretches.concatenate(self.parts)
        return Ids.concatenate(self.parts).owned() if is_id else np.concatenate(self.parts)


def stretches_of(ids: Ids) -> IdStretches:
    """Return the stretches of equal ids in a column, in memory of their own."""
    stretches = IdStretches.of(ids)
    return IdStretches(pack(stretches.ids), stretches.offsets) if ids.is_text else stretches


class TableReader:
    """What a format of tables reads of a file, all by what ``opened(file, kind, name, columns)`` returns."""

    def __init__(self, opened: Callable[[File, str, str, Mapping[str, str]], OpenTable]) -> None:
        self.opened = opened

    def read_run(self, file: File, *, name: str, columns: Mapping[str, str]) -> Run:
        """Return the run in a file; its rows are read when somebody looks."""
        return self.opened(file, "run", name, columns).run(name)

    def read_qrels(self, file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
        """Return the judgements in a file."""
        return self.opened(file, "qrels", name, columns).qrels(name)

    def read_items(self, file: File, *, name: str, columns: Mapping[str, str]) -> Items:
        """Return the catalogue in a file."""
        return self.opened(file, "items", name, columns).items(name)

    def open_qrels(self, file: File, *, name: str, columns: Mapping[str, str]) -> Pieces:
        """Return the judgements in a file, to be read in pieces."""
        return self.opened(file, "qrels", name, columns).pieces(name)


class FrameRows(Rows):
    """The rows of a run in a table, read in batches as if the rows of each query stood together."""

    grouped = False

    def __init__(self, opened: OpenTable, name: str) -> None:
        self.opened, self.name, self.place = opened, name, opened.place or RowOf(name)
        self.frames, self.words, self.rows = opened.frames, opened.words, opened.rows

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
            # a table in one piece has no seams
            if len(piece) != self.rows:
                first, last = self._whole_lists(piece, seams[-1][1] if seams else piece[:0])
            if first:
                rest = piece if first == len(piece) else _owned(piece[:first])
                seams[-1] = seams[-1][0], seams[-1][1].vstack(rest)
            if first < last:
                yield partial(self.lists, piece[first:last], self._place_after(row + first))
            if last < len(piece):
                # enough rows lie between the seams for a batch of their own
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
        # a piece that is one list, begun before, is no seam yet: the list may go on behind it
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
        columns = self._columns(frame, place)
        return (columns.without_gaps() if self.opened.has_gaps else columns).lists()

    def _joined(self, seams: list[tuple[int, pl.DataFrame]]) -> Lists:
        import polars as pl

        place = end_to_end([len(seam) for _, seam in seams], [self._place_after(row) for row, _ in seams])
        return self.lists(pl.concat([seam for _, seam in seams], rechunk=True), place)

    def in_pieces(self, name: str) -> FramePieces:
        """Return the rows in pieces."""
        return FramePieces(self.frames, self.words, name, self.place)

    def regrouped(self) -> Rows:
        """Return the same rows, divided into parts of whole lists; the number of rows must be known for that."""
        if self.rows is None:
            return self.table()
        return PartedRows(self)

    def table(self) -> Columns:
        """Return all rows as columns."""
        columns = Columns.of(**self.opened.whole(self.name), name=self.name, place=self.place)
        return columns.without_gaps() if self.opened.has_gaps else columns


def _owned(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows without the rest of the piece that they are a part of."""
    import polars as pl

    # To take rows, or to rechunk a frame, would wait for the threads that decode. Two pieces of a column are made one here and now.
    return pl.DataFrame([column[:1].append(column).rechunk()[1:] for column in frame])


def _repeats(column: pl.Series, query: pl.Series, *, from_end: bool = False) -> int:
    """How many of the first rows repeat a query, or of the last ones."""
    if not len(query):
        return 0
    near, query_id = (
        (column.tail(NEAR).to_list()[::-1] if from_end else column.head(NEAR).to_list()),
        query[0],
    )
    for place, query_near in enumerate(near):  # most lists are short, and comparing a column takes longer
        if query_near != query_id:
            return place
    looked = len(near)
    while looked < len(column):
        looked *= NEAR
        rows = column.tail(looked).reverse() if from_end else column.head(looked)
        differs = rows.ne_missing(query)
        if differs.any():
            return int(differs.arg_max() or 0)
    return len(column)


class ScannedFrames(PartFrames):
    """A table that Polars reads later, in frames."""

    def __init__(self, table: pl.LazyFrame, label: str = "") -> None:
        self.table, self.label = table, label

    def __call__(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the frames; what Polars raises for a table that it found itself is an InputError."""
        with polars_errors(self.label) if self.label else nullcontext():
            yield from self.table.collect_batches(chunk_size=size, maintain_order=True, lazy=True)


# Rows in any order, divided into parts of whole lists while the pieces of their table are read.


@record(eq=False)
class DividedPiece:
    """Rows of a piece of a table, part by part: the row of the table that it begins at, how it is divided, and the columns.

    ``base`` is the rank of a first item, as far as this piece tells; None where scores rule.
    """

    start: int
    division: Division
    query: DividedIds
    item: DividedIds
    key: np.ndarray
    given: np.ndarray | None
    base: int | None
    extra: Mapping[str, DividedIds | np.ndarray]


def narrow(numbers: np.ndarray) -> np.ndarray:
    """Return whole numbers in the smallest type that holds them, others as they are.

    >>> narrow(np.array([1, 128])).dtype, narrow(np.array([0.5])).dtype
    (dtype('int16'), dtype('float64'))
    """
    if numbers.dtype.kind != "i" or not len(numbers):
        return numbers
    low, high = int(numbers.min()), int(numbers.max())
    types = (np.int8, np.int16, np.int32, np.int64)
    return numbers.astype(next(kind for kind in types if -low - 1 <= np.iinfo(kind).max >= high), copy=False)


def _narrow_ids(division: Division, ids: Ids) -> DividedIds:
    """A column of ids part by part, of which all rows are held at once."""
    if ids.is_text:
        return division.ids(ids)
    return DividedIds(division.numbers(narrow(ids.integers)), NO_TEXT, NO_STARTS)


class PartedRows(Rows):
    """The rows of a run in a table of any order; each piece of the table is divided while it is in a processor's cache."""

    grouped = True

    def __init__(self, framed: FrameRows) -> None:
        self.framed = framed

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows."""
        parts = -(-(self.framed.rows or 1) // size)
        pieces, row = [], 0
        for frame in self.framed.frames(PIECE):
            pieces.append(self._divided(frame, row, parts))
            row += len(frame)
        base = min((piece.base for piece in pieces if piece.base is not None), default=None)
        for part in range(parts):
            shares = [(piece, *piece.division.offsets[part : part + 2].tolist()) for piece in pieces]
            if shares := [share for share in shares if share[1] < share[2]]:
                yield partial(self._lists, part, shares, base)

    def _divided(self, frame: pl.DataFrame, start: int, parts: int) -> DividedPiece:
        columns = self.framed.columns(frame, start)
        division = Division.of(columns.query, parts)
        scores = None if columns.given_score is None else division.numbers(columns.given_score)
        return DividedPiece(
            start,
            Division(narrow(division.codes), division.offsets),  # kept to find a row by
            _narrow_ids(division, columns.query),
            _narrow_ids(division, columns.item),
            division.numbers(narrow(columns.key)),
            scores,
            lowest_rank(columns.key) if columns.by_rank else None,
            {
                word: division.ids(column) if isinstance(column, Ids) else division.numbers(column)
                for word, column in columns.extra.items()
            },
        )

    def _lists(self, part: int, shares: list[tuple[DividedPiece, int, int]], base: int | None) -> Lists:
        pieces, rows = [piece for piece, *_ in shares], [(low, high) for _, low, high in shares]
        scores = [piece.given[low:high] for piece, low, high in shares if piece.given is not None]
        extra: dict[str, Any] = {word: [piece.extra[word] for piece in pieces] for word in pieces[0].extra}
        columns = Columns(
            DividedIds.joined([piece.query for piece in pieces], part, rows),
            DividedIds.joined([piece.item for piece in pieces], part, rows),
            np.concatenate([piece.key[low:high] for piece, low, high in shares]),
            place=lambda row: self._place(shares, row),
            by_rank=base is not None,
            given_score=np.concatenate(scores) if scores else None,
            extra={
                word: DividedIds.joined(columns, part, rows)
                if isinstance(columns[0], DividedIds)
                else np.concatenate(
                    [column[low:high] for column, (low, high) in zip(columns, rows, strict=True)]
                )
                for word, columns in extra.items()
            },
        )
        columns.rank_base = base
        return columns.lists()

    def _place(self, shares: list[tuple[DividedPiece, int, int]], row: int) -> str:
        def place_in(piece: DividedPiece, low: int) -> Place:
            return lambda row: self.framed.place(piece.start + piece.division.row(low + row))

        lengths = [high - low for _, low, high in shares]
        return end_to_end(lengths, [place_in(piece, low) for piece, low, _ in shares])(row)

    def table(self) -> Columns:
        """Return all rows as columns."""
        return self.framed.table()
