"""Decided: per pair of systems, the queries that judging unjudged items can no longer turn; in tables and notes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.display.saved_files import ensure
from rankwell.display.table import Cell, Column, Table

if TYPE_CHECKING:
    from rankwell.comparison.comparison import Comparison

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


def decided_table(found: Comparison) -> Table:
    """Return a row per metric and pair: in how many queries the judgements decide, and the bounds of the mean difference."""
    columns = [Column("metric"), Column("first"), Column("second"), Column("n", "count")]
    columns += [Column(name, "count") for name in ("first wins", "second wins", "equal", "undecided")]
    columns += [Column("lowest", "value"), Column("highest", "value"), Column("order")]
    rows: list[tuple[Cell, ...]] = []
    for metric, own in found.decided.items():
        settled = own.is_settled()
        for place, (left, right) in enumerate(found.pairs.T.tolist()):
            label = (str(metric), found.names[left], found.names[right])
            if own.kind[place] == "none":
                rows.append((*label, *[None] * 7, "no bounds"))
                continue
            ends = [None if math.isnan(end[place]) else float(end[place]) for end in (own.low, own.high)]
            counts = [int(getattr(own, name)[place]) for name in WHOLE]
            rows.append((*label, *counts, *ends, "settled" if settled[place] else "not settled"))
    return Table(
        columns,
        rows,
        caption="What the judgements decide, whatever unjudged items turn out to be",
        notes=_notes(found),
    )


def sentences_of(found: Comparison) -> list[str]:
    """Return in words what is decided, and which orders are not settled, as notes of the leaderboard."""
    notes = []
    if len(found.pairs.T) == 1:
        left, right = (found.names[row] for row in found.pairs[:, 0])
        for metric, own in found.decided.items():
            if own.kind[0] == "none":
                continue
            first, second, equal, undecided, n = (
                int(column[0]) for column in (own.first, own.second, own.equal, own.undecided, own.n)
            )
            same = f", equal in {equal:,}" if equal else ""
            notes.append(
                f"{metric}: {left} > {right} whatever the judges say in {first:,} of {n:,} queries, {right} > {left} in "
                f"{second:,}{same}; undecided in {undecided:,}"
            )
    open_ones = []
    for metric, own in found.decided.items():
        settled = own.is_settled() | (own.kind == "none")
        pairs = [
            f"{found.names[one]} / {found.names[other]}" for one, other in found.pairs[:, ~settled].T.tolist()
        ]
        if pairs:
            more = f" and {len(pairs) - 3:,} more pairs" if len(pairs) > 3 else ""
            open_ones.append(f"{metric} ({', '.join(pairs[:3])}{more})")
    if open_ones:
        notes.append(f"orders of means that judging unjudged items could turn: {'; '.join(open_ones)}")
    return notes


def _notes(found: Comparison) -> list[str]:
    assert found.bounding is not None
    pool = f"; pool: {found.bounding.pool}" if found.bounding.pool else ""
    notes = [
        f"over all grades that unjudged items could get, the same in both lists; {found.bounding.scale()}{pool}",
        "of queries that are defined as judged; lowest and highest: of the mean difference, first less second",
    ]
    outer = [str(m) for m, own in found.decided.items() if (own.kind == "outer").any()]
    if outer:
        notes.append(f"outer bounds, so that more queries may be decided: {', '.join(outer)}")
    outer = [str(m) for m, own in found.decided.items() if (own.mean_kind == "outer").any()]
    if outer:
        notes.append(f"outer bounds of the mean difference: {', '.join(outer)}")
    reasons: dict[str, list[str]] = {}
    for metric, own in found.decided.items():
        for why in sorted({why for why in own.why.tolist() if why}):
            reasons.setdefault(why, []).append(str(metric))
    return notes + [f"{', '.join(names)}: {why}" for why, names in reasons.items()]
