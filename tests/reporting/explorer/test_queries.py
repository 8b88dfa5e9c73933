"""Which queries of many the explorer keeps: the extreme ones, against sorting everything."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankwell.reporting.explorer import best_systems, choose_queries, room_for


def drawn(systems, queries, seed=0):
    draw = np.random.default_rng(seed)
    return draw.random((systems, queries)), draw.integers(0, 2**63, queries).astype(np.uint64)


@pytest.mark.parametrize("systems", [1, 2, 3, 8])
def test_the_largest_differences_of_each_pair_and_the_best_and_worst_are_kept(systems):
    values, units = drawn(systems, 5000)
    room = room_for(systems, 10)
    found = choose_queries(values, units, room)
    kept = np.concatenate(list(found.values()))
    assert len(kept) == len(set(kept.tolist())) == room
    for a, b in combinations(range(systems), 2):
        order = np.argsort(values[b] - values[a])
        assert {order[0], order[-1]} <= set(kept)
    for own in values:
        assert {own.argmin(), own.argmax()} <= set(kept)
    if systems > 1:
        turns = room * 0.6 / (systems * (systems - 1))
        for a, b in combinations(range(systems), 2):
            order = np.argsort(values[b] - values[a])
            assert set(order[: int(turns)]) | set(order[-int(turns) :]) <= set(kept)


def test_all_are_kept_where_they_fit_and_else_only_those_with_a_value():
    values, units = drawn(2, 200)
    values[:, :50] = np.nan
    assert choose_queries(values, units, 200)["all"].tolist() == list(range(200))
    assert choose_queries(values, units, 150)["all"].tolist() == list(range(50, 200))
    some = np.concatenate(list(choose_queries(values, units, 100).values()))
    assert some.min() >= 50


def test_the_choice_depends_on_no_order_of_the_queries():
    values, units = drawn(2, 1000)
    values = values.round(1)  # many ties
    turned = np.random.default_rng(1).permutation(1000)
    first, second = choose_queries(values, units, 60), choose_queries(values[:, turned], units[turned], 60)
    for why, places in first.items():
        assert sorted(places) == sorted(turned[second[why]])


def test_random_queries_are_spread_over_all():
    values = np.zeros((2, 100_000))
    units = np.arange(100_000, dtype=np.uint64)
    found = choose_queries(values, units, 200)
    assert {why: len(places) for why, places in found.items()} == {
        "difference": 0,
        "extreme": 160,
        "random": 40,
    }
    tenths = np.bincount(found["random"] // 10_000, minlength=10)
    assert tenths.max() <= 10


def test_undefined_values_are_neither_the_best_nor_the_worst_while_others_are_there():
    values, units = drawn(2, 1000)
    values[0, ::2] = np.nan
    found = choose_queries(values, units, 60)
    assert {np.nanargmin(values[0]), np.nanargmax(values[0])} <= set(np.concatenate(list(found.values())))
    assert not np.isnan(values[:, found["difference"]]).any()


def test_the_baseline_is_kept_and_the_order_given():
    assert best_systems([2, 0, 1], None) == [0, 1, 2]
    assert best_systems(list(range(20)), 19) == [0, 1, 2, 3, 4, 5, 6, 19]
