"""Parquet files with named columns; only the columns that matter are read, a run in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rankwell.readers import frames
from rankwell.readers.files import File
from rankwell.readers.list_columns import words_of
from rankwell.readers.polars_scans import FileFrames, schema_of, whole_table
from rankwell.tables.columns import WORDS
from rankwell.tables.places import Place, RowOf

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".parquet", ".pq")


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in a Parquet file."""
    from rankwell.readers import parquet_pages

    del kind, columns  # all columns have their names
    table = _scan(file)
    parquet_pages.check(file)
    return whole_table(FileFrames(table, file, "Parquet"), table.collect_schema()), RowOf(file.label)


def _opened(file: File, kind: str, name: str, columns: Mapping[str, str]) -> frames.Opened:
    """The table in pieces."""
    import polars as pl

    from rankwell.readers import parquet_pages

    table = _scan(file)
    schema = table.collect_schema()
    words = words_of(schema, WORDS[kind], file.label, columns)
    group = parquet_pages.check(file)
    rows = int(table.select(pl.len()).collect().item())  # which the file says at its end

    def read(wanted: list[str]) -> Groups:
        return Groups(table.select(wanted), file, group)

    return frames.opened_by(read, schema, words, kind, name, columns, label=file.label, rows=rows)


def _scan(file: File) -> pl.LazyFrame:
    """The table, to be read later."""
    import polars as pl

    return schema_of(lambda: pl.scan_parquet(file.source(), glob=False), file, "Parquet")[0]


READER = frames.TableReader(_opened)
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items
open_qrels = READER.open_qrels


class Groups(FileFrames):
    """A table in frames of about some number of rows, which are parts of row groups: then nobody has to join their columns.

    Row groups that are much smaller are joined.
    """

    def __init__(self, table: pl.LazyFrame, file: File, group: int) -> None:
        super().__init__(table, file, "Parquet")
        self.group = group

    def __call__(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the frames."""
        if self.group * 4 < size:
            yield from (batch.rechunk() for batch in self.batches(size))
            return
        for group in self.batches(None):
            if len(group):
                parts = -(-len(group) // size)
                yield from group.rechunk().iter_slices(-(-len(group) // parts))
