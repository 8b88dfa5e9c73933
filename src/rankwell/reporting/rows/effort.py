"""Rows of the picture of judging: the order of runs after each number of judgements, by method."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from rankwell.judging import Simulation

Row = dict[str, Any]


def rows_of(found: Simulation) -> list[Row]:
    """Return a row per method and number of judgements at which the runs have an order."""
    return [
        {
            "system": row.method,
            "judgements": row.judgements,
            "value": row.tau_ap,
            "error": row.error,
            "found": row.found,
        }
        for row in found.rows
        if not math.isnan(row.tau_ap)
    ]


def ends_of(found: Simulation) -> dict[str, float]:
    """Return the last value of each method, NaN if it has none."""
    return dict.fromkeys(found.methods, math.nan) | {row["system"]: row["value"] for row in rows_of(found)}


def ticks_of(found: Simulation) -> list[int]:
    """Return the numbers of judgements that have a tick: each, but one very near to the next."""
    budgets = sorted({row.judgements for row in found.rows})
    kept = [a for a, b in pairwise(budgets) if b >= 1.2 * a]
    return [*kept, *budgets[-1:]]
