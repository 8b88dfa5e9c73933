"""Parquet files with named columns; only the columns that matter are read, a run in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

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

SUFFIXES = (".parquet", ".pq")


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a Parquet file; its rows are read when somebody looks."""
    return frames.run_of_frames(*Table(file, "run", columns).opened(name))


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a Parquet file."""
    return frames.qrels_of_frames(*Table(file, "qrels", columns).opened(name))


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in a Parquet file."""
    return frames.items_of_frames(*Table(file, "items", columns).opened(name))


def open_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> FramePieces:
    """Return the judgements in a Parquet file, to be read in pieces."""
    read, words, name, _, place = Table(file, "qrels", columns).opened(name)
    return FramePieces(read, words, name, place or RowOf(name))


class Table:
    """The file as a table that is read later, and which of its columns are wanted."""

    def __init__(self, file: File, kind: str, columns: Mapping[str, str]) -> None:
        from rankwell.readers import parquet_pages

        self.file, self.columns = file, columns
        self.table, _ = schema_of(self._scan, file, "Parquet")
        self.schema = self.table.collect_schema()
        self.words = words_of(self.schema, WORDS[kind], file.label, columns)
        self.group = parquet_pages.check(file)

    def _scan(self) -> pl.LazyFrame:
        import polars as pl

        return pl.scan_parquet(self.file.source(), glob=False)

    def opened(self, name: str) -> tuple[Frames, dict[str, str], str, int | None, Place | None]:
        """Return the table in pieces, the wanted columns, its name, its number of rows, and the place of a row."""
        import polars as pl

        read = Groups(self.table.select(self.words.values()), self.file, self.group)
        if (lists := unfolded(read, self.words, self.schema, name, self.columns)) is not None:
            return lists[0], self.words, name, None, lists[1]
        rows = int(self.table.select(pl.len()).collect().item())  # which the file says at its end
        return read, self.words, name, rows, None


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
