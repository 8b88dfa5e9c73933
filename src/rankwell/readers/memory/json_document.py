"""The text of a JSON file, whose members are read one by one: a table, lists by query, or a value a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, UsageError, brief
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import at_wrong_bytes, require_text
from rankwell.readers.frames import in_memory, list_columns, tables
from rankwell.readers.frames.columns import Given
from rankwell.readers.memory.dicts import Gathered, ItemLists, Members, kind_of
from rankwell.readers.memory.json_values import UNIQUE, Twice
from rankwell.tables.cells import MOST
from rankwell.tables.columns import known_word
from rankwell.tables.series import Changed

if TYPE_CHECKING:
    import polars as pl

LARGEST = 2**1023  # of whole numbers that are floats
BLANKS = re.compile(r"[ \t\n\r]*")
PAIRS = json.JSONDecoder(object_pairs_hook=Members)  # a dict would lose a key that stands twice


class Document:
    """The text of a JSON file, from which its members are read one by one."""

    def __init__(self, file: File) -> None:
        require_text(file, lines=False)
        self.file = file
        self._large: list[tuple[int, dict[str, Any]]] = []
        self._columns: dict[str, list[Any]] = {}
        try:
            self.text = str(file.content.data, "utf-8-sig")
            file.check()
        except UnicodeDecodeError as error:
            raise at_wrong_bytes(file, error) from error
        self.start = self._past_blanks(0)
        self.opening = self.text[self.start : self.start + 1]
        if self.opening not in ("{", "["):
            raise self._broken(self.start, "JSON begins with { or [")

    @property
    def is_records(self) -> bool:
        """Whether it is a list of objects."""
        at = self._past_blanks(self.start + 1)
        return self.opening == "[" and self.text[at : at + 1] == "{"

    def is_table(self, words: Sequence[str], columns: Mapping[str, str]) -> bool:
        """Whether it is a list of objects, or an object of columns that stand for all ``words``."""
        if self.is_records or self.opening == "[":
            return self.is_records
        if (columns_found := self._columns_in(in_memory.MOST_COLUMNS if words else None)) is None:
            return False
        self._columns = columns_found
        # a key of one letter may well be a query
        meant = {
            columns.get(key) or known_word(key) for key in columns_found if len(key) > 1 or key in columns
        }
        return {
            *meant,
            *list_columns.plural(columns_found, columns_found, tuple(words), columns).values(),
        } >= set(words)

    def _columns_in(self, most: int | None) -> dict[str, list[Any]] | None:
        """The members of an object if all are lists, or all are objects with the same keys, as pandas writes columns."""
        columns: dict[str, Any] = {}
        first: list[str] | None = None
        for key, value in self.members():
            if not isinstance(value, list) or key in columns or len(columns) == most:
                return None
            keys = [name for name, _ in value] if isinstance(value, Members) else None
            first = first if columns else keys
            if keys != first:
                return None
            columns[key] = value if keys is None else [cell for _, cell in value]
        return columns or None

    def record(self, row: int) -> str:
        """Return the place of a record."""
        return f"{self.file.label}, record {row + 1}"

    def table(self) -> pl.DataFrame:
        """Return a list of objects, or an object of columns, as a table."""
        records: list[dict[str, Any]] = []
        for number, record in self._records():
            if not isinstance(record, Members):
                raise DataError(f"{self.record(number)}: {kind_of(record)}, expected an object.")
            records.append({key: _plain(cell) for key, cell in record})
            # looked at again once the types of the columns are known: in a column of floats such a number would be another one
            if any(type(value) is int and abs(value) > MOST for value in records[-1].values()):
                self._large.append((number, records[-1]))
            if len(records[-1]) < len(record):
                raise DataError(f"{self.record(number)}: a key is repeated. Remove one.")
        if not records:
            return in_memory.table_of([dict.fromkeys(self._columns)], self.record).clear()
        return in_memory.table_of(records, self.record)

    def _records(self) -> Iterator[tuple[int, Any]]:
        if self.is_records:
            return self.members()
        lengths = {key: len(cells) for key, cells in self._columns.items()}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{brief(key)} {n:,}" for key, n in [*lengths.items()][:9])
            raise DataError(f"{self.file.label}: its columns hold different numbers of values: {counts}.")
        return enumerate(
            Members(zip(self._columns, row, strict=True)) for row in zip(*self._columns.values(), strict=True)
        )

    def refuse_changed(self, table: pl.DataFrame, words: Mapping[str, str]) -> None:
        """Raise DataError for a whole number that a float in the same column made another one."""
        for number, record in self._large:
            for word, column in words.items():
                value, kind = record.get(column), table.schema[column]
                if type(value) is not int or not (kind.is_float() or kind.is_object()):
                    continue
                if abs(value) >= LARGEST or float(value) != value:
                    raise Changed(number, value, word).at(self.record(number))

    def rows(self, kind: str, columns: Mapping[str, str]) -> tables.OpenTable:
        """Return the table in pieces."""
        table = self.table()
        opened = tables.open_table(table, kind, self.file.label, columns)
        self.refuse_changed(table, opened.words)
        return opened if opened.place else replace(opened, place=self.record)

    def lists(self, word: str, columns: Mapping[str, str]) -> ItemLists:
        """Return the items of each query, with their numbers if there are any."""
        if columns or Given.of(columns).items_in:
            raise UsageError(
                f"{self.file.label}: it has no named columns; columns= and order= are for tables and records."
            )
        gathered = Gathered(self.file.label, word)
        queries = set()
        for query, members in self.members():
            if query in queries:
                raise DataError(
                    f"{self.file.label}, query {brief(query)}: the key stands twice. Join the two."
                )
            queries.add(query)
            gathered.add(query, members)
        return gathered.lists()

    def values(self) -> Iterator[tuple[str, Any]]:
        """Yield each value with its place: the whole text is one, or each of its lines."""
        at, line, counted = self.start, 1, 0
        while at < len(self.text):
            line, counted = (
                line + self.text.count("\n", counted, at),
                at,
            )  # on from the last value, not from the start
            try:
                value, at = self._value(at, UNIQUE)
            except Twice as twice:
                raise DataError(
                    f"{self.file.label}:{line}: the key {brief(twice.args[0])} stands twice in an object. Remove one."
                ) from None
            yield f"{self.file.label}:{line}", value

    def members(self) -> Iterator[tuple[Any, Any]]:
        """Yield the members of the outermost object or list: key or number, and value."""
        closing = "}" if self.opening == "{" else "]"
        at, number = self._past_blanks(self.start + 1), 0
        while self.text[at : at + 1] != closing or number:
            key: Any = number
            if self.opening == "{":
                key, at = self._value(at)
                if not isinstance(key, str) or self.text[at : at + 1] != ":":
                    raise self._broken(at, "expected a quoted key and a colon")
                at = self._past_blanks(at + 1)
            value, at = self._value(at)
            yield key, value
            number += 1
            sign = self.text[at : at + 1]
            if sign == closing:
                break
            if sign != ",":
                raise self._broken(at, f"expected a comma or {closing}")
            at = self._past_blanks(at + 1)
        if self._past_blanks(at + 1) < len(self.text):
            raise self._broken(self._past_blanks(at + 1), "there is text after the end")

    def _past_blanks(self, at: int) -> int:
        match = BLANKS.match(self.text, at)
        return match.end() if match else at

    def _value(self, at: int, decoder: json.JSONDecoder = PAIRS) -> tuple[Any, int]:
        """A value, and where the next sign after it stands."""
        try:
            value, end = decoder.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            raise self._broken(error.pos, error.msg) from error
        except RecursionError as error:
            raise self._broken(at, "it is nested too deeply") from error
        except ValueError as error:  # Python refuses to read them
            raise self._broken(at, "a number of thousands of digits") from error
        return value, self._past_blanks(end)

    def _broken(self, at: int, trouble: str) -> DataError:
        line = self.text.count("\n", 0, at) + 1
        where = "at the end of the file" if at >= len(self.text) else f"at {self.text[at : at + 20]!r}"
        if self.text[at : at + 1] == "'":
            advice = "These are the quotation marks of Python: write the file by json.dump."
        elif "after the end" in trouble:
            advice = "A file of JSON holds one object or list; join them."
        else:
            advice = "Is the file cut off?"
        return DataError(f"{self.file.label}:{line}: not JSON: {trouble} ({where}). {advice}")


def _plain(cell: Any) -> Any:
    """A cell of a table as it is without a special type for objects."""
    if isinstance(cell, Members):
        return {key: _plain(inner) for key, inner in cell}
    return [_plain(inner) for inner in cell] if isinstance(cell, list) else cell
