"""Lists in cells of text, as programs print them, are the lists that they were; so are topics held in sets, tuples and numbers."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankwell as rw
from rankwell.readers.items_users import read_catalogue

GENRES = {
    "a": ["Drama"],
    "b": ["Science Fiction", "War"],
    "c": ["Drama", "War"],
    "d": [],
    "e": ["Kids"],
}
HELD = {
    "printed by Python": str,
    "printed as JSON": json.dumps,
    "without quotation marks": lambda words: f"[{', '.join(words)}]",
    "sets": set,
    "frozen sets": frozenset,
    "tuples": tuple,
    "arrays": lambda words: np.array(words, object),
}


# one topic that is called "['Drama', 'War']" makes other lists diverse
@pytest.mark.parametrize("way", HELD)
@pytest.mark.parametrize("kind", ["pandas", "records", "csv"])
def test_a_list_is_the_same_topics_however_it_is_held(way, kind, tmp_path):
    table = pd.DataFrame({"item": list(GENRES), "genres": [HELD[way](words) for words in GENRES.values()]})
    if kind == "csv":
        if not isinstance(table["genres"][0], str):
            table["genres"] = [str(list(words)) for words in table["genres"]]
        table.to_csv(tmp_path / "items.csv", index=False)
    items = {"pandas": table, "records": table.to_dict("records"), "csv": tmp_path / "items.csv"}[kind]
    assert read_catalogue(items).features("topics").names == ("Drama", "Kids", "Science Fiction", "War")
    run = {"u": ["a", "c", "b"], "v": ["d", "b"]}
    plain = pd.DataFrame({"item": list(GENRES), "genres": ["|".join(words) for words in GENRES.values()]})
    assert (
        rw.evaluate(run, None, ["ild@3"], items=items).mean
        == rw.evaluate(run, None, ["ild@3"], items=plain).mean
    )


@pytest.mark.parametrize(
    "write",
    [
        str,
        json.dumps,
        lambda numbers: str(np.array(numbers)),
        list,
        lambda numbers: [int(numbers[0]), *numbers[1:]],
    ],
)
def test_a_printed_vector_is_an_embedding(write):
    vectors = [[1.0, 0.25], [0.0, -1.5], [2.0, 1e-3]]
    table = pl.DataFrame({"item": ["a", "b", "c"], "v": vectors})
    run = {"u": ["a", "b", "c"]}
    wanted = rw.evaluate(run, None, ["ild(features=v)@3"], items=table).mean
    held = pd.DataFrame({"item": ["a", "b", "c"], "v": [write(vector) for vector in vectors]})
    assert rw.evaluate(run, None, ["ild(features=v)@3"], items=held).mean == wanted


def test_a_list_that_was_shortened_when_it_was_printed_is_no_vector():
    items = pd.DataFrame({"item": ["a", "b"], "v": [str(np.arange(2000.0)), "[1. 2.]"]})
    with pytest.raises(
        rw.RankwellError, match=r"items, row 1: .* Where it was shortened when it was printed"
    ):
        rw.evaluate({"u": ["a", "b"]}, None, ["ild(features=v)@2"], items=items)


def test_numbers_of_topics_are_topics_and_no_vector():
    items = pd.DataFrame({"item": ["a", "b", "c"], "genre": [3, 1, 3]})
    named = items.assign(genre=items["genre"].astype(str))
    for run, wanted in (({"u": ["a", "b"]}, 1.0), ({"u": ["a", "c"]}, 0.0)):
        for table in (items, named):
            assert rw.evaluate(run, None, ["ild@2"], items=table).mean["ild@2"] == wanted


def test_a_bracket_in_some_topics_is_part_of_them():
    items = pl.DataFrame({"item": ["a", "b", "c"], "topics": ["[REC]|Horror", "Horror", "Drama"]})
    assert read_catalogue(items).features("topics").names == ("Drama", "Horror", "[REC]")


def test_a_quotation_mark_within_a_topic_is_part_of_it():
    items = pl.DataFrame({"item": ["a", "b"], "topics": [str(["Children's", "War"]), str(["War"])]})
    assert read_catalogue(items).features("topics").names == ("Children's", "War")
    unquoted = pl.DataFrame({"item": ["a"], "topics": ["[Children's, War]"]})
    with pytest.raises(rw.RankwellError, match=r"items, row 1: .* is no list"):
        read_catalogue(unquoted).features("topics")


NUMBERS = {
    "lists": list,
    "tuples": tuple,
    "arrays": np.array,
    "sets": set,
    "printed by Python": str,
    "printed by NumPy": lambda numbers: str(np.array(numbers)),
}


@pytest.mark.parametrize("way", NUMBERS)
@pytest.mark.parametrize(
    "codes", [{"a": [1, 2], "b": [2, 3], "c": [7, 3]}, {"a": [1, 2], "b": [2], "c": [10, 3]}]
)
def test_lists_of_numbers_of_topics_are_topics_and_no_vectors(way, codes):
    named = pd.DataFrame({"item": list(codes), "topics": ["|".join(map(str, own)) for own in codes.values()]})
    items = pd.DataFrame({"item": list(codes), "topics": [NUMBERS[way](own) for own in codes.values()]})
    assert read_catalogue(items).features("topics").names == read_catalogue(named).features("topics").names
    asked = {"u": ["a", "b"], "v": ["c", "a", "b"]}, None, ["ild@3"]
    assert rw.evaluate(*asked, items=items).mean == rw.evaluate(*asked, items=named).mean


def test_lists_of_0_and_1_say_which_topics_an_item_has():
    flags = pd.DataFrame({"item": ["a", "b", "c"], "topics": [[1, 0, 0], [0, 1, 0], [1, 1, 0]]})
    # cosines: 0, 1 / √2, 1 / √2
    wanted = 1 - (2 / 2**0.5) / 3
    assert rw.evaluate({"u": ["a", "b", "c"]}, None, ["ild@3"], items=flags).mean["ild@3"] == pytest.approx(
        wanted
    )
