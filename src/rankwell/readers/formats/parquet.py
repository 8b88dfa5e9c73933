"""Parquet files with named columns; only the columns that matter are read, a run in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rankwell.readers import frames
from rankwell.readers.files import File
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

SUFFIXES = (".parquet", ".pq")


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a Parquet file; its rows are read when somebody looks."""
    return frames.run_opened(Table(file, "run", columns).opened(name), name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a Parquet file."""
    return frames.qrels_opened(Table(file, "qrels", columns).opened(name), name)


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in a Parquet file."""
    return frames.items_opened(Table(file, "items", columns).opened(name), name)


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in a Parquet file."""
    del kind, columns  # all columns have their names
    table = Table(file, "queries", {})
    return whole_table(FileFrames(table.table, file, "Parquet"), table.schema), RowOf(file.label)


def open_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> FramePieces:
    """Return the judgements in a Parquet file, to be read in pieces."""
    return frames.open_pieces(Table(file, "qrels", columns).opened(name), name)


class Table:
    """The file as a table that is read later, and which of its columns are wanted."""

    def __init__(self, file: File, kind: str, columns: Mapping[str, str]) -> None:
        from rankwell.readers import parquet_pages

        self.file, self.kind, self.columns = file, kind, columns
        self.table, _ = schema_of(self._scan, file, "Parquet")
        self.schema = self.table.collect_schema()
        self.words = words_of(self.schema, WORDS[kind], file.label, columns)
        self.group = parquet_pages.check(file)
        self.unread = unread_of(
            self.schema,
            self.words,
            kind,
            file.label,
            columns,
            lambda names: FileFrames(self.table.select(names), file, "Parquet"),
        )

    def _scan(self) -> pl.LazyFrame:
        import polars as pl

        return pl.scan_parquet(self.file.source(), glob=False)

    def opened(self, name: str) -> frames.Opened:
        """Return the table in pieces."""
        import polars as pl

        read = Groups(self.table.select(self.words.values()), self.file, self.group)
        if (lists := unfolded(read, self.words, self.schema, self.kind, name, self.columns)) is not None:
            return frames.Opened(lists[0], self.words, None, lists[1], self.unread)
        rows = int(self.table.select(pl.len()).collect().item())  # which the file says at its end
        return frames.Opened(read, self.words, rows, None, self.unread)


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
