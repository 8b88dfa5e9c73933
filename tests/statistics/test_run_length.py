from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import special, stats
from tests.evidence import PACKED

from rankwell.errors import UsageError
from rankwell.statistics.series import (
    Baseline,
    Reference,
    cusum,
    looks_to_see,
    run_length,
    threshold_for,
)

WORKED = {
    case["id"]: case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["section"] == "D watch"
}


def by_a_chain(threshold, drop=0.0, states=800):
    """The mean number of looks by the chain of Brook & Evans (1972), in which S takes equally wide steps."""
    width = 2 * threshold / (2 * states - 1)
    ends = (np.arange(states)[None, :] - np.arange(states)[:, None] + 0.5) * width + 0.5 - drop
    below = special.ndtr(ends)
    chances = np.diff(below, axis=1, prepend=0)
    chances[:, 0] = below[:, 0]
    return float(np.linalg.solve(np.eye(states) - chances, np.ones(states))[0])


def simulated(threshold, reference, drop, looks, samples, seed):
    """For each of some references the looks until the first alarm, at most so many, and the number of alarms in all looks."""
    rng = np.random.default_rng(seed)
    mean = rng.normal(0, 1 / math.sqrt(reference.days), samples)
    spread = np.sqrt(rng.chisquare(reference.freedom, samples) / reference.freedom)
    total, first, alarms = np.zeros(samples), np.full(samples, looks), np.zeros(samples, int)
    for look in range(1, looks + 1):
        z = (rng.normal(-drop, 1, samples) - mean) / spread
        total = np.maximum(0, total - z - 0.5)
        is_over = total > threshold
        first = np.where(is_over & (first == looks), look, first)
        alarms += is_over
        total[is_over] = 0
        if drop and (first < looks).all():
            break
    return first, alarms


def worked(name):
    case = WORKED[name]
    return case["input"], case["expected"]


def test_the_sum_of_the_worked_case_raises_its_alarm():
    given, expected = worked("d.cusum")
    total, is_alarm = cusum(np.array(given["z"], float), given["h"])
    assert total == pytest.approx(expected["S"])
    assert (is_alarm.nonzero()[0] + 1).tolist() == expected["alarms on day"]


def test_no_look_gives_no_sum():
    assert [len(each) for each in cusum(np.empty(0), 4.0)] == [0, 0]


def test_the_part_of_the_days_is_that_of_the_worked_case():
    given, expected = worked("d.day_part")
    days = np.array(given["days"])
    found = Baseline.of(days, np.full(len(days), 0.3**2 / 400), np.zeros(len(days), int))
    assert found.variance == pytest.approx(expected["variance"])
    assert found.sampling == pytest.approx(expected["sampling"])
    assert found.day_part == expected["tau2"]
    assert found.z(0.380, 0.3**2 / 250, 0) == pytest.approx(expected["z"])


def test_a_reference_by_weekday_is_that_of_plain_loops():
    rng = np.random.default_rng(1)
    days, kinds = rng.normal(0.4, 0.02, 35), np.arange(35) % 7
    found = Baseline.of(days, np.full(35, 1e-5), kinds)
    means = {kind: sum(days[at] for at in range(35) if at % 7 == kind) / 5 for kind in range(7)}
    errors = [days[at] - means[at % 7] for at in range(35)]
    squares = math.fsum(error**2 for error in errors)
    lagged = math.fsum(errors[at] * errors[at + 1] for at in range(34))
    assert found.means == pytest.approx(means)
    assert found.variance == pytest.approx(squares / 28)
    assert found.autocorrelation == pytest.approx(lagged / squares)
    assert found.reference == (35, 28)
    scale = math.sqrt(squares / 28 - 1e-5 + 2e-5) * math.sqrt(1 + 6 / 35)
    assert found.z(0.38, 2e-5, 3) == pytest.approx((0.38 - means[3]) / scale)


def test_days_that_are_equal_have_no_autocorrelation():
    assert math.isnan(Baseline.of(np.full(14, 0.5), np.zeros(14), np.zeros(14, int)).autocorrelation)


def test_run_lengths_are_those_of_the_worked_case():
    given, expected = worked("d.run_length")
    tolerance = WORKED["d.run_length"]["tolerance"]
    assert [run_length(h) for h in given["h"]] == pytest.approx(expected["ARL0"], rel=tolerance)
    h = expected["h of 365, known reference"]
    assert threshold_for(365) == pytest.approx(h, rel=tolerance)
    seen = expected["days until a drop of 1 and 2 sigma is seen at that h"]
    assert [run_length(h, 1), run_length(h, 2)] == pytest.approx(seen, rel=tolerance)


@pytest.mark.parametrize("threshold", [0.5, 2.0, 4.0, 7.0])
@pytest.mark.parametrize("drop", [0.0, 0.5, 2.0])
def test_run_lengths_are_those_of_a_fine_chain(threshold, drop):
    assert run_length(threshold, drop) == pytest.approx(by_a_chain(threshold, drop), rel=5e-4)


def test_thresholds_of_estimated_references_are_those_of_the_worked_case():
    given, expected = worked("d.h_estimated")
    tolerance = WORKED["d.h_estimated"]["tolerance"]
    found = [threshold_for(365, Reference(days, days - 1)) for days in given["D"]]
    assert found == pytest.approx(expected["h"], abs=tolerance)
    found = [threshold_for(365, Reference(days, days - 7)) for days in (28, 56)]
    assert found == pytest.approx(expected["h by weekday, D 28 56"], abs=tolerance)


@pytest.mark.parametrize("reference", [Reference(14, 13), Reference(28, 21)])
def test_thresholds_keep_their_promise_over_many_references_by_quantiles(reference):
    # both errors at equally likely quantiles, and the chain with equal steps, instead of quadrature
    at = (np.arange(20) + 0.5) / 20
    means = stats.norm.ppf(at) / math.sqrt(reference.days)
    spreads = np.sqrt(stats.chi2.ppf(at, reference.freedom) / reference.freedom)
    h = threshold_for(100, reference)
    rates = []
    for spread in spreads:
        # (z − mean)/spread against h and ½: z against spread·h and spread/2 + mean
        rates += [1 / by_a_chain(h * spread, 0.5 - spread / 2 + mean, states=60) for mean in means]
    assert 1 / np.mean(rates) == pytest.approx(100, rel=0.07)


def test_a_promise_is_kept_in_a_simulation():
    reference = Reference(28, 27)
    alarms = simulated(threshold_for(100, reference), reference, 0.0, 1_000, 20_000, seed=3)[1]
    assert alarms.mean() * 100 / 1_000 == pytest.approx(1, abs=0.03)


def test_a_threshold_for_a_known_reference_is_less_than_any_for_an_estimated_one():
    found = [threshold_for(365, Reference(days, days - 1)) for days in (14, 20, 28, 60, 365, 4_000)]
    assert found == sorted(found, reverse=True)
    assert threshold_for(365) < found[-1] < threshold_for(365) + 0.02


def test_looks_until_a_drop_is_seen_are_those_of_the_worked_case():
    given, expected = worked("d.days_to_see")
    reference = Reference(given["D"], given["D"] - 1)
    found = [looks_to_see(drop, given["h"], reference) for drop in (1.0, 2.0)]
    assert found == pytest.approx(expected["days"], rel=WORKED["d.days_to_see"]["tolerance"])


@pytest.mark.parametrize(
    ("reference", "drop"),
    [(Reference(14, 13), 2.0), (Reference(28, 21), 1.5), (Reference(28, 27), 1.0), (Reference(90, 83), 0.5)],
)
def test_looks_until_a_drop_is_seen_are_those_of_a_simulation(reference, drop):
    h = threshold_for(365, reference)
    first = simulated(h, reference, drop, 4_096, 20_000, seed=4)[0]
    assert looks_to_see(drop, h, reference) == pytest.approx(first.mean(), rel=0.05)


def test_a_drop_that_no_reference_shows_counts_as_eleven_years():
    assert looks_to_see(-3.0, 8.0, Reference(28, 27)) == pytest.approx(4_096, rel=1e-6)


def test_a_promise_that_is_none_is_refused():
    with pytest.raises(UsageError, match="one false alarm in 3 looks is no watch; allow one in 4 or rarer"):
        threshold_for(3)
    with pytest.raises(UsageError, match="one false alarm in nan looks"):
        threshold_for(math.nan)


def test_a_promise_that_so_few_days_cannot_hold_is_refused():
    with pytest.raises(
        UsageError,
        match=r"one false alarm in 100,000 looks cannot be promised with a reference of 14 days\. Take",
    ):
        threshold_for(100_000, Reference(14, 13))
    with pytest.raises(UsageError, match=r"looks cannot be promised\. Take"):
        threshold_for(1e18)
