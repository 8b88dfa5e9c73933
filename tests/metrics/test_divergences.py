"""Divergences, against SciPy's functions of two single distributions and by sums written out."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy
from tests.every import every

from rankwell.metrics.beyond.calibration import DIVERGENCES, hellinger, js, kl, tv


def shares(seed):
    rng = np.random.default_rng(seed)
    rows, width = rng.integers(1, 40), rng.integers(1, 30)
    counts = rng.integers(0, 4, (2, rows, width)) + np.eye(width)[rng.integers(0, width, (2, rows))]
    return counts / counts.sum(axis=2, keepdims=True)


BY_ROW = {
    "kl": lambda p, q: float(entropy(p, q)),
    "js": lambda p, q: float(np.nan_to_num(jensenshannon(p, q, 2.0))) ** 2,
    "hellinger": lambda p, q: math.sqrt(sum((math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in zip(p, q, strict=True)) / 2),
    "tv": lambda p, q: math.fsum(max(a - b, 0) for a, b in zip(p, q, strict=True)),
}  # fmt: skip


@every("word", DIVERGENCES)
@every("seed", range(20))
def test_each_row_is_that_of_scipy_or_of_its_sum(word, seed):
    p, q = shares(seed)
    wanted = [BY_ROW[word](*pair) for pair in zip(p, q, strict=True)]
    np.testing.assert_allclose(DIVERGENCES[word](p, q), wanted, rtol=1e-12, atol=1e-15)


@every("word", DIVERGENCES)
def test_a_row_does_not_depend_on_the_others(word):
    p, q = shares(7)
    alone = [DIVERGENCES[word](p[n : n + 1], q[n : n + 1])[0] for n in range(len(p))]
    assert DIVERGENCES[word](p, q).tolist() == alone


@every("word", DIVERGENCES)
def test_equal_rows_are_exactly_0_apart_and_undefined_ones_undefined(word):
    p, _ = shares(3)
    assert not DIVERGENCES[word](p, p).any()
    assert np.isnan(DIVERGENCES[word](p * np.nan, p)).all()


def test_what_has_nothing_in_common_is_as_far_apart_as_can_be():
    p, q = np.array([[0.3, 0.7, 0, 0]]), np.array([[0, 0, 0.6, 0.4]])
    assert kl(p, q) == math.inf
    assert js(p, q) == tv(p, q) == 1
    assert hellinger(p, q) == 1
