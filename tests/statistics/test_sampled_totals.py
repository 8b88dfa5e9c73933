"""Variances of estimated totals, against the enumeration of all samples that could have been drawn."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rankwell.statistics.samples import (
    Variance,
    independent_variance,
    pair_factors,
    stratified_variance,
)

VALUES = np.array([0.3, 1.0, 0.0, 2.0, 0.5, 0.7, 4.0, 1.0, 0.1])
STRATUM = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
SIZES = np.array([4, 3, 2])


def samples(n):
    groups = [np.flatnonzero(np.equal(STRATUM, each)) for each in range(3)]
    for parts in itertools.product(*(itertools.combinations(g, k) for g, k in zip(groups, n, strict=True))):
        yield np.array([*itertools.chain(*parts)])


@pytest.mark.parametrize("n", [(2, 2, 2), (3, 2, 2), (4, 3, 2)])
def test_the_estimated_variance_is_on_average_that_of_all_samples(n):
    drawn = np.array(n)
    totals, estimated = [], []
    for rows in samples(n):
        weight = (SIZES / drawn)[STRATUM[rows]]
        totals.append(float((weight * VALUES[rows]).sum()))
        estimated.append(stratified_variance(VALUES[rows], STRATUM[rows], SIZES, drawn).value)
    assert np.mean(totals) == pytest.approx(VALUES.sum())
    assert np.mean(estimated) == pytest.approx(np.var(totals))


def test_strata_of_one_unit_are_taken_together_and_their_variance_is_not_too_small():
    drawn = np.array([1, 1, 2])
    totals, estimated = [], []
    for rows in samples((1, 1, 2)):
        totals.append(float(((SIZES / drawn)[STRATUM[rows]] * VALUES[rows]).sum()))
        found = stratified_variance(VALUES[rows], STRATUM[rows], SIZES, drawn)
        estimated.append(found.value)
        assert found.df == (1 if found.value else math.inf)
    assert np.mean(estimated) > np.var(totals)


def test_a_single_stratum_of_one_unit_has_the_variance_within_the_others():
    drawn = np.array([1, 3, 2])
    rows = np.array([1, 4, 5, 6, 7, 8])
    values = VALUES[rows]
    within = (np.var(values[1:4]) * 3 + np.var(values[4:]) * 2) / 3
    found = stratified_variance(values, STRATUM[rows], SIZES, drawn)
    assert found.value == pytest.approx(4 * 3 * within)
    assert found.df == 3
    alone = stratified_variance(np.array([1.0]), np.array([0]), np.array([3]), np.array([1]))
    assert math.isnan(alone.value)
    assert math.isnan(alone.df)


def test_independent_draws_have_on_average_the_variance_of_all_samples():
    chance, values = np.array([0.5, 0.2, 1.0, 0.7]), np.array([1.0, 0.5, 2.0, 0.1])
    mean = square = estimated = 0.0
    for picks in itertools.product([False, True], repeat=4):
        drawn = np.array(picks)
        weight = float(np.where(drawn, chance, 1 - chance).prod())
        total = float((values[drawn] / chance[drawn]).sum())
        mean, square = mean + weight * total, square + weight * total**2
        estimated += weight * independent_variance(values[drawn], chance[drawn]).value
    assert mean == pytest.approx(values.sum())
    assert estimated == pytest.approx(square - mean**2)


def test_factors_of_pairs_are_those_of_all_samples():
    sizes, drawn = np.array([5, 4, 3]), np.array([3, 4, 2])
    for size, n, factor in zip(sizes, drawn, pair_factors(sizes, drawn), strict=True):
        every = list(itertools.combinations(range(size), n))
        both = sum({0, 1} <= {*each} for each in every) / len(every)
        assert factor == pytest.approx((n / size) ** 2 / both)


def test_degrees_of_freedom_are_those_of_satterthwaite():
    """0.4 of 4 and 0.1 of 9 degrees: (0.5)² / (0.16/4 + 0.01/9)."""
    found = Variance.sum(np.array([0.4, 0.1, 0.0]), np.array([4.0, 9.0, 1.0]))
    assert (found.value, found.df) == (pytest.approx(0.5), pytest.approx(0.25 / (0.04 + 0.01 / 9)))
    assert Variance.sum(np.zeros(2), np.ones(2)).df == math.inf
