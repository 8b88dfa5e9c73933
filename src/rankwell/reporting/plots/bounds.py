"""The plot of bounds: how far judging the unjudged items could move each system's value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.display.page import Words, words_of
from rankwell.display.table import number
from rankwell.metrics import Wanted
from rankwell.reporting.chart import theme
from rankwell.reporting.chart.axes import best_first
from rankwell.reporting.chart.drawn import altair, drawing
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.chart.ranges import IN_A_ROW, panel
from rankwell.reporting.rows.bounds import Bounds, bounded, bounds_of
from rankwell.reporting.rows.given import results_in
from rankwell.reporting.rows.labels import cut, shortened
from rankwell.results import Results
from rankwell.tables.arguments import checked

ENDS = "lowest", "highest"


@drawing
@checked
def bounds(
    results: Mapping[str, Results] | Results,
    *,
    metrics: Iterable[Wanted] | Wanted | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw how far judging the unjudged items could move the value of each system.

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
    wanted = bounded(systems, metrics)
    rows = bounds_of(systems, wanted)
    first = wanted[0]
    order = best_first(
        systems, {name: res.plain_mean[str(first)] for name, res in systems.items()}, first.better
    )
    labels = shortened(order)
    panels = [
        panel(words, "plots.bounds", metric, rows, ENDS, labels, labelled=at % IN_A_ROW == 0)
        for at, metric in enumerate(wanted)
    ]
    chart = alt.concat(*panels, columns=IN_A_ROW)
    return theme.finished(chart, words("plots.bounds.title"), _said(words, rows), dark=dark)


PICTURE = Picture(bounds, asks=("bounds",))


def _said(words: Words, rows: Sequence[Bounds]) -> list[str]:
    """What the marks mean, the widest range, and which metrics have no lower bound."""
    widest = max(rows, key=lambda row: row["highest"] - row["lowest"])
    width = number(widest["highest"] - widest["lowest"])
    lines = [
        words("plots.bounds.how"),
        words("plots.bounds.widest", system=cut(widest["system"]), metric=widest["metric"], width=width),
    ]
    no_low = list(dict.fromkeys(row["metric"] for row in rows if row["is_open"]))
    return [*lines, words("plots.bounds.open", metrics=", ".join(no_low))] if no_low else lines
