"""Features of items: what a name stands for in a table, and what a wrong one says."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.readers.items_users import read_catalogue
from rankwell.tables.features import Vectors, WordLists, columns_of
from rankwell.tables.lists import Ranked


def features_of(frame, wanted, table):
    return Vectors(columns_of(frame, wanted, table)).whole()


def dense(features):
    table = np.zeros((len(features.lengths), len(features.names)))
    for row in range(len(table)):
        at = slice(features.offsets[row], features.offsets[row + 1])
        table[row, features.codes[at]] = features.values[at]
    return table


TOPICS = [[1, 1], [0, 0], [0, 1]]


@pytest.mark.parametrize(
    "column",
    [
        ["War|Drama", None, "War"],
        ["War; Drama", "", "War"],
        ["War,Drama,War", None, " War "],
        [["War", "Drama"], [], ["War"]],
        [["Drama", "War"], None, ["War", None]],
    ],
)
def test_topics_are_lists_or_delimited_text(column):
    found = features_of(pl.DataFrame({"genres": column}), "topics", "items")
    assert found.names == ("Drama", "War")
    assert dense(found).tolist() == TOPICS


def test_text_without_a_separator_is_one_topic():
    found = features_of(pl.DataFrame({"topics": ["a b", "c"]}), "topics", "items")
    assert found.names == ("a b", "c")


def test_numbers_are_one_vector_and_a_pattern_some_of_them():
    frame = pl.DataFrame(
        {"g_war": [1, 0], "g_drama": [1, None], "year": [1984.0, 2000.0], "title": ["x", "y"]}
    )
    assert dense(features_of(frame, "numeric", "items")).tolist() == [[1, 1, 1984], [0, 0, 2000]]
    assert dense(features_of(frame, "g_*", "items")).tolist() == [[1, 1], [0, 0]]
    assert dense(features_of(frame, "year", "items")).tolist() == [[1984], [2000]]


@pytest.mark.parametrize("kind", [pl.List(pl.Float32), pl.Array(pl.Float32, 2)])
def test_embeddings_are_lists_of_numbers(kind):
    frame = pl.DataFrame({"vector": pl.Series([[0.5, -1.0], None, [0.0, 2.0]], dtype=kind)})
    assert dense(features_of(frame, "vector", "items")).tolist() == [[0.5, -1], [0, 0], [0, 2]]


@pytest.mark.parametrize(
    ("column", "wanted", "words"),
    [
        ({"genre_list": ["a"]}, "genres", "no column 'genres'.*Did you mean genre_list"),
        ({"x": ["a"]}, "topics", "no column of topics"),
        ({"x": ["a"]}, "numeric", "no column 'numeric'"),
        ({"x": ["a"]}, "g_*", "no column 'g_\\*'"),
        ({"x": [True]}, "x", "is Boolean"),
        ({"x": [1.0, float("nan")]}, "x", "row 2: 'x' is not a finite number"),
        ({"x": [[1.0, 2.0], [1.0]]}, "x", "row 2: 1 numbers in 'x', but other rows have 2"),
    ],
)
def test_a_wrong_name_or_column_is_told(column, wanted, words):
    with pytest.raises(rw.RankwellError, match=words):
        features_of(pl.DataFrame(column), wanted, "items")


def test_sums_do_not_depend_on_how_many_queries_are_summed(monkeypatch):
    rng = np.random.default_rng(1)
    features = features_of(pl.DataFrame({"v": rng.normal(size=(50, 7)).tolist()}), "v", "items")
    query = np.repeat(np.arange(40), 5)
    rows = Ranked(40, query, np.tile(np.arange(1, 6), 40), np.ones(200), item=rng.integers(-1, 50, 200))
    whole = np.concatenate([sums for *_, sums in features.sums(rows)])
    monkeypatch.setattr("rankwell.tables.features.CELLS", 21)
    parts = np.concatenate([sums for *_, sums in features.sums(rows)])
    assert np.array_equal(whole, parts)
    table = np.vstack([dense(features), np.zeros(7)])
    assert np.allclose(whole, table[rows.item].reshape(40, 5, 7).sum(axis=1), atol=1e-12)


LISTED = {
    "topics": [["War", "Drama"], None, [" War ", None], ["Drama", "Drama"], [], ["War"]] * 5,
    "text": ["War|Drama", None, "War|War", "", " Drama", "Noir"] * 5,
    "tag": pl.Series(["a", None, "b", "a", "b", "c"] * 5, dtype=pl.Categorical),
    "year": [1984.0, None, 0.0, 2000.0, -1.0, 7.0] * 5,
    "vector": [[0.5, -1.0], None, [0.0, 2.0], [0.0, 0.0], [None, 1.0], [3.0, 4.0]] * 5,
}


@pytest.mark.parametrize("wanted", [*LISTED, "numeric"])
def test_items_that_are_looked_at_have_the_vectors_that_they_have_among_all(wanted):
    columns = columns_of(pl.DataFrame(LISTED), wanted, "items")
    whole, rng = Vectors(columns).whole(), np.random.default_rng(3)
    for _ in range(20):
        looked_at = rng.integers(-1, 30, 9), rng.integers(-1, 30, 3)
        part = Vectors(columns).of(looked_at)
        rows = np.concatenate(looked_at)
        for kind in ("units", "shares", "sets"):
            mine, those = getattr(part, kind).entries(rows), getattr(whole, kind).entries(rows)
            assert all(map(np.array_equal, mine, those))
        assert np.array_equal(part.squares_of(rows), whole.squares_of(rows))
        assert np.array_equal(part.has(rows), whole.has(rows))
        assert part.names == whole.names


def test_only_items_that_are_looked_at_are_read_and_all_at_once_after_half(monkeypatch):
    catalogue = read_catalogue(pl.DataFrame({"item": range(100), "topics": ["a", "b"] * 50}))
    read, cells = [], WordLists.cells

    def counted(self, rows=None):
        read.append(len(self) if rows is None else len(rows))
        return cells(self, rows)

    monkeypatch.setattr(WordLists, "cells", counted)
    evaluator = rw.Evaluator(None, ["ils@2", "ild@3", "eild"], items=catalogue)
    for first in range(0, 100, 10):
        evaluator.evaluate({1: [first, first + 1, first + 2], 2: [first + 2, first + 1]})
    assert read == [3] * 10
    many = rw.Evaluator(
        None, ["ils"], items=read_catalogue(catalogue.frame.with_columns(item=pl.int_range(100)))
    )
    for first in (0, 30, 60):
        many.evaluate({1: list(range(first, first + 30))})
    assert read[10:] == [30, 100]


@pytest.mark.parametrize("name", ["films.csv", "films.parquet", "films.ndjson", "films.arrow", "films.dat"])
def test_a_catalogue_with_genres_is_read_from_every_kind_of_table(tmp_path, name):
    frame = pl.DataFrame({"movieId": ["007", "08"], "title": ["a", "b"], "genres": ["War|Drama", "War"]})
    path = tmp_path / name
    writers = {"csv": "write_csv", "parquet": "write_parquet", "ndjson": "write_ndjson", "arrow": "write_ipc"}
    if name.endswith(".dat"):
        path.write_text("".join("::".join(row) + "\n" for row in frame.rows()))
    else:
        getattr(frame, writers[path.suffix[1:]])(path)
    items = read_catalogue(path)
    assert items.item.tolist() == ["007", "08"]
    assert dense(items.features("topics")).tolist() == [[1, 1], [0, 1]]
    assert read_catalogue(frame).features("topics").names == ("Drama", "War")


def test_an_item_given_twice_is_told():
    with pytest.raises(rw.RankwellError, match="row 2: item 'a' is repeated"):
        read_catalogue([{"item": "a", "genres": "x"}, {"item": "a", "genres": "y"}])


def test_train_may_have_other_items_only_if_the_policy_says_so():
    run, train = {"u": ["a", "b"]}, {"u": ["a", "z"], "v": ["b"]}
    items = [{"item": "a", "topics": "x"}, {"item": "b", "topics": "y"}]
    metrics = ["recsys@2"]
    with pytest.raises(rw.RankwellError, match=r"train: item 'z' is not in the catalogue \(1 such pairs\)"):
        rw.evaluate(run, {"u": {"a": 1}}, [*metrics, "arp@2"], items=items, train=train)
    res = rw.evaluate(
        run, {"u": {"a": 1}}, ["arp@2"], items=items, train=train, policy=rw.Policy(outside="ignore")
    )
    assert res.counts["training pairs outside the catalogue"] == 1
    with pytest.raises(rw.RankwellError, match="arp@2 needs the training data: give train="):
        rw.evaluate(run, {"u": {"a": 1}}, ["arp@2"], items=items)


def test_results_beside_different_training_data_do_not_add():
    def part(user, train):
        return rw.evaluate({user: ["a", "b"]}, metrics=["msi@2"], train=train)

    train = {"u": ["a"], "v": ["b", "a"]}
    both = part("u", train) + part("v", train)
    assert (
        both["msi@2"]
        == rw.evaluate({"u": ["a", "b"], "v": ["a", "b"]}, metrics=["msi@2"], train=train)["msi@2"]
    )
    with pytest.raises(rw.RankwellError, match="cannot add results with different training data"):
        part("u", train) + part("v", {"u": ["b"], "v": ["b", "a"]})


def test_words_are_those_of_a_plain_loop_however_they_are_spelt():
    draw = random.Random(7)
    spelt = ["War", " War", "War ", "Drama", "", "  ", "É", "日本", None]
    for _ in range(100):
        lists = [
            None if draw.random() < 0.2 else [draw.choice(spelt) for _ in range(draw.randint(0, 5))]
            for _ in range(draw.randint(0, 9))
        ]
        read = [
            list(dict.fromkeys(word.strip() for word in each or () if word and word.strip()))
            for each in lists
        ]
        found = features_of(pl.DataFrame({"x": pl.Series(lists, dtype=pl.List(pl.String))}), "x", "items")
        assert found.names == tuple(sorted({word for each in read for word in each}, key=str.encode))
        places, codes, values = found.entries(np.arange(len(lists)))
        assert [[found.names[code] for code in codes[places == row]] for row in range(len(lists))] == read
        assert values.tolist() == [1.0] * len(codes)
