"""Rows of a run: brought together by query, divided into parts of whole lists, and given in batches of lists to be judged; cells that a row may lack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import id_text, rank_columns
from rankwell.kernels import ids as kernel
from rankwell.records import cached_property, record
from rankwell.tables.columns import ID_WORDS
from rankwell.tables.ids import NO_STARTS, NO_TEXT, Digest, IdColumn, Ids, fingerprints_of
from rankwell.tables.lists import are_places, highest_first, offsets_of, owners, places_of
from rankwell.tables.series import Place, freeze, freeze_all, numbers_of, same_length, series_of, store_place

if TYPE_CHECKING:
    import polars as pl


SAMPLE = 10_000  # beginnings of stretches that show scattered rows before all are compared


PART_ROWS = 400_000
Extra = Mapping[
    str, Ids | np.ndarray
]  # columns that a run has for metrics that need them, by rankwell's words
NO_ID = -(2**63)  # among integers; among texts it is the empty one
NO_ITEM = "\0"  # the item of the one row of an empty list, where rows alone are passed on; among integers it is NO_ID


def filled(series: pl.Series) -> pl.Series:
    """Return a column of ids in which a missing one is the empty text, or ``NO_ID``; whole numbers in floats become integers.

    >>> import polars as pl
    >>> filled(pl.Series(["a", None])).to_list(), filled(pl.Series([2.0, None])).to_list() == [2, NO_ID]
    (['a', ''], True)
    """
    import polars as pl

    if isinstance(series.dtype, (pl.Categorical, pl.Enum)) or series.dtype == pl.Null:
        series = series.cast(pl.String)
    if series.dtype.is_float():
        series = series.fill_nan(None)
        whole = series.cast(pl.Int64, strict=False)
        if whole.null_count() == series.null_count() and (whole == series).all():
            series = whole
    if series.dtype.is_integer():
        return series.cast(pl.Int64).fill_null(NO_ID) if series.null_count() else series
    return series.fill_null("") if series.dtype == pl.String else series


def are_gaps(ids: Ids) -> np.ndarray:
    """Return which ids stand for missing ones.

    >>> are_gaps(Ids.of(["a", ""])).tolist()
    [False, True]
    """
    return ids.lengths == 0 if ids.is_text else ids.integers == NO_ID


def are_items(ids: Ids) -> np.ndarray:
    """Return which ids are items, and do not say that a list is empty.

    >>> are_items(Ids.of(["a", NO_ITEM, ""])).tolist()
    [True, False, True]
    """
    if not ids.is_text:
        return ids.integers != NO_ID
    is_item = ids.lengths != 1
    short = np.flatnonzero(~is_item)
    is_item[short] = ids.text[ids.starts[short]] != 0
    return is_item


def _with_no_items(ids: Ids, more: int) -> Ids:
    no_item = Ids.of([NO_ITEM if ids.is_text else NO_ID])
    return Ids.concatenate([ids, no_item[np.zeros(more, np.int64)]])


def ids_with_gaps(values: Any, name: str) -> Ids:
    """Return a column of ids, of which some may be missing."""
    return values if isinstance(values, Ids) else Ids.of_series(filled(series_of(values, name)), name)


def numbers_with_gaps(values: Iterable[Any] | np.ndarray, name: str, place: Place) -> np.ndarray:
    """Return a column of numbers, of which missing ones are nan; DataError for other values.

    >>> numbers_with_gaps([1, None], "support", str).tolist()
    [1.0, nan]
    """
    import polars as pl

    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values
    series = series_of(values, name)
    if not series.dtype.is_numeric() and series.dtype not in (pl.Boolean, pl.Null):
        raise DataError(f"{place(0)}: {name} holds {series.dtype} values, not numbers.")
    return series.cast(pl.Float64).to_numpy()


class Rows(Protocol):
    """The rows of a run, which can be read in batches of whole lists."""

    grouped: bool

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows, whole lists only."""

    def owned(self) -> Rows:
        """Return the same rows, without a file, a table or memory of others that they are still to be read from."""
        return self.table()

    def regrouped(self) -> Rows:
        """Return the same rows, grouped by query."""
        return self if self.grouped else self.table()

    def table(self) -> Columns:
        """Return all rows as columns."""


@dataclass(eq=False, slots=True)
class Lists:
    """Whole lists of a run, concatenated: one query each, rows in input order.

    ``score`` orders the rows; ``given`` are the scores that the run has in addition to ranks. Rows ``by_rank`` have minus the
    rank for a score; ``has_ranks`` says that the ranks are the run's own and not just the order of its rows. ``rank_base`` is
    the rank of a first item, 0 or 1, None if it is not known. ``ranks`` are the ranks from 1, where they count and some list
    has a gap. ``extra`` are the columns that only some metrics need.
    """

    queries: Ids
    offsets: np.ndarray
    items: Ids
    score: np.ndarray
    place: Place
    by_rank: bool = False
    against_score: int = 0
    given: np.ndarray | None = None
    has_ranks: bool = False
    rank_base: int | None = None
    ranks: np.ndarray | None = None
    extra: Extra = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.score)

    @property
    def digest(self) -> Digest:
        """What identifies the rows, in any order of the queries: query, item, and score or rank; the digests of parts add up."""
        sizes = np.diff(self.offsets)
        key = -1.0 * places_of(sizes) if self.by_rank and not self.has_ranks else self.score
        return Digest.of_rows(
            np.repeat(fingerprints_of(self.queries), sizes), fingerprints_of(self.items), key + 0.0
        )

    def repeat_error(self, first: int, second: int) -> DataError:
        """Return the error of a list that has an item in two of its rows."""
        query = int(np.searchsorted(self.offsets, second, side="right")) - 1
        return DataError(
            f"{self.place(second)}: query {brief(self.queries.one(query))} lists item {brief(self.items.one(second))} twice "
            f"(first: {self.place(first)}). Remove one, or set duplicates='first' or 'drop'; if these are lists of several systems, days or "
            f"folds, give one of them."
        )

    def only(self, rows: np.ndarray, offsets: np.ndarray | None = None) -> Lists:
        """Return the lists with some of their rows, ascending; in any order if it is said where lists begin among them."""
        place = self.place
        return replace(
            self,
            offsets=np.searchsorted(rows, self.offsets) if offsets is None else offsets,
            items=self.items[rows],
            score=self.score[rows],
            given=None if self.given is None else self.given[rows],
            ranks=None if self.ranks is None else self.ranks[rows],
            extra=self.extra and {word: column[rows] for word, column in self.extra.items()},
            place=lambda row: place(int(rows[row])),
        )


class Columns:
    """The rows of a run as columns; ``key`` orders them: the score, or (``by_rank``) the rank.

    ``query`` is a column, or ``lists`` gives the distinct queries and the offsets of their rows. Without a key, the ranks of
    each list are 1, 2, … in this order. Numbers keep their type until a batch is made, because copying a large column costs
    more than everything else done with it.
    """

    grouped = True
    by_place = False  # whether the ranks are just the positions of the rows
    rank_base: int | None = None  # the rank of a first item, known once for the whole run

    def __init__(
        self,
        query: Ids | None,
        item: Ids,
        key: np.ndarray | None,
        *,
        place: Place,
        by_rank: bool = False,
        given_score: np.ndarray | None = None,
        lists: tuple[Ids, np.ndarray] | None = None,
        extra: Extra | None = None,
    ) -> None:
        self._query, self.item, self._known = query, item, lists
        self._key = None if key is None else freeze(key)
        self.place, self.by_rank = place, by_rank
        self.given_score = None if given_score is None else freeze(given_score)
        self.extra: Extra = {} if not extra else freeze_all(dict(extra))

    def __setstate__(self, columns: dict[str, Any]) -> None:
        """Unpickle the columns, which cannot be written to then either."""
        self.__dict__.update(freeze_all(columns))
        self.extra = freeze_all(dict(self.extra))

    @classmethod
    def of(
        cls,
        query: IdColumn | IdStretches,
        item: IdColumn,
        score: Iterable[float] | np.ndarray | None = None,
        rank: Iterable[float] | np.ndarray | None = None,
        *,
        name: str,
        place: Place,
        is_whole: bool = True,
        rank_base: int | None = None,
        **extra: Any,
    ) -> Columns:
        """Return rows from a user's columns: ordered by ranks if given, else by scores, else as they are.

        A query that is given as stretches is not spread over the rows if the rows of each are adjacent. Of a whole run the
        smallest rank shows whether ranks begin at 0 or 1, unless ``rank_base`` says it. ``extra`` columns are called by rankwell's words.
        """
        lists = group_adjacent(query) if isinstance(query, IdStretches) else None
        if isinstance(query, IdStretches):
            queries = None if lists else query.column()
        else:
            queries = query = Ids.of_column(query, "query")
        items = ids_with_gaps(item, "item") if "part" in extra else Ids.of_column(item, "item")
        more: Extra = extra and {
            word: ids_with_gaps(column, word) if word in ID_WORDS else numbers_with_gaps(column, word, place)
            for word, column in extra.items()
        }
        scores = None if score is None else numbers_of(score, "score", place)
        ranks = None if rank is None else numbers_of(rank, "rank", place)
        lengths = {"item": len(items)}
        optional = (("score", scores), ("rank", ranks), *(more and more.items()))
        lengths |= {word: len(x) for word, x in optional if x is not None}
        same_length(len(query), lengths, name)
        if ranks is not None:
            rows = cls(
                queries, items, ranks, place=place, by_rank=True, given_score=scores, lists=lists, extra=more
            )
            rows.rank_base = lowest_rank(ranks) if is_whole and rank_base is None else rank_base
            return rows
        if scores is not None:
            return cls(queries, items, scores, place=place, lists=lists, extra=more)
        rows = cls(queries, items, np.arange(len(query)), place=place, by_rank=True, lists=lists, extra=more)
        rows.by_place = True
        return rows

    @property
    def key(self) -> np.ndarray:
        """The score, or the rank, of each row."""
        return freeze(places_of(np.diff(self._groups[1]))) if self._key is None else self._key

    @property
    def queries(self) -> Ids:
        """The distinct queries, in order of first appearance."""
        return self._together[0] if self._together else self.query[self.query.group()[1]]

    def __len__(self) -> int:
        return len(self.item)

    @property
    def is_scattered(self) -> bool:
        """Whether the rows of some query are not adjacent."""
        return self._together is None

    @property
    def has_empty_lists(self) -> bool:
        """Whether a list of the run is said to be empty."""
        return self._known is not None and not np.diff(self._known[1]).all()

    @cached_property
    def query(self) -> Ids:
        """The query of each row."""
        if self._query is not None:
            return self._query
        # asks for none of what is kept below, which asks for this: before Python 3.12 a lock of all rows together is held
        # meanwhile, and two threads could wait for each other for ever
        lists: Any = self._known
        queries, offsets = lists
        query = queries[owners(offsets)]
        return query if query.is_text else Ids.of_integers(query.integers)  # which cannot be written to

    @cached_property
    def _together(self) -> tuple[Ids, np.ndarray] | None:
        """The distinct queries and the offsets of their lists, if the rows of each are adjacent."""
        return self._known or group_adjacent(self.query)

    @cached_property
    def _groups(self) -> tuple[Ids, np.ndarray, np.ndarray | None]:
        """The distinct queries, the offsets of their lists, and the rows in that order (None: already in order)."""
        return (*self._together, None) if self._together else group_scattered(self.query)

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows, whole lists only."""
        rows_given = len(self.item)
        if rows_given > size and self._known is None and self.is_scattered:
            for part in partitions(self.query, size):
                yield partial(self.part, part)
            return
        queries, offsets, rows = self._groups if self._known is None else (*self._known, None)
        if 0 < rows_given <= size:
            yield partial(self._lists, queries, offsets, rows)
            return
        for low, high in cuts(offsets, size):
            yield partial(self._lists, queries[low:high], offsets[low : high + 1], rows)

    def lists(self) -> Lists:
        """Return the lists of all rows as one batch."""
        return self._lists(*self._groups)

    def part(self, rows: np.ndarray) -> Lists:
        """Return the lists of some queries, given all their rows."""
        scores = None if self.given_score is None else self.given_score[rows]
        part = Columns(
            self.query[rows],
            self.item[rows],
            self.key[rows],
            place=lambda row: self.place(int(rows[row])),
            by_rank=self.by_rank,
            given_score=scores,
            extra=self.extra and {word: column[rows] for word, column in self.extra.items()},
        )
        part.by_place, part.rank_base = self.by_place, self.rank_base
        return part.lists()

    def _lists(self, queries: Ids, offsets: np.ndarray, rows: np.ndarray | None) -> Lists:
        first, last = int(offsets[0]), int(offsets[-1])
        is_whole = rows is None and last - first == len(self.item)
        in_batch: Any = slice(first, last) if rows is None else rows[first:last]
        offsets = offsets - first if first else offsets
        key = places_of(np.diff(offsets)) if self._key is None else self._key[in_batch]
        score = np.negative(key, dtype=np.float64) if self.by_rank else np.ascontiguousarray(key, np.float64)
        scores = None if self.given_score is None else self.given_score[in_batch]
        against = 0 if scores is None else contradictions(offsets, score, scores)

        def place(row: int) -> str:
            return self.place(first + row if rows is None else int(rows[first + row]))

        return Lists(
            queries,
            offsets,
            self.item if is_whole else self.item[in_batch],
            score,
            place,
            self.by_rank,
            against,
            scores,
            has_ranks=self.by_rank and not self.by_place,
            rank_base=self.rank_base,
            extra=self.extra and {word: column[in_batch] for word, column in self.extra.items()},
        )

    def regrouped(self) -> Columns:
        """Return the same rows: columns are always grouped."""
        return self

    def table(self) -> Columns:
        """Return all rows as columns."""
        return self

    def with_gaps(self) -> Columns:
        """Return the same rows with one more for each empty list, which ``without_gaps`` takes out again."""
        if not self.has_empty_lists:
            return self
        queries, offsets = self._groups[:2]
        empty = queries[np.flatnonzero(offsets[1:] == offsets[:-1])]
        ones = np.ones(len(empty), self.key.dtype)
        scores = None if self.given_score is None else np.append(self.given_score, ones)
        extra: Extra = {
            word: _with_no_items(column, len(empty)) if isinstance(column, Ids) else np.append(column, ones)
            for word, column in self.extra.items()
        }
        query, item = Ids.concatenate([self.query, empty]), _with_no_items(self.item, len(empty))
        return self._with(query, item, np.append(self.key, ones), None, scores, extra)

    def without_gaps(self) -> Columns:
        """Return the same rows without those that say that a list is empty; these lists are kept."""
        is_item = are_items(self.item)
        if is_item.all():
            return self
        queries, offsets, rows = self._groups
        rows = np.arange(len(self)) if rows is None else rows
        kept = rows[is_item[rows]]
        lists = queries, offsets_of(is_item[rows])[offsets]
        key = None if self.by_place else self.key[kept]
        scores = None if self.given_score is None else self.given_score[kept]
        extra = {word: column[kept] for word, column in self.extra.items()}
        plain, place = self._with(None, self.item[kept], key, lists, scores, extra), self.place
        plain.place = lambda row: place(int(kept[row]))
        return plain

    def held(self, name: str) -> Columns:
        """Return the same rows to be pickled, without what was worked out from them."""
        rows = self._with(self._query, self.item, self._key, self._known, self.given_score, self.extra)
        rows.place = store_place(self.place, name)
        return rows

    def owned(self) -> Columns:
        """Return the same rows in memory of their own; what the place of a row tells is not kept."""
        item, scores = self.item.owned(), None if self.given_score is None else self.given_score.copy()
        extra = self.extra and {word: own_column(column) for word, column in self.extra.items()}
        if self._together is None:
            return self._with(self.query.owned(), item, self.key.copy(), None, scores, extra)
        _, offsets = self._together
        # ranks 1, 2, … from the top are what the order of the rows says already
        is_implied = self._key is None or (
            self.by_rank and not self.by_place and are_places(self._key, offsets)
        )
        return self._with(None, item, None if is_implied else self.key.copy(), self._together, scores, extra)

    def _with(
        self,
        query: Ids | None,
        item: Ids,
        key: np.ndarray | None,
        lists: tuple[Ids, np.ndarray] | None,
        given: np.ndarray | None,
        extra: Extra,
    ) -> Columns:
        rows = Columns(
            query,
            item,
            key,
            place=self.place,
            by_rank=self.by_rank,
            given_score=given,
            lists=lists,
            extra=extra,
        )
        rows.by_place, rows.rank_base = self.by_place, self.rank_base
        return rows


def own_column(column: Ids | np.ndarray) -> Ids | np.ndarray:
    """Return a column in memory of its own."""
    return column.owned() if isinstance(column, Ids) else column.copy()


def join_extra(parts: Sequence[Extra]) -> Extra:
    """Return the extra columns of several parts of a run end to end; all have the same."""
    columns: dict[str, Any] = {word: [part[word] for part in parts] for word in parts[0]}
    return {
        word: Ids.concatenate(own) if isinstance(own[0], Ids) else np.concatenate(own)
        for word, own in columns.items()
    }


def lowest_rank(ranks: np.ndarray) -> int:
    """Return the rank of a first item: 0 if the run has that rank anywhere, else 1."""
    return 0 if len(ranks) and ranks.min() == 0 else 1


def contradictions(offsets: np.ndarray, key: np.ndarray, given: np.ndarray) -> int:
    """Return the number of rows directly below a row with a better rank but a lower score."""
    given = np.ascontiguousarray(given, np.float64)
    # three ways, the cheapest first: rows in rank order; ranks 1 to n in any order; a sort. Negative is "not such rows".
    count = rank_columns.contradictions(offsets, key, given)
    if count < 0:
        count = rank_columns.contradictions_in_any_order(offsets, key, given)
    if count < 0:
        rows = highest_first(key, offsets)
        count = rank_columns.contradictions(offsets, key[rows], given[rows])
    return count


@record(eq=False)
class IdStretches:
    """A column of ids as stretches of rows: the id of each stretch, and the offsets of its rows; ``are_distinct`` if it is known."""

    ids: Ids
    offsets: np.ndarray
    are_distinct: bool = False

    @classmethod
    def of(cls, column: Ids) -> IdStretches:
        """Return the stretches of equal ids in a column."""
        heads = column.runs()
        return cls(column[heads], np.append(heads, len(column)))

    @classmethod
    def concatenate(cls, parts: Sequence[IdStretches]) -> IdStretches:
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


def group_rows(query: Ids | IdStretches) -> tuple[Ids, np.ndarray, np.ndarray | None]:
    """Return the distinct queries, the offsets of their rows, and the rows in that order (None: already in order)."""
    adjacent = group_adjacent(query)
    if adjacent:
        return *adjacent, None
    return group_scattered(query.column() if isinstance(query, IdStretches) else query)


def group_adjacent(query: Ids | IdStretches) -> tuple[Ids, np.ndarray] | None:
    """Return the distinct queries and the offsets of their rows; None if the rows of some query are scattered."""
    if isinstance(query, IdStretches):
        if query.are_distinct:
            return query.ids, query.offsets
        adjacent = group_adjacent(query.ids)
        return None if adjacent is None else (adjacent[0], query.offsets[adjacent[1]])
    heads = query.runs()
    if len(heads) > SAMPLE and not query[heads[:SAMPLE]].is_distinct():
        return None
    queries = query[heads]
    return (queries, np.append(heads, len(query))) if queries.is_distinct() else None


def group_scattered(query: Ids) -> tuple[Ids, np.ndarray, np.ndarray]:
    """Return the distinct queries, the offsets of their rows, and the rows in that order."""
    if len(query) <= PART_ROWS:
        codes, firsts = query.group()
        rows, offsets = kernel.gather(codes, len(firsts))
        return query[firsts], offsets, rows
    # whole queries, by hash: each part is grouped in a small table
    rows, cuts_of_parts = rows_of_parts(query, PART_ROWS)
    queries, lengths = [], []
    for low, high in pairwise(cuts_of_parts):
        if low == high:
            continue
        part = rows[low:high]
        codes, firsts = query[part].group()
        ordered, offsets = kernel.gather(codes, len(firsts))
        queries.append(query[part[firsts]])
        part[:] = part[ordered]
        lengths.append(np.diff(offsets))
    return Ids.concatenate(queries), offsets_of(np.concatenate(lengths)), rows


def partitions(query: Ids, size: int) -> Iterator[np.ndarray]:
    """Yield ascending rows of groups of queries, about ``size`` rows at a time; queries are assigned to groups by hash."""
    rows, offsets = rows_of_parts(query, size)
    for low, high in pairwise(offsets):
        if low < high:
            yield rows[low:high]


def rows_of_parts(query: Ids, size: int) -> tuple[np.ndarray, list[int]]:
    """Return the rows of parts of whole queries by hash, about ``size`` ascending rows each, and where each part begins among them."""
    parts = -(-len(query) // size)
    rows, offsets = kernel.gather(part_of(query, parts), parts)
    return rows, offsets.tolist()


def part_of(query: Ids, parts: int) -> np.ndarray:
    """Return which of some parts of the queries each one belongs to, by hash."""
    return kernel.parts(query.keys, parts)[0]


def cuts(offsets: np.ndarray, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of whole lists with about ``size`` rows each, at least one list."""
    low, lists = 0, len(offsets) - 1
    # a list is never cut, so no value of a query depends on the size of a batch
    while low < lists:
        high = int(np.searchsorted(offsets, offsets[low] + size, side="right")) - 1
        high = min(max(high, low + 1), lists)
        yield low, high
        low = high


@record(eq=False)
class DividedIds:
    """A column of ids part by part: integers; or text end to end, the lengths of its ids, and where each part begins in it."""

    numbers: np.ndarray
    text: np.ndarray
    cuts: np.ndarray

    @property
    def is_text(self) -> bool:
        """Whether the ids are text."""
        return len(self.cuts) > 0

    @classmethod
    def joined(cls, pieces: Sequence[DividedIds], part: int, rows: Sequence[tuple[int, int]]) -> Ids:
        """Return the ids of a part of several pieces, given its rows in each of them."""
        numbers = np.concatenate(
            [piece.numbers[low:high] for piece, (low, high) in zip(pieces, rows, strict=True)]
        )
        if not pieces[0].is_text:
            return Ids.of_integers(numbers)
        text = [piece.text[piece.cuts[part] : piece.cuts[part + 1]] for piece in pieces]
        return Ids.of_lengths(np.concatenate(text), numbers)


@record(eq=False)
class Division:
    """The part of each row, and the offsets of the parts. Rows of a part stay in their old order.

    Each column is read once, in order, and written part by part: to take the rows of each part instead would go through all of the column
    for every part.
    """

    codes: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, query: Ids, parts: int) -> Division:
        """Return the division by the queries of rows."""
        codes, sizes = kernel.parts(query.keys, parts)
        return cls(codes, offsets_of(sizes))

    def numbers(self, column: np.ndarray) -> np.ndarray:
        """Return a column of numbers part by part."""
        # as whole numbers of their size: the kernel moves bits, and need not be made for every type of number
        parts, bits = np.empty_like(column), f"i{column.itemsize}"
        kernel.place(
            self.codes, np.ascontiguousarray(column).view(bits), self.offsets[:-1].copy(), parts.view(bits)
        )
        return parts

    def ids(self, column: Ids) -> DividedIds:
        """Return a column of ids part by part."""
        if not column.is_text:
            return DividedIds(self.numbers(column.integers), NO_TEXT, NO_STARTS)
        text, cuts = id_text.divided(
            self.codes, len(self.offsets) - 1, column.text, column.starts, column.lengths
        )
        return DividedIds(self.numbers(column.lengths), text, cuts)

    def row(self, number: int) -> int:
        """Return which row has become this one."""
        part = int(np.searchsorted(self.offsets, number, side="right")) - 1
        return int(np.flatnonzero(self.codes == part)[number - self.offsets[part]])
