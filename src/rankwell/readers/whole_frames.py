"""Any source as a Polars frame with all its columns: a file, a data frame, records, a dict, a run or judgements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rankwell.errors import DataError
from rankwell.readers import in_memory, read_qrels, read_run
from rankwell.readers.as_frames import frame_of_qrels, frame_of_run
from rankwell.readers.detection import guess
from rankwell.readers.files import File
from rankwell.readers.formats import movielens
from rankwell.readers.formats.delimited import Table
from rankwell.readers.frame_columns import PIECE, Frames
from rankwell.readers.items_users import frame_of
from rankwell.tables.matrix import refuse_labels
from rankwell.tables.places import Place
from rankwell.tables.run_qrels import Qrels, Run

MOVIELENS = ("query", "item", "grade", "time")
TREC_RUN = 6  # fields of a line


def of_files(
    files: list[File], wanted: tuple[str, ...], columns: Mapping[str, str], *, shared: bool = False
) -> tuple[pl.DataFrame, Place | None]:
    """Return the whole table in one file or several, and the place of a row if it is known.

    ``columns`` that are ``shared`` by several tables may name columns that these files lack.

    Raises
    ------
    InputError, DataError
        If a file cannot be read or holds no rows, or the files have different columns.
    """
    parts = [_of_file(file, wanted, columns, shared=shared) for file in files]
    if len(parts) == 1:
        return parts[0]
    for file, (frame, _) in zip(files, parts, strict=True):
        if frame.schema != parts[0][0].schema:
            raise DataError(
                f"{file.label}: its columns are not those of {files[0].name}; parts of a table have the same ones."
            )
    return pl.concat([frame for frame, _ in parts]), None


def _of_file(
    file: File, wanted: tuple[str, ...], columns: Mapping[str, str], *, shared: bool
) -> tuple[pl.DataFrame, Place | None]:
    """The whole table in a file, and the place of a row in it if its cells are text."""
    kind, _ = guess(file)
    if kind == "delimited":
        table = Table(file, "items" if "query" not in wanted else "users", columns, shared=shared)
        return _whole(table.pieces(every=True), file), table.place
    if shared:
        columns = {}  # the frame of these formats has all columns under their own names
    if kind == "movielens" and not columns:
        first = file.head.partition(b"\n")[0].count(movielens.SEPARATOR) + 1
        lines = movielens.Lines(file, MOVIELENS[: max(first, 3)], {})
        return _whole(lines.pieces(), file), lines.place
    if kind in ("parquet", "arrow", "ndjson"):
        return frame_of(file, "interactions", "item", columns), None
    if kind == "trec" and len(file.head.partition(b"\n")[0].split()) == TREC_RUN:
        return frame_of_run(read_run(file, columns=columns)), None
    return frame_of_qrels(read_qrels(file, columns=columns)), None


def _whole(pieces: Frames, file: File) -> pl.DataFrame:
    if parts := list(pieces(PIECE)):
        return pl.concat(parts)
    raise DataError(f"{file.label}: the table holds no rows.")


def of_value(source: Any, name: str) -> pl.DataFrame:
    """Return the whole table that a value holds.

    Raises
    ------
    DataError, UsageError
        If its columns are of different lengths, or it is of an unknown kind.
    """
    if isinstance(source, Run):
        return frame_of_run(source)
    if isinstance(source, Qrels):
        return frame_of_qrels(source)
    if in_memory.is_frame(source) or in_memory.is_records(source) or in_memory.is_dict_of_columns(source):
        frame = in_memory.frame_of(source, name)
        return frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    qrels = read_qrels(source, name=name)
    refuse_labels(qrels.matrix)
    return frame_of_qrels(qrels)
