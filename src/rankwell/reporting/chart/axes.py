"""Axes: their ends, percent as labels, the height of a row; and panels of ranges, which share one axis of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from datetime import UTC, date, datetime, time
from typing import Any

from rankwell.display.page import PageStrings
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import altair, data
from rankwell.reporting.chart.systems import best_first
from rankwell.reporting.chart.texts import axis_title, shorten
from rankwell.results import Results

FEW = 12  # rows that have room
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # between ticks that read well, times a power of ten
MOST_TICKS = 60
DAY = 86_400_000  # milliseconds
IN_A_ROW, WIDTH = 4, 200  # panels beside each other, and the pixels of one


def span(values: Sequence[float], air: float = 0.06) -> list[float]:
    """Return the ends of an axis on which values have some air, also if all are equal."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    wide = (high - low) * air or max(abs(high), 1.0) * air
    return [low - wide, high + wide]


def round_domain(
    values: Iterable[float], limits: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[float, float]:
    """Return an axis for values: from 0 unless they are far from it, with ends on round numbers and within the limits.

    >>> round_domain([0.12, 0.58]), round_domain([0.52, 0.58]), round_domain([1.0], (0.0, 1.0))
    ((0.0, 0.6), (0.52, 0.58), (0.9, 1.0))
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if 0 <= low < 0.4 * high:
        low = 0.0
    if high < 0 and high > 0.4 * low:
        high = 0.0
    if high == low:
        room = (abs(low) or 1.0) / 10
        low, high = max(low - room, limits[0]), min(high + room, limits[1])
    # the least round step of which five cover the values; the ends are its multiples, where 1e-9 forgives that 0.3 / 0.1 < 3
    size = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(size * factor for factor in STEPS if size * factor * 5 >= high - low)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return round(max(low, limits[0]), 12), round(min(high, limits[1]), 12)


def percent_axis(**more: Any) -> Any:
    """Return an axis of shares, labelled as ``percent`` writes them."""
    return altair().Axis(labelExpr="format(100 * datum.value, '~g') + ' %'", **more)


def time_of(day: date) -> float:
    """Return midnight UTC of a date in milliseconds.

    >>> time_of(date(1970, 1, 2))
    86400000.0
    """
    return datetime.combine(day, time(), UTC).timestamp() * 1000


def dates_axis(days: Sequence[date]) -> Any:
    """Return the x of the field ``time`` in a picture of some dates, which are written the same in every time zone."""
    alt, times = altair(), [time_of(day) for day in days]
    air = max((times[-1] - times[0]) * 0.05, DAY / 2)
    # no scale of times: a local one would show midnight UTC as the day before in half of the world
    label, ticks = "utcFormat(datum.value, '%Y-%m-%d')", len(days) <= MOST_TICKS
    axis = alt.Axis(labelExpr=label, values=times, labelOverlap=True, grid=False, ticks=ticks)
    scale = alt.Scale(domain=[times[0] - air, times[-1] + air], nice=False, zero=False)
    return alt.X("time:Q", title=None, axis=axis, scale=scale)


def row_height(rows: Sized) -> int:
    """Return the height of a row in a picture with so many."""
    return 24 if len(rows) <= FEW else 14


def panels(
    words: PageStrings,
    room: str,
    metrics: Sequence[Metric],
    systems: Mapping[str, Results],
    ranges: Sequence[Mapping[str, Any]],
    ends: tuple[str, str],
) -> tuple[list[Any], dict[str, str]]:
    """Return a panel per metric, of which the first of each row names the systems, and these names, best first by the first metric."""
    first = metrics[0]
    means = {name: res.plain_mean[str(first)] for name, res in systems.items()}
    labels = shorten(best_first(systems, means, first.better))
    own = [
        _panel(words, room, metric, ranges, ends, labels, labelled=at % IN_A_ROW == 0)
        for at, metric in enumerate(metrics)
    ]
    return own, labels


def _panel(
    words: PageStrings,
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
        alt.Tooltip(f"{field}:Q", title=words(f"{room}.{field}"), format=".4f")
        for field in (first, "value", last)
    ]
    base = data(rows).encode(
        y=systems_axis(labels, labelled=labelled),
        tooltip=[alt.Tooltip("system:N", title=words("page.system")), *fields],
    )
    # ranges are small beside the values, so the axis does not begin at 0
    scale = alt.Scale(domain=limits, nice=False, zero=False)
    title = axis_title(metric, words)
    lines = base.mark_rule(strokeWidth=5, opacity=0.4, strokeCap="round").encode(
        x=alt.X(f"{first}:Q", scale=scale, title=title), x2=alt.X2(f"{last}:Q")
    )
    dots = base.mark_point(filled=True, opacity=1, size=55).encode(
        x=alt.X("value:Q", scale=scale, title=title)
    )
    return alt.layer(lines, dots).properties(width=WIDTH, height=alt.Step(row_height(labels)))


def systems_axis(labels: Mapping[str, str], *, labelled: bool) -> Any:
    """Return the axis of systems, the same for all panels of a row, so that their rows are level."""
    alt = altair()
    axis = alt.Axis(labels=labelled, ticks=False, domain=False, grid=False)
    scale = alt.Scale(type="band", paddingInner=0.3, paddingOuter=0.15)
    return alt.Y("system:N", sort=list(labels.values()), title=None, axis=axis, scale=scale)
