"""Decided: per pair of systems, the queries that judging unjudged items can no longer turn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from rankwell.display.saved_files import ensure

WHOLE = ("n", "first", "second", "equal", "undecided")
TEXT = ("kind", "mean_kind", "why")


class Decided(NamedTuple):
    """Per pair, of the queries that are defined in both: those that the ``first`` or the ``second`` wins whatever the judges say.

    In ``equal`` ones the two are equal whatever they say, and the others are ``undecided``. ``kind`` is ``outer`` if some of these
    may be decided too, and ``none`` without bounds (``why``). ``low`` and ``high`` bound the mean difference, first less second.
    """

    n: np.ndarray
    first: np.ndarray
    second: np.ndarray
    equal: np.ndarray
    undecided: np.ndarray
    kind: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mean_kind: np.ndarray
    why: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Decided:
        """Return columns from what is known of each pair."""
        return cls(**{name: _column(name, [row.get(name) for row in rows]) for name in cls._fields})

    @classmethod
    def of_columns(cls, columns: Mapping[str, Sequence[Any]], size: int, at: str) -> Decided:
        """Return what a file holds, which must be of so many pairs."""
        ensure({*columns} == {*cls._fields}, at, "a column is missing, or one too many")
        for name, own in columns.items():
            kind = str if name in TEXT else int if name in WHOLE else (int, float, NoneType)
            fits = len(own) == size and all(isinstance(value, kind) for value in own)
            ensure(fits, f"{at}.{name}", f"these are not {size:,} values of its kind")
        return cls(**{name: _column(name, own) for name, own in columns.items()})

    def is_settled(self) -> np.ndarray:
        """Return whether no judgement can turn the order of the means of each pair."""
        with np.errstate(invalid="ignore"):
            return (self.low > 0) | (self.high < 0)


def _column(name: str, values: Sequence[Any]) -> np.ndarray:
    if name in WHOLE:
        return np.array([value or 0 for value in values], np.int64)
    if name in TEXT:
        return np.array([value or "" for value in values], object)
    return np.array([math.nan if value is None else float(value) for value in values])
