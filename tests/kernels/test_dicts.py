"""Columns of plain Python values are what Python itself makes of them; for all else there is no result."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import every

from rankwell.kernels import dicts
from rankwell.tables.ids import Ids

FEW = settings(max_examples=200, deadline=None, derandomize=True)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
INTEGER = st.integers(-(2**63), 2**63 - 1)
NUMBER = st.one_of(st.floats(allow_nan=False), st.integers(1 - 2**53, 2**53 - 1))


class Words(str):
    __slots__ = ()


class Score(float):
    __slots__ = ()


class Items(dict):
    pass


@FEW
@given(st.one_of(st.lists(TEXT), st.lists(INTEGER, min_size=1)))
def test_a_list_of_ids_is_the_column_of_them(values):
    assert Ids.of_plain(dicts.of_list(values)).tolist() == values


@FEW
@given(
    st.one_of(
        st.lists(st.dictionaries(TEXT, NUMBER, max_size=9), max_size=9),
        st.lists(st.dictionaries(INTEGER, NUMBER, min_size=1, max_size=9), min_size=1, max_size=9),
    )
)
def test_dicts_are_their_items_and_numbers_end_to_end(lists):
    offsets, numbers, items = dicts.of_dicts(lists)
    assert offsets.tolist() == [sum(map(len, lists[:row])) for row in range(len(lists) + 1)]
    assert Ids.of_plain(items).tolist() == [item for each in lists for item in each]
    assert numbers.tolist() == [float(number) for each in lists for number in each.values()]
    assert [math.copysign(1, each) for each in numbers] == [
        math.copysign(1, number) for each in lists for number in each.values()
    ]


def test_text_of_any_length_is_kept_whole():
    lists = [{"é" * length: length for length in range(low, low + 50)} for low in range(0, 500, 50)]
    _, _, items = dicts.of_dicts(lists)
    assert Ids.of_plain(items).tolist() == [item for each in lists for item in each]


STRANGE = [
    "\ud800",
    Words("a"),
    True,
    None,
    1.0,
    b"a",
    ("a", 1),
    2**63,
    -(2**63) - 1,
    np.int64(1),
    np.str_("a"),
]
NO_NUMBER = [
    math.nan, True, None, "1", [1], 2**53, -(2**53), 2**53 + 1, 10**400, Score(1), np.float64(1), np.int64(1), 1j,
]  # fmt: skip


@every("strange", STRANGE)
def test_there_is_no_column_of_ids_that_are_not_plain(strange):
    assert dicts.of_list([strange]) is None
    assert dicts.of_dicts([{strange: 1.0}]) is None
    assert dicts.of_list(["a", strange]) is dicts.of_list([1, strange]) is None
    assert dicts.of_dicts([{"b": 1.0}, {strange: 1.0}]) is None


@every("wrong", NO_NUMBER)
def test_there_is_no_column_of_numbers_that_are_not_plain(wrong):
    assert dicts.of_dicts([{"a": 1.0, "b": wrong}]) is None


@every("kinds", [["a", 1], [1, "a"], [1, 2, "c"]])
def test_there_is_no_column_of_text_and_integers(kinds):
    assert dicts.of_list(kinds) is None
    assert dicts.of_dicts([{each: 1.0} for each in kinds]) is None


@every("other", [Items(a=1), ["a"], "a", None, 5])
def test_only_dicts_are_read(other):
    assert dicts.of_dicts([{"a": 1.0}, other]) is None
