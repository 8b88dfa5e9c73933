"""Estimates from sampled ranks, by enumeration: every outcome of the draw, every collection of full ranks."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import beta, t

from rankwell.judging.sampled_ranks import Places, SampledRanks, values_of_line

N, M, QUERIES = 6, 2, 10
RANKS = np.arange(1, N + 1)
HIT = (RANKS <= 2) * 1.0
LEVEL = 0.9


@cache
def places(replace=False):
    return Places.of(N, M, [], replace=replace)


def outcomes(rank):
    """The chance of each number of better negatives, from all samples of the other candidates."""
    others = [other for other in RANKS.tolist() if other != rank]
    samples = [*combinations(others, M)]
    seen = [sum(other < rank for other in sample) for sample in samples]
    return [seen.count(x) / len(samples) for x in range(M + 1)]


def chances(ranks):
    """The chance of each vector of counts, for queries with these full ranks."""
    found = {(0,) * (M + 1): 1.0}
    for rank in ranks:
        step = {}
        for counts, chance in found.items():
            for x, own in enumerate(outcomes(rank)):
                if own:
                    key = tuple(count + (at == x) for at, count in enumerate(counts))
                    step[key] = step.get(key, 0.0) + chance * own
        found = step
    return found


@cache
def estimates(counts):
    """The estimates by method, None if no ranks fit."""
    found = SampledRanks(np.array(counts), places(), LEVEL, 0.05).estimates(HIT)
    return None if found is None else {each.method: each for each in found}


COLLECTIONS = [*combinations_with_replacement(RANKS.tolist(), QUERIES)]
SOME = COLLECTIONS[:: len(COLLECTIONS) // 60]


@pytest.mark.parametrize("ranks", SOME[::6])
def test_the_bias_of_the_mean_of_values_is_what_all_draws_together_give(ranks):
    """E of the estimate less the truth lies within the bias of every outcome whose limits the ranks fit."""
    drawn = chances(ranks)
    assert sum(drawn.values()) == pytest.approx(1)
    truth = float(np.mean([HIT[rank - 1] for rank in ranks]))
    expected = [np.mean([outcomes(rank)[x] for rank in ranks]) for x in range(M + 1)]
    values = {}
    for counts in drawn:
        found = estimates(counts)
        if found is not None:
            values[counts] = found["bias-variance"].value
    # the estimate is a mean of one value per sampled rank: found from three of its outcomes, true for all
    corners = np.array([*values])
    each, *_ = np.linalg.lstsq(corners / QUERIES, np.array([*values.values()]), rcond=None)
    assert corners / QUERIES @ each == pytest.approx([*values.values()], abs=1e-9)
    bias = float(np.dot(expected, each)) - truth
    level = 1 - (1 - LEVEL) / 2
    shares = np.cumsum(expected)[:-1]
    fitting = 0
    for counts in values:
        limits = SampledRanks(np.array(counts), places(), LEVEL, 0.05)._fitting(level).limits
        if (limits.low <= shares + 1e-12).all() and (shares <= limits.high + 1e-12).all():
            fitting += drawn[counts]
            assert abs(bias) <= estimates(counts)["bias-variance"].bias + 1e-6
    assert fitting >= level - 1e-9


@pytest.mark.parametrize("ranks", SOME)
def test_the_interval_holds_the_truth_as_often_as_it_says_for_any_ranks(ranks):
    truth = float(np.mean([HIT[rank - 1] for rank in ranks]))
    covered = dict.fromkeys(["bias-variance", "stopped EM"], 0.0)
    for counts, chance in chances(ranks).items():
        for method, found in (estimates(counts) or {}).items():
            covered[method] += chance * (found.low - 1e-9 <= truth <= found.high + 1e-9)
    assert covered["stopped EM"] >= LEVEL  # whatever the ranks are
    assert covered["bias-variance"] >= LEVEL  # of these; Student's t promises it for many queries


@pytest.mark.parametrize("counts", [(10, 0, 0), (4, 5, 1), (2, 5, 3), (0, 3, 7)])
def test_no_collection_of_ranks_that_fits_is_outside_of_the_range(counts):
    """The program's bounds against all collections of so many ranks, and the best of these come near."""
    found = estimates(counts)["stopped EM"]
    limits = SampledRanks(np.array(counts), places(), LEVEL, 0.05)._fitting(LEVEL).limits
    truths = []
    chance = {rank: np.cumsum(outcomes(rank))[:-1] for rank in RANKS.tolist()}
    for ranks in COLLECTIONS:
        shares = np.mean([chance[rank] for rank in ranks], axis=0)
        if (limits.low <= shares).all() and (shares <= limits.high).all():
            truths.append(np.mean([HIT[rank - 1] for rank in ranks]))
    assert found.low - 1e-9 <= min(truths)
    assert max(truths) <= found.high + 1e-9
    assert min(truths) - found.low <= 1 / QUERIES + 1e-9
    assert found.high - max(truths) <= 1 / QUERIES + 1e-9
    assert found.bias == pytest.approx(max(found.high - found.value, found.value - found.low))


@pytest.mark.parametrize("counts", [(9, 1, 0), (4, 5, 1), (1, 2, 7)])
def test_the_interval_of_the_mean_of_values_is_that_of_a_second_computation(counts):
    """Limits, program and quantiles by SciPy, chances by enumeration; bias on the side on which the estimate is off."""
    found = estimates(counts)["bias-variance"]
    kernel = np.array([outcomes(rank) for rank in RANKS.tolist()])
    squares = 0.95 * kernel.T @ kernel / N + 0.05 * np.diag(kernel.mean(axis=0))
    values = np.linalg.solve(squares, kernel.T @ HIT / N)
    seen = np.repeat(values, counts)
    assert found.value == pytest.approx(seen.mean())
    half = (1 - LEVEL) / 2
    below, tail = np.cumsum(counts)[:-1], half / (2 * M)
    low = [beta.ppf(tail, c, QUERIES - c + 1) if c > 1 else tail / QUERIES * c for c in below]
    high = [
        beta.ppf(1 - tail, c + 1, QUERIES - c) if c < QUERIES - 1 else 1 - tail / QUERIES * (QUERIES - c)
        for c in below
    ]
    shares = np.cumsum(kernel, axis=1).T[:-1]
    rows, right = np.concatenate([shares, -shares]), np.concatenate([high, np.negative(low)])
    ends = []
    for sign in (1, -1):
        bias = sign * (kernel @ values - HIT)
        ends.append(sign * linprog(bias, A_ub=rows, b_ub=right, A_eq=np.ones((1, N)), b_eq=[1.0]).fun)
    assert found.bias == pytest.approx(max(ends[1], -ends[0]), abs=1e-5)
    assert abs(ends[0] + ends[1]) > 0.01  # so that the sides differ
    reach = t.ppf(1 - half / 2, QUERIES - 1) * seen.std(ddof=1) / math.sqrt(QUERIES)
    wanted = max(seen.mean() - ends[1] - reach, 0), min(seen.mean() - ends[0] + reach, 1)
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_a_straight_line_is_estimated_without_bias(rank, replace):
    line = 3.0 - 0.5 * RANKS
    values = values_of_line(line, M)
    others = [other for other in RANKS.tolist() if other != rank]
    samples = [*product(others, repeat=M)] if replace else [*combinations(others, M)]
    mean = np.mean([values[sum(other < rank for other in sample)] for sample in samples])
    assert mean == pytest.approx(line[rank - 1])
    [found] = SampledRanks(np.array([1, 2, 3]), places(replace), LEVEL, 0.05).estimates(line)
    assert (found.method, found.bias) == ("unbiased", 0.0)
    assert found.value == pytest.approx((values[0] + 2 * values[1] + 3 * values[2]) / 6)


def test_more_queries_leave_the_bias_that_more_negatives_remove():
    """With endless queries the range is what the sampled ranks leave open; more negatives leave less open."""
    true = np.minimum(np.arange(1, 61), 40)

    def bias(queries, negatives):
        found = Places.of(60, negatives, [], replace=False)
        shares = np.mean([found.kernel[rank - 1] for rank in true], axis=0)
        counts = np.round(shares * queries).astype(int)
        return [
            each.bias for each in SampledRanks(counts, found, 0.95, 0.01).estimates((np.arange(60) < 5) * 1.0)
        ]

    few, many, endless = bias(1_000, 6), bias(100_000, 6), bias(10_000_000, 6)
    assert all(a > b for a, b in zip(few, many, strict=True))
    assert all(c > 0.02 for c in endless)
    assert all(a > 2 * b for a, b in zip(endless, bias(10_000_000, 30), strict=True))


def test_ranks_that_no_draw_gives_are_no_estimate():
    """Half of all relevant items above every negative and half below: no ranks; hypergeometric counts lie between."""
    counts = np.zeros(21, int)
    counts[10] = 5000  # every list has exactly ten better ones
    assert (
        SampledRanks(counts, Places.of(1000, 20, [], replace=False), 0.95, 0.01).estimates(
            (np.arange(1000) < 10) * 1.0
        )
        is None
    )


def test_one_query_has_a_range_and_no_interval_of_a_mean():
    made = SampledRanks(np.array([0, 1, 0]), places(), LEVEL, 0.05)
    least, likeliest = made.estimates(HIT)
    assert math.isnan(least.low)
    assert math.isnan(least.high)
    assert 0 <= likeliest.low < likeliest.high <= 1
