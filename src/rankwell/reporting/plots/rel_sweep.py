"""The plot of a sweep: the values of systems under several thresholds of relevance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count
from rankwell.errors import UsageError
from rankwell.evaluation.rel_sweep import EVERY, Sweep, Threshold
from rankwell.evaluation.rel_sweep import rel_sweep as swept
from rankwell.evaluation.request import reading_in
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels
from rankwell.reporting.chart.axes import round_domain
from rankwell.reporting.chart.charts import Picture, altair, drawing, finish
from rankwell.reporting.chart.inputs import runs_of
from rankwell.reporting.chart.systems import SystemColours, best_first, names_at_ends, system_lines
from rankwell.reporting.chart.texts import axis_title
from rankwell.reporting.chart.theme import MOST_COLOURS
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Qrels

MOST = 12  # thresholds made of the grades
WIDTH, HEIGHT = 480, 300


class Point(TypedDict):
    """The value of a system from a threshold on, ``place`` being that of the threshold among all."""

    system: str
    place: int
    threshold: str
    value: float
    n: int
    leads: bool


def thresholds_in(qrels: Qrels) -> list[float]:
    """Return the grades above the lowest, of many a dozen from the first to the last.

    Raises
    ------
    UsageError
        If there are fewer than two, or no grades.
    """
    grades = np.unique(np.empty(0) if qrels.grade is None else qrels.grade)
    above = grades[np.isfinite(grades)][1:]
    if len(above) < 2:
        raise UsageError(
            f"{qrels.name} has no three grades to put thresholds between; name them: rels=[1, 'interactions']."
        )
    # evenly among the grades that occur: steps of equal size would miss rare ones
    chosen = np.unique(np.linspace(0, len(above) - 1, min(len(above), MOST)).round().astype(int))
    return [float(grade) for grade in above[chosen]]


def points_of(sweep: Sweep, metric: Metric) -> list[Point]:
    """Return the value of each system at each threshold where it has one; ``leads`` says that it is the best of one of them."""
    first = {order[0] for rel in sweep.rels if (order := sweep.order(metric, rel))}
    return [
        Point(
            system=name,
            place=place,
            threshold=rel if isinstance(rel, str) else f"{rel:g}",
            value=sweep.values[metric, rel, name],
            n=sweep.n[metric, rel],
            leads=name in first,
        )
        for place, rel in enumerate(sweep.rels)
        for name in sweep.runs
        if not math.isnan(sweep.values[metric, rel, name])
    ]


@drawing
@checked
def rel_sweep(
    runs: Any,
    qrels: Any,
    metric: Wanted,
    *,
    rels: Iterable[Threshold] | None = None,
    lang: str = "en",
    dark: bool = False,
    **options: Any,
) -> Any:
    """Draw a metric of each system by the threshold of relevance.

    Where lines cross, which system is better depends on the grade from which an item counts as relevant. Of more than eight systems
    those that lead at a threshold have colours.

    Parameters
    ----------
    runs
        Runs by the name of their system, or one run, in any form that ``evaluate`` takes.
    qrels
        The judgements, with grades.
    metric
        A metric of judged items without a ``rel`` of its own.
    rels
        The thresholds: grades, ``"interactions"`` (every row) or ``"judgements"`` (above 0); by default the grades above the
        lowest that the judgements have, twelve of them if there are more.
    lang, dark
        The language of the words, and whether the ground is dark.
    options
        ``policy``, ``train``, ``items``, ``users`` and ``threads``, as for ``evaluate``.

    Returns
    -------
    altair.Chart
        The picture.

    Raises
    ------
    RankwellError
        If there are fewer than two thresholds, or the metric does not depend on them.

    Examples
    --------
    >>> import rankwell as rw
    >>> runs = {"a": {"u": ["x", "y"]}, "b": {"u": ["y", "x"]}}
    >>> chart = rw.plot.rel_sweep(runs, {"u": {"x": 3, "y": 8}}, "rr", rels=[3, 8])
    >>> chart.to_dict()["title"]["subtitle"][-1]
    'The order of the systems changes with the threshold.'
    """
    words, wanted, named, judged = (
        words_of(lang),
        metric_of(metric),
        runs_of(runs, reading_in(options)),
        read_qrels(qrels),
    )
    thresholds = thresholds_in(judged) if rels is None else list(rels)
    sweep = swept(named, judged, [wanted], thresholds, **options)
    points = points_of(sweep, wanted)
    if not points:
        raise UsageError(f"{wanted} is undefined at every threshold; no item is relevant at any of them.")
    subtitle = [words("plots.rel_sweep.how")]
    if len(named) > 1:
        subtitle.append(words(f"plots.rel_sweep.{'changes' if sweep.changes(wanted) else 'same'}"))
    return finish(
        _drawn(words, wanted, points), words("plots.rel_sweep.title", metric=wanted), subtitle, dark=dark
    )


PICTURE = Picture(rel_sweep)


def _drawn(words: PageStrings, metric: Metric, points: Sequence[Point]) -> Any:
    alt = altair()
    names, last = list(dict.fromkeys(row["system"] for row in points)), points[-1]["place"]
    ends = {row["system"]: row["value"] for row in points if row["place"] == last}
    best = best_first(names, ends, metric.better)
    leading = [name for name in best if any(row["leads"] for row in points if row["system"] == name)]
    colours = SystemColours.of(names, None if len(names) <= MOST_COLOURS else leading[:MOST_COLOURS], best)
    ticks = {row["place"]: _tick(words, row) for row in points}
    axis = alt.Axis(labelAngle=0, labelExpr="split(datum.label, '|')")
    x = alt.X("tick:N", sort=list(ticks.values()), title=words("plots.rel_sweep.threshold"), axis=axis)
    domain = round_domain([row["value"] for row in points], metric.range)
    y = alt.Y("value:Q", title=axis_title(metric, words), scale=alt.Scale(domain=list(domain), nice=False))
    tooltip = [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("threshold:N", title=words("plots.rel_sweep.threshold")),
        alt.Tooltip("value:Q", title=str(metric), format=".4f"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
    layers = system_lines([{**row, "tick": ticks[row["place"]]} for row in points], colours, x, y, tooltip)
    known = {name: ends.get(name, math.nan) for name in colours.bright}
    layers.append(names_at_ends(known, colours, alt.XDatum(ticks[last], type="nominal"), domain, HEIGHT))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _tick(words: PageStrings, row: Point) -> str:
    """The two lines under a threshold: what is relevant, and in how many queries anything is."""
    threshold = row["threshold"]
    what = words(f"plots.rel_sweep.{threshold}") if threshold in EVERY else f"≥ {threshold}"
    return f"{what}|n {count(row['n'])}"
