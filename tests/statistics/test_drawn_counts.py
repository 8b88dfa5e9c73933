"""Counts of marked units in samples: against all samples there are, and straight lines against every number of marked units."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from rankwell.statistics.samples import at_most, bend, counts_of_draws


def by_enumeration(marked, total, draws, replace):
    samples = [*product(range(total), repeat=draws)] if replace else [*combinations(range(total), draws)]
    seen = [sum(unit < marked for unit in sample) for sample in samples]
    return [float(Fraction(seen.count(x), len(samples))) for x in range(draws + 1)]


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize(("total", "draws"), [(1, 1), (5, 1), (5, 3), (6, 6), (7, 4)])
def test_each_count_has_its_share_of_all_samples(total, draws, replace):
    if replace and total**draws > 20_000:
        draws = 4
    found = counts_of_draws(np.arange(total + 1), total, draws, replace=replace)
    for marked in range(total + 1):
        assert found[marked] == pytest.approx(by_enumeration(marked, total, draws, replace), abs=1e-13)


@pytest.mark.parametrize("replace", [False, True])
def test_large_numbers_keep_the_mean_and_the_variance_of_a_sample(replace):
    total, draws, marked = 1_000_000, 1000, np.array([0, 1, 999, 123_456, 999_999, 1_000_000])
    found = counts_of_draws(marked, total, draws, replace=replace)
    x, p = np.arange(draws + 1), marked / total
    assert found @ x == pytest.approx(draws * p, rel=1e-6)
    left = 1.0 if replace else (total - draws) / (total - 1)
    assert found @ x**2 - (found @ x) ** 2 == pytest.approx(draws * p * (1 - p) * left, rel=1e-4, abs=1e-9)


def test_more_than_all_units_are_not_drawn():
    with pytest.raises(ValueError, match="6 draws of 5 units"):
        counts_of_draws(np.array([1]), 5, 6)
    assert counts_of_draws(np.array([1]), 5, 6, replace=True).sum() == pytest.approx(1)


def test_shares_up_to_a_limit_are_sums_and_parts_of_the_columns_change_nothing(monkeypatch):
    marked, limits = np.arange(41), np.array([0, 3, 7])
    whole = at_most(marked, 40, 8, limits)
    plain = counts_of_draws(marked, 40, 8)
    assert whole == pytest.approx(np.stack([plain[:, : limit + 1].sum(axis=1) for limit in limits]))
    monkeypatch.setattr("rankwell.statistics.samples.CELLS", 20)
    assert np.array_equal(at_most(marked, 40, 8, limits), whole)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("draws", [1, 2, 3, 10, 60, 199])
@pytest.mark.parametrize("step", [2, 3, 10, 50, 200])
def test_lines_between_places_never_miss_more_than_is_said(draws, step, replace):
    total = 200
    places = np.unique(np.append(np.arange(0, total, step), total))
    every = np.arange(total + 1)
    exact = at_most(every, total, draws, np.arange(draws), replace=replace)
    lines = np.array([np.interp(every, places, row[places]) for row in exact])
    said = bend(places, total, draws, replace=replace)
    missed = float(np.abs(lines - exact).max())
    assert missed <= said + 1e-12


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("draws", [3, 30, 300])
def test_what_is_said_is_not_far_from_what_is_missed(draws, replace):
    total = 1000
    places = np.unique(np.round(total * np.sin(np.linspace(0, np.pi / 2, 40)) ** 2).astype(int))
    every = np.arange(total + 1)
    exact = at_most(every, total, draws, np.arange(draws), replace=replace)
    missed = max(np.abs(np.interp(every, places, row[places]) - row).max() for row in exact)
    assert missed <= bend(places, total, draws, replace=replace) <= 6 * missed
