"""What is behind the plot of wins: on how many queries each system of a pair is better."""

from __future__ import annotations

from typing import Any

from rankwell.comparison.comparison import Comparison
from rankwell.display.table import count, number
from rankwell.metrics.metric import Metric
from rankwell.reporting.rows.labels import shortened
from rankwell.reporting.rows.pairs import (
    Pairs,
    row_of,
)

Row = dict[str, Any]
OUTCOMES = "worse", "equal", "better"
NARROW = 0.05  # share of a bar in which no count of ties can be written


def can_be_won(comparison: Comparison, metric: Metric) -> bool:
    """Whether a metric has values per query, and a better end."""
    own = comparison.differences[metric, 0]
    return metric.better != "neither" and bool((own.wins + own.ties + own.losses).any())


def rows_of(comparison: Comparison, pairs: Pairs) -> list[dict[str, Any]]:
    """Return three rows per pair, of the share of queries from ``start`` to ``end``; the middle of the ties is 0."""
    label = shortened(comparison.names)
    rows = []
    for row in pairs.rows:
        n = row.wins + row.ties + row.losses
        if not n:
            continue
        half = row.ties / 2 / n
        ends = {
            "worse": (-half - row.losses / n, -half),
            "equal": (-half, half),
            "better": (half, half + row.wins / n),
        }
        for outcome, queries in zip(OUTCOMES, (row.losses, row.ties, row.wins), strict=True):
            start, end = ends[outcome]
            pair = f"{label[row.first]} − {label[row.second]}"
            rows.append(
                {
                    "row": row_of(row, pairs, label),
                    "pair": pair,
                    "outcome": outcome,
                    "queries": queries,
                    "start": start,
                    "end": end,
                    "shown": count(queries) if outcome != "equal" or end - start > NARROW else "",
                    "share": f"{number(100 * queries / n, 1)} %",
                }
            )
    return rows
