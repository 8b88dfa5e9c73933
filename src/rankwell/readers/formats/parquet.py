"""Parquet files with named columns; only the columns that matter are read, a run in batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.readers import frames, parquet_pages
from rankwell.readers.column_names import WORDS, match_columns
from rankwell.readers.files import File
from rankwell.readers.polars_scans import pieces, schema_of
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".parquet", ".pq")


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a Parquet file; its rows are read when somebody looks."""
    table, words = _open(file, "run", columns)
    return frames.run_of_frames(pieces(table, file, words, "Parquet"), words, name, _rows(table))


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a Parquet file."""
    table, words = _open(file, "qrels", columns)
    return frames.qrels_of_frames(pieces(table, file, words, "Parquet"), words, name, _rows(table))


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in a Parquet file."""
    table, words = _open(file, "items", columns)
    return frames.items_of_frames(pieces(table, file, words, "Parquet"), words, name)


def _open(file: File, kind: str, columns: Mapping[str, str]) -> tuple[pl.LazyFrame, dict[str, str]]:
    """The file as a table that is read later, and which of its columns are wanted."""
    import polars as pl

    def scan() -> pl.LazyFrame:
        return pl.scan_parquet(file.source(), glob=False)

    table, names = schema_of(scan, file, "Parquet")
    words = match_columns(names, WORDS[kind], file.label, columns)
    parquet_pages.check(file)
    return table, words


def _rows(table: pl.LazyFrame) -> int:
    """The number of rows, which the file says at its end."""
    import polars as pl

    return int(table.select(pl.len()).collect().item())
