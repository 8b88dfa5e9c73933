"""Corrections against statsmodels 0.15.0 (multipletests) on the same p-values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from rankwell.statistics.families import benjamini_hochberg, benjamini_yekutieli, holm

P = np.array([0.01, 0.04, 0.03, 0.005, 0.2, 0.03])
TOLD = {
    holm: [0.05, 0.12, 0.12, 0.03, 0.2, 0.12],
    benjamini_hochberg: [0.03, 0.048, 0.045, 0.03, 0.2, 0.045],
    benjamini_yekutieli: [0.0735, 0.1176, 0.11025, 0.0735, 0.49, 0.11025],
}


@pytest.mark.parametrize("correction", TOLD)
def test_adjusted_values_are_those_of_statsmodels(correction):
    assert correction(P).tolist() == pytest.approx(TOLD[correction])


@pytest.mark.parametrize("correction", TOLD)
def test_what_was_not_tested_does_not_count(correction):
    with_gap = correction(np.insert(P, 2, np.nan))
    assert np.isnan(with_gap[2])
    assert np.delete(with_gap, 2).tolist() == correction(P).tolist()
    assert correction(np.array([])).tolist() == []
    assert correction(np.array([0.9])).tolist() == [0.9]


@pytest.mark.parametrize(("correction", "method"), [(benjamini_hochberg, "bh"), (benjamini_yekutieli, "by")])
def test_false_discovery_rates_are_those_of_scipy(correction, method):
    p = np.random.default_rng(1).random(200) ** 2
    assert correction(p) == pytest.approx(scipy.stats.false_discovery_control(p, method=method))
