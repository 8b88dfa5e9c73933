"""The tier that each interaction's user held, at its time if tiers have a start date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from rankwell.errors import DataError, UsageError, brief
from rankwell.prepare.pairs import coded, repeats
from rankwell.readers.column_names import quoted
from rankwell.readers.logs import Log, read_log
from rankwell.tables.places import RowOf
from rankwell.tables.series import made

SINCE = "valid_from"


def tiers_of(log: Log, tiers: Any, column: str) -> pl.Series:
    """Return the tier of each row as text, null if its user has none.

    Raises
    ------
    DataError, UsageError
        If the table of tiers lacks a column, or names a user twice without ``valid_from``.
    """
    if isinstance(tiers, str) and tiers in log.frame.columns:
        return log.frame[tiers].cast(pl.String)
    table = _table(tiers)
    if column not in table.frame.columns:
        raise UsageError(
            f"{table.name} has no column {brief(column)}; the columns are {quoted(table.frame.columns)}. Say which it is: tier="
        )
    names = table.frame[column]
    if names.dtype.is_nested() or names.dtype == pl.Object:
        raise DataError(
            f"{table.name}: the column {brief(column)} is {names.dtype}; tiers are text or numbers."
        )
    names = names.cast(pl.String)
    users = coded([log, table], "query")
    if SINCE in table.frame.columns:
        row = _held(log, table, *users.codes)
    else:
        again = repeats(users.codes[1])
        if again.any():
            twice = table.ids("query").one(int(again.argmax()))
            raise DataError(
                f"{table.name}: user {brief(twice)} has two tiers. Keep one, or add {SINCE}, the start time of each."
            )
        row_of_user = np.full(len(users), -1)
        row_of_user[users.codes[1]] = np.arange(len(table))
        row = row_of_user[users.codes[0]]
    with_none = pl.concat([names, pl.Series([None], dtype=pl.String)])
    return with_none.gather(pl.Series(np.where(row < 0, len(names), row)))


def _table(tiers: Any) -> Log:
    if isinstance(tiers, Mapping) and not any(
        hasattr(each, "__iter__") and not isinstance(each, str) for each in tiers.values()
    ):
        columns = {"query": list(tiers), "tier": [str(each) for each in tiers.values()]}
        frame = made(lambda: pl.DataFrame(columns), "tiers")
        return Log(frame, {"query": "query"}, "tiers", RowOf("tiers"))
    return read_log(tiers, needed=("query",), name=None if isinstance(tiers, str) else "tiers")


def _held(log: Log, table: Log, users: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """The row of the tier that each interaction's user held at its time, -1 before the first one."""
    since = Log(table.frame, {"time": SINCE}, table.name, table.place)
    times, begins = log.times_beside(since, SINCE)
    code = np.concatenate([owners, users])
    time = np.concatenate([begins, times])
    is_interaction = np.repeat([False, True], [len(owners), len(users)])
    rows = np.lexsort((is_interaction, time, code))
    last = np.maximum.accumulate(np.where(is_interaction[rows], -1, np.arange(len(rows))))
    there = (last >= 0) & (code[rows[last]] == code[rows])
    held = np.empty(len(rows), np.int64)
    held[rows] = np.where(there, rows[last], -1)
    return held[len(owners) :]
