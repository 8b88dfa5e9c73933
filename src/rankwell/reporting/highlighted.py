"""Which of many systems a report has in colour, the same in all of its pictures."""

from __future__ import annotations

import math

from rankwell.reporting.material import Material
from rankwell.reporting.plots.drawn import FEW
from rankwell.reporting.plots.theme import MOST_COLOURS


def highlighted(material: Material) -> list[str] | None:
    """Return the systems that a report has in colour if they are too many: the best by the metric that decides, and the baseline."""
    if len(material.results) <= MOST_COLOURS:
        return None
    comparison = material.comparison
    first = comparison.methods.primary if comparison is not None else ""
    metric = next((each for each in material.metrics if str(each) == first), material.metrics[0])
    sign = -1.0 if metric.better == "higher" else 1.0
    values = {name: sign * res.mean[str(metric)] for name, res in material.results.items()}
    best = sorted(values, key=lambda name: (math.isnan(values[name]), values[name]))[:FEW]
    baseline = comparison.baseline if comparison is not None else None
    return list(dict.fromkeys([*best, *([baseline] if baseline else [])]))
