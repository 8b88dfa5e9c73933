"""What is behind the scatter plot: the systems by two metrics, the Pareto front, and which are named."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rankwell.comparison.comparison import Comparison
from rankwell.display.table import number
from rankwell.metrics.metric import Metric
from rankwell.reporting.rows.given import results_in
from rankwell.reporting.rows.labels import shortened
from rankwell.reporting.rows.pairs import sign_of
from rankwell.reporting.rows.placing import placed
from rankwell.results import Results

Row = dict[str, Any]
FEW = 12  # systems that are all named
WIDTH, HEIGHT = 480, 360


class Systems(NamedTuple):
    """The systems by their values of two metrics, without those that are undefined; how many these are; and the baseline."""

    values: dict[str, tuple[float, float]]
    undefined: int
    baseline: str | None


def systems_of(results: Mapping[str, Results] | Comparison, x: Metric, y: Metric) -> Systems:
    """Return the values of the systems, as results or comparison have them."""
    baseline = None
    if isinstance(results, Comparison):
        own = [results.means[metric, 0].mean.tolist() for metric in (x, y)]
        every = dict(zip(results.names, zip(*own, strict=True), strict=True))
        baseline = results.baseline
    else:
        every = {name: (res[x], res[y]) for name, res in results_in(results).items()}
    known = {name: pair for name, pair in every.items() if not any(map(math.isnan, pair))}
    return Systems(known, len(every) - len(known), baseline)


def front_of(values: Mapping[str, tuple[float, float]], x: Metric, y: Metric) -> list[str]:
    """Return the systems that no other one beats, from the left to the right; equal ones are all on it.

    >>> from rankwell.metrics import metric_of
    >>> front_of({"a": (1, 3), "b": (2, 2), "c": (1, 2), "d": (3, 1)}, metric_of("rr"), metric_of("ndcg"))
    ['a', 'b', 'd']
    """
    if "neither" in (x.better, y.better):
        return []
    gains = {name: (sign_of(x) * pair[0], sign_of(y) * pair[1]) for name, pair in values.items()}
    front: list[str] = []
    best = -math.inf
    ordered = sorted(gains, key=lambda name: (-gains[name][0], -gains[name][1]))
    for name in ordered:
        if gains[name][1] > best or (front and gains[name] == gains[front[-1]]):
            front.append(name)
            best = gains[name][1]
    return sorted(front, key=lambda name: values[name])


def rows_of(found: Systems, x: Metric, y: Metric) -> list[Row]:
    """Return a row per system: its values, its role (front, baseline or other), and the side of its label, if it has one."""
    label = shortened(found.values)
    front = set(front_of(found.values, x, y))
    rows: list[Row] = []
    for name, (across, up) in found.values.items():
        role = "baseline" if name == found.baseline else "front" if name in front else "other"
        rows.append(
            {"system": label[name], "x": across, "y": up, "x_shown": number(across), "y_shown": number(up)}
            | {"role": role, "is_front": name in front, "side": None}
        )
    ends = [domain_of(row[axis] for row in rows) for axis in "xy"]
    points = [
        tuple((row[axis] - low) / (high - low) for axis, (low, high) in zip("xy", ends, strict=True))
        for row in rows
    ]
    named = [at for at, row in enumerate(rows) if len(rows) <= FEW or row["role"] != "other"]
    named.sort(key=lambda at: ("baseline", "front", "other").index(rows[at]["role"]))
    for at, side in placed(points, [(at, rows[at]["system"]) for at in named], WIDTH, HEIGHT).items():
        rows[at]["side"] = side
    return rows


def domain_of(values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis with some air around the values."""
    known = list(values)
    low, high = min(known), max(known)
    air = (high - low) * 0.08 or max(abs(high) * 0.1, 0.01)
    return low - air, high + air
