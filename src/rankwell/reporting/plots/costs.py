"""The plot of costs: quality against latency, memory, size, throughput or time of indexing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.costing import QUANTITIES
from rankwell.display.page import Words, words_of
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.drawn import altair, data, drawing
from rankwell.reporting.chart.inputs import comparison_in, metric_in, primary_of
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.chart.texts import axis_title, beside, level_of, lines
from rankwell.reporting.chart.theme import finished
from rankwell.reporting.plots.scatter import HEIGHT, LOOKS, WIDTH
from rankwell.reporting.rows.costs import Priced, ends_of, is_log, on_front, priced, rows_of
from rankwell.statistics.quantiles import needed
from rankwell.tables.arguments import checked

Row = dict[str, Any]
MARKS: dict[str, dict[str, Any]] = {
    "other": {"style": "muted", "size": 50},
    "front": {"size": 90},
    "baseline": {"size": 110, "shape": "square"},
}
TILTED = {"right": 11, "left": -11}  # labels beside a point make room for its bar and for the front
Cost = Literal["p50", "p90", "p95", "p99", "p99.9", "throughput", "memory", "index", "indexing"]


@drawing
@checked
def costs(
    comparison: Comparison,
    metric: Wanted | None = None,
    *,
    x: Cost = "p95",
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw the quality of systems against what they cost, with bounds both ways and the Pareto front.

    Up to 12 systems are named; of more, those on the front and the baseline, the others when pointed at. Costs that span more than a
    decade are in log scale.

    Parameters
    ----------
    comparison
        A comparison with costs: ``rw.compare(costs.runs, qrels, metrics, costs=costs)``.
    metric
        The metric; default the primary one, or the first.
    x
        The cost: a quantile of latency (p50, p90, p95, p99, p99.9), throughput, memory, index (its size) or indexing (its time).
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        If the comparison has no costs, the metric was not evaluated, no system has both values, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> class Engine:
    ...     def search(self, query, k):
    ...         return ["a", "b"]
    >>> costs = rw.efficiency.measure({"one": Engine(), "two": Engine()}, {"1": "x", "2": "y"}, repetitions=2)
    >>> found = rw.compare(costs.runs, {"1": {"a": 1}, "2": {"b": 1}}, ["rr"], costs=costs)
    >>> rw.plot.costs(found).title.text
    'rr against latency p95'
    """
    words = words_of(lang)
    source = comparison_in(comparison)
    wanted = primary_of(source) if metric is None else metric_in(source.metrics, metric)
    found = priced(source, wanted, x)
    if not found.values:
        raise UsageError(f"no system has both {wanted} and {x}: they are unknown, undefined or infinite.")
    rows = rows_of(found, wanted, x, words)
    title = words("plots.scatter.title", x=name_of(x, words), y=str(wanted))
    chart = _chart(rows, found, wanted, x, words)
    return finished(chart, title, _subtitle(rows, found, source, wanted, x, words), dark=dark)


PICTURE = Picture(costs, asks=("costs",))


def name_of(quantity: str, words: Words) -> str:
    """Return what a cost is called."""
    if quantity.startswith("p"):
        return words("plots.costs.latency", quantile=quantity)
    return words(f"plots.costs.{quantity}")


def _chart(rows: list[Row], found: Priced, metric: Metric, quantity: str, words: Words) -> Any:
    alt = altair()
    goods, dear = ([pair[at] for pair in found.values.values()] for at in (0, 1))
    log = is_log(each.value for each in dear)
    kind = QUANTITIES[quantity]
    what = f"{name_of(quantity, words)}, {kind.unit}"
    kind_of_scale = {"type": "log"} if log else {"zero": False}
    scale = alt.Scale(domain=list(ends_of(dear, log=log)), nice=False, **kind_of_scale)
    across = {"title": beside(what, words(f"page.{kind.better}")), "scale": scale}
    up = {
        "title": axis_title(metric, words),
        "scale": alt.Scale(domain=list(ends_of(goods, log=False)), nice=False, zero=False),
    }
    tips = [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("x_shown:N", title=what),
        alt.Tooltip("y_shown:N", title=str(metric)),
    ]

    def chart(own: Iterable[Row], x: str = "x", y: str = "y") -> Any:
        return data(own).encode(
            x=alt.X(f"{x}:Q", **across).axis(tickCount=6, format="~g"),
            y=alt.Y(f"{y}:Q", **up).axis(tickCount=6),
        )

    layers = []
    if own := [row for row in rows if row["x_low"] is not None]:
        layers.append(chart(own, x="x_low").mark_rule(style="faint").encode(x2=alt.X2("x_high:Q")))
    if own := [row for row in rows if row["y_low"] is not None]:
        layers.append(chart(own, y="y_low").mark_rule(style="faint").encode(y2=alt.Y2("y_high:Q")))
    if own := [row for row in rows if row["is_front"]]:
        layers.append(chart(own).mark_line(style="reference"))
    for role, mark in MARKS.items():
        if own := [row for row in rows if row["role"] == role]:
            layers.append(chart(own).mark_point(filled=True, opacity=1, **mark).encode(tooltip=tips))
    tilt = 1 if (kind.better == "lower") == (metric.better != "lower") else -1  # the front rises to the right
    for side, look in LOOKS.items():
        beside_line = {"dy": tilt * TILTED[side]} if side in TILTED else {}
        if own := [row for row in rows if row["side"] == side]:
            layers.append(
                chart(own).mark_text(fontSize=12, **(look | beside_line)).encode(text=alt.Text("system:N"))
            )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _subtitle(
    rows: list[Row], found: Priced, source: Comparison, metric: Metric, quantity: str, words: Words
) -> Sequence[str]:
    load = source.costs.load if source.costs is not None else ""
    front, unnamed = on_front(found, metric, quantity), sum(row["side"] is None for row in rows)
    said = "no_front" if metric.better == "neither" else "front" if len(front) > 1 else "one_front"
    lacking = [name for name, (_, cost) in found.values.items() if math.isnan(cost.low)]
    is_latency = quantity.startswith("p")
    has_bounds = len(lacking) < len(rows)
    return lines(
        words("plots.costs.load", load=load) if quantity not in ("index", "indexing") else "",
        words(f"plots.costs.{'bars' if is_latency else 'bars_of_turns'}", level=level_of(source))
        if has_bounds
        else words("plots.costs.bars_of_metric", level=level_of(source)),
        words("plots.costs.lacking", n=len(lacking), x=quantity, needed=needed(float(quantity[1:]) / 100))
        if lacking and is_latency
        else "",
        words(f"plots.scatter.{said}", metric=str(metric))
        if said == "no_front"
        else words(f"plots.costs.{said}"),
        words("plots.scatter.baseline") if found.baseline in found.values else "",
        words("plots.scatter.unnamed", n=unnamed) if unnamed else "",
        words("plots.costs.left_out", n=found.left_out) if found.left_out else "",
    )
