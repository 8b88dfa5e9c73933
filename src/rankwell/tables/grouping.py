"""Rows of equal queries: brought together, or divided into groups of whole lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rankwell.kernels import ids as kernel
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids

SAMPLE = 10_000
SLICE = 1 << 20
PART_ROWS = 400_000


def grouped(query: Ids) -> tuple[Ids, np.ndarray, np.ndarray | None]:
    """Return the distinct queries, the offsets of their rows, and the rows in that order (None: already in order)."""
    found = together(query)
    return (*found, None) if found else gathered(query)


def together(query: Ids) -> tuple[Ids, np.ndarray] | None:
    """Return the distinct queries and the offsets of their rows; None if the rows of some query are scattered."""
    heads = query.runs()
    if len(heads) > SAMPLE and not query[heads[:SAMPLE]].is_distinct():
        return None
    queries = query[heads]
    return (queries, np.append(heads, len(query))) if queries.is_distinct() else None


def gathered(query: Ids) -> tuple[Ids, np.ndarray, np.ndarray]:
    """Return the distinct queries, the offsets of their rows, and the rows in that order."""
    queries, rows, lengths = [], [], []
    for part in partitions(query, PART_ROWS):
        codes, firsts = query[part].group()
        ordered, offsets = kernel.gather(codes, len(firsts))
        queries.append(query[part[firsts]])
        rows.append(part[ordered])
        lengths.append(np.diff(offsets))
    offsets = offsets_of(np.concatenate(lengths))
    return Ids.concatenate(queries), offsets, np.concatenate(rows)


def partitions(query: Ids, size: int) -> Iterator[np.ndarray]:
    """Yield ascending rows of groups of queries, about ``size`` rows at a time; queries are assigned to groups by hash."""
    parts = -(-len(query) // size)
    ends = np.zeros(parts + 1, np.int64)
    codes = []
    for low in range(0, len(query), SLICE):
        keys = query[low : low + SLICE].keys * np.uint64(0x5851F42D4C957F2D)
        codes.append(((keys >> np.uint64(33)) % np.uint64(parts)).astype(np.int32))
        ends[1:] += np.bincount(codes[-1], minlength=parts)
    bounds = np.cumsum(ends)
    rows, cursor = np.empty(len(query), np.int64), bounds[:-1].copy()
    for low, part in zip(range(0, len(query), SLICE), codes, strict=True):
        kernel.place(part, np.arange(low, low + len(part)), cursor, rows)
    del codes
    for low, high in pairwise(bounds.tolist()):
        if low < high:
            yield rows[low:high]


def cuts(offsets: np.ndarray, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of whole lists with about ``size`` rows each, at least one list."""
    low, lists = 0, len(offsets) - 1
    while low < lists:
        high = int(np.searchsorted(offsets, offsets[low] + size, side="right")) - 1
        high = min(max(high, low + 1), lists)
        yield low, high
        low = high
