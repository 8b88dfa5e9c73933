"""Growth: how a positive quantity grows with a size, as an exponent with its interval, and the law that it follows if one is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from rankwell.errors import UsageError
from rankwell.records import record
from rankwell.statistics.parts import student

SIZES, DECADES, SHORT, REPETITIONS = 8, 3, 2, 5  # what naming a law needs; ``SHORT`` decades with a reason
FITTED = 3  # sizes without which there is no interval
LEAD, SPARE = 6.0, 3  # of AICc over the next law; sizes beyond the parameters and one more
BEYOND = 1  # decades beyond the largest size for which a prediction has an interval
BENT = 0.02  # by which exponents at both ends differ; less, over 3 decades, is within 2 % of a straight line
LEAST_SHARE = 1e-5  # of the median variance: a smaller one is chance
EXACT = 1e-9  # means that are given exactly are known to that, so that no weight is infinite
POWER = "n^b"
LAWS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {  # ln of each law, of ln n
    "1": np.zeros_like,
    "log n": np.log,
    "n": lambda x: x,
    "n log n": lambda x: x + np.log(x),
}
Why = Literal["", "sizes", "span", "repetitions", "bend", "lead", "exponent"]


class Prediction(NamedTuple):
    """The quantity at a size, with the interval of the mean of as many new repetitions; NaN where it is not predicted.

    ``is_beyond`` says that the size is outside of those that were measured.
    """

    value: float
    low: float
    high: float
    is_beyond: bool


@record(eq=False)
class GrowthFit:
    """How a quantity grows.

    Attributes
    ----------
    sizes, means, variances, repetitions
        The sizes, ascending; of each the mean of ln y, its variance, and the number of repetitions.
    exponent, low, high
        b of y = a·nᵇ, with its interval.
    law, why
        The law that is shown; or "", and what is lacking: sizes, span, repetitions, a lead, or the law's exponent; or the exponent changes (bend).
    aicc
        Of each law; NaN where there are too few sizes for it.
    ends
        The exponents at the smallest and at the largest size if the exponent changes; NaN otherwise.
    """

    sizes: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    repetitions: np.ndarray
    level: float
    exponent: float
    low: float
    high: float
    law: str
    why: Why
    aicc: Mapping[str, float]
    ends: tuple[float, float]

    @property
    def decades(self) -> float:
        """The decades that the sizes span."""
        return math.log10(self.sizes[-1] / self.sizes[0])

    def line(self, sizes: np.ndarray) -> np.ndarray:
        """Return a row per size: a·nᵇ with the bounds of the line."""
        fit = _line(np.log(self.sizes), self.means, self.variances)
        rows = [fit.interval(np.array([1.0, x]), self.level) for x in np.log(sizes)]
        return np.exp(np.array(rows))

    def predict(self, size: float) -> Prediction:
        """Return what the law that is shown, else nᵇ, says of a size.

        There is an interval only up to one decade beyond the largest size, and no value at all if the exponent changes: then no line is
        known that could be drawn out.
        """
        x, top = math.log(size), math.log(self.sizes[-1])
        is_beyond = not self.sizes[0] <= size <= self.sizes[-1]
        if self.why == "bend":
            return Prediction(math.nan, math.nan, math.nan, is_beyond)
        logs = np.log(self.sizes)
        if self.law in LAWS:
            shape, at = LAWS[self.law](logs), float(LAWS[self.law](np.array([x]))[0])
            fit, row = weighted_fit(np.ones((len(logs), 1)), self.means - shape, self.variances), np.ones(1)
        else:
            fit, row, at = _line(logs, self.means, self.variances), np.array([1.0, x]), 0.0
        new = fit.scatter + float(self.variances.mean())
        value, *bounds = (_exp(bound + at) for bound in fit.interval(row, self.level, new))
        # a millionth of a decade is rounding
        is_far = is_beyond and not (0 <= x - top <= (BEYOND + 1e-6) * math.log(10))
        low, high = (math.nan, math.nan) if is_far else bounds
        return Prediction(value, low, high, is_beyond)


def growth(
    sizes: np.ndarray,
    values: Sequence[np.ndarray],
    *,
    level: float = 0.95,
    decades: float = DECADES,
) -> GrowthFit:
    """Fit y = a·nᵇ in logarithms and return b with its interval, and which law is shown, if any.

    A size counts by the mean of ln y over its repetitions (the geometric mean), with the weight 1 / (scatter + s̃²/r): s̃² is the variance of
    its repetitions, moderated by those of the others, and the scatter that of sizes around the line (``weighted_fit``). The interval is
    Student's, with m − 2 degrees of freedom for m sizes: repetitions of one size are not further sizes.

    The laws 1, log n, n, n log n (one coefficient) and nᵇ (two) are fitted with the weights of the line and compared by
    AICc = m ln(RSS/m) + 2K + 2K(K+1)/(m − K − 1), K being the coefficients and the variance; a law with m − K − 1 < 3 does not take part.
    nᵇ leads if it is 6 better than all others. As it contains 1 and n and can come near the others, none of these can be 6
    better than it from 8 sizes on: one of them leads if it is 6 better than the others like it and nᵇ is not better. What leads
    is shown if what it leaves of ln y has no slope (the exponent agrees) and no curvature, both at `level`; curvature by which the
    exponent changes by less than 0.02 from end to end is none.

    Parameters
    ----------
    sizes
        At least 3 distinct sizes above 1.
    values
        Of each size the values of its repetitions, above 0.
    level
        The confidence of intervals and of what must agree.
    decades
        Over how many decades the sizes must range for a law.

    Raises
    ------
    UsageError
        For too few sizes, or values that are not positive.

    Examples
    --------
    >>> sizes = np.geomspace(100, 100_000, 8)
    >>> turns = np.exp(np.random.default_rng(0).normal(0, 0.03, (8, 5)))
    >>> found = growth(sizes, list(2e-6 * sizes[:, None] * np.log(sizes)[:, None] * turns))
    >>> round(found.exponent, 2), found.law
    (1.13, 'n log n')
    >>> growth(sizes, list((1 + 1e-4 * sizes[:, None]) * turns)).why
    'bend'
    """
    order = np.argsort(sizes)
    sizes = np.asarray(sizes, float)[order]
    logs = [np.asarray(values[at], float) for at in order]
    _check(sizes, logs)
    logs = [np.log(each) for each in logs]
    means, repetitions = np.array([each.mean() for each in logs]), np.array([len(each) for each in logs])
    own = np.array([each.var(ddof=1) if len(each) > 1 else 0.0 for each in logs])
    variances = moderated_variances(own, repetitions - 1) / repetitions
    x = np.log(sizes)
    line = _line(x, means, variances)
    exponent, low, high = line.interval(np.array([0.0, 1.0]), level)
    aicc = {name: _aicc(np.ones((len(x), 1)), means - law(x), line.weights) for name, law in LAWS.items()}
    aicc[POWER] = _aicc(_powers(x, 1), means, line.weights)
    law, why = "", _what_lacks(sizes, repetitions, decades)
    is_bent, ends = _bend(x, means, variances, level)
    if not why:
        law = _leader(aicc)
        why = "" if law else "bend" if is_bent else "lead"
    if law in LAWS:
        left = means - LAWS[law](x)
        slope = _line(x, left, variances).interval(np.array([0.0, 1.0]), level)
        bent, _ = _bend(x, left, variances, level)
        why = "" if slope[1] <= 0 <= slope[2] and not bent else "bend" if is_bent else "exponent"
    elif law and is_bent:
        why = "bend"
    return GrowthFit(
        sizes, means, variances, repetitions, level, exponent, low, high, "" if why else law, why, aicc,
        ends if why == "bend" else (math.nan, math.nan),
    )  # fmt: skip


def _check(sizes: np.ndarray, values: Sequence[np.ndarray]) -> None:
    if len(sizes) < FITTED or len(np.unique(sizes)) < len(sizes):
        raise UsageError(f"growth needs at least {FITTED} distinct sizes.")
    if not (sizes > 1).all():
        raise UsageError("growth needs sizes above 1, as log 1 is 0.")
    if not all(len(own) and np.isfinite(own).all() and (own > 0).all() for own in values):
        raise UsageError("growth needs values above 0 of every size.")


def _powers(x: np.ndarray, highest: int) -> np.ndarray:
    return np.vander(x, highest + 1, increasing=True)


def _line(x: np.ndarray, means: np.ndarray, variances: np.ndarray) -> WeightedFit:
    return weighted_fit(_powers(x, 1), means, variances)


def _bend(
    x: np.ndarray, means: np.ndarray, variances: np.ndarray, level: float
) -> tuple[bool, tuple[float, float]]:
    """Whether ln y has curvature over ln n, and its slopes at both ends."""
    if len(x) <= FITTED:
        return False, (math.nan, math.nan)
    # around their mean, as x² is next to a multiple of x far from 0, and no inverse would be left
    fit = weighted_fit(_powers(x - x.mean(), 2), means, variances)
    _, low, high = fit.interval(np.array([0.0, 0.0, 1.0]), level)
    first, last = (
        float(fit.coefficients[1] + 2 * fit.coefficients[2] * (at - x.mean())) for at in (x[0], x[-1])
    )
    return not low <= 0 <= high and abs(last - first) >= BENT, (first, last)


def _aicc(design: np.ndarray, means: np.ndarray, weights: np.ndarray) -> float:
    """AICc of a fit with given weights, without the terms that all laws have in common; NaN with too few sizes for it."""
    m, k = len(means), design.shape[1] + 1
    if m - k - 1 < SPARE:
        return math.nan
    shares = weights / weights.mean()
    root = np.sqrt(shares)
    coefficients = np.linalg.lstsq(design * root[:, None], means * root, rcond=None)[0]
    left = float((shares * (means - design @ coefficients) ** 2).mean())
    # a law that fits exactly would have the logarithm of 0
    return m * math.log(max(left, EXACT**2)) + 2 * k + 2 * k * (k + 1) / (m - k - 1)


def _what_lacks(sizes: np.ndarray, repetitions: np.ndarray, decades: float) -> Why:
    """What measurement lacks for any law; sizes with too few repetitions do not count."""
    enough = sizes[repetitions >= REPETITIONS]
    if len(sizes) < SIZES:
        return "sizes"
    if len(enough) < SIZES:
        return "repetitions"
    return "span" if math.log10(enough[-1] / enough[0]) < decades - 1e-6 else ""


def _leader(aicc: Mapping[str, float]) -> str:
    """The law that leads by enough; "" if none does."""
    first, second = sorted(LAWS, key=lambda name: aicc[name])[:2]
    if aicc[POWER] <= aicc[first] - LEAD:
        return POWER
    leads = aicc[first] <= aicc[second] - LEAD and aicc[first] <= aicc[POWER]
    return first if leads else ""


def _exp(value: float) -> float:
    """The exponential; infinite where ``math.exp`` has no number for it."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


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
        value = float(row @ self.coefficients)
        error = math.sqrt(float(row @ self.covariance @ row) + more)
        return value, *student(value, error, self.freedom, (1 + level) / 2)


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
                lambda between: _squares(design, means, 1 / (variances + between)) - freedom,
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

    has_freedom = freedom > 0
    own, d = variances[has_freedom], freedom[has_freedom]
    if not len(own) or not np.median(own) > 0:
        # without spread in most of them, they have a common value only in the mean
        return np.full(len(variances), float(own.mean()) if len(own) else 0.0)
    # ln s² of d + 1 values has the mean ln σ² + ψ(d/2) − ln(d/2) and the variance ψ′(d/2): what varies beyond that is true spread
    own = np.maximum(own, LEAST_SHARE * np.median(own))
    logs = np.log(own) - psi(d / 2) + np.log(d / 2)
    spread = logs.var(ddof=1) - polygamma(1, d / 2).mean() if len(own) > 1 else 0.0
    if spread <= 0:  # they differ by chance alone
        return np.full(len(variances), float(np.average(own, weights=d)))
    prior = 2 * _inverse_trigamma(float(spread))
    common = math.exp(logs.mean() + psi(prior / 2) - math.log(prior / 2))
    return (prior * common + freedom * np.where(has_freedom, variances, 0.0)) / (prior + freedom)


def _inverse_trigamma(value: float) -> float:
    """The y with trigamma(y) = value, sought by its logarithm."""
    from scipy.optimize import brentq
    from scipy.special import polygamma

    return math.exp(float(brentq(lambda log: float(polygamma(1, math.exp(log))) - value, -20.0, 20.0)))
