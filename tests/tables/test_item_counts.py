"""States: sums that do not depend on how queries were cut into batches, and hold no more than what was shown."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.metrics.beyond.catalogue import WeightedCounts
from rankwell.results.part import Part
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked
from rankwell.tables.states import SMALL, ByItem, ItemCounts, ItemSums

CATALOGUE = 100_000_000


def lists_of(items: list[list[int]]) -> SimpleNamespace:
    """Judged lists, as far as metrics of counts read them."""
    query = np.repeat(np.arange(len(items)), [len(each) for each in items])
    rank = np.concatenate([np.arange(1, len(each) + 1) for each in items])
    shown = Ranked(len(items), query, rank, np.full(len(rank), np.nan), item=np.concatenate(items))

    class Lists(SimpleNamespace):
        def __len__(self) -> int:
            return len(items)

        def once(self, function, *objects):
            return function(self, *objects)

    return Lists(shown=shown)


def random_lists(seed: int, size: int) -> list[list[int]]:
    draw = np.random.default_rng(seed)
    return [draw.choice(size, draw.integers(1, 9), replace=False).tolist() for _ in range(60)]


OF_COUNTS = ("coverage@5", "coverage(users=7)@5", "prediction_coverage", "gini@5", "gini_m1@5", "gini_diversity@5",
             "entropy@5", "entropy_norm@5", "effective_items@5", "simpson@5", "personalization@5",
             "personalization(similarity=shared)@5", "personalization(similarity=overlap)@5",
             "personalization(similarity=jaccard)@5")  # fmt: skip


@pytest.mark.parametrize("name", OF_COUNTS)
def test_a_catalogue_of_a_hundred_million_items_takes_no_more_room_than_what_is_shown(name):
    metric, context = metric_of(name), SimpleNamespace(catalogue=range(CATALOGUE), items=None)
    batches = [lists_of(random_lists(seed, CATALOGUE)) for seed in range(8)]
    metric.value(metric.state(batches[0], context))  # modules that are imported at the first call
    tracemalloc.start()
    states = [metric.state(batch, context) for batch in batches]
    total = states[0]
    for state in states[1:]:
        total = total + state
    value = metric.value(total)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0 <= value < math.inf
    assert total.n == 480
    assert peak < 3_000_000
    assert len(pickle.dumps(total)) < 100_000


@pytest.mark.parametrize("size", [50, SMALL, SMALL + 1, (1 << 16) + 1])
@pytest.mark.parametrize("name", OF_COUNTS)
def test_batches_of_any_size_give_the_value_of_all_lists_at_once(name, size):
    metric, context = metric_of(name), SimpleNamespace(catalogue=range(size), items=None)
    lists = random_lists(size, size)
    whole = metric.value(metric.state(lists_of(lists), context))
    for step in (1, 7):
        parts = [lists_of(lists[low : low + step]) for low in range(0, len(lists), step)]
        total = metric.state(parts[0], context)
        for part in parts[1:]:
            total = metric.state(part, context) + total
        assert metric.value(total) == whole


def test_counts_are_those_of_a_plain_loop_however_they_are_kept():
    draw = np.random.default_rng(5)
    for size in (10, SMALL, SMALL + 1, 10 * SMALL, CATALOGUE):
        batches = [draw.integers(0, size, many) for many in (3, 40_000, 1, 0, 200)]
        total = ItemCounts.of(batches[0], size, 1)
        for batch in batches[1:]:
            total = total + ItemCounts.of(batch, size, 1)
        counted: dict[int, int] = {}
        for item in np.concatenate(batches).tolist():
            counted[item] = counted.get(item, 0) + 1
        assert dict(zip(total.items.tolist(), total.counts.tolist(), strict=True)) == counted
        assert total.items.tolist() == sorted(counted)
        assert (total.n, total.size) == (5, size)


@pytest.mark.parametrize("name", OF_COUNTS)
def test_a_sum_of_parts_leaves_the_parts_as_they_were_and_is_that_of_adding_states(name):
    metric, context, none = (
        metric_of(name),
        SimpleNamespace(catalogue=range(2 * SMALL), items=None),
        np.empty(0, np.int64),
    )
    lists = random_lists(8, 2 * SMALL) + [list(range(many, many + SMALL // 2)) for many in (0, 99)]
    states = [metric.state(lists_of(lists[low : low + 7]), context) for low in range(0, len(lists), 7)]
    before = pickle.dumps(states)
    total = sum(states[1:], start=states[0])
    ids = Ids.of_integers(none)
    for order in (states, states[::-1]):
        whole = Part.sum(Part(ids, none, states={metric: state}) for state in order)
        assert metric.value(whole.states[metric]) == metric.value(total)
        assert whole.states[metric].n == total.n
    assert pickle.dumps(states) == before


@pytest.mark.parametrize("name", OF_COUNTS[:-1])
def test_states_cut_by_item_give_the_value_of_the_whole_whatever_the_ranges(name):
    """Against the states of all items: dense and sparse ones, batches with lists of one length and of several."""
    metric = metric_of(name)
    for size, ranges in ((40, (1, 3, 40)), (3 * SMALL, (2, 7)), (CATALOGUE, (1, 96))):
        context = SimpleNamespace(catalogue=range(size), items=None)
        batches = [random_lists(seed, size) for seed in range(3)] + [[[1, 2], [2, 3]]]
        states = [metric.state(lists_of(batch), context) for batch in batches]
        assert all(isinstance(state, ByItem) for state in states)
        for many in ranges:
            ends = [size * nth // many for nth in range(many + 1)]
            parts = [
                sum([state.cut(*each) for state in states[1:]], start=states[0].cut(*each)).folded()
                for each in pairwise(ends)
            ]
            folded = parts[0]
            for part in parts[1:]:
                folded = folded.beside(part)
            assert metric.value(folded) == metric.value(sum(states[1:], start=states[0]))
            assert len(pickle.dumps(folded)) < 2_000
            with pytest.raises(rw.RankwellError, match="were added up there by item"):
                folded + folded


def test_sums_in_halves_are_those_of_whole_numbers_however_they_are_kept():
    draw = np.random.default_rng(6)
    for size in (20, 3 * SMALL, CATALOGUE):
        rows, wholes = draw.integers(0, size, 500), draw.integers(0, 1 << 52, 500)
        total = ItemSums.in_halves(rows[:400], wholes[:400], size) + ItemSums.in_halves(
            rows[400:], wholes[400:], size
        )
        items, (upper, lower) = total.shown()
        sums = {
            item: (int(up) << 26) + int(low)
            for item, up, low in zip(items.tolist(), upper, lower, strict=True)
        }
        expected: dict[int, int] = {}
        for item, whole in zip(rows.tolist(), wholes.tolist(), strict=True):
            expected[item] = expected.get(item, 0) + whole
        assert sums == expected


def test_weights_of_items_are_those_of_the_union_of_all_batches():
    items = [
        {"item": name, "weight": weight} for name, weight in zip("abcde", (5, 1, 2, 0.5, 4), strict=True)
    ]
    run = {"u": ["a", "b"], "v": ["b", "d"], "w": ["e"]}
    whole = rw.evaluate(run, metrics=["coverage(weights=weight)@2"], items=items).mean
    parts = [
        rw.evaluate({u: own}, metrics=["coverage(weights=weight)@2"], items=items) for u, own in run.items()
    ]
    assert whole == (parts[0] + parts[1] + parts[2]).mean == {"coverage(weights=weight)@2": 10.5 / 12.5}


@pytest.mark.parametrize("size", [300, 3 * SMALL])
def test_weights_of_items_stay_with_them_in_sums_of_dense_and_sparse_counts(size):
    """Against a loop over sets; parts are left as they were."""
    draw = np.random.default_rng(size)
    weights, lists = draw.random(size), [draw.integers(0, size, many) for many in (5, SMALL, 1, 40_000, 9)]
    states = [WeightedCounts.of(ItemCounts.of(rows, size, 1), weights, float(size)) for rows in lists]
    before, ids, none = pickle.dumps(states), Ids.of_integers(np.empty(0, np.int64)), np.empty(0, np.int64)
    metric = metric_of("coverage(weights=w)")
    for order in (states, states[::-1], states[2:] + states[:2]):
        total = Part.sum(Part(ids, none, states={metric: state}) for state in order).states[metric]
        shown = sorted(set(np.concatenate(lists).tolist()))
        assert total.weights.tolist() == weights[shown].tolist()
        assert metric.value(total) == math.fsum(weights[shown].tolist()) / size
    assert pickle.dumps(states) == before


def test_shares_of_judged_items_are_those_of_the_union_of_all_batches():
    items, qrels = list("abcde"), {"u": {"a": 1, "c": 0}, "v": {"e": 1}}
    run = {"u": ["a", "b"], "v": ["a", "c", "d"]}
    whole = rw.evaluate(run, qrels, ["test_share@3"], items=items)
    parts = [
        rw.evaluate({u: own}, qrels, ["test_share@3"], items=items, policy=rw.Policy(missing="skip"))
        for u, own in run.items()
    ]
    assert whole["test_share@3"] == (parts[0] + parts[1])["test_share@3"] == 2 / 4
