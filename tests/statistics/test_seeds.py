"""Means over seeds and units, against a plain loop and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.intervals import LIMITS, WEIGHTS, interval
from rankwell.statistics.seeds import SEEDS, drawn_counts, pool_units, seeds_interval

UNITS = np.random.default_rng(0).integers(0, 2**63, 100).astype(np.uint64)


def model(rng, seeds, of_seeds, base):
    """Values whose mean over seeds and units is 0.5."""
    own = base + rng.normal(0, 0.1, base.shape)
    return 0.5 + own + rng.normal(0, of_seeds, (seeds, 1)) + rng.normal(0, 0.1, (seeds, len(base)))


def test_the_interval_is_that_of_a_plain_loop():
    rng = np.random.default_rng(3)
    first, second = (model(rng, seeds, 0.05, np.zeros(25)) for seeds in (3, 4))
    found = seeds_interval(first, second, UNITS[:25], times=199, seed=2)

    def moments(x, y, weights):
        repeated = np.repeat(np.arange(25), weights.astype(int))
        x, y = x[:, repeated], y[:, repeated]
        d = x.mean(axis=0) - y.mean(axis=0)
        squared = d.var(ddof=1) / len(repeated)
        for side in x, y:
            means = side.mean(axis=1)
            squared += means.var(ddof=1) / len(means)
        return d.mean(), math.sqrt(squared)

    mean, error = moments(first, second, np.ones(25))
    weights = resample.poisson(replicates(2, WEIGHTS, 0, 199), UNITS[:25], LIMITS)
    counts = [
        drawn_counts(replicates(2, purpose, 0, 199), seeds).astype(int)
        for purpose, seeds in zip(SEEDS, (3, 4), strict=True)
    ]
    t = []
    for row in range(199):
        x, y = (
            np.repeat(side, each[row], axis=0) for side, each in zip((first, second), counts, strict=True)
        )
        own, spread = moments(x, y, weights[row])
        t.append((own - mean) / spread)
    t.sort()
    assert (found.mean, found.error) == pytest.approx((mean, error))
    assert (found.low, found.high) == pytest.approx((mean - t[194] * error, mean - t[4] * error))


@pytest.mark.parametrize(("seeds", "of_seeds"), [(3, 0.0), (3, 0.02), (5, 0.02), (5, 0.1)])
def test_intervals_cover_the_difference_of_methods(seeds, of_seeds):
    """300 pairs of equal methods: 95 % ± 3 standard errors of the simulation; and what units alone would cover."""
    rng, covered, naive = np.random.default_rng(8), 0, 0
    for seed in range(300):
        base = rng.normal(0, 0.3, 100)
        first, second = (model(rng, seeds, of_seeds, base) for _ in range(2))
        found = seeds_interval(first, second, UNITS, times=399, seed=seed)
        covered += found.low <= 0 <= found.high
        alone = interval(first[0] - second[0], UNITS, method="t")
        naive += alone.low <= 0 <= alone.high
    assert covered / 300 == pytest.approx(0.95, abs=0.04)
    if of_seeds == 0.1:
        assert naive / 300 < 0.5


def test_seeds_are_drawn_with_replacement():
    counts = drawn_counts(replicates(1, 5, 0, 20_000), 3)
    assert (counts.sum(axis=1) == 3).all()
    assert (counts.max(axis=1) == 3).mean() == pytest.approx(1 / 9, abs=0.01)
    assert counts.mean(axis=0) == pytest.approx([1, 1, 1], abs=0.03)


def test_one_system_alone_and_the_share_of_seeds():
    rng = np.random.default_rng(5)
    values = model(rng, 6, 0.2, np.zeros(100))
    found = seeds_interval(values, None, UNITS)
    assert found.low < values.mean() < found.high
    assert found.of_seeds > 0.9
    same = np.tile(values[0], (3, 1))
    lone = seeds_interval(same, None, UNITS, seed=4)
    assert lone.of_seeds == pytest.approx(0, abs=1e-12)
    told = interval(values[0], UNITS, seed=4)
    assert (lone.low, lone.high) == pytest.approx((told.low, told.high))


def test_what_cannot_be_said():
    values = np.random.default_rng(1).random((3, 40))
    with pytest.raises(ValueError, match="2 seeds of a system; at least 3"):
        seeds_interval(values, values[:2], UNITS[:40])
    assert math.isnan(seeds_interval(np.full((3, 40), 0.3), None, UNITS[:40]).low)
    # the same seeds twice: no difference seen, but other seeds could have made one
    assert seeds_interval(values, values, UNITS[:40]).low < 0
    assert math.isnan(seeds_interval(values[:, :1], values[:, 1:2], UNITS[:1]).error)


def test_folds_are_pooled_per_unit():
    values, units = np.array([0.2, 0.9, 0.4, 0.6, 0.3]), np.array([5, 3, 5, 5, 3], np.uint64)
    numbers, means = pool_units(values, units)
    assert numbers.tolist() == [3, 5]
    assert means == pytest.approx([0.6, 0.4])
