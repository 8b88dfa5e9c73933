"""What is behind the plot of correlations: how far metrics order queries, or systems, in the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.display.plain_values import plain_value
from rankwell.display.table import number
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.rows.given import metric_in, with_values
from rankwell.reporting.rows.labels import shortened
from rankwell.results import Results
from rankwell.statistics.rank_correlation import kendall, order_of
from rankwell.tables.fingerprints import draws

Row = dict[str, Any]
Over = Literal["queries", "systems"]
Method = Literal["kendall", "pearson"]
MOST_RANKED, PAIRS = 1_500, 10**9  # queries whose pairs are all looked at, and such pairs in all
FEWEST = 3


class Correlations(NamedTuple):
    """A square of correlations of metrics, NaN where there is none; of how many systems and units, and how many units there are."""

    metrics: list[Metric]
    values: np.ndarray
    systems: int
    units: int
    total: int


def correlations(
    results: Mapping[str, Results],
    metrics: Sequence[Wanted] | None = None,
    *,
    over: Over = "queries",
    method: Method = "kendall",
) -> Correlations:
    """Return the correlations of metrics over queries or systems."""
    first = next(iter(results.values()))
    able = list(first.metrics) if over == "systems" else with_values(results)
    wanted = (
        able
        if metrics is None
        else list(dict.fromkeys(metric_in(tuple(first.metrics), each) for each in metrics))
    )
    if unable := [str(metric) for metric in wanted if metric not in able]:
        raise UsageError(
            f"{', '.join(unable)}: no values per query, so none over queries; take over='systems'."
        )
    if len(wanted) < 2:
        raise UsageError(f"a correlation is of two metrics or more, not {len(wanted)}; evaluate others too.")
    if over == "systems":
        if len(results) < FEWEST:
            raise UsageError(
                f"over='systems' needs at least {FEWEST} systems, not {len(results)}; take over='queries'."
            )
        table = np.array([[res[metric] for res in results.values()] for metric in wanted])
        return Correlations(wanted, _square(table, method), 1, len(results), len(results))
    return _over_queries(results, wanted, method)


def _over_queries(results: Mapping[str, Results], metrics: list[Metric], method: Method) -> Correlations:
    squares, units, total = [], 0, 0
    most = min(MOST_RANKED, max(math.isqrt(PAIRS // (len(results) * len(metrics) ** 2)), 100))
    for res in results.values():
        table = np.array([res.values(metric) for metric in metrics])
        known = np.flatnonzero(~np.isnan(table).all(axis=0))
        total = max(total, len(known))
        if method == "kendall" and len(known) > most:
            ids = res.part.queries[res.part.concerned()[known]]
            known = known[np.sort(np.argpartition(draws(0, ids), most)[:most])]
        table = table[:, known]
        units = max(units, table.shape[1])
        squares.append(_square(table, method))
    with np.errstate(invalid="ignore"):
        mean = np.nansum(squares, axis=0) / (~np.isnan(squares)).sum(axis=0)
    return Correlations(metrics, mean, len(results), units, total)


def _square(table: np.ndarray, method: Method) -> np.ndarray:
    """The correlation of each two rows, over the columns where both are defined."""
    size = len(table)
    found = np.full((size, size), math.nan)
    orders = [order_of(row) if method == "kendall" and not np.isnan(row).any() else None for row in table]
    for left, right in combinations_with_replacement(range(size), 2):
        one, other = orders[left], orders[right]
        if one is not None and other is not None:
            value = float(kendall(one, other))
        else:
            both = table[[left, right]][:, ~np.isnan(table[[left, right]]).any(axis=0)]
            value = _pearson(*both) if method == "pearson" else float(kendall(*both))
        found[left, right] = found[right, left] = value
    return found


def _pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r; NaN where one of the two does not vary."""
    if len(x) < 2:
        return math.nan
    x, y = x - x.mean(), y - y.mean()
    size = math.sqrt(math.fsum(x * x) * math.fsum(y * y))
    return max(min(math.fsum(x * y) / size, 1.0), -1.0) if size > 1e-15 * len(x) else math.nan


def rows_of(found: Correlations) -> list[Row]:
    """Return a row per two metrics."""
    names = shortened(map(str, found.metrics))
    return [
        {
            "row": names[str(left)],
            "column": names[str(right)],
            "value": plain_value(float(found.values[at, other])),
            "shown": number(float(found.values[at, other]), 2),
        }
        for at, left in enumerate(found.metrics)
        for other, right in enumerate(found.metrics)
    ]
