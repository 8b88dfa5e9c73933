"""Pieces of a table as tables: joined end to end, as the run or the judgements that they are; rows in any order are divided by a hash of their query."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np

from rankwell.errors import InputError
from rankwell.readers.frames.pieces import Piece, Pieces
from rankwell.records import record
from rankwell.tables.ids import Ids, pack, to_same_kind
from rankwell.tables.rows import Columns, Division
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.series import Place

Tables = Mapping[str, Pieces]


def concatenate(pieces: Sequence[Piece], empty: Piece) -> Piece:
    """Return pieces end to end; ``empty`` tells the columns if there are none."""
    if not pieces:
        return empty
    if len(pieces) == 1:
        return pieces[0]
    whole: Piece = {}
    for word, first in pieces[0].items():
        columns: list[Any] = [piece[word] for piece in pieces]
        whole[word] = Ids.concatenate(columns) if isinstance(first, Ids) else np.concatenate(columns)
    return whole


def ids_in(piece: Piece, word: str = "query") -> Ids:
    """Return a column of ids of a piece."""
    column = piece[word]
    assert isinstance(column, Ids)
    return column


def numbers_in(piece: Piece, word: str) -> np.ndarray:
    """Return a column of numbers of a piece."""
    column = piece[word]
    assert isinstance(column, np.ndarray)
    return column


def own_piece(piece: Piece) -> Piece:
    """Return a piece without the rest of the text or the table that it is a part of."""
    return {word: _own_column(column) for word, column in piece.items()}


def _own_column(column: Ids | np.ndarray) -> Ids | np.ndarray:
    if isinstance(column, Ids):
        return pack(column) if column.is_text else column.owned()
    return column.copy()


def run_of(piece: Piece, name: str, place: Place, rank_base: int) -> Columns:
    """Return some rows of a run."""
    rows = Columns.of(**piece, name=name, place=place, is_whole=False, rank_base=rank_base)  # type: ignore[arg-type]
    return rows.without_gaps()


def qrels_of(piece: Piece, name: str, place: Place) -> Qrels:
    """Return some judgements."""
    return Qrels(**piece, name=name, place=place)  # type: ignore[arg-type]


@record
class StoredColumn:
    """Where a column lies in the file: the kind of its numbers and their place; of text, those of the lengths of its ids.

    ``text`` is the place of the text, ``cuts`` where each part begins in it.
    """

    kind: str
    at: int
    text: int = -1
    cuts: tuple[int, ...] = ()


@record
class Slab:
    """Rows of a piece of a table, part by part."""

    offsets: tuple[int, ...]
    columns: Mapping[str, StoredColumn]
    end: int


class Buckets:
    """A table divided into parts, which lies in a file."""

    def __init__(self, file: IO[bytes], parts: int, empty: Piece, slabs: Sequence[Slab] = ()) -> None:
        self.file, self.parts, self.empty, self.slabs = file, parts, empty, list(slabs)
        self.rows = sum(slab.offsets[-1] for slab in self.slabs)
        self.file.seek(self.slabs[-1].end if self.slabs else 0)

    def fill(self, pieces: Pieces, rows: int, like: Ids | None) -> Iterator[int]:
        """Put by all rows that are not there yet, some ``rows`` at a time; yield how many whenever they are in the file."""
        waiting: list[Piece] = []
        n = 0
        for piece in pieces.read(None, self.rows):
            waiting.append(piece)
            n += len(ids_in(piece))
            if n >= rows:
                self.put(concatenate(waiting, self.empty), like)
                yield n
                waiting, n = [], 0
        if waiting:
            self.put(concatenate(waiting, self.empty), like)
            yield n

    def put(self, piece: Piece, like: Ids | None = None) -> None:
        """Put by a piece; InputError if there is no room for it."""
        query = ids_in(piece) if like is None else to_same_kind(ids_in(piece), like, "query")[0]
        division = Division.of(query, self.parts)
        try:
            columns = {word: self._write(column, division) for word, column in piece.items()}
            self.file.flush()
        except OSError as error:
            raise InputError(
                f"rows cannot be put by in a temporary file: {error.strerror}. Free some space, or name a folder elsewhere by the "
                f"environment variable TMPDIR or by resume=."
            ) from error
        self.slabs.append(Slab(tuple(division.offsets.tolist()), columns, self.file.tell()))
        self.rows += len(query)

    def _write(self, column: Ids | np.ndarray, division: Division) -> StoredColumn:
        if isinstance(column, np.ndarray):
            return StoredColumn(column.dtype.str, self._append(division.numbers(column)))
        divided = division.ids(column)  # text of a part lies together, so that a part is read in one piece
        if not divided.is_text:
            return StoredColumn("id", self._append(divided.numbers))
        at = self._append(divided.numbers)
        return StoredColumn("text", at, self._append(divided.text), tuple(divided.cuts.tolist()))

    def _append(self, numbers: np.ndarray) -> int:
        at = self.file.tell()
        self.file.write(np.ascontiguousarray(numbers).data.cast("B") if len(numbers) else b"")
        return at

    def part(self, number: int) -> Piece:
        """Return the rows of a part, in their order."""
        return concatenate(list(self.pieces(number)), self.empty)

    def pieces(self, number: int) -> Iterator[Piece]:
        """Yield the rows of a part that were put by together."""
        for slab in self.slabs:
            low, high = slab.offsets[number : number + 2]
            if low < high:
                yield {word: self._read(stored, low, high, number) for word, stored in slab.columns.items()}

    def _read(self, stored: StoredColumn, low: int, high: int, number: int) -> Ids | np.ndarray:
        if stored.kind == "id":
            return Ids.of_integers(self._numbers("<i8", stored.at, low, high))
        if stored.kind == "text":
            text = self._numbers("u1", stored.text, *stored.cuts[number : number + 2])
            return Ids.of_lengths(text, self._numbers("<i4", stored.at, low, high))
        return self._numbers(stored.kind, stored.at, low, high)

    def _numbers(self, kind: str, at: int, low: int, high: int) -> np.ndarray:
        size = np.dtype(kind).itemsize
        # at a place, not from where the file stands: rows may be put by between two reads
        content = os.pread(self.file.fileno(), (high - low) * size, at + low * size)
        if len(content) < (high - low) * size:
            raise InputError(
                "rows that were put by in a temporary file are gone. Remove the folder of resume=, and begin again."
            )
        return np.frombuffer(content, kind)
