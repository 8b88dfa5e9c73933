"""Values without each part of the lists: those of an evaluation without it, and no work that the whole catalogue costs."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from tests.every import every

import rankwell as rw
from rankwell.comparison.jackknife import lists_of_run, sizes_of, values_without
from rankwell.tables.states import Divisible, ItemCounts, ItemSums

BY_DIFFERENCE = ["coverage@3", "coverage(users=3)@3", "coverage(weights=price)@3", "coverage(users=3,weights=price)@3",
                 "prediction_coverage", "test_share@3", "gini@3", "gini_m1@3", "gini_diversity@3", "entropy@3",
                 "entropy_norm@3", "effective_items@3", "simpson@3", "topic_coverage@3", "tail_coverage(at=.5)@3",
                 "personalization", "personalization@2", "personalization(similarity=shared)@3"]  # fmt: skip
CARRIED = [
    "personalization(similarity=overlap)@3",
    "personalization(similarity=jaccard)@3",
    "delta_gap@3",
    "pop_rsp@3",
]
ITEMS = [f"i{number:02}" for number in range(30)]


def drawn(seed: int, users: int = 9, longest: int = 6) -> dict[str, list[str]]:
    draw = random.Random(seed)
    return {f"u{user}": draw.sample(ITEMS, draw.randint(1, longest)) for user in range(users)}


def evaluator(seed: int, metrics: list[str], run: dict[str, list[str]]) -> rw.Evaluator:
    draw = random.Random(seed)
    table = [
        {"item": item, "price": draw.choice([0.1, 0.7, 3.0, 1e-9]), "topics": draw.choice("abc")}
        for item in ITEMS
    ]
    train = {user: dict.fromkeys(draw.sample(ITEMS, 5), 1) for user in run}
    return rw.Evaluator(
        {user: {ITEMS[0]: 1, ITEMS[4]: 1} for user in run}, metrics, items=table, train=train, missing="skip"
    )


def without_each(ev: rw.Evaluator, run: dict[str, list[str]], parts: int) -> list[list[float]]:
    side = lists_of_run(ev.task, rw.read_run(run))
    return list(values_without([side], [side.whole()], parts))


@every("metric", [*BY_DIFFERENCE, *CARRIED])
def test_a_value_without_a_list_is_that_of_the_other_lists_to_the_last_bit(metric):
    for seed in range(8):
        run = drawn(seed, longest=3 if seed % 2 else 6)
        ev = evaluator(seed, [metric], run)
        values = without_each(ev, run, len(run))
        for user, (value,) in zip(run, values, strict=True):
            rest = {other: items for other, items in run.items() if other != user}
            assert value == pytest.approx(ev.evaluate(rest)[metric], abs=0, rel=0, nan_ok=True)


@every("metric", BY_DIFFERENCE)
def test_a_value_without_several_lists_is_that_of_the_other_lists(metric):
    run = drawn(20, users=12)
    ev = evaluator(20, [metric], run)
    for part, (value,) in enumerate(without_each(ev, run, 4)):
        rest = {user: run[user] for at, user in enumerate(run) if at // 3 != part}
        assert value == ev.evaluate(rest)[metric]


@pytest.mark.parametrize("parts", [2, 5, 12])
def test_groups_of_users_in_any_order_are_left_out_of_both_runs(parts):
    metrics = ["coverage@3", "gini@3", "delta_gap@3"]
    first, second = drawn(30, users=12), drawn(31, users=12)
    second = dict(random.Random(0).sample([*second.items()], 12))
    ev = evaluator(30, metrics, first)
    sides = [lists_of_run(ev.task, rw.read_run(run)) for run in (first, second)]
    sides[1] = sides[1].beside(sides[0])
    order = np.random.default_rng(1).permutation(12)
    sides = [side.take(order) for side in sides]
    found = list(values_without(sides, [side.whole() for side in sides], parts))
    users = iter(np.array([*first])[order].tolist())
    groups = [[next(users) for _ in range(size)] for size in sizes_of(12, parts)]
    for group, values in zip(groups, found, strict=True):
        rest = [{user: run[user] for user in run if user not in group} for run in (first, second)]
        told = [ev.evaluate(run) for run in rest]
        assert values == [told[0][metric] - told[1][metric] for metric in metrics]


def test_lists_of_groups_are_together_in_the_order_that_they_had():
    run = drawn(7)
    side = lists_of_run(evaluator(7, ["coverage@3"], run).task, rw.read_run(run))
    order = np.random.default_rng(2).permutation(9)
    side = side.take(order).in_groups([2, 3, 4])
    users, lists = np.array([*run]), side.judged.queries.tolist()
    ends = [0, 2, 5, 9]
    assert lists == [
        user for low, high in itertools.pairwise(ends) for user in sorted(users[order[low:high]])
    ]
    assert np.array(lists)[side.place].tolist() == users[order].tolist()
    few = side.between(2, 5)
    assert np.array(few.judged.queries.tolist())[few.place].tolist() == users[order[2:5]].tolist()
    assert few.judged.shown.count().tolist() == [min(len(run[user]), 3) for user in lists[2:5]]


def test_nothing_is_added_up_again_for_metrics_of_counts(monkeypatch):
    run = drawn(3)
    ev = evaluator(3, BY_DIFFERENCE, run)
    monkeypatch.setattr(ItemSums, "__add__", None)
    assert np.isfinite(without_each(ev, run, len(run))).all()


def test_taking_a_list_out_reads_only_the_items_of_the_list():
    size = 1 << 16
    whole = ItemCounts.of(np.repeat(np.arange(size), 3), size, n=3)
    part = ItemCounts.of(np.array([5, 9]), size, n=1)
    assert isinstance(whole, Divisible)
    _ = whole.alike
    read: list[int] = []

    class Watched(np.ndarray):
        def __getitem__(self, at):
            found = np.asarray(self).__getitem__(at)
            read.append(found.size)
            return found

    object.__setattr__(whole.sums, "numbers", whole.sums.numbers.view(Watched))
    assert whole.without(part).alike.tolist() == [0, 0, 2, size - 2]
    assert read == [2]
