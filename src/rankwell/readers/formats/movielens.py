"""Files of the MovieLens kind: ``user::item::rating::time`` without a header; items as ``item::title::genres``."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, RankwellError, UsageError
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import BOM, at_wrong_bytes, filled_line, filled_lines, require_text, text_of
from rankwell.readers.frames import tables
from rankwell.readers.frames.pieces import Frames
from rankwell.readers.frames.scans import lines_of, schema_of, whole_table
from rankwell.tables.series import Place

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".dat",)
SEPARATOR, ONE_BYTE = b"::", b"\x1f"
IS_TYPED = False  # all cells are text
TABLES = {
    "items": ("item", "title", "genres"),
    "log": ("query", "item", "grade", "time"),
    "users": ("query", "gender", "age", "occupation", "zip"),
}
WANTED = {"run": ("query", "item", "score"), "qrels": ("query", "item", "grade"), "items": ("item",)}


def recognises(start: bytes) -> bool:
    """Whether the first line holds ``::`` at least twice and begins with an id."""
    line = start.removeprefix(BOM).partition(b"\n")[0]
    return line.count(SEPARATOR) > 1 and line[:1] not in (b"{", b"[", b":", b"#")


def _opened(file: File, kind: str, name: str, columns: Mapping[str, str]) -> tables.OpenTable:
    """The first columns of a file: predicted ratings are the scores of a run, others grades; of movies the first is the item."""
    del name
    lines = MovieLines(file, WANTED[kind], columns)
    return tables.OpenTable(lines.pieces(), lines.words, place=lines.place)


READER = tables.TableReader(_opened)
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table as text, under the names that its columns have by their order."""
    del columns  # they have no other names
    fields = file.head.partition(b"\n")[0].count(SEPARATOR) + 1
    lines = MovieLines(file, TABLES[kind][: max(fields, 3)], {})
    lines.words = {name: name for name in lines.names}
    return whole_table(lines.pieces(), dict.fromkeys(lines.names, str)), lines.place


class MovieLines:
    """The lines of a file; their first columns are what ``words`` says, by their order."""

    def __init__(self, file: File, words: tuple[str, ...], columns: Mapping[str, str]) -> None:
        if columns:
            raise UsageError(
                f"{file.label}: '::' files have no named columns; columns= and order= are for tables such as CSV."
            )
        self.file = file
        require_text(file)
        text, self.begin = text_of(file)
        self.text = text[self.begin :]
        first = self.text[: int(np.argmax(self.text == 10))].tobytes()
        self.fields = first.count(SEPARATOR) + 1
        if self.fields < len(words):
            raise DataError(
                f"{file.label}:1: {self.fields} column{'s' * (self.fields != 1)}, expected {len(words)} "
                f"({'::'.join(words)})."
            )
        self.names = [*words, *map(str, range(len(words), self.fields))]
        self.words = dict(zip(words, words, strict=True))

    def pieces(self) -> Frames:
        """Return the columns in pieces."""
        table, _ = schema_of(self._scan, self.file, "'::'")
        return lines_of(table, self.file, self.words, "'::'", self._diagnosis)

    def _scan(self) -> pl.LazyFrame:
        import polars as pl

        content = self.text.tobytes().replace(SEPARATOR, ONE_BYTE)
        return pl.scan_csv(
            io.BytesIO(content),
            separator=ONE_BYTE.decode(),
            has_header=False,
            quote_char=None,
            schema=dict.fromkeys(self.names, pl.String),
            encoding="utf8-lossy" if "query" not in self.words else "utf8",
        )

    def place(self, row: int) -> str:
        """Return ``file:line`` of a row."""
        return filled_line(self.file, row)

    def _diagnosis(self) -> RankwellError | None:
        """The first line with another number of columns, or that is not UTF-8."""
        for number, line in filled_lines(self.file):
            fields = line.count(SEPARATOR) + 1
            if fields != self.fields:
                return DataError(
                    f"{self.file.label}:{number}: {fields} columns where the first line has {self.fields}."
                )
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return at_wrong_bytes(self.file, error, number)
        return None
