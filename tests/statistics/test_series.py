from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import special, stats
from tests.evidence import PACKED

from rankwell.statistics.series import autocovariances, block_length, effective_size, mean_change

WORKED = [
    case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["section"] == "D trend"
]
NONE = math.nan


def drifting(n, rho, seed):
    """An autoregressive series, whose mean has the variance (1 + ρ)/(1 − ρ) times that of independent values."""
    noise = np.random.default_rng(seed).normal(size=n)
    values = np.zeros(n)
    for at in range(1, n):
        values[at] = rho * values[at - 1] + noise[at]
    return values


def by_loops(values):
    """The block length by the words of Politis & White (2004) and Patton, Politis & White (2009), one sum at a time."""
    n, mean = len(values), float(np.mean(values))

    def gamma(lag):
        return math.fsum((values[at] - mean) * (values[at + lag] - mean) for at in range(n - lag)) / n

    run = max(5, math.ceil(math.sqrt(math.log10(n))))
    longest = min(math.ceil(math.sqrt(n)) + run, n - 1)
    limit = 2 * math.sqrt(math.log10(n) / n)
    rho = [gamma(lag) / gamma(0) for lag in range(longest + 1)]
    # the smallest lag that is followed by enough lags with small correlations
    found = [m for m in range(longest - run + 1) if all(abs(rho[m + k]) < limit for k in range(1, run + 1))]
    m = found[0] if found else max(lag for lag in range(1, longest + 1) if abs(rho[lag]) >= limit)
    most = min(2 * max(m, 1), longest)

    def window(t):
        return 1.0 if abs(t) <= 0.5 else 2 * (1 - abs(t))

    g = sum(window(k / most) * abs(k) * gamma(abs(k)) for k in range(-most, most + 1))
    d = 2 * sum(window(k / most) * gamma(abs(k)) for k in range(-most, most + 1)) ** 2
    best = (2 * g * g / d) ** (1 / 3) * n ** (1 / 3)
    return min(max(best, 1), math.ceil(min(3 * math.sqrt(n), n / 3)))


@pytest.mark.parametrize(
    ("n", "rho"), [(40, 0.3), (200, 0.0), (300, 0.9), (400, 0.5), (300, -0.4), (50, 0.99)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_block_length_is_that_of_the_papers(n, rho, seed):
    values = drifting(n, rho, seed)
    assert block_length(values) == pytest.approx(by_loops(values), rel=1e-9)


def test_autocovariances_are_sums_of_products():
    values = np.random.default_rng(0).normal(size=17)
    centred = values - values.mean()
    expected = [float(centred[: 17 - lag] @ centred[lag:]) / 17 for lag in range(17)]
    np.testing.assert_allclose(autocovariances(values), expected, atol=1e-14)


@pytest.mark.parametrize(("n", "rho"), [(120, 0.5), (60, 0.0)])
def test_the_variance_is_that_of_the_stationary_bootstrap(n, rho):
    """Against drawn series: blocks that begin anywhere, go on with probability 1 − p, and wrap around."""
    values = drifting(n, rho, 5)
    stay = 1 - 1 / block_length(values)
    rng = np.random.default_rng(1)
    means = []
    for _ in range(20_000):
        begins = rng.random(n) >= stay
        begins[0] = True
        starts = rng.integers(n, size=n)
        last = np.maximum.accumulate(np.where(begins, np.arange(n), 0))
        means.append(values[(starts[last] + np.arange(n) - last) % n].mean())
    expected = min(max(values.var() / np.var(means), 1), n)
    assert effective_size(values) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
def test_a_drifting_series_is_worth_as_many_values_as_theory_says(rho):
    shares = [effective_size(drifting(2000, rho, seed)) / 2000 for seed in range(30)]
    assert np.median(shares) == pytest.approx((1 - rho) / (1 + rho), rel=0.25, abs=0.02)


@pytest.mark.parametrize("values", [[], [1.0], [2.0] * 50])
def test_series_without_spread_are_worth_all_their_values(values):
    assert effective_size(np.array(values)) == len(values)
    assert block_length(np.array(values)) == 1


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_short_series_have_sizes_in_their_range(n):
    for seed in range(20):
        values = np.random.default_rng(seed).normal(size=n)
        assert 1 <= effective_size(values) <= n
        assert block_length(values) >= 1


def columns(before, after):
    """The values of two dates, a column per query of either."""
    queries = sorted({*before, *after})
    return [np.array([own.get(query, NONE) for query in queries]) for own in (before, after)]


@pytest.mark.parametrize("case", WORKED, ids=[case["id"] for case in WORKED])
def test_worked_changes_come_out(case):
    found, expected = mean_change(*columns(**case["input"])), case["expected"]
    near = {"abs": case["tolerance"]}
    assert (found.shared, found.df) == (expected["shared"], expected["df"])
    assert (found.change, found.se) == pytest.approx((expected["change"], expected["se"]), **near)
    assert [found.low, found.high] == pytest.approx(expected["interval"], **near)


def test_there_is_a_worked_change_with_all_with_some_and_with_no_queries_shared():
    assert sorted(case["expected"]["shared"] for case in WORKED) == [0, 2, 4]


def by_formula(before, after, level):
    """The bounds of a change, one sum at a time."""
    one, two = ([x for x in own if not math.isnan(x)] for own in (before, after))
    pairs = [(x, y) for x, y in zip(before, after, strict=True) if not math.isnan(x + y)]

    def mean(own):
        return math.fsum(own) / len(own)

    def variance(own):
        return math.fsum((x - mean(own)) ** 2 for x in own) / (len(own) - 1)

    square = variance(one) / len(one) + variance(two) / len(two)
    if len(pairs) > 1:
        left, right = (mean(own) for own in zip(*pairs, strict=True))
        common = math.fsum((x - left) * (y - right) for x, y in pairs) / (len(pairs) - 1)
        square -= 2 * len(pairs) * common / (len(one) * len(two))
    reach = stats.t.ppf((1 + level) / 2, min(len(one), len(two)) - 1) * math.sqrt(square)
    change = mean(two) - mean(one)
    return change, change - reach, change + reach


@pytest.mark.parametrize("seed", range(20))
def test_a_change_is_what_the_formula_gives_whatever_queries_are_shared(seed):
    rng = np.random.default_rng(seed)
    before, after = rng.random((2, 40))
    after[: 10 + seed] += before[: 10 + seed]
    before[rng.random(40) < seed / 25], after[rng.random(40) < 0.3] = NONE, NONE
    level = float(rng.choice([0.8, 0.95]))
    found = mean_change(before, after, level=level)
    expected = by_formula(before.tolist(), after.tolist(), level)
    assert (found.change, found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_one_shared_query_has_no_covariance():
    before, after = [0.1, 0.9, 0.4, NONE, NONE], [NONE, NONE, 0.8, 0.3, 0.2]
    found = mean_change(np.array(before), np.array(after))
    assert found.shared == 1
    assert (found.change, found.low, found.high) == pytest.approx(by_formula(before, after, 0.95))


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ([NONE], [0.5], NONE),
        ([0.25], [0.5], 0.25),
        ([0.25, NONE, NONE], [NONE, 0.5, 1.0], 0.5),
        ([0.25, 0.25], [0.5, 0.5], 0.25),
        ([0.1, 0.7, 0.4], [0.2, 0.8, 0.5], 0.1),
        # the covariance of two queries is larger than the variances of all allow
        ([0.0, 1.0, 0.5, NONE], [0.0, 1.0, NONE, 0.5], 0.0),
    ],
)
def test_without_a_variance_there_is_a_change_and_no_interval(before, after, change):
    found = mean_change(np.array(before), np.array(after))
    assert found.change == pytest.approx(change, nan_ok=True)
    assert all(map(math.isnan, (found.se, found.low, found.high)))
    assert not found.is_doubtful


def test_a_change_is_doubtful_with_few_queries_or_few_that_differ():
    rng = np.random.default_rng(1)
    before, after = rng.random((2, 60))
    assert not mean_change(before, after).is_doubtful
    assert mean_change(before[:49], after[:49]).is_doubtful
    assert mean_change(np.append(before[:49], [NONE] * 60), np.append([NONE] * 49, after)).is_doubtful
    same = before.copy()
    same[:29] = after[:29]
    assert mean_change(before, same).is_doubtful  # 31 queries without a difference
    same[:31] = after[:31]
    assert not mean_change(before, same).is_doubtful


@pytest.mark.parametrize("values", ["even", "of 0 and 1"])
@pytest.mark.parametrize("shared", [0, 0.5, 1])
def test_intervals_of_a_change_hold_the_true_one_in_about_95_of_100_samples(shared, values):
    rng = np.random.default_rng(20261123)
    size, times, held = 60, 1500, 0
    common = round(size * shared)
    cuts = {"even": None, "of 0 and 1": (0.3, 0.4)}[values]
    true = 0.0 if cuts is None else cuts[1] - cuts[0]
    # two even values with a rank correlation of about 0.9
    normal = rng.normal(size=(times, 3, 2 * size - common))
    for before, after in special.ndtr((3 * normal[:, :1] + normal[:, 1:]) / math.sqrt(10)):
        if cuts is not None:
            before, after = (before < cuts[0]) * 1.0, (after < cuts[1]) * 1.0
        before[size:], after[: size - common] = NONE, NONE
        found = mean_change(before, after)
        assert found.shared == common
        held += found.low <= true <= found.high
    assert 0.935 <= held / times <= 0.965
