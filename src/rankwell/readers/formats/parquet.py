"""Parquet files with named columns; only the columns that matter are read, a run in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import brief
from rankwell.kernels import thrift
from rankwell.readers.bytes.files import Damage, File, explain_damage
from rankwell.readers.frames import tables
from rankwell.readers.frames.list_columns import words_of
from rankwell.readers.frames.scans import FileFrames, schema_of, whole_table
from rankwell.tables.columns import WORDS
from rankwell.tables.series import Place, RowOf

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".parquet", ".pq")
MARK, TAIL = b"PAR1", 8
DATA, INDEX, DICTIONARY, DATA_2 = 0, 1, 2, 3
NEAR = 256  # bytes; most headers are shorter
HEADERS = {DATA: 5, DICTIONARY: 7, DATA_2: 8}  # which field of a page's header holds the number of its values


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in a Parquet file."""
    del kind, columns  # all columns have their names
    table = _scan(file)
    check_pages(file)
    return whole_table(FileFrames(table, file, "Parquet"), table.collect_schema()), RowOf(file.label)


def _opened(file: File, kind: str, name: str, columns: Mapping[str, str]) -> tables.OpenTable:
    """The table in pieces."""
    import polars as pl

    table = _scan(file)
    schema = table.collect_schema()
    words = words_of(schema, WORDS[kind], file.label, columns)
    group = check_pages(file)
    rows = int(table.select(pl.len()).collect().item())  # which the file says at its end

    def read(wanted: list[str]) -> RowGroups:
        return RowGroups(table.select(wanted), file, group)

    return tables.open_columns(read, schema, words, kind, name, columns, label=file.label, rows=rows)


READER = tables.TableReader(_opened)
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items
open_qrels = READER.open_qrels


def _scan(file: File) -> pl.LazyFrame:
    """The table, to be read later."""
    import polars as pl

    return schema_of(lambda: pl.scan_parquet(file.source(), glob=False), file, "Parquet")[0]


class RowGroups(FileFrames):
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


# Polars trusts the headers of pages: a damaged count of values makes it allocate 2^61 bytes and kills the process. So each header, a few
# bytes, is read first. They are Thrift structures, here dicts of field number and value (see parquet.thrift of the Parquet format).


def check_pages(file: File) -> int:
    """Return the number of rows of the first row group; raise InputError if the footer or a page cannot be as it says."""
    size = file.size if file.is_plain else len(file.content)
    is_none = KeyError, IndexError, TypeError, AttributeError
    with file.reading(), file.opened() as opened, explain_damage(file, "Parquet", *is_none):
        groups = _groups(opened, size - TAIL)
        for chunk in _chunks(groups):
            _check_pages(opened, size - TAIL, chunk)
        return int(groups[0][3]) if groups else 0


def _groups(opened: IO[bytes], end: int) -> list[dict[int, Any]]:
    """The row groups, by the footer, which ends at a byte."""
    tail = _between(opened, max(end, 0), end + TAIL).tobytes()
    start = end - int.from_bytes(tail[:4], "little")
    if tail[4:] != MARK or start < len(MARK):
        raise Damage("its end is missing")
    footer = _struct(_between(opened, start, end))[0]
    groups: list[dict[int, Any]] = footer[4]
    return groups


def _chunks(groups: list[dict[int, Any]]) -> Iterator[dict[int, Any]]:
    """The metadata of every piece of every column; a damaged name may hide the wanted ones."""
    for group in groups:
        for chunk in group[1]:
            name = b".".join(chunk[3][3]).decode(errors="replace")
            yield chunk[3] | {"name": name[:40]}


def _check_pages(opened: IO[bytes], most: int, chunk: dict[Any, Any]) -> None:
    first = [chunk[field] for field in (9, 11) if chunk.get(field, 0) > 0]
    at = min(first, default=0)
    end, values = at + chunk[7], 0
    if at < len(MARK) or not at <= end <= most or chunk[5] < 0:
        raise Damage(f"column {brief(chunk['name'])} would lie outside of the file")
    while values < chunk[5]:
        header, at = _header(opened, at, end)
        at += header[3]
        fields = header[HEADERS[header[1]]][1] if header[1] in HEADERS else 0
        if header[3] < 0 or at > end:
            raise Damage(f"a page of column {brief(chunk['name'])} would be longer than the column")
        # a value of a dictionary takes a byte at least
        limit = header[2] if header[1] == DICTIONARY else chunk[5] - values
        if header[2] < 0 or not 0 <= fields <= limit:
            raise Damage(f"a page of column {brief(chunk['name'])} would hold {fields:,} values")
        values += fields if header[1] != DICTIONARY else 0


def _header(opened: IO[bytes], at: int, end: int) -> tuple[dict[int, Any], int]:
    """The header of the page at a byte, and where its data begin; ``end`` is that of the column."""
    try:
        header, length = thrift.struct(_between(opened, at, min(at + NEAR, end)), 0)
    except (IndexError, ValueError):  # it is longer, or damaged
        header, length = _struct(_between(opened, at, end))
    return header, at + length


def _between(opened: IO[bytes], low: int, high: int) -> np.ndarray:
    """Bytes of the file, which is not mapped: to look at a map of what is cut off meanwhile would end the process."""
    opened.seek(low)
    return np.frombuffer(opened.read(high - low), np.uint8)


def _struct(content: np.ndarray) -> tuple[dict[int, Any], int]:
    """The fields of the structure that some bytes begin with, and its length."""
    try:
        return thrift.struct(content, 0)
    except ValueError as error:
        raise Damage(str(error)) from error
