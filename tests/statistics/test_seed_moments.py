"""Several seeds on very many units: sums that add up, and an interval that is that of the bootstrap of the units themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.statistics.intervals import is_doubtful
from rankwell.statistics.seeds import SeedMoments, seeds_interval


def trained(random, n, seeds, spread, zeros=0.0):
    """Values of some trainings of a method on the same units, of which some have 0 whatever the training."""
    base = np.where(random.random(n) < zeros, 0.0, random.random(n))
    apart = random.normal(0, spread, seeds)[:, None] + 0.3 * (random.random((seeds, n)) - 0.5)
    return base + apart * (base > 0)


EVERY = [(systems, spread, zeros) for systems in (1, 2) for spread in (0.05, 0.0005) for zeros in (0.0, 0.9)]
USUAL = [(1, 0.0005, 0.9), (2, 0.05, 0.0), (2, 0.0005, 0.9)]


@pytest.mark.parametrize(
    ("systems", "spread", "zeros"),
    [pytest.param(*each, marks=() if each in USUAL else pytest.mark.exhaustive) for each in EVERY],
)
def test_the_interval_is_that_of_drawn_units(systems, spread, zeros):
    random = np.random.default_rng(int(1000 * spread) + systems)
    n = 4_000
    values = [trained(random, n, seeds, spread, zeros) for seeds in (4, 3)[:systems]]
    units = np.arange(n, dtype=np.uint64)
    centres = [each.mean() + 0.01 for each in values]
    told = [seeds_interval(values[0], *values[1:] or [None], units, seed=seed) for seed in range(5)]
    found = [
        SeedMoments.of(values, centres).interval(centres, seed=seed) for seed in range(5)
    ]  # other draws of the units, and the same of the seeds
    for one, other in zip(found, told, strict=True):
        for name in ("mean", "error", "of_seeds"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9)
        assert one.is_doubtful == other.is_doubtful
    ends = np.array([[(each.low, each.high) for each in ways] for ways in (found, told)])
    width = (ends[1, :, 1] - ends[1, :, 0]).mean()
    noise = ends[1].std(axis=0, ddof=1)
    apart = np.abs(ends[0].mean(axis=0) - ends[1].mean(axis=0))
    assert (apart <= 4 * noise / math.sqrt(3) + 0.01 * width).all()


@pytest.mark.parametrize("parts", [1, 3, 40])
def test_parts_add_up(parts):
    random = np.random.default_rng(parts)
    values = [trained(random, 1_000, 3, 0.1), trained(random, 1_000, 5, 0.1, 0.5)]
    values[0][1, :50] = np.nan
    of = np.array_split(random.permutation(1_000), parts)
    centres = [0.4, 0.6]
    found = SeedMoments.of([each[:, of[0]] for each in values], centres)
    for own in of[1:]:
        found += SeedMoments.of([each[:, own] for each in values], centres)
    whole = SeedMoments.of([each[:, 50:] for each in values], [0.5, 0.3])
    assert found.n == 950
    assert found.interval(centres, times=199) == pytest.approx(
        whole.interval([0.5, 0.3], times=199), rel=1e-10
    )


def test_rows_without_spread_and_of_few_units():
    one = SeedMoments.of([np.full((3, 500), 0.25)], [0.7])
    found = one.interval([0.7])
    assert (found.mean, found.error) == (pytest.approx(0.25), 0.0)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.is_doubtful
    for n in (0, 1):
        assert math.isnan(SeedMoments.of([np.ones((3, n))], [1.0]).interval([1.0]).low)
    values = np.where(np.arange(500) < 29, 0.5, 0.1) + np.zeros((3, 1))
    own = SeedMoments.of([values], [0.1])
    assert own.interval([0.1]).is_doubtful == is_doubtful(values[0])
