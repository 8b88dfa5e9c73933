"""Prediction-powered means, against ppi-python 0.2.3 (its figures stand beside what they check), plain formulas and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from rankwell.statistics.intervals import interval
from rankwell.statistics.ppi import prediction_powered, prediction_powered_terms

RNG = np.random.default_rng(7)
Y = RNG.beta(2, 3, 240)
F = np.clip(Y + RNG.normal(0.05, 0.15, 240), 0, 1)
SAMPLED = np.zeros(240, bool)
SAMPLED[RNG.permutation(240)[:60]] = True
TRUTH = np.where(SAMPLED, Y, np.nan)
Z = scipy.stats.norm.ppf(0.975)


@pytest.mark.parametrize(
    ("weight", "mean", "low", "high"),
    [  # ppi_mean_pointestimate and ppi_mean_ci(Y, F, U, lam=weight * 180 / 240)
        (0.0, 0.39313814, 0.34387539, 0.4424009),
        (0.4, 0.38763103, 0.34963625, 0.42562581),
        (1.0, 0.37937036, 0.3393622, 0.41937852),
    ],
)
def test_mean_and_error_are_those_of_ppi_python(weight, mean, low, high):
    found = prediction_powered(TRUTH, F, weight=weight)
    assert found.mean == pytest.approx(mean, abs=1e-8)
    # its standard deviations are divided by n, and it has the normal distribution
    assert found.error == pytest.approx((high - low) / 2 / Z, rel=0.01)
    reach = scipy.stats.t.ppf(0.975, 59) * found.error
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach))


def test_the_tuned_weight_is_that_of_ppi_python():
    found = prediction_powered(TRUTH, F)
    # _calc_lam_glm, whose covariance is divided by n
    assert found.weight == pytest.approx(0.4697780166530871 * 240 / 180 * 60 / 59)
    errors = [prediction_powered(TRUTH, F, weight=weight).error for weight in np.linspace(0, 1, 101)]
    assert found.error == pytest.approx(min(errors), rel=0.01)
    # ppi_mean_pointestimate(Y, F, U)
    assert found.mean == pytest.approx(0.38451441, abs=1e-3)


def test_without_predictions_it_is_the_classical_mean():
    found = prediction_powered(TRUTH, F, weight=0)
    units = np.arange(60, dtype=np.uint64)
    told = interval(Y[SAMPLED], units, method="t")
    assert (found.mean, found.low, found.high) == pytest.approx((told.mean, told.low, told.high))
    assert found.alone == found.error
    all_true = prediction_powered(Y, F)
    assert (all_true.mean, all_true.weight) == (pytest.approx(Y.mean()), 0)


def test_at_weight_one_it_is_the_mean_of_all_predictions_and_of_their_errors():
    found = prediction_powered(TRUTH, F, weight=1)
    assert found.mean == pytest.approx(F.mean() + (Y - F)[SAMPLED].mean())


@pytest.mark.parametrize("weight", [0.0, 0.7, 1.0])
def test_with_propensities_the_means_are_those_of_horvitz_and_thompson(weight):
    propensity = np.linspace(0.1, 0.6, 240)
    found = prediction_powered(TRUTH, F, propensity=propensity, weight=weight)
    terms = [
        weight * f + ((y - weight * f) / p if s else 0)
        for y, f, p, s in zip(Y, F, propensity, SAMPLED, strict=True)
    ]
    assert (found.mean, found.error) == pytest.approx((np.mean(terms), scipy.stats.sem(terms)))
    best = prediction_powered(TRUTH, F, propensity=propensity)
    assert best.error <= found.error
    assert 0 < best.weight <= 1


def test_horvitz_and_thompson_are_unbiased_over_all_samples():
    """All 2⁶ samples of six units, each with its probability."""
    y, f, p = Y[:6], F[:6], np.linspace(0.3, 0.8, 6)
    mean = mass = 0.0
    for pattern in range(64):
        chosen = np.array([pattern >> i & 1 for i in range(6)], bool)
        if chosen.sum() < 2:
            # two units are the least that rankwell answers for; their estimate by hand
            found = np.mean(0.5 * f + np.where(chosen, (y - 0.5 * f) / p, 0))
        else:
            found = prediction_powered(np.where(chosen, y, np.nan), f, propensity=p, weight=0.5).mean
        chance = np.where(chosen, p, 1 - p).prod()
        mean, mass = mean + chance * found, mass + chance
    assert mass == pytest.approx(1)
    assert mean == pytest.approx(y.mean())


def samples(kind, noise):
    rng = np.random.default_rng(3)
    for _ in range(1500):
        y = rng.beta(2, 3, 150)
        f = np.clip(y + rng.normal(0.1, noise, 150), 0, 1)
        p = np.full(150, 0.25) if kind == "simple" else 0.1 + 0.5 * y
        sampled = np.argsort(rng.random(150)) < 37 if kind == "simple" else rng.random(150) < p
        yield prediction_powered(np.where(sampled, y, np.nan), f, propensity=None if kind == "simple" else p)


@pytest.mark.parametrize("kind", ["simple", "propensities"])
@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_intervals_cover_the_mean_and_are_never_much_wider_than_without_predictions(kind, noise):
    """1,500 samples with good and with useless predictions: 95 % ± 3 standard errors of the simulation."""
    found = list(samples(kind, noise))
    covered = np.mean([each.low <= 0.4 <= each.high for each in found])
    assert covered == pytest.approx(0.95, abs=0.017)
    wider = np.array([each.error / each.alone for each in found])
    assert wider.max() < 1.03
    assert np.median(wider) < (0.75 if noise < 1 else 1.0)


def test_what_too_few_true_values_say():
    few = np.full(20, np.nan)
    few[:2] = 0.5, 0.7
    assert math.isnan(prediction_powered(few, F[:20]).error)
    assert prediction_powered(few, F[:20], weight=0).mean == pytest.approx(0.6)
    flat = prediction_powered(TRUTH, np.full(240, 0.3))
    assert (flat.weight, flat.error) == (0, flat.alone)


@pytest.mark.parametrize("wrong", [0.0, 1.2, math.nan])
def test_a_sample_without_probabilities_is_refused(wrong):
    propensity = np.where(np.arange(240) == np.flatnonzero(SAMPLED)[3], wrong, 0.25)
    with pytest.raises(ValueError, match="not above 0 and at most 1"):
        prediction_powered(TRUTH, F, propensity=propensity)


def test_terms_of_whole_units_are_the_estimate_by_propensities():
    chances = RNG.uniform(0.2, 0.9, 240)
    told = prediction_powered(TRUTH, F, propensity=chances)
    true = np.where(SAMPLED, Y, 0) / chances
    rest = F - np.where(SAMPLED, F, 0) / chances
    found = prediction_powered_terms(true, rest, 60)
    # its interval rests on all units, of which each has an estimate
    assert (found.mean, found.error, found.weight, found.alone) == pytest.approx(
        (told.mean, told.error, told.weight, told.alone)
    )
    assert (found.n, found.total) == (60, 240)
    assert math.isnan(prediction_powered_terms(true[:2], rest[:2], 2).mean)
