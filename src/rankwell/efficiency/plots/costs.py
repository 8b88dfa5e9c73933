"""The picture of costs: quality against latency, memory, size, throughput or time of indexing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from rankwell.comparison.compare.comparison import Comparison
from rankwell.comparison.compare.costs import QUANTITIES, CostEstimate, CostEstimates, front
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import comparison_in, metric_in, primary_of, sign_of
from rankwell.reporting.chart.texts import axis_title, beside, level_of, shorten, subtitle_lines
from rankwell.reporting.plots.scatter import FEW, HEIGHT, LOOKS, WIDTH, domain_of, place_labels
from rankwell.statistics.quantiles import needed
from rankwell.tables.arguments import checked

Row = dict[str, Any]
DECADE = 10.0  # values that span more are drawn in log scale
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
    return finish(chart, title, _subtitle(rows, found, source, wanted, x, words), dark=dark)


PICTURE = Picture(costs, asks=("costs",))


def name_of(quantity: str, words: PageStrings) -> str:
    """Return what a cost is called."""
    if quantity.startswith("p"):
        return words("plots.costs.latency", quantile=quantity)
    return words(f"plots.costs.{quantity}")


def _chart(rows: list[Row], priced: Priced, metric: Metric, quantity: str, words: PageStrings) -> Any:
    alt = altair()
    goods, dear = ([pair[at] for pair in priced.values.values()] for at in (0, 1))
    log = is_log(estimate.value for estimate in dear)
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
    rows: list[Row], priced: Priced, source: Comparison, metric: Metric, quantity: str, words: PageStrings
) -> Sequence[str]:
    load = source.costs.load if source.costs is not None else ""
    front, unnamed = on_front(priced, metric, quantity), sum(row["side"] is None for row in rows)
    said = "no_front" if metric.better == "neither" else "front" if len(front) > 1 else "one_front"
    lacking = [name for name, (_, cost) in priced.values.items() if math.isnan(cost.low)]
    is_latency = quantity.startswith("p")
    has_bounds = len(lacking) < len(rows)
    return subtitle_lines(
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
        words("plots.scatter.baseline") if priced.baseline in priced.values else "",
        words("plots.scatter.unnamed", n=unnamed) if unnamed else "",
        words("plots.costs.left_out", n=priced.left_out) if priced.left_out else "",
    )


class Priced(NamedTuple):
    """Systems by a metric and a cost, best first by the metric; how many are left out; and the baseline."""

    values: dict[str, tuple[CostEstimate, CostEstimate]]
    left_out: int
    baseline: str | None


def costs_in(comparison: Comparison) -> CostEstimates:
    """Return the costs of a comparison; raises UsageError if it has none."""
    if comparison.costs is None:
        raise UsageError(
            "the comparison has no costs; measure them, and compare with them: rw.compare(costs.runs, qrels, metrics, costs=costs)."
        )
    return comparison.costs


def priced(comparison: Comparison, metric: Metric, quantity: str) -> Priced:
    """Return the systems of which both a metric and a cost are known and finite."""
    cost_of = costs_in(comparison).of(quantity)
    values: dict[str, tuple[CostEstimate, CostEstimate]] = {}
    for row in comparison.order_of(metric, 0):
        name = comparison.names[row]
        mean = comparison.mean(name, metric)
        quality = CostEstimate(mean.mean, mean.low, mean.high)
        if name in cost_of and math.isfinite(cost_of[name].value) and math.isfinite(quality.value):
            values[name] = quality, cost_of[name]
    return Priced(values, len(comparison.names) - len(values), comparison.baseline)


def on_front(priced: Priced, metric: Metric, quantity: str) -> list[str]:
    """Return the systems that no other is as good as and as cheap, and better or cheaper; none if the metric has no better end."""
    if metric.better == "neither":
        return []
    dear = 1 if QUANTITIES[quantity].better == "lower" else -1
    pairs = [(sign_of(metric) * good.value, dear * cost.value) for good, cost in priced.values.values()]
    return [name for name, is_on in zip(priced.values, front(pairs), strict=True) if is_on]


def is_log(values: Iterable[float]) -> bool:
    """Whether values are drawn in log scale: all are above 0, and they span more than a decade.

    >>> is_log([1, 9]), is_log([1, 11]), is_log([0, 100])
    (False, True, False)
    """
    listed = list(values)
    return min(listed) > 0 and max(listed) / min(listed) > DECADE


def ends_of(estimates: Sequence[CostEstimate], *, log: bool) -> tuple[float, float]:
    """Return the ends of an axis on which the estimates and their finite bounds have some air."""
    ends = [end for estimate in estimates for end in estimate if math.isfinite(end) and (end > 0 or not log)]
    if not log:
        low, high = domain_of(ends)
        return (max(low, 0.0) if min(ends) >= 0 else low), high
    low, high = domain_of(map(math.log10, ends))
    return 10**low, 10**high


def rows_of(priced: Priced, metric: Metric, quantity: str, words: PageStrings) -> list[Row]:
    """Return a row per system: its values and bounds, its role (front, baseline or other), and the side of its label, if it has one."""
    label, on = shorten(priced.values), set(on_front(priced, metric, quantity))
    costs = [cost for _, cost in priced.values.values()]
    log = is_log(cost.value for cost in costs)
    across, up = ends_of(costs, log=log), ends_of([good for good, _ in priced.values.values()], log=False)
    rows: list[Row] = []
    for name, (good, cost) in priced.values.items():
        role = "baseline" if name == priced.baseline else "front" if name in on else "other"
        row = {"system": label[name], "x": cost.value, "y": good.value, "role": role, "is_front": name in on}
        row |= {"x_low": _inside(cost.low, across), "x_high": _inside(cost.high, across)}
        row |= {"y_low": _inside(good.low, up), "y_high": _inside(good.high, up), "side": None}
        digits = QUANTITIES[quantity].digits
        row |= {"x_shown": shown(cost, digits, words), "y_shown": shown(good, 4, words)}
        rows.append(row)
    points = [(_share(row["x"], across, log=log), _share(row["y"], up)) for row in rows]
    named = [at for at, row in enumerate(rows) if len(rows) <= FEW or row["role"] != "other"]
    # the baseline and the front get their labels first, where they find the most room
    named.sort(key=lambda at: ("baseline", "front", "other").index(rows[at]["role"]))
    for at, side in place_labels(points, [(at, rows[at]["system"]) for at in named], WIDTH, HEIGHT).items():
        rows[at]["side"] = side
    return rows


def shown(estimate: CostEstimate, digits: int, words: PageStrings) -> str:
    """Return an estimate as text with its bounds, or that it has none."""
    text = number(estimate.value, digits)
    if math.isnan(estimate.low):
        return words("plots.costs.without", value=text)
    return f"{text} [{number(estimate.low, digits)}, {number(estimate.high, digits)}]"


def _inside(bound: float, ends: tuple[float, float]) -> float | None:
    """A bound where it can be drawn: an infinite one at the end of the axis."""
    return None if math.isnan(bound) else min(max(bound, ends[0]), ends[1])


def _share(value: float, ends: tuple[float, float], *, log: bool = False) -> float:
    """Where a value is between the ends of its axis."""
    low, high, at = (math.log(each) if log else each for each in (*ends, value))
    return (at - low) / (high - low)
