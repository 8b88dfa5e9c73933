"""Weighted linear fits of means whose variances are estimated from few repetitions, and which scatter around the line besides."""

from __future__ import annotations

import math

import numpy as np

from rankwell.records import record

LEAST_SHARE = 1e-5  # of the median variance: a smaller one is chance
EXACT = 1e-9  # means that are given exactly are known to that, so that no weight is infinite


@record(eq=False)
class WeightedFit:
    """A fit of a linear model to means.

    ``scatter`` is the variance of the true means around the model, ``weights`` the inverse of scatter and variance together, ``covariance``
    that of the coefficients, ``freedom`` the degrees of freedom of Student's t for their intervals.
    """

    coefficients: np.ndarray
    covariance: np.ndarray
    freedom: int
    scatter: float
    weights: np.ndarray
    squares: float

    def interval(self, row: np.ndarray, level: float, more: float = 0.0) -> tuple[float, float, float]:
        """Return a linear combination of the coefficients with its bounds, those for a new mean if `more` is its variance."""
        from scipy.special import stdtrit

        value = float(row @ self.coefficients)
        error = math.sqrt(float(row @ self.covariance @ row) + more)
        half = float(stdtrit(self.freedom, (1 + level) / 2)) * error
        return value, value - half, value + half


def weighted_fit(design: np.ndarray, means: np.ndarray, variances: np.ndarray) -> WeightedFit:
    """Return the fit of `means` by the columns of `design`, each mean with the weight 1 / (scatter + its variance).

    It is the random-effects regression of meta-analysis: the scatter is that of Paule and Mandel (1982), with which the weighted squares of the
    residuals sum to their degrees of freedom m − p, or 0 if they do not even reach them. The covariance is (XᵀWX)⁻¹,
    and intervals are Student's with m − p degrees of freedom (Knapp and Hartung, 2003, whose factor is never below 1 here). So they are
    honest whether means differ from the line because repetitions do, or because the line is not quite true.

    Parameters
    ----------
    design
        A row per mean and a column per coefficient; more rows than columns.
    means, variances
        The means, and the variance of each; 0 for one that is exact.

    Examples
    --------
    >>> design = np.column_stack([np.ones(4), np.arange(4.0)])
    >>> found = weighted_fit(design, np.array([1.0, 3.0, 5.0, 7.0]), np.full(4, 0.01))
    >>> found.coefficients.round(6).tolist(), found.scatter, found.freedom
    ([1.0, 2.0], 0.0, 2)
    """
    variances = variances + EXACT**2
    freedom = len(means) - design.shape[1]
    scatter = 0.0
    if _squares(design, means, 1 / variances) > freedom:
        from scipy.optimize import brentq

        # with scatter as large as all differences together, the squares cannot reach their number
        most = float(np.ptp(means)) ** 2 * len(means)
        scatter = float(
            brentq(
                lambda each: _squares(design, means, 1 / (variances + each)) - freedom,
                0.0,
                most,
                xtol=EXACT**2 / 100,
            )
        )
    weights = 1 / (variances + scatter)
    covariance = np.linalg.inv((design.T * weights) @ design)
    coefficients = covariance @ ((design.T * weights) @ means)
    squares = float((weights * (means - design @ coefficients) ** 2).sum())
    return WeightedFit(coefficients, covariance, freedom, scatter, weights, squares)


def _squares(design: np.ndarray, means: np.ndarray, weights: np.ndarray) -> float:
    """The weighted squares of the residuals of the best fit under these weights."""
    root = np.sqrt(weights)
    coefficients = np.linalg.lstsq(design * root[:, None], means * root, rcond=None)[0]
    return float((weights * (means - design @ coefficients) ** 2).sum())


def moderated_variances(variances: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Return variances that were estimated from few values each, drawn towards what they have in common.

    s̃² = (d₀ s₀² + d s²) / (d₀ + d), with d₀ and s₀² estimated from all of them (Smyth, 2004): each variance counts as much as it
    is known, so that no mean gets a large weight by chance. One without a value to estimate it from (d = 0) is s₀².

    Examples
    --------
    >>> moderated_variances(np.array([1.0, 1.2, 0.9, 1.1]), np.full(4, 4)).round(2).tolist()
    [1.05, 1.05, 1.05, 1.05]
    >>> moderated_variances(np.zeros(3), np.full(3, 4)).tolist()
    [0.0, 0.0, 0.0]
    """
    from scipy.special import polygamma, psi

    known = freedom > 0
    own, d = variances[known], freedom[known]
    if not len(own) or not np.median(own) > 0:
        # without spread in most of them, they have a common value only in the mean
        return np.full(len(variances), float(own.mean()) if len(own) else 0.0)
    own = np.maximum(own, LEAST_SHARE * np.median(own))
    logs = np.log(own) - psi(d / 2) + np.log(d / 2)
    spread = logs.var(ddof=1) - polygamma(1, d / 2).mean() if len(own) > 1 else 0.0
    if spread <= 0:  # they differ by chance alone
        return np.full(len(variances), float(np.average(own, weights=d)))
    prior = 2 * _inverse_trigamma(float(spread))
    common = math.exp(logs.mean() + psi(prior / 2) - math.log(prior / 2))
    return (prior * common + freedom * np.where(known, variances, 0.0)) / (prior + freedom)


def _inverse_trigamma(value: float) -> float:
    """The y with trigamma(y) = value, sought by its logarithm."""
    from scipy.optimize import brentq
    from scipy.special import polygamma

    return math.exp(float(brentq(lambda log: float(polygamma(1, math.exp(log))) - value, -20.0, 20.0)))
