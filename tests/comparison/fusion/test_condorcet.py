"""Condorcet: who beats whom, written out."""

from __future__ import annotations

import random

import pytest
from tests.comparison.fusion import plain
from tests.comparison.fusion.ranx import scores

import rankwell as rw
from rankwell.comparison.fusion import condorcet


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


def test_blocks_of_pairs_and_votes_of_more_runs_than_a_byte_counts_change_nothing(monkeypatch):
    rng = random.Random(5)
    items = [f"d{n}" for n in range(12)]
    runs = [{"q": {item: rng.random() for item in rng.sample(items, 8)}} for _ in range(7)]
    wanted = plain.fused(runs, "condorcet")["q"]
    for pairs, most in ((1, 100), (30, 100), (1 << 18, 3)):
        monkeypatch.setattr(condorcet, "PAIRS", pairs)
        monkeypatch.setattr(condorcet, "MOST", most)
        assert scores(rw.fuse(runs, "condorcet"))["q"] == pytest.approx(wanted)
