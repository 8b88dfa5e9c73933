"""Places: all ranks, or so many that what is missed between them is known; against all ranks."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.judging import sampled_ranks as module
from rankwell.judging.sampled_ranks import Places, SampledRanks, groups_of, limits_for, places_for, spread_to

RANKS = np.arange(1, 601)
FUNCTIONS = {"hit@10": (RANKS <= 10) * 1.0, "rr": 1 / RANKS, "hit@77": (RANKS <= 77) * 1.0}


def test_few_ranks_are_all_places_and_nothing_is_missed():
    found = Places.of(600, 20, [*FUNCTIONS.values()], replace=False)
    assert np.array_equal(found.rank, RANKS)
    assert found.missed == 0.0
    assert found.share == pytest.approx(np.full(600, 1 / 600))
    assert all(found.missed_of(function) == 0.0 for function in FUNCTIONS.values())
    assert found.mean_of(FUNCTIONS["rr"]) == pytest.approx(FUNCTIONS["rr"])


def test_places_among_many_ranks_follow_every_step_of_a_metric(monkeypatch):
    monkeypatch.setattr(module, "MOST", 60)
    found = Places.of(600, 20, [*FUNCTIONS.values()], replace=False)
    assert 60 < len(found.rank) < 300
    assert {1, 10, 11, 77, 78, 600} <= {*found.rank.tolist()}
    for function in FUNCTIONS.values():
        assert found.missed_of(function) <= 1e-6
        assert found.share @ found.mean_of(function) == pytest.approx(function.mean())
    assert found.share.sum() == pytest.approx(1)


@pytest.mark.parametrize("replace", [False, True])
def test_bounds_from_some_ranks_hold_those_from_all_and_little_more(monkeypatch, replace):
    rng = np.random.default_rng(2)
    true = np.minimum(rng.geometric(0.01, 400), 600)
    counts = np.bincount(rng.hypergeometric(true - 1, 600 - true, 40), minlength=41)
    exact = SampledRanks(counts, Places.of(600, 40, [], replace=replace), 0.95, 0.01)
    monkeypatch.setattr(module, "MOST", 120)
    coarse = SampledRanks(counts, Places.of(600, 40, [*FUNCTIONS.values()], replace=replace), 0.95, 0.01)
    assert len(coarse.places.rank) < 400
    for function in FUNCTIONS.values():
        for one, other in zip(exact.estimates(function), coarse.estimates(function), strict=True):
            assert one.method == other.method
            assert other.value == pytest.approx(one.value, abs=0.01)
            assert other.bias == pytest.approx(one.bias, abs=0.04)
            if one.method == "stopped EM":
                assert other.low <= one.low + 1e-6
                assert other.high >= one.high - 1e-6


@pytest.mark.parametrize("candidates", [10_000, 1_000_000])
def test_a_million_ranks_need_few_places(candidates):
    every = np.arange(1, candidates + 1)
    found = places_for(candidates, [(every <= 10) * 1.0, 1 / np.log2(every + 1)])
    assert len(found) < 5000
    assert (found[0], found[-1]) == (1, candidates)


def test_amounts_are_divided_by_distance():
    assert spread_to(np.array([1, 5]), np.array([0, 0, 1.0, 4.0, 0])).tolist() == [1.5, 3.5]
    assert spread_to(np.array([1]), np.array([2.0])).tolist() == [2.0]


@pytest.mark.parametrize("negatives", [1, 2, 20, 100, 1000])
def test_limits_are_the_first_ranks_and_some_to_the_last(negatives):
    found = limits_for(negatives)
    assert found[: min(negatives, 16)].tolist() == [*range(min(negatives, 16))]
    assert found[-1] == negatives - 1
    assert len(found) <= 40


def test_groups_of_outcomes_change_estimates_little_and_leave_the_range(monkeypatch):
    rng = np.random.default_rng(4)
    true = np.minimum(rng.geometric(0.01, 400), 600)
    counts = np.bincount(rng.hypergeometric(true - 1, 600 - true, 300), minlength=301)
    each = SampledRanks(counts, Places.of(600, 300, [], replace=False), 0.95, 0.01)
    monkeypatch.setattr(module, "OUTCOMES", 60)
    grouped = SampledRanks(counts, Places.of(600, 300, [], replace=False), 0.95, 0.01)
    assert grouped.places.kernel.shape[1] < 61
    assert grouped.places.kernel.sum(axis=1) == pytest.approx(1)
    for one, other in zip(
        each.estimates(FUNCTIONS["hit@10"]), grouped.estimates(FUNCTIONS["hit@10"]), strict=True
    ):
        assert other.value == pytest.approx(one.value, abs=0.02)
        assert other.low <= (true <= 10).mean() <= other.high
        if one.method == "stopped EM":
            assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-6)


def test_parts_of_the_kernel_are_the_kernel(monkeypatch):
    whole = Places.of(100, 7, [], replace=False).kernel
    monkeypatch.setattr(module, "CELLS", 50)
    assert np.array_equal(Places.of(100, 7, [], replace=False).kernel, whole)


def test_all_outcomes_are_in_a_group():
    for outcomes in (5, 201, 5000, 100_001):
        found = groups_of(outcomes, 200)
        assert found[0] == 0
        assert (np.diff(found) > 0).all()
        assert len(found) <= max(200, 5)
        assert found[-1] < outcomes


def test_what_lines_miss_is_added_to_limits_and_ranges(monkeypatch):
    """A grid that is far too coarse for the metric: its range still holds the one from all ranks."""
    rng = np.random.default_rng(6)
    true = np.minimum(rng.geometric(0.02, 5000), 600)
    counts = np.bincount(rng.hypergeometric(true - 1, 600 - true, 100), minlength=101)
    exact = SampledRanks(counts, Places.of(600, 100, [], replace=False), 0.95, 0.01)
    monkeypatch.setattr(module, "MOST", 25)
    coarse = SampledRanks(counts, Places.of(600, 100, [], replace=False), 0.95, 0.01)
    missed = coarse.places.missed
    assert missed > 0.01
    assert coarse.places.missed_of(FUNCTIONS["hit@77"]) > 0.2
    [narrow, wide] = (each._fitting(0.95).limits for each in (exact, coarse))
    assert wide.low == pytest.approx(narrow.low - missed)
    assert wide.high == pytest.approx(narrow.high + missed)
    target = FUNCTIONS["hit@77"][coarse.places.rank - 1]
    inner, outer = coarse._bounds(target, 0.0, 0.95), coarse._bounds(target, 0.2, 0.95)
    assert outer == pytest.approx((inner[0] - 0.2, inner[1] + 0.2))
    for function in FUNCTIONS.values():
        one, other = (each.estimates(function)[1] for each in (exact, coarse))
        assert other.low <= one.low + 1e-6
        assert other.high >= one.high - 1e-6
