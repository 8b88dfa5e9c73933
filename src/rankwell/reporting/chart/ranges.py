"""Panels of ranges: for one metric a row per system, a line from one end to the other and a dot at the value reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.display.page import Words
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.axes import span, step_of
from rankwell.reporting.chart.drawn import altair, data
from rankwell.reporting.rows.texts import axis_title

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
