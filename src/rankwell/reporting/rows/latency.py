"""What is behind the plot of latencies: quantiles of the calls of each system, load and session."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwell.display.page import Words
from rankwell.display.plain_values import plain_value
from rankwell.display.table import number
from rankwell.efficiency import Costs
from rankwell.efficiency.estimates import MS, Group
from rankwell.efficiency.frames import COLD

Row = dict[str, Any]
MARKED = (0.5, 0.9, 0.95, 0.99, 0.999)  # quantiles with intervals
POINTS_PER_DECADE = 24
DIGITS = 3


def curve_of(values: np.ndarray) -> list[tuple[float, float]]:
    """Return quantiles of values (1 − q, value), evenly spaced in the logarithm of 1 − q, down to the slowest of n calls, 1/n.

    Each is the ⌈q·n⌉-th smallest value; only finite ones are there.

    >>> curve_of(np.array([1.0, 2.0, 3.0, 4.0]))[0], curve_of(np.array([1.0, 2.0, 3.0, 4.0]))[-1]
    ((1.0, 1.0), (0.25, 3.0))
    """
    n = len(values)
    ordered = np.sort(values)
    steps = max(math.ceil(POINTS_PER_DECADE * math.log10(n)), 1)
    tails = sorted({*np.logspace(0, -math.log10(n), steps + 1).tolist(), *_tails(n)}, reverse=True)
    found = [(tail, float(ordered[max(math.ceil((1 - tail) * n - 1e-9), 1) - 1])) for tail in tails]
    return [(tail, value) for tail, value in found if math.isfinite(value)]


def _tails(n: int) -> list[float]:
    """The tails of the quantiles with intervals that n calls reach."""
    return [round(1 - q, 6) for q in MARKED if (1 - q) * n >= 1 - 1e-9]


def groups_in(costs: Costs, loads: Sequence[str]) -> list[Group]:
    """Return the calls that are drawn, cold before warm: those under the loads, and the first passes, whatever their load."""
    return [each for each in costs.groups if each.load in loads or each.session == COLD]


def rows_of(groups: Sequence[Group], loads: Sequence[str], words: Words) -> list[Row]:
    """Return the rows of the lines: system, load, session, the tail 1 − q, and milliseconds; with bounds at the usual quantiles.

    ``panel`` is the load beside which they are drawn: cold calls under another load are in the first panel.
    """
    rows: list[Row] = []
    for group in groups:
        if not np.isfinite(group.latencies).any():
            continue
        panel = group.load if group.load in loads else loads[0]
        session = words(f"plots.latency.{group.session}")
        key = {"system": group.system, "load": group.load, "session": session, "panel": panel}
        marked = {round(1 - q, 6): q for q in MARKED}
        for tail, seconds in curve_of(group.latencies):
            row = key | {"tail": tail, "ms": seconds * MS, "low": None, "high": None}
            low = high = math.nan
            if tail in marked:
                _, low, high, *_ = group.quantile(marked[tail])
            if math.isfinite(low):
                row |= {"low": low * MS, "high": plain_value(high * MS) if math.isfinite(high) else None}
            texts = {
                "value": number(seconds * MS, DIGITS),
                "low": number(low * MS, DIGITS),
                "high": number(high * MS, DIGITS),
            }
            row["quantile"] = f"p{100 * (1 - tail):.4g}" if tail > 1e-4 else f"p{100 * (1 - tail):.8g}"
            row["shown"] = words(f"plots.latency.point{'' if math.isfinite(low) else '_without'}", **texts)
            rows.append(row)
    return rows
