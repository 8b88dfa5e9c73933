"""JSON: ``{query: {item: number}}``, ``{query: [item, …]}``, ``[[item, …], …]``, or a list of records.

The objects are read one by one and become columns at once, so only the text and the columns are held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.readers import frames, in_memory
from rankwell.readers.column_names import WORDS
from rankwell.readers.files import File
from rankwell.readers.frame_columns import Frames
from rankwell.readers.json_values import UNIQUE, Twice, first_value
from rankwell.readers.shape import shape_of
from rankwell.readers.text import SAY_ENCODING, require_text
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items
from rankwell.tables.numbers import MOST, Changed, refuse_changed
from rankwell.tables.places import Place
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from rankwell.readers.mapping import Lists

SUFFIXES = (".json",)
CHUNK = 100_000
BLANKS = re.compile(r"[ \t\n\r]*")
NUMBER = (int, float)


class Pairs(list[tuple[str, Any]]):
    """The members of a JSON object, in their order, with those that are repeated."""


DECODER = json.JSONDecoder(object_pairs_hook=Pairs)


def recognises(start: bytes) -> bool:
    """Whether a text begins like a list, or like an object that holds another object or a list, of no shape with its own reader."""
    return _is_nested(start) and shape_of(first_value(start)) is None


def _is_nested(start: bytes) -> bool:
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return True
    value = text.removeprefix(b"{").lstrip()
    if value is text or not value.startswith(b'"'):
        return text.startswith(b"{") and value.startswith(b"}")
    end = value.find(b'"', 1)
    while end > 0 and value[end - 1 : end] == b"\\":
        end = value.find(b'"', end + 1)
    after = value[end + 1 :].lstrip().removeprefix(b":").lstrip()
    return end > 0 and after[:1] in (b"{", b"[")


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a JSON file."""
    document = Document(file)
    if document.is_records:
        pieces, words, place = document.records("run", columns)
        return frames.run_of_frames(pieces, words, name, place=place)
    return document.lists("score", columns).run(name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a JSON file; lists of items are interactions, each a 1."""
    document = Document(file)
    if document.is_records:
        pieces, words, place = document.records("qrels", columns)
        return frames.qrels_of_frames(pieces, words, name, place=place)
    from rankwell.readers.to_judge import refuse_json_to_judge

    refuse_json_to_judge(document.text, file.label)
    return document.lists("grade", columns).qrels(name)


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in a JSON file: a list of ids or of records."""
    document = Document(file)
    if document.is_records:
        pieces, words, place = document.records("items", columns)
        return frames.items_of_frames(pieces, words, name, place=place)
    if document.opening != "[":
        raise DataError(f"{file.label}: a catalogue is a list of ids or of records, not an object.")
    return Items([each for _, each in document.members()], name=name)


class Document:
    """The text of a JSON file, from which its members are read one by one."""

    def __init__(self, file: File) -> None:
        require_text(file, lines=False)
        self.file = file
        try:
            self.text = str(file.content.data, "utf-8-sig")
            file.check()
        except UnicodeDecodeError as error:
            line = int(np.count_nonzero(file.content[: error.start] == 10)) + 1
            raise DataError(f"{file.label}:{line}: not UTF-8 ({error.reason}). {SAY_ENCODING}") from error
        self.start = self._past_blanks(0)
        self.opening = self.text[self.start : self.start + 1]
        if self.opening not in ("{", "["):
            raise self._broken(self.start, "JSON begins with { or [")

    @property
    def is_records(self) -> bool:
        """Whether it is a list of objects."""
        at = self._past_blanks(self.start + 1)
        return self.opening == "[" and self.text[at : at + 1] == "{"

    def record(self, row: int) -> str:
        """Return the place of a record."""
        return f"{self.file.label}, record {row + 1}"

    def records(self, kind: str, columns: Mapping[str, str]) -> tuple[Frames, dict[str, str], Place]:
        """Return a list of objects as a table in pieces, which column is which, and where a row stands."""
        records: list[dict[str, Any]] = []
        large: list[int] = []
        for number, record in self.members():
            if not isinstance(record, Pairs):
                raise DataError(f"{self.record(number)}: {_kind(record)}, expected an object.")
            records.append(dict(record))
            if any(type(value) is int and abs(value) > MOST for value in records[-1].values()):
                large.append(number)
            if len(records[-1]) < len(record):
                raise DataError(f"{self.record(number)}: a key is repeated. Remove one.")
        table = in_memory.table_of(records, self.record)
        pieces, words, _, place = frames.pieces_of(table, WORDS[kind], self.file.label, columns)
        for number in large:  # a float in the same column makes floats of them
            for word, column in words.items():
                value = records[number].get(column)
                if table.schema[column].is_float() and type(value) is int and table[column][number] != value:
                    raise Changed(number, value, word).at(self.record(number))
        return pieces, words, place or self.record

    def lists(self, word: str, columns: Mapping[str, str]) -> Lists:
        """Return the items of each query, with their numbers if there are any."""
        if columns or getattr(columns, "items_in", None):
            raise UsageError(
                f"{self.file.label}: it has no named columns; columns= is for tables and records."
            )
        gathered = Gathered(self.file.label, word)
        known = set()
        for query, members in self.members():
            if query in known:
                raise DataError(
                    f"{self.file.label}, query {brief(query)}: the key stands twice. Join the two."
                )
            known.add(query)
            gathered.add(query, members)
        return gathered.lists()

    def values(self) -> Iterator[tuple[str, Any]]:
        """Yield each value with its place: the whole text is one, or each of its lines."""
        at, line, counted = self.start, 1, 0
        while at < len(self.text):
            line, counted = line + self.text.count("\n", counted, at), at
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
        found = BLANKS.match(self.text, at)
        return found.end() if found else at

    def _value(self, at: int, decoder: json.JSONDecoder = DECODER) -> tuple[Any, int]:
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
        return DataError(f"{self.file.label}:{line}: not JSON: {trouble} ({where}). Is the file cut off?")


class Gathered:
    """Lists of items that become columns, some 100,000 items at a time."""

    def __init__(self, label: str, word: str) -> None:
        self.label, self.word = label, word
        self.queries: list[Any] = []
        self.lengths: list[int] = []
        self.graded: bool | None = None
        self._items: list[Any] = []
        self._numbers: list[Any] = []
        self._columns: list[tuple[Ids, np.ndarray]] = []

    def add(self, query: Any, members: Any) -> None:
        """Add one query: an object of items and numbers, or a list of items."""
        if not isinstance(members, list):
            raise DataError(
                f"{self.label}, query {brief(query)}: {_kind(members)}, expected {{item: {self.word}}} or [item, …]."
            )
        graded = isinstance(members, Pairs)
        if self.graded not in (None, graded) and members:
            raise DataError(
                f"{self.label}, query {brief(query)}: some queries have lists, others {{item: {self.word}}}."
            )
        self.graded = graded if members or self.graded is None else self.graded
        self.queries.append(query)
        self.lengths.append(len(members))
        if graded:
            for item, number in members:
                if type(number) not in NUMBER:
                    raise DataError(
                        f"{self.label}, query {brief(query)}, item {brief(item)}: the {self.word} {_shown(number)} is not a number."
                    )
                self._items.append(item)
                self._numbers.append(number)
        else:
            self._items += members
        if len(self._items) >= CHUNK:
            self._put_by()

    def _put_by(self) -> None:
        try:
            numbers = np.array(self._numbers, np.float64)
        except OverflowError as error:
            raise DataError(f"{self.label}: a {self.word} is too large for a number of 64 bits.") from error
        try:
            refuse_changed(self._numbers, numbers, self.word)
        except Changed as changed:
            raise changed.at(f"{self.label}, item {brief(self._items[changed.row])}") from None
        self._columns.append((Ids.of(self._items, f"{self.label}: item"), numbers))
        self._items, self._numbers = [], []

    def lists(self) -> Lists:
        """Return what was added."""
        from rankwell.readers.mapping import Lists

        if self._items or not self._columns:
            self._put_by()
        if len({ids.is_text for ids, _ in self._columns if len(ids)}) > 1:
            raise DataError(f"{self.label}: item ids are text in some lists and integers in others.")
        items = Ids.concatenate([ids for ids, _ in self._columns if len(ids)] or [self._columns[0][0]])
        numbers = np.concatenate([each for _, each in self._columns]) if self.graded else None
        offsets = offsets_of(np.array(self.lengths, np.int64))
        return Lists(Ids.of(self.queries, f"{self.label}: query"), offsets, items, numbers, self.label)


def _kind(value: Any) -> str:
    names = {Pairs: "an object", dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value)) or ("null" if value is None else "a number")


def _shown(value: Any) -> str:
    return repr(value)[:40] if isinstance(value, str) else _kind(value)
