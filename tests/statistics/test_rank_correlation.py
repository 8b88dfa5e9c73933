"""Agreement of two orders: against SciPy, the values of other authors' programs, and the mean over all orders of equal values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from rankwell.statistics.agreement import (
    ap_correlation,
    ap_correlation_b,
    kendall,
    kendall_bounds,
    overlap,
    swapped_pairs,
)

# J. Urbano's R package ircor 1.0: the data of its tests, and the values that they expect
X = [
    [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
    [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
    [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
]
Y = [
    [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
    [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
    [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
]
X_TIES = [
    [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
    [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
    [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
]
Y_TIES = [
    [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
    [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
    [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
]


def test_values_without_ties_are_those_of_ircor():
    assert ap_correlation(X, Y) == pytest.approx([0.8519, 0.2504, -0.6971], abs=5e-5)
    assert ap_correlation_b(X, Y) == pytest.approx([0.8333, 0.2880, -0.668], abs=5e-5)
    assert kendall(X, Y) == pytest.approx([0.9111, 0.2889, -0.6889], abs=5e-5)


def test_values_with_ties_are_those_of_ircor():
    assert ap_correlation(X, Y_TIES) == pytest.approx([0.7454, 0.2692, -0.5558], abs=5e-5)
    for one, other in (X_TIES, Y_TIES), (Y_TIES, X_TIES):
        assert ap_correlation_b(one, other) == pytest.approx([0.7321, 0.297, -0.7047], abs=5e-5)
        assert kendall(one, other) == pytest.approx([0.9398, 0.3765, -0.6510], abs=5e-5)


def test_values_are_those_of_ircors_page():
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    assert ap_correlation(x, y) == pytest.approx(0.7491182, abs=5e-8)
    assert ap_correlation(x, np.round(y * 5) / 5) == pytest.approx(0.6074515, abs=5e-8)
    assert ap_correlation_b(np.round(x * 5) / 5, np.round(y * 5) / 5) == pytest.approx(0.6269841, abs=5e-8)


def random_orders(seed, n=6):
    random = np.random.default_rng(seed)
    levels = int(random.integers(1, 8))
    return random.integers(0, levels, n).astype(float), random.integers(0, levels + 1, n).astype(float)


@pytest.mark.parametrize("seed", range(40))
def test_kendall_is_that_of_scipy(seed):
    x, y = random_orders(seed, n=12)
    told = scipy.stats.kendalltau(x, y).statistic
    assert kendall(x, y) == pytest.approx(told, abs=1e-12, nan_ok=True)


def orders(values):
    """All orders of the units, best first, that the values allow."""
    groups = [np.flatnonzero(values == value).tolist() for value in sorted(set(values), reverse=True)]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield [unit for part in parts for unit in part]


def plain_ap_correlation(reference, observed):
    """The formula of Yilmaz et al. (2008) for two orders without ties."""
    place = {unit: at for at, unit in enumerate(reference)}
    correct = [sum(place[above] < place[unit] for above in observed[:at]) for at, unit in enumerate(observed)]
    n = len(observed)
    return 2 / (n - 1) * sum(correct[i - 1] / (i - 1) for i in range(2, n + 1)) - 1


def plain_overlap(first, second, p):
    """RBO of two orders of the same units without ties, which agree wholly below their end."""
    n = len(first)
    depths = range(1, n + 1)
    return (1 - p) * sum(p ** (d - 1) * len({*first[:d]} & {*second[:d]}) / d for d in depths) + p**n


@pytest.mark.parametrize("seed", range(12))
def test_with_ties_both_are_the_mean_over_all_orders(seed):
    x, y = random_orders(seed, n=5)
    pairs = list(itertools.product(orders(x), orders(y)))
    told = np.mean([plain_ap_correlation(one, other) for one, other in pairs])
    assert ap_correlation(x, y) == pytest.approx(told, abs=1e-12)
    told = np.mean([plain_overlap(one, other, 0.8) for one, other in pairs])
    assert overlap(x, y, 0.8) == pytest.approx(told, abs=1e-12)


def test_all_orders_of_five_are_those_of_the_formula():
    first = np.arange(5, 0, -1.0)
    for order in itertools.permutations(range(5)):
        values = np.empty(5)
        values[list(order)] = first
        assert ap_correlation(first, values) == pytest.approx(
            plain_ap_correlation(range(5), order), abs=1e-12
        )
        for ties in "abw":
            told = plain_overlap(range(5), order, 0.9)
            assert overlap(first, values, 0.9, ties) == pytest.approx(told, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_rbo_b_and_w_are_what_loops_over_orders_and_sets_give(seed):
    x, y = random_orders(seed)
    n, p = len(x), 0.85
    shares = [[np.mean([unit in order[:d] for order in orders(v)]) for unit in range(n)] for v in (x, y) for d in range(1, n + 1)]  # fmt: skip
    left, right = np.array(shares[:n]), np.array(shares[n:])
    found_b, found_w = p**n, p**n
    for d in range(1, n + 1):
        one, other = left[d - 1], right[d - 1]
        found_b += (1 - p) * p ** (d - 1) * (one @ other) / math.sqrt((one @ one) * (other @ other))
        above = [{u for u in range(n) if (v > v[u]).sum() < d} for v in (x, y)]
        found_w += (1 - p) * p ** (d - 1) * 2 * len(above[0] & above[1]) / (len(above[0]) + len(above[1]))
    assert overlap(x, y, p, "b") == pytest.approx(found_b, abs=1e-12)
    assert overlap(x, y, p, "w") == pytest.approx(found_w, abs=1e-12)


def test_an_order_agrees_wholly_with_itself_also_with_ties_by_the_b_variants():
    x = np.array([3.0, 3, 2, 1, 1, 1, 0])
    assert kendall(x, x) == ap_correlation_b(x, x) == 1
    assert overlap(x, x, 0.9, "b") == pytest.approx(1) == overlap(x, x, 0.9, "w")
    assert overlap(x, x, 0.9, "a") < 1
    assert ap_correlation(x, x) < 1


def test_many_rows_at_once_are_the_rows_one_by_one():
    random = np.random.default_rng(3)
    x, y = random.integers(0, 5, (7, 6)), random.integers(0, 5, (7, 6))
    for coefficient in (kendall, ap_correlation, ap_correlation_b, overlap):
        assert coefficient(x, y).tolist() == [float(coefficient(one, other)) for one, other in zip(x, y, strict=True)]  # fmt: skip


def test_what_has_no_order_is_undefined_and_rounding_makes_none():
    same = np.array([0.3, 0.1 + 0.2, 0.3])
    assert math.isnan(kendall(same, [3, 2, 1]))
    assert math.isnan(ap_correlation_b(same, [3, 2, 1]))
    assert math.isnan(ap_correlation([1.0], [1.0]))


def test_swapped_pairs_are_those_that_both_orders_decide_and_differently():
    found = swapped_pairs([3, 2, 1, 0], [2, 3, 0, 0])
    assert list(zip(*np.nonzero(found), strict=True)) == [(1, 0)]  # unit 0 is above unit 1 in the first


@pytest.mark.parametrize(
    ("n", "tau", "least", "most"),
    [(n, tau, 0.935, 0.97) for n in (8, 12, 20) for tau in (0, 0.2, 0.4)]
    + [(8, 0.6, 0.945, 0.965), (8, 0.8, 0.98, 0.995), (12, 0.6, 0.91, 0.93), (12, 0.8, 0.91, 0.93), (20, 0.8, 0.91, 0.93)]
    + [(50, tau, 0.94, 0.96) for tau in (0, 0.4, 0.8)],
)  # fmt: skip
def test_intervals_of_tau_hold_the_true_one_as_often_as_the_documentation_says(n, tau, least, most):
    rng, rho, held, bounded = np.random.default_rng(n), math.sin(math.pi * tau / 2), 0, 0
    for _ in range(16 if n < 50 else 6):
        x, noise = rng.normal(size=(2, 500, n))
        low, high = kendall_bounds(kendall(x, rho * x + math.sqrt(1 - rho * rho) * noise), n)
        held, bounded = (
            held + int(((low <= tau) & (tau <= high)).sum()),
            bounded + int((~np.isnan(low)).sum()),
        )
    assert least <= held / bounded <= most


def test_tau_of_few_units_and_of_equal_or_reversed_orders_has_no_bounds():
    bounds = [kendall_bounds(np.array([0.5, 1.0, -1.0]), n)[0].tolist() for n in (4, 7, 8)]
    assert [[math.isnan(bound) for bound in own] for own in bounds] == [[True] * 3, [True] * 3, [False, True, True]]  # fmt: skip
