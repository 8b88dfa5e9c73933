"""The ranks of a run's own rank column: checked, from 1, and kept where a list has a gap."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from rankwell.display.composed import Composed
from rankwell.errors import DataError, brief
from rankwell.judge.asked import Asked
from rankwell.judge.policy import Policy
from rankwell.kernels import rank_columns as kernel
from rankwell.tables.csr import owners
from rankwell.tables.rows import Lists

MOST = 2.0**53  # beyond it, numbers next to each other are no longer told apart
NUMBERED = "Number the items 1, 2, …"
CLOSED = "or set ranks='closed', which reads only their order"
HEADLESS = "lists with no item at rank 1"


class WrongRanks(DataError):
    """A rank column that cannot count: where, what is wrong, and the remedy."""

    place: str
    what: Composed
    remedy: str

    @classmethod
    def at(cls, place: str, what: Composed, remedy: str) -> Self:
        """Return the error at a place."""
        error = cls(f"{place}: {what}. {remedy}, {CLOSED}.")
        error.place, error.what, error.remedy = place, what, f"{remedy}, {CLOSED}."
        return error


class RanksBeginAtZero(WrongRanks):
    """A rank of 0, where the batches before had none: the ranks of the whole run begin at 0."""


def with_ranks(lists: Lists, asked: Asked) -> Lists:
    """Return lists that have ranks of their own with these, from 1; without them if they say no more than the order.

    RanksBeginAtZero if they begin at 0, and this was not known; WrongRanks if a rank is not a whole number, or below the first one.
    """
    known = lists.rank_base if asked.rank_base is None else asked.rank_base
    base = 1 if known is None else known
    # Ranks 1 to n are the usual case. Where copies are dropped, the numbers of the rows that stay are looked at later.
    if asked.policy.duplicates != "drop" and kernel.are_closed(lists.offsets, lists.score, base):
        return lists
    given = -lists.score
    ranks = np.rint(given)
    if len(wrong := np.flatnonzero((ranks != given) | (np.abs(given) > MOST))):
        row = int(wrong[0])
        what = Composed("the rank {rank} is not a whole number", rank=brief(float(given[row])))
        raise WrongRanks.at(lists.place(row), what, NUMBERED)
    if len(low := np.flatnonzero(ranks < base)):
        row = int(low[0])
        kind = RanksBeginAtZero if known is None and ranks.min() == 0 else WrongRanks
        what = Composed("the rank is {rank:g}; ranks begin at {base}", rank=float(given[row]), base=base)
        raise kind.at(lists.place(row), what, NUMBERED)
    return replace(lists, ranks=ranks.astype(np.int64) + (1 - base))


def number_given(lists: Lists, left_out: np.ndarray, policy: Policy, counts: dict[str, int]) -> Lists:
    """Return the lists with their ranks where these say more than their order, as some list has a gap; count such lists.

    Lists without the copies of items (``duplicates='drop'``) are numbered 1 to n. WrongRanks if a list gives a rank twice.
    """
    assert lists.ranks is not None
    rows = np.arange(lists.rows) if not len(left_out) else np.flatnonzero(left_out == 0)
    query, ranks = owners(lists.offsets)[rows], lists.ranks[rows]
    if not np.all((query[1:] > query[:-1]) | (ranks[1:] > ranks[:-1])):
        order = np.lexsort((ranks, query))
        rows, query, ranks = rows[order], query[order], ranks[order]
        if len(again := np.flatnonzero((query[1:] == query[:-1]) & (ranks[1:] == ranks[:-1]))):
            raise _twice(lists, int(rows[again[0]]), int(rows[again[0] + 1]))
    last = np.flatnonzero(np.append(query[1:] != query[:-1], len(query) > 0))
    gaps = int(np.count_nonzero(ranks[last] > np.diff(last, prepend=-1)))
    counts["lists with gaps in their ranks"] = gaps
    firsts = np.append(0, last[:-1] + 1) if len(last) else last
    if headless := int(np.count_nonzero(ranks[firsts] > 1)):
        counts[HEADLESS] = headless
    if policy.unjudged == "condense":
        counts["lists with gaps, numbered 1 to n by unjudged='condense'"] = gaps
    if policy.duplicates == "drop":
        counts["lists with gaps, numbered 1 to n by duplicates='drop'"] = gaps
    return lists if gaps and policy.duplicates != "drop" else replace(lists, ranks=None)


def _twice(lists: Lists, first: int, second: int) -> WrongRanks:
    query = int(np.searchsorted(lists.offsets, second, side="right")) - 1
    what = Composed(
        "query {query} gives a rank twice (first: {first})",
        query=brief(lists.queries.one(query)),
        first=lists.place(first),
    )
    return WrongRanks.at(lists.place(second), what, "Give each item a rank of its own")
