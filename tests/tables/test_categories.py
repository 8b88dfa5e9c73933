"""Ids that are categories are those of the same column as text, and each text is held once."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.tables.ids import Ids

WORDS = ["zürich", "a", "0104257", "", "b b", "a" * 300, "日本"]
ROWS = np.random.default_rng(4).integers(0, len(WORDS), 500)
TEXT = pl.Series([WORDS[row] for row in ROWS])


def columns():
    yield "categorical", TEXT.cast(pl.Categorical)
    yield "enum of more words", TEXT.cast(pl.Enum(["unused", *reversed(WORDS), "x" * 70_000]))
    yield "one category", pl.Series(["a"] * 500, dtype=pl.Categorical)
    yield "part of a column", pl.concat([TEXT.head(9), TEXT, TEXT.head(7)]).cast(pl.Categorical)[9:-7]
    yield (
        "several pieces",
        pl.concat([TEXT.head(250).cast(pl.Categorical), TEXT.tail(250).cast(pl.Categorical)], rechunk=False),
    )
    yield "no rows", TEXT.head(0).cast(pl.Categorical)


@pytest.mark.parametrize(("kind", "column"), list(columns()))
def test_ids_are_those_of_the_text(kind, column):
    ids = Ids.of_series(column, "item")
    assert ids.is_text
    assert ids.tolist() == column.cast(pl.String).to_list()


def test_the_text_of_a_category_is_held_once():
    ids = Ids.of_series(TEXT.cast(pl.Categorical), "item")
    assert len(ids.text) == sum(len(word.encode()) for word in set(WORDS))


def test_a_category_that_is_no_id_is_told_with_its_first_row():
    column = pl.Series(["a", "x" * 70_000, "a", "x" * 70_000], dtype=pl.Categorical)
    with pytest.raises(rw.RankwellError, match=r"^row 2: the item id has 70,000 bytes"):
        Ids.of_series(column, "item")
