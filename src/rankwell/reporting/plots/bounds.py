"""The plot of bounds: how far judging the unjudged items could move each system's value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.axes import IN_A_ROW, panels
from rankwell.reporting.chart.charts import Picture, altair, drawing, finish
from rankwell.reporting.chart.inputs import metrics_in, results_in
from rankwell.reporting.chart.texts import cut
from rankwell.results import Results
from rankwell.results.bounds import require
from rankwell.tables.arguments import checked

ENDS = "lowest", "highest"


class BoundedMean(TypedDict):
    """The mean of a system and its bounds; ``lowest`` is the value itself where there is no lower bound (``is_open``)."""

    system: str
    metric: str
    lowest: float
    value: float
    highest: float
    is_open: bool


def bounds_of(systems: Mapping[str, Results], metrics: Sequence[Metric]) -> list[BoundedMean]:
    """Return the bounds of each system and metric; undefined values and metrics without bounds are left out."""
    rows = list[BoundedMean]()
    for metric in metrics:
        for name, res in systems.items():
            value, own = res.plain_mean[str(metric)], res.bounds[str(metric)]
            # without an upper end there is nothing to draw; without a lower one the bar begins at the value, and a line
            # says so
            if math.isnan(value) or own.high is None:
                continue
            low = value if own.low is None else own.low
            row = BoundedMean(
                system=name,
                metric=str(metric),
                lowest=low,
                value=value,
                highest=own.high,
                is_open=own.low is None,
            )
            rows.append(row)
    return rows


def metrics_with_bounds(
    systems: Mapping[str, Results], metrics: Iterable[Wanted] | Wanted | None
) -> tuple[Metric, ...]:
    """Return the metrics asked for, by default all, that have bounds.

    Raises
    ------
    UsageError
        If there is none, one was not evaluated, or results were evaluated without bounds.
    """
    for res in systems.values():
        require(res.bounding)
    chosen = metrics_in(systems, metrics)
    bounded = tuple(
        metric
        for metric in chosen
        if any(row["metric"] == str(metric) for row in bounds_of(systems, [metric]))
    )
    if not bounded:
        names = ", ".join(map(str, chosen))
        raise UsageError(
            f"{names}: there are no bounds under unjudged items; evaluate a metric that has some too, such as ndcg@10."
        )
    return bounded


@drawing
@checked
def bounds(
    results: Mapping[str, Results] | Results,
    *,
    metrics: Iterable[Wanted] | Wanted | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw how far unjudged items could move each system's value.

    A line leads from the lowest to the highest mean over all grades that unjudged items could get, a dot is the reported mean, in which
    they count as not relevant. Where nothing bounds a value from below (recall, AP and nDCG without a stated pool) the line begins at the
    dot. Two systems whose lines overlap may still differ for sure, as an item gets the same grade in both lists: ``compare(…,
    bounds=True)`` says so.

    Parameters
    ----------
    results
        Results by the name of their system, or of one system, evaluated with ``bounds=True``.
    metrics
        The metrics that are drawn; by default all that have bounds.
    lang, dark
        The language of the words, and whether the ground is dark.

    Returns
    -------
    altair.Chart
        The picture.

    Raises
    ------
    UsageError
        If results were evaluated without bounds, no metric has any, or one was not evaluated.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = rw.evaluate({"q": ["a", "b"]}, {"q": {"a": 1}}, ["p@2", "rr"], bounds=True)
    >>> chart = rw.plot.bounds({"bm25": res})
    >>> [(row["metric"], row["lowest"], row["value"], row["highest"]) for row in bounds_of({"bm25": res}, res.metrics)]
    [('p@2', 0.5, 0.5, 1.0), ('rr', 1.0, 1.0, 1.0)]
    """
    alt = altair()
    words, systems = words_of(lang), results_in(results)
    wanted = metrics_with_bounds(systems, metrics)
    rows = bounds_of(systems, wanted)
    own, _ = panels(words, "plots.bounds", wanted, systems, rows, ENDS)
    chart = alt.concat(*own, columns=IN_A_ROW)
    return finish(chart, words("plots.bounds.title"), _said(words, rows), dark=dark)


PICTURE = Picture(bounds, asks=("bounds",))


def _said(words: PageStrings, rows: Sequence[BoundedMean]) -> list[str]:
    """What the marks mean, the widest range, and which metrics have no lower bound."""
    widest = max(rows, key=lambda row: row["highest"] - row["lowest"])
    width = number(widest["highest"] - widest["lowest"])
    lines = [
        words("plots.bounds.how"),
        words("plots.bounds.widest", system=cut(widest["system"]), metric=widest["metric"], width=width),
    ]
    no_low = list(dict.fromkeys(row["metric"] for row in rows if row["is_open"]))
    return [*lines, words("plots.bounds.open", metrics=", ".join(no_low))] if no_low else lines
