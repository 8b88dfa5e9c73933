"""Summaries of per-query values: mean, weighted mean, geometric mean and median."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.results.segments import checked_weights
from rankwell.tables.states import GeometricMean, Mean, WeightedMean

How = Literal["mean", "geometric", "median"]
HOWS = ("mean", "geometric", "median")


def aggregate(values: np.ndarray, how: str, weights: np.ndarray | None, floor: float) -> float:
    """Return a summary of the values that are not NaN; NaN if there are none.

    >>> aggregate(np.array([0.5, 0.25, np.nan, 0.0]), "median", None, 1e-5)
    0.25
    """
    if how not in HOWS:
        raise UsageError(f"how={brief(how)}: must be {one_of(HOWS)}.")
    if weights is not None and how != "mean":
        raise UsageError(f"weights= works only with how='mean', not with how={brief(how)}.")
    defined = ~np.isnan(values)
    values = values[defined]
    if not len(values):
        return math.nan
    if weights is not None:
        return WeightedMean.of(values, weights[defined]).value
    if how == "geometric":
        if not floor > 0 or values.min() < 0:
            raise UsageError("a geometric mean needs a floor= above 0, and no values below 0.")
        return GeometricMean.of(np.maximum(values, floor)).value
    return float(np.median(values)) if how == "median" else Mean.of(values).value


def weights_of(given: Mapping[Any, float] | Sequence[float], queries: Sequence[Any]) -> np.ndarray:
    """Return the weight of each query.

    Raises
    ------
    DataError
        If a query has no weight, or a weight is negative, infinite or not a number.
    """
    if isinstance(given, Mapping):
        missing = next((query for query in queries if query not in given), None)
        if missing is not None:
            raise DataError(
                f"query {brief(missing)} has no weight in weights=; give one for each of the {len(queries):,} queries."
            )
        given = [given[query] for query in queries]
    weights = np.asarray(given, np.float64)
    if weights.shape != (len(queries),):
        raise DataError(
            f"weights= has {weights.size:,} weights for {len(queries):,} queries; give one per row of per_query."
        )
    return checked_weights(weights, lambda row: f"query {brief(queries[row])}")
