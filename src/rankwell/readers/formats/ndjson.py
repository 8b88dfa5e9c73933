"""NDJSON (JSON Lines): one object per line with the columns as keys, under any usual names."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, RankwellError, brief
from rankwell.kernels import json_keys
from rankwell.readers.bytes.files import PIECE, File
from rankwell.readers.bytes.text import (
    BOM,
    TextBlock,
    at_wrong_bytes,
    beginning,
    filled_line,
    filled_lines,
    require_text,
)
from rankwell.readers.frames import list_columns, plain_lines, tables
from rankwell.readers.frames.columns import Given, match_columns
from rankwell.readers.frames.list_columns import ListTable
from rankwell.readers.frames.pieces import Frames
from rankwell.readers.frames.scans import lines_of, schema_of, whole_table
from rankwell.readers.frames.unread import unread_of
from rankwell.readers.registry import shape_of
from rankwell.tables.cells import MOST
from rankwell.tables.columns import EXTRA, ID_WORDS, WORDS, known_word
from rankwell.tables.series import Changed, Place, how_to_write, is_number

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".jsonl", ".ndjson")


def recognises(start: bytes) -> bool:
    """Whether the first line is an object of plain values or a row with a list, of no shape with its own reader."""
    line = start.removeprefix(BOM).lstrip().partition(b"\n")[0]
    if not line.startswith(b"{"):
        return False
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    is_row = any(known_word(key) == "query" and not isinstance(record[key], list) for key in record)
    nested = dict if is_row else dict | list
    is_flat = not any(isinstance(value, nested) for value in record.values()) and len(record) > 0
    return is_flat and shape_of(record) is None


READER = tables.TableReader(lambda file, kind, _, columns: JsonLines(file, kind, columns).opened(kind))
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items
open_qrels = READER.open_qrels


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in an NDJSON file, with every key that a line has."""
    import polars as pl

    del kind, columns  # all columns have their names
    lines = JsonLines(file, "queries", {})
    refuse_repeated(file, list(keys_of(file)))

    def scan() -> pl.LazyFrame:
        return pl.scan_ndjson(lines.source(), infer_schema_length=None)

    def diagnosis() -> RankwellError | None:
        return wrong_line(file, {})

    table, names = schema_of(scan, file, "NDJSON", diagnosis)
    refuse_repeated(file, names)  # with those that only later lines have
    pieces = lines_of(table, file, {name: name for name in names}, "NDJSON", diagnosis)
    frame = whole_table(pieces, table.collect_schema())
    floats = [column for column in frame.iter_columns() if column.dtype.is_float()]
    large = {column.name: column.name for column in floats if (column.abs() >= MOST).any()}
    ids = {word: name for name in names if (word := known_word(name)) in ID_WORDS}
    is_odd = any(
        frame[name].str.contains(r"^[\[{]").any() for name in ids.values() if frame[name].dtype == pl.String
    )
    if (large or is_odd) and (error := wrong_line(file, large | (ids if is_odd else {}))):
        raise error
    return frame, lines.place


class JsonLines(plain_lines.TextTable):
    """The lines of a file, each a JSON object."""

    def __init__(self, file: File, kind: str, columns: Mapping[str, str]) -> None:
        self.file = file
        keys = keys_of(file)
        self._first = keys
        self.given = Given.of(columns)
        own = self.given.with_more(list_columns.plural(keys, keys, WORDS[kind], columns))
        self.words = match_columns(keys, WORDS[kind], file.label, own)
        self._listed = [
            column
            for word, column in self.words.items()
            if word not in list_columns.PLAIN and isinstance(keys[column], list)
        ]
        self._is_unique = False  # whether it was seen that no wanted key stands twice in a line
        self.unread = unread_of(keys, self.words, kind, file.label, columns, self._frames)

    def in_lists(self, kind: str) -> ListTable | None:
        """Return the table with a row per item where values are lists of items, or hold them as text."""
        if not self._listed:
            return super().in_lists(kind)
        return self.as_lists(kind).of_schema(self._kinds)

    def first_cells(self) -> str:
        """Return the first items, as they are written."""
        key = re.escape(json.dumps(self.words["item"], ensure_ascii=False).encode(errors="surrogatepass"))
        first = b"".join(re.findall(key + rb'\s*:\s*"((?:[^"\\]|\\.)*)"', self.file.head))
        return first.decode(errors="replace")

    @property
    def lines(self) -> plain_lines.PlainLines:
        """The lines, to be read by a kernel where they are flat objects with the same keys."""
        return plain_lines.PlainLines(
            self.file, beginning(self.file), self.words, plain_lines.Objects(self.words), self.framed
        )

    def _frames(self, columns: list[str]) -> Frames:
        """Some columns in pieces, each value as text."""
        import polars as pl

        def scan() -> pl.LazyFrame:
            # with a column that every line has: lines without any value are left out
            return pl.scan_ndjson(
                self.source(), schema=dict.fromkeys([*columns, *self.words.values()], pl.String)
            )

        table, _ = schema_of(scan, self.file, "NDJSON", self._diagnosis)
        return lines_of(table, self.file, {name: name for name in columns}, "NDJSON", self._diagnosis)

    def pieces(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the wanted columns in pieces. Ids that are numbers become their text."""
        return self._pieces(self.source(), size)

    def source(self) -> Path | io.BytesIO:
        """Return what Polars reads: the text after a byte-order mark."""
        begin = beginning(self.file)
        return io.BytesIO(self.file.content[begin:].data) if begin else self.file.source()

    def framed(self, block: TextBlock) -> tuple[pl.DataFrame, Place]:
        """Return the rows of some lines, and where they stand."""
        import polars as pl

        text = block.text[block.begin : block.end].tobytes()

        def place(row: int) -> str:
            lines = enumerate(text.split(b"\n"), block.line(block.begin))
            return f"{self.file.label}:{[number for number, line in lines if line.strip()][row]}"

        return pl.concat([pl.DataFrame(schema=self._kinds), *self._pieces(io.BytesIO(text), PIECE)]), place

    def _pieces(self, source: Path | io.BytesIO, size: int) -> Iterator[pl.DataFrame]:
        import polars as pl

        if not self._is_unique:
            refuse_repeated(self.file, list(self.words.values()))
            self._is_unique = True
        scan = partial(pl.scan_ndjson, source, schema=self._kinds)
        table, _ = schema_of(scan, self.file, "NDJSON", self._diagnosis)
        for piece in lines_of(table, self.file, self.words, "NDJSON", self._diagnosis)(size):
            ids = [self._flat(piece[self.words[word]]) for word in ID_WORDS if word in self.words]
            is_odd = any(each.str.starts_with(sign).any() for each in ids for sign in "[{")
            # true and false would become ids
            is_odd |= any(each.is_in(["true", "false"]).any() for each in ids)
            numbers = [
                self._flat(piece[column])
                for word, column in self.words.items()
                if word not in ID_WORDS and not self._is_text(column)
            ]
            is_large = any((each.abs() >= MOST).any() for each in numbers)
            if (is_odd or is_large) and (error := self._diagnosis()):
                raise error
            yield piece

    @property
    def _kinds(self) -> dict[str, Any]:
        import polars as pl

        kinds = {
            column: pl.String if word in ID_WORDS or self._is_text(column) else pl.Float64
            for word, column in self.words.items()
        }
        return {column: pl.List(kind) if column in self._listed else kind for column, kind in kinds.items()}

    def _flat(self, values: pl.Series) -> pl.Series:
        return values.explode() if values.name in self._listed else values

    def _is_text(self, column: str) -> bool:
        """Whether numbers are written as text, or as true and false."""
        is_extra = any(self.words.get(word) == column for word in EXTRA)  # of which the first may be missing
        return is_extra or isinstance(self._first.get(column), (str, bool))

    def place(self, row: int) -> str:
        """Return ``file:line`` of a row."""
        return filled_line(self.file, row)

    def _diagnosis(self) -> RankwellError | None:
        texts = [column for column in self.words.values() if self._is_text(column)]
        return wrong_line(self.file, self.words, texts, self._listed)


def keys_of(file: File) -> dict[str, Any]:
    """Return the keys of the records at the beginning of a file, each with its first value; refuse what is no text."""
    require_text(file)
    lines = file.head.removeprefix(BOM).split(b"\n")
    whole = lines if len(lines) == 1 else lines[:-1]
    keys: dict[str, Any] = {}
    try:
        for line in whole:
            if line.strip():
                record = json.loads(line, parse_constant=_refused)
                keys = {**keys, **record, **keys}  # the first value of each, without a call
    except (TypeError, ValueError, RecursionError) as error:
        raise (wrong_line(file, {}) or DataError(f"{file.label}:1: not JSON ({reason(error)}).")) from error
    return keys


def wrong_line(
    file: File, words: Mapping[str, str], texts: Collection[str] = (), lists: Collection[str] = ()
) -> RankwellError | None:
    """Return the error of the first line that is not a JSON object with such values; None if there is none.

    Numbers in the columns ``texts`` may be written as text; the columns ``lists`` hold lists of such values.
    """
    for number, line in filled_lines(file):
        where = f"{file.label}:{number}"
        try:
            record = json.loads(line, parse_constant=_refused)
        except UnicodeDecodeError as error:
            return at_wrong_bytes(file, error, number)
        except (ValueError, RecursionError) as error:
            return DataError(f"{where}: not JSON ({reason(error)}). Fix or remove the line.")
        if not isinstance(record, dict):
            return DataError(f"{where}: {type(record).__name__}, expected an object {{…}}.")
        for word, column in words.items():
            cell = record.get(column)
            if column in lists and cell is not None and not isinstance(cell, list):
                return DataError(
                    f"{where}: {brief(column)} is {brief(cell)}, where the first line has a list."
                )
            for value in cell or [] if column in lists else [cell]:
                if found := _wrong_value(value, word, where, may_be_text=column in texts):
                    return found
    return None


def _wrong_value(value: Any, word: str, where: str, *, may_be_text: bool) -> RankwellError | None:
    """The error of a value that is neither missing nor what the word says."""
    if (
        may_be_text
        and isinstance(value, str | int | float)
        and not (isinstance(value, bool) and word in ID_WORDS)
    ):
        return None
    fits = str | int | float if word in ID_WORDS else int | float
    if value is not None and (not isinstance(value, fits) or isinstance(value, bool)):
        expected = "an id" if word in ID_WORDS else "a number"
        if isinstance(value, str) and is_number(value):
            expected += ", but text; the first line has a number. Write all alike"
            return DataError(f"{where}: the {word} {brief(value)} is not {expected}.")
        advice = how_to_write(value) if isinstance(value, str) else ""
        return DataError(f"{where}: the {word} {brief(value)} is not {expected}.{advice}")
    if word not in ID_WORDS and isinstance(value, int) and not _is_float(value):
        return Changed(0, value, word).at(where)
    return None


def reason(error: Exception) -> str:
    """Return why Python's json does not read a text."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    is_long = not isinstance(error, json.JSONDecodeError) and "digits" in str(error)
    return "a number of thousands of digits" if is_long else str(error)


def refuse_repeated(file: File, names: list[str]) -> None:
    """Raise DataError for a line in which one of the keys stands twice."""
    encoded = [name.encode(errors="surrogatepass") for name in names]
    ends, joined = np.cumsum([len(key) for key in encoded]), b"".join(encoded) + b" "
    for line, text in _whole_lines(file):
        bytes_of_text, at = np.frombuffer(text, np.uint8), 0
        while (at := json_keys.suspicious(bytes_of_text, at, joined, ends)) >= 0:
            after = text.index(b"\n", at) + 1
            twice = _repeated(text[at:after], names)
            if twice is not None:
                line += text.count(b"\n", 0, at)
                raise DataError(f"{file.label}:{line}: the key {brief(twice)} stands twice. Remove one.")
            at = after


def _whole_lines(file: File) -> Iterator[tuple[int, bytes]]:
    """Yield some lines at a time, with the number of the first."""
    line, rest = 1, b""
    for piece in file.pieces():
        text = rest + piece.tobytes()
        end = text.rfind(b"\n") + 1
        if end:
            yield line, text[:end]
            line += text.count(b"\n")
        rest = text[end:]
    if rest:
        yield line, rest + b"\n"


def _repeated(line: bytes, names: list[str]) -> str | None:
    """The key of a line that stands twice; None if there is none, or the line is no object (which is found later)."""
    try:
        pairs = json.loads(line.removeprefix(BOM), object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    except (ValueError, RecursionError):
        return None
    return next((name for name in names if isinstance(pairs, list) and pairs.count(name) > 1), None)


def _is_float(value: int) -> bool:
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _refused(word: str) -> float:
    msg = f"{word} is not a number of JSON"
    raise ValueError(msg)
