"""Boards: the values of several systems under one metric and one set of judgements, also in bootstrap replicates of the queries."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results import Results
from rankwell.statistics.resampled import drawn_weights

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
    return [_board(aligned, metric, judged_by, times, seed) for metric in metrics]


def _board(aligned: Aligned, metric: Metric, judged_by: str, times: int, seed: int) -> Board:
    if metric.better not in SIGN:
        raise UsageError(f"{metric} orders no systems: neither higher nor lower values of it are better.")
    label, sign = str(metric) + judged_by, SIGN[metric.better]
    means = np.array([res.mean[str(metric)] for res in aligned.results], np.float64)
    n = max(res.n[str(metric)] for res in aligned.results)
    drawn = None
    if aligned.has_values(metric) and times:
        drawn = sign * _replicates(aligned.values(metric), aligned.units, times, seed)
    return Board(label, aligned.names, sign, sign * means, drawn, n)


def _replicates(values: np.ndarray, units: np.ndarray, times: int, seed: int) -> np.ndarray:
    """The means of each system (column) over resampled queries, the same for all; NaN where none of its queries was drawn."""
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    parts = []
    for weights in drawn_weights(units, times, seed):
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append((weights @ filled.T) / (weights @ known.T.astype(np.float64)))
    return np.concatenate(parts)
