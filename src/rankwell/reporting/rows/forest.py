"""What is behind the forest plot: a row per metric and pair."""

from __future__ import annotations

import math
from typing import Any

from rankwell.comparison.comparison import Comparison
from rankwell.display.plain_values import plain_value
from rankwell.display.table import count
from rankwell.metrics.metric import Metric
from rankwell.reporting.rows.labels import shortened
from rankwell.reporting.rows.pairs import (
    Pairs,
    outcome_of,
    row_of,
)
from rankwell.reporting.rows.texts import p_text, with_interval

Row = dict[str, Any]


def rows_of(comparison: Comparison, found: dict[Metric, Pairs]) -> list[dict[str, Any]]:
    """Return a row per metric and pair, in the order drawn."""
    label = shortened(comparison.names)
    rows = []
    for metric, pairs in found.items():
        for row in pairs.rows:
            pair = row_of(row, pairs, label)
            several = len(found) > 1
            is_alone = several and len(pairs.rows) == 1
            margin = comparison.methods.margins.get(str(metric), math.nan)
            rows.append(
                {
                    "row": str(metric) if is_alone else f"{metric}: {pair}" if several else pair,
                    "mean": plain_value(row.mean),
                    "low": plain_value(row.low),
                    "high": plain_value(row.high),
                    "estimate": with_interval(row.mean, row.low, row.high),
                    "p": p_text(row.p),
                    "n": count(row.n),
                    "pair": f"{label[row.first]} − {label[row.second]}",
                    "outcome": outcome_of(row, metric, comparison.methods.alpha),
                    "margin": plain_value(margin),
                    "less": plain_value(-margin),
                }
            )
    return rows
