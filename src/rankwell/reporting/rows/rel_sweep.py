"""What is behind the plot of a sweep: the values of systems at each threshold, and thresholds made of the grades."""

from __future__ import annotations

import math
from typing import TypedDict

import numpy as np

from rankwell.errors import UsageError
from rankwell.evaluation.rel_sweep import Sweep
from rankwell.metrics.metric import Metric
from rankwell.tables.run_qrels import Qrels

MOST = 12  # thresholds made of the grades


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
