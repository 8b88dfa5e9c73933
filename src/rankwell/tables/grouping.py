"""Rows of equal queries: brought together, or divided into groups of whole lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from rankwell.kernels import ids as kernel
from rankwell.records import record
from rankwell.tables.csr import offsets_of, owners
from rankwell.tables.ids import Ids

SAMPLE = 10_000
PART_ROWS = 400_000


@record(eq=False)
class Stretches:
    """A column of ids as stretches of rows: the id of each stretch, and the offsets of its rows."""

    ids: Ids
    offsets: np.ndarray

    @classmethod
    def of(cls, column: Ids) -> Stretches:
        """Return the stretches of equal ids in a column."""
        heads = column.runs()
        return cls(column[heads], np.append(heads, len(column)))

    @classmethod
    def concatenate(cls, parts: Sequence[Stretches]) -> Stretches:
        """Return the stretches of columns end to end; one that goes on in the next column is two."""
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(Ids.concatenate([part.ids for part in parts]), offsets_of(lengths))

    def __len__(self) -> int:
        return int(self.offsets[-1])

    @property
    def are_long(self) -> bool:
        """Whether the stretches take less memory than the ids of all rows."""
        return 2 * len(self.ids) < len(self)

    def column(self) -> Ids:
        """Return the id of each row."""
        column = self.ids[owners(self.offsets)]
        return column if column.is_text else Ids.of_integers(column.integers)  # which cannot be written to


def grouped(query: Ids | Stretches) -> tuple[Ids, np.ndarray, np.ndarray | None]:
    """Return the distinct queries, the offsets of their rows, and the rows in that order (None: already in order)."""
    found = together(query)
    if found:
        return *found, None
    return gathered(query.column() if isinstance(query, Stretches) else query)


def together(query: Ids | Stretches) -> tuple[Ids, np.ndarray] | None:
    """Return the distinct queries and the offsets of their rows; None if the rows of some query are scattered."""
    if isinstance(query, Stretches):
        found = together(query.ids)
        return None if found is None else (found[0], query.offsets[found[1]])
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
    if parts == 1:
        yield np.arange(len(query))
        return
    rows, offsets = kernel.gather(part_of(query, parts), parts)
    for low, high in pairwise(offsets.tolist()):
        if low < high:
            yield rows[low:high]


def part_of(query: Ids, parts: int) -> np.ndarray:
    """Return which of some parts of the queries each one belongs to, by hash."""
    return kernel.parts(query.keys, parts)[0]


def cuts(offsets: np.ndarray, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of whole lists with about ``size`` rows each, at least one list."""
    low, lists = 0, len(offsets) - 1
    while low < lists:
        high = int(np.searchsorted(offsets, offsets[low] + size, side="right")) - 1
        high = min(max(high, low + 1), lists)
        yield low, high
        low = high
