"""Boards: the values of several systems under one metric and one set of judgements, also in bootstrap replicates of the queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results import Results
from rankwell.statistics.bootstrap import drawn_weights

SIGN = {"higher": 1.0, "lower": -1.0}


@record(eq=False)
class Board:
    """A leaderboard: the value of each system times ``sign``, so that higher is better, and its replicates (rows).

    ``replicates`` is None for a metric without a value per query. ``n`` is the largest number of queries behind a value.
    """

    label: str
    systems: tuple[str, ...]
    sign: float
    values: np.ndarray
    replicates: np.ndarray | None
    n: int


def boards_of(
    results: Mapping[str, Results], metrics: tuple[Metric, ...], judged_by: str, times: int, seed: int
) -> list[Board]:
    """Return a board per metric of systems that were evaluated against the same judgements."""
    aligned = Aligned.of(results, metrics)
    for metric in metrics:
        if metric.better not in SIGN:
            raise UsageError(f"{metric} orders no systems: neither higher nor lower values of it are better.")
    tables = {m: _Table.of(aligned.values(m)) for m in metrics if times and aligned.has_values(m)}
    drawn = _replicates(tables, aligned.units, times, seed)
    return [_board(aligned, metric, judged_by, drawn.get(metric)) for metric in metrics]


def _board(aligned: Aligned, metric: Metric, judged_by: str, drawn: np.ndarray | None) -> Board:
    label, sign = str(metric) + judged_by, SIGN[metric.better]
    means = np.array([res.mean[str(metric)] for res in aligned.results], np.float64)
    n = max(res.n[str(metric)] for res in aligned.results)
    return Board(label, aligned.names, sign, sign * means, None if drawn is None else sign * drawn, n)


class _Table(NamedTuple):
    """The values of each system (row) per query, 0 where there is none, and which are known; None if all are."""

    values: np.ndarray
    known: np.ndarray | None

    @classmethod
    def of(cls, values: np.ndarray) -> _Table:
        known = ~np.isnan(values)
        return cls(np.where(known, values, 0.0), None if known.all() else known.astype(np.float64))

    def means(self, weights: np.ndarray) -> np.ndarray:
        """Return the mean of each system (column) under some weights (rows); NaN where none of its queries has one."""
        counts = weights.sum(axis=1, keepdims=True) if self.known is None else weights @ self.known.T
        with np.errstate(divide="ignore", invalid="ignore"):
            return (weights @ self.values.T) / counts


def _replicates(
    tables: Mapping[Metric, _Table], units: np.ndarray, times: int, seed: int
) -> dict[Metric, np.ndarray]:
    """The means of each system (column) over resampled queries, the same queries for all systems and metrics."""
    parts: dict[Metric, list[np.ndarray]] = {metric: [] for metric in tables}
    for weights in drawn_weights(units, times, seed) if tables else ():
        for metric, table in tables.items():
            parts[metric].append(table.means(weights))
    return {metric: np.concatenate(own) for metric, own in parts.items()}
