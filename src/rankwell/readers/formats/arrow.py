"""Arrow IPC files (Feather) and streams with named columns."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import InputError
from rankwell.readers.bytes.files import HARMLESS, MOST_GROWTH, Damage, File, explain_damage
from rankwell.readers.frames import tables
from rankwell.readers.frames.list_columns import words_of
from rankwell.readers.frames.scans import FileFrames, schema_of, whole_table
from rankwell.tables.columns import WORDS
from rankwell.tables.series import Place, RowOf

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".arrow", ".feather", ".ipc", ".arrows")
FILE, STREAM, OLD_FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"
MARK, CONTINUED = b"ARROW1", b"\xff\xff\xff\xff"
BLOCK, BUFFER = 24, 16  # bytes of the structures
DICTIONARY, BATCH = 2, 3  # kinds of message that have buffers


def recognises(start: bytes) -> bool:
    """Whether a file begins like an Arrow IPC file or stream."""
    return start.startswith((FILE, STREAM, OLD_FEATHER))


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in an Arrow file."""
    del kind, columns  # all columns have their names
    table = _scan(file)
    return whole_table(FileFrames(table, file, "Arrow"), table.collect_schema()), RowOf(file.label)


def _opened(file: File, kind: str, name: str, columns: Mapping[str, str]) -> tables.OpenTable:
    """The table in pieces."""
    table = _scan(file)
    schema = table.collect_schema()
    words = words_of(schema, WORDS[kind], file.label, columns)

    def read(wanted: list[str]) -> FileFrames:
        return FileFrames(table.select(wanted), file, "Arrow")

    return tables.open_columns(read, schema, words, kind, name, columns, label=file.label)


READER = tables.TableReader(_opened)
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items
open_qrels = READER.open_qrels


def _scan(file: File) -> pl.LazyFrame:
    """The table, to be read later."""
    import polars as pl

    if file.head.startswith(OLD_FEATHER):
        raise InputError(f"{file.label}: this is Feather version 1. Write it again as version 2 or Parquet.")

    def scan() -> pl.LazyFrame:
        if file.head.startswith(STREAM):
            return pl.read_ipc_stream(file.source(), use_pyarrow=False).lazy()
        return pl.scan_ipc(file.source(), glob=False)

    check_buffers(file)
    return schema_of(scan, file, "Arrow")[0]


# A compressed buffer begins with its decompressed size. Polars allocates that much, so a damaged size of 2^62 bytes kills the process.
# So the sizes are read first, from FlatBuffers tables (Message.fbs, Schema.fbs and File.fbs of the Arrow format).


def check_buffers(file: File) -> None:
    """Raise InputError if a message or a buffer cannot be as it says."""
    content = file.mapped
    with explain_damage(file, "Arrow", struct.error, ValueError):
        for start, body in _messages(content):
            _check_message(content, start, body)


def _messages(content: np.ndarray) -> Iterator[tuple[int, int]]:
    """Where each message and its body begin, by the footer of a file or one after another in a stream."""
    if content[: len(MARK)].tobytes() != MARK:
        yield from _stream(content)
        return
    if content[-len(MARK) :].tobytes() != MARK:
        raise Damage("its end is missing")
    end = len(content) - len(MARK) - 4
    footer = _Table.root(content, end - _number("<i", content, end))
    for field in (2, 3):  # dictionaries, batches
        for at in footer.vector(field, BLOCK):
            offset, length = _number("<q", content, at), _number("<i", content, at + 8)
            yield offset, offset + length


def _stream(content: np.ndarray) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 8 <= len(content) and content[at : at + 4].tobytes() == CONTINUED:
        length = _number("<i", content, at + 4)
        if not length:
            return
        body = at + 8 + length
        yield at, body
        size = _Table.root(content, at + 8).number("<q", 3)
        if length < 0 or size < 0:
            raise Damage("a message has a negative length")
        at = body + size


def _check_message(content: np.ndarray, start: int, body: int) -> None:
    # since Arrow 0.15 a mark stands before the length of a message
    at = start + (8 if content[start : start + 4].tobytes() == CONTINUED else 4)
    message = _Table.root(content, at)
    kind, size = message.number("<B", 1), message.number("<q", 3)
    if kind not in (DICTIONARY, BATCH):
        return
    if not 0 <= body <= body + size <= len(content):
        raise Damage("a batch would end after the file")
    batch = message.table(2)
    if batch is not None and kind == DICTIONARY:
        batch = batch.table(1)
    if batch is None:
        raise Damage("a batch has no header")
    is_compressed = batch.table(3) is not None
    for place in batch.vector(2, BUFFER):
        offset, length = _number("<q", content, place), _number("<q", content, place + 8)
        if not 0 <= offset <= offset + length <= size or length < 0:
            raise Damage("a buffer would lie outside of its batch")
        whole = _number("<q", content, body + offset) if is_compressed and length else 0
        if not -1 <= whole <= max(MOST_GROWTH * length, HARMLESS):
            raise Damage(f"a buffer of {length:,} bytes would hold {whole:,}")


class _Table:
    """A FlatBuffers table: fields by their numbers, absent ones being 0 or None."""

    def __init__(self, content: np.ndarray, at: int) -> None:
        self.content, self.at = content, at
        self.fields = at - _number("<i", content, at)
        self.size = _number("<H", content, self.fields)

    @classmethod
    def root(cls, content: np.ndarray, at: int) -> _Table:
        """The table that a buffer begins with."""
        return cls(content, at + _number("<I", content, at))

    def number(self, kind: str, field: int) -> int:
        """Return a number."""
        at = self._place(field)
        return 0 if at is None else _number(kind, self.content, at)

    def table(self, field: int) -> _Table | None:
        """Return a table in a table."""
        at = self._place(field)
        return None if at is None else _Table(self.content, at + _number("<I", self.content, at))

    def vector(self, field: int, width: int) -> range:
        """Return where the structures of a vector are."""
        at = self._place(field)
        if at is None:
            return range(0)
        start = at + _number("<I", self.content, at)
        count = _number("<I", self.content, start)
        if start + 4 + count * width > len(self.content):
            raise Damage("a list is longer than the file")
        return range(start + 4, start + 4 + count * width, width)

    def _place(self, field: int) -> int | None:
        entry = 4 + 2 * field
        offset = _number("<H", self.content, self.fields + entry) if entry < self.size else 0
        return self.at + offset if offset else None


def _number(kind: str, content: np.ndarray, at: int) -> int:
    if at < 0:
        raise Damage("it points before its beginning")
    number: int = struct.unpack_from(kind, content.data, at)[0]
    return number
