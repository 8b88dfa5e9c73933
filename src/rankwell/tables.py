"""Run, Qrels and Items: validated columns of ids and numbers, and where each row came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.ids import Ids
from rankwell.kernels import ids as kernel

Place = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Lists:
    """Whole lists of a run, end to end: one query each, rows in the order of the input."""

    queries: Ids
    offsets: np.ndarray
    items: Ids
    score: np.ndarray
    place: Place
    by_rank: bool = False
    against_score: int = 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.items)


class Rows(Protocol):
    """What a run is made of: rows that can be had as whole lists, in batches."""

    grouped: bool

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows, whole lists only."""

    def regrouped(self) -> Rows:
        """Return the same rows with the rows of each query together."""

    def table(self) -> Columns:
        """Return all rows as columns."""


class Columns:
    """The rows of a run as columns; ``score`` is the descending key, for ranked tables minus the rank.

    ``query`` is a column, or ``lists`` gives the distinct queries and the offsets of their rows.
    """

    grouped = True

    def __init__(
        self,
        query: Ids | None,
        item: Ids,
        score: np.ndarray,
        *,
        place: Place,
        by_rank: bool = False,
        given_score: np.ndarray | None = None,
        lists: tuple[Ids, np.ndarray] | None = None,
    ) -> None:
        self._query, self.item, self.score, self._known = query, item, score, lists
        self.place, self.by_rank, self.given_score = place, by_rank, given_score

    @cached_property
    def query(self) -> Ids:
        """The query of each row."""
        if self._query is not None:
            return self._query
        queries, offsets, _ = self._groups
        return queries[np.repeat(np.arange(len(queries)), np.diff(offsets))]

    @cached_property
    def _groups(self) -> tuple[Ids, np.ndarray, np.ndarray | None]:
        """The distinct queries, the offsets of their lists, and the rows in that order (None: as they are)."""
        if self._known is not None:
            return (*self._known, None)
        assert self._query is not None
        return grouped(self._query)

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows, whole lists only."""
        queries, offsets, rows = self._groups
        if len(self.item) <= size and len(self.item) and rows is None:
            yield lambda: self._lists(queries, offsets, None)
            return
        for low, high in cuts(offsets, size):
            yield lambda low=low, high=high: self._lists(queries[low:high], offsets[low : high + 1], rows)

    def _lists(self, queries: Ids, offsets: np.ndarray, rows: np.ndarray | None) -> Lists:
        first, last = int(offsets[0]), int(offsets[-1])
        taken: Any = slice(first, last) if rows is None else rows[first:last]
        score = self.score[taken]
        against = 0
        if self.given_score is not None:
            given = self.given_score[taken]
            falls = (score[1:] <= score[:-1]) & (given[1:] > given[:-1])
            falls[offsets[1:-1] - first - 1] = False
            against = int(np.count_nonzero(falls))

        def place(row: int) -> str:
            return self.place(first + row if rows is None else int(rows[first + row]))

        return Lists(queries, offsets - first, self.item[taken], score, place, self.by_rank, against)

    def regrouped(self) -> Columns:
        """Return the same rows: columns are always grouped."""
        return self

    def table(self) -> Columns:
        """Return all rows as columns."""
        return self


def grouped(query: Ids) -> tuple[Ids, np.ndarray, np.ndarray | None]:
    """Return the distinct queries, the offsets of their rows, and the rows in that order (None: as they are)."""
    heads = query.runs()
    queries = query[heads]
    if queries.is_distinct():
        return queries, np.append(heads, len(query)), None
    codes, firsts = queries.group()
    lengths = np.diff(np.append(heads, len(query)))
    rows, offsets = kernel.gather(np.repeat(codes, lengths), len(firsts))
    return queries[firsts], offsets, rows


def cuts(offsets: np.ndarray, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of whole lists with about ``size`` rows each, at least one list."""
    low, lists = 0, len(offsets) - 1
    while low < lists:
        high = int(np.searchsorted(offsets, offsets[low] + size, side="right")) - 1
        high = min(max(high, low + 1), lists)
        yield low, high
        low = high


class Run:
    """The ranked lists of one system: for each query its items in order.

    Parameters
    ----------
    query, item
        Ids of equal length, all text or all integers.
    score
        Higher is better. Give it, or ``rank``, or both (then the rank decides and contradictions are counted),
        or neither (then the order of the rows is the order of the list).
    rank
        Lower is better; any numbers, only their order counts.
    name
        What the run is called in tables and messages.

    Raises
    ------
    DataError
        For columns of unequal length, mixed id types, or a score or rank that is not a number.

    Examples
    --------
    >>> run = Run(query=["1", "1", "2"], item=["a", "b", "a"], score=[2.0, 1.5, 0.3])
    >>> run
    Run 'run': 3 rows
    >>> run.queries
    ['1', '2']
    """

    def __init__(
        self,
        query: Iterable[object],
        item: Iterable[object],
        score: Iterable[float] | None = None,
        rank: Iterable[float] | None = None,
        *,
        name: str = "run",
        place: Place | None = None,
    ) -> None:
        queries, items = Ids.of_column(query, "query"), Ids.of_column(item, "item")
        at = place or (lambda row: f"{name}, row {row + 1}")
        columns = {"item": len(items)}
        given = None if score is None else _numbers(score, "score", at)
        ranks = None if rank is None else _numbers(rank, "rank", at)
        columns |= {word: len(x) for word, x in (("score", given), ("rank", ranks)) if x is not None}
        _same_length(len(queries), columns, name)
        if ranks is not None:
            key = -ranks
        elif given is not None:
            key = given
        else:
            key = -np.arange(len(queries), dtype=np.float64)
        against = given if ranks is not None else None
        by_rank = ranks is not None or given is None
        self.name = name
        self.rows: Rows = Columns(queries, items, key, place=at, by_rank=by_rank, given_score=against)

    @classmethod
    def of_rows(cls, rows: Rows, name: str) -> Run:
        """Return a run over rows that a reader made."""
        run = cls.__new__(cls)
        run.name, run.rows = name, rows
        return run

    @property
    def queries(self) -> list[str] | list[int]:
        """The queries of the run, in order of first appearance."""
        ids = self.rows.table().query
        return ids[ids.group()[1]].tolist()

    def __len__(self) -> int:
        return len(self.rows.table().query)

    def __repr__(self) -> str:
        return f"Run {self.name!r}: {len(self):,} rows"


class Qrels:
    """The judgements: for each query the items that were judged, and how good they are.

    Parameters
    ----------
    query, item
        Ids of equal length, all text or all integers.
    grade
        How relevant; None means interactions: every row is a 1, and the result says so.
    topic
        The topic (aspect, genre, subtopic) that a judgement is about; None if there are none.
    name
        What the qrels are called in messages.

    Raises
    ------
    DataError
        For columns of unequal length, mixed id types, or a grade that is not a number.

    Examples
    --------
    >>> Qrels(query=["1", "1"], item=["a", "b"], grade=[1, 0])
    Qrels 'qrels': 2 rows
    """

    def __init__(
        self,
        query: Iterable[object],
        item: Iterable[object],
        grade: Iterable[float] | None = None,
        topic: Iterable[object] | None = None,
        *,
        name: str = "qrels",
        place: Place | None = None,
    ) -> None:
        self.name = name
        self.place = place or (lambda row: f"{name}, row {row + 1}")
        self.query, self.item = Ids.of_column(query, "query"), Ids.of_column(item, "item")
        self.grade = None if grade is None else _numbers(grade, "grade", self.place)
        self.topic = None if topic is None else Ids.of_column(topic, "topic")
        columns = {"item": len(self.item)}
        columns |= {word: len(x) for word, x in (("grade", self.grade), ("topic", self.topic)) if x is not None}
        _same_length(len(self.query), columns, name)

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        return f"Qrels {self.name!r}: {len(self):,} rows"


class Items:
    """The catalogue: every item that could have been recommended, one row each.

    Parameters
    ----------
    item
        Distinct ids.
    name
        What the catalogue is called in messages.

    Raises
    ------
    DataError
        If an item is given twice.

    Examples
    --------
    >>> len(Items(["a", "b", "c"]))
    3
    """

    def __init__(self, item: Iterable[object], *, name: str = "items") -> None:
        self.name = name
        self.item = Ids.of_column(item, "item")
        codes, firsts = self.item.group()
        if len(firsts) < len(self.item):
            twice = int(np.flatnonzero(np.arange(len(codes)) != firsts[codes])[0])
            raise DataError(
                f"{name}, row {twice + 1}: item {self.item.one(twice)!r} stands there twice; "
                f"a catalogue has one row per item."
            )

    def __len__(self) -> int:
        return len(self.item)

    def __repr__(self) -> str:
        return f"Items {self.name!r}: {len(self):,} items"


def _numbers(values: Iterable[float], name: str, place: Place) -> np.ndarray:
    given = values if isinstance(values, np.ndarray) else np.asarray(list(values))
    if given.dtype.kind not in "iufb":
        raise DataError(f"{place(0)}: {name} holds {given.dtype.name} values such as {given.flat[0]!r}, not numbers.")
    numbers = np.ascontiguousarray(given, np.float64)
    if np.isnan(numbers).any():
        row = int(np.flatnonzero(np.isnan(numbers))[0])
        raise DataError(f"{place(row)}: the {name} is not a number (nan). Remove the row or mend the {name}.")
    return numbers


def _same_length(rows: int, columns: Mapping[str, int], name: str) -> None:
    for column, length in columns.items():
        if length != rows:
            raise UsageError(f"{name}: the query column has {rows} rows, {column} has {length}.")
