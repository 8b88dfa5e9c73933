"""Parquet files with named columns; only the columns that matter are read, a run in batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.readers import frames, parquet_pages
from rankwell.readers.column_names import WORDS
from rankwell.readers.files import File
from rankwell.readers.list_columns import unfolded, words_of
from rankwell.readers.polars_scans import pieces, schema_of
from rankwell.tables.items_users import Items
from rankwell.tables.places import Place
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".parquet", ".pq")


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a Parquet file; its rows are read when somebody looks."""
    return frames.run_of_frames(*_open(file, "run", name, columns))


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a Parquet file."""
    return frames.qrels_of_frames(*_open(file, "qrels", name, columns))


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in a Parquet file."""
    return frames.items_of_frames(*_open(file, "items", name, columns))


def _open(
    file: File, kind: str, name: str, columns: Mapping[str, str]
) -> tuple[frames.Frames, dict[str, str], str, int | None, Place | None]:
    """The table in pieces, which of its columns are wanted, its name, its number of rows, and the place of a row."""
    import polars as pl

    def scan() -> pl.LazyFrame:
        return pl.scan_parquet(file.source(), glob=False)

    table, _ = schema_of(scan, file, "Parquet")
    schema = table.collect_schema()
    words = words_of(schema, WORDS[kind], file.label, columns)
    parquet_pages.check(file)
    read = pieces(table, file, words, "Parquet")
    if (lists := unfolded(read, words, schema, name)) is not None:
        return lists[0], words, name, None, lists[1]
    return read, words, name, _rows(table), None


def _rows(table: pl.LazyFrame) -> int:
    """The number of rows, which the file says at its end."""
    import polars as pl

    return int(table.select(pl.len()).collect().item())
