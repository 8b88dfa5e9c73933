"""What is behind the plot of values per query: percentiles, points or bins of each system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.comparison import Comparison
from rankwell.display.plain_values import plain_value
from rankwell.display.table import number
from rankwell.metrics.metric import Metric
from rankwell.reporting.rows.given import Values
from rankwell.reporting.rows.labels import shortened, shown_id
from rankwell.reporting.rows.texts import with_interval
from rankwell.results import Results
from rankwell.tables.fingerprints import draws
from rankwell.tables.states import Mean

Row = dict[str, Any]
MOST_POINTS, BINS, MOST_BINS = 2_000, 40, 2_000
SHARES = 5, 25, 50, 75, 95  # percentiles of the box
STRIP, BOX, MEAN = (-0.42, 0.02), (0.1, 0.26), 0.38  # where these are in a row, from its middle downwards


def best_first(values: Values, metric: Metric, comparison: Comparison | None) -> Values:
    """Return the systems in the order of a comparison, as a leaderboard has them; without one, in the order given."""
    if comparison is None:
        return values
    names = [comparison.names[row] for row in comparison.order_of(metric, 0)]
    return Values(tuple(names), values.queries, values.table[[values.names.index(name) for name in names]])


def means_of(
    results: Mapping[str, Results], names: Sequence[str], metric: Metric, comparison: Comparison | None
) -> list[tuple[float, float, float]]:
    """Return each system's mean with its interval, as the comparison or the results have them; NaN for none."""
    if comparison is not None:
        own = [comparison.mean(system, metric) for system in names]
        return [(each.mean, each.low, each.high) for each in own]
    found = []
    for res in (results[name] for name in names):
        has_interval = metric not in res.part.weighted and isinstance(res.part.states[metric], Mean)
        _, low, high, *_ = res.interval(metric) if has_interval else (0, math.nan, math.nan)
        found.append((res.mean[str(metric)], low, high))
    return found


def boxes_of(values: Values, means: Sequence[tuple[float, float, float]]) -> list[Row]:
    """Return a row per system: percentiles of the defined values, the mean and its interval, and how many there are."""
    label = shortened(values.names)
    rows = []
    for at, (name, own, (mean, low, high)) in enumerate(zip(values.names, values.table, means, strict=True)):
        known = own[~np.isnan(own)]
        shares = np.percentile(known, SHARES).tolist() if len(known) else [math.nan] * len(SHARES)
        row = dict(zip(("p5", "p25", "p50", "p75", "p95"), map(plain_value, shares), strict=True))
        rows.append(
            row
            | {
                "at": at,
                "system": label[name],
                "mean": plain_value(mean),
                "low": plain_value(low),
                "high": plain_value(high),
            }
            | {"n": len(known), "undefined": len(own) - len(known)}
            | {"median": number(shares[2]), "middle": f"{number(shares[1])} – {number(shares[3])}"}
            | {"estimate": with_interval(mean, low, high)}
        )
    return rows


def points_of(values: Values) -> list[Row]:
    """Return a row per system and query, moved up and down by its id so that equal values do not hide each other.

    If there are too many, there are none.
    """
    defined = ~np.isnan(values.table)
    if np.count_nonzero(defined) > MOST_POINTS:
        return []
    top, bottom = STRIP
    heights = bottom - (bottom - top) * (draws(0, values.queries) / 2.0**64)
    queries = [shown_id(query) for query in values.queries.tolist()]
    label = shortened(values.names)
    return [
        {
            "system": label[values.names[at]],
            "query": queries[place],
            "value": float(values.table[at, place]),
            "shown": number(float(values.table[at, place])),
            "y": at + float(heights[place]),
        }
        for at, place in np.argwhere(defined).tolist()
    ]


def bins_for(systems: int) -> int:
    """Return how many bins the values of each system are counted in."""
    return max(min(BINS, MOST_BINS // systems), 10)


def bars_of(values: Values) -> list[Row]:
    """Return a row per system and bin that holds queries: its bounds, its number of queries, and its height in the row.

    Heights are square roots, as often three quarters of the values are 0.
    """
    known = [own[~np.isnan(own)] for own in values.table]
    if not any(map(len, known)):
        return []
    low, high = min(own.min() for own in known if len(own)), max(own.max() for own in known if len(own))
    bins = bins_for(len(known))
    edges = np.linspace(low, high, bins + 1) if high > low else np.array([low - 0.01, high + 0.01])
    counts = [np.histogram(own, edges)[0] for own in known]
    shares = [own / max(own.sum(), 1) for own in counts]
    tallest = max(float(own.max()) for own in shares)
    label = shortened(values.names)
    rows = []
    for at, own in enumerate(counts):
        for place in np.flatnonzero(own).tolist():
            height = math.sqrt(float(shares[at][place]) / tallest)
            rows.append(
                {
                    "system": label[values.names[at]],
                    "start": float(edges[place]),
                    "end": float(edges[place + 1]),
                    "range": f"{number(float(edges[place]))} – {number(float(edges[place + 1]))}",
                    "queries": int(own[place]),
                    "top": at + STRIP[1] - (STRIP[1] - STRIP[0]) * height,
                    "base": at + STRIP[1],
                }
            )
    return rows
