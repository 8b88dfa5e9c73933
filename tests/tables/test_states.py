"""States add exactly: however the queries were cut into batches, the value is that of all of them, rounded once."""

from __future__ import annotations

import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import every

from rankwell.metrics import metric_of
from rankwell.tables.states import GeometricMean, Mean, Total, WeightedMean, exact_sum, group_means

FINITE = st.floats(allow_nan=False, allow_infinity=False)
STATES = {
    "mean": Mean.of,
    "total": Total.of,
    "weighted mean": lambda values: WeightedMean.of(values, np.arange(1.0, len(values) + 1)),
    "geometric mean": lambda values: GeometricMean.of(np.abs(values) + 1e-9),
}


def cut(values, rng):
    """Values in batches of any size, in any order."""
    ends = sorted(rng.choices(range(len(values) + 1), k=4))
    parts = np.split(values, ends)
    rng.shuffle(parts)
    return parts


@given(st.lists(FINITE, max_size=72))
def test_a_sum_is_that_of_fractions(values):
    assert Fraction(exact_sum(np.array(values)), 2**1127) == sum(map(Fraction, values))


@every("seed", range(50))
@pytest.mark.parametrize("word", ["mean", "total"])
def test_batches_in_any_order_give_the_state_of_the_whole(seed, word):
    rng = random.Random(seed)
    values = np.array([rng.choice([1e-300, 1.0, 1 / 3, 1e16, -1e16]) for _ in range(rng.randint(0, 80))])
    parts = [STATES[word](part) for part in cut(values, rng)]
    assert sum(parts[1:], parts[0]) == STATES[word](values)


@every("seed", range(50))
@pytest.mark.parametrize("word", ["weighted mean", "geometric mean"])
def test_adding_is_associative_and_has_a_neutral_element(seed, word):
    rng = random.Random(seed)
    a, b, c = (STATES[word](np.array([rng.random() for _ in range(rng.randint(0, 5))])) for _ in range(3))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + STATES[word](np.empty(0)) == a


@given(st.lists(FINITE.filter(lambda value: abs(value) < 1e300), min_size=1, max_size=40))
def test_a_mean_is_rounded_once(values):
    assert Mean.of(np.array(values)).value == float(sum(map(Fraction, values)) / len(values))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.125, 8)), min_size=1, max_size=40))
def test_a_weighted_mean_is_that_of_fractions_of_the_products(pairs):
    values, weights = (np.array(column) for column in zip(*pairs, strict=True))
    wanted = sum(map(Fraction, (values * weights).tolist())) / sum(map(Fraction, weights.tolist()))
    assert WeightedMean.of(values, weights).value == float(wanted)


def test_a_total_is_the_sum_and_not_a_mean():
    assert (Total.of(np.array([3.0, 4.0])) + Total.of(np.array([1.0]))).value == 8


@every("seed", range(20))
def test_a_geometric_mean_is_the_root_of_the_product(seed):
    rng = random.Random(seed)
    values = np.array([rng.uniform(0.01, 1) for _ in range(rng.randint(1, 12))])
    assert GeometricMean.of(values).value == pytest.approx(math.prod(values) ** (1 / len(values)), rel=1e-12)


def test_what_was_added_to_zeros_is_taken_off_again():
    metric = metric_of("gmap(epsilon=0.00001)")
    assert metric.value(metric.summary(np.zeros(2))) == 0


@pytest.mark.parametrize("word", STATES)
def test_a_state_says_on_how_many_values_it_rests(word):
    made = STATES[word](np.array([0.5, 0.25]))
    assert (made + made).n == 4


@pytest.mark.parametrize("word", ["mean", "weighted mean", "geometric mean"])
def test_the_mean_of_nothing_is_undefined(word):
    assert math.isnan(STATES[word](np.empty(0)).value)


@pytest.mark.parametrize("word", STATES)
def test_a_state_pickles(word):
    made = STATES[word](np.array([0.1, 0.7]))
    assert pickle.loads(pickle.dumps(made)) == made


def test_means_of_groups_are_those_of_each_group_alone():
    draw = np.random.default_rng(8)
    odd = [-0.0, 5e-324, 5e-324, 1e308, 1.7e308, -1e300, 2.0**31, -(2.0**31), 2.0**-93, 2.0**-94, 1 / 3]
    for spread in (0, 3, 40, 300):
        values = np.concatenate(
            [(draw.random(400) - 0.2) * 10.0 ** draw.integers(-spread, spread + 1, 400), odd]
        )
        ends = np.cumsum(draw.integers(0, 12, 60))
        offsets = np.concatenate([[0, 0], ends[ends < 400], np.arange(400, len(values) + 1)])
        for low, high, mean in zip(
            offsets[:-1], offsets[1:], group_means(values, offsets).tolist(), strict=True
        ):
            expected = Mean.of(values[low:high]).value
            assert repr(mean) == repr(expected)


def test_a_part_taken_from_a_state_leaves_the_state_of_the_rest():
    draw = np.random.default_rng(9)
    values, weights = draw.random(50) + 0.1, draw.random(50)
    for kind in (Mean, Total, GeometricMean):
        assert kind.of(values).without(kind.of(values[:20])) == kind.of(values[20:])
    whole, part = (WeightedMean.of(values[rows], weights[rows]) for rows in (slice(None), slice(20)))
    assert whole.without(part) == WeightedMean.of(values[20:], weights[20:])
    assert Total.repeated(np.array([0.1, 0.7]), np.array([3, 2])) == Total.of(
        np.array([0.1, 0.1, 0.1, 0.7, 0.7])
    )


@pytest.mark.parametrize("n", [3, 6, 40])
def test_means_of_groups_of_large_values_are_exact(n):
    # near 2**31 a few values already overflow 64 bits in the units in which groups are summed
    values = np.repeat([2e9, 1.5e9], [n, 1])
    means = group_means(values, np.array([0, n, n + 1]))
    assert means.tolist() == [2e9, 1.5e9]
