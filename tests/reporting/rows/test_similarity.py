"""The matrices of a few lists."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from tests.definitions.worked import examples
from tests.reporting.plots.pictures import ITEMS, RUNS

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.readers import read_run
from rankwell.readers.items_users import read_catalogue
from rankwell.reporting.rows.similarity import lists_of, of_items, of_users

DATA = examples()["rs.data"]["input"]
FEATURES = [{"item": item, "x": x, "y": y, "z": z} for item, (x, y, z) in DATA["features"].items()]


def test_lists_are_as_similar_as_in_the_worked_example():
    found = of_users(DATA["recs"])
    pairs = {
        "u1-u2": 0.666667,
        "u1-u3": 0.333333,
        "u1-u4": 0.816497,
        "u2-u3": 0.333333,
        "u2-u4": 0.408248,
        "u3-u4": 0.0,
    }
    for (a, first), (b, second) in combinations(enumerate(DATA["recs"]), 2):
        assert found.similar[a, b] == pytest.approx(pairs[f"{first}-{second}"], abs=1e-6)
    assert 1 - found.mean == pytest.approx(examples()["rs.personalization"]["expected"], abs=1e-12)


@pytest.mark.parametrize("user", ["u1", "u2", "u3", "u4"])
def test_items_are_as_similar_as_in_the_worked_example(user):
    found = of_items(DATA["recs"][user], read_catalogue(FEATURES), "numeric")
    assert found.mean == pytest.approx(examples()["rs.ils_per_user"]["expected"][user], abs=1e-12)


def test_matrices_of_real_lists_are_those_of_a_plain_loop_and_of_the_metrics():
    lists = lists_of(read_run(RUNS["itemknn"]), None, 10, 12)
    found = of_users(lists)
    listed = list(lists.values())
    for a, b in combinations(range(12), 2):
        shared = len(set(listed[a]) & set(listed[b]))
        assert found.similar[a, b] == pytest.approx(
            shared / math.sqrt(len(listed[a]) * len(listed[b])), abs=1e-12
        )
    res = rw.evaluate(dict(lists), metrics=["personalization@10"])
    assert 1 - found.mean == pytest.approx(res["personalization@10"], abs=1e-12)
    items = read_catalogue(ITEMS)
    for user, own in list(lists.items())[:3]:
        ils = rw.evaluate({user: own}, metrics=["ils"], items=ITEMS)["ils"]
        assert of_items(own, items, "topics").mean == pytest.approx(ils, abs=1e-12)


def test_cells_hold_the_rank_of_each_item_and_shared_items_come_first():
    found = of_users({"u": ["a", "b"], "v": ["c", "b"], "w": ["b"]})
    assert found.columns == ("b", "a", "c")
    assert set(found.cells) == {(0, 0, 2.0), (0, 1, 1.0), (1, 0, 2.0), (1, 2, 1.0), (2, 0, 1.0)}


def test_items_beyond_the_width_are_counted_and_still_compared():
    lists = {str(u): [f"{u}-{i}" for i in range(10)] for u in range(5)}
    found = of_users(lists)
    assert (len(found.columns), found.left_out) == (30, 20)
    assert np.allclose(found.similar, np.eye(5), atol=1e-15)


def test_lists_are_in_the_order_of_the_evaluation():
    run = {"u": {"a": 1.0, "b": 3.0, "c": 3.0}, "v": {"a": 1.0}}
    assert lists_of(read_run(run), "u", 2, 5) == {"u": ["c", "b"]}  # equal scores: the later id first
    assert lists_of(read_run({7: ["a"], 8: ["b"]}), 8, 10, 5) == {8: ["b"]}


def test_too_many_users_and_unknown_ones_are_refused():
    run = read_run({f"u{n}": ["a"] for n in range(30)})
    with pytest.raises(UsageError, match="at most 20"):
        lists_of(run, [f"u{n}" for n in range(21)], 10, 5)
    with pytest.raises(UsageError, match="is in neither"):
        lists_of(run, ["u99"], 10, 5)
    assert len(lists_of(run, None, 10, 5)) == 5


def test_same_titles_are_told_apart_by_their_ids():
    from rankwell.comparison.texts import texts_of_items

    texts = texts_of_items([{"item": "a", "title": "Film"}, {"item": "b", "title": "Film"}], None, None)
    assert of_users({"u": ["a", "b"]}, texts).columns == ("Film (a)", "Film (b)")
