"""The plot of a metric over its cut-offs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.display.text import UNDEFINED, plain_value
from rankwell.errors import UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import reading_in
from rankwell.matching.batch import Context, Judged
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import CorpusMetric, Metric, definition
from rankwell.records import record
from rankwell.reporting.chart.axes import round_domain
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import systems_of
from rankwell.reporting.chart.systems import SystemColours, best_first, names_at_ends, system_lines
from rankwell.results import Results
from rankwell.results.intervals import has_interval
from rankwell.statistics.many import intervals as intervals_of
from rankwell.tables.arguments import UNFIT, as_list, checked, fit_kind
from rankwell.tables.ids import fingerprints_of
from rankwell.tables.machine import cores

NO_INTERVAL = {"low": None, "high": None, "is_doubtful": False}
CUT = re.compile(r"@\s*[\d.]+\s*t?\s*$")
KS = (1, 3, 5, 10, 20, 50, 100)
MOST_BANDS = 4  # more of them cover each other
LOG_FROM = 10  # the deepest cut-off over the first: from here on the axis is logarithmic
WIDTH, HEIGHT = 520, 320
Word = Literal["k", "budget"]  # what cuts the lists


def without_cut(metric: Wanted) -> Metric:
    """Return a metric that takes a cut-off and has none yet.

    Raises
    ------
    UsageError
        If it has one already, takes none, or is unknown.

    Examples
    --------
    >>> without_cut("ndcg(gain=exp2)"), without_cut("p")
    (ndcg(gain=exp2), p)
    """
    if isinstance(metric, str):
        has_cut = CUT.search(metric) is not None
        uncut = metric_of(metric if has_cut else f"{metric}@1")
    else:
        # a class makes one without a cut-off, which metric_of may refuse
        is_own = isinstance(metric, type) and issubclass(metric, Metric)
        uncut = metric() if is_own else metric_of(metric)  # type: ignore[operator]
        has_cut = uncut.k is not None or uncut.budget is not None
        _ = uncut if has_cut else uncut @ 1  # which refuses a metric that takes none
    base = replace(uncut, k=None, budget=None)
    if has_cut:
        word = "ks" if uncut.budget is None else "budgets"
        raise UsageError(f"metric={uncut}: leave out the cut-off and write {base}; {word}= has the cut-offs.")
    return base


def at_cuts(base: Metric, ks: Sequence[int] | None, budgets: Sequence[float] | None = None) -> list[Metric]:
    """Return the metric at each cut-off, and without any given what tells how deep the lists are; or at each budget."""
    if budgets is not None:
        sizes = [fit_kind(each, float) for each in as_list("budgets", budgets)]
        if ks is not None or not sizes or UNFIT in sizes or sizes != sorted({*sizes}):
            raise UsageError(
                f"budgets={brief(budgets)}: must be distinct numbers in ascending order, such as [500, 1000], in place of ks=."
            )
        return [replace(base, budget=size) for size in sizes]
    if ks is None:
        return [*(replace(base, k=k) for k in KS), Deepest()]
    cuts = [fit_kind(each, int) for each in as_list("ks", ks)]
    if not cuts or UNFIT in cuts or cuts != sorted({*cuts}):
        raise UsageError(
            f"ks={brief(ks)}: must be distinct whole numbers in ascending order, such as [1, 5, 10]."
        )
    return [replace(base, k=k) for k in cuts]


def rows_of(
    name: str,
    res: Results,
    base: Metric,
    ks: Sequence[float] | None,
    *,
    intervals: bool = True,
    word: Word = "k",
) -> list[dict[str, Any]]:
    """Return a row for each cut-off, or budget: the value, its interval if asked for and there is one, and the number of queries.

    Raises
    ------
    UsageError
        If saved results do not hold the metric at any cut-off.
    """
    found = {
        cut: m
        for m in res.metrics
        if (cut := getattr(m, word)) is not None
        and type(m) is type(base)
        and replace(m, k=None, budget=None) == base
    }
    # past the longest list all cut-offs give the same value
    deepest: Any = res.part.states.get(Deepest())
    wanted = sorted(found) if ks is None else [k for k in ks if k in found]
    if deepest is not None and ks is None:
        enough = next((k for k in wanted if k >= deepest.longest), wanted[-1])
        wanted = [k for k in wanted if k <= enough]
    if not wanted:
        examples = f"{base}@5, {base}@10" if word == "k" else f"{base}@500t, {base}@1000t"
        raise UsageError(f"{brief(name)}: the results hold {base} at no cut-off; evaluate {examples} ….")
    chosen = [found[k] for k in wanted]
    bounds = _intervals(res, chosen) if intervals else {}
    return [
        {
            "system": name,
            "k": plain_number(getattr(metric, word)),
            "value": plain_value(res[metric]),
            **bounds.get(metric, NO_INTERVAL),
            "n": res.n[str(metric)],
        }
        for metric in chosen
    ]


def plain_number(number: float) -> float:
    """Return a number, a whole one as an integer."""
    return int(number) if float(number).is_integer() else number


def _intervals(res: Results, metrics: Sequence[Metric]) -> dict[Metric, dict[str, Any]]:
    """The intervals of the means, as ``Results.interval`` has them, for all cut-offs at once: they share their draws."""
    able = [metric for metric in metrics if has_interval(res.part, metric)]
    if not able:
        return {}
    values = np.array([res.values(metric) for metric in able])
    # draws depend on the ids of queries, so that intervals are the same in any order of these
    units = fingerprints_of(res.query_ids)
    bounds = intervals_of(values, units, limits=able[0].range, threads=cores())
    return {
        metric: {
            "low": plain_value(float(low)),
            "high": plain_value(float(high)),
            "is_doubtful": bool(is_doubtful),
        }
        for metric, low, high, is_doubtful in zip(
            able, bounds.low, bounds.high, bounds.is_doubtful, strict=True
        )
    }


@definition
class Deepest(CorpusMetric):
    """The length of the longest list: which cut-offs say anything."""

    needs: ClassVar[frozenset[str]] = frozenset()

    def state(self, judged: Judged, context: Context) -> Longest:  # noqa: ARG002 - as of all metrics
        """The longest list of a batch."""
        return Longest(int(judged.last_rank().max(initial=0)), len(judged))

    def has_expected_value(self) -> bool:
        """The order of items does not matter."""
        return True

    def value(self, state: Longest) -> float:
        """Its length."""
        return float(state.longest)


@record
class Longest:
    """The length of the longest of n lists."""

    longest: int
    n: int

    def __add__(self, other: Longest) -> Longest:
        return Longest(max(self.longest, other.longest), self.n + other.n)


@drawing
@checked
def curve(
    runs: Any,
    qrels: Any = None,
    metric: Wanted = "ndcg",
    *,
    ks: Sequence[int] | None = None,
    budgets: Sequence[float] | None = None,
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
        A metric without a cut-off, such as ``ndcg``; in Python also its class, ``rw.nDCG``.
    ks
        The cut-offs; default 1, 3, 5, 10, 20, 50, 100 as far as the lists are that long.
    budgets
        Budgets in place of cut-offs, such as 500 and 1000 tokens, with ``items`` and ``sizes``.
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
    ks = None if ks is None else as_list("ks", ks)
    budgets = None if budgets is None else as_list("budgets", budgets)
    systems = systems_of(runs, reading_in(options))
    results = {name: system for name, system in systems.items() if isinstance(system, Results)}
    if new := {name: system for name, system in systems.items() if name not in results}:
        evaluator = Evaluator(qrels, at_cuts(base, ks, budgets), **options)
        results |= evaluator.warned_results(new, stacklevel=2)
    word: Word = "k" if budgets is None else "budget"
    at = ks if budgets is None else [*map(float, budgets)]
    rows = [
        row for name in systems for row in rows_of(name, results[name], base, at, intervals=False, word=word)
    ]
    bright = SystemColours.of(list(systems), highlight, _deepest_first(rows, list(systems), base)).bright
    if len(bright) <= MOST_BANDS:  # intervals take time
        rows = [
            row
            for name in systems
            for row in rows_of(name, results[name], base, at, intervals=name in bright, word=word)
        ]
    return draw_curve(rows, base, words, highlight=highlight, dark=dark, word=word)


PICTURE = Picture(curve, in_python=("highlight",))


def draw_curve(
    rows: Sequence[Mapping[str, Any]],
    base: Metric,
    words: PageStrings,
    *,
    highlight: Iterable[str] | str | None = None,
    dark: bool = False,
    word: Word = "k",
) -> Any:
    """Return the chart of the rows of ``rows_of``."""
    alt = altair()
    names = list(dict.fromkeys(row["system"] for row in rows))
    colours = SystemColours.of(names, highlight, _deepest_first(rows, names, base))
    shown = [row for row in rows if row["value"] is not None]
    ks = sorted({row["k"] for row in rows})
    has_bands = len(colours.bright) <= MOST_BANDS
    bands = [
        row for row in shown if has_bands and row["system"] in colours.bright and _says_something(row, base)
    ]
    ends = [
        value
        for row in shown
        for value in (row["value"], *((row["low"], row["high"]) if row in bands else ()))
    ]
    domain = round_domain(ends, base.range)
    queries = words("page.queries", n=max((row["n"] for row in rows), default=0))
    x, y = _axes(ks, domain, base, queries, words, word)
    tooltip = _tips(base, words, word, has_bands=has_bands)
    points = [_tooltip_texts(row) for row in shown]
    layers = _bands(bands, colours, x) + system_lines(points, colours, x, y, tooltip)
    last = {name: _last(shown, name) for name in names}
    layers.append(names_at_ends(last, colours, alt.datum(ks[-1]), domain, HEIGHT))
    return finish(
        alt.layer(*layers).properties(width=WIDTH, height=HEIGHT),
        words("plots.curve.title" if word == "k" else "plots.curve.title_budget", metric=base),
        _subtitle(words, len(names), colours, queries, has_bands=bool(bands)),
        dark=dark,
    )


def _axes(
    ks: Sequence[float],
    domain: tuple[float, float],
    base: Metric,
    queries: str,
    words: PageStrings,
    word: Word,
) -> tuple[Any, Any]:
    """The axes of cut-offs and of values; a metric of all lists together is no mean."""
    alt = altair()
    x = alt.X(
        "k:Q",
        title=words("plots.curve.x" if word == "k" else "plots.curve.budgets"),
        scale=alt.Scale(
            type="log" if ks[-1] >= LOG_FROM * ks[0] else "linear", domain=_with_room(ks), nice=False
        ),
        axis=alt.Axis(values=list(ks), format="d" if word == "k" else "~g", grid=False),
    )
    key = "plots.curve.y_all" if isinstance(base, CorpusMetric) else "plots.curve.y"
    key = key if word == "k" else "plots.curve.y_budget"
    title = words(key, metric=base, queries=queries, better=words(f"page.{base.better}"))
    scale = alt.Scale(domain=list(domain), nice=False)
    return x, alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6))


def _tips(base: Metric, words: PageStrings, word: Word, *, has_bands: bool) -> list[Any]:
    alt = altair()
    interval = [alt.Tooltip("interval:N", title=words("plots.curve.interval"))] if has_bands else []
    return [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("k:Q", title="k" if word == "k" else words("plots.curve.budget")),
        alt.Tooltip("told:N", title=str(base)),
        *interval,
    ]


def _tooltip_texts(row: Mapping[str, Any]) -> dict[str, Any]:
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
    # with few queries, an interval may be as wide as the range; such a band hides the others
    low, high = base.range
    return not row["is_doubtful"] or row["high"] - row["low"] < (high - low) / 2


def _bands(rows: Sequence[Mapping[str, Any]], colours: SystemColours, x: Any) -> list[Any]:
    alt = altair()
    if not rows:
        return []
    fields = ("k", "low", "high")
    named = [
        {"system": colours.names[row["system"]]} | {field: row[field] for field in fields} for row in rows
    ]
    return [
        data(named)
        .mark_area(style="band")
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colours.colour())
    ]


def _subtitle(
    words: PageStrings, systems: int, colours: SystemColours, queries: str, *, has_bands: bool
) -> list[str]:
    text = words("page.systems", n=systems)
    parts = [f"{text}, {queries}"]
    if has_bands:
        parts.append(words("plots.curve.bands"))
    return [
        ". ".join(parts),
        *colours.note(words),
    ]


def _with_room(ks: Sequence[float]) -> list[float]:
    return [ks[0], ks[-1]] if len(ks) > 1 else [ks[0] * 0.9, ks[0] * 1.1]


def _last(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    return next((row["value"] for row in reversed(rows) if row["system"] == name), math.nan)


def _deepest_first(rows: Sequence[Mapping[str, Any]], names: Sequence[str], base: Metric) -> list[str]:
    """The systems by their value at the deepest cut-off; undefined ones last."""
    if base.better == "neither":
        return list(names)
    last = {name: _last([row for row in rows if row["value"] is not None], name) for name in names}
    return best_first(names, last, base.better)
