"""Which of many systems a report has in colour, the same in all of its pictures."""

from __future__ import annotations

import math

from rankwell.reporting.chart.drawn import FEW
from rankwell.reporting.chart.theme import MOST_COLOURS
from rankwell.reporting.material import Material


def highlighted(material: Material) -> list[str] | None:
    """Return the runs in colour if they are too many for all: the best by the primary metric, and the baseline."""
    names, metric, comparison = list(material.runs), material.primary, material.comparison
    if len(names) <= MOST_COLOURS:
        return None
    sign = -1.0 if metric.better == "higher" else 1.0
    values = {name: sign * material.mean(name, metric) for name in names}
    best = sorted(names, key=lambda name: (math.isnan(values[name]), values[name]))[:FEW]
    baseline = None if comparison is None else comparison.baseline
    return best if baseline not in names or baseline in best else [*best, baseline]
