"""Paired differences: how two systems differ on each query, from the best for the first to the worst."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.compare.compare import compare
from rankwell.comparison.compare.comparison import Comparison, Difference
from rankwell.comparison.diff import Diff
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count, number
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import (
    STYLES,
    QueryValues,
    comparison_in,
    per_query_metric,
    primary_of,
    results_in,
    sign_of,
    system_in,
    values_of,
)
from rankwell.reporting.chart.texts import beside, cut, p_equation, shown_id, subtitle_lines, with_interval
from rankwell.results import Results
from rankwell.statistics.frequent import TIE
from rankwell.tables.arguments import checked

Row = dict[str, Any]
# more bars than pixels would hide single queries; bins of the sorted queries keep the shape
MOST_BARS, BINS = 800, 300


def top_pair(comparison: Comparison) -> tuple[str, str]:
    """Return the best system by the primary metric and the baseline, the best but it; without a baseline the best two."""
    order = [comparison.names[row] for row in comparison.order]
    if comparison.baseline is None:
        return order[0], order[1]
    return next(name for name in order if name != comparison.baseline), comparison.baseline


def pair_in(
    names: tuple[str, ...], first: str | None, second: str | None, comparison: Comparison | None
) -> tuple[str, str]:
    """Return the two systems that are meant.

    Raises
    ------
    UsageError
        If it is not clear which, or one of them is not there.
    """
    if first is None and second is None:
        if len(names) == 2 and (comparison is None or comparison.baseline is None):
            # the second less the first, as people give the old system first
            return names[1], names[0]
        if comparison is not None:
            return top_pair(comparison)
    if first is None or second is None:
        raise UsageError(f"say which two of {len(names)} systems differ: first=…, second=….")
    pair = system_in(names, first, "first"), system_in(names, second, "second")
    if first == second:
        raise UsageError(f"first= and second= are the same system, {first}; name two.")
    return pair


def rows_of(values: QueryValues, pair: tuple[str, str], metric: Metric) -> list[Row]:
    """Return the bars from left to right: of a query each, or of bins of queries; undefined queries are left out."""
    left, right = (values.table[values.names.index(name)] for name in pair)
    d = left - right
    places = np.flatnonzero(~np.isnan(d))
    # rounded, so that differences that are equal but for the last bits are
    places = places[np.argsort(-sign_of(metric) * np.round(d[places], 12), kind="stable")]
    count_of = len(places) if len(places) <= MOST_BARS else BINS
    rows, start = [], 0
    # bins of as many queries each, so that width is number
    for part in np.array_split(places, max(count_of, 1)) if len(places) else []:
        mean = math.fsum(d[part]) / len(part)
        widest = int(part[np.argmax(np.abs(d[part]))])
        rows.append(
            {
                "start": start,
                "end": start + len(part),
                "queries": len(part),
                "difference": mean,
                "query": shown_id(values.queries.one(widest)),
                "shown": number(float(d[widest])),
                "first": number(float(left[widest])),
                "second": number(float(right[widest])),
                "mean": number(mean),
                "outcome": _outcome(sign_of(metric) * mean, metric),
            }
        )
        start += len(part)
    return rows


def _outcome(gain: float, metric: Metric) -> str:
    if metric.better == "neither" or abs(gain) <= TIE:
        return "open"
    return "better" if gain > 0 else "worse"


@drawing
@checked
def differences(
    results: Mapping[str, Results] | Diff,
    metric: Wanted | None = None,
    first: str | None = None,
    second: str | None = None,
    *,
    comparison: Comparison | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw the difference of two systems on each query, sorted, with the mean difference and its interval.

    A bar per query, the best for the first system at the left; more than 800 queries are drawn in 300 bins of as many queries each,
    whose mean difference is the bar. The line is the mean difference, the band its interval.

    Parameters
    ----------
    results
        Results with values per query by system; or what ``diff`` returns, of which the new system is the first.
    metric
        A metric with values per query; default the primary one of the comparison, or the first.
    first, second
        The two systems; differences are first less second. Default: the only two, the later one given first, or the best of the
        comparison and its baseline (without one, the second best).
    comparison
        The comparison of these results, whose interval and corrected p-value are drawn; without it the two are compared by
        themselves. It says what is a seed or a fold of one system.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        For a metric without values per query, a system that is not there, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"d": 1}}
    >>> old = rw.evaluate({"1": ["a", "x"], "2": ["x", "b"], "3": ["y", "x"]}, qrels, ["rr"])
    >>> new = rw.evaluate({"1": ["x", "a"], "2": ["b", "x"], "3": ["x", "y"]}, qrels, ["rr"])
    >>> rw.plot.differences({"old": old, "new": new}).title.text
    'rr per query: new − old'
    """
    words = words_of(lang)
    comparison = None if comparison is None else comparison_in(comparison)
    if isinstance(results, Diff):
        metric, first, second = results.metric, results.names[1], results.names[0]
        results = dict(zip(results.names, results.results, strict=True))
    by_system = results_in(results)
    named = primary_of(comparison) if metric is None and comparison is not None else metric
    wanted = per_query_metric(by_system, named)
    values = values_of(by_system, wanted, comparison)
    pair = pair_in(values.names, first, second, comparison)
    if comparison is None:
        comparison = compare({name: by_system[name] for name in pair}, metrics=[wanted])
    difference = comparison.difference(*pair, wanted)
    rows = rows_of(values, pair, wanted)
    if not rows:
        raise UsageError(f"no query has a value of {wanted} in both {cut(pair[0])} and {cut(pair[1])}.")
    title, subtitle = _texts(difference, wanted, comparison, len(rows), words)
    return finish(_chart(rows, difference, wanted, words), title, subtitle, dark=dark)


PICTURE = Picture(differences)


def _chart(rows: list[Row], difference: Difference, metric: Metric, words: PageStrings) -> Any:
    alt = altair()
    y = alt.Y(
        "difference:Q", title=beside(words("plots.compared.difference"), _side(difference, metric, words))
    )
    # Vega gives a domain without length to bars that are all 0
    y = y.scale(domain=[-0.1, 0.1]) if all(row["difference"] == 0 for row in rows) else y
    # the axis counts queries: a bin is as wide as it has queries
    scale = alt.Scale(nice=False, domain=[0, difference.n])
    x = alt.X("start:Q", title=words("plots.differences.sorted"), scale=scale)
    x = x.axis(grid=False, format=",d", tickCount=min(difference.n, 8))
    layers = []
    if not math.isnan(difference.low):
        band = data([{"low": difference.low, "high": difference.high}])
        layers.append(band.mark_rect(style="band").encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")))
    outcomes, tips = {row["outcome"] for row in rows}, _tips(rows, difference, words)
    for outcome, style in ((name, STYLES[name]) for name in STYLES if name in outcomes):
        own = data(row for row in rows if row["outcome"] == outcome)
        bars = own.mark_rect(style=style, opacity=0.9)
        layers.append(bars.encode(x=x, x2=alt.X2("end:Q"), y=y, y2=alt.Y2Datum(0), tooltip=tips))
    layers.append(data([{"at": 0}]).mark_rule(style="reference", strokeDash=[]).encode(y=alt.Y("at:Q")))
    line = data([{"at": difference.mean, "said": words("plots.compared.mean")}]).encode(y=alt.Y("at:Q"))
    layers.append(line.mark_rule(style="accent", strokeWidth=2))
    text = line.mark_text(style="accent", align="left", dx=6)
    layers.append(text.encode(x=alt.XValue("width"), text=alt.Text("said:N")))
    return alt.layer(*layers).properties(width=520, height=280)


def _tips(rows: list[Row], difference: Difference, words: PageStrings) -> list[Any]:
    """What is said of a bar: its query, or how many queries it holds and the one that differs most."""
    titles = {
        "query": words("page.query"),
        "shown": words("plots.compared.difference"),
        "first": cut(difference.first),
        "second": cut(difference.second),
    }
    if any(row["queries"] > 1 for row in rows):
        titles["query"] = words("plots.differences.widest")
        titles = {"queries": words("plots.compared.n"), "mean": words("plots.compared.mean")} | titles
    return [altair().Tooltip(f"{field}:N", title=title) for field, title in titles.items()]


def _side(difference: Difference, metric: Metric, words: PageStrings) -> str:
    """Which side of 0 is better."""
    if metric.better == "neither":
        return ""
    text = words("plots.compared.one_better", first=cut(difference.first))
    return f"{'↓' if metric.better == 'lower' else '↑'} {text}"


def _texts(
    difference: Difference, metric: Metric, comparison: Comparison, bars: int, words: PageStrings
) -> tuple[str, Sequence[str]]:
    """The title and the lines below it."""
    first, second = cut(difference.first), cut(difference.second)
    counts = {
        "wins": count(difference.wins),
        "ties": count(difference.ties),
        "losses": count(difference.losses),
    }
    estimate = with_interval(difference.mean, difference.low, difference.high)
    mean = "mean_alone" if math.isnan(difference.low) else "mean"
    p = "" if math.isnan(difference.p) else f", {p_equation(difference.p)}"
    if p and comparison.pairs.shape[1] > 1:
        p += f" ({words(f'plots.compared.{comparison.correction}')})"
    said = "higher" if metric.better == "neither" else "counts"
    is_same = difference.n > 0 and difference.sd == 0 == difference.mean
    title = words("plots.differences.title", metric=difference.metric, first=first, second=second)
    return title, subtitle_lines(
        words("plots.differences.same", n=difference.n)
        if is_same
        else words(f"plots.differences.{said}", n=difference.n, first=first, second=second, **counts),
        words(f"plots.differences.{mean}", estimate=estimate, level=f"{comparison.methods.level * 100:g}")
        + p,
        words("plots.differences.weighted", weights=comparison.weights) if comparison.weights else "",
        words("plots.differences.bins", bins=bars, n=difference.n) if bars < difference.n else "",
    )
