"""NDJSON (JSON Lines): one object per line with the columns as keys, under any usual names."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, RankwellError, brief
from rankwell.kernels import json_keys
from rankwell.readers import frames
from rankwell.readers.column_names import WORDS, match_columns
from rankwell.readers.files import File
from rankwell.readers.frame_columns import Frames
from rankwell.readers.polars_scans import lines_of, schema_of
from rankwell.readers.text import SAY_ENCODING, require_text
from rankwell.tables.items_users import Items
from rankwell.tables.numbers import MOST, Changed
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".jsonl", ".ndjson")
IDS = ("query", "item", "topic")


def recognises(start: bytes) -> bool:
    """Whether the first line is an object of plain values."""
    line = start.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    if not line.startswith(b"{"):
        return False
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return not any(isinstance(value, dict | list) for value in record.values()) and len(record) > 0


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in an NDJSON file; its rows are read when somebody looks."""
    lines = JsonLines(file)
    table, words = lines.open("run", columns)
    return frames.run_of_frames(table, words, name, place=lines.place)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in an NDJSON file."""
    lines = JsonLines(file)
    table, words = lines.open("qrels", columns)
    return frames.qrels_of_frames(table, words, name, place=lines.place)


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in an NDJSON file."""
    lines = JsonLines(file)
    table, words = lines.open("items", columns)
    return frames.items_of_frames(table, words, name, place=lines.place)


class JsonLines:
    """The lines of a file, each a JSON object."""

    def __init__(self, file: File) -> None:
        require_text(file)
        self.file = file
        self.words: dict[str, str] = {}

    def open(self, kind: str, columns: Mapping[str, str]) -> tuple[Frames, dict[str, str]]:
        """Return the wanted columns in pieces, and which column is which. Ids that are numbers become their text."""
        self.words = match_columns(self.keys(), WORDS[kind], self.file.label, columns)
        refuse_repeated(self.file, list(self.words.values()))
        table, _ = schema_of(self._scan, self.file, "NDJSON", self._diagnosis)
        read = lines_of(table, self.file, self.words, "NDJSON", self._diagnosis)

        def without_nested(size: int) -> Iterator[pl.DataFrame]:
            for piece in read(size):
                ids = [piece[self.words[word]] for word in IDS if word in self.words]
                is_odd = any(each.str.starts_with(sign).any() for each in ids for sign in "[{")
                numbers = [piece[column] for word, column in self.words.items() if word not in IDS]
                is_large = any((each.abs() >= MOST).any() for each in numbers)
                if (is_odd or is_large) and (found := self._diagnosis()):
                    raise found
                yield piece

        return without_nested, self.words

    def keys(self) -> list[str]:
        """The keys of the records at the beginning."""
        lines = self.file.head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        whole = lines if len(lines) == 1 else lines[:-1]
        keys: dict[str, None] = {}
        try:
            for line in whole:
                if line.strip():
                    keys |= dict.fromkeys(json.loads(line, parse_constant=_refused))
        except (TypeError, ValueError, RecursionError) as error:
            raise (
                self._diagnosis() or DataError(f"{self.file.label}:1: not JSON ({reason(error)}).")
            ) from error
        return list(keys)

    def _scan(self) -> pl.LazyFrame:
        import polars as pl

        source = self.file.source()
        if self.file.head.startswith(b"\xef\xbb\xbf"):
            source = io.BytesIO(self.file.content[3:].data)
        kinds = {column: pl.String if word in IDS else pl.Float64 for word, column in self.words.items()}
        return pl.scan_ndjson(source, schema=kinds)

    def place(self, row: int) -> str:
        """Return ``file:line`` of a row."""
        line = next((line for number, (line, _) in enumerate(self._lines()) if number == row), 1)
        return f"{self.file.label}:{line}"

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the text of the lines that are not empty."""
        with self.file.stream() as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, text

    def _diagnosis(self) -> RankwellError | None:
        """The first line that is not a JSON object."""
        for number, line in self._lines():
            where = f"{self.file.label}:{number}"
            try:
                record = json.loads(line, parse_constant=_refused)
            except UnicodeDecodeError as error:
                return DataError(f"{where}: not UTF-8 ({error.reason}). {SAY_ENCODING}")
            except (ValueError, RecursionError) as error:
                return DataError(f"{where}: not JSON ({reason(error)}). Fix or remove the line.")
            if not isinstance(record, dict):
                return DataError(f"{where}: {type(record).__name__}, expected an object {{…}}.")
            for word, column in self.words.items():
                value = record.get(column)
                fits = str | int | float if word in IDS else int | float
                if value is not None and (not isinstance(value, fits) or isinstance(value, bool)):
                    wanted = "an id" if word in IDS else "a number"
                    return DataError(f"{where}: the {word} {brief(value)} is not {wanted}.")
                if word not in IDS and isinstance(value, int) and not _is_float(value):
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
    ends, joined = np.cumsum([len(each) for each in encoded]), b"".join(encoded) + b" "
    for line, text in _whole_lines(file):
        held, at = np.frombuffer(text, np.uint8), 0
        while (at := json_keys.suspicious(held, at, joined, ends)) >= 0:
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
        pairs = json.loads(
            line.removeprefix(b"\xef\xbb\xbf"), object_pairs_hook=lambda pairs: [key for key, _ in pairs]
        )
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
