"""Features of items (topics, numbers, embeddings) as sparse vectors, one row per item."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwell.kernels import lists as kernel
from rankwell.records import cached_property, record
from rankwell.tables.ranked import Ranked

NO_WEIGHTS = np.empty(0)
CELLS = 1 << 22  # of the dense table of lists and features built at a time


@record(eq=False)
class Features:
    """Sparse vectors: row i has the nonzero ``values[offsets[i]:offsets[i + 1]]`` in the columns ``codes`` there."""

    names: tuple[str, ...]
    offsets: np.ndarray
    codes: np.ndarray
    values: np.ndarray

    @cached_property
    def lengths(self) -> np.ndarray:
        """The number of features of each item."""
        return np.diff(self.offsets)

    @cached_property
    def squares(self) -> np.ndarray:
        """The squared length of each vector."""
        return kernel.squares(self.offsets, self.values)

    @cached_property
    def units(self) -> Features:
        """The same vectors with length 1; those without features stay 0."""
        values = kernel.units(self.offsets, self.values)
        return Features(self.names, self.offsets, self.codes, values)

    @cached_property
    def shares(self) -> Features:
        """The same vectors with values that sum to 1, each feature an equal part."""
        values = np.repeat(1.0 / np.maximum(self.lengths, 1), self.lengths)
        return Features(self.names, self.offsets, self.codes, values)

    @cached_property
    def sets(self) -> Features:
        """The same vectors with 1 for each nonzero feature."""
        return Features(self.names, self.offsets, self.codes, np.ones(len(self.codes)))

    def has(self, items: np.ndarray) -> np.ndarray:
        """Return which items have features; those outside the catalogue (-1) have none."""
        # of -1, the first offset against the last
        return self.offsets[items + 1] > self.offsets[items]

    def lengths_of(self, items: np.ndarray) -> np.ndarray:
        """Return the number of features of some items; those outside the catalogue (-1) have none."""
        return np.maximum(self.offsets[items + 1] - self.offsets[items], 0)

    def squares_of(self, items: np.ndarray) -> np.ndarray:
        """Return the squared lengths of the vectors of some items; 0 outside the catalogue (-1)."""
        return self._squares_and_none[items]

    @cached_property
    def _squares_and_none(self) -> np.ndarray:
        return np.append(self.squares, 0.0)

    def entries(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all features of some items as (position in ``items``, column, value), item after item.

        Items outside the catalogue (-1) have none.
        """
        known = np.flatnonzero(items >= 0)
        lengths = self.lengths[items[known]]
        ends = np.cumsum(lengths)
        at = np.arange(int(ends[-1]) if len(ends) else 0)
        at += np.repeat(self.offsets[items[known]] - (ends - lengths), lengths)
        return np.repeat(known, lengths), self.codes[at], self.values[at]

    def sums(self, rows: Ranked, weights: np.ndarray | None = None) -> Iterator[tuple[int, int, np.ndarray]]:
        """Yield blocks of queries (from, to) with the weighted sums of their items' vectors, as dense rows.

        Sums are computed in row order, so a query's sum does not depend on the other queries.
        """
        assert rows.item is not None
        width = max(len(self.names), 1)
        step = max(CELLS // width, 1)
        for low in range(0, rows.queries, step):
            high = min(low + step, rows.queries)
            first, last = np.searchsorted(rows.query, [low, high])
            part = slice(first, last)
            yield (
                low,
                high,
                kernel.sums(
                    high - low,
                    rows.query[part] - low,
                    rows.item[part],
                    NO_WEIGHTS if weights is None else weights[part],
                    self.offsets,
                    self.codes,
                    self.values,
                    width,
                ),
            )
