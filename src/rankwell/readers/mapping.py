"""Dicts: ``{query: {item: number}}`` and ``{query: [item, …]}``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from rankwell.errors import DataError
from rankwell.ids import Ids
from rankwell.rows import Columns
from rankwell.tables import Qrels, Run


def run_of(source: Mapping[Any, Any], *, name: str) -> Run:
    """Return the run of a dict; a list of items is best first."""
    queries, offsets, items, score = _columns(source, "score", name)

    def place(row: int) -> str:
        return f"{name}, query {queries.one(int(np.searchsorted(offsets, row, side='right')) - 1)!r}"

    by_rank = score is None
    key = np.arange(len(items)) if score is None else score
    if np.isnan(key).any():
        row = int(np.flatnonzero(np.isnan(key))[0])
        raise DataError(f"{place(row)}: the score of item {items.one(row)!r} is not a number (nan).")
    rows = Columns(None, items, key, place=place, by_rank=by_rank, lists=(queries, offsets))
    return Run.of_rows(rows, name)


def qrels_of(source: Mapping[Any, Any], *, name: str) -> Qrels:
    """Return the qrels of a dict; lists of items are interactions, each a 1."""
    queries, offsets, items, grade = _columns(source, "grade", name)
    numbers = np.repeat(np.arange(len(queries)), np.diff(offsets))

    def place(row: int) -> str:
        return f"{name}, query {queries.one(int(numbers[row]))!r}"

    return Qrels(queries[numbers], items, grade, name=name, place=place)


def _columns(
    source: Mapping[Any, Any], word: str, name: str
) -> tuple[Ids, np.ndarray, Ids, np.ndarray | None]:
    """The queries, the offsets of their items, the items, and the numbers if there are any."""
    lists = list(source.values())
    queries = Ids.of(list(source), f"{name}: query")
    offsets = np.zeros(len(lists) + 1, np.int64)
    offsets[1:] = np.cumsum(np.fromiter(map(len, lists), np.int64, len(lists)))
    items = Ids.of(list(chain.from_iterable(lists)), f"{name}: item")
    graded = [isinstance(each, Mapping) for each in lists]
    if not any(graded):
        return queries, offsets, items, None
    if not all(graded):
        query = queries.one(graded.index(False))
        raise DataError(
            f"{name}, query {query!r}: a list of items, while other queries have {{item: {word}}}."
        )
    try:
        numbers = np.fromiter(chain.from_iterable(map(_values, lists)), np.float64, int(offsets[-1]))
    except (TypeError, ValueError):
        raise _not_a_number(source, word, name) from None
    return queries, offsets, items, numbers


def _values(each: Mapping[Any, Any]) -> Any:
    return each.values()


def _not_a_number(source: Mapping[Any, Any], word: str, name: str) -> DataError:
    for query, items in source.items():
        for item, value in items.items():
            try:
                float(value)
            except (TypeError, ValueError):
                return DataError(
                    f"{name}, query {query!r}: the {word} of item {item!r} is {value!r}, not a number."
                )
    raise AssertionError("every value is a number")
