"""Axes: their ends, the order of systems, the height of a row; and panels of ranges, which share one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

from rankwell.display.page import Words
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.drawn import altair, data
from rankwell.reporting.chart.texts import axis_title

# Axes: the order of systems, the ends of a scale, and the height of a row.


FEW = 12  # rows that have room


def best_first(names: Iterable[str], values: Mapping[str, float], better: str = "higher") -> list[str]:
    """Return names by their values, the best first; without a value last, equal ones in the order given."""
    sign = -1.0 if better == "higher" else 1.0

    def place(name: str) -> tuple[bool, float]:
        value = values.get(name, math.nan)
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value

    return sorted(names, key=place)


def span(values: Sequence[float], air: float = 0.06) -> list[float]:
    """Return the ends of an axis on which values have some air, also if all are equal."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    wide = (high - low) * air or max(abs(high), 1.0) * air
    return [low - wide, high + wide]


def step_of(rows: Sized) -> int:
    """Return the height of a row in a picture with so many."""
    return 24 if len(rows) <= FEW else 14


# Panels of ranges: for one metric a row per system, a line from one end to the other and a dot at the value
# reported.


IN_A_ROW, WIDTH = 4, 200


def panel(
    words: Words,
    room: str,
    metric: Metric,
    ranges: Sequence[Mapping[str, Any]],
    ends: tuple[str, str],
    labels: Mapping[str, str],
    *,
    labelled: bool,
) -> Any:
    """Return the ranges of one metric, a row per system; ``ends`` are fields, which ``room`` has words for."""
    alt = altair()
    first, last = ends
    own = [row for row in ranges if row["metric"] == str(metric)]
    rows = [{**row, "system": labels[row["system"]]} for row in own]
    limits = span([value for row in own for value in (row[first], row["value"], row[last])])
    fields = [
        alt.Tooltip(f"{each}:Q", title=words(f"{room}.{each}"), format=".4f")
        for each in (first, "value", last)
    ]
    base = data(rows).encode(
        y=systems_axis(labels, labelled=labelled),
        tooltip=[alt.Tooltip("system:N", title=words("page.system")), *fields],
    )
    scale = alt.Scale(domain=limits, nice=False, zero=False)
    title = axis_title(metric, words)
    lines = base.mark_rule(strokeWidth=5, opacity=0.4, strokeCap="round").encode(
        x=alt.X(f"{first}:Q", scale=scale, title=title), x2=alt.X2(f"{last}:Q")
    )
    dots = base.mark_point(filled=True, opacity=1, size=55).encode(
        x=alt.X("value:Q", scale=scale, title=title)
    )
    return alt.layer(lines, dots).properties(width=WIDTH, height=alt.Step(step_of(labels)))


def systems_axis(labels: Mapping[str, str], *, labelled: bool) -> Any:
    """Return the axis of systems, the same for all panels of a row, so that their rows are level."""
    alt = altair()
    axis = alt.Axis(labels=labelled, ticks=False, domain=False, grid=False)
    scale = alt.Scale(type="band", paddingInner=0.3, paddingOuter=0.15)
    return alt.Y("system:N", sort=list(labels.values()), title=None, axis=axis, scale=scale)
