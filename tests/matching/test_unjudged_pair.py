"""Runs among the items of a pool: their lists and weights against plain loops, and what is cached of each run."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import rankwell as rw
from rankwell.evaluation.bounds import PairBounds
from rankwell.metrics import bounds, metric_of
from rankwell.readers import open_run

METRICS = ("ndcg@3", "ndcg", "rbp", "ap", "rr", "hit@2", "p@3", "err", "f(denom=n)@3", "p(denom=n)@3")


def made(seed, runs=4, queries=5, items=9, missing="empty"):
    """Some runs, of which some lack a query, as matched pairs."""
    draw = random.Random(seed)
    names = [f"i{at}" for at in range(items)]
    asked = [f"q{at}" for at in range(queries)]
    qrels = {
        q: {item: draw.randint(0, 2) for item in draw.sample(names, 4)} | {"elsewhere": 1} for q in asked
    }
    own = {
        f"r{at}": {
            q: draw.sample(names, draw.randint(1, items)) for q in draw.sample(asked, queries - at % 2)
        }
        for at in range(runs)
    }
    opened = {name: open_run(lists) for name, lists in own.items()}
    policy = rw.Policy(missing=missing)
    evaluator = rw.Evaluator(qrels, METRICS, bounds=True, pool="all", grades="judgements", policy=policy)
    return own, PairBounds.of(evaluator.plan.for_runs([*opened.values()]).bounds, opened)


def test_a_side_holds_the_lists_of_its_run():
    for seed in range(10):
        own, pairs = made(seed)
        queries = pairs.pool.queries.ids.tolist()
        for name, lists in own.items():
            side = pairs.sides[name]
            items, unjudged = side.items, side.unjudged
            rows = list(zip(unjudged.rows.query, unjudged.rows.rank, unjudged.rows.grade, strict=True))
            told, outside = [], np.zeros(len(queries))
            for at, query in enumerate(queries):
                span = range(*items.pool.offsets[at : at + 2])
                grades = {items.pool.items.one(row): items.grade[row] for row in span}
                listed = lists.get(query, [])
                told += [(at, rank, grades[item]) for rank, item in enumerate(listed, 1)]
                outside[at] = sum(np.isnan(grade) and item not in listed for item, grade in grades.items())
            assert np.array_equal(np.array(rows), np.array(told), equal_nan=True)
            assert unjudged.outside.tolist() == outside.tolist()


@pytest.mark.parametrize("metric", ["ndcg@3", "rbp"])
def test_weights_of_the_rows_that_differ_are_those_of_all_rows(metric):
    metric = metric_of(metric)
    for seed in range(10):
        _, pairs = made(seed)
        dense = []
        for side in pairs.sides.values():
            is_listed = (side.ranks > 0) & (side.ranks <= (metric.k or 99))
            dense.append(np.where(is_listed, metric.weights_of(np.maximum(side.ranks, 1)), 0.0))
        for (one, first), (other, second) in itertools.combinations(
            zip(pairs.sides.values(), dense, strict=True), 2
        ):
            rows, weight = bounds._differing(bounds._weights(one, metric), bounds._weights(other, metric))
            assert rows.tolist() == np.flatnonzero((first > 0) | (second > 0)).tolist()
            assert weight.tolist() == (first - second)[rows].tolist()


@pytest.mark.parametrize("missing", ["empty", "skip"])
def test_a_pair_has_the_same_bounds_after_other_pairs_as_alone(missing):
    for seed in range(5):
        _, together = made(seed, missing=missing)
        for first, second in itertools.permutations(together.sides, 2):
            _, alone = made(seed, missing=missing)
            found, told = together.differences(first, second), alone.differences(first, second)
            assert [*found] == [*told]
            for metric, own in found.items():
                assert all(map(np.array_equal, own, told[metric], [True] * 6)), (metric, seed)


def test_no_lists_are_held_once_a_pair_has_bounds():
    _, pairs = made(0)
    pairs.differences("r0", "r1")
    assert all(side._unjudged is None for side in pairs.sides.values())
