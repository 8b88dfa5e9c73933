"""Segments: a metric's mean in each segment of the queries, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.comparison.comparison import Comparison
from rankwell.display.page import Words, words_of
from rankwell.display.table import count
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.reporting.chart.drawn import altair, data, drawing
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.chart.theme import colours, finished
from rankwell.reporting.rows.given import metric_in, primary_of, results_in
from rankwell.reporting.rows.labels import cut
from rankwell.reporting.rows.segments import Segmented, domain_of, in_comparison, in_results, rows_of
from rankwell.reporting.rows.texts import axis_title, level_of, lines
from rankwell.results import Results
from rankwell.tables.arguments import checked

Row = dict[str, Any]


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
        found = in_comparison(results, wanted)
    else:
        given = results_in(results)
        wanted = metric_in(next(iter(given.values())).metrics, metric)
        found = in_results(given, wanted)
    if not found.by:
        raise UsageError("there are no segments; give by= and users= where they are evaluated or compared.")
    rows = rows_of(found, words("page.all_queries"))
    title = words("plots.segments.title", metric=str(wanted), by=", ".join(map(cut, found.by)))
    chart = _chart(rows, axis_title(wanted, words), words)
    is_plain = not isinstance(results, Comparison) and any(res.weights for res in given.values())
    return finished(chart, title, _subtitle(found, rows, words, is_plain=is_plain), dark=dark)


PICTURE = Picture(segments, asks=("by",))


def _chart(rows: list[Row], title: str, words: Words) -> Any:
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
        colour = alt.Color("system:N", title=None, scale=colours(systems)).legend(orient="top", columns=4)
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
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["segment"], []).append(row["n"])
    return [
        {
            "segment": segment,
            "said": f"n = {count(min(own))}" + (f" – {count(max(own))}" if min(own) < max(own) else ""),
        }
        for segment, own in found.items()
    ]


def _subtitle(found: Segmented, rows: list[Row], words: Words, *, is_plain: bool) -> Sequence[str]:
    systems, drawn = len(found.systems), len(found.drawn) - 1
    has_intervals = any(row["low"] is not None for row in rows)
    return lines(
        words("plots.segments.parts", level=level_of(found.comparison))
        if has_intervals
        else words("plots.segments.alone"),
        words("plots.segments.line") if systems == 1 else "",
        words("plots.segments.unweighted") if is_plain else "",
        words("plots.segments.cut") if domain_of(rows) is not None else "",
        words("plots.segments.systems", shown=systems, total=len(found.order))
        if systems < len(found.order)
        else "",
        words("plots.segments.largest", shown=drawn, total=len(found.labels) - 1)
        if drawn < len(found.labels) - 1
        else "",
    )
