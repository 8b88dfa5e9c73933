"""MTC: weights as the definition gives them, at every step of a sequence of answers."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from tests.judging import slow

import rankwell as rw
from rankwell.judging.methods.mtc import spread_of_lists, spread_of_pairs
from rankwell.judging.pools import Block

DISCOUNTS = {
    "p@3": (lambda _: 1 / 3, 3),
    "dcg@4": (lambda rank: 1 / math.log2(rank + 1), 4),
    "dcg": (lambda rank: 1 / math.log2(rank + 1), None),
    "cg@2": (lambda _: 1.0, 2),
    "rbp(p=0.7)": (lambda rank: 0.3 * 0.7 ** (rank - 1), None),
}


class Plain(slow.Turns):
    metrics = ("ap", "ap@3", *DISCOUNTS)

    def weights(self) -> dict[tuple[str, str], float]:
        """The weights of the items of all queries that move anything."""
        told = {(query, item): grade for query, item, grade in self.told}
        found = {pair: self.weight(told, *pair) for pair in slow.candidates(self.lists) - told.keys()}
        return {pair: weight for pair, weight in found.items() if weight > 1e-12}

    def weight(self, told: slow.Grades, query: str, item: str) -> float:
        if self.metric in DISCOUNTS:
            return slow.mtc_linear(self.lists, query, item, *DISCOUNTS[self.metric])
        return slow.mtc_ap(self.lists, told, query, item, 3 if "@" in self.metric else None)


def weights(chooser: rw.judging.Chooser) -> dict[tuple[str, str], float]:
    pooled = chooser.pooled
    queries, items = pooled.queries[pooled.query].tolist(), pooled.catalogue[pooled.item].tolist()
    return dict(zip(zip(queries, items, strict=True), chooser.method.weight.tolist(), strict=True))


@pytest.mark.parametrize("runs", [1, 2, 5])
@pytest.mark.parametrize("k", [None, 3])
def test_weights_of_ap_are_those_of_every_pair_of_runs_and_items(runs, k):
    lists, grades = slow.worlds(runs, runs=runs)
    aim = {1: "mean", 2: "difference"}.get(runs, "order")
    chooser = rw.judging.Chooser(lists, aim=aim, metric="ap" if k is None else f"ap@{k}")
    told: slow.Grades = {}
    rng = random.Random(runs)
    for step in range(12):
        found = weights(chooser)
        for query, item in slow.candidates(lists) - told.keys():
            assert found[query, item] == pytest.approx(slow.mtc_ap(lists, told, query, item, k), abs=1e-12)
        pick = chooser.next()
        if step % 3 == 2 or pick is None:  # now and then an item that was not asked for
            left = sorted(slow.candidates(lists) - told.keys())
            if not left:
                break
            query, item = rng.choice(left)
        else:
            query, item, weight = pick
            assert weight == pytest.approx(max(found[each] for each in slow.candidates(lists) - told.keys()))
        told[query, item] = grades[query, item]
        chooser.tell(query, item, grades[query, item])


@pytest.mark.parametrize("metric", DISCOUNTS)
def test_weights_of_sums_are_differences_of_discounts_over_all_pairs(metric):
    discount, k = DISCOUNTS[metric]
    for seed in range(5):
        lists, _ = slow.worlds(seed)
        for (query, item), weight in weights(rw.judging.Chooser(lists, metric=metric)).items():
            assert weight == pytest.approx(slow.mtc_linear(lists, query, item, discount, k), abs=1e-12)


def test_an_answer_moves_the_sum_of_precisions_by_what_a_weight_says():
    """c_ii + Σ c_ij is the difference that a relevant answer makes, by the definition of AP itself."""
    lists, grades = slow.worlds(7, runs=2, queries=1)
    told = {pair: grade for at, (pair, grade) in enumerate(sorted(grades.items())) if at % 2}
    relevant = {item for (_, item), grade in told.items() if grade > 0}
    one, other = (each["q0"] for each in lists.values())
    for query, item in slow.candidates(lists) - told.keys():
        more = relevant | {item}
        moved = [
            slow.sum_of_precisions(listed, more) - slow.sum_of_precisions(listed, relevant)
            for listed in (one, other)
        ]
        everything = more | {i for _, i in slow.candidates(lists) - told.keys()}
        lost = [
            slow.sum_of_precisions(listed, everything) - slow.sum_of_precisions(listed, everything - {item})
            for listed in (one, other)
        ]
        expected = max(abs(moved[0] - moved[1]), abs(lost[0] - lost[1])) / max(len(relevant), 1)
        chooser = rw.judging.Chooser(lists, {query: {i: g for (_, i), g in told.items()}}, aim="difference")
        assert weights(chooser)[query, item] == pytest.approx(expected, abs=1e-12)


def test_relevant_items_that_no_run_lists_count_in_r():
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}}
    plain = rw.judging.Chooser(runs).next()
    more = rw.judging.Chooser(runs, {"q": {"x": 1, "y": 1}}).next()
    assert (plain.item, more.item) == ("a", "a")
    assert more.weight == pytest.approx(plain.weight / 2)


def test_items_that_all_runs_list_alike_are_not_asked_for():
    runs = {"one": {"q": ["a", "b", "c"]}, "two": {"q": ["a", "b", "d"]}}
    assert {pick.item for pick in rw.judging.next(runs, metric="p@3")} == {"c", "d"}


def test_equal_weights_are_dealt_to_the_queries_in_turn():
    runs = {"one": {q: [f"{q}a", f"{q}b"] for q in "xyz"}, "two": {q: [f"{q}c", f"{q}d"] for q in "xyz"}}
    assert [pick.query for pick in rw.judging.next(runs, metric="p@2", budget=6)] == [*"xyz", *"xyz"]


def test_differences_of_all_pairs_are_those_of_a_double_loop():
    values = np.random.default_rng(0).normal(size=(50, 7))
    slowly = [sum(abs(a - b) for at, a in enumerate(row) for b in row[at + 1 :]) for row in values.tolist()]
    assert spread_of_pairs(values) == pytest.approx(slowly)


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_candidates_in_one_list_and_in_several_are_spread_as_a_whole_table_is(runs):
    rng = np.random.default_rng(runs)
    lists = np.array([rng.permutation(30)[:9] for _ in range(runs)])
    lists[-1, 6:] = 30  # a shorter list, padded
    block = Block(np.arange(runs), lists, np.where(lists < 30, np.arange(1.0, 10), np.inf), 30)
    values = np.where(lists < 30, rng.normal(size=lists.shape), 0.0)
    assert np.array_equal(spread_of_lists(block, values, runs), spread_of_pairs(block.by_run(values, runs)))
