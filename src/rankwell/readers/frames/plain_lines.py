"""Lines of text in the usual form of their format, parsed by a kernel in blocks; ids stay spans of the text.

What is not of the usual form (a line with too few fields, a comment, a missing value, a number such as ``+1``, an escape) is left
to the slower reader of the whole format, block by block, as no record can go over the end of a line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankwell.kernels import delimited_text, json_keys, json_lines
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import TextBlock, blocks_in_turn
from rankwell.readers.frames import list_columns
from rankwell.readers.frames.columns import Given
from rankwell.readers.frames.list_columns import ListTable
from rankwell.readers.frames.pieces import (
    GAPPED,
    BlockPieces,
    Frames,
    Piece,
    Pieces,
    column_of,
    with_gaps,
    with_items,
)
from rankwell.readers.frames.tables import FrameRows, OpenTable
from rankwell.records import record
from rankwell.tables.columns import ID_WORDS, UnreadColumn
from rankwell.tables.ids import Ids, pack
from rankwell.tables.rows import Columns, IdStretches, Lists, Rows
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import LineAfter, Place

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 1 << 22
BLOCK_ROWS = 150_000  # so many lines and their columns stay in a processor's cache
LISTED = ("run", "qrels")  # kinds of table with a row per pair of query and item
Framed = Callable[[TextBlock], "tuple[pl.DataFrame, Place]"]


class OpenLines(OpenTable):
    """A table of text whose lines a kernel reads."""

    def __init__(
        self, frames: Frames, lines: PlainLines, place: Place, unread: tuple[UnreadColumn, ...]
    ) -> None:
        super().__init__(frames, lines.words, None, place, unread)
        self.lines = lines

    def run(self, name: str) -> Run:
        """Return the run; without score and rank the rows must be counted, so all are read."""
        if not {"score", "rank"} & set(self.words):
            return super().run(name)
        run = Run.of_rows(LineRows(self.lines, FrameRows(self, name)), name)
        run.words, run.unread = self.words, self.unread
        return run

    def qrels(self, name: str) -> Qrels:
        """Return the judgements, without the rest of the text; as frames if a line is not of the usual kind."""
        columns = self.lines.whole()
        if columns is None:
            return super().qrels(name)
        qrels = Qrels(**columns, name=name, place=self.lines.place)
        qrels.words, qrels.unread = self.words, self.unread
        return qrels

    def pieces(self, name: str) -> Pieces:
        """Return the judgements, to be read in pieces."""
        pieces = self.lines.in_pieces(name)
        pieces.unread, pieces.query_column = self.unread, self.words.get("query", "")
        return pieces


class TextTable(ABC):
    """A table of text, of which the reader of a format knows the lines and which column is which."""

    file: File
    given: Given
    words: dict[str, str]
    unread: tuple[UnreadColumn, ...]

    def opened(self, kind: str) -> OpenTable:
        """Return the wanted columns in pieces of text, with a row per item where cells hold lists of items."""
        if "item" not in self.words:
            return OpenTable(*with_items(self.pieces, self.words, self.place), None, self.place, self.unread)
        frames: Frames = self.pieces
        has_gaps = kind == "run" and not GAPPED.isdisjoint(self.words)
        if kind in LISTED:
            lists = self.in_lists(kind)
            if lists is not None:
                frames = with_gaps(lists.frames, self.words, lists.place) if has_gaps else lists.frames
                return OpenTable(
                    frames, self.words, None, lists.place, self.unread, has_gaps=lists.keeps_empty
                )
            # the kernel knows no gaps
            if not has_gaps and (lines := self.lines) is not None:
                return OpenLines(frames, lines, self.place, self.unread)
        if has_gaps:
            frames = with_gaps(frames, self.words, self.place)
        return OpenTable(frames, self.words, None, self.place, self.unread)

    def in_lists(self, kind: str) -> ListTable | None:
        """Return the table with a row per item where cells hold lists of items; None if each is one item."""
        if not list_columns.may_hold_lists(self.words, self.given):
            return None
        first = self.first_cells()
        if first is not None and list_columns.are_plain(first, self.words, self.given):
            return None
        return self.as_lists(kind).of_cells()

    def as_lists(self, kind: str) -> ListTable:
        """Return the table as one with a list of items in each row."""
        return ListTable(self.pieces, self.words, kind, self.file.label, self.given, self.place)

    @property
    @abstractmethod
    def lines(self) -> PlainLines | None:
        """The lines, if no record goes over two."""

    @abstractmethod
    def first_cells(self) -> str | None:
        """Return a text that has the first items, and maybe more; None if they cannot be seen without reading the table."""

    @abstractmethod
    def pieces(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the wanted columns in pieces."""

    @abstractmethod
    def framed(self, block: TextBlock) -> tuple[pl.DataFrame, Place]:
        """Return the rows of some lines, and where they stand."""

    @abstractmethod
    def place(self, row: int) -> str:
        """Return ``file:line`` of a row."""


class Syntax(Protocol):
    """How a line is written, as a kernel reads it."""

    def parse(self, text: np.ndarray, begin: int, end: int) -> tuple[Any, ...] | None:
        """Return what ``delimited_text.parse`` returns of some lines."""

    def last_query(self, text: np.ndarray, begin: int, end: int) -> int:
        """Return the start of the first of the last lines of one query."""


class Fields:
    """Fields with a separator between two, whose columns have names."""

    def __init__(self, separator: int, names: list[str], words: dict[str, str]) -> None:
        self.separator, self.query = separator, names.index(words["query"])
        self.roles = np.full(len(names), delimited_text.SKIPPED, np.int32)
        for word, role in _roles_of(words).items():
            self.roles[names.index(words[word])] = role

    def parse(self, text: np.ndarray, begin: int, end: int) -> tuple[Any, ...] | None:
        """Parse some lines."""
        return delimited_text.parse(text, begin, end, self.separator, self.roles)

    def last_query(self, text: np.ndarray, begin: int, end: int) -> int:
        """Return the start of the first of the last lines of one query."""
        return delimited_text.last_query(text, begin, end, self.separator, self.query)


class Objects:
    """A JSON object per line, with named values."""

    def __init__(self, words: dict[str, str]) -> None:
        names = [name.encode(errors="surrogatepass") for name in words.values()]
        self.ends = np.cumsum([len(name) for name in names])
        self.names = np.frombuffer(b"".join(names) + b" ", np.uint8)
        query = list(words).index("query")
        self.query = int(self.ends[query]) - len(names[query]), int(self.ends[query])
        self.roles = np.array(list(_roles_of(words).values()), np.int32)

    def parse(self, text: np.ndarray, begin: int, end: int) -> tuple[Any, ...] | None:
        """Parse some lines."""
        return json_lines.parse(text, begin, end, self.names, self.ends, self.roles)

    def last_query(self, text: np.ndarray, begin: int, end: int) -> int:
        """Return the start of the first of the last lines of one query."""
        return json_keys.last_query(text, begin, end, self.names, *self.query)


def _ids(words: Iterable[str]) -> list[str]:
    """The words of the columns of ids other than the query."""
    return [word for word in words if word in ID_WORDS and word != "query"]


def _numbers(words: Iterable[str]) -> list[str]:
    """The words of the columns of numbers."""
    return [word for word in words if word not in ID_WORDS]


def _roles_of(words: dict[str, str]) -> dict[str, int]:
    """What the column of each word is, as the kernels take it."""
    ids = {word: delimited_text.ID + n for n, word in enumerate(_ids(words))}
    numbers = {word: delimited_text.NUMBER + n for n, word in enumerate(_numbers(words))}
    return {word: (ids | numbers).get(word, delimited_text.QUERY) for word in words}


@record(eq=False)
class PlainLines:
    """The lines of a file from some byte on, how they are written, and which columns are which; ``framed`` reads a block in the slower way."""

    file: File
    begin: int
    words: dict[str, str]
    syntax: Syntax
    framed: Framed

    @property
    def place(self) -> Place:
        """Where a row stands if each line is one."""
        before = self.file.head[: self.begin].count(b"\n")
        return LineAfter(self.file.label, before)

    def parsed(self, block: TextBlock) -> dict[str, Any] | None:
        """Return the columns of the lines of a block, the query as stretches; None if a line is not of the usual kind."""
        columns = self.syntax.parse(block.text, block.begin, block.end)
        if columns is None:
            return None
        firsts, starts, lengths, ids, numbers, is_ascii = columns
        # the kernel does not look at the encoding
        if not is_ascii and not _is_utf_8(block):
            return None
        rows = len(ids[0][0])
        query = IdStretches(Ids.of_spans(block.text, starts, lengths), np.append(firsts, rows))
        spans = [Ids.of_spans(block.text, *span) for span in ids]
        return (
            {"query": query}
            | dict(zip(_ids(self.words), spans, strict=True))
            | dict(zip(_numbers(self.words), numbers, strict=True))
        )

    def blocks(self, size: int) -> Iterator[TextBlock]:
        """Yield blocks of about ``size`` bytes; the lines of a query that stand together stay together."""
        return blocks_in_turn(self.file, size, self.begin, self.syntax.last_query)

    def in_pieces(self, name: str) -> BlockPieces:
        """Return the lines in pieces; blocks with a line that is not of the usual kind are read as frames."""
        return BlockPieces(name, self._pieces, self.file.label)

    def _pieces(self) -> Iterator[tuple[Piece, Place]]:
        for block in self.blocks(BLOCK_BYTES):
            columns = self.parsed(block)
            if columns is not None:
                starts = columns["item"].starts
                columns["query"] = columns["query"].column()
                yield columns, partial(_place, block, starts)
                continue
            frame, place = self.framed(block)
            if len(frame):
                yield {word: column_of(frame[own], word, place, 0) for word, own in self.words.items()}, place

    def whole(self) -> dict[str, Any] | None:
        """Return the columns of all lines, without the rest of the text; None if a line is not of the usual kind, or there is none."""
        parts: dict[str, list[Any]] = {word: [] for word in self.words}
        for block in self.blocks(BLOCK_BYTES):
            columns = self.parsed(block)
            if columns is None:
                return None
            for word, part in columns.items():
                parts[word].append(_packed(part) if word in ID_WORDS else part)
        return {word: _joined(parts.pop(word)) for word in self.words} if parts["item"] else None


def _place(block: TextBlock, starts: np.ndarray, row: int) -> str:
    return block.place(int(starts[row]))


def _is_utf_8(block: TextBlock) -> bool:
    try:
        block.text[block.begin : block.end].tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def _packed(column: Ids | IdStretches) -> Ids | IdStretches:
    """The ids without the rest of the text."""
    if isinstance(column, IdStretches):
        return IdStretches(pack(column.ids), column.offsets)
    return pack(column)


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], IdStretches):
        return IdStretches.concatenate(parts)
    return Ids.concatenate(parts) if isinstance(parts[0], Ids) else np.concatenate(parts)


class LineRows(Rows):
    """The rows of a run, parsed in batches as if those of each query stood together; none is held."""

    grouped = False

    def __init__(self, lines: PlainLines, frames: FrameRows) -> None:
        self.lines, self.frames = lines, frames

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each parse one block; a file whose queries are scattered is gathered first."""
        head = self.lines.file.head
        # a block is asked for in rows and read in bytes: by the mean length of the first lines
        width = max(len(head) // max(head.count(b"\n"), 1), 4)
        for number, block in enumerate(self.lines.blocks(min(min(size, BLOCK_ROWS) * width, BLOCK_BYTES))):
            if number == 0 and not self._lists(block).queries.is_distinct():
                yield from self.regrouped().batches(size)
                return
            yield partial(self._lists, block)

    def _lists(self, block: TextBlock) -> Lists:
        columns = self.lines.parsed(block)
        if columns is None:
            return self.frames.lists(*self.lines.framed(block))
        item, query = columns["item"], columns["query"]
        score, rank = columns.get("score"), columns.get("rank")
        rows = Columns(
            None,
            item,
            score if rank is None else rank,
            place=partial(_place, block, item.starts),
            by_rank=rank is not None,
            given_score=None if rank is None else score,
            lists=(pack(query.ids), query.offsets),
        )
        return rows.lists()

    def in_pieces(self, name: str) -> BlockPieces:
        """Return the rows in pieces."""
        return self.lines.in_pieces(name)

    def table(self) -> Columns:
        """Return all rows as columns."""
        columns = self.lines.whole()
        if columns is None:
            return self.frames.table()
        return Columns.of(**columns, name=self.frames.name, place=self.lines.place)
