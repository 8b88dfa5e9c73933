"""Arrow IPC files (Feather) and streams with named columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.errors import InputError
from rankwell.readers import frames
from rankwell.readers.column_names import WORDS
from rankwell.readers.files import File
from rankwell.readers.frame_columns import Frames
from rankwell.readers.list_columns import unfolded, words_of
from rankwell.readers.pieces import FramePieces
from rankwell.readers.polars_scans import FileFrames, schema_of
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
    return frames.run_of_frames(*_open(file, "run", name, columns))


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in an Arrow file."""
    return frames.qrels_of_frames(*_open(file, "qrels", name, columns))


def open_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> FramePieces:
    """Return the judgements in an Arrow file, to be read in pieces."""
    read, words, name, _, place = _open(file, "qrels", name, columns)
    return FramePieces(read, words, name, place or RowOf(name))


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in an Arrow file."""
    return frames.items_of_frames(*_open(file, "items", name, columns))


def _open(
    file: File, kind: str, name: str, columns: Mapping[str, str]
) -> tuple[Frames, dict[str, str], str, int | None, Place | None]:
    """The table in pieces, which of its columns are wanted, its name, no number of rows, and the place of a row."""
    import polars as pl

    from rankwell.readers import arrow_buffers

    if file.head.startswith(OLD_FEATHER):
        raise InputError(f"{file.label}: this is Feather version 1. Write it again as version 2 or Parquet.")

    def scan() -> pl.LazyFrame:
        if file.head.startswith(STREAM):
            return pl.read_ipc_stream(file.source(), use_pyarrow=False).lazy()
        return pl.scan_ipc(file.source(), glob=False)

    arrow_buffers.check(file)
    table, _ = schema_of(scan, file, "Arrow")
    schema = table.collect_schema()
    words = words_of(schema, WORDS[kind], file.label, columns)
    read: Frames = FileFrames(table.select(words.values()), file, "Arrow")
    read, place = unfolded(read, words, schema, name, columns) or (read, None)
    return read, words, name, None, place
