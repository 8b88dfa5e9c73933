"""Slopes through the origin with errors in both against a slow grid of directions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.statistics.ratios import slope_with_errors


def misfit(beta, x, y, se_x, se_y):
    """What is minimised, one term at a time; a slope of infinity is a vertical line."""
    if math.isinf(beta):
        return math.fsum((a / s) ** 2 for a, s in zip(x, se_x, strict=True))
    terms = zip(x, y, se_x, se_y, strict=True)
    return math.fsum((b - beta * a) ** 2 / (t * t + beta * beta * s * s) for a, b, s, t in terms)


def lines(rng, n, spread):
    """Points of any size around a line or none, with standard errors that differ by up to a factor of e^spread."""
    x, y = rng.normal(size=n) * 10 ** rng.uniform(-3, 3), rng.normal(size=n) * 10 ** rng.uniform(-3, 3)
    y = y + x * rng.normal() * rng.integers(0, 2)
    se_x, se_y = (np.exp(rng.normal(size=n) * spread) * np.abs(own).max() for own in (x, y))
    return x, y, se_x, se_y * 10 ** rng.uniform(-2, 1)


@pytest.mark.parametrize("spread", [0, 0.5, 3])
def test_the_slope_with_errors_is_the_least_of_all_directions_vertical_ones_included(spread):
    rng = np.random.default_rng(7)
    for _ in range(25):
        given = x, y, se_x, se_y = lines(rng, rng.integers(2, 9), spread)
        found = slope_with_errors(*given)
        least = misfit(math.inf if math.isnan(found) else found, *given)
        angles = np.linspace(-math.pi / 2, math.pi / 2, 401)[1:-1]
        tried = [*(np.tan(angles)[:, None] * (se_y / se_x)).ravel(), *(y / x), math.inf]
        assert least <= min(misfit(beta, *given) for beta in tried) + 1e-12


def test_of_two_minima_the_lower_one_counts():
    x, y, se = np.array([5, 0.1]), np.array([0.1, 4.0]), np.array([[0.01, 1], [1, 0.01]])
    for sign in (1, -1):  # the minima are at ±.89
        found = slope_with_errors(x * sign, y, *se)
        assert misfit(found, x * sign, y, *se) < misfit(-found, x * sign, y, *se) - 3
        assert found * sign == pytest.approx(0.8944, abs=1e-4)


def test_a_minimum_that_is_narrow_at_the_scale_of_the_points_is_found():
    x, y = np.array([1, -0.1, 1, -1, 1]), np.array([0.1, 0.1, -1, 0.001, 0.001])
    se_x, se_y = np.array([0.001, 0.001, 0.01, 0.1, 0.01]), np.array([0.001, 0.001, 0.01, 1e-5, 1e-5])
    # the last two points have errors of another shape; without their scale .0777 is found, which is a tenth worse
    assert slope_with_errors(x, y, se_x, se_y) == pytest.approx(0.001054, abs=1e-6)
    assert slope_with_errors(y, x, se_y, se_x) == pytest.approx(1 / 0.001054, rel=1e-3)


def test_where_a_vertical_line_is_best_there_is_no_slope():
    se = np.ones(3)
    assert math.isnan(slope_with_errors(np.array([1.0, -1, 0]), np.array([3.0, 3, 5]), se, se))
    # exactly vertical, where the derivative is 0 but for rounding
    given = (
        np.array([-0.8, 0, 0]),
        np.array([0, -1.135, -1.627]),
        np.array([1.99, 0.31, 0.156]),
        np.array([0.21, 1.147, 0.834]),
    )
    assert misfit(math.inf, *given) < misfit(0.0, *given)
    assert math.isnan(slope_with_errors(*given))
    assert slope_with_errors(np.array([3.0, 3, 5]), np.array([1.0, -1, 0]), se, se) == pytest.approx(
        0, abs=1e-15
    )


def test_small_errors_of_x_give_the_weighted_slope_and_small_errors_of_y_that_of_x_by_y():
    rng = np.random.default_rng(3)
    x, se = rng.normal(size=12), rng.uniform(0.5, 2, 12)
    y = 2 * x + rng.normal(size=12)
    weighted = float((x * y / se**2).sum() / (x * x / se**2).sum())
    assert slope_with_errors(x, y, np.full(12, 1e-9), se) == pytest.approx(weighted, rel=1e-9)
    turned = float((y * y / se**2).sum() / (x * y / se**2).sum())
    assert slope_with_errors(x, y, se, np.full(12, 1e-9)) == pytest.approx(turned, rel=1e-9)


def test_without_a_value_of_x_there_is_no_slope_and_without_one_of_y_it_is_0():
    nothing, y, se = np.zeros(3), np.array([1.0, 2, 3]), np.ones(3)
    assert math.isnan(slope_with_errors(nothing, y, se, se))
    assert math.isnan(slope_with_errors(nothing, nothing, se, se))
    assert slope_with_errors(y, nothing, se, se) == 0
