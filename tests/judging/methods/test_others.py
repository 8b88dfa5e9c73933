"""Hedge, move-to-front, bandits and depth pooling against plain loops."""

from __future__ import annotations

import pytest
from tests.judging import slow

import rankwell as rw

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_hedge_asks_for_the_item_that_would_cost_most(seed):
    lists, grades = slow.worlds(seed, runs=5)
    chooser, other = rw.judging.Chooser(lists, method="hedge"), slow.Hedge(lists)
    while (pick := chooser.next()) is not None:
        query = other.query()
        scores = other.scores(query)
        assert pick.query == query
        assert pick.weight == pytest.approx(max(scores.values()), abs=1e-12)
        assert scores[pick.item] == pytest.approx(pick.weight, abs=1e-12)
        grade = grades[query, pick.item]
        chooser.tell(query, pick.item, grade)
        other.told.append((query, pick.item, grade))
    assert other.query() is None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["mtf", "mm", "mm_ns", "bla"])
def test_methods_that_choose_a_run_follow_their_rule(seed, method):
    lists, grades = slow.worlds(seed, runs=5, items=14, length=10)
    chooser = rw.judging.Chooser(lists, method=method, seed=seed)
    other = slow.MoveToFront(lists) if method == "mtf" else slow.Bandit(lists, method, seed)
    n = 0
    while (pick := chooser.next()) is not None:
        query, item, run = other.choose()
        assert (pick.query, pick.item) == (query, item)
        chooser.tell(query, item, grades[query, item])
        other.tell(query, item, grades[query, item], run)
        n += 1
    assert other.choose() is None
    assert n == len(slow.candidates(lists))


@pytest.mark.parametrize("seed", SEEDS)
def test_depth_pooling_goes_down_all_lists_at_once(seed):
    lists, _ = slow.worlds(seed)
    best = {
        (query, item): min(slow.rank_of(lists, run, query, item) for run in lists)
        for query, item in slow.candidates(lists)
    }
    chosen = rw.judging.next(lists, method="depth", budget=1000)
    ranks = [best[pick.query, pick.item] for pick in chosen]
    assert ranks == sorted(best.values())
    assert [pick.weight for pick in chosen] == pytest.approx([1 / rank for rank in ranks])


def test_move_to_front_stays_with_a_run_while_it_finds_relevant_items():
    lists = {"one": {"q": ["a", "b", "c", "d"]}, "two": {"q": ["w", "x", "y", "z"]}}
    chooser = rw.judging.Chooser(lists, method="mtf")
    asked = []
    for grade in (1, 1, 0, 0, 1, 0):
        asked.append(chooser.next().item)
        chooser.tell("q", asked[-1], grade)
    # one: a b relevant, c not; two: w not; both at -1, so one again: d relevant, and then it is out of items
    assert asked == ["a", "b", "c", "w", "d", "x"]


def test_judgements_from_before_count_for_the_run_that_ranks_them_best():
    lists = {"one": {"q": ["a", "b", "c"]}, "two": {"q": ["x", "a", "y"]}}
    chooser = rw.judging.Chooser(lists, {"q": {"a": 0}}, method="mtf")
    assert chooser.next().item == "x"  # `one` has lost its place in front
