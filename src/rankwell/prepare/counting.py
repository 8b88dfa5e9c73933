"""How popular the items of a log are: by users, by events, or by weight."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankwell.errors import DataError
from rankwell.prepare.pairs import Coded, keys, repeats
from rankwell.readers.logs import Log

By = Literal["users", "events", "weight"]


def popularity(log: Log, queries: Coded, items: Coded, by: By, weight: str) -> np.ndarray:
    """Return how popular each item is: its distinct users, its rows, or the sum of a column of weights.

    Raises
    ------
    UsageError, DataError
        If there is no column of weights, or a weight is negative or no number.
    """
    own, size = items.codes[0], len(items)
    if by == "events":
        return np.bincount(own, minlength=size)
    if by == "users":
        return np.bincount(own[~repeats(keys(queries, items, 0))], minlength=size)
    weights = log.named_numbers(weight)
    if weights.min() < 0:
        row = int(weights.argmin())
        raise DataError(f"{log.place(row)}: the {weight} is {weights[row]:g}; a weight is at least 0.")
    return np.bincount(own, weights=weights, minlength=size)
