"""Growth: laws from simulated data, the interval's coverage, and the estimates against plain loops and NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwell.errors import UsageError
from rankwell.statistics.growth import LAWS, POWER, growth

SIZES = np.geomspace(100, 100_000, 8).round()
TRUE = {
    "1": lambda n: 0 * n + 0.01,
    "log n": np.log,
    "n": lambda n: 2e-5 * n,
    "n log n": lambda n: n * np.log(n),
    "n^b": lambda n: n**0.6,
}


def drawn(rng, law, sizes=SIZES, *, turns=5, noise=0.03):
    """Values with noise that falls with the size, slow outliers, and scatter of the sizes around the law."""
    own = rng.normal(0, noise, (len(sizes), turns)) * np.geomspace(2, 0.5, len(sizes))[:, None]
    slow = (rng.random(own.shape) < 0.05) * rng.exponential(5 * noise, own.shape)
    return list(law(sizes)[:, None] * np.exp(own + slow + rng.normal(0, noise / 3, (len(sizes), 1))))


@pytest.mark.parametrize("law", TRUE)
def test_each_law_is_recognised_and_no_other_is_named(law):
    rng = np.random.default_rng(1)
    found = [growth(SIZES, drawn(rng, TRUE[law])).law for _ in range(30)]
    assert found.count(law) >= 24
    assert sum(each not in (law, "") for each in found) <= 2  # each has a chance of 5 %, and so has n^b


@pytest.mark.parametrize("constant", [1_000, 10_000, 100_000])
def test_a_constant_plus_n_is_not_called_by_any_name(constant):
    rng = np.random.default_rng(2)
    found = [growth(SIZES, drawn(rng, lambda n: constant + n)) for _ in range(20)]
    assert sum(each.law != "" for each in found) <= 1
    bent = [each for each in found if each.why == "bend"]
    assert len(bent) >= 19
    assert all(each.ends[0] < 0.5 < each.ends[1] for each in bent if constant == 10_000)
    assert all(math.isnan(each.predict(200_000).value) for each in bent)


@pytest.mark.parametrize("kind", ["equal", "unequal", "scatter"])
def test_the_interval_covers_the_exponent_as_often_as_it_says(kind):
    rng, times, covered, low = np.random.default_rng(3), 250, 0, 0
    for _ in range(times):
        noise = rng.normal(0, 0.05, (8, 5))
        if kind == "unequal":
            noise *= np.geomspace(4, 0.2, 8)[:, None]
        if kind == "scatter":
            noise += rng.normal(0, 0.05, (8, 1))
        found = growth(SIZES, list(SIZES[:, None] * np.exp(noise)))
        covered += found.low <= 1 <= found.high
        low += found.high < 1
    # 0.95 less 3 standard errors, and never too wide to say anything
    assert covered / times >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / times)
    assert low > 0 or kind == "equal"


def test_estimates_are_those_of_plain_loops_and_of_numpy():
    rng = np.random.default_rng(4)
    values = [each * 1.0 for each in drawn(rng, TRUE["n log n"], noise=0.1)]
    found = growth(SIZES, values)
    x = [math.log(n) for n in SIZES]
    z = [sum(math.log(y) for y in own) / len(own) for own in values]
    assert found.means == pytest.approx(z)
    # the variances are tested with the weighted fits; the scatter is known from the squares
    variances = found.variances
    scatter = _scatter(x, z, variances)
    w = [1 / (v + scatter) for v in variances]
    slope, intercept = np.polyfit(x, z, 1, w=np.sqrt(w))
    assert found.exponent == pytest.approx(slope, rel=1e-6)
    for name, law in {
        "1": lambda _: 0.0,
        "log n": math.log,
        "n": lambda t: t,
        "n log n": lambda t: t + math.log(t),
    }.items():
        left = [b - law(a) for a, b in zip(x, z, strict=True)]
        level = sum(a * b for a, b in zip(w, left, strict=True)) / sum(w)
        rss = sum(a * (b - level) ** 2 for a, b in zip(w, left, strict=True)) / (sum(w) / 8)
        assert found.aicc[name] == pytest.approx(8 * math.log(rss / 8) + 4 + 12 / 5)
    rss = sum(a * (b - intercept - slope * t) ** 2 for a, b, t in zip(w, z, x, strict=True)) / (sum(w) / 8)
    assert found.aicc[POWER] == pytest.approx(8 * math.log(rss / 8) + 6 + 24 / 4)


def _scatter(x, z, variances):
    def squares(scatter):
        w = 1 / (variances + scatter)
        line = np.polyval(np.polyfit(x, z, 1, w=np.sqrt(w)), x)
        return float((w * (z - line) ** 2).sum())

    low, high = 0.0, 10.0
    if squares(0.0) <= 6:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if squares(middle) > 6 else (low, middle)
    return low


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_few_sizes_never_choose_a_power(count):
    sizes = np.geomspace(10, 100_000, count)
    found = growth(sizes, [np.full(5, each**0.7) for each in sizes])
    assert math.isnan(found.aicc[POWER])
    assert (found.law, found.why) == ("", "sizes")
    assert found.exponent == pytest.approx(0.7)
    assert all(math.isnan(found.aicc[name]) for name in LAWS) == (count < 6)


def test_what_is_lacking_for_a_law_is_said():
    exact = [np.full(5, 3 * each) for each in SIZES]
    assert growth(SIZES, exact).law == "n"
    assert growth(SIZES, [exact[0][:4], *exact[1:]]).why == "repetitions"
    assert growth(SIZES[1:], exact[1:]).why == "sizes"
    near = np.geomspace(100, 10_000, 8)
    values = [np.full(5, 3 * each) for each in near]
    assert growth(near, values).why == "span"
    assert growth(near, values, decades=2).law == "n"


def test_values_that_are_exact_have_an_exact_exponent():
    found = growth(SIZES[::-1], [np.full(5, 7 * each**1.5) for each in SIZES[::-1]])
    assert (found.low, found.high) == pytest.approx((1.5, 1.5), abs=1e-8)
    assert found.law == "n^b"
    assert list(found.sizes) == list(SIZES)
    known = found.predict(1_000_000)
    assert known.value == pytest.approx(7e9)
    assert known.is_beyond


def test_predictions_have_intervals_for_a_decade_and_no_further():
    rng = np.random.default_rng(5)
    inside = covered = 0
    for _ in range(80):
        found = growth(SIZES, drawn(rng, TRUE["n"]))
        known, new = found.predict(1_000_000), drawn(rng, TRUE["n"], np.array([1e6]), noise=0.015)[0]
        if found.law == "n":
            inside += 1
            covered += known.low <= np.exp(np.log(new).mean()) <= known.high
    assert inside > 60
    assert covered / inside > 0.9
    assert not found.predict(500).is_beyond
    for size in (1_100_000, 50):
        far = found.predict(size)
        assert far.is_beyond
        assert math.isnan(far.low)
        assert far.value == pytest.approx(TRUE["n"](size), rel=0.2)


def test_the_band_holds_the_line_and_is_widest_at_its_ends():
    found = growth(SIZES, drawn(np.random.default_rng(6), TRUE["n^b"]))
    value, low, high = found.line(SIZES).T
    assert ((low < value) & (value < high)).all()
    wide = np.log(high / low)
    assert wide.argmax() in (0, 7)
    assert np.diff(np.log(value)) == pytest.approx(found.exponent * np.diff(np.log(SIZES)))


@pytest.mark.parametrize(
    ("sizes", "values", "message"),
    [
        ([10, 100], [[1.0], [1.0]], "at least 3 distinct sizes"),
        ([10, 10, 100], [[1.0], [1.0], [1.0]], "at least 3 distinct sizes"),
        ([1, 10, 100], [[1.0], [1.0], [1.0]], "sizes above 1"),
        ([10, 100, 1000], [[1.0], [0.0], [1.0]], "values above 0"),
        ([10, 100, 1000], [[1.0], [], [1.0]], "values above 0"),
        ([10, 100, 1000], [[1.0], [math.inf], [1.0]], "values above 0"),
    ],
)
def test_what_cannot_be_fitted_is_refused(sizes, values, message):
    with pytest.raises(UsageError, match=message):
        growth(np.array(sizes), [np.array(each) for each in values])
