"""Weighted fits with scatter, against plain loops, NumPy's and SciPy's fits, and what is printed in a paper's formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq, curve_fit
from scipy.special import polygamma, psi
from scipy.stats import t as student

from rankwell.statistics.growth import moderated_variances, weighted_fit

X = np.array([1.0, 2.0, 3.5, 5.0, 6.0, 8.0])
DESIGN = np.column_stack([np.ones(6), X])


def test_without_scatter_it_is_the_weighted_fit_of_numpy_and_scipy():
    variances = np.array([0.4, 0.1, 0.3, 0.2, 0.5, 0.1])
    means = 1 + 0.5 * X + 0.2 * np.array([1, -1, 1, 0, -1, 0.5])
    found = weighted_fit(DESIGN, means, variances)
    assert found.scatter == 0
    slope, intercept = np.polyfit(X, means, 1, w=1 / np.sqrt(variances))
    assert found.coefficients == pytest.approx([intercept, slope])
    _, covariance = curve_fit(
        lambda x, a, b: a + b * x, X, means, sigma=np.sqrt(variances), absolute_sigma=True
    )
    assert found.covariance == pytest.approx(covariance, rel=1e-5)
    value, low, high = found.interval(np.array([0.0, 1.0]), 0.9)
    half = student.ppf(0.95, 4) * math.sqrt(covariance[1, 1])
    assert (value, low, high) == pytest.approx((slope, slope - half, slope + half), rel=1e-5)


def test_the_scatter_is_that_of_paule_and_mandel():
    variances = np.array([0.02, 0.01, 0.03, 0.02, 0.05, 0.01])
    means = 1 + 0.5 * X + np.array([1, -1, 1, 0, -1, 0.5])

    def excess(scatter):  # plain sums of the normal equations
        w = [1 / (each + scatter) for each in variances]
        total = sum(w)
        at = sum(a * b for a, b in zip(w, X, strict=True)) / total
        middle = sum(a * b for a, b in zip(w, means, strict=True)) / total
        up = sum(a * (x - at) * (y - middle) for a, x, y in zip(w, X, means, strict=True))
        slope = up / sum(a * (x - at) ** 2 for a, x in zip(w, X, strict=True))
        left = [y - middle - slope * (x - at) for x, y in zip(X, means, strict=True)]
        return sum(a * e**2 for a, e in zip(w, left, strict=True)) - 4

    found = weighted_fit(DESIGN, means, variances)
    assert found.scatter == pytest.approx(brentq(excess, 0, 100), rel=1e-6)
    assert found.squares == pytest.approx(4)


def test_means_without_variance_are_fitted_as_by_least_squares():
    means = np.array([1.0, 2.5, 2.0, 4.0, 3.0, 6.0])
    found = weighted_fit(DESIGN, means, np.zeros(6))
    (slope, intercept), covariance = np.polyfit(X, means, 1, cov=True)
    assert found.coefficients == pytest.approx([intercept, slope])
    assert found.covariance[1, 1] == pytest.approx(covariance[0, 0], rel=1e-6)


def test_variances_are_moderated_as_smyth_says():
    own, d = np.array([0.1, 3.0, 0.5, 10.0, 0.02, 1.0]), np.array([4, 4, 3, 4, 5, 0])
    e = [math.log(s) - psi(f / 2) + math.log(f / 2) for s, f in zip(own[:5], d[:5], strict=True)]
    mean = sum(e) / 5
    spread = sum((each - mean) ** 2 for each in e) / 4 - sum(polygamma(1, f / 2) for f in d[:5]) / 5
    prior = 2 * brentq(lambda y: polygamma(1, y) - spread, 1e-3, 1e3)
    common = math.exp(mean + psi(prior / 2) - math.log(prior / 2))
    expected = [(prior * common + f * s) / (prior + f) for s, f in zip(own[:5], d[:5], strict=True)]
    assert moderated_variances(own, d) == pytest.approx([*expected, common], rel=1e-6)


@pytest.mark.parametrize(
    ("own", "freedom", "expected"),
    [
        ([1.0, 1.0, 1.0], [4, 4, 4], [1.0, 1.0, 1.0]),  # they differ less than by chance
        ([1.0, 1.3], [4, 8], [1.2, 1.2]),
        ([0.0, 0.0, 0.3], [4, 4, 4], [0.1, 0.1, 0.1]),  # most have none
        ([0.0, 0.0], [0, 0], [0.0, 0.0]),
    ],
)
def test_variances_without_a_spread_of_their_own_are_alike(own, freedom, expected):
    assert moderated_variances(np.array(own), np.array(freedom)) == pytest.approx(expected)
