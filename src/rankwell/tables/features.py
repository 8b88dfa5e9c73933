"""Features of items (topics, numbers, embeddings) as sparse vectors, one row per item."""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.kernels import lists as kernel
from rankwell.kernels import words
from rankwell.records import cached_property, record
from rankwell.tables.cells import read_printed
from rankwell.tables.lists import Ranked, offsets_of

if TYPE_CHECKING:
    import polars as pl


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
        inside = np.flatnonzero(items >= 0)
        lengths = self.lengths[items[inside]]
        # the ranges [offset, offset + length) of all items, end to end, without a loop over items
        ends = np.cumsum(lengths)
        at = np.arange(int(ends[-1]) if len(ends) else 0)
        at += np.repeat(self.offsets[items[inside]] - (ends - lengths), lengths)
        return np.repeat(inside, lengths), self.codes[at], self.values[at]

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


TOPICS = ("topics", "topic", "genres", "genre", "categories", "category", "subtopics", "aspects")
SEPARATORS = "|;,"

# how many features each row has; their columns and values, row after row
Cells = tuple[np.ndarray, np.ndarray, np.ndarray]


class Columns(Protocol):
    """Columns that hold features; they are checked when they are found."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""

    def __len__(self) -> int:
        """The number of items."""

    def cells(self, rows: np.ndarray | None = None) -> Cells:
        """Return the features of some rows, ascending, or of all."""


class Vectors:
    """The features of a catalogue, read for the items that are looked at, and for all once half of them have been."""

    def __init__(self, columns: Columns) -> None:
        self._columns, self._size = columns, len(columns)
        self._read, self._lock = 0, threading.Lock()
        self._whole: Features | None = None

    def whole(self) -> Features:
        """Return the features of all items."""
        with self._lock:
            if self._whole is None:
                lengths, codes, values = self._columns.cells()
                self._whole = Features(self._columns.names, offsets_of(lengths), codes, values)
            return self._whole

    def of(self, shown: Sequence[np.ndarray]) -> Features:
        """Return the features of some items, given as rows, -1 for none; others may seem to have none."""
        if self._whole is not None:
            return self._whole
        looked_at = np.zeros(self._size + 1, np.bool_)
        for items in shown:
            looked_at[items] = True
        rows = np.flatnonzero(looked_at[:-1])
        # batches look at the same popular items again: once half were read, all are, and no more work is repeated
        self._read += len(rows)
        if 2 * self._read > self._size:
            return self.whole()
        lengths, codes, values = self._columns.cells(rows)
        offsets = np.zeros(self._size + 1, np.int64)
        offsets[rows + 1] = lengths
        offsets.cumsum(out=offsets)
        return Features(self._columns.names, offsets, codes, values)


def columns_of(frame: pl.DataFrame, wanted: str, table: str) -> Columns:
    """Return the columns of features that a name selects in an items table.

    ``topics`` is the column of that name (or genres, categories …): lists of text, or text with ``|``, ``;`` or ``,`` between
    topics, or a list as programs print it (``['a', 'b']``), or whole numbers that stand for topics; ``numeric`` is all columns of numbers as one vector; a pattern such as ``genre_*`` is the columns of numbers that
    match it; any other name is a column: of text as above, of numbers, or of lists of numbers (embeddings).

    UsageError if there is no such column; DataError if a column has another type, or vectors of different lengths.

    Examples
    --------
    >>> import polars as pl
    >>> found = Vectors(columns_of(pl.DataFrame({"genres": ["Drama|War", None, "War"]}), "topics", "items")).whole()
    >>> found.names, found.offsets.tolist(), found.codes.tolist()
    (('Drama', 'War'), [0, 2, 2, 3], [0, 1, 1])
    """
    column = next((name for name in TOPICS if name in frame.columns), "") if wanted == "topics" else wanted
    if column in frame.columns:
        return _in_one(frame[column], column, table, are_topics=wanted == "topics")
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
    return Numbers(several, [_numbers(frame[name], table) for name in several])


def _in_one(series: pl.Series, column: str, table: str, *, are_topics: bool) -> Columns:
    import polars as pl

    if series.dtype == pl.Object:
        series = _of_objects(series)
    elif series.dtype in (pl.Categorical, pl.Enum) or (are_topics and series.dtype.is_integer()):
        series = series.cast(pl.String)  # numbers of topics are names of them
    if series.dtype == pl.String:
        series = _of_text(series, table, are_topics=are_topics)
    if are_topics and isinstance(series.dtype, (pl.List, pl.Array)) and _are_codes(series):
        series = series.cast(pl.List(pl.String))
    kind = series.dtype
    inner = getattr(kind, "inner", None)
    if inner is not None and inner.is_numeric():
        return Embeddings(series, column, table)
    if kind.is_numeric():
        return Numbers([column], [_numbers(series, table)])
    if inner != pl.String:
        raise DataError(
            f"{table}: the column {brief(column)} is {kind}; features must be text, numbers or lists of them."
        )
    return WordLists(series if series.dtype != pl.String else series.reshape((-1, 1)).arr.to_list())


def _are_codes(lists: pl.Series) -> bool:
    """Whether lists of whole numbers name topics by their numbers; lists of as many 0 and 1 each say which topics an item has."""
    import polars as pl

    plain = lists.arr.to_list() if isinstance(lists.dtype, pl.Array) else lists
    values, lengths = plain.explode().drop_nulls(), plain.list.len().drop_nulls()
    if not values.dtype.is_integer():
        return False
    are_flags = lengths.n_unique() == 1 and lengths[0] > 1 and values.is_between(0, 1).all()
    return not are_flags


def _of_text(series: pl.Series, table: str, *, are_topics: bool) -> pl.Series:
    """The lists that a column of text holds: of words, or of numbers where all printed lists are of these."""
    import polars as pl

    text = series.str.strip_chars()
    filled = text.filter(text != "")
    if 2 * (filled.str.starts_with("[") & filled.str.ends_with("]")).sum() > len(filled):
        text = text.set(text == "", None)
        is_of_numbers = not filled.str.contains(r"[^-+.,\d\seE\[\]]").any()
        lists = read_printed(
            text, lambda row: f"{table}, row {row + 1}", by=r"[,\s]+" if is_of_numbers else ","
        )
        if not is_of_numbers:
            return lists
        is_whole = are_topics and not filled.str.contains(r"[.eE]").any()
        return lists.cast(pl.List(pl.Int64 if is_whole else pl.Float64), strict=True)
    used = (sign for sign in SEPARATORS if series.str.contains(sign, literal=True).any())
    return series.str.split(next(used, SEPARATORS[0]))


def _of_objects(series: pl.Series) -> pl.Series:
    """The lists in a column of sets, or of lists of whole numbers and others; other columns as they are."""
    import polars as pl

    cells = series.to_list()
    if all(cell is None or isinstance(cell, (set, frozenset, list, tuple)) for cell in cells):
        inner = {type(value) for cell in cells for value in cell or ()}
        lists = [None if cell is None else list(cell) for cell in cells]
        if inner == {str}:
            return pl.Series(series.name, lists, dtype=pl.List(pl.String))
        if inner == {int} and all(cell is None or isinstance(cell, (set, frozenset)) for cell in cells):
            return pl.Series(
                series.name, [cell and [*map(str, cell)] for cell in lists], dtype=pl.List(pl.String)
            )
        if inner <= {int, float} and not any(isinstance(cell, (set, frozenset)) for cell in cells):
            return pl.Series(series.name, lists, dtype=pl.List(pl.Float64), strict=False)
    return series


class WordLists:
    """A column of lists of words: each distinct word is read once, and counts once in a list."""

    def __init__(self, lists: pl.Series) -> None:
        self._offsets = offsets_of(_no_nulls(lists.list.len(), 0).to_numpy())
        cells = _items_of(lists).rechunk()
        self._words, firsts = words.group(cells.__arrow_c_stream__(), len(cells))
        read = [word.strip() for word in cells[firsts].to_list()]
        self.names = tuple(sorted({word for word in read if word}))
        numbers = {name: n for n, name in enumerate(self.names)}
        self._codes = np.array([numbers.get(word, -1) for word in read], np.int64)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def cells(self, rows: np.ndarray | None = None) -> Cells:
        """Return the codes of the words of some items, or of all."""
        wanted = np.arange(len(self)) if rows is None else rows
        lengths, codes = words.lists(self._offsets, self._words, self._codes, len(self.names), wanted)
        return lengths, codes, np.ones(len(codes))


class Numbers:
    """Columns of numbers, which together are one vector per item."""

    def __init__(self, names: list[str], columns: list[np.ndarray]) -> None:
        self.names, self._columns = tuple(names), columns

    def __len__(self) -> int:
        return len(self._columns[0])

    def cells(self, rows: np.ndarray | None = None) -> Cells:
        """Return the numbers of some items, or of all, that are not 0."""
        columns = self._columns if rows is None else [column[rows] for column in self._columns]
        return _not_zero(np.column_stack(columns))


class Embeddings:
    """A column of lists of numbers, all of one length."""

    def __init__(self, series: pl.Series, column: str, table: str) -> None:
        import polars as pl

        self._series = series = series.cast(pl.List(pl.Float64))
        lengths = series.list.len()
        self._width = width = int(lengths.max() or 0)  # type: ignore[arg-type]
        wrong = ((lengths != width) & series.is_not_null()).arg_max()
        if wrong is not None and lengths[wrong] not in (None, width):
            raise DataError(
                f"{table}, row {wrong + 1}: {lengths[wrong]} numbers in {brief(column)}, but other rows have {width}."
            )
        present = np.flatnonzero(series.is_not_null().to_numpy())
        _refuse_infinite(self._numbers(series), present, column, table)
        self.names = tuple(f"{column}[{n}]" for n in range(width))

    def __len__(self) -> int:
        return len(self._series)

    def cells(self, rows: np.ndarray | None = None) -> Cells:
        """Return the numbers of some items, or of all, that are not 0."""
        series = self._series if rows is None else self._series.gather(rows)
        dense = np.zeros((len(series), self._width))
        dense[series.is_not_null().to_numpy()] = self._numbers(series)
        return _not_zero(dense)

    def _numbers(self, series: pl.Series) -> np.ndarray:
        """The numbers of each list that is not missing."""
        count = len(series) - series.null_count()
        return _no_nulls(_items_of(series), 0.0).to_numpy().reshape(count, self._width)


def _items_of(lists: pl.Series) -> pl.Series:
    return (lists.drop_nulls() if lists.null_count() else lists).explode(empty_as_null=False)


def _no_nulls(series: pl.Series, value: float) -> pl.Series:
    return series.fill_null(value) if series.null_count() else series


def _numbers(series: pl.Series, table: str) -> np.ndarray:
    import polars as pl

    values = _no_nulls(series.cast(pl.Float64), 0.0).to_numpy()
    _refuse_infinite(values, np.arange(len(values)), series.name, table)
    return values


def _refuse_infinite(values: np.ndarray, rows: np.ndarray, column: str, table: str) -> None:
    """Raise DataError if one of the values, those of some rows, is not a finite number."""
    if not np.isfinite(values).all():
        row = int(rows[np.argwhere(~np.isfinite(values))[0][0]])
        raise DataError(
            f"{table}, row {row + 1}: {brief(column)} is not a finite number. Fix it, or leave it empty (null)."
        )


def _not_zero(dense: np.ndarray) -> Cells:
    rows, codes = np.nonzero(dense)
    return np.bincount(rows, minlength=len(dense)), codes, dense[rows, codes]
