"""Values per query: how each system's values are spread, as a strip above a box."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.comparison import Comparison
from rankwell.display.page import Words, words_of
from rankwell.display.table import count, number
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.plots import drawing
from rankwell.reporting.plots.inputs import Values, per_query_metric, results_in, values_of
from rankwell.reporting.plots.theme import finished
from rankwell.results import Results
from rankwell.tables.draws import draws
from rankwell.tables.states import Mean

MOST_POINTS, BINS, MOST_BINS = 2_000, 40, 2_000
SHARES = 5, 25, 50, 75, 95  # percentiles of the box
STRIP, BOX, MEAN = (-0.42, 0.02), (0.1, 0.26), 0.38  # where these are in a row, from its middle downwards

Row = dict[str, Any]


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
    given = results_in(results)
    wanted = per_query_metric(given, metric)
    values = values_of(given, wanted, comparison)
    boxes = boxes_of(values, means_of(given, wanted, comparison))
    points = points_of(values)
    bars = bars_of(values) if not points else []
    title = words("plots.per_query.title", metric=str(wanted))
    chart = _chart(boxes, points, bars, drawing.axis_title(wanted, words), words)
    return finished(chart, title, _subtitle(values, points, bars, words), dark=dark)


def means_of(
    results: Mapping[str, Results], metric: Metric, comparison: Comparison | None
) -> list[tuple[float, float, float]]:
    """Return each system's mean with its interval, as the comparison or the results have them; NaN for none."""
    if comparison is not None:
        own = [comparison.mean(system, metric) for system in comparison.names]
        return [(each.mean, each.low, each.high) for each in own]
    found = []
    for res in results.values():
        has_interval = metric not in res.part.weighted and isinstance(res.part.states[metric], Mean)
        _, low, high, *_ = res.interval(metric) if has_interval else (0, math.nan, math.nan)
        found.append((res.mean[str(metric)], low, high))
    return found


def boxes_of(values: Values, means: Sequence[tuple[float, float, float]]) -> list[Row]:
    """Return a row per system: percentiles of the defined values, the mean and its interval, and how many there are."""
    label = drawing.labels_of(values.names)
    rows = []
    for at, (name, own, (mean, low, high)) in enumerate(zip(values.names, values.table, means, strict=True)):
        known = own[~np.isnan(own)]
        shares = np.percentile(known, SHARES).tolist() if len(known) else [math.nan] * len(SHARES)
        row = dict(zip(("p5", "p25", "p50", "p75", "p95"), map(drawing.plain, shares), strict=True))
        rows.append(
            row
            | {
                "at": at,
                "system": label[name],
                "mean": drawing.plain(mean),
                "low": drawing.plain(low),
                "high": drawing.plain(high),
            }
            | {"n": len(known), "undefined": len(own) - len(known)}
            | {"median": number(shares[2]), "middle": f"{number(shares[1])} – {number(shares[3])}"}
            | {"estimate": drawing.with_interval(mean, low, high)}
        )
    return rows


def points_of(values: Values) -> list[Row]:
    """Return a row per system and query, moved up and down by its id so that equal values do not hide each other.

    If there are too many, there are none.
    """
    defined = ~np.isnan(values.table)
    if np.count_nonzero(defined) > MOST_POINTS:
        return []
    top, bottom = STRIP
    heights = bottom - (bottom - top) * (draws(0, values.queries) / 2.0**64)
    queries = [drawing.label_of(query) for query in values.queries.tolist()]
    label = drawing.labels_of(values.names)
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


def bars_of(values: Values) -> list[Row]:
    """Return a row per system and bin that holds queries: its bounds, its number of queries, and its height in the row.

    Heights are square roots, as often three quarters of the values are 0.
    """
    known = [own[~np.isnan(own)] for own in values.table]
    if not any(map(len, known)):
        return []
    low, high = min(own.min() for own in known if len(own)), max(own.max() for own in known if len(own))
    bins = bins_for(len(known))
    edges = np.linspace(low, high, bins + 1) if high > low else np.array([low - 0.01, high + 0.01])
    counts = [np.histogram(own, edges)[0] for own in known]
    shares = [own / max(own.sum(), 1) for own in counts]
    tallest = max(float(own.max()) for own in shares)
    label = drawing.labels_of(values.names)
    rows = []
    for at, own in enumerate(counts):
        for place in np.flatnonzero(own).tolist():
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


def _chart(boxes: list[Row], points: list[Row], bars: list[Row], title: str, words: Words) -> Any:
    alt = drawing.altair()
    room = alt.Scale(domain=[-0.5, len(boxes) - 0.5], reverse=True, nice=False, zero=False)

    def at(field: str) -> Any:
        return alt.Y(f"{field}:Q", scale=room, axis=None)

    def tips(**fields: str) -> list[Any]:
        return [alt.Tooltip(f"{field}:N", title=words(key)) for field, key in fields.items()]

    who = {"system": "page.system"}
    across = {"title": title, "scale": alt.Scale(padding=8, nice=False)}
    layers = []
    if points:
        told = tips(**who, query="page.query", shown="plots.per_query.value")
        dots = alt.Chart(drawing.data(points)).mark_point(style="muted", filled=True, size=22)
        layers.append(dots.encode(x=alt.X("value:Q", **across), y=at("y"), tooltip=told))
    if bars:
        told = [
            *tips(**who, range="plots.per_query.value"),
            alt.Tooltip("queries:Q", title=words("plots.compared.n"), format=","),
        ]
        rects = alt.Chart(drawing.data(bars)).mark_rect(style="muted")
        layers.append(
            rects.encode(x=alt.X("start:Q", **across), x2="end:Q", y=at("top"), y2="base:Q", tooltip=told)
        )
    shown = tips(
        **who,
        median="plots.per_query.median",
        middle="plots.per_query.middle",
        estimate="plots.compared.mean",
        n="plots.compared.n",
    )
    places = {"box_top": BOX[0], "box_end": BOX[1], "box": sum(BOX) / 2, "under": MEAN}
    rows = [row | {name: row["at"] + place for name, place in places.items()} for row in boxes]
    base = alt.Chart(drawing.data(rows)).encode(tooltip=shown)
    mean = alt.X("mean:Q", **across)
    layers += [
        base.mark_rule().encode(x=alt.X("p5:Q", **across), x2="p95:Q", y=at("box")),
        base.mark_rect(opacity=0.4).encode(x="p25:Q", x2="p75:Q", y=at("box_top"), y2="box_end:Q"),
        base.mark_rule(strokeWidth=2, opacity=1).encode(x="p50:Q", y=at("box_top"), y2="box_end:Q"),
        base.mark_rule(style="accent", strokeWidth=2).encode(x="low:Q", x2="high:Q", y=at("under")),
        base.mark_point(shape="diamond", filled=True, size=70, opacity=1).encode(x=mean, y=at("under")),
    ]
    names = [row["system"] for row in boxes]
    axis = alt.Y("system:N", sort=names, title=None, scale=alt.Scale(type="band", padding=0)).axis(
        grid=False, domain=False, ticks=False, labelPadding=8
    )
    labels = alt.Chart(drawing.data(rows)).mark_point(opacity=0).encode(y=axis)
    whole = alt.layer(labels, alt.layer(*layers)).resolve_scale(y="independent")
    return whole.properties(width=480, height=len(boxes) * _step(len(boxes)))


def _step(systems: int) -> int:
    return 64 if systems <= 8 else 48 if systems <= 20 else 32


def _subtitle(values: Values, points: list[Row], bars: list[Row], words: Words) -> Sequence[str]:
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
    return drawing.lines(
        words("page.queries", n=total)
        if least == most == total
        else words("plots.per_query.defined", defined=n, total=count(total)),
        strip,
        words("plots.per_query.parts"),
    )
