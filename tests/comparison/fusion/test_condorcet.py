"""Condorcet: who beats whom, written out."""

from __future__ import annotations

import random

import pytest
from tests.comparison.fusion import plain
from tests.comparison.fusion.ranx import scores

import rankwell as rw


def test_the_winner_of_every_pair_is_first():
    votes = [["a", "b", "c"]] * 3 + [["b", "c", "a"]] * 2 + [["c", "b", "a"]] * 1
    runs = {f"voter {n}": {"q": vote} for n, vote in enumerate(votes)}
    # a ties with b (3 : 3) and c (3 : 3); b beats c (5 : 1)
    assert scores(rw.fuse(runs, "condorcet"))["q"] == {"b": 1.5, "a": 1.0, "c": 0.5}


def test_in_a_circle_all_are_equal():
    runs = [{"q": ["a", "b", "c"]}, {"q": ["b", "c", "a"]}, {"q": ["c", "a", "b"]}]
    assert scores(rw.fuse(runs, "condorcet"))["q"] == {"a": 1.0, "b": 1.0, "c": 1.0}


def test_who_beats_all_of_a_group_comes_before_the_group_whatever_happens_inside():
    rng = random.Random(1)
    for _ in range(30):
        heads, tails = ["h1", "h2", "h3"], ["t1", "t2", "t3", "t4"]
        runs = [{"q": rng.sample(heads, 3) + rng.sample(tails, 4)} for _ in range(rng.randint(2, 5))]
        items = rw.fuse(runs, "condorcet").to_frame()["item"].to_list()
        assert {*items[:3]} == {*heads}


def test_a_list_has_its_items_above_all_that_it_lacks_and_no_opinion_on_two_that_it_lacks():
    runs = [{"q": ["a"]}, {"q": ["a"]}, {"q": ["b", "c"]}]
    assert scores(rw.fuse(runs, "condorcet"))["q"] == {"a": 2.0, "b": 1.0, "c": 0.0}


def test_weights_that_cancel_are_a_tie_in_spite_of_rounding():
    runs = [{"q": ["a", "b"]}, {"q": ["a", "b"]}, {"q": ["b", "a"]}]
    assert scores(rw.fuse(runs, "condorcet", weights=[0.1, 0.2, 0.3]))["q"] == {"a": 0.5, "b": 0.5}


def test_weights_that_differ_by_less_than_rounding_of_their_sum_tie():
    runs = [{"q": ["a", "b"]}, {"q": ["b", "a"]}]
    for above, wanted in ((1e-10, {"a": 0.5, "b": 0.5}), (1e-8, {"a": 1.0, "b": 0.0})):
        assert scores(rw.fuse(runs, "condorcet", weights=[1 + above, 1]))["q"] == wanted


def test_a_weight_of_next_to_nothing_decides_what_the_others_leave_open():
    runs = [{"q": ["a", "b"]}, {"q": ["b", "a"]}, {"q": ["b", "a"]}]
    # less than a unit, and less than the doubt of the units, but more than rounding
    for least in (2e-9, 3e-9, 1e-8):
        found = scores(rw.fuse(runs, "condorcet", weights=[0.5, 0.5, least]))["q"]
        assert found == ({"a": 0.0, "b": 1.0} if least > 1e-9 * (1 + least) else {"a": 0.5, "b": 0.5})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lists", [2, 3, 20, 130])
def test_many_lists_are_as_pair_by_pair(lists, weighted):
    rng = random.Random(lists)
    items = [f"d{n}" for n in range(14)]
    runs = [
        {
            query: {item: rng.random() for item in rng.sample(items, rng.randint(1, 14))}
            for query in ("q1", "q2", "q3")
            if query == "q3" or rng.random() < 0.8
        }
        for _ in range(lists)
    ]
    weights = [rng.choice([0.0, 0.1, 0.2, 0.3, 0.7, 1.1, 1 / 3]) for _ in runs] if weighted else None
    if weights:
        weights[0] = 0.1
    assert scores(rw.fuse(runs, "condorcet", weights=weights)) == plain.fused(
        runs, "condorcet", weights=weights
    )


@pytest.mark.parametrize("weights", [None, [0.1, 0.2, 0.3, 0.6], [3, 1, 1, 1], [1, 0, 0, 0]])
def test_two_hundred_candidates_are_as_pair_by_pair(weights):
    rng = random.Random(8)
    items = [f"d{n}" for n in range(200)]
    runs = [{"q": {item: rng.random() for item in rng.sample(items, length)}} for length in (200, 90, 1, 150)]
    assert scores(rw.fuse(runs, "condorcet", weights=weights)) == plain.fused(
        runs, "condorcet", weights=weights
    )


def test_lists_of_one_item_beat_only_what_they_lack():
    runs = [{"q": ["a"], "only": ["x"]}, {"q": ["b"]}, {"q": ["a"]}]
    found = scores(rw.fuse(runs, "condorcet"))
    assert found == {"q": {"a": 1.0, "b": 0.0}, "only": {"x": 0.0}}
    assert scores(rw.fuse(runs, "condorcet", weights=[0.1, 0.3, 0.2])) == {
        "q": {"a": 0.5, "b": 0.5},
        "only": {"x": 0.0},
    }
