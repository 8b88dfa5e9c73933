"""Intervals of means of very many values that lie on Spark, from sums over these: no value comes back."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rankwell.metrics.metric import Metric
from rankwell.results.mean_intervals import MeanInterval, no_share
from rankwell.results.values import value_of
from rankwell.statistics.frequent import DIGITS
from rankwell.statistics.intervals import LARGE, LEAST_OTHERS, hold_shares
from rankwell.statistics.many import closed_bounds, t_of
from rankwell.tables.states import Mean, State


def interval_by_sums(
    rows: Any, metric: Metric, state: State | None, method: Literal["auto", "t", "wilson"], level: float
) -> MeanInterval | None:
    """Return the interval of a mean of at least 100,000 values; None for fewer, or for a metric that has none such.

    Raises
    ------
    UsageError
        If Wilson's is asked for of other values than 0 and 1.
    """
    from pyspark.sql import functions as sql

    name = str(metric)
    if not isinstance(state, Mean) or state.n < LARGE or name not in rows.columns:
        return None
    mean = value_of(metric, state)
    value = sql.col("value")
    values = rows.select(sql.col(f"`{name}`").alias("value")).where(value.isNotNull() & ~sql.isnan(value))
    # values that differ by rounding are one
    counts = values.groupBy(sql.round(value, DIGITS)).agg(
        sql.min(value).alias("value"), sql.count(sql.lit(1)).alias("number")
    )
    number = sql.col("number")
    found = counts.agg(
        sql.sum(number).alias("n"),
        sql.sum((value - mean) * number).alias("apart"),
        sql.sum((value - mean) * (value - mean) * number).alias("squares"),
        sql.max(number).alias("most"),
        sql.max((~value.isin(0.0, 1.0)).cast("int")).alias("others"),
        sql.count(sql.lit(1)).alias("different"),
    ).collect()[0]
    is_share = hold_shares(metric.range) and not found["others"]
    chosen = "wilson" if is_share else "t"
    kind = chosen if method == "auto" else method
    if kind == "wilson" and not is_share:
        raise no_share(metric)
    rest = found["squares"] - found["apart"] ** 2 / found["n"] if found["different"] > 1 else 0.0
    own = t_of(np.array([found["n"]]), np.array([mean]), np.array([rest]))
    low, high = closed_bounds(own, np.array([kind], object), level)
    least, most = metric.range
    is_doubtful = found["n"] - found["most"] < LEAST_OTHERS
    return MeanInterval(
        mean,
        float(np.maximum(low, least)[0]),
        float(np.minimum(high, most)[0]),
        kind,
        is_doubtful,
        found["n"],
    )
