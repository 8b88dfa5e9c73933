"""TREC runs whose queries are scattered over the file: each block is packed by query, each batch is unpacked from all blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import InputError
from rankwell.kernels import trec_packs
from rankwell.readers.blocks import Buffers, Take, columns_of, copied
from rankwell.readers.files import CHANGED
from rankwell.readers.trec_columns import Layout, Parsed
from rankwell.records import record
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids
from rankwell.tables.machine import cores
from rankwell.tables.rows import Columns, Lists, Rows, cuts

if TYPE_CHECKING:
    from rankwell.readers.formats.trec import TrecRows

CACHED_ROWS = 150_000  # so many lines and their columns stay in a processor's cache
KINDS = "qQdi"  # of each row the item's start and key, the score, the item's length
Packed = tuple[Ids, np.ndarray, np.ndarray, np.ndarray]


@record(eq=False)
class Pack:
    """The rows of a block by query: their bytes, and of each query its number, where its rows begin, and the end."""

    packed: np.ndarray
    numbers: np.ndarray
    begins: np.ndarray
    ends: np.ndarray


class ScatteredRows(Rows):
    """The lines of a TREC run in any order, as if those of each query stood together."""

    grouped = True

    def __init__(self, whole: TrecRows) -> None:
        self.whole = whole

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make the lists of some queries, in the order in which these come first in the file."""
        queries, offsets, packs = _packed(self.whole)
        memory = Buffers(), Buffers()
        for low, high in cuts(offsets, min(size, CACHED_ROWS)):
            yield partial(self._lists, queries[low:high], offsets[low : high + 1], low, packs, memory)

    def _lists(
        self, queries: Ids, offsets: np.ndarray, low: int, packs: list[Pack], memory: tuple[Buffers, Buffers]
    ) -> Lists:
        offsets = offsets - offsets[0]
        parts = []
        for pack in packs:
            first, last = np.searchsorted(pack.numbers, (low, low + len(queries)))
            parts.append(
                (pack.packed, pack.numbers[first:last] - low, pack.begins[first:last], pack.ends[first:last])
            )
        held = sum(int((ends - begins).sum()) for _, _, begins, ends in parts)
        text = memory[0].take(held - 10 * int(offsets[-1]) + 8)
        starts, keys, values, lengths = columns_of(memory[1], int(offsets[-1]), KINDS)
        rows, at = offsets[:-1].copy(), 0
        for packed, numbers, begins, ends in parts:
            places = rows[numbers]
            at = trec_packs.unpack(packed, begins, ends, places, at, text, starts, keys, values, lengths)
            rows[numbers] = places
        items = Ids(keys, text, starts, lengths)
        return Lists(queries, offsets, items, values, partial(self._place, queries, offsets))

    def _place(self, queries: Ids, offsets: np.ndarray, row: int) -> str:
        """Where a row stands: the lines of its query are counted in the file once more."""
        number = int(np.searchsorted(offsets, row, side="right")) - 1
        query, before = queries.one(number), row - int(offsets[number])
        for take in self.whole.takes():
            parsed = Parsed(take(), self.whole.layout)
            codes, firsts = parsed.query.group()
            same = [code for code, first in enumerate(firsts) if parsed.query.one(int(first)) == query]
            rows = np.flatnonzero(np.repeat(np.isin(codes, same), np.diff(parsed.offsets)))
            if before < len(rows):
                return parsed.place(int(rows[before]))
            before -= len(rows)
        raise InputError(f"{self.whole.label}: {CHANGED}")

    def owned(self) -> ScatteredRows:
        """Return these rows: they are held."""
        return self

    def table(self) -> Columns:
        """Return all lines as columns, in the order of the file."""
        return self.whole.table()


def _packed(whole: TrecRows) -> tuple[Ids, np.ndarray, list[Pack]]:
    """The distinct queries, the offsets of their rows, and the blocks packed."""
    parts = list(_done(whole))
    heads = Ids.concatenate([own for own, *_ in parts])
    numbers, firsts = heads.group()
    sizes, packs, done = np.zeros(len(firsts), np.int64), [], 0
    for _, packed, offsets, counts in parts:
        own = numbers[done : done + len(counts)]
        done += len(counts)
        sizes[own] += counts
        order = np.argsort(own)
        packs.append(Pack(packed, own[order], offsets[:-1][order], offsets[1:][order]))
    return heads[firsts], offsets_of(sizes), packs


def _done(whole: TrecRows) -> Iterator[Packed]:
    """Pack the blocks on all cores; only a few are read before they are packed."""
    workers = cores()
    if workers == 1:
        yield from (_pack(take, whole.layout) for take in whole.takes())
        return
    from rankwell.tables.workers import Workers, in_order

    with Workers(workers) as threads:
        yield from in_order(threads, workers, (partial(_pack, take, whole.layout) for take in whole.takes()))


def _pack(take: Take, layout: Layout) -> Packed:
    """The distinct queries of a block, its rows packed by query, where each begins, and their numbers of rows."""
    parsed = Parsed(take(), layout)
    codes, firsts = parsed.query.group()
    item = parsed.item
    packed = trec_packs.pack(
        codes, parsed.offsets, len(firsts), item.text, item.starts, item.lengths, parsed.value
    )
    return copied(parsed.query[firsts]), *packed
