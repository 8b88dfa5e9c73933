"""Items by query: dicts of ``{item: number}``, ``[item, …]`` or ``[(item, number), …]``, and lists of lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from rankwell.display.composed import Composed
from rankwell.errors import DataError, UsageError, brief
from rankwell.kernels import dicts
from rankwell.records import record
from rankwell.tables.csr import owners
from rankwell.tables.ids import Ids
from rankwell.tables.numbers import Changed, refuse_changed
from rankwell.tables.places import Held
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Qrels, Run


@record(eq=False)
class ListOf(Held):
    """Items by the query in whose list they stand."""

    name: str
    queries: Ids
    offsets: np.ndarray

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        query = int(np.searchsorted(self.offsets, row, side="right")) - 1
        return Composed("{name}, query {query}", name=self.name, query=brief(self.queries.one(query)))


@record(eq=False)
class Lists:
    """The items of each query end to end, best first, or with numbers; ``plain`` ones are of distinct queries, and none is nan."""

    queries: Ids
    offsets: np.ndarray
    items: Ids
    numbers: np.ndarray | None
    name: str
    plain: bool = False

    def run(self, name: str) -> Run:
        """Return them as a run."""
        place = ListOf(self.name, self.queries, self.offsets)
        numbers = np.arange(len(self.items)) if self.numbers is None else self.numbers
        if not self.plain and np.isnan(numbers).any():
            row = int(np.flatnonzero(np.isnan(numbers))[0])
            raise DataError(
                f"{place(row)}: the score of item {brief(self.items.one(row))} is not a number (nan)."
            )
        lists = (self.queries, self.offsets) if self.plain or self.queries.is_distinct() else None
        query = None if lists else self._query
        by_rank = self.numbers is None
        rows = Columns(query, self.items, numbers, place=place, by_rank=by_rank, lists=lists)
        rows.by_place = by_rank
        return Run.of_rows(rows, name)

    def qrels(self, name: str) -> Qrels:
        """Return them as judgements; items without numbers are interactions."""
        place = ListOf(self.name, self.queries, self.offsets)
        return Qrels(self._query, self.items, self.numbers, name=name, place=place)

    @property
    def _query(self) -> Ids:
        return self.queries[owners(self.offsets)]


def run_of(source: Mapping[Any, Any], *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run of a dict; a list of items is best first."""
    return _lists(source, "score", name, columns).run(name)


def qrels_of(source: Mapping[Any, Any], *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the qrels of a dict; lists of items are interactions, each a 1."""
    return _lists(source, "grade", name, columns).qrels(name)


def _lists(source: Mapping[Any, Any], word: str, name: str, columns: Mapping[str, str]) -> Lists:
    """The queries, the offsets of their items, the items, and the numbers if there are any."""
    if columns:
        raise UsageError(f"{name}: it has no named columns; columns= is for tables.")
    if type(source) is dict and source and (plain := _plain(source, name)):
        return plain
    lists = list(source.values())
    queries = Ids.of(list(source), f"{name}: query")
    offsets = np.zeros(len(lists) + 1, np.int64)
    try:
        offsets[1:] = np.cumsum(np.fromiter(map(len, lists), np.int64, len(lists)))
    except TypeError:
        raise _no_list(source, word, name) from None
    listed = list(chain.from_iterable(lists))
    if listed and isinstance(listed[0], (tuple, list)):
        items, numbers = _pairs(ListOf(name, queries, offsets), listed, word)
        return Lists(queries, offsets, items, numbers, name)
    items = Ids.of(listed, f"{name}: item")
    graded = [isinstance(each, Mapping) for each in lists]
    if not any(graded):
        if any(isinstance(each, str) for each in lists):
            raise _no_list(source, word, name)
        return Lists(queries, offsets, items, None, name)
    if not all(graded):
        query = queries.one(graded.index(False))
        raise DataError(
            f"{name}, query {brief(query)}: a list of items, while other queries have {{item: {word}}}."
        )
    try:
        numbers = np.fromiter(chain.from_iterable(map(_values, lists)), np.float64, int(offsets[-1]))
    except (TypeError, ValueError, OverflowError):
        raise _not_a_number(source, word, name) from None
    _refuse_changed(chain.from_iterable(map(_values, lists)), numbers, word, ListOf(name, queries, offsets))
    return Lists(queries, offsets, items, numbers, name)


def _plain(source: dict[Any, Any], name: str) -> Lists | None:
    """The same of a dict of dicts whose ids and numbers are of the usual types; None for all else, bad input too."""
    queries, rows = dicts.of_list(list(source)), dicts.of_dicts(list(source.values()))
    if queries is None or rows is None:
        return None
    offsets, numbers, items = rows
    return Lists(Ids.of_plain(queries), offsets, Ids.of_plain(items), numbers, name, plain=True)


def _pairs(place: ListOf, pairs: list[Any], word: str) -> tuple[Ids, np.ndarray]:
    """The items and the numbers of pairs of both."""
    for row, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise DataError(f"{place(row)}: {brief(pair)} is no pair (item, {word}), while others are.")
        if isinstance(pair[1], str) or not _is_number(pair[1]):
            raise DataError(
                f"{place(row)}: the {word} of item {brief(pair[0])} is {brief(pair[1])}, not a number. A pair is (item, {word})."
            )
    items = Ids.of([pair[0] for pair in pairs], f"{place.name}: item")
    numbers = np.fromiter((pair[1] for pair in pairs), np.float64, len(pairs))
    _refuse_changed((pair[1] for pair in pairs), numbers, word, place)
    return items, numbers


def _refuse_changed(values: Iterable[Any], numbers: np.ndarray, word: str, place: ListOf) -> None:
    try:
        refuse_changed(values, numbers, word)
    except Changed as changed:
        raise changed.at(place(changed.row)) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _values(each: Mapping[Any, Any]) -> Any:
    return each.values()


def _has_length(value: Any) -> bool:
    try:
        len(value)  # an array of no dimensions has a method for it, but no length
    except TypeError:
        return False
    return True


def _no_list(source: Mapping[Any, Any], word: str, name: str) -> DataError:
    for query, each in source.items():
        if not _has_length(each) or isinstance(each, str):
            return DataError(
                f"{name}, query {brief(query)}: {brief(each)}, expected {{item: {word}}}, [item, …] or [(item, {word}), …]."
            )
    raise AssertionError("every value is a list")


def _not_a_number(source: Mapping[Any, Any], word: str, name: str) -> DataError:
    for query, items in source.items():
        for item, value in items.items():
            if not _is_number(value):
                return DataError(
                    f"{name}, query {brief(query)}: the {word} of item {brief(item)} is {brief(value)}, not a number."
                )
    raise AssertionError("every value is a number")
