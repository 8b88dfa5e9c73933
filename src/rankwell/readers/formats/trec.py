"""TREC text: runs of ``query Q0 item rank score tag`` and qrels of ``query topic item grade``.

The score decides the order and the rank column is ignored. Ids are spans of the bytes, which are read block by block
(``StreamedRows``) or held whole (``TextRows``); nothing stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.kernels import ids as id_kernel
from rankwell.kernels import trec_lines
from rankwell.readers.blocks import Block, Take, blocks, copied
from rankwell.readers.files import File
from rankwell.readers.trec_columns import ALL_LINES, QRELS, RUN, LineOf, Parsed
from rankwell.tables.csr import offsets_of, owners
from rankwell.tables.grouping import cuts
from rankwell.tables.ids import Ids
from rankwell.tables.rows import Columns, Lists
from rankwell.tables.run_qrels import Qrels, Run

SUFFIXES = (".run", ".qrels", ".trec", ".txt")
INDEXED_BYTES = 1 << 22
BLOCK_BYTES = 1 << 24
CACHED_ROWS = 150_000  # so many lines and their columns stay in a processor's cache


def recognises(_: bytes) -> bool:
    """Text that no other format claims is TREC text; it has no sign of its own."""
    return False


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a TREC file; nothing is read before somebody looks."""
    _refuse(columns, file)
    return Run.of_rows(StreamedRows(file), name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a TREC file."""
    _refuse(columns, file)
    parsed = Parsed(Block.whole(file), ALL_LINES, QRELS)
    if not len(parsed.value):
        raise DataError(f"{file.label}: the file holds no judgements; a line is {QRELS[0]}.")
    query = parsed.query[owners(parsed.offsets)]
    place = LineOf(file.label, parsed.item)
    return Qrels(query, parsed.item, parsed.value, parsed.topic, name=name, place=place)


def _refuse(columns: Mapping[str, str], file: File) -> None:
    if columns:
        raise UsageError(f"{file.label}: TREC text has no named columns; columns= is for tables such as CSV.")


class StreamedRows:
    """The lines of a TREC run, read in batches as if the lines of each query stood together; none is held."""

    grouped = False

    def __init__(self, file: File) -> None:
        self.file = file

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each read one batch; a file whose queries are scattered is read whole and indexed first."""
        head = self.file.head
        width = max(len(head) // max(head.count(b"\n"), 1), 8)
        parts = blocks(self.file, min(min(size, CACHED_ROWS) * width, BLOCK_BYTES))
        for number, take in enumerate(parts):
            if number:
                yield partial(self._lists, take)
                continue
            first = self._lists(take)
            if not first.queries.is_distinct():
                parts.close()
                yield from self.regrouped().batches(size)
                return
            if first.rows:
                yield partial(_itself, first)
            del first

    def _lists(self, take: Take) -> Lists:
        parsed = Parsed(take(), ALL_LINES, RUN)
        return Lists(copied(parsed.query), parsed.offsets, parsed.item, parsed.value, parsed.place)

    def owned(self) -> TextRows:
        """Return the same lines, held by rankwell."""
        return TextRows(self.file)

    def regrouped(self) -> IndexedRows:
        """Return the same lines, those of each query together."""
        return self.owned().regrouped()

    def table(self) -> Columns:
        """Return all lines as columns."""
        return self.owned().table()


def _itself(lists: Lists) -> Lists:
    return lists


class TextRows:
    """The lines of a TREC run that rankwell holds, read in batches as if the lines of each query stood together."""

    grouped = False

    def __init__(self, file: File) -> None:
        self.block = Block.whole(file)

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each read one batch; a file whose queries are scattered is indexed first."""
        text, at, end = self.block.text, self.block.begin, self.block.end
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
        return trec_lines.next_query(self.block.text, at + length, end) if at + length < end else end

    def _lists(self, begin: int, end: int) -> Lists:
        return _lists_of(Parsed(Block(self.block.file, self.block.text, begin, end), ALL_LINES, RUN))

    def owned(self) -> TextRows:
        """Return these rows: they are held."""
        return self

    def regrouped(self) -> IndexedRows:
        """Return the same lines, those of each query together."""
        return IndexedRows(self.block)

    def parsed(self, layout: tuple[str, int, int] = RUN) -> Parsed:
        """Return the columns of all lines."""
        return Parsed(self.block, ALL_LINES, layout)

    def table(self) -> Columns:
        """Return all lines as columns."""
        parsed = self.parsed()
        query = parsed.query[owners(parsed.offsets)]
        return Columns(query, parsed.item, parsed.value, place=LineOf(self.block.file.label, parsed.item))


class IndexedRows:
    """The lines of a TREC run in any order: where each line starts, sorted by query; the rest is read in batches."""

    grouped = True

    def __init__(self, block: Block) -> None:
        self.block = block
        codes, heads, known = [], [], 0
        for lines, lengths in self._chunks():
            query = Ids.of_spans(block.text, lines, lengths)
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
        text, at = self.block.text, self.block.begin
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
        return _lists_of(Parsed(self.block, lines, RUN))

    def owned(self) -> IndexedRows:
        """Return these rows: they are held."""
        return self

    def regrouped(self) -> IndexedRows:
        """Return these rows: they are grouped."""
        return self

    def table(self) -> Columns:
        """Return all lines as columns, in the order of the file."""
        return TextRows(self.block.file).table()


def _lists_of(parsed: Parsed) -> Lists:
    return Lists(
        parsed.query,
        parsed.offsets,
        parsed.item,
        parsed.value,
        LineOf(parsed.block.file.label, parsed.item),
    )
