"""Arrow IPC files (Feather) and streams with named columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.errors import InputError
from rankwell.readers import frames
from rankwell.readers.files import File
from rankwell.readers.frame_columns import Frames
from rankwell.readers.list_columns import unfolded, words_of
from rankwell.readers.pieces import FramePieces
from rankwell.readers.polars_scans import FileFrames, schema_of, whole_table
from rankwell.readers.unread import unread_of
from rankwell.tables.columns import WORDS
from rankwell.tables.items_users import Items
from rankwell.tables.places import Place, RowOf
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".arrow", ".feather", ".ipc", ".arrows")
FILE, STREAM, OLD_FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"


def recognises(start: bytes) -> bool:
    """Whether a file begins like an Arrow IPC file or stream."""
    return start.startswith((FILE, STREAM, OLD_FEATHER))


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in an Arrow file; its rows are read when somebody looks."""
    return frames.run_opened(_open(file, "run", name, columns), name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in an Arrow file."""
    return frames.qrels_opened(_open(file, "qrels", name, columns), name)


def open_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> FramePieces:
    """Return the judgements in an Arrow file, to be read in pieces."""
    return frames.open_pieces(_open(file, "qrels", name, columns), name)


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in an Arrow file."""
    return frames.items_opened(_open(file, "items", name, columns), name)


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in an Arrow file."""
    del kind, columns  # all columns have their names
    table = _scan(file)
    return whole_table(FileFrames(table, file, "Arrow"), table.collect_schema()), RowOf(file.label)


def _open(file: File, kind: str, name: str, columns: Mapping[str, str]) -> frames.Opened:
    """The table in pieces."""
    table = _scan(file)
    schema = table.collect_schema()
    words = words_of(schema, WORDS[kind], file.label, columns)
    unread = unread_of(
        schema, words, kind, file.label, columns, lambda names: FileFrames(table.select(names), file, "Arrow")
    )
    read: Frames = FileFrames(table.select(words.values()), file, "Arrow")
    read, place = unfolded(read, words, schema, kind, name, columns) or (read, None)
    return frames.Opened(read, words, None, place, unread)


def _scan(file: File) -> pl.LazyFrame:
    """The table, to be read later."""
    import polars as pl

    from rankwell.readers import arrow_buffers

    if file.head.startswith(OLD_FEATHER):
        raise InputError(f"{file.label}: this is Feather version 1. Write it again as version 2 or Parquet.")

    def scan() -> pl.LazyFrame:
        if file.head.startswith(STREAM):
            return pl.read_ipc_stream(file.source(), use_pyarrow=False).lazy()
        return pl.scan_ipc(file.source(), glob=False)

    arrow_buffers.check(file)
    return schema_of(scan, file, "Arrow")[0]
