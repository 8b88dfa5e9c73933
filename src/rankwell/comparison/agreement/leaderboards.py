"""Leaderboards: the values of several systems with replicates, and how far two orders of the same systems agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results import Results
from rankwell.statistics.agreement import (
    Order,
    Ties,
    ap_correlation,
    ap_correlation_b,
    kendall,
    order_of,
    overlap,
    swapped_pairs,
)
from rankwell.statistics.bootstrap import Replicated, around, drawn_weights

SIGN = {"higher": 1.0, "lower": -1.0}


@record(eq=False)
class Leaderboard:
    """A leaderboard: the value of each system times ``sign``, so that higher is better, and its replicates (rows).

    ``replicates`` is None for a metric without a value per query. ``n`` is the largest number of queries behind a value.
    """

    label: str
    systems: tuple[str, ...]
    sign: float
    values: np.ndarray
    replicates: np.ndarray | None
    n: int


def make_boards(
    results: Mapping[str, Results], metrics: tuple[Metric, ...], judged_by: str, times: int, seed: int
) -> list[Leaderboard]:
    """Return a board per metric of systems that were evaluated against the same judgements."""
    aligned = Aligned.of(results, metrics)
    for metric in metrics:
        if metric.better not in SIGN:
            raise UsageError(f"{metric} orders no systems: neither higher nor lower values of it are better.")
    tables = {m: _Table.of(aligned.values(m)) for m in metrics if times and aligned.has_values(m)}
    # drawn for all metrics at once: the same queries in each, so that two leaderboards are compared on one draw
    drawn = _replicates(tables, aligned.units, times, seed)
    return [_board(aligned, metric, judged_by, drawn.get(metric)) for metric in metrics]


def _board(aligned: Aligned, metric: Metric, judged_by: str, drawn: np.ndarray | None) -> Leaderboard:
    label, sign = str(metric) + judged_by, SIGN[metric.better]
    means = np.array([res.mean[str(metric)] for res in aligned.results], np.float64)
    n = max(res.n[str(metric)] for res in aligned.results)
    return Leaderboard(label, aligned.names, sign, sign * means, None if drawn is None else sign * drawn, n)


class _Table(NamedTuple):
    """The values of each system (row) per query, 0 where there is none, and which are known; None if all are."""

    values: np.ndarray
    known: np.ndarray | None

    @classmethod
    def of(cls, values: np.ndarray) -> _Table:
        is_defined = ~np.isnan(values)
        return cls(
            np.where(is_defined, values, 0.0), None if is_defined.all() else is_defined.astype(np.float64)
        )

    def means(self, weights: np.ndarray) -> np.ndarray:
        """Return the mean of each system (column) under some weights (rows); NaN where none of its queries has one."""
        counts = weights.sum(axis=1, keepdims=True) if self.known is None else weights @ self.known.T
        with np.errstate(divide="ignore", invalid="ignore"):
            # one product of matrices for all replicates; undefined values are 0 here and not counted there
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


LIMITS = (-1, 1), (-1, 1), (-1, 1), (-1, 1), (0, 1)  # of the coefficients
# a few arrays of 16 MB each, which stay far below the memory of the values themselves
CELLS = 1 << 21  # pairs of systems times replicates worked on at a time


class Coefficients(NamedTuple):
    """How far two orders agree: 1 wholly, −1 reversed (RBO: 0).

    ``tau_ap`` takes the first order for the reference, ``tau_ap_reversed`` the second; ``tau_ap_b`` is symmetric.
    """

    tau_b: Replicated
    tau_ap: Replicated
    tau_ap_reversed: Replicated
    tau_ap_b: Replicated
    rbo: Replicated


class Swap(NamedTuple):
    """Two systems: ``better`` is above ``worse`` in the first order and below it in the second.

    ``first`` and ``second`` are the differences there, better less worse, turned so that higher is better. ``again`` is the
    share of replicates in which the pair is swapped in this way too; at ½ or less, queries like these do not decide it.
    """

    better: str
    worse: str
    first: float
    second: float
    again: float


@record
class OrderOptions:
    """The persistence and the ties of RBO, the number of systems at the top, and the level of intervals."""

    p: float = 0.9
    ties: Ties = "a"
    top: int = 10
    level: float = 0.95


@record(eq=False)
class Leaderboards:
    """Two leaderboards of ``systems``, best first by the first: their coefficients, those of the top apart, and swapped pairs.

    ``top`` is None where there are no more systems than those; ``undefined`` are systems without a value in one of them.
    """

    first: str
    second: str
    systems: tuple[str, ...]
    values: tuple[tuple[float, ...], tuple[float, ...]]
    n: tuple[int, int]
    whole: Coefficients
    top: Coefficients | None
    swaps: tuple[Swap, ...]
    undefined: tuple[str, ...]


def compare_boards(first: Leaderboard, second: Leaderboard, how: OrderOptions) -> Leaderboards:
    """Return how far two boards of the same systems agree."""
    has_both = ~(np.isnan(first.values) | np.isnan(second.values))
    rows = np.flatnonzero(has_both)
    # best first by the first board, so that its top is the beginning of every array
    rows = rows[np.lexsort((rows, -first.values[rows]))]
    x, y = first.values[rows], second.values[rows]
    drawn = None
    if first.replicates is not None and second.replicates is not None:
        drawn = first.replicates[:, rows], second.replicates[:, rows]
    few = None if drawn is None else (drawn[0][:, : how.top], drawn[1][:, : how.top])
    return Leaderboards(
        first=first.label,
        second=second.label,
        systems=tuple(first.systems[row] for row in rows),
        values=(tuple((first.sign * x).tolist()), tuple((second.sign * y).tolist())),
        n=(first.n, second.n),
        whole=_coefficients(x, y, drawn, how),
        top=_coefficients(x[: how.top], y[: how.top], few, how) if len(rows) > how.top else None,
        swaps=tuple(_swaps(x, y, drawn, [first.systems[row] for row in rows])),
        undefined=tuple(first.systems[row] for row in np.flatnonzero(~has_both)),
    )


def _values(x: Order, y: Order, how: OrderOptions) -> np.ndarray:
    taus = kendall(x, y), ap_correlation(x, y), ap_correlation(y, x), ap_correlation_b(x, y)
    return np.stack([*taus, overlap(x, y, how.p, how.ties)], axis=-1)


def _coefficients(
    x: np.ndarray, y: np.ndarray, drawn: tuple[np.ndarray, np.ndarray] | None, how: OrderOptions
) -> Coefficients:
    values = _values(order_of(x), order_of(y), how)
    if drawn is None or len(x) < 2:
        return Coefficients(*(Replicated(value) for value in values.tolist()))
    # coefficients of pairs need n² cells a replicate; 100 systems and 2,000 replicates at once would need 20 million
    size = max(CELLS // len(x) ** 2, 1)
    parts = []
    for low in range(0, len(drawn[0]), size):
        left, right = drawn[0][low : low + size], drawn[1][low : low + size]
        replicates = _values(order_of(left), order_of(right), how)
        # a replicate in which a system has no value has no order of all systems
        replicates[np.isnan(left).any(axis=1) | np.isnan(right).any(axis=1)] = math.nan
        parts.append(replicates)
    columns = zip(values.tolist(), np.concatenate(parts).T, LIMITS, strict=True)
    return Coefficients(
        *(Replicated(value, *around(value, drawn, how.level, limits)) for value, drawn, limits in columns)
    )


def _swaps(
    x: np.ndarray, y: np.ndarray, drawn: tuple[np.ndarray, np.ndarray] | None, systems: list[str]
) -> list[Swap]:
    """The swapped pairs, those that are swapped most surely first."""
    worse, better = np.nonzero(swapped_pairs(x, y))
    again = np.full(len(worse), math.nan)
    if drawn is not None:
        left, right = (replicates[:, better] - replicates[:, worse] for replicates in drawn)
        has_both = ~np.isnan(left + right)
        # strictly: a replicate that ties the two does not swap them
        again = ((left > 0) & (right < 0) & has_both).sum(axis=0) / np.maximum(has_both.sum(axis=0), 1)
    # lexsort sorts by its last key first: by how sure the swap is, then by place
    order = np.lexsort((worse, better, -np.nan_to_num(again)))
    return [
        Swap(
            systems[better[at]],
            systems[worse[at]],
            float(x[better[at]] - x[worse[at]]),
            float(y[better[at]] - y[worse[at]]),
            float(again[at]),
        )
        for at in order
    ]
