"""Ids of two kinds: text that is plain numbers becomes integers, other text is named."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rankwell.errors import DataError
from rankwell.tables.ids import Ids, Numbering, to_same_kind


@pytest.mark.parametrize("place", [0, 1, 5, 8, 9])
@pytest.mark.parametrize("odd", ["0074958", "tt7", "7.0", "+7"])
def test_the_id_that_is_no_plain_number_is_named(place, odd):
    texts = [str(number) for number in range(1, 11)]
    texts[place] = odd
    for ids, like in (([5, 7], texts), (texts, [5, 7])):
        with pytest.raises(DataError, match=re.escape(f"the text is not plain numbers (such as {odd!r})")):
            to_same_kind(Ids.of(ids), Ids.of(like), "item")


@pytest.mark.parametrize(
    "make", [str, int, lambda number: "é" * (number % 40)], ids=["text", "integers", "lengths"]
)
def test_ids_are_numbered_as_they_come_in_any_number_of_columns(make):
    rng = np.random.default_rng(3)
    known: dict[object, int] = {}
    numbering = Numbering()
    for size in (1, 0, 7, 3000, 40, 20_000):
        column = [make(number) for number in rng.integers(0, 9000, size).tolist()]
        expected = [known.setdefault(each, len(known)) for each in column]
        assert numbering.number(Ids.of(column), "item").tolist() == expected
        assert numbering.ids.tolist() == [*known]
        assert len(numbering) == len(known)


def test_text_that_is_plain_numbers_has_the_numbers_of_the_integers():
    for first, second in ((["7", "8"], [8, 9, 7]), ([7, 8], ["8", "9", "7"])):
        numbering = Numbering()
        assert numbering.number(Ids.of(first), "item").tolist() == [0, 1]
        assert numbering.number(Ids.of(second), "item").tolist() == [1, 2, 0]
        assert numbering.ids.tolist() == [7, 8, 9]
    numbering = Numbering()
    numbering.number(Ids.of(["7", "x"]), "item")
    with pytest.raises(
        DataError, match=r"item ids are text on one side and integers on the other.*such as 'x'"
    ):
        numbering.number(Ids.of([7]), "item")
