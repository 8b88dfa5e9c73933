"""Rows whose item is the query of their list: found, and left out before any other rule."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from rankwell.judge.policy import Policy
from rankwell.tables.csr import owners
from rankwell.tables.ids import Ids, own_text
from rankwell.tables.ranked import NO_ROWS
from rankwell.tables.rows import Lists, contradictions

OWN = "rows whose item is the query itself"
CLOSED = "lists with ranks, numbered 1 to n by drop_own_query=True"
AGAINST = "rows whose rank contradicts the score"


def own_rows(lists: Lists) -> np.ndarray:
    """Return the rows whose item is the query of their list; text and integers are the same id if the decimal text is."""
    queries, items, lengths = lists.queries, lists.items, np.diff(lists.offsets)
    if not lists.rows:
        return NO_ROWS
    known = np.ones(len(queries), np.bool_)
    if queries.is_text and not items.is_text:
        queries, known = _as_integers(queries)
    elif items.is_text and not queries.is_text:
        queries = Ids.of_strings([str(query) for query in queries.tolist()])
    rows = np.flatnonzero(items.keys == np.repeat(queries.keys, lengths))
    if not len(rows):
        return NO_ROWS
    owner = np.searchsorted(lists.offsets, rows, side="right") - 1
    if not items.is_text:
        return rows[known[owner]]
    # keys of text are hashes, which are equal for other texts once in 2**64 pairs
    both = Ids.concatenate([own_text(queries[owner]), own_text(items[rows])])
    codes, _ = both.group()
    return rows[codes[: len(rows)] == codes[len(rows) :]]


def without_own(lists: Lists, policy: Policy, counts: dict[str, int]) -> Lists:
    """Return lists without the rows whose item is the query; of a list that had one, what stays is ranked 1 to n.

    A rank that such a list gives twice stays given twice.
    """
    own = own_rows(lists)
    if not len(own):
        return lists
    counts[OWN] = len(own)
    fewer = lists.only(np.delete(np.arange(lists.rows), own))
    if lists.against_score:
        assert fewer.given is not None
        counts[AGAINST] = contradictions(fewer.offsets, fewer.score, fewer.given)
    if lists.has_ranks and policy.ranks == "given":
        is_shorter = np.diff(fewer.offsets) < np.diff(lists.offsets)
        counts[CLOSED] = int(np.count_nonzero(is_shorter))
        if fewer.ranks is not None:
            fewer.ranks = _closed(fewer.ranks, owners(fewer.offsets), is_shorter)
    return fewer


def _closed(ranks: np.ndarray, query: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The ranks, where those of some lists are numbered 1 to n in their order; equal ones stay equal."""
    rows = np.flatnonzero(chosen[query])
    rows = rows[np.lexsort((ranks[rows], query[rows]))]
    own, given = query[rows], ranks[rows]
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = (own[1:] != own[:-1]) | (given[1:] != given[:-1])
    heads = np.maximum.accumulate(np.where(is_first, np.arange(len(rows)), 0))
    closed = ranks.copy()
    closed[rows] = heads - np.searchsorted(own, own) + 1
    return closed


def _as_integers(ids: Ids) -> tuple[Ids, np.ndarray]:
    """Text ids as integers, and which of them are the plain decimal form of one."""
    numbers, are_plain = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)
    for row, text in enumerate(map(str, ids.tolist())):
        with suppress(ValueError, OverflowError):  # no number, or none of 64 bits
            numbers[row] = int(text)
            are_plain[row] = str(numbers[row]) == text
    return Ids.of_integers(numbers), are_plain
