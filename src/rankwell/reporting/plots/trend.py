"""The picture of a trend: means by date with their intervals, and the changes that are shown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rankwell.comparison.trend import KIND, DatedMean, Trend
from rankwell.comparison.trend import trend as trend_of
from rankwell.display.page import PageStrings, words_of
from rankwell.display.saved_files import kind_of
from rankwell.display.table import count, number
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.axes import dates_axis, round_domain, time_of
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.texts import axis_title, cut, with_interval
from rankwell.tables.arguments import checked

WIDTH, HEIGHT = 620, 200
UP, DOWN = "up", "down"
SHAPES = {"": "circle", UP: "triangle-up", DOWN: "triangle-down"}


@drawing
@checked
def trend(
    found: Any, *, metrics: Iterable[Wanted] | Wanted | None = None, lang: str = "en", dark: bool = False
) -> Any:
    """Draw means by date with a band of their intervals, and mark the changes that are shown.

    A triangle points up or down where the mean rose or fell since the date before and the interval of this change excludes 0; its size
    stands beside it. A circle is a date without such a change. The line breaks at a date without a value.

    Parameters
    ----------
    found
        What ``rw.trend`` returned, its file, or what it takes: a folder of saved results by date, or ``{date: Results}``.
    metrics
        The metrics that are drawn, each in a panel; by default all.
    lang, dark
        The language of the words, and whether the ground is dark.

    Returns
    -------
    altair.Chart
        The picture.

    Raises
    ------
    RankwellError
        If dates or files cannot be read, or a metric is not there.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = rw.evaluate({"q": ["a", "b"], "r": ["b", "a"]}, {"q": {"a": 1}, "r": {"a": 1}}, ["rr"])
    >>> rw.plot.trend({"2026-11-16": res, "2026-11-23": res}).title.text
    'Trend of rr'
    """
    alt, words, own = altair(), words_of(lang), _trend_in(found, metrics)
    wanted = own.metrics if metrics is None else metrics_of(metrics)
    panels = [_panel(own, metric, words) for metric in wanted]
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=24)
    title = words("plots.trend.title", metrics=", ".join(map(str, wanted)))
    return finish(chart, title, _said(own, wanted, words), dark=dark)


PICTURE = Picture(trend)


def _trend_in(found: Any, metrics: Iterable[Wanted] | Wanted | None) -> Trend:
    if isinstance(found, Trend):
        return found
    if isinstance(found, str | Path) and kind_of(found) == KIND:
        return Trend.load(found)
    return trend_of(found, metrics)


def rows_of(own: Trend, metric: Metric) -> list[dict[str, Any]]:
    """Return a row per date with a value; ``line`` and ``band`` number the stretches without a gap."""
    rows = []
    line = band = 0
    for point in own[metric]:
        # an interval may be without an end, where nothing bounds a metric
        has_band = math.isfinite(point.low) and math.isfinite(point.high)
        line, band = line + math.isnan(point.mean), band + (not has_band)
        if math.isnan(point.mean):
            continue
        low, high = (point.low, point.high) if has_band else (None, None)
        way = (UP if point.change > 0 else DOWN) if point.is_shown else ""
        row = {
            "date": str(point.date),
            "time": time_of(point.date),
            "mean": point.mean,
            "low": low,
            "high": high,
            "line": line,
            "band": band,
            "way": way,
            "style": _style_of(point, metric),
            "size": f"{'+' if way == UP else ''}{number(point.change)}" if way else "",
            # at the end of the band, outside of which no line is
            "beside": point.mean if not has_band else high if way == UP else low,
            "estimate": with_interval(point.mean, point.low, point.high),
            "change": with_interval(point.change, point.change_low, point.change_high),
            "n": count(point.n),
            "shared": count(point.shared),
            "run": cut(point.run),
        }
        rows.append(row)
    return rows


def _style_of(point: DatedMean, metric: Metric) -> str:
    if not point.is_shown or metric.better == "neither":
        return "accent"
    return "better" if (point.change > 0) == (metric.better == "higher") else "worse"


def _panel(own: Trend, metric: Metric, words: PageStrings) -> Any:
    alt, rows = altair(), rows_of(own, metric)
    x = dates_axis(own.dates)
    ends = [row[end] for row in rows for end in ("mean", "low", "high") if row[end] is not None]
    title = axis_title(metric, words)
    scale = alt.Scale(domain=list(round_domain(ends, metric.range)), nice=False, zero=False)
    y = alt.Y("mean:Q", title=title, scale=scale)
    shown = {"date": "date", "estimate": "mean", "change": "change", "shared": "shared"}
    tips = tooltips(words, **{field: f"trend.{word}" for field, word in shown.items()})
    tips.insert(2, alt.Tooltip("n:N", title=words("plots.compared.n")))
    if own.has_runs:
        tips.insert(1, alt.Tooltip("run:N", title=words("trend.run")))
    sizes = Counter(row["band"] for row in rows if row["low"] is not None)
    known = [row for row in rows if row["low"] is not None]
    low, high = alt.Y("low:Q", title=title, scale=scale), alt.Y2("high:Q")
    layers = [
        data(known).mark_area(style="band").encode(x=x, y=low, y2=high, detail=alt.Detail("band:N")),
        # a band of one date has no width
        data(row for row in known if sizes[row["band"]] == 1)
        .mark_rule(style="accent", opacity=0.3)
        .encode(x=x, y=low, y2=high),
        data(rows).mark_line(style="accent", strokeWidth=2).encode(x=x, y=y, detail=alt.Detail("line:N")),
    ]
    for way, style in dict.fromkeys((row["way"], row["style"]) for row in rows):
        few = data(row for row in rows if (row["way"], row["style"]) == (way, style))
        marks = few.mark_point(
            style=style, shape=SHAPES[way], size=110 if way else 36, filled=True, opacity=1
        )
        layers.append(marks.encode(x=x, y=y, tooltip=tips))
        if way:
            text = few.mark_text(style="note", dy=-9 if way == UP else 10)
            layers.append(
                text.encode(x=x, y=alt.Y("beside:Q", title=title, scale=scale), text=alt.Text("size:N"))
            )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _said(own: Trend, metrics: Iterable[Metric], words: PageStrings) -> list[str]:
    """What the marks mean."""
    level, points = f"{own.level * 100:g}", [point for metric in metrics for point in own[metric]]
    has_band = any(math.isfinite(point.low) for point in points)
    lines = [words(f"plots.trend.{'band' if has_band else 'no_band'}", level=level)]
    if not any(point.is_shown for point in points):
        return [*lines, words("plots.trend.no_marks", level=level)]
    return [
        *lines,
        words("plots.trend.marks", level=level),
        words("plots.trend.chance", share=f"{(1 - own.level) * 100:g}"),
    ]
