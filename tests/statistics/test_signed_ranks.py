"""Wilcoxon's test from counts in bins, against SciPy's of all differences at once."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from rankwell.statistics.paired_tests import Ranks, SizeCounts, Tied, wilcoxon, wilcoxon_of


def in_bins(counted):
    return [
        Ranks.of(SizeCounts(*(column[counted.bins() == each] for column in counted)))
        for each in np.unique(counted.bins())
    ]


@pytest.mark.parametrize("seed", range(12))
def test_the_p_value_is_that_of_all_differences(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(60, 3_000))
    kinds = (
        random.normal(0.02, 1, n),
        random.integers(-4, 6, n) / 7,
        np.where(random.random(n) < 0.9, 0.0, random.normal(0.1, 1, n)),
        1 / random.integers(1, 11, n) - 1 / random.integers(1, 11, n),
    )
    d = kinds[seed % 4]
    parts = [SizeCounts.of(np.append(part, np.nan)) for part in np.array_split(random.permutation(d), 7)]
    counted = SizeCounts.joined(parts)
    bins = in_bins(counted)
    assert len(bins) > 1
    assert wilcoxon_of(n, bins) == pytest.approx(wilcoxon(d), rel=1e-9)
    assert np.sort(counted.differences(n)) == pytest.approx(np.sort(d), abs=0)
    assert (np.diff(counted.bins()) >= 0).all()


def test_no_difference_has_no_p_value():
    assert math.isnan(wilcoxon_of(100, in_bins(SizeCounts.of(np.zeros(100)))))
    [one] = in_bins(SizeCounts.of(np.array([0.5, -0.5, 0.5, 0.0])))
    assert one == Ranks(3, 2, 4.0, 24.0, Tied(0.5, 3, 2), Tied(0.5, 3, 2))


@pytest.mark.parametrize("seed", range(6))
def test_ties_across_the_border_of_bins_are_ties_in_whatever_order_parts_come(seed):
    """A half, a quarter and their like begin a bin; one bit less lies in the bin before. Expected: the same in whole numbers."""
    random = np.random.default_rng(seed)
    whole = random.choice([-8, -6, -4, -2, -1, 0, 1, 2, 3, 4, 8], 90 if seed else 1200)
    d = whole / 8
    d = np.where(random.random(len(d)) < 0.5, d, np.nextafter(d, 0))
    d = np.where(random.random(len(d)) < 0.3, d + random.choice([-4e-10, 4e-10], len(d)), d)
    parts = [SizeCounts.of(part) for part in np.array_split(d, 5)]
    found = {wilcoxon_of(len(d), in_bins(SizeCounts.joined(own))) for own in (parts, parts[::-1])}
    assert len(found) == 1
    counted = SizeCounts.joined(parts)
    own = [counted.value[counted.bins() == each] for each in np.unique(counted.bins())]
    assert any(more[0] - less[-1] < 1e-9 for less, more in pairwise(own))
    assert found.pop() == pytest.approx(wilcoxon(whole.astype(float)), rel=1e-12)
    assert wilcoxon(d) == wilcoxon(whole.astype(float))


def test_a_chain_of_ties_through_a_bin_of_one_size_is_one_tie():
    """Seven sizes 8e-10 apart around a border: one tie, whose sum of ranks is that of equal sizes."""
    edge = np.array([1.0]).view(np.int64)
    steps = [edge + (at << 42) for at in range(-3, 4)]
    d = np.concatenate([each.view(np.float64) for each in steps])  # bins of one size, far apart
    near = 1.0 + np.arange(-3, 4) * 8e-10
    for values, sizes in ((d, np.arange(7)), (near, np.zeros(7))):
        signed = np.concatenate([values, -values[:2], np.full(40, 2.0), np.full(31, -2.0)])
        told = np.concatenate([sizes + 1, -sizes[:2] - 1, np.full(40, 99.0), np.full(31, -99.0)])
        assert wilcoxon_of(80, in_bins(SizeCounts.of(signed))) == pytest.approx(wilcoxon(told), rel=1e-12)
