"""Sums that add up over parts of the units, against what is computed from all values at once."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest

from rankwell.statistics.frequent import Frequent, ValueShare
from rankwell.statistics.intervals import is_doubtful
from rankwell.statistics.many import Design, are_doubtful, closed_bounds, intervals, summaries
from rankwell.statistics.moments import PairMoments, SampleMoments

PAIRS = np.array([[0, 0, 1, 2, 3], [1, 2, 2, 3, 4]])


def rows(seed, n=400):
    """Five systems: real values, shares, the second with one change, a constant, and a constant with few others; some undefined."""
    random = np.random.default_rng(seed)
    values = random.random((5, n))
    values[1] = (random.random(n) < 0.3).astype(float)
    values[2] = values[1]
    values[2, 7] = 1 - values[2, 7]
    values[3] = 0.1
    values[4] = np.where(np.arange(n) < 29, 0.7, 0.3)
    values[random.random((5, n)) < 0.05] = np.nan
    return values


def added(parts):
    own, paired = zip(*parts, strict=True)
    return reduce(add, own), reduce(add, paired)


def summed(values, parts, centres):
    split = np.array_split(np.random.default_rng(1).permutation(values.shape[1]), parts)
    return added(
        [
            (SampleMoments.of(values[:, own], centres), PairMoments.of(values[:, own], PAIRS, centres))
            for own in split
        ]
    )


@pytest.mark.parametrize("parts", [1, 3, 40])
@pytest.mark.parametrize("seed", range(5))
def test_parts_give_what_all_values_give(seed, parts):
    values = rows(seed)
    centres = np.nanmean(values, axis=1) + 0.01 * np.random.default_rng(seed).random(5)  # near the means
    own, paired = summed(values, parts, centres)
    for found, told in (
        (own.summaries(centres), summaries(values)),
        (
            paired.difference.summaries(centres[PAIRS[0]] - centres[PAIRS[1]]),
            summaries(values[PAIRS[0]] - values[PAIRS[1]]),
        ),
    ):
        assert found.n.tolist() == told.n.tolist()
        for name in ("mean", "sd", "t", "p"):
            assert getattr(found, name) == pytest.approx(
                getattr(told, name), rel=1e-12, abs=1e-15, nan_ok=True
            )
        assert (found.sd == 0).tolist() == (told.sd == 0).tolist()
    assert own.are_doubtful().tolist() == are_doubtful(values).tolist()
    d = values[PAIRS[0]] - values[PAIRS[1]]
    assert paired.difference.are_doubtful().tolist() == are_doubtful(d).tolist()
    kinds = intervals(values, np.arange(400, dtype=np.uint64), times=99, limits=(0.0, 1.0)).method
    assert own.are_shares.tolist() == [kind == "wilson" for kind in kinds]


def test_wins_losses_and_lost_units_are_counted():
    values = rows(0)
    centres = np.nanmean(values, axis=1)
    _, paired = summed(values, 7, centres)
    first, second = values[PAIRS[0]], values[PAIRS[1]]
    d = first - second
    assert paired.more.tolist() == [int((row > 1e-9).sum()) for row in d]
    assert paired.less.tolist() == [int((row < -1e-9).sum()) for row in d]
    assert paired.lost_first.tolist() == [int(x) for x in (np.isnan(first) & ~np.isnan(second)).sum(axis=1)]
    assert paired.lost_second.tolist() == [int(x) for x in (~np.isnan(first) & np.isnan(second)).sum(axis=1)]
    for name, side in (("first", first), ("second", second)):
        own = np.where(np.isnan(d), np.nan, side)
        middle = centres[PAIRS[0 if name == "first" else 1]]
        assert getattr(paired, name).summaries(middle).sd == pytest.approx(summaries(own).sd, abs=1e-15)


def test_few_differences_that_are_not_0_are_kept_and_many_are_not():
    values = rows(0)
    _, paired = summed(values, 9, np.nanmean(values, axis=1))
    d = values[PAIRS[0]] - values[PAIRS[1]]
    for row, kept in zip(d, paired.nonzero, strict=True):
        own = sorted(row[~np.isnan(row) & (row != 0)].tolist())
        assert (kept is None) == (len(own) > 20)
        if kept is not None:
            assert sorted(kept) == own
    assert [kept is None for kept in paired.nonzero] == [True, True, False, True, True]


def test_a_constant_far_from_its_centre_has_no_spread():
    values = np.full((1, 1000), 0.1)
    own = SampleMoments.of(values, np.array([0.9]))
    assert own.summaries(np.array([0.9])).sd.tolist() == [0.0]
    assert own.frequent == (Frequent({0.1: ValueShare(0.1, 1000, 1000)}, is_whole=True),)


@pytest.mark.parametrize("seed", range(5))
def test_values_that_differ_by_rounding_are_one_value_in_whatever_order_parts_come(seed):
    """Sevenths, and binary fractions that lie just where 12 digits are rounded up or down."""
    random = np.random.default_rng(seed)
    steps = np.concatenate([np.arange(5) / 7, (2 * np.arange(4) + 1) / 2**13])
    values = random.choice(steps, 600, p=[0.6, *[0.05] * 8])
    noisy = values + random.choice([-1e-16, 0, 1e-16], 600)
    parts = [Frequent.of(own) for own in np.array_split(noisy, 7)]
    found = [reduce(add, [parts[at] for at in random.permutation(7)]) for _ in range(5)]
    assert {each.most for each in found} == {max(np.unique(values, return_counts=True)[1])}
    assert all(each.shares == found[0].shares for each in found)
    own = SampleMoments.of(noisy[None], np.zeros(1))
    assert own.are_doubtful().tolist() == [is_doubtful(values)] == [is_doubtful(noisy)]
    assert are_doubtful(noisy[None]).tolist() == [is_doubtful(values)]


def designs(random, n):
    """Weights of which some are 0, weights that are all alike, clusters of very different sizes, and both."""
    weights = np.where(random.random(n) < 0.1, 0.0, random.gamma(0.5, size=n))
    clusters = (n * random.random(n) ** 3 / 4).astype(np.uint64)
    return {
        "weights": Design(weights),
        "alike": Design(np.full(n, 0.3)),
        "clusters": Design(None, clusters),
        "both": Design(weights, clusters),
    }


@pytest.mark.parametrize("parts", [1, 3, 40])
@pytest.mark.parametrize("kind", ["weights", "alike", "clusters", "both"])
@pytest.mark.parametrize("seed", range(3))
def test_parts_of_weighted_and_clustered_units_give_what_all_give(seed, kind, parts):
    random = np.random.default_rng(seed)
    values = rows(seed, 1_000)
    values[3] = np.where(random.random(1_000) < 0.02, 0.1, np.nan)  # few units, without spread
    design = designs(random, 1_000)[kind]
    centres = np.nanmean(values, axis=1) + 0.01 * random.random(5)
    of = random.integers(0, parts, 1_000)
    if design.clusters is not None:  # a cluster is in one part
        of = random.integers(0, parts, 1_000)[design.clusters.astype(int)]
    split = [np.flatnonzero(of == part) for part in range(parts)]
    own, paired = added(
        [
            (
                SampleMoments.of(values[:, each], centres, design.of(each)),
                PairMoments.of(values[:, each], PAIRS, centres, design.of(each)),
            )
            for each in split
        ]
    )
    d = values[PAIRS[0]] - values[PAIRS[1]]
    for moments, middle, all_rows in (
        (own, centres, values),
        (paired.difference, centres[PAIRS[0]] - centres[PAIRS[1]], d),
    ):
        found, told = moments.summaries(middle), summaries(all_rows, design)
        for name in found._fields:
            assert getattr(found, name) == pytest.approx(
                getattr(told, name), rel=1e-11, abs=1e-14, nan_ok=True
            )
        kinds = intervals(all_rows, np.arange(1_000, dtype=np.uint64), times=99).method
        kinds[kinds == "studentised"] = "t"
        for row, values_of_row in enumerate(all_rows):
            interval = intervals(
                values_of_row[None], np.arange(1_000, dtype=np.uint64), design=design, method=kinds[row]
            )
            low, high = closed_bounds(found, kinds, 0.95, moments.of_shares(found))
            assert low[row] == pytest.approx(interval.low[0], rel=1e-9, abs=1e-14, nan_ok=True)
            assert high[row] == pytest.approx(interval.high[0], rel=1e-9, abs=1e-14, nan_ok=True)
            assert moments.are_doubtful()[row] == interval.is_doubtful[0]


@pytest.mark.parametrize("seed", range(20))
def test_a_value_that_nearly_all_have_is_found_among_very_many_others(seed):
    random = np.random.default_rng(seed)
    values = np.where(random.random(20_000) < random.choice([0.003, 0.02, 0.2]), random.random(20_000), 0.5)
    sizes = random.gamma(0.3, size=20_000)
    others = sizes[values != 0.5].sum()
    found = Frequent({}, is_whole=True)
    for own in np.array_split(random.permutation(20_000), 30):
        found += Frequent.of(values[own], sizes[own])
    assert len(found.shares) <= 32
    assert not found.is_whole
    assert sizes.sum() - found.most == pytest.approx(others, rel=1 / 32)
    assert sizes.sum() - found.most >= others - 1e-9
    own = SampleMoments.of(values[None], np.array([0.5]), Design(sizes))
    assert own.are_doubtful().tolist() == [is_doubtful(values, sizes)]
