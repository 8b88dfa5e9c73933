"""The plot of judged shares: how much of the first k items of each system's lists was judged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import reading_in
from rankwell.metrics import metrics_of
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.axes import percent_axis, row_height
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import runs_of
from rankwell.reporting.chart.systems import SystemColours, best_first, names_at_ends, system_lines
from rankwell.results import Results
from rankwell.tables.arguments import checked, plain
from rankwell.tables.run_qrels import Run

LENGTH = "num_ret"
KS = 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000
MIDDLE = 10  # the cut-off by which systems are in order
WIDTH, HEIGHT = 480, 280


class ShareAtCut(TypedDict):
    """The mean judged share of the first k items of a system's lists, over n of them."""

    system: str
    k: int
    share: float
    n: int


def cuts(ks: Iterable[int] | None = None) -> tuple[Metric, ...]:
    """Return the metrics behind the picture: the judged share at each cut-off, and the lengths of the lists.

    Raises
    ------
    UsageError
        If a cut-off is no whole number from 1 on, or there is none.
    """
    wanted = sorted({plain("ks", k, int) for k in (KS if ks is None else ks)})
    if not wanted or wanted[0] < 1:
        raise UsageError("ks= are cut-offs of lists, whole numbers from 1 on, such as [1, 5, 10].")
    return metrics_of([*(f"judged@{k}" for k in wanted), *([LENGTH] if ks is None else [])])


def shares_of(evaluator: Evaluator, runs: Mapping[str, Run]) -> list[ShareAtCut]:
    """Return the judged shares of runs under an evaluator of ``cuts``; if these were not given, down to the end of the longest list.

    Examples
    --------
    >>> from rankwell.readers import read_run
    >>> evaluator = Evaluator({"q": {"a": 1, "c": 0}}, cuts([1, 2]))
    >>> shares_of(evaluator, {"bm25": read_run({"q": ["a", "b", "c"]})})
    [{'system': 'bm25', 'k': 1, 'share': 1.0, 'n': 1}, {'system': 'bm25', 'k': 2, 'share': 0.5, 'n': 1}]
    """
    rows, longest = list[ShareAtCut](), 0
    for name, run in runs.items():  # one after the other, so that the values of one run are held at a time
        res = evaluator.results_of(run)
        longest = max(longest, _longest(res))
        for metric in res.metrics:
            share = res.mean[str(metric)]
            if metric.k is not None and not math.isnan(share):
                rows.append(ShareAtCut(system=name, k=metric.k, share=share, n=res.n[str(metric)]))
    # one cut-off at or past the longest list is kept: there the share is that of whole lists
    enough = [row["k"] for row in rows if longest and row["k"] >= longest]
    return [row for row in rows if not enough or row["k"] <= min(enough)]


def _longest(res: Results) -> int:
    """The length of the longest list; 0 if it was not asked for."""
    length = next((metric for metric in res.metrics if str(metric) == LENGTH), None)
    if length is None:
        return 0
    values = res.values(length)
    return int(np.nanmax(values)) if len(values) else 0


@drawing
@checked
def judged(
    runs: Any,
    qrels: Any,
    *,
    ks: Iterable[int] | None = None,
    lang: str = "en",
    dark: bool = False,
    **options: Any,
) -> Any:
    """Draw how much of each system's first k items was judged.

    Unjudged items count as not relevant in most metrics, so a system whose lists are judged less is underrated. Up to eight
    systems are lines; more are the rows of a heat map, the best judged at the top.

    Parameters
    ----------
    runs
        Runs by the name of their system, or one run, in any form that ``evaluate`` takes.
    qrels
        The judgements.
    ks
        The cut-offs; by default 1, 2, 3, 5, 10, 20 and so on, down to the end of the longest list.
    lang, dark
        The language of the words, and whether the ground is dark.
    options
        Other arguments of ``Evaluator``, such as ``policy``.

    Returns
    -------
    altair.Chart
        The picture.

    Raises
    ------
    RankwellError
        If a cut-off is no whole number from 1 on, or the data cannot be evaluated.

    Examples
    --------
    >>> import rankwell as rw
    >>> run, qrels = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 0}}
    >>> chart = rw.plot.judged({"bm25": run}, qrels, ks=[1, 2])
    >>> chart.title.text
    'How much of the lists is judged'
    """
    evaluator = Evaluator(qrels, cuts(ks), **options)
    shares = shares_of(evaluator, runs_of(runs, reading_in(options)))
    if not shares:
        raise UsageError("no judged query has a list, so nothing can be said of how far lists are judged.")
    are_interactions = evaluator.task.conditions.scale.kind == "interactions"
    return draw_shares(shares, words_of(lang), are_interactions=are_interactions, dark=dark)


PICTURE = Picture(judged)


def draw_shares(
    shares: Sequence[ShareAtCut], words: PageStrings, *, are_interactions: bool = False, dark: bool = False
) -> Any:
    """Return the chart of the rows of ``shares_of``, of which there must be some."""
    subtitle = [words("plots.judged.interactions" if are_interactions else "plots.judged.how")]
    subtitle.append(words("page.queries", n=max(row["n"] for row in shares)))
    ks, names = sorted({row["k"] for row in shares}), list(dict.fromkeys(row["system"] for row in shares))
    middle = min(ks, key=lambda k: abs(k - MIDDLE))
    best = best_first(names, {row["system"]: row["share"] for row in shares if row["k"] == middle})
    colours = SystemColours.of(names, None, best)
    chart = _lines(words, shares, colours, ks) if colours.are_all else _cells(words, shares, colours, best)
    return finish(chart, words("plots.judged.title"), subtitle, dark=dark)


def _tooltip(words: PageStrings) -> list[Any]:
    alt = altair()
    return [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("k:Q", title="k"),
        alt.Tooltip("share:Q", title=words("plots.judged.share"), format=".1%"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]


def _lines(
    words: PageStrings, shares: Sequence[ShareAtCut], colours: SystemColours, ks: Sequence[int]
) -> Any:
    alt = altair()
    scale = alt.Scale(type="log", domain=[ks[0], max(ks[-1], ks[0] + 1)], nice=False)
    x = alt.X(
        "k:Q",
        title=words("plots.judged.k"),
        scale=scale,
        axis=alt.Axis(values=list(ks), format="d", grid=False),
    )
    y = alt.Y(
        "share:Q",
        title=words("plots.judged.share"),
        scale=alt.Scale(domain=[0, 1]),
        axis=percent_axis(tickCount=6),
    )
    last = {name: [row["share"] for row in shares if row["system"] == name][-1] for name in colours.bright}
    layers = system_lines(shares, colours, x, y, _tooltip(words))
    layers.append(names_at_ends(last, colours, alt.datum(ks[-1]), (0, 1), HEIGHT))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _cells(
    words: PageStrings, shares: Sequence[ShareAtCut], colours: SystemColours, best: Sequence[str]
) -> Any:
    alt = altair()
    legend = alt.Legend(format="%", title=words("plots.judged.share"))
    axis = alt.Axis(ticks=False, domain=False)
    return (
        data([{**row, "system": colours.names[row["system"]]} for row in shares])
        .mark_rect()
        .encode(
            x=alt.X("k:O", title=words("plots.judged.k"), axis=alt.Axis(labelAngle=0)),
            y=alt.Y("system:N", sort=[colours.names[name] for name in best], title=None, axis=axis),
            color=alt.Color("share:Q", scale=alt.Scale(domain=[0, 1]), legend=legend),
            tooltip=_tooltip(words),
        )
        .properties(width=alt.Step(40), height=alt.Step(row_height(best)))
    )
