"""The plot of ties: how far the order of equal scores can move each system's value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count, number
from rankwell.errors import UsageError
from rankwell.matching.lists import UNDECIDED
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.reporting.chart.axes import IN_A_ROW, panels, row_height, systems_axis
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import metrics_in, results_in
from rankwell.reporting.chart.texts import cut
from rankwell.results import Results
from rankwell.results.part import value_of
from rankwell.tables.arguments import checked

# what metrics read that are not computed again under another order of ties
LISTS = frozenset({"shown", "topics"})
NARROW = 150
ENDS = "worst", "best"


class TieRange(TypedDict):
    """The value of a system, and those under the worst and the best order of equal scores."""

    system: str
    metric: str
    worst: float
    value: float
    best: float


class Touched(TypedDict):
    """The queries of a system in which the order of equal scores could change a value."""

    system: str
    queries: int
    of: int
    share: float


def ranges_of(systems: Mapping[str, Results], metrics: Sequence[Metric]) -> list[TieRange]:
    """Return the reported value of each system and metric, and its ends; undefined values are left out."""
    rows = list[TieRange]()
    for metric in metrics:
        for name, res in systems.items():
            value = res.plain_mean[str(metric)]
            if math.isnan(value):
                continue
            # metrics without ends have the same value in any order
            best, worst = (
                (value_of(metric, state) for state in res.part.ends[metric])
                if metric in res.part.ends
                else (value, value)
            )
            rows.append(TieRange(system=name, metric=str(metric), worst=worst, value=value, best=best))
    return rows


def touched_of(systems: Mapping[str, Results]) -> list[Touched]:
    """Return in how many queries of each system the order of equal scores could change a value."""
    rows = list[Touched]()
    for name, res in systems.items():
        queries, lists = res.counts.get(UNDECIDED, 0), res.counts.get("lists", 0)
        share = queries / lists if lists else 0.0
        rows.append(Touched(system=name, queries=queries, of=lists, share=share))
    return rows


def can_move(metric: Metric) -> bool:
    """Whether the order of equal scores can change a metric's value, and results know how far."""
    return isinstance(metric, QueryMetric) and metric.judgements and not LISTS & metric.needed()


def movable(systems: Mapping[str, Results], metrics: Iterable[Wanted] | Wanted | None) -> tuple[Metric, ...]:
    """Return the metrics asked for, by default all, whose values the order of equal scores can change.

    Raises
    ------
    UsageError
        If there is none, or one was not evaluated.
    """
    chosen = metrics_in(systems, metrics)
    able = tuple(metric for metric in chosen if can_move(metric))
    if not able:
        names = ", ".join(map(str, chosen))
        raise UsageError(
            f"no range over the orders of equal scores is known for {names}; evaluate a metric of judged items too, such as ndcg@10."
        )
    return able


@drawing
@checked
def ties(
    results: Mapping[str, Results] | Results,
    *,
    metrics: Iterable[Wanted] | Wanted | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw how far the order of equal scores can move the value of each system, and in how many queries it could.

    A line leads from the mean under the worst order to that under the best one, a dot is the reported mean. Scores that many
    items share make a mean depend on how a tool orders them; two systems whose lines overlap may change places in another tool.

    Parameters
    ----------
    results
        Results by the name of their system, or of one system.
    metrics
        The metrics that are drawn; by default all whose values the order of equal scores can change.
    lang, dark
        The language of the words, and whether the ground is dark.

    Returns
    -------
    altair.Chart
        The picture.

    Raises
    ------
    UsageError
        If no metric depends on the order of equal scores, or one was not evaluated.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = rw.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, ["rr", "p@1"])
    >>> chart = rw.plot.ties({"bm25": res})
    >>> [(row["metric"], row["worst"], row["value"], row["best"]) for row in ranges_of({"bm25": res}, res.metrics)]
    [('rr', 0.5, 0.5, 1.0), ('p@1', 0.0, 0.0, 1.0)]
    """
    alt = altair()
    words, systems = words_of(lang), results_in(results)
    wanted = movable(systems, metrics)
    ranges, touched = ranges_of(systems, wanted), touched_of(systems)
    own, labels = panels(words, "plots.ties", wanted, systems, ranges, ENDS)
    own.append(_shares(words, touched, labels, labelled=len(wanted) % IN_A_ROW == 0))
    title, subtitle = words("plots.ties.title"), _said(words, systems, ranges)
    return finish(alt.concat(*own, columns=IN_A_ROW), title, subtitle, dark=dark)


PICTURE = Picture(ties)


def _said(words: PageStrings, systems: Mapping[str, Results], ranges: Sequence[TieRange]) -> list[str]:
    """What the marks mean, and the widest range."""
    rules = sorted({res.policy.ties for res in systems.values()})
    widest = max(ranges, key=lambda row: abs(row["best"] - row["worst"]), default=None)
    lines = [words("plots.ties.how", rule=", ".join(rules))]
    if widest is None or widest["best"] == widest["worst"]:
        return [*lines, words("plots.ties.none")]
    width = number(abs(widest["best"] - widest["worst"]))
    return [
        *lines,
        words("plots.ties.widest", system=cut(widest["system"]), metric=widest["metric"], width=width),
    ]


def _shares(
    words: PageStrings, touched: Sequence[Touched], labels: Mapping[str, str], *, labelled: bool
) -> Any:
    """The share of queries whose values ties could change, a bar per system."""
    alt = altair()
    rows = [
        {
            **row,
            "system": labels[row["system"]],
            "said": words("plots.ties.of", n=count(row["queries"]), of=count(row["of"])),
        }
        for row in touched
    ]
    # all bars are empty where nothing is tied
    top = max(row["share"] for row in touched) or 1.0
    scale = alt.Scale(domain=[0, 1.5 * top], nice=False)  # with room for what is said behind the longest bar
    base = data(rows).encode(
        x=alt.X(
            "share:Q",
            scale=scale,
            title=words("plots.ties.queries"),
            axis=alt.Axis(labels=False, ticks=False, grid=False, domain=False),
        ),
        y=systems_axis(labels, labelled=labelled),
        tooltip=[
            alt.Tooltip("system:N", title=words("page.system")),
            alt.Tooltip("said:N", title=words("plots.ties.queries")),
        ],
    )
    bars, said = (
        base.mark_bar(style="muted"),
        base.mark_text(style="note", align="left", dx=4).encode(text=alt.Text("said:N")),
    )
    return alt.layer(bars, said).properties(width=NARROW, height=alt.Step(row_height(labels)))
