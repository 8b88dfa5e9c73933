"""TREC text: runs of ``query Q0 item rank score tag`` and qrels of ``query topic item grade``.

The score decides the order and the rank column is ignored; it must be a number, or the same word in every line. Ids are spans of the bytes, which are read block by block
(``StreamedRows``) or held whole (``TextRows``); nothing stays open.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.kernels import trec_lines
from rankwell.readers.blocks import Block, Buffers, Take, blocks, copied
from rankwell.readers.column_names import Given
from rankwell.readers.failures import ExplainedRows
from rankwell.readers.files import File
from rankwell.readers.pieces import BlockPieces, Piece
from rankwell.readers.scattered import CACHED_ROWS, ScatteredRows
from rankwell.readers.trec_columns import (
    GIVEN_RUN,
    PROGRAM_RUN,
    QRELS,
    RANKS,
    RUN,
    Layout,
    LineOf,
    Parsed,
    refuse_times,
)
from rankwell.tables.csr import owners
from rankwell.tables.places import Place, RowOf
from rankwell.tables.rows import Columns, Lists, Rows, Stretches
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".run", ".qrels", ".trec", ".txt")
TABLES = ("log", "sample")
FIELDS = 6  # of a line of a run
PACKED_BYTES = 12 << 20
BLOCK_BYTES = 1 << 24
# what another format looks for: at the beginning of a line, or anywhere in it
BEGINNINGS, SIGNS = (b"#", b"{", b"["), frozenset(b",;|:\0")


def recognises(start: bytes) -> bool:
    """Whether the first line is a judgement of topic 0, with tabs as in MS MARCO's files, or a row of a run with Q0.

    Other TREC text has no sign of its own: it is what no other format claims. So are such lines between blanks, if they hold a sign of
    another format.
    """
    line = start[: start.find(b"\n") + 1]  # a line without an end may go on behind what is seen
    if line.startswith(BEGINNINGS) or b"::" in line:
        return False
    fields = line.rstrip(b"\r\n").split(b"\t")
    if len(fields) == 4 and all(fields):
        return fields[1] == b"0" and fields[3].removeprefix(b"-").isdigit()
    words = line.split()
    return (
        len(words) in (4, 6)
        and words[1] in (b"0", b"Q0")
        and words[3].removeprefix(b"-").isdigit()
        and not SIGNS.intersection(line)
    )


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a TREC file; nothing is read before somebody looks."""
    layout = _layout(RUN if file.format_in is None else GIVEN_RUN, columns, file)
    return Run.of_rows(StreamedRows(file, layout), name)


def read_run_of_program(file: File) -> Run:
    """Return a run as NIST's trec_eval reads it: the rank may be any word, and any words may follow the tag."""
    rows = ExplainedRows(StreamedRows(file, PROGRAM_RUN), file, "trec")
    return Run.of_rows(rows, file.name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a TREC file."""
    parsed = Parsed(Block.whole(file), _layout(QRELS, columns, file))
    if not len(parsed.value):
        raise DataError(f"{file.label}: the file holds no judgements; a line is {QRELS[0]}.")
    query = Stretches(parsed.query, parsed.offsets)
    place = LineOf(file.label, parsed.item)
    return Qrels(
        query if query.are_long else query.column(),
        parsed.item,
        parsed.value,
        parsed.topic,
        name=name,
        place=place,
    )


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the table in a TREC file: that of a run or of judgements, or a sample as stratified judgements."""
    del columns  # they have no other names
    if kind == "sample":
        from rankwell.readers.samples import read_prels

        return read_prels(file)
    from rankwell.readers.as_frames import frame_of_qrels, frame_of_run

    if len(file.head.partition(b"\n")[0].split()) == FIELDS:
        run = read_run(file, name=file.label, columns={})
        return frame_of_run(run), RowOf(file.label)
    qrels = read_qrels(file, name=file.label, columns={})
    return frame_of_qrels(qrels), qrels.place


def open_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> BlockPieces:
    """Return the judgements in a TREC file, to be read in pieces."""
    return in_pieces(StreamedRows(file, _layout(QRELS, columns, file)), name)


def in_pieces(rows: StreamedRows, name: str) -> BlockPieces:
    """Return lines in pieces."""

    def blocks() -> Iterator[tuple[Piece, Place]]:
        for take in rows.takes():
            parsed = Parsed(take(), rows.layout)
            piece: Piece = {"query": parsed.query[owners(parsed.offsets)], "item": parsed.item}
            if parsed.topic is None:
                piece["score"] = parsed.value
            else:
                piece |= {"grade": parsed.value, "topic": parsed.topic}
            yield piece, parsed.place

    return BlockPieces(name, blocks, rows.label)


def _layout(layout: Layout, columns: Mapping[str, str], file: File) -> Layout:
    """The layout of lines, with the argument that would say what the columns of a table hold; errors for what is a table."""
    if columns:
        raise UsageError(
            f"{file.label}: TREC text has no named columns; columns= and order= are for tables such as CSV."
        )
    argument = Given.of(columns).argument
    if layout.is_qrels and file.format_in is None:
        refuse_times(file, argument)
    return layout._replace(argument=argument)


class TrecRows(Rows):
    """The lines of a TREC run; ``layout`` says which column is the number of a row: that of the score."""

    grouped = False
    label: str
    layout: Layout

    @abstractmethod
    def takes(self) -> Iterator[Take]:
        """Yield functions that each read a block."""

    def regrouped(self) -> ScatteredRows:
        """Return the same lines, those of each query together."""
        return ScatteredRows(self)


class StreamedRows(TrecRows):
    """The lines of a TREC run, read in batches as if the lines of each query stood together; none is held."""

    def __init__(self, file: File, layout: Layout) -> None:
        self.file, self.label, self.layout = file, file.label, layout

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each read one batch; a file whose queries are scattered is read and packed first."""
        head = self.file.head
        width = max(len(head) // max(head.count(b"\n"), 1), 8)
        parts = blocks(self.file, min(min(size, CACHED_ROWS) * width, BLOCK_BYTES))
        for number, take in enumerate(parts):
            if number:
                yield partial(self._lists, take)
                continue
            first = self._lists(take)
            if not first.queries.is_distinct():
                parts.close()
                del first
                yield from self.regrouped().batches(size)
                return
            if first.rows:
                yield partial(_itself, first)
            del first

    def first(self, rows: int) -> Lists:
        """Return about so many of the first lines as lists, wherever the other lines of their queries are."""
        head = self.file.head
        parts = blocks(self.file, rows * max(len(head) // max(head.count(b"\n"), 1), 8))
        with closing(parts):
            return self._lists(next(parts))

    def _lists(self, take: Take) -> Lists:
        parsed = Parsed(take(), self.layout)
        return Lists(copied(parsed.query), parsed.offsets, parsed.item, parsed.value, parsed.place)

    def in_pieces(self, name: str) -> BlockPieces:
        """Return the lines in pieces."""
        return in_pieces(self, name)

    def takes(self) -> Iterator[Take]:
        """Yield functions that each read a block."""
        return blocks(self.file, PACKED_BYTES)

    def owned(self) -> TextRows:
        """Return the same lines, held by rankwell."""
        return TextRows(self.file, self.layout)

    def table(self) -> Columns:
        """Return all lines as columns."""
        return self.owned().table()


def _itself(lists: Lists) -> Lists:
    return lists


class TextRows(TrecRows):
    """The lines of a TREC run that rankwell holds, read in batches as if the lines of each query stood together."""

    def __init__(self, file: File, layout: Layout) -> None:
        self.block, self.label, self.layout = Block.whole(file), file.label, layout

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each read one batch; a file whose queries are scattered is packed first."""
        text, at, end = self.block.text, self.block.begin, self.block.end
        size = min(size, CACHED_ROWS)
        sample = text[at : at + 65536]
        width = max(len(sample) // max(int(np.count_nonzero(sample == 10)), 1), 8)
        columns = Buffers()
        cut = self._cut(at, end, size * width)
        first = self._lists(at, cut, columns)
        if not first.queries.is_distinct():
            del first
            yield from self.regrouped().batches(size)
            return
        if first.rows:
            yield partial(_itself, first)
        del first
        at = cut
        while at < end:
            cut = self._cut(at, end, size * width)
            yield partial(self._lists, at, cut, columns)
            at = cut

    def _cut(self, at: int, end: int, length: int) -> int:
        return trec_lines.next_query(self.block.text, at + length, end) if at + length < end else end

    def _lists(self, begin: int, end: int, columns: Buffers) -> Lists:
        parsed = Parsed(Block(self.block.file, self.block.text, begin, end, 0, columns), self.layout)
        return Lists(
            copied(parsed.query), parsed.offsets, parsed.item, parsed.value, LineOf(self.label, parsed.item)
        )

    def owned(self) -> TextRows:
        """Return these rows: they are held."""
        return self

    def takes(self) -> Iterator[Take]:
        """Yield functions that each give some of the lines."""
        at, columns = self.block.begin, Buffers()
        while at < self.block.end:
            end = trec_lines.line_after(self.block.text, at + PACKED_BYTES, self.block.end)
            yield partial(Block, self.block.file, self.block.text, at, end, 0, columns)
            at = end

    def with_ranks(self) -> TextRows:
        """Return the same lines with the rank column, which evaluation ignores, in place of the score."""
        other = copy.copy(self)
        other.layout = RANKS
        return other

    def table(self) -> Columns:
        """Return all lines as columns."""
        parsed = Parsed(self.block, self.layout)
        query = parsed.query[owners(parsed.offsets)]
        return Columns(query, parsed.item, parsed.value, place=LineOf(self.label, parsed.item))
