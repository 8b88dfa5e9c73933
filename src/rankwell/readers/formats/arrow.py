"""Arrow IPC files (Feather) and streams with named columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.errors import InputError
from rankwell.readers import frames
from rankwell.readers.files import File
from rankwell.readers.list_columns import words_of
from rankwell.readers.polars_scans import FileFrames, schema_of, whole_table
from rankwell.tables.columns import WORDS
from rankwell.tables.places import Place, RowOf

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".arrow", ".feather", ".ipc", ".arrows")
FILE, STREAM, OLD_FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"


def recognises(start: bytes) -> bool:
    """Whether a file begins like an Arrow IPC file or stream."""
    return start.startswith((FILE, STREAM, OLD_FEATHER))


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in an Arrow file."""
    del kind, columns  # all columns have their names
    table = _scan(file)
    return whole_table(FileFrames(table, file, "Arrow"), table.collect_schema()), RowOf(file.label)


def _opened(file: File, kind: str, name: str, columns: Mapping[str, str]) -> frames.Opened:
    """The table in pieces."""
    table = _scan(file)
    schema = table.collect_schema()
    words = words_of(schema, WORDS[kind], file.label, columns)

    def read(wanted: list[str]) -> FileFrames:
        return FileFrames(table.select(wanted), file, "Arrow")

    return frames.opened_by(read, schema, words, kind, name, columns, label=file.label)


READER = frames.TableReader(_opened)
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items
open_qrels = READER.open_qrels


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
