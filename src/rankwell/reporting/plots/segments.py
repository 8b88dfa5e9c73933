"""Segments: a metric's mean in each segment of the queries, with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count
from rankwell.display.text import plain_value
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import metric_in, primary_of, results_in, sign_of
from rankwell.reporting.chart.texts import axis_title, cut, level_of, shorten, subtitle_lines, with_interval
from rankwell.reporting.chart.theme import MOST_COLOURS
from rankwell.results import Results
from rankwell.results.intervals import has_interval, segment_intervals
from rankwell.results.segments import UNKNOWN
from rankwell.tables.arguments import checked

MOST = 30  # segments that are drawn
WIDE = 5  # times the median width
Labels = tuple[str, ...]
Row = dict[str, Any]


class SegmentMean(NamedTuple):
    """A mean of n queries with its interval; NaN is undefined."""

    n: int
    mean: float
    low: float
    high: float


class Segmented(NamedTuple):
    """Means by system and segment, of which the first, without labels, is all queries; and the systems, best first."""

    by: tuple[str, ...]
    labels: list[Labels]
    order: list[str]
    means: Mapping[tuple[str, Labels], SegmentMean]
    comparison: Comparison | None = None

    @property
    def baseline(self) -> str | None:
        """The baseline of the comparison."""
        return None if self.comparison is None else self.comparison.baseline

    @property
    def systems(self) -> list[str]:
        """Those that are drawn: all, or the best ones and the baseline."""
        if len(self.order) <= MOST_COLOURS:
            return self.order
        first = self.order[:MOST_COLOURS]
        if self.baseline is None or self.baseline in first:
            return first
        return [*first[:-1], self.baseline]

    @property
    def drawn(self) -> list[Labels]:
        """The segments that are drawn, in their order: all, or the largest."""
        if len(self.labels) - 1 <= MOST:
            return self.labels
        sizes = [max((self.means[name, label].n for name in self.order), default=0) for label in self.labels]
        largest = sorted(range(1, len(sizes)), key=lambda at: -sizes[at])[:MOST]
        return [self.labels[at] for at in [0, *sorted(largest)]]


def in_comparison(comparison: Comparison, metric: Metric) -> Segmented:
    """Return the means of a comparison with the intervals that it has."""
    means = {}
    for segment, labels in enumerate(comparison.segments):
        for row, name in enumerate(comparison.names):
            own = comparison.means[metric, segment]
            means[name, labels] = SegmentMean(
                int(own.n[row]), float(own.mean[row]), float(own.low[row]), float(own.high[row])
            )
    order = [comparison.names[row] for row in comparison.order_of(metric, 0)]
    return Segmented(comparison.by, list(comparison.segments), order, means, comparison)


def in_results(results: Mapping[str, Results], metric: Metric) -> Segmented:
    """Return the means of results, those drawn with intervals where the value and the segment of each query are known.

    Raises
    ------
    UsageError
        If the results are divided in different ways.
    """
    by = _by(results)
    means: dict[tuple[str, Labels], SegmentMean] = {}
    for name, res in results.items():
        text = str(metric)
        # without weights, as the means of segments are
        means[name, ()] = SegmentMean(res.n[text], res.plain_mean[text], math.nan, math.nan)
        for row in res.segments.to_dicts() if by else []:
            means[name, tuple(row[column] for column in by)] = SegmentMean(
                row["n"][text], row["mean"][text], math.nan, math.nan
            )
    # queries without a label come last
    labels = sorted({labels for _, labels in means}, key=lambda label: (label == (UNKNOWN,) * len(by), label))
    none = SegmentMean(0, math.nan, math.nan, math.nan)
    every = {(name, label): means.get((name, label), none) for name in results for label in labels}
    gains = {name: sign_of(metric) * means[name, ()].mean for name in results}
    order = sorted(results, key=lambda name: math.inf if math.isnan(gains[name]) else -gains[name])
    segmented = Segmented(by, labels, order, every)
    return segmented._replace(means=every | _intervals(results, metric, segmented))


def _by(results: Mapping[str, Results]) -> tuple[str, ...]:
    """The columns that divide all results."""
    ways = {res.division.by: name for name, res in results.items()}
    if len(ways) > 1:
        (first, name), (other, another), *_ = ways.items()
        raise UsageError(
            f"{name} is divided by {', '.join(first) or 'nothing'}, {another} by {', '.join(other) or 'nothing'}; evaluate all "
            f"systems with the same by=."
        )
    return next(iter(ways))


def _intervals(
    results: Mapping[str, Results], metric: Metric, segmented: Segmented
) -> dict[tuple[str, Labels], SegmentMean]:
    intervals = {}
    for name in segmented.systems:
        res = results[name]
        own = segment_intervals(res.part, res.division.labels, metric, segmented.drawn)
        if has_interval(res.part, metric):
            own[()] = res.interval(metric)
        for labels, values in own.items():
            intervals[name, labels] = segmented.means[name, labels]._replace(low=values.low, high=values.high)
    return intervals


def rows_of(segmented: Segmented, everything: str) -> list[dict[str, Any]]:
    """Return a row per segment and system that are drawn; the first segment is ``everything``."""
    labels = shorten(", ".join(label) for label in segmented.drawn)
    names = shorten(segmented.systems)
    rows = []
    for label in segmented.drawn:
        for system in segmented.systems:
            own = segmented.means[system, label]
            rows.append(
                {
                    "segment": labels[", ".join(label)] if label else everything,
                    "system": names[system],
                    "mean": plain_value(own.mean),
                    "low": plain_value(own.low),
                    "high": plain_value(own.high),
                    "n": own.n,
                    "estimate": with_interval(own.mean, own.low, own.high),
                }
            )
    return rows


def domain_of(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """Return the ends of an axis that leaves out very wide intervals, beside which all others would look like points.

    Very wide is over five times the median, or without an end; None if there is none, or no other.
    """
    bounds = [(float(row["low"]), float(row["high"])) for row in rows if row["low"] is not None]
    widths = [high - low for low, high in bounds if math.isfinite(high - low)]
    if not widths or max(high - low for low, high in bounds) <= WIDE * median(widths):
        return None
    ends = [row["mean"] for row in rows if row["mean"] is not None]
    for low, high in bounds:
        if high - low <= WIDE * median(widths):
            ends += [low, high]
    air = (max(ends) - min(ends)) * 0.03
    return min(ends) - air, max(ends) + air


@drawing
@checked
def segments(
    results: Comparison | Results | Mapping[str, Results],
    metric: Wanted | None = None,
    *,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw the mean of a metric in each segment of the queries, with its interval, below that of all queries.

    A row per segment with the number of its queries, a point and an interval per system; a broken line marks the mean of all queries
    if there is one system. Of more than 8 systems the best and the baseline are shown, of more than 30 segments the largest.

    Parameters
    ----------
    results
        A comparison or results that were made with ``by=``.
    metric
        The metric; default the primary one, or the first.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        For results without segments, a metric that was not evaluated, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> users = [{"query": "1", "tier": "gold"}, {"query": "2", "tier": "tin"}]
    >>> res = rw.evaluate({"1": ["a"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, ["rr"], users=users, by="tier")
    >>> rw.plot.segments(res).title.text
    'rr by tier'
    """
    words = words_of(lang)
    if isinstance(results, Comparison):
        wanted = primary_of(results) if metric is None else metric_in(results.metrics, metric)
        segmented = in_comparison(results, wanted)
    else:
        by_system = results_in(results)
        wanted = metric_in(next(iter(by_system.values())).metrics, metric)
        segmented = in_results(by_system, wanted)
    if not segmented.by:
        raise UsageError("there are no segments; give by= and users= where they are evaluated or compared.")
    rows = rows_of(segmented, words("page.all_queries"))
    title = words("plots.segments.title", metric=str(wanted), by=", ".join(map(cut, segmented.by)))
    chart = _chart(rows, axis_title(wanted, words), words)
    is_plain = not isinstance(results, Comparison) and any(res.weights for res in by_system.values())
    return finish(chart, title, _subtitle(segmented, rows, words, is_plain=is_plain), dark=dark)


PICTURE = Picture(segments, asks=("by",))


def _chart(rows: list[Row], title: str, words: PageStrings) -> Any:
    alt = altair()
    segments_, systems = (list(dict.fromkeys(row[key] for row in rows)) for key in ("segment", "system"))
    bold = alt.condition("datum.index === 0", alt.value("bold"), alt.value("normal"))
    y = alt.Y("segment:N", sort=segments_, title=None).axis(
        grid=False, domain=False, ticks=False, labelPadding=8, labelFontWeight=bold
    )
    tips = [
        alt.Tooltip("segment:N", title=words("plots.segments.segment")),
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("estimate:N", title=words("plots.compared.mean")),
        alt.Tooltip("n:Q", title=words("plots.compared.n"), format=","),
    ]
    base = data(rows).encode(y=y, tooltip=tips)
    if len(systems) > 1:
        colour = alt.Color("system:N", title=None, scale=alt.Scale(domain=systems)).legend(
            orient="top", columns=4
        )
        base = base.encode(yOffset=alt.YOffset("system:N", sort=systems), color=colour)
    ends = domain_of(rows)
    scale = alt.Scale(zero=False) if ends is None else alt.Scale(domain=list(ends), nice=False)
    x = alt.X("mean:Q", title=title, scale=scale).axis(tickCount=8)
    layers = []
    if len(systems) == 1:
        line = data([{"at": rows[0]["mean"]}])
        layers.append(line.mark_rule(style="reference").encode(x=alt.X("at:Q")))
    look = {"style": "accent"} if len(systems) == 1 else {}
    layers.append(
        base.mark_rule(strokeWidth=2, clip=True, **look).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    )
    layers.append(base.mark_point(filled=True, size=60, opacity=1).encode(x=x))
    n = data(_numbers(rows)).encode(y=y)
    layers.append(
        n.mark_text(style="note", align="left", dx=10).encode(x=alt.XValue("width"), text=alt.Text("said:N"))
    )
    step = 26 if len(systems) == 1 else 12 * len(systems) + 14
    return alt.layer(*layers).properties(width=480, height=alt.Step(step, **{"for": "position"}))


def _numbers(rows: list[Row]) -> list[Row]:
    """A row per segment: the number of queries behind its means."""
    numbers: dict[str, list[int]] = {}
    for row in rows:
        numbers.setdefault(row["segment"], []).append(row["n"])
    return [
        {
            "segment": segment,
            "said": f"n = {count(min(own))}" + (f" – {count(max(own))}" if min(own) < max(own) else ""),
        }
        for segment, own in numbers.items()
    ]


def _subtitle(segmented: Segmented, rows: list[Row], words: PageStrings, *, is_plain: bool) -> Sequence[str]:
    systems, drawn = len(segmented.systems), len(segmented.drawn) - 1
    has_intervals = any(row["low"] is not None for row in rows)
    return subtitle_lines(
        words("plots.segments.parts", level=level_of(segmented.comparison))
        if has_intervals
        else words("plots.segments.alone"),
        words("plots.segments.line") if systems == 1 else "",
        words("plots.segments.unweighted") if is_plain else "",
        words("plots.segments.cut") if domain_of(rows) is not None else "",
        words("plots.segments.systems", shown=systems, total=len(segmented.order))
        if systems < len(segmented.order)
        else "",
        words("plots.segments.largest", shown=drawn, total=len(segmented.labels) - 1)
        if drawn < len(segmented.labels) - 1
        else "",
    )
