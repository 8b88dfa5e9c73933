"""Rows of many lists, end to end: where each list begins, whose a row is, and Ranked, the graded rows in rank order that metrics read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rankwell.kernels import order, rank_columns
from rankwell.records import cached_property, record
from rankwell.tables.ids import NO_LENGTHS, NO_STARTS, NO_TEXT, Ids, Known

NO_ROWS = np.empty(0, np.int64)
EXTRA = ("item", "score", "tie_start", "tie_size", "pool_row", "place")  # columns that a table may lack
SLICE = 1 << 15  # owners at a time, so that their rows as floats stay in a processor's cache


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Return where the rows of each owner begin, and the end; of a mask, how many rows before each place are in it.

    >>> offsets_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    lengths.cumsum(dtype=np.int64, out=offsets[1:])  # lengths of 32 bits, or a mask, must not overflow
    return offsets


def lengths_of(offsets: np.ndarray) -> np.ndarray:
    """Return how many rows each owner has; of a few owners in a third of the time that ``np.diff`` takes.

    >>> lengths_of(np.array([0, 2, 2, 5])).tolist()
    [2, 0, 3]
    """
    return offsets[1:] - offsets[:-1]


def owners(offsets: np.ndarray) -> np.ndarray:
    """Return the owner of each row, from the offsets of the owners.

    >>> owners(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return owners_of(lengths_of(offsets))


def owners_of(lengths: np.ndarray) -> np.ndarray:
    """Return the owner of each row, from how many rows each owner has.

    >>> owners_of(np.array([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.arange(len(lengths)).repeat(lengths)


def places_of(lengths: np.ndarray) -> np.ndarray:
    """Return the place of each row among those of its owner, from 1.

    >>> places_of(np.array([2, 0, 3])).tolist()
    [1, 2, 1, 2, 3]
    """
    return rank_columns.places(offsets_of(lengths))


def highest_first(score: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the rows of all owners, those of the highest score first for each; equal scores stay in the order of the rows.

    >>> highest_first(np.array([1.0, 2.0, 2.0, 0.0, 3.0]), np.array([0, 3, 5])).tolist()
    [1, 2, 0, 4, 3]
    """
    rows = np.arange(len(score))
    order.sort(
        rows, offsets, score, rows.view(np.uint64), NO_TEXT, NO_STARTS, NO_LENGTHS, order.TIE_RULES["order"]
    )
    return rows


def as_slice(rows: np.ndarray) -> np.ndarray | slice:
    """Return rows that follow each other as a slice, which copies nothing; others as they are.

    >>> as_slice(np.array([4, 5, 6])), as_slice(np.array([4, 6]))
    (slice(4, 7, None), array([4, 6]))
    """
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and bool(np.all(rows[1:] > rows[:-1])):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def are_places(values: np.ndarray, offsets: np.ndarray) -> bool:
    """Return whether the numbers of the rows of each owner are their places, from 1.

    >>> are_places(np.array([1, 2, 1.0]), np.array([0, 2, 3]))
    True
    """
    for low in range(0, len(offsets) - 1, SLICE):
        part = offsets[low : low + SLICE + 1]
        floats = np.ascontiguousarray(values[part[0] : part[-1]], np.float64)
        if not rank_columns.are_places(part - part[0], floats):
            return False
    return True


def distinct(keys: np.ndarray) -> np.ndarray:
    """Return the distinct keys, ascending; of whole numbers a hundred times as fast as ``np.unique``, which hashes them.

    >>> distinct(np.array([5, 2, 9, 2])).tolist()
    [2, 5, 9]
    """
    ascending = np.sort(keys)
    is_first = np.ones(len(ascending), np.bool_)
    is_first[1:] = ascending[1:] != ascending[:-1]
    return ascending if is_first.all() else ascending[is_first]


def places_among(keys: np.ndarray, looked_up: np.ndarray) -> np.ndarray:
    """Return the place of each wanted key among ascending keys from 0 on, -1 for one that is not there.

    >>> places_among(np.array([2, 5, 9]), np.array([9, 3, 2])).tolist()
    [2, -1, 0]
    """
    at = np.searchsorted(keys, looked_up)
    # keys are from 0 on, so -1 behind the last one equals no wanted key
    return np.where(np.append(keys, -1)[at] == looked_up, at, -1)


class Ranked:
    """Graded rows in rank order, the rows of each query together.

    Columns of one length: ``query`` (index of the query, ascending), ``rank`` (from 1), ``grade`` (NaN if unjudged), and on
    request ``item`` (row of the catalogue, -1 outside), ``score``, ``tie_start`` and ``tie_size`` (first rank and size of the
    group of tied scores), ``pool_row`` (the judgement's row in the pool, for topics and propensities; -1 if unjudged). With
    ``counts``, the number of rows per query, ``query`` and ``rank`` may be None if every list is complete from its first rank
    down; they are computed when first read. ``place`` is each row's position in its list where ranks have gaps, and None where
    it is the rank. ``source`` is the table and its rows that the columns on request are taken from when they are read. ``extra`` are
    columns of numbers that a run has for metrics that need them, by rankwell's words.
    """

    item: np.ndarray | None
    score: np.ndarray | None
    tie_start: np.ndarray | None
    tie_size: np.ndarray | None
    pool_row: np.ndarray | None
    place: np.ndarray | None

    def __init__(
        self,
        queries: int,
        query: np.ndarray | None,
        rank: np.ndarray | None,
        grade: np.ndarray,
        *,
        item: np.ndarray | None = None,
        score: np.ndarray | None = None,
        tie_start: np.ndarray | None = None,
        tie_size: np.ndarray | None = None,
        pool_row: np.ndarray | None = None,
        place: np.ndarray | None = None,
        counts: np.ndarray | None = None,
        source: tuple[Ranked, np.ndarray] | None = None,
        extra: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.queries, self.grade = queries, grade
        self.extra: Mapping[str, np.ndarray] = extra or {}
        if query is not None:
            self.query = query
        if rank is not None:
            self.rank = rank
        self._are_tops = rank is None
        self._source = source
        if source is None:
            self.item, self.score, self.tie_start, self.tie_size = item, score, tie_start, tie_size
            self.pool_row, self.place = pool_row, place
        self._counts = counts
        self._nth: np.ndarray | None = None
        self._tops: dict[int, Ranked] = {}

    def __len__(self) -> int:
        return len(self.grade)

    @classmethod
    def concatenate(cls, parts: Sequence[Ranked]) -> Ranked:
        """Return the rows of several tables of the same columns; the queries of each follow those of the one before it."""
        before = offsets_of(np.array([part.queries for part in parts]))
        columns: dict[str, Any] = {
            name: None if any(column is None for column in pieces) else np.concatenate(pieces)
            for name in EXTRA
            if (pieces := [getattr(part, name) for part in parts])
        }
        if any(part.place is not None for part in parts):
            columns["place"] = np.concatenate([part.places() for part in parts])
        query = np.concatenate([part.query + start for part, start in zip(parts, before[:-1], strict=True)])
        rank, grade = (np.concatenate([getattr(part, name) for part in parts]) for name in ("rank", "grade"))
        extra = {word: np.concatenate([part.extra[word] for part in parts]) for word in parts[0].extra}
        return cls(int(before[-1]), query, rank, grade, **columns, extra=extra)

    @cached_property
    def query(self) -> np.ndarray:
        """The query that each row belongs to."""
        return owners_of(self.count())

    @cached_property
    def rank(self) -> np.ndarray:
        """The rank of each row, from 1."""
        return places_of(self.count())

    def where(self, rows: np.ndarray) -> Ranked:
        """Return the rows of a mask (or ascending row numbers)."""
        rows = rows.nonzero()[0] if rows.dtype == np.bool_ else rows
        grade = self.grade.take(rows)
        extra = self.extra and {word: column.take(rows) for word, column in self.extra.items()}
        query, rank = self.query.take(rows), self.rank.take(rows)
        return Ranked(self.queries, query, rank, grade, source=(self, rows), extra=extra)

    def _taken(self, name: str) -> np.ndarray | None:
        """A column of rows of another table, which is taken when it is asked for: few readers need all."""
        assert self._source is not None
        table, rows = self._source
        column = getattr(table, name)
        return None if column is None else column.take(rows)

    def held(self) -> Ranked:
        """Return the same rows, which no longer need the table that they were taken from."""
        if self._source is not None:
            for name in EXTRA:
                getattr(self, name)
            self._source = None
        return self

    def top(self, k: int | None) -> Ranked:
        """Return the rows down to rank k; all for None."""
        if k is None:
            return self
        if k not in self._tops:
            is_all = self._are_tops and self.count().max(initial=0) <= k
            if is_all or not np.count_nonzero(below := self.rank > k):
                self._tops[k] = self
            else:
                # owned, as two tables that hold each other would wait for the garbage collector
                self._tops[k] = self.where(~below).held()
        return self._tops[k]

    def among(self, others: Ranked) -> np.ndarray:
        """Return whether each row's item is also an item of its query in ``others``."""
        assert self.item is not None
        assert others.item is not None
        has_rows = np.zeros(self.queries, np.bool_)
        has_rows[self.query] = True
        query, item = (column[has_rows[others.query]] for column in (others.query, others.item))
        width = int(max(self.item.max(initial=0), item.max(initial=0))) + 2  # -1 counts as an item
        pairs = Known(Ids.of_integers(query * width + item))
        return pairs.find(Ids.of_integers(self.query * width + self.item)) >= 0

    def of_queries(self, queries: np.ndarray) -> Ranked:
        """Return the rows of some queries, in their order, renumbered from 0; of queries that follow each other without copying."""
        counts = self.count()
        part = as_slice(queries)
        offsets = offsets_of(counts)
        if isinstance(part, slice):
            return self._between(int(offsets[part.start]), int(offsets[part.stop]), counts[part])
        rows, _ = spread(offsets, queries)
        rank, grade = None if self._are_tops else self.rank.take(rows), self.grade.take(rows)
        extra = self.extra and {word: column.take(rows) for word, column in self.extra.items()}
        taken = Ranked(
            len(queries), None, rank, grade, counts=counts[queries], source=(self, rows), extra=extra
        )
        return taken.held()

    def _between(self, low: int, high: int, counts: np.ndarray) -> Ranked:
        """Return the rows from one place to another, which are those of queries with so many rows each."""
        columns = {name: getattr(self, name) for name in EXTRA}
        own = {name: None if column is None else column[low:high] for name, column in columns.items()}
        rank = None if self._are_tops else self.rank[low:high]
        extra = self.extra and {word: column[low:high] for word, column in self.extra.items()}
        return Ranked(len(counts), None, rank, self.grade[low:high], counts=counts, **own, extra=extra)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of ``values`` per query, added in rank order (float64)."""
        return np.bincount(self.query, weights=values, minlength=self.queries).astype(np.float64, copy=False)

    def count(self) -> np.ndarray:
        """Return the number of rows per query (int64)."""
        if self._counts is None:
            self._counts = np.bincount(self.query, minlength=self.queries)
        return self._counts

    def places(self) -> np.ndarray:
        """Return each row's position in its list, from 1: the rank, without the gaps that the ranks of a run may have."""
        return self.rank if self.place is None else self.place

    def nth(self) -> np.ndarray:
        """Return each row's position among the rows of its query, from 1."""
        if self._nth is None:
            self._nth = rank_columns.nth(self.query)
        return self._nth

    def product_before(self, factors: np.ndarray) -> np.ndarray:
        """Return for each row the product of ``factors`` over the rows of its query before it, in rank order."""
        return rank_columns.product_before(self.query, np.ascontiguousarray(factors, np.float64))

    def running(self, values: np.ndarray) -> np.ndarray:
        """Return for each row the sum of ``values`` over the rows of its query down to it, in rank order."""
        return rank_columns.running(self.query, np.ascontiguousarray(values, np.float64))


for _name in EXTRA:
    _column = cached_property(partial(Ranked._taken, name=_name))  # noqa: SLF001 - same class
    _column.__set_name__(Ranked, _name)
    setattr(Ranked, _name, _column)


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return ``above / below``, NaN (undefined) if ``below`` is 0."""
    return np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below != 0)


@record(slots=True, eq=False)
class Topics:
    """The topics of a table's rows: row → entries of (topic, subgroup, grade, weight), sorted by topic, then subgroup.

    ``offsets`` has one entry per row and one more; topics and subgroups are numbered in the order of their ids, ``count`` is
    the number of topics. ``subgroup`` is None unless preferences are judged in parts of a topic, ``weight`` is None unless the
    judgements carry topic weights.
    """

    offsets: np.ndarray
    topic: np.ndarray
    grade: np.ndarray
    count: int
    subgroup: np.ndarray | None = None
    weight: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> Topics:
        """Return the topics of some rows."""
        places, offsets = spread(self.offsets, rows)
        subgroup = None if self.subgroup is None else self.subgroup[places]
        weight = None if self.weight is None else self.weight[places]
        return Topics(offsets, self.topic[places], self.grade[places], self.count, subgroup, weight)

    def whole(self) -> Topics:
        """Return the same without subgroups: each topic of a row once, with its highest grade."""
        if self.subgroup is None:
            return self
        row = owners(self.offsets)
        fresh = np.ones(len(row), np.bool_)
        fresh[1:] = (row[1:] != row[:-1]) | (self.topic[1:] != self.topic[:-1])
        heads = np.flatnonzero(fresh)
        grade = np.maximum.reduceat(self.grade, heads) if len(heads) else self.grade
        weight = None if self.weight is None else self.weight[heads]
        offsets = np.searchsorted(row[heads], np.arange(len(self.offsets)))
        return Topics(offsets, self.topic[heads], grade, self.count, None, weight)


def spread(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the concatenated entries of some rows, and where the entries of each row begin."""
    lengths = offsets[rows + 1] - offsets[rows]
    starts = offsets_of(lengths)
    return np.arange(starts[-1]) + np.repeat(offsets[rows] - starts[:-1], lengths), starts


def shares(amounts: np.ndarray) -> np.ndarray:
    """Return each row divided by its sum; NaN if that is 0."""
    return ratio(amounts, np.broadcast_to(amounts.sum(axis=1, keepdims=True), amounts.shape))
