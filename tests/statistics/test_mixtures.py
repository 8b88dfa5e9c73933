"""Mixtures: estimates against the definition and general optimisers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwell.statistics.mixtures import outcome_values, stopped_em
from rankwell.statistics.samples import counts_of_draws


def loss(kernel, target, prior, weight, values):
    """What the estimator minimises, by its definition."""
    total = 0.0
    for row, t, p in zip(kernel, target, prior / prior.sum(), strict=True):
        mean = sum(chance * v for chance, v in zip(row, values, strict=True))
        variance = sum(chance * (v - mean) ** 2 for chance, v in zip(row, values, strict=True))
        total += p * ((mean - t) ** 2 + weight * variance)
    return total


@pytest.mark.parametrize("weight", [0.0, 0.01, 0.3, 1.0])
def test_values_of_outcomes_minimise_squared_bias_and_variance(weight):
    kernel = counts_of_draws(np.arange(9), 8, 3)
    target, prior = (np.arange(9) < 2) * 1.0, np.arange(9) + 1.0
    found = outcome_values(kernel, target, prior, weight=weight)
    best = minimize(
        lambda v: loss(kernel, target, prior, weight, v), np.zeros(4), tol=1e-14, options={"gtol": 1e-9}
    )
    assert loss(kernel, target, prior, weight, found) <= best.fun + 1e-9
    assert found == pytest.approx(best.x, abs=1e-4)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_a_polynomial_of_no_higher_degree_than_draws_is_estimated_without_bias(degree):
    draws, marked = 3, np.arange(11)
    kernel = counts_of_draws(marked, 10, draws)
    values = outcome_values(kernel, marked**degree * 1.0, np.ones(11), weight=0.0)
    assert kernel @ values == pytest.approx(marked**degree, abs=1e-9)


def test_one_that_is_no_such_polynomial_is_estimated_with_bias():
    kernel, target = counts_of_draws(np.arange(11), 10, 3), (np.arange(11) < 2) * 1.0
    values = outcome_values(kernel, target, np.ones(11), weight=0.0)
    assert np.abs(kernel @ values - target).max() > 0.1


def test_the_stopped_em_is_what_a_general_optimiser_finds():
    rng = np.random.default_rng(1)
    kernel = counts_of_draws(np.array([0, 2, 5, 9]), 10, 4)
    counts = rng.multinomial(500, np.array([0.1, 0.5, 0.3, 0.1]) @ kernel)

    def minus(w):
        return -counts @ np.log(np.maximum(np.abs(w) / np.abs(w).sum() @ kernel, 1e-300))

    best = minimize(
        minus,
        np.ones(4) / 4,
        method="Nelder-Mead",
        options={"maxiter": 20_000, "xatol": 1e-9, "fatol": 1e-11},
    )
    found = stopped_em(kernel, counts, np.ones(4), rounds=100_000, gain=1e-15).weights
    assert minus(found) == pytest.approx(best.fun, abs=1e-5)
    assert found == pytest.approx(np.abs(best.x) / np.abs(best.x).sum(), abs=1e-3)


def test_no_outcome_is_no_mixture():
    with pytest.raises(ValueError, match="no outcome"):
        stopped_em(np.eye(2), np.zeros(2, int), np.ones(2))
