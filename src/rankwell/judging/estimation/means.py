"""Mean: the estimates of one metric for one run, their mean over queries, its two variances, and the interval of each."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.records import cached_property, record
from rankwell.statistics.sampled_totals import Variance

SPARSE = 3.0  # standard errors: in simulations intervals hold the value below this, and fail above


class PlainValue(NamedTuple):
    """What the same judgements give without an estimator."""

    run: str
    metric: str
    how: str
    value: float
    queries: int


@record(eq=False)
class EstimatedMean:
    """The estimates of one metric for one run: per query of the frame its value, design variance and degrees of freedom.

    Values are NaN where a query is left out, variances also where they are not known. ``outside`` counts the items of each list within
    the cut-off that are not in the frame. ``uncertainty`` is the squared coefficient of variation of the estimated numbers of relevant items,
    ``unseen`` the share of the items of lists within the cut-off that are of strata of which none there is judged.
    """

    run: str
    metric: str
    estimator: str
    values: np.ndarray
    variances: np.ndarray
    df: np.ndarray
    is_undefined: np.ndarray
    outside: np.ndarray
    uncertainty: float
    unseen: float

    @cached_property
    def used(self) -> np.ndarray:
        """Which queries have a value."""
        return ~np.isnan(self.values)

    @property
    def queries(self) -> int:
        """The number of queries in the mean."""
        return int(self.used.sum())

    @property
    def undefined(self) -> int:
        """The number of queries of which no sampled item is relevant."""
        return int(self.is_undefined.sum())

    @property
    def value(self) -> float:
        """The mean over queries; NaN if there is none."""
        return math.fsum(self.values[self.used]) / self.queries if self.queries else math.nan

    @property
    def unknown(self) -> int:
        """The number of queries whose design variance is not known; they are given the mean of the others'."""
        return int(np.isnan(self.variances[self.used]).sum())

    @cached_property
    def design(self) -> Variance:
        """The variance of the mean over samples of items, for these queries."""
        variances, df = self.variances[self.used], self.df[self.used]
        is_known = ~np.isnan(variances)
        if not is_known.any():
            return Variance(math.nan, math.nan)
        total = Variance.sum(variances[is_known], df[is_known])
        # v̄ / Q, as if the unknown variances were the mean of the known
        share = len(variances) / is_known.sum() / len(variances) ** 2
        return Variance(total.value * float(share), total.df)

    @property
    def design_variance(self) -> float:
        """The variance of the mean over samples of items, for these queries: Σ v / Q²."""
        return self.design.value

    @property
    def query_variance(self) -> float:
        """The variance of the mean over samples of queries, s² / Q; it contains the design variance. NaN for one query."""
        if self.queries < 2:
            return math.nan
        return float(np.var(self.values[self.used], ddof=1)) / self.queries

    @property
    def possible_bias(self) -> float:
        """How much too high the mean can be because the numbers of relevant items are uncertain, to first order: value · V / R²."""
        return self.value * self.uncertainty

    @property
    def is_sparse(self) -> bool:
        """Whether that is more than three standard errors of the design: then its interval does not hold the value."""
        return self.possible_bias > SPARSE * math.sqrt(self.design_variance) > 0

    def design_interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the mean for these queries, under all judgements."""
        return _interval(self.value, self.design.value, self.design.df, level)

    def query_interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the mean for queries like these."""
        return _interval(self.value, self.query_variance, self.queries - 1.0, level)


def _interval(value: float, variance: float, df: float, level: float) -> tuple[float, float]:
    """Student's interval, cut at 0 and 1."""
    if math.isnan(variance) or math.isnan(value):
        return math.nan, math.nan
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    times = float(ndtri(upper) if math.isinf(df) else stdtrit(df, upper))
    reach = times * math.sqrt(variance)
    return min(max(value - reach, 0.0), 1.0), min(max(value + reach, 0.0), 1.0)
