"""The picture of latencies: the whole distribution of each system and load, on a scale that stretches the slowest calls."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.display.text import plain_value
from rankwell.efficiency import Costs
from rankwell.efficiency.estimates import MS, CallGroup
from rankwell.efficiency.frames import COLD
from rankwell.efficiency.load import check_known
from rankwell.efficiency.plots.costs import is_log
from rankwell.errors import UsageError
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.systems import SystemColours, divide
from rankwell.reporting.chart.texts import beside, cut, subtitle_lines
from rankwell.tables.arguments import checked

Row = dict[str, Any]
MARKED = (0.5, 0.9, 0.95, 0.99, 0.999)  # quantiles with intervals
POINTS_PER_DECADE = 24
DIGITS = 3
WIDTH, HEIGHT, NARROW = 480, 320, 300
MOST_SAID = 3  # failures in the subtitle
DASHES = ([1, 0], [5, 4])  # of warm and of cold lines
TICKS = (1, 0.5, 0.1, 0.05, 0.01, 0.001, 0.0001, 0.00001)  # tails of the quantiles that the axis names
LABEL = "'p' + format(100 * (1 - datum.value), '~r')"


@drawing
@checked
def latency(
    costs: Any,
    *,
    load: str | None = None,
    highlight: Sequence[str] | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw the distribution of latencies of each system and load: its quantiles, on a scale that stretches the slowest calls.

    Loads are beside each other, cold passes have broken lines. Latencies that span more than a decade are in log scale. Of more
    than eight systems the fastest three at p95 are in colour. A time-out counts as infinitely long, so its line ends before; calls
    that failed otherwise have no latency, and are said.

    Parameters
    ----------
    costs
        What ``rankwell.efficiency.measure`` returns, or the path of a file of it.
    load
        The load that is drawn; default all.
    highlight
        The systems in colour, if there are many.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        If there is no such load or system, nothing was answered, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> class Engine:
    ...     def search(self, query, k):
    ...         return ["a", "b"]
    >>> costs = rw.efficiency.measure({"one": Engine()}, {"1": "x", "2": "y"}, repetitions=2)
    >>> rw.plot.latency(costs).title.text
    'Latency of searching'
    """
    words, found = (
        words_of(lang),
        Costs.read(costs, "costs: expected what rankwell.efficiency.measure returns"),
    )
    loads = found.loads if load is None else [check_known("load", load, found.loads)]
    groups = groups_in(found, loads)
    rows = rows_of(groups, loads, words)
    if not rows:
        raise UsageError("no call was answered, so there is no latency to draw.")
    names = list(dict.fromkeys(row["system"] for row in rows))
    speed = {name: min(_p95(rows, name)) for name in names}
    drawn = SystemColours.of(names, highlight, sorted(names, key=speed.__getitem__))
    return finish(
        _chart(rows, drawn, words),
        words("plots.latency.title"),
        _subtitle(rows, groups, loads, words),
        dark=dark,
    )


PICTURE = Picture(latency, in_python=("highlight",))


def _p95(rows: Sequence[Row], system: str) -> Iterator[float]:
    """The milliseconds of a system's calls at p95, or at their slowest, in each line."""
    own = [row for row in rows if row["system"] == system]
    for key in {(row["load"], row["session"]) for row in own}:
        line = [row for row in own if (row["load"], row["session"]) == key]
        yield min(line, key=lambda row: abs(row["tail"] - 0.05))["ms"]


def _chart(rows: list[Row], drawn: SystemColours, words: PageStrings) -> Any:
    alt = altair()
    loads = list(dict.fromkeys(row["panel"] for row in rows))
    width = WIDTH if len(loads) == 1 else NARROW
    charts = []
    for load in loads:
        own = [row for row in rows if row["panel"] == load]
        chart = alt.layer(*_layers(own, rows, drawn, words)).properties(width=width, height=HEIGHT)
        charts.append(chart if len(loads) == 1 else chart.properties(title=cut(load)))
    return charts[0] if len(charts) == 1 else alt.concat(*charts, columns=2)


def _layers(own: list[Row], rows: list[Row], drawn: SystemColours, words: PageStrings) -> list[Any]:
    """The layers of one load; all loads have the scales of all rows."""
    alt = altair()
    ms = [end for row in rows for end in (row["ms"], row["low"], row["high"]) if end is not None]
    least = min(row["tail"] for row in rows)
    x = alt.X("tail:Q", title=words("plots.latency.quantile"))
    x = x.scale(type="log", domain=[1, least], reverse=False, nice=False)
    x = x.axis(values=[tail for tail in TICKS if tail >= least / 1.001], labelExpr=LABEL, grid=True)
    title = beside(words("plots.latency.y"), words("page.lower"))
    scale = alt.Scale(type="log", nice=False) if is_log(ms) else alt.Scale(zero=True)
    scale.domain = [min(ms) / 1.1, max(ms) * 1.1] if is_log(ms) else [0, max(ms) * 1.05]
    y = alt.Y("ms:Q", title=title, scale=scale).axis(format="~g", tickCount=6)
    texts = {"load": "load", "session": "session", "quantile": "quantile", "shown": "y"}
    keys = {field: f"plots.latency.{key}" for field, key in texts.items()}
    tips = tooltips(words, system="page.system", **keys)
    sessions = list(dict.fromkeys(row["session"] for row in rows))
    names = [words(f"plots.latency.{each}") for each in ("warm", "cold")]
    dash = alt.StrokeDash(
        "session:N",
        scale=alt.Scale(domain=names, range=[list(each) for each in DASHES]),
        legend=alt.Legend(title=words("plots.latency.session")) if len(sessions) > 1 else None,
    )
    muted, bright = divide(own, drawn)
    layers = []
    if muted:
        faint = data(muted).mark_line(style="faint", strokeWidth=1, interpolate="step-after")
        layers.append(
            faint.encode(x=x, y=y, detail=[alt.Detail("system:N"), alt.Detail("session:N")], tooltip=tips[:1])
        )
    if bright:
        colour = drawn.colour(words("page.system"))
        lined = data(bright).mark_line(strokeWidth=2, interpolate="step-after")
        layers.append(lined.encode(x=x, y=y, color=colour, strokeDash=dash))
        points = data(bright).mark_point(filled=True, size=60, opacity=0)
        layers.append(points.encode(x=x, y=y, color=colour, tooltip=tips))
    if bounded := [row for row in bright if row["low"] is not None and row["session"] == names[0]]:
        bars = data(bounded).mark_rule(strokeWidth=2, opacity=0.6)
        layers.append(
            bars.encode(x=x, y=alt.Y("low:Q", title=title, scale=scale), y2=alt.Y2("high:Q"), color=colour)
        )
    return layers


def _subtitle(
    rows: list[Row], groups: Sequence[CallGroup], loads: Sequence[str], words: PageStrings
) -> Sequence[str]:
    said = []
    for each in groups:
        calls, timeouts, others = each.failures
        fields = {"system": cut(each.system), "load": cut(each.label), "of": calls}
        said += [
            words(f"plots.latency.{key}", n=n, **fields)
            for key, n in (("timeouts", timeouts), ("failures", others))
            if n
        ]
    rest = len(said) - MOST_SAID
    return subtitle_lines(
        words("plots.costs.load", load=cut(loads[0])) if len(loads) == 1 else "",
        words("plots.latency.how"),
        words(f"plots.latency.{'bars' if any(row['low'] is not None for row in rows) else 'no_bars'}"),
        words("plots.latency.dashes") if any(each.session == COLD for each in groups) else "",
        *said[:MOST_SAID],
        words("plots.latency.more_failures", n=rest) if rest > 0 else "",
    )


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


def groups_in(costs: Costs, loads: Sequence[str]) -> list[CallGroup]:
    """Return the calls that are drawn, cold before warm: those under the loads, and the first passes, whatever their load."""
    return [each for each in costs.groups if each.load in loads or each.session == COLD]


def rows_of(groups: Sequence[CallGroup], loads: Sequence[str], words: PageStrings) -> list[Row]:
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
