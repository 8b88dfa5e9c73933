"""TREC text: runs of ``query Q0 item rank score tag`` and qrels of ``query topic item grade``.

The score decides the order and the rank column is ignored. The bytes of a plain file stay where they are (mapped);
ids are spans of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.kernels import ids as id_kernel
from rankwell.kernels import trec_lines, trec_text
from rankwell.readers.files import File
from rankwell.readers.text import text_of
from rankwell.tables.csr import offsets_of, owners, owners_of
from rankwell.tables.grouping import cuts
from rankwell.tables.ids import Ids
from rankwell.tables.places import Held
from rankwell.tables.rows import Columns, Lists
from rankwell.tables.run_qrels import Qrels, Run

SUFFIXES = (".run", ".qrels", ".trec", ".txt")
INDEXED_BYTES = 1 << 22
CACHED_ROWS = 150_000  # so many lines and their columns stay in a processor's cache
ALL_LINES = np.empty(0, np.int64)
RUN, QRELS = ("query Q0 item rank score tag", 4, 6), ("query topic item grade", 3, 4)


def recognises(_: bytes) -> bool:
    """Text that no other format claims is TREC text; it has no sign of its own."""
    return False


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a TREC file; nothing is read before somebody looks."""
    _refuse(columns, file)
    return Run.of_rows(TextRows(Text(file)), name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a TREC file."""
    _refuse(columns, file)
    source = Text(file)
    parsed = source.parse(source.begin, len(source.text), ALL_LINES, QRELS)
    if not len(parsed.value):
        raise DataError(f"{file.label}: the file holds no judgements; a line is {QRELS[0]}.")
    query = parsed.query[owners(np.append(parsed.firsts, len(parsed.item)))]
    return Qrels(
        query, parsed.item, parsed.value, parsed.topic, name=name, place=LineOf(file.label, parsed.item)
    )


def _refuse(columns: Mapping[str, str], file: File) -> None:
    if columns:
        raise UsageError(f"{file.label}: TREC text has no named columns; columns= is for tables such as CSV.")


@dataclass(frozen=True, eq=False)
class LineOf(Held):
    """Rows by the lines that their items stand in."""

    label: str
    item: Ids

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return _line(self.label, self.item.text, int(self.item.starts[row]))


def _line(label: str, text: np.ndarray, at: int) -> str:
    """``file:line`` of a byte."""
    return f"{label}:{int(np.count_nonzero(text[:at] == 10)) + 1}"


class Parsed:
    """Columns of some lines: per stretch of one query its first row and id, per row item, number and topic."""

    def __init__(self, text: np.ndarray, parts: tuple[np.ndarray, ...], *, topics: bool) -> None:
        self.firsts = parts[0]
        self.query = Ids.of_spans(text, parts[1], parts[2])
        self.item = Ids.of_spans(text, parts[3], parts[4])
        self.topic = Ids.of_spans(text, parts[5], parts[6]) if topics else None
        self.value = parts[7]


class Text:
    """The bytes of one file, and the lines they are read from."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.text, self.begin = text_of(file)

    def place(self, at: int) -> str:
        """Return ``file:line`` of a byte."""
        return _line(self.file.label, self.text, at)

    def parse(self, begin: int, end: int, lines: np.ndarray, layout: tuple[str, int, int]) -> Parsed:
        """Read a range of bytes, or the lines that start at ``lines``."""
        columns, value, least = layout
        is_qrels = layout is QRELS
        self.file.check()  # a mapped file that has become shorter must not be touched
        *parts, status, at = trec_text.parse(self.text, begin, end, lines, value, least, is_qrels)
        self.file.check()
        if status:
            raise DataError(
                f"{self.place(at)}: {self._trouble(status, at, value, least)} A line is: {columns}."
            )
        return Parsed(self.text, tuple(parts), topics=is_qrels)

    def _trouble(self, status: int, at: int, value: int, least: int) -> str:
        line = self.text[at : at + 4096].tobytes().split(b"\n")[0]
        words = [word.decode(errors="replace") for word in re.split(rb"[\x01-\x20]+", line) if word]
        if b"\0" in line:
            return "a NUL byte; the file is damaged, binary, or UTF-16 without its mark. Text is UTF-8."
        if status == trec_text.LONG_ID:
            return f"an id of more than {trec_text.LONGEST_ID:,} bytes. Is this the right file?"
        if len(words) < least or status == trec_text.MANY_COLUMNS:
            exactly = "" if least == 6 else "exactly "
            seen = f"{len(words)} column{'s' * (len(words) != 1)}"
            return f"{seen}, expected {exactly}{least} ({line.decode(errors='replace').strip()[:80]!r})."
        number = "score" if least == 6 else "grade"
        if status == trec_text.NAN:
            return f"the {number} is not a number (nan). Remove the line or fix the {number}."
        return f"the {number} {words[value][:40]!r} is not a number."


class TextRows:
    """The lines of a TREC run, read in batches as if the lines of each query stood together."""

    grouped = False

    def __init__(self, source: Text) -> None:
        self.source = source

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each read one batch; a file whose queries are scattered is indexed first."""
        text, at, end = self.source.text, self.source.begin, len(self.source.text)
        size = min(size, CACHED_ROWS)
        sample = text[at : at + 65536]
        width = max(len(sample) // max(int(np.count_nonzero(sample == 10)), 1), 8)
        cut = self._cut(at, end, size * width)
        first = self._lists(at, cut)
        if not first.queries.is_distinct():
            yield from self.regrouped().batches(size)
            return
        if first.rows:
            yield lambda: first
        at = cut
        while at < end:
            cut = self._cut(at, end, size * width)
            yield partial(self._lists, at, cut)
            at = cut

    def _cut(self, at: int, end: int, length: int) -> int:
        return trec_lines.next_query(self.source.text, at + length, end) if at + length < end else end

    def _lists(self, begin: int, end: int) -> Lists:
        return _lists_of(self.source, self.source.parse(begin, end, ALL_LINES, RUN))

    def regrouped(self) -> IndexedRows:
        """Return the same lines, those of each query together."""
        return IndexedRows(self.source)

    def table(self) -> Columns:
        """Return all lines as columns."""
        parsed = self.source.parse(self.source.begin, len(self.source.text), ALL_LINES, RUN)
        lengths = np.diff(np.append(parsed.firsts, len(parsed.item)))
        query = parsed.query[owners_of(lengths)]
        return Columns(
            query,
            parsed.item,
            parsed.value,
            place=LineOf(self.source.file.label, parsed.item),
        )


class IndexedRows:
    """The lines of a TREC run in any order: where each line starts, sorted by query; the rest is read in batches."""

    grouped = True

    def __init__(self, source: Text) -> None:
        self.source = source
        codes, heads, known = [], [], 0
        for lines, lengths in self._chunks():
            query = Ids.of_spans(source.text, lines, lengths)
            numbers, firsts = query.group()
            codes.append((numbers + known).astype(np.int32))
            heads.append(query[firsts])
            known += len(firsts)
        same, firsts = Ids.concatenate(heads).group()
        same = same.astype(np.int32)
        counts = np.zeros(len(firsts), np.int64)
        for part in codes:
            counts += np.bincount(same[part], minlength=len(firsts))
        self.offsets = offsets_of(counts)
        self.starts = np.empty(self.offsets[-1], np.int64)
        cursor = self.offsets[:-1].copy()
        # lines are looked for twice, which costs less than the memory to keep them would
        for part, (lines, _) in zip(codes, self._chunks(), strict=True):
            id_kernel.place(same[part], lines, cursor, self.starts)

    def _chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the starts and the query lengths of the lines, some megabytes of text at a time."""
        text, at = self.source.text, self.source.begin
        while at < len(text):
            stop = trec_lines.line_after(text, at + INDEXED_BYTES, len(text))
            yield trec_lines.index(text, at, stop)
            at = stop

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each read the lines of some queries."""
        for low, high in cuts(self.offsets, min(size, CACHED_ROWS)):
            lines = self.starts[self.offsets[low] : self.offsets[high]]
            yield partial(self._lists, lines)

    def _lists(self, lines: np.ndarray) -> Lists:
        return _lists_of(self.source, self.source.parse(0, len(self.source.text), lines, RUN))

    def regrouped(self) -> IndexedRows:
        """Return these rows: they are grouped."""
        return self

    def table(self) -> Columns:
        """Return all lines as columns, in the order of the file."""
        return TextRows(self.source).table()


def _lists_of(source: Text, parsed: Parsed) -> Lists:
    offsets = np.append(parsed.firsts, len(parsed.item))
    return Lists(
        parsed.query,
        offsets,
        parsed.item,
        parsed.value,
        LineOf(source.file.label, parsed.item),
    )
