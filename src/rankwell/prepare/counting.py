"""Popularity of the items of a log: by users, by events, or by weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.prepare.pairs import Coded, keys, repeats
from rankwell.prepare.reporting import such_as
from rankwell.readers import read_items
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.logs import Log
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.popularity import Head, Rule, Ties

By = Literal["users", "events", "weight"]


def popularity(
    log: Log, queries: Coded, items: Coded, by: By, weight: str, rows: np.ndarray | None = None
) -> np.ndarray:
    """Return the popularity of each item in a log, or in some rows: its number of users, of rows, or the sum of weights.

    Raises
    ------
    UsageError, DataError
        If there is no column of weights, or a weight is negative or not a number.
    """
    taken = slice(None) if rows is None else rows
    own, size = items.codes[0][taken], len(items)
    if by == "events":
        return np.bincount(own, minlength=size)
    if by == "users":
        return np.bincount(own[~repeats(keys(queries, items, 0)[taken])], minlength=size)
    weights = log.named_numbers(weight)
    if weights.min() < 0:
        row = int(weights.argmin())
        raise DataError(f"{log.place(row)}: the {weight} is {weights[row]:g}; a weight must be at least 0.")
    return np.bincount(own, weights=weights[taken], minlength=size)


def head_of(by: By, ties: Ties, rules: Mapping[Rule, float | None]) -> Head:
    """Return the cut for the one rule that is given.

    Raises
    ------
    UsageError
        If none or several are given, or the rule does not fit the other arguments.
    """
    given = {rule: at for rule, at in rules.items() if at is not None}
    if len(given) != 1:
        named = [
            ["share_of_volume" if rule == "volume" else rule for rule in some] for some in (given, rules)
        ]
        raise UsageError(
            f"PopularityCut needs exactly one rule, not {' and '.join(named[0]) or 'none'}; give {one_of(named[1])}, such as top=100."
        )
    if by not in ("users", "events", "weight"):
        raise UsageError(f"by={brief(by)}: must be users, events or weight.")
    if ties not in ("in", "out"):
        raise UsageError(
            f"ties={brief(ties)}: must be 'in' (equally popular items at the cut are in the head) or 'out'."
        )
    if "reach" in given and by != "users":
        raise UsageError(
            f"reach={given['reach']:g} is a share of the users, so it needs by='users', not {brief(by)}."
        )
    return Head(*next(iter(given.items())), ties)


def in_catalogue(
    log: Log, own: Coded, items: Any, *, with_columns: bool
) -> tuple[Items | None, Ids, np.ndarray]:
    """Return the table of items, if there is one, the ids of all items, and the index among them of each of the log's items.

    Raises
    ------
    DataError
        If an item of the log is not in the catalogue.
    """
    if items is None:
        return None, own.ids, np.arange(len(own))
    table = (read_catalogue if with_columns else read_items)(items)
    place = Known(table.item).rows_of(own.ids, "item")
    outside = np.flatnonzero(place < 0)
    if len(outside):
        raise DataError(
            f"{log.name} has {len(outside):,} item(s) outside the catalogue{such_as(own.names(outside))}. Complete it, or "
            f"fit without items=."
        )
    return table, table.item, place
