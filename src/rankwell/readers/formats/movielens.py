"""Files of the MovieLens kind: ``user::item::rating::time`` without a header; items as ``item::title::genres``."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, RankwellError, UsageError
from rankwell.readers import frames
from rankwell.readers.files import File
from rankwell.readers.frame_columns import Frames
from rankwell.readers.polars_scans import lines_of, schema_of, whole_table
from rankwell.readers.text import SAY_ENCODING, require_text, text_of
from rankwell.tables.items_users import Items
from rankwell.tables.places import Place
from rankwell.tables.run_qrels import Qrels, Run

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


def recognises(start: bytes) -> bool:
    """Whether the first line holds ``::`` at least twice and begins with an id."""
    line = start.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return line.count(SEPARATOR) > 1 and line[:1] not in (b"{", b"[", b":", b"#")


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return ratings as a run: predicted ratings are scores."""
    lines = Lines(file, ("query", "item", "score"), columns)
    return frames.run_of_frames(lines.pieces(), lines.words, name, place=lines.place)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return ratings as judgements."""
    lines = Lines(file, ("query", "item", "grade"), columns)
    return frames.qrels_of_frames(lines.pieces(), lines.words, name, place=lines.place)


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the items of a file of movies: the first of its columns."""
    lines = Lines(file, ("item",), columns)
    return frames.items_of_frames(lines.pieces(), lines.words, name, place=lines.place)


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table as text, under the names that its columns have by their order."""
    del columns  # they have no other names
    fields = file.head.partition(b"\n")[0].count(SEPARATOR) + 1
    lines = Lines(file, TABLES[kind][: max(fields, 3)], {})
    lines.words = {name: name for name in lines.names}
    return whole_table(lines.pieces(), dict.fromkeys(lines.names, str)), lines.place


class Lines:
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
        line = next((line for at, (line, _) in enumerate(self._lines()) if at == row), 1)
        return f"{self.file.label}:{line}"

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the text of the lines that are not empty."""
        with self.file.stream() as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line

    def _diagnosis(self) -> RankwellError | None:
        """The first line with another number of columns, or that is not UTF-8."""
        for number, line in self._lines():
            fields = line.count(SEPARATOR) + 1
            if fields != self.fields:
                return DataError(
                    f"{self.file.label}:{number}: {fields} columns where the first line has {self.fields}."
                )
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return DataError(f"{self.file.label}:{number}: not UTF-8 ({error.reason}). {SAY_ENCODING}")
        return None
