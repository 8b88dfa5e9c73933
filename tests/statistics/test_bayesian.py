"""The Bayesian bootstrap, against its known moments and NumPy's Dirichlet weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from rankwell.statistics.bootstrap import POSTERIOR, chances, chances_of_many, posterior
from rankwell.statistics.draws import further, replicates, uniform

D = np.random.default_rng(5).exponential(0.1, 40) - 0.07
UNITS = np.random.default_rng(0).integers(0, 2**63, 40).astype(np.uint64)


def test_the_posterior_is_that_of_dirichlet_weights():
    found = posterior(D, UNITS, rope=0.02, times=40_000)
    means = np.random.default_rng(1).dirichlet(np.ones(40), 40_000) @ D
    told = [(means < -0.02).mean(), (np.abs(means) <= 0.02).mean(), (means > 0.02).mean()]
    assert [found.below, found.within, found.above] == pytest.approx(told, abs=0.012)
    assert found.below + found.within + found.above == pytest.approx(1)
    assert [found.low, found.high] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.002)


def test_of_two_values_the_posterior_is_uniform_between_them():
    found = posterior(np.array([0.0, 1.0]), UNITS[:2], rope=0.3, level=0.8, times=50_000)
    assert found[1:6] == pytest.approx((0.1, 0.9, 0.0, 0.3, 0.7), abs=0.01)


def test_weights_are_exponential_and_belong_to_units():
    drawn = -np.log1p(-uniform(further(replicates(3, POSTERIOR, 0, 500)[:, None], UNITS)))
    assert scipy.stats.kstest(drawn.ravel(), "expon").pvalue > 0.001
    order = np.random.default_rng(2).permutation(40)
    one, other = posterior(D, UNITS, rope=0.01), posterior(D[order], UNITS[order], rope=0.01)
    assert one == pytest.approx(other, abs=1e-12)
    assert one != posterior(D, UNITS, rope=0.01, seed=1)


def test_the_spread_is_that_of_the_formula():
    """Var = Σ(d − mean)² / (n (n + 1)); the credible interval is near mean ± 1.96 of its root."""
    d = np.random.default_rng(6).normal(0.1, 1, 400)
    found = posterior(d, np.arange(400, dtype=np.uint64), rope=0.1, times=20_000)
    reach = 1.96 * math.sqrt(((d - d.mean()) ** 2).sum() / (400 * 401))
    assert (found.high - found.low) / 2 == pytest.approx(reach, rel=0.03)


def test_the_chances_of_many_rows_are_those_of_each_alone():
    rng = np.random.default_rng(9)
    rows = np.vstack([D, D + rng.normal(0, 0.1, 40), np.full(40, math.nan)])
    rows[1, ::3] = math.nan
    rows[2, 0] = 0.1
    found = chances(rows, UNITS, rope=0.02, times=500)
    for at, row in enumerate(rows[:2]):
        own = ~np.isnan(row)
        told = posterior(row[own], UNITS[own], rope=0.02, times=500)
        assert found[:, at] == pytest.approx(told[3:6], abs=1e-12)
    assert np.isnan(found[:, 2]).all()


def test_whole_clusters_are_drawn_and_weighted_as_dirichlet_weights_of_their_sums():
    clusters, sizes = np.arange(40, dtype=np.uint64) // 4, np.random.default_rng(3).random(40)
    found = chances(D[None], clusters, rope=0.02, sizes=sizes, times=40_000)[:, 0]
    own = np.random.default_rng(1).dirichlet(np.ones(10), 40_000)
    total, size = (np.bincount(clusters.astype(int), each) for each in (D * sizes, sizes))
    means = (own @ total) / (own @ size)
    told = [(means < -0.02).mean(), (np.abs(means) <= 0.02).mean(), (means > 0.02).mean()]
    assert found == pytest.approx(told, abs=0.012)


def test_what_cannot_be_said():
    assert math.isnan(posterior(np.array([0.1]), UNITS[:1], rope=0.1).above)
    assert math.isnan(posterior(np.array([]), UNITS[:0], rope=0.1).mean)
    equal = posterior(np.full(9, 0.1), UNITS[:9], rope=0.05)
    assert (equal.above, equal.within) == (1.0, 0.0)
    assert posterior(np.full(9, 0.1), UNITS[:9], rope=0.1).within == 1.0
    for rope in -0.1, math.nan:
        with pytest.raises(ValueError, match="must be 0 or more"):
            posterior(D, UNITS, rope=rope)


@pytest.mark.parametrize("kind", ["normal", "mostly 0"])
def test_of_very_many_differences_student_says_what_the_bootstrap_does(kind):
    random = np.random.default_rng(2)
    n = 5_000
    d = random.normal(size=(1, n)) if kind == "normal" else np.where(random.random((1, n)) < 0.1, 0.5, 0.0)
    d[:, : n // 2] *= random.choice([-1, 1], n // 2)
    mean, error = d.mean(axis=1), d.std(axis=1, ddof=1) / math.sqrt(n)
    for apart in (-1.5, 0.0, 1.0):
        rope = float(np.abs(mean + apart * error)[0])
        found = chances_of_many(mean, error, np.array([float(n)]), rope)
        told = chances(d, np.arange(n, dtype=np.uint64), rope=rope)
        assert found == pytest.approx(told, abs=4 * math.sqrt(0.25 / 4000))
        assert found.sum() == pytest.approx(1)


def test_very_many_differences_without_spread_are_where_they_are():
    mean, nothing = np.array([0.0, 0.02, -0.02, 0.01, math.nan]), np.array([0.0, 0.0, 0.0, 0.0, math.nan])
    found = chances_of_many(mean, nothing, np.full(5, 1e6), 0.01)
    assert found[:, :4].tolist() == [[0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0]]
    assert np.isnan(found[:, 4]).all()
