"""What is behind the plot of quality against cost: systems with bounds both ways, the Pareto front, and which are named."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.costing import QUANTITIES, CostEstimates, Estimate, front
from rankwell.display.page import Words
from rankwell.display.table import number
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.pairs import sign_of
from rankwell.reporting.chart.texts import shortened
from rankwell.reporting.plots.scatter import FEW, HEIGHT, WIDTH, domain_of, placed

Row = dict[str, Any]
DECADE = 10.0  # values that span more are drawn in log scale


class Priced(NamedTuple):
    """Systems by a metric and a cost, best first by the metric; how many are left out; and the baseline."""

    values: dict[str, tuple[Estimate, Estimate]]
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
    known = costs_in(comparison).of(quantity)
    found: dict[str, tuple[Estimate, Estimate]] = {}
    for row in comparison.order_of(metric, 0):
        name = comparison.names[row]
        mean = comparison.mean(name, metric)
        quality = Estimate(mean.mean, mean.low, mean.high)
        if name in known and math.isfinite(known[name].value) and math.isfinite(quality.value):
            found[name] = quality, known[name]
    return Priced(found, len(comparison.names) - len(found), comparison.baseline)


def on_front(found: Priced, metric: Metric, quantity: str) -> list[str]:
    """Return the systems that no other is as good as and as cheap, and better or cheaper; none if the metric has no better end."""
    if metric.better == "neither":
        return []
    dear = 1 if QUANTITIES[quantity].better == "lower" else -1
    pairs = [(sign_of(metric) * good.value, dear * cost.value) for good, cost in found.values.values()]
    return [name for name, is_on in zip(found.values, front(pairs), strict=True) if is_on]


def is_log(values: Iterable[float]) -> bool:
    """Whether values are drawn in log scale: all are above 0, and they span more than a decade.

    >>> is_log([1, 9]), is_log([1, 11]), is_log([0, 100])
    (False, True, False)
    """
    known = list(values)
    return min(known) > 0 and max(known) / min(known) > DECADE


def ends_of(estimates: Sequence[Estimate], *, log: bool) -> tuple[float, float]:
    """Return the ends of an axis on which the estimates and their finite bounds have some air."""
    known = [end for each in estimates for end in each if math.isfinite(end) and (end > 0 or not log)]
    if not log:
        low, high = domain_of(known)
        return (max(low, 0.0) if min(known) >= 0 else low), high
    low, high = domain_of(map(math.log10, known))
    return 10**low, 10**high


def rows_of(found: Priced, metric: Metric, quantity: str, words: Words) -> list[Row]:
    """Return a row per system: its values and bounds, its role (front, baseline or other), and the side of its label, if it has one."""
    label, on = shortened(found.values), set(on_front(found, metric, quantity))
    costs = [cost for _, cost in found.values.values()]
    log = is_log(cost.value for cost in costs)
    across, up = ends_of(costs, log=log), ends_of([good for good, _ in found.values.values()], log=False)
    rows: list[Row] = []
    for name, (good, cost) in found.values.items():
        role = "baseline" if name == found.baseline else "front" if name in on else "other"
        row = {"system": label[name], "x": cost.value, "y": good.value, "role": role, "is_front": name in on}
        row |= {"x_low": _inside(cost.low, across), "x_high": _inside(cost.high, across)}
        row |= {"y_low": _inside(good.low, up), "y_high": _inside(good.high, up), "side": None}
        digits = QUANTITIES[quantity].digits
        row |= {"x_shown": shown(cost, digits, words), "y_shown": shown(good, 4, words)}
        rows.append(row)
    points = [(_share(row["x"], across, log=log), _share(row["y"], up)) for row in rows]
    named = [at for at, row in enumerate(rows) if len(rows) <= FEW or row["role"] != "other"]
    named.sort(key=lambda at: ("baseline", "front", "other").index(rows[at]["role"]))
    for at, side in placed(points, [(at, rows[at]["system"]) for at in named], WIDTH, HEIGHT).items():
        rows[at]["side"] = side
    return rows


def shown(estimate: Estimate, digits: int, words: Words) -> str:
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
