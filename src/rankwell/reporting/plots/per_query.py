"""Values per query: how each system's values are spread, as a strip above a box."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count, number
from rankwell.display.text import plain_value
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.inputs import (
    QueryValues,
    comparison_in,
    per_query_metric,
    results_in,
    values_of,
)
from rankwell.reporting.chart.texts import (
    axis_title,
    level_of,
    shorten,
    shown_id,
    subtitle_lines,
    with_interval,
)
from rankwell.results import Results
from rankwell.tables.arguments import checked
from rankwell.tables.ids import draws
from rankwell.tables.states import Mean

Row = dict[str, Any]
MOST_POINTS, BINS, MOST_BINS = 2_000, 40, 2_000
SHARES = 5, 25, 50, 75, 95  # percentiles of the box
STRIP, BOX, MEAN = (-0.42, 0.02), (0.1, 0.26), 0.38  # where these are in a row, from its middle downwards
Channel = Callable[[str], Any]


def in_order(values: QueryValues, metric: Metric, comparison: Comparison | None) -> QueryValues:
    """Return the systems in the order of a comparison, as a leaderboard has them; without one, in the order given."""
    if comparison is None:
        return values
    names = [comparison.names[row] for row in comparison.order_of(metric, 0)]
    return QueryValues(
        tuple(names), values.queries, values.table[[values.names.index(name) for name in names]]
    )


def means_of(
    results: Mapping[str, Results], names: Sequence[str], metric: Metric, comparison: Comparison | None
) -> list[tuple[float, float, float]]:
    """Return each system's mean with its interval, as the comparison or the results have them; NaN for none."""
    if comparison is not None:
        own = [comparison.mean(system, metric) for system in names]
        return [(interval.mean, interval.low, interval.high) for interval in own]
    means = []
    for res in (results[name] for name in names):
        has_interval = metric not in res.part.weighted and isinstance(res.part.states[metric], Mean)
        _, low, high, *_ = res.interval(metric) if has_interval else (0, math.nan, math.nan)
        means.append((res.mean[str(metric)], low, high))
    return means


def boxes_of(values: QueryValues, means: Sequence[tuple[float, float, float]]) -> list[Row]:
    """Return a row per system: percentiles of the defined values, the mean and its interval, and how many there are."""
    label = shorten(values.names)
    rows = []
    for at, (name, own, (mean, low, high)) in enumerate(zip(values.names, values.table, means, strict=True)):
        defined = own[~np.isnan(own)]
        shares = np.percentile(defined, SHARES).tolist() if len(defined) else [math.nan] * len(SHARES)
        row = dict(zip(("p5", "p25", "p50", "p75", "p95"), map(plain_value, shares), strict=True))
        rows.append(
            row
            | {
                "at": at,
                "system": label[name],
                "mean": plain_value(mean),
                "low": plain_value(low),
                "high": plain_value(high),
            }
            | {"n": len(defined), "undefined": len(own) - len(defined)}
            | {"median": number(shares[2]), "middle": f"{number(shares[1])} – {number(shares[3])}"}
            | {"estimate": with_interval(mean, low, high)}
        )
    return rows


def points_of(values: QueryValues) -> list[Row]:
    """Return a row per system and query, moved up and down by its id so that equal values do not hide each other.

    If there are too many, there are none.
    """
    defined = ~np.isnan(values.table)
    if np.count_nonzero(defined) > MOST_POINTS:
        return []
    top, bottom = STRIP
    # by the hash of the query: the same height in each row, on each machine
    heights = bottom - (bottom - top) * (draws(0, values.queries) / 2.0**64)
    queries = [shown_id(query) for query in values.queries.tolist()]
    label = shorten(values.names)
    return [
        {
            "system": label[values.names[at]],
            "query": queries[place],
            "value": float(values.table[at, place]),
            "shown": number(float(values.table[at, place])),
            "y": at + float(heights[place]),
        }
        for at, place in np.argwhere(defined).tolist()
    ]


def bins_for(systems: int) -> int:
    """Return how many bins the values of each system are counted in."""
    return max(min(BINS, MOST_BINS // systems), 10)


def bars_of(values: QueryValues) -> list[Row]:
    """Return a row per system and bin that holds queries: its bounds, its number of queries, and its height in the row.

    Heights are square roots, as often three quarters of the values are 0.
    """
    defined = [own[~np.isnan(own)] for own in values.table]
    if not any(map(len, defined)):
        return []
    low, high = min(own.min() for own in defined if len(own)), max(own.max() for own in defined if len(own))
    bins = bins_for(len(defined))
    # equal values have a bin of their own
    edges = np.linspace(low, high, bins + 1) if high > low else np.array([low - 0.01, high + 0.01])
    counts = [np.histogram(own, edges)[0] for own in defined]
    shares = [own / max(own.sum(), 1) for own in counts]
    tallest = max(float(own.max()) for own in shares)
    label = shorten(values.names)
    rows = []
    for at, own in enumerate(counts):
        for place in np.flatnonzero(own).tolist():
            # square roots: three quarters of the queries are often 0, beside which other bins would vanish
            height = math.sqrt(float(shares[at][place]) / tallest)
            rows.append(
                {
                    "system": label[values.names[at]],
                    "start": float(edges[place]),
                    "end": float(edges[place + 1]),
                    "range": f"{number(float(edges[place]))} – {number(float(edges[place + 1]))}",
                    "queries": int(own[place]),
                    "top": at + STRIP[1] - (STRIP[1] - STRIP[0]) * height,
                    "base": at + STRIP[1],
                }
            )
    return rows


@drawing
@checked
def per_query(
    results: Results | Mapping[str, Results],
    metric: Wanted | None = None,
    *,
    comparison: Comparison | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw how the values per query of each system are spread: a strip of the queries above a box.

    Up to 2,000 values in all are points, more are counted in bins. The box holds the middle half of the queries and the whiskers
    nine tenths, the line in it is the median; the diamond below is the mean with its 95 % interval.

    Parameters
    ----------
    results
        Results with values per query, of one system or by system.
    metric
        A metric with values per query; default the first.
    comparison
        The comparison of these results, whose means and intervals are drawn; it says what is a seed or a fold of one system.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        For a metric without values per query, results that do not fit together, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = rw.evaluate({"1": ["a", "b"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, ["rr"])
    >>> rw.plot.per_query(res).title.text
    'rr per query'
    """
    words = words_of(lang)
    comparison = None if comparison is None else comparison_in(comparison)
    by_system = results_in(results)
    wanted = per_query_metric(by_system, metric)
    values = in_order(values_of(by_system, wanted, comparison), wanted, comparison)
    boxes = boxes_of(values, means_of(by_system, values.names, wanted, comparison))
    points = points_of(values)
    bars = bars_of(values) if not points else []
    title = words("plots.per_query.title", metric=str(wanted))
    chart = _chart(boxes, points, bars, axis_title(wanted, words), words)
    subtitle = _subtitle(values, points, bars, words, by_system, comparison)
    return finish(chart, title, subtitle, dark=dark)


PICTURE = Picture(per_query)


def _chart(boxes: list[Row], points: list[Row], bars: list[Row], title: str, words: PageStrings) -> Any:
    """The rows of systems as numbers from 0, from the top; beside them, on an axis of its own, their names."""
    alt = altair()
    room = alt.Scale(domain=[-0.5, len(boxes) - 0.5], reverse=True, nice=False, zero=False)
    scale, axis = alt.Scale(padding=8, nice=False), alt.Axis(tickCount=10)

    def place(field: str) -> Any:
        return alt.Y(f"{field}:Q", scale=room, axis=None)

    def value(field: str) -> Any:
        return alt.X(f"{field}:Q", title=title, scale=scale, axis=axis)

    layers = [*_strip(points, bars, place, value, words), *_boxes(boxes, place, value, words)]
    names = alt.Y("system:N", sort=[row["system"] for row in boxes], title=None)
    names = names.scale(type="band", padding=0).axis(grid=False, domain=False, ticks=False, labelPadding=8)
    labels = data(boxes).mark_point(opacity=0).encode(y=names)
    # an axis of names and one of numbers cannot be shared, so invisible points carry the names
    whole = alt.layer(labels, alt.layer(*layers)).resolve_scale(y="independent")
    return whole.properties(width=480, height=len(boxes) * _step(len(boxes)))


def _strip(
    points: list[Row], bars: list[Row], place: Channel, value: Channel, words: PageStrings
) -> list[Any]:
    """The points, or the bars, of the queries."""
    alt = altair()
    if points:
        tips = tooltips(words, system="page.system", query="page.query", shown="plots.per_query.value")
        dots = data(points).mark_point(style="muted", filled=True, size=22)
        return [dots.encode(x=value("value"), y=place("y"), tooltip=tips)]
    if bars:
        tips = tooltips(words, system="page.system", range="plots.per_query.value", shown="plots.compared.n")
        rows = [row | {"shown": count(row["queries"])} for row in bars]
        rects = data(rows).mark_rect(style="muted")
        return [
            rects.encode(
                x=value("start"), x2=alt.X2("end:Q"), y=place("top"), y2=alt.Y2("base:Q"), tooltip=tips
            )
        ]
    return []


def _boxes(boxes: list[Row], place: Channel, value: Channel, words: PageStrings) -> list[Any]:
    """The percentiles, and below them the mean with its interval."""
    alt = altair()
    tips = tooltips(
        words,
        system="page.system",
        median="plots.per_query.median",
        middle="plots.per_query.middle",
        estimate="plots.compared.mean",
        n="plots.compared.n",
    )
    places = {"box_top": BOX[0], "box_end": BOX[1], "box": sum(BOX) / 2, "under": MEAN}
    rows = [row | {name: row["at"] + added for name, added in places.items()} for row in boxes]
    base = data(rows).encode(tooltip=tips)
    return [
        base.mark_rule().encode(x=value("p5"), x2=alt.X2("p95:Q"), y=place("box")),
        base.mark_rect(opacity=0.4).encode(
            x=value("p25"), x2=alt.X2("p75:Q"), y=place("box_top"), y2=alt.Y2("box_end:Q")
        ),
        base.mark_rule(strokeWidth=2).encode(x=value("p50"), y=place("box_top"), y2=alt.Y2("box_end:Q")),
        base.mark_rule(style="accent", strokeWidth=2).encode(
            x=value("low"), x2=alt.X2("high:Q"), y=place("under")
        ),
        base.mark_point(shape="diamond", filled=True, size=70, opacity=1).encode(
            x=value("mean"), y=place("under")
        ),
    ]


def _step(systems: int) -> int:
    return 64 if systems <= 8 else 48 if systems <= 20 else 32


def _subtitle(
    values: QueryValues,
    points: list[Row],
    bars: list[Row],
    words: PageStrings,
    results: Mapping[str, Results],
    comparison: Comparison | None,
) -> Sequence[str]:
    weights = next(iter(results.values())).weights if comparison is None else comparison.weights
    defined = np.count_nonzero(~np.isnan(values.table), axis=1)
    total = len(values.queries)
    least, most = (int(bound(defined)) for bound in (np.min, np.max))
    n = count(least) if least == most else f"{count(least)} – {count(most)}"
    bins = bins_for(len(values.names))
    strip = (
        words("plots.per_query.points")
        if points
        else words("plots.per_query.bins", bins=bins)
        if bars
        else ""
    )
    return subtitle_lines(
        words("page.queries", n=total)
        if least == most == total
        else words("plots.per_query.defined", defined=n, total=count(total)),
        strip,
        words("plots.per_query.parts", level=level_of(comparison)),
        words("plots.per_query.weighted", weights=weights) if weights else "",
    )
