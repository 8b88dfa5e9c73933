"""The mean of values that are true for few units and predicted for all: prediction-powered inference, its weight tuned."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.statistics.parts import student

NAN = math.nan


class Predicted(NamedTuple):
    """A mean from ``n`` true values and ``total`` predictions, its standard error and interval.

    ``weight`` is how much the predictions count: 0, not at all. ``alone`` is the standard error that the true values have
    without them.
    """

    n: int
    total: int
    mean: float
    error: float
    low: float
    high: float
    weight: float
    alone: float


class LineInWeight(NamedTuple):
    """A mean that is a line in the weight, and its variance, a parabola: constant, slope and curve; the best weight."""

    mean: tuple[float, float]
    variance: tuple[float, float, float]
    best: float

    def at(self, weight: float) -> tuple[float, float]:
        """Return the mean and the standard error at a weight."""
        constant, slope, curve = self.variance
        squared = constant + weight * slope + weight**2 * curve
        return self.mean[0] + weight * self.mean[1], math.sqrt(max(squared, 0.0))


def prediction_powered(
    truth: np.ndarray,
    predicted: np.ndarray,
    *,
    propensity: np.ndarray | None = None,
    weight: float | None = None,
    level: float = 0.95,
) -> Predicted:
    """Return the mean of all units' true values from those of a random sample and predictions for all units (PPI++).

    θ = w · mean_all f + mean_sample (y − w · f), for true values y and predictions f; w = 0 is the classical mean, w = 1 the
    prediction-powered one. Values may be differences of two systems: then θ is the difference of their means.

    Parameters
    ----------
    truth, predicted
        A number per unit; ``truth`` is NaN for units that are not in the sample.
    propensity
        The known probability of each unit to be in the sample, drawn independently of each other; the means over the sample are
        then Horvitz and Thompson's, Σ(y − w · f) / (probability · number of all units). None: a simple random sample.
    weight
        Default: the one from 0 to 1 with the least variance.
    level
        Of the interval: Student's t with n − 1 degrees of freedom, n − 2 if the weight is tuned.

    Notes
    -----
    The standard error is that of a sample of units from a larger population, as for all other intervals. Source: Angelopoulos,
    Duchi and Zrnic, PPI++: Efficient prediction-powered inference, 2023, whose weight is ours times the share of units without
    a true value, for their predictions are of these only. Horvitz and Thompson, JASA 47 (1952).

    Examples
    --------
    >>> predicted = np.linspace(0, 1, 40)
    >>> truth = np.where(np.arange(40) % 4 == 0, predicted + 0.1 * (-1) ** np.arange(40), np.nan)
    >>> found = prediction_powered(truth, predicted)
    >>> found.n, round(found.mean, 3), found.error < found.alone
    (10, 0.6, True)
    """
    is_sampled = ~np.isnan(truth)
    n, total = int(is_sampled.sum()), len(truth)
    if propensity is not None and not ((propensity > 0) & (propensity <= 1))[is_sampled].all():
        raise ValueError(
            "prediction_powered: the propensity of a unit with a true value is not above 0 and at most 1; without the "
            "probability that it was drawn, nothing can be said of all units."
        )
    if n < 2 + (weight is None):
        return Predicted(n, total, NAN, NAN, NAN, NAN, NAN, NAN)
    if propensity is None:
        pieces = _of_sample(truth[is_sampled], predicted[is_sampled], predicted[~is_sampled])
    else:
        times = np.where(is_sampled, 1 / np.where(is_sampled, propensity, 1.0), 0.0)
        pieces = _of_terms(np.where(is_sampled, truth, 0.0) * times, predicted * (1 - times))
    return _interval_at(pieces, n, total, n, weight, level)


def prediction_powered_terms(
    true: np.ndarray,
    rest: np.ndarray,
    n: int,
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> Predicted:
    """Return the mean over units of true + w · rest, where parts of each unit are known by a sample with known probabilities.

    ``true`` is the Horvitz–Thompson estimate of each unit from its sampled parts; ``rest`` is what all its parts are predicted to
    be, less the same estimate of that, so that its expectation is 0. ``n`` is how many units have a sampled part. The weight is
    tuned, and the interval made, as by ``prediction_powered``; all units are independent of each other.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> parts = random.random((50, 10))
    >>> sampled = random.random((50, 10)) < 0.3
    >>> true, predicted = (np.where(sampled, each, 0).sum(axis=1) / 0.3 for each in (parts, parts + 0.1))
    >>> found = prediction_powered_terms(true, (parts + 0.1).sum(axis=1) - predicted, 50)
    >>> found.error < found.alone
    True
    """
    if len(true) < 2 + (weight is None):
        return Predicted(n, len(true), NAN, NAN, NAN, NAN, NAN, NAN)
    return _interval_at(_of_terms(true, rest), n, len(true), len(true), weight, level)


def _interval_at(
    pieces: LineInWeight, n: int, total: int, independent: int, weight: float | None, level: float
) -> Predicted:
    """The mean at the weight, or at the best one, with Student's interval of so many independent units."""
    freedom = independent - 1 - (weight is None)  # a weight made from the data costs one
    weight = min(max(pieces.best, 0.0), 1.0) if weight is None else weight
    mean, error = pieces.at(weight)
    bounds = student(mean, error, freedom, (1 + level) / 2)
    return Predicted(n, total, mean, error, *bounds, weight, pieces.at(0.0)[1])


def _of_sample(y: np.ndarray, f: np.ndarray, others: np.ndarray) -> LineInWeight:
    """θ = mean y + w·share·(mean of the other predictions − mean f); a simple random sample and the rest are independent."""
    n = len(y)
    if not len(others):
        return LineInWeight((float(y.mean()), 0.0), (float(y.var(ddof=1)) / n, 0.0, 0.0), 0.0)
    share = len(others) / (n + len(others))
    together, spread = float(np.cov(y, f)[0, 1]), float(np.concatenate([f, others]).var(ddof=1))
    rest = float(others.var(ddof=1)) / len(others) if len(others) > 1 else spread
    variance = (
        float(y.var(ddof=1)) / n,
        -2 * share * together / n,
        share**2 * (float(f.var(ddof=1)) / n + rest),
    )
    # If all predictions have the variance s², the curve is share · s² / n: the share cancels, and the best weight is the slope
    # cov(y, f) / s² of the regression of y on f.
    mean = float(y.mean()), share * float(others.mean() - f.mean())
    return LineInWeight(mean, variance, together / spread if spread > 0 else 0.0)


def _of_terms(a: np.ndarray, b: np.ndarray) -> LineInWeight:
    """θ is the mean over all units of a + w·b, which are independent of each other."""
    spreads = np.cov(a, b)
    best = -float(spreads[0, 1] / spreads[1, 1]) if spreads[1, 1] > 0 else 0.0
    parabola = spreads[0, 0], 2 * spreads[0, 1], spreads[1, 1]
    constant, slope, curve = (float(coefficient) / len(a) for coefficient in parabola)
    return LineInWeight((float(a.mean()), float(b.mean())), (constant, slope, curve), best)
