"""Queries to measure with: their ids, and what the system gets for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.tables.collections import Topics


def queries_of(given: Any) -> tuple[list[str], list[Any]]:
    """Return ids and queries: of Topics, a mapping from id to query, or a list, whose ids are 1 to n.

    Raises
    ------
    UsageError
        If there is none, or they are something else.
    DataError
        If an id holds a lone surrogate.
    """
    if isinstance(given, Topics):
        ids, values = given.ids.tolist(), given.texts()
    elif isinstance(given, Mapping):
        ids, values = [*given], [*given.values()]
    elif isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes)):
        values = list(given)
        ids = list(range(1, len(values) + 1))
    else:
        raise UsageError(f"queries are Topics, a mapping from id to query, or a list, not {brief(given)}.")
    if not values:
        raise UsageError("there is no query to measure with.")
    return [text_of("query id", each) for each in ids], values


def text_of(what: str, given: Any) -> str:
    """Return an id or a name as text.

    Raises
    ------
    DataError
        If it holds a lone surrogate: no file of costs could hold it.
    """
    text = str(given)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"the {what} {brief(text)} holds half of a character (a lone surrogate).") from None
    return text
