"""Features of items (topics, numbers, embeddings) as sparse vectors, one row per item."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.kernels import lists as kernel
from rankwell.tables.csr import offsets_of, owners_of
from rankwell.tables.ranked import Ranked

if TYPE_CHECKING:
    import polars as pl

TOPICS = ("topics", "topic", "genres", "genre", "categories", "category", "subtopics", "aspects")
SEPARATORS = "|;,"
NO_WEIGHTS = np.empty(0)
CELLS = 1 << 22  # of the dense table of lists and features built at a time


@dataclass(frozen=True, eq=False)
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
        rows = owners_of(self.lengths)
        return np.bincount(rows, weights=self.values**2, minlength=len(self.lengths))

    @cached_property
    def units(self) -> Features:
        """The same vectors with length 1; those without features stay 0."""
        values = self.values / np.repeat(np.sqrt(self.squares), self.lengths)
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
        return self.lengths_of(items) > 0

    def lengths_of(self, items: np.ndarray) -> np.ndarray:
        """Return the number of features of some items; those outside the catalogue (-1) have none."""
        return self._lengths_and_none[items]

    def squares_of(self, items: np.ndarray) -> np.ndarray:
        """Return the squared lengths of the vectors of some items; 0 outside the catalogue (-1)."""
        return self._squares_and_none[items]

    @cached_property
    def _lengths_and_none(self) -> np.ndarray:
        return np.append(self.lengths, 0)

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


def features_of(frame: pl.DataFrame, wanted: str, table: str) -> Features:
    """Return the features that a name selects in an items table.

    ``topics`` is the column of that name (or genres, categories …): lists of text, or text with ``|``, ``;`` or ``,`` between
    topics; ``numeric`` is all columns of numbers as one vector; a pattern such as ``genre_*`` is the columns of numbers that
    match it; any other name is a column: of text as above, of numbers, or of lists of numbers (embeddings).

    Raises
    ------
    UsageError
        If there is no such column.
    DataError
        If a column has another type, or vectors of different lengths.

    Examples
    --------
    >>> import polars as pl
    >>> found = features_of(pl.DataFrame({"genres": ["Drama|War", None, "War"]}), "topics", "items")
    >>> found.names, found.offsets.tolist(), found.codes.tolist()
    (('Drama', 'War'), [0, 2, 2, 3], [0, 1, 1])
    """
    column = next((name for name in TOPICS if name in frame.columns), "") if wanted == "topics" else wanted
    if column in frame.columns:
        return _of_column(frame[column], column, table)
    pattern = "*" if wanted == "numeric" else wanted
    several = [name for name in fnmatch.filter(frame.columns, pattern) if frame[name].dtype.is_numeric()]
    if not several or (pattern == wanted and "*" not in wanted):
        has = f"it has {one_of(frame.columns)}" if frame.columns else "it has only items"
        named = (
            f"column of topics (such as {TOPICS[0]} or {TOPICS[2]})"
            if wanted == "topics"
            else f"column {brief(wanted)}"
        )
        raise UsageError(
            f"{table} has no {named}; {has}. Name one: features=COLUMN, numeric, or a pattern such as 'genre_*'."
            f"{nearest(wanted, frame.columns)}"
        )
    dense = np.column_stack([_numbers(frame[name], table) for name in several])
    return _of_dense(dense, tuple(several))


def _of_column(series: pl.Series, column: str, table: str) -> Features:
    import polars as pl

    kind = series.dtype
    inner = getattr(kind, "inner", None)
    if inner is not None and inner.is_numeric():
        return _embeddings(series, column, table)
    if kind.is_numeric():
        return _of_dense(_numbers(series, table)[:, None], (column,))
    if inner is None:
        if kind in (pl.Categorical, pl.Enum):
            series = series.cast(pl.String)
        if series.dtype != pl.String:
            raise DataError(
                f"{table}: the column {brief(column)} is {kind}; features must be text, numbers or lists of them."
            )
        used = (sign for sign in SEPARATORS if series.str.contains(sign, literal=True).any())
        series = series.str.split(next(used, SEPARATORS[0]))
    elif inner != pl.String:
        raise DataError(
            f"{table}: the column {brief(column)} is {kind}; features must be text, numbers or lists of them."
        )
    return _of_lists(series if series.dtype != pl.String else series.reshape((-1, 1)).arr.to_list())


def _of_lists(lists: pl.Series) -> Features:
    """The features of lists of words: each distinct word is read once, and counts once in a list."""
    import polars as pl

    words = lists.drop_nulls().explode(empty_as_null=False)
    rows = owners_of(lists.list.len().fill_null(0).to_numpy())
    spelt = words.drop_nulls().unique()
    read = spelt.str.strip_chars()
    names = read.filter(read != "").unique().sort()
    code_of = np.append(read.cast(pl.Enum(names), strict=False).to_physical().fill_null(-1).to_numpy(), -1)
    codes = code_of[words.cast(pl.Enum(spelt)).to_physical().fill_null(len(spelt)).to_numpy()]
    named = codes >= 0
    if not named.all():
        rows, codes = rows[named], codes[named]
    key = rows * len(names) + codes
    ordered = np.sort(key)
    if (ordered[1:] == ordered[:-1]).any():
        firsts = np.sort(np.unique(key, return_index=True)[1])
        rows, codes = rows[firsts], codes[firsts]
    offsets = offsets_of(np.bincount(rows, minlength=len(lists)))
    return Features(tuple(names.to_list()), offsets, codes.astype(np.int64), np.ones(len(codes)))


def _embeddings(series: pl.Series, column: str, table: str) -> Features:
    import polars as pl

    series = series.cast(pl.List(pl.Float64))
    lengths = series.list.len()
    width = int(lengths.max() or 0)  # type: ignore[arg-type]
    wrong = ((lengths != width) & series.is_not_null()).arg_max()
    if wrong is not None and lengths[wrong] not in (None, width):
        raise DataError(
            f"{table}, row {wrong + 1}: {lengths[wrong]} numbers in {brief(column)}, but other rows have {width}."
        )
    dense = np.zeros((len(series), width))
    there = series.is_not_null().to_numpy()
    dense[there] = (
        series.drop_nulls().explode(empty_as_null=False).fill_null(0.0).to_numpy().reshape(-1, width)
    )
    return _of_dense(_finite(dense, column, table), tuple(f"{column}[{n}]" for n in range(width)))


def _numbers(series: pl.Series, table: str) -> np.ndarray:
    import polars as pl

    return _finite(series.cast(pl.Float64).fill_null(0.0).to_numpy(), series.name, table)


def _finite(values: np.ndarray, column: str, table: str) -> np.ndarray:
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise DataError(
            f"{table}, row {row + 1}: {brief(column)} is not a finite number. Fix it, or leave it empty (null)."
        )
    return values


def _of_dense(dense: np.ndarray, names: tuple[str, ...]) -> Features:
    rows, codes = np.nonzero(dense)
    offsets = offsets_of(np.bincount(rows, minlength=len(dense)))
    return Features(names, offsets, codes, dense[rows, codes])
