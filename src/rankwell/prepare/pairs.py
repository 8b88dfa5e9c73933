"""Integer codes for the queries and items of several tables: the same id has the same code in all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rankwell.kernels import ids as kernel
from rankwell.kernels import order
from rankwell.readers.logs import Log
from rankwell.records import cached_property, record
from rankwell.tables.cells import MOST
from rankwell.tables.ids import Ids, fingerprints_of, to_one_kind
from rankwell.tables.lists import are_places, distinct, highest_first, places_of
from rankwell.tables.machine import on_all_cores
from rankwell.tables.rows import PART_ROWS, cuts, group_rows


@record(eq=False)
class Coded:
    """Distinct ids, and the code of each row's id in each of several tables."""

    ids: Ids
    codes: tuple[np.ndarray, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def names(self, codes: np.ndarray, most: int = 3) -> list[str | int]:
        """Return the first few ids of some codes, in their order."""
        return [self.ids.one(int(code)) for code in codes[:most]]

    @cached_property
    def present(self) -> tuple[np.ndarray, ...]:
        """Which ids each table has."""
        return tuple(np.bincount(codes, minlength=len(self)) > 0 for codes in self.codes)

    @cached_property
    def numbers(self) -> np.ndarray:
        """A fixed number of each id, by which draws tell them apart."""
        return fingerprints_of(self.ids).view(np.int64)

    def parts(self, *rows: np.ndarray) -> Coded:
        """Return the codes of parts of the first table, each a table of its own."""
        return Coded(self.ids, tuple(self.codes[0][own] for own in rows))


def code_ids(logs: Sequence[Log], word: str) -> Coded:
    """Return codes for the queries or the items of several tables.

    Text ids of one table may be the plain decimal form of another's integers.

    Raises
    ------
    DataError
        If ids are text in one table and integers in another, and the text is not plain numbers.
    """
    columns = to_one_kind([log.ids(word) for log in logs], word)
    whole = Ids.concatenate(columns)
    codes, firsts = whole.group()
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return Coded(whole[firsts], tuple(np.split(codes, ends)))


def add_codes(coded: Coded, log: Log, word: str) -> Coded:
    """Return the codes of one more table after those of others, which stay as they are.

    Raises
    ------
    DataError
        As for ``code_ids``.
    """
    columns = to_one_kind([coded.ids, log.ids(word)], word)
    whole = Ids.concatenate(columns)
    codes, firsts = whole.group()
    return Coded(whole[firsts], (*coded.codes, codes[len(coded) :]))


def keys(queries: Coded, items: Coded, table: int) -> np.ndarray:
    """Return one number per pair of query and item of a table."""
    # 64 bits hold the pairs of three billion ids on either side
    return queries.codes[table] * len(items) + items.codes[table]


def are_repeated(values: np.ndarray) -> np.ndarray:
    """Return which whole numbers occur in another row too."""
    return _are_in(
        values, _repeated_numbers(np.sort(values))
    )  # only what a sort shows to be repeated is hashed


def are_copies(values: np.ndarray) -> np.ndarray:
    """Return which whole numbers occurred in an earlier row."""
    again = are_repeated(values)
    rows = np.flatnonzero(again)
    again[rows[Ids.of_integers(values[rows]).group()[1]]] = False
    return again


def are_among(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which whole numbers occur among others.

    Sorting is so much faster than hashing that it pays to hash only what both have.
    """
    sides = np.concatenate([distinct(values), distinct(others)])
    sides.sort(kind="stable")  # merges two columns that are sorted
    return _are_in(values, _repeated_numbers(sides))


def _repeated_numbers(ascending: np.ndarray) -> np.ndarray:
    """Return the numbers that occur more than once."""
    return distinct(ascending[1:][ascending[1:] == ascending[:-1]])


def _are_in(values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    if not len(wanted):
        return np.zeros(len(values), np.bool_)
    return pl.Series(values).is_in(pl.Series(wanted).implode()).to_numpy()


def n_distinct(codes: np.ndarray) -> int:
    """Return the number of distinct codes."""
    return int(np.count_nonzero(np.bincount(codes)))


def places(log: Log) -> np.ndarray:
    """Return the position of each row in its list, from 1: by rank, else by score, else in the order of rows.

    Tied scores are ordered as in ``evaluate``: the higher id first.
    """
    rows = np.arange(len(log))
    _, offsets, together = group_rows(log.ids("query"))
    if "rank" in log.words:
        rank = log.numbers("rank")
        if together is None and are_places(rank, offsets):  # in order already, as most runs are
            return rank.astype(np.int64)
        # the kernel puts higher keys first, as it does scores
        key = -rank
    else:
        key = log.numbers("score") if "score" in log.words else -rows.astype(np.float64)
    together = rows if together is None else together
    items = log.ids("item")[together]
    ordered = np.arange(len(log))
    rule = order.TIE_RULES["item-desc"]
    order.sort(ordered, offsets, np.ascontiguousarray(key[together]), *items.columns, rule)
    place = np.empty(len(log), np.int64)
    place[together[ordered]] = places_of(np.diff(offsets))
    return place


def nth(codes: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
    """Return each row's position among the rows of its code, from 1: by ``before``, else in the order of rows."""
    rows, offsets = by_code(codes, before)
    place = np.empty(len(codes), np.int64)
    place[rows] = places_of(np.diff(offsets))
    return place


def by_code(codes: np.ndarray, before: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of each code, by ``before``, else in their order, and the offsets of the codes."""
    rows, offsets = kernel.gather(codes, int(codes.max(initial=-1)) + 1)  # -1: none of no rows
    if before is None or not len(rows):
        return rows, offsets
    # each code is sorted alone, and groups of codes on all cores, in place of one sort of all rows by two keys
    key = _as_floats(before)

    def sort(codes: tuple[int, int]) -> None:
        own, ends = rows[slice(*offsets[list(codes)])], offsets[codes[0] : codes[1] + 1] - offsets[codes[0]]
        # into the shared array: each thread has codes of its own, whose rows lie side by side
        own[:] = own[highest_first(-key[own], ends)]

    on_all_cores(sort, cuts(offsets, PART_ROWS))
    return rows, offsets


def _as_floats(values: np.ndarray) -> np.ndarray:
    """Numbers as floats that keep their order and tell all of them apart."""
    if values.dtype.kind == "f":
        return values.astype(np.float64, copy=False)
    least = int(values.min())
    if (
        int(values.max()) - least > MOST
    ):  # times in nanoseconds over three months: their places among each other are exact
        return np.unique(values, return_inverse=True)[1].astype(np.float64)
    return (values - least).astype(np.float64)


def greatest(codes: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Return the greatest value of each code; the least of the type for a code without a row."""
    limits = np.iinfo(values.dtype) if values.dtype.kind == "i" else np.finfo(values.dtype)
    greatest = np.full(size, limits.min, values.dtype)
    # begins at the least of the type, so that any value of a code replaces it
    np.maximum.at(greatest, codes, values)
    return greatest
