"""Offsets that are wrong are refused by every kernel that takes some, before memory of others is read."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from tests.every import every

from rankwell import kernels
from rankwell.kernels import (
    cascade,
    exact,
    fingerprints,
    ideal,
    lists,
    majorities,
    match,
    order,
    rank_columns,
    ranks,
    unseen,
    votes,
    words,
)

GOOD = np.array([0, 2, 3])  # of two lists in three rows
WRONG = {
    "that fall": [0, 3, 2],
    "that end behind the rows": [0, 2, 400],
    "that begin below 0": [-4, 2, 3],
    "that pass the rows and come back": [0, 400, 3],
}
ZEROS, ONES, NO = np.zeros(3), np.ones(3), np.empty(0)
KEYS, TEXT, STARTS, LENGTHS = (
    np.arange(3, dtype=np.uint64),
    np.empty(0, np.uint8),
    np.empty(0, np.int64),
    np.empty(0, np.int32),
)
IDS = KEYS, TEXT, STARTS, LENGTHS
ROWS, NO_BYTES, ONE = np.arange(3), np.empty(0, np.uint8), np.array([0, 1])
NONE = np.full(2, -1)

# what a call with some offsets is, by kernel and argument
CALLS = {
    ("cascade", "gains", "first"): lambda o: cascade.gains(ONE, ONE, NO, o, ZEROS, GOOD, np.zeros(3, np.int64), ZEROS, ZEROS, False),
    ("cascade", "gains", "offsets"): lambda o: cascade.gains(ONE, ONE, NO, GOOD, ZEROS, o, np.zeros(3, np.int64), ZEROS, ZEROS, False),
    ("cascade", "greedy", "bounds"): lambda o: cascade.greedy(ONE[:1].repeat(3), o, 2, GOOD, ZEROS, GOOD, np.zeros(3, np.int64), ONES, ZEROS),
    ("cascade", "greedy", "first"): lambda o: cascade.greedy(ONE[:1].repeat(3), GOOD, 2, o, ZEROS, GOOD, np.zeros(3, np.int64), ONES, ZEROS),
    ("cascade", "greedy", "offsets"): lambda o: cascade.greedy(ONE[:1].repeat(3), GOOD, 2, GOOD, ZEROS, o, np.zeros(3, np.int64), ONES, ZEROS),
    ("exact", "best", "offsets"): lambda o: exact.best(ONES, o, np.zeros(3, np.int64), ONE, np.ones(2), ONE + 1, np.ones(2), 0.0, 100, False),
    ("fingerprints", "of_grades", "offsets"): lambda o: fingerprints.of_grades(o, IDS, IDS, ZEROS),
    ("ideal", "greedy", "offsets"): lambda o: greedy_of_users(o, GOOD, GOOD, GOOD),
    ("ideal", "greedy", "member_offsets"): lambda o: greedy_of_users(GOOD, o, GOOD, GOOD),
    ("ideal", "greedy", "own_offsets"): lambda o: greedy_of_users(GOOD, GOOD, o, GOOD),
    ("ideal", "greedy", "seen_offsets"): lambda o: greedy_of_users(GOOD, GOOD, GOOD, o),
    ("lists", "sums", "offsets"): lambda o: lists.sums(2, ONE, ONE, NO, o, np.zeros(3, np.int64), ONES, 1),
    ("lists", "squares", "offsets"): lambda o: lists.squares(o, ONES),
    ("lists", "units", "offsets"): lambda o: lists.units(o, ONES),
    ("majorities", "leads", "offsets"): lambda o: majorities.leads(o, np.zeros((1, 3), np.int32), 9, np.ones(1, np.int32), 0, np.ones(1), 0.0),
    ("match", "hits", "offsets"): lambda o: match.hits(o, ZEROS, *IDS, ONE, GOOD, *IDS, NO_BYTES),
    ("match", "hits", "pool_offsets"): lambda o: match.hits(GOOD, ZEROS, *IDS, ONE, o, *IDS, NO_BYTES),
    ("match", "repeats", "offsets"): lambda o: match.repeats(o, *IDS),
    ("order", "sort", "offsets"): lambda o: order.sort(ROWS.copy(), o, ZEROS, *IDS, 0),
    ("order", "tops", "offsets"): lambda o: order.tops(o, ZEROS, *IDS, 0, NO_BYTES, 2),
    ("rank_columns", "are_closed", "offsets"): lambda o: rank_columns.are_closed(o, ZEROS, 1),
    ("rank_columns", "are_places", "offsets"): lambda o: rank_columns.are_places(o, np.array([1.0, 2, 1])),
    ("rank_columns", "contradictions_in_any_order", "offsets"): lambda o: rank_columns.contradictions_in_any_order(o, -np.array([1.0, 2, 1]), ZEROS),
    ("rank_columns", "contradictions", "offsets"): lambda o: rank_columns.contradictions(o, ZEROS, ZEROS),
    ("rank_columns", "ideal_places", "offsets"): lambda o: rank_columns.ideal_places(o, ONES, ONE, np.ones(2)),
    ("ranks", "ranks", "offsets"): lambda o: ranks.ranks(o, ZEROS, *IDS, 0, NO_BYTES, ONE, np.array([0, 2]), np.array([0, 2])),
    ("unseen", "first", "offsets"): lambda o: unseen.first(np.zeros((2, 1), np.int64), ONE, o, np.zeros(3, np.int64), 1, 1),
    ("votes", "highest", "offsets"): lambda o: votes.highest(o, ZEROS, 1),
    ("words", "lists", "offsets"): lambda o: words.lists(o, np.zeros(3, np.int32), np.zeros(1, np.int64), 1, ONE),
}  # fmt: skip
# it reads no rows, and makes as many places as the last offset says
EXCEPT = {
    ("rank_columns", "places", "offsets"): {"that end behind the rows", "that pass the rows and come back"}
}
CALLS[next(iter(EXCEPT))] = rank_columns.places


def greedy_of_users(offsets, member_offsets, own_offsets, seen_offsets):
    none = np.zeros(3, np.int64)
    return ideal.greedy(
        np.ones((2, 1)), offsets, none, member_offsets, none, 0.5, own_offsets, none, none, ONES, seen_offsets, none, 1, 1
    )  # fmt: skip


def taken():
    """Every argument of a kernel that holds offsets: by its name, which all kernels keep to."""
    for file in sorted(Path(kernels.__path__[0]).glob("*.py")):
        for function in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
                for argument in function.args.args:
                    if argument.arg.endswith("offsets") or argument.arg in ("bounds", "first"):
                        yield file.stem, function.name, argument.arg


# numbers, not offsets: the first of some rows
NUMBERS = {("resample", "signed_sums", "first")}


def test_every_kernel_that_takes_offsets_is_called_here():
    assert set(taken()) - NUMBERS == set(CALLS)


@every("call", CALLS)
def test_right_offsets_are_taken(call):
    CALLS[call](GOOD)


@every("what", WRONG)
@every("call", CALLS)
def test_wrong_offsets_are_refused(call, what):
    if what in EXCEPT.get(call, ()) and WRONG[what] == sorted(WRONG[what]):
        assert len(CALLS[call](np.array(WRONG[what]))) == WRONG[what][-1]
        return
    with pytest.raises(ValueError, match="offsets must not fall, and end within the rows"):
        CALLS[call](np.array(WRONG[what]))
