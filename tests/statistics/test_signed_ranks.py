"""Wilcoxon's test from counts in bins, against SciPy's of all differences at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.statistics.paired import wilcoxon
from rankwell.statistics.signed_ranks import Counted, Ranks, wilcoxon_of


def in_bins(counted):
    return [
        Ranks.of(Counted(*(column[counted.bins() == each] for column in counted)))
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
    parts = [Counted.of(np.append(part, np.nan)) for part in np.array_split(random.permutation(d), 7)]
    counted = Counted.joined(parts)
    bins = in_bins(counted)
    assert len(bins) > 1
    assert wilcoxon_of(n, bins) == pytest.approx(wilcoxon(d), rel=1e-9)
    assert np.sort(counted.differences(n)) == pytest.approx(np.sort(d), abs=0)
    assert (np.diff(counted.bins()) >= 0).all()


def test_no_difference_has_no_p_value():
    assert math.isnan(wilcoxon_of(100, in_bins(Counted.of(np.zeros(100)))))
    [one] = in_bins(Counted.of(np.array([0.5, -0.5, 0.5, 0.0])))
    assert one == Ranks(3, 2, 4.0, 24.0)
