"""Random choices of rows, users and items that do not depend on the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rankwell.prepare.pairs import Coded, are_repeated, code_ids, nth
from rankwell.readers.logs import Log
from rankwell.statistics.draws import uniform
from rankwell.tables.ids import Ids, draws


def draw_rows(seed: int, number: int, *keys: Ids | np.ndarray) -> np.ndarray:
    """Return a mask of ``number`` rows, at least one, drawn without replacement by their keys."""
    return mark_lowest(draws(seed, *keys), number)


def mark_lowest(values: np.ndarray, number: int) -> np.ndarray:
    """Return a mask of the ``number`` lowest values, at least one; of equal ones the first."""
    bound = np.partition(values, number - 1)[number - 1]  # linear: the order of the others is not needed
    chosen = values < bound
    chosen[np.flatnonzero(values == bound)[: number - np.count_nonzero(chosen)]] = True
    return chosen


def keys_of(log: Log) -> list[np.ndarray]:
    """Return what tells the rows of a log apart: user, item, and the number of the copy."""
    return keys_by(log, [code_ids([log], word) for word in ("query", "item") if word in log.words])


def keys_by(log: Log, sides: Sequence[Coded]) -> list[np.ndarray]:
    """Return the same, by the codes of the users and items."""
    pair = np.zeros(len(log), np.int64)
    for side in sides:
        pair = pair * len(side) + side.codes[0]
    # a number per id, and not per row, of which there are many more
    ids = [side.numbers[side.codes[0]] for side in sides]
    rows = np.flatnonzero(are_repeated(pair))
    if not len(rows):
        return ids
    # copies of a pair are numbered by what else their rows hold, so that the order of the file does not count
    number = np.ones(len(log), np.int64)
    same, _ = Ids.of_integers(pair[rows]).group()
    number[rows] = nth(same, _places(log.frame[rows]))
    return [*ids, number]


def order_of(drawn: np.ndarray) -> np.ndarray:
    """Return the rows by what was drawn for them; of equal ones the first comes first, though the fast sort ignores that."""
    rows = np.argsort(drawn)
    ascending = drawn[rows]
    is_tied = bool(np.any(ascending[1:] == ascending[:-1]))
    return np.argsort(drawn, kind="stable") if is_tied else rows


def _places(frame: pl.DataFrame) -> np.ndarray:
    """The place of each row among all, sorted by whatever the columns hold; rows that are equal in all are alike."""
    # lists and structs have no order to sort by
    columns = [pl.col(name) for name, kind in frame.schema.items() if not kind.is_nested()]
    order = frame.select(pl.arg_sort_by(columns, maintain_order=True)).to_series().to_numpy()
    places = np.empty(len(frame), np.int64)
    places[order] = np.arange(len(frame))
    return places


def chances(log: Log, seed: int) -> np.ndarray:
    """Return a random number from 0 to 1 for each row of a log."""
    return uniform(draws(seed, *keys_of(log)))
