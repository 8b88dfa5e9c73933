"""What is behind the plot of paired differences: a bar per query, or per bin of queries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankwell.comparison.comparison import Comparison
from rankwell.display.table import number
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.reporting.rows.given import (
    Values,
    system_in,
)
from rankwell.reporting.rows.labels import shown_id
from rankwell.reporting.rows.pairs import sign_of
from rankwell.statistics.frequent import TIE

Row = dict[str, Any]
MOST_BARS, BINS = 800, 300


def top_pair(comparison: Comparison) -> tuple[str, str]:
    """Return the best system by the primary metric and the baseline, the best but it; without a baseline the best two."""
    order = [comparison.names[row] for row in comparison.order]
    if comparison.baseline is None:
        return order[0], order[1]
    return next(name for name in order if name != comparison.baseline), comparison.baseline


def pair_in(
    names: tuple[str, ...], first: str | None, second: str | None, comparison: Comparison | None
) -> tuple[str, str]:
    """Return the two systems that are meant.

    Raises
    ------
    UsageError
        If it is not clear which, or one of them is not there.
    """
    if first is None and second is None:
        if len(names) == 2 and (comparison is None or comparison.baseline is None):
            return names[1], names[0]
        if comparison is not None:
            return top_pair(comparison)
    if first is None or second is None:
        raise UsageError(f"say which two of {len(names)} systems differ: first=…, second=….")
    pair = system_in(names, first, "first"), system_in(names, second, "second")
    if first == second:
        raise UsageError(f"first= and second= are the same system, {first}; name two.")
    return pair


def rows_of(values: Values, pair: tuple[str, str], metric: Metric) -> list[Row]:
    """Return the bars from left to right: of a query each, or of bins of queries; undefined queries are left out."""
    left, right = (values.table[values.names.index(name)] for name in pair)
    d = left - right
    places = np.flatnonzero(~np.isnan(d))
    # rounded, so that differences that are equal but for the last bits are
    places = places[np.argsort(-sign_of(metric) * np.round(d[places], 12), kind="stable")]
    count_of = len(places) if len(places) <= MOST_BARS else BINS
    rows, start = [], 0
    for part in np.array_split(places, max(count_of, 1)) if len(places) else []:
        mean = math.fsum(d[part]) / len(part)
        widest = int(part[np.argmax(np.abs(d[part]))])
        rows.append(
            {
                "start": start,
                "end": start + len(part),
                "queries": len(part),
                "difference": mean,
                "query": shown_id(values.queries.one(widest)),
                "shown": number(float(d[widest])),
                "first": number(float(left[widest])),
                "second": number(float(right[widest])),
                "mean": number(mean),
                "outcome": _outcome(sign_of(metric) * mean, metric),
            }
        )
        start += len(part)
    return rows


def _outcome(gain: float, metric: Metric) -> str:
    if metric.better == "neither" or abs(gain) <= TIE:
        return "open"
    return "better" if gain > 0 else "worse"
