"""The plot of a metric over its cut-offs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.display.escaping import UNDEFINED
from rankwell.display.page import Words, words_of
from rankwell.display.table import number
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import reading_in
from rankwell.metrics import Wanted
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart import theme
from rankwell.reporting.chart.drawn import Drawn, altair, data, drawing
from rankwell.reporting.chart.lines import domain_of, lines, names_at_ends
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.rows.curve import at_cuts, rows_of, without_cut
from rankwell.reporting.rows.systems import systems_of
from rankwell.results import Results
from rankwell.tables.arguments import checked

MOST_BANDS = 4  # more of them cover each other
LOG_FROM = 10  # the deepest cut-off over the first: from here on the axis is logarithmic
WIDTH, HEIGHT = 520, 320


@drawing
@checked
def curve(
    runs: Any,
    qrels: Any = None,
    metric: Wanted = "ndcg",
    *,
    ks: Sequence[int] | None = None,
    highlight: Iterable[str] | str | None = None,
    lang: str = "en",
    dark: bool = False,
    **options: Any,
) -> Any:
    """Draw a metric at each cut-off, one line per system, with intervals of the mean as bands.

    Up to four systems have bands, and up to eight have a colour; of more, the best three at the deepest cut-off.

    Parameters
    ----------
    runs
        Runs by name, one run, or results that hold the metric at several cut-offs.
    qrels
        The judgements; None for metrics that need only lists.
    metric
        A metric without a cut-off, such as ``"ndcg"`` or ``rw.P``.
    ks
        The cut-offs; default 1, 3, 5, 10, 20, 50, 100 as far as the lists are that long.
    highlight
        The systems in colour.
    lang, dark
        The language of the words, and whether the ground is dark.
    options
        Other arguments of ``Evaluator``, such as ``train``, ``items``, ``rel`` or ``policy``.

    Raises
    ------
    RankwellError
        If the metric has no cut-off, or the runs cannot be evaluated.

    Examples
    --------
    >>> chart = curve({"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}}, {"q": {"x": 1}}, "p", ks=[1, 2])
    >>> chart.title.text
    'p@k at each cut-off'
    """
    words, base = words_of(lang), without_cut(metric)
    given = systems_of(runs, reading_in(options))
    results = {name: each for name, each in given.items() if isinstance(each, Results)}
    if new := {name: each for name, each in given.items() if name not in results}:
        evaluator = Evaluator(qrels, at_cuts(base, ks), **options)
        results |= {name: evaluator.results_of(each) for name, each in new.items()}
    rows = [row for name in given for row in rows_of(name, results[name], base, ks, intervals=False)]
    bright = Drawn.of(list(given), highlight, best_first(rows, list(given), base)).bright
    if len(bright) <= MOST_BANDS:  # intervals take time
        rows = [
            row for name in given for row in rows_of(name, results[name], base, ks, intervals=name in bright)
        ]
    return drawn_curve(rows, base, words, highlight=highlight, dark=dark)


PICTURE = Picture(curve)


def drawn_curve(
    rows: Sequence[Mapping[str, Any]],
    base: Metric,
    words: Words,
    *,
    highlight: Iterable[str] | str | None = None,
    dark: bool = False,
) -> Any:
    """Return the chart of the rows of ``rows_of``."""
    alt = altair()
    names = list(dict.fromkeys(row["system"] for row in rows))
    drawn = Drawn.of(names, highlight, best_first(rows, names, base))
    shown = [row for row in rows if row["value"] is not None]
    ks = sorted({row["k"] for row in rows})
    has_bands = len(drawn.bright) <= MOST_BANDS
    bands = [
        row for row in shown if has_bands and row["system"] in drawn.bright and _says_something(row, base)
    ]
    ends = [
        each for row in shown for each in (row["value"], *((row["low"], row["high"]) if row in bands else ()))
    ]
    domain = domain_of(ends, base.range)
    queries = words("page.queries", n=max((row["n"] for row in rows), default=0))
    x, y = _axes(ks, domain, base, queries, words)
    tooltip = _tips(base, words, has_bands=has_bands)
    points = [_told(row) for row in shown]
    layers = _bands(bands, drawn, x) + lines(points, drawn, x, y, tooltip)
    last = {name: _last(shown, name) for name in names}
    layers.append(names_at_ends(last, drawn, alt.datum(ks[-1]), domain, HEIGHT))
    return theme.finished(
        alt.layer(*layers).properties(width=WIDTH, height=HEIGHT),
        words("plots.curve.title", metric=base),
        _subtitle(words, len(names), drawn, queries, has_bands=bool(bands)),
        dark=dark,
    )


def _axes(
    ks: Sequence[int], domain: tuple[float, float], base: Metric, queries: str, words: Words
) -> tuple[Any, Any]:
    """The axes of cut-offs and of values; a metric of all lists together is no mean."""
    alt = altair()
    x = alt.X(
        "k:Q",
        title=words("plots.curve.x"),
        scale=alt.Scale(
            type="log" if ks[-1] >= LOG_FROM * ks[0] else "linear", domain=_with_room(ks), nice=False
        ),
        axis=alt.Axis(values=list(ks), format="d", grid=False),
    )
    key = "plots.curve.y_all" if isinstance(base, CorpusMetric) else "plots.curve.y"
    title = words(key, metric=base, queries=queries, better=words(f"page.{base.better}"))
    scale = alt.Scale(domain=list(domain), nice=False)
    return x, alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6))


def _tips(base: Metric, words: Words, *, has_bands: bool) -> list[Any]:
    alt = altair()
    interval = [alt.Tooltip("interval:N", title=words("plots.curve.interval"))] if has_bands else []
    return [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("k:Q", title="k"),
        alt.Tooltip("told:N", title=str(base)),
        *interval,
    ]


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    """A point with its value and its interval as text: an undefined bound is none, and not 0."""
    has_interval = row["low"] is not None
    return {
        "system": row["system"],
        "k": row["k"],
        "value": row["value"],
        "told": number(row["value"]),
        "interval": f"{number(row['low'])} – {number(row['high'])}" if has_interval else UNDEFINED,
    }


def _says_something(row: Mapping[str, Any], base: Metric) -> bool:
    """Whether there is an interval, and not a doubtful one that covers half of all possible values."""
    if row["low"] is None:
        return False
    low, high = base.range
    return not row["is_doubtful"] or row["high"] - row["low"] < (high - low) / 2


def _bands(rows: Sequence[Mapping[str, Any]], drawn: Drawn, x: Any) -> list[Any]:
    alt = altair()
    if not rows:
        return []
    fields = ("k", "low", "high")
    named = [{"system": drawn.names[row["system"]]} | {field: row[field] for field in fields} for row in rows]
    return [
        data(named)
        .mark_area(style="band")
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=drawn.colour())
    ]


def _subtitle(words: Words, systems: int, drawn: Drawn, queries: str, *, has_bands: bool) -> list[str]:
    found = words("page.systems", n=systems)
    parts = [f"{found}, {queries}"]
    if has_bands:
        parts.append(words("plots.curve.bands"))
    return [
        ". ".join(parts),
        *([] if drawn.are_all else [words("plots.many.few", n=len(drawn.bright), of=len(drawn.names))]),
    ]


def _with_room(ks: Sequence[int]) -> list[float]:
    return [ks[0], ks[-1]] if len(ks) > 1 else [ks[0] * 0.9, ks[0] * 1.1]


def _last(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    return next((row["value"] for row in reversed(rows) if row["system"] == name), math.nan)


def best_first(rows: Sequence[Mapping[str, Any]], names: Sequence[str], base: Metric) -> list[str]:
    """The systems by their value at the deepest cut-off; undefined ones last."""
    if base.better == "neither":
        return list(names)
    sign = -1.0 if base.better == "higher" else 1.0
    last = {name: _last([row for row in rows if row["value"] is not None], name) for name in names}
    return sorted(names, key=lambda name: (math.isnan(last[name]), sign * last[name]))
