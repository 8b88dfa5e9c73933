"""The leaderboard: every system under every metric, best first, with intervals and what differs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.tables import marks_of
from rankwell.display.table import ARROWS
from rankwell.metrics.metric import Metric
from rankwell.reporting.material import Material
from rankwell.reporting.section import Section


def section(material: Material) -> Section:
    """Return a row per system with a cell per metric; for one system its metrics alone."""
    words = material.words
    rows = _alone(material) if material.comparison is None else _compared(material.comparison)
    numbers = [[row["cells"][at]["n"] for row in rows] for at in range(len(material.metrics))]
    is_one = all(each == numbers[0] for each in numbers) and len(set(numbers[0])) == 1
    level = 95.0 if material.comparison is None else material.comparison.methods.level * 100
    data = {
        "alone": material.comparison is None,
        "caption": _caption(material, numbers[0][0] if is_one else None, len(rows)),
        "interval": words("report.leaderboard.interval", level=f"{level:g}"),
        "metrics": [
            {
                "metric": str(metric),
                "direction": metric.better,
                "arrow": ARROWS[metric.better],
                "better": words(f"page.{metric.better}"),
                "primary": len(material.metrics) > 1 and metric == material.primary,
                "n_column": not is_one and (at + 1 == len(numbers) or numbers[at] != numbers[at + 1]),
            }
            for at, metric in enumerate(material.metrics)
        ],
        "rows": rows,
        "notes": _notes(material),
    }
    return Section("leaderboard", words("report.leaderboard.title"), data)


def _alone(material: Material) -> list[dict[str, Any]]:
    (res,) = material.results.values()
    cells = []
    for metric in res.metrics:
        own = material.intervals.get(str(metric))
        low, high = (own.low, own.high) if own else (math.nan, math.nan)
        cells.append(_cell(res.mean[str(metric)], low, high, res.n[str(metric)]))
    return [{"system": material.names[0], "baseline": False, "cells": cells}]


def _compared(found: Comparison) -> list[dict[str, Any]]:
    marks = {metric: marks_of(found, metric, 0) for metric in found.metrics}
    best = {metric: _best(found, metric) for metric in found.metrics}
    rows = []
    for row in found.order:
        cells = []
        for metric in found.metrics:
            own = found.means[metric, 0]
            mean, low, high = (float(column[row]) for column in (own.mean, own.low, own.high))
            cell = _cell(mean, low, high, int(own.n[row]))
            cells.append(cell | {"best": mean == best[metric], "mark": marks[metric][row].strip()})
        rows.append(
            {"system": found.names[row], "baseline": found.names[row] == found.baseline, "cells": cells}
        )
    return rows


def _best(found: Comparison, metric: Metric) -> float | None:
    """The best mean, if the metric has a direction and at least two systems a value."""
    values = [value for value in found.means[metric, 0].mean.tolist() if not math.isnan(value)]
    if metric.better == "neither" or len(values) < 2:
        return None
    return max(values) if metric.better == "higher" else min(values)


def _cell(mean: float, low: float, high: float, n: int) -> dict[str, Any]:
    known = not math.isnan(low)
    return {
        "mean": None if math.isnan(mean) else mean,
        "low": low if known else None,
        "high": high if known else None,
        "n": n,
    }


def _caption(material: Material, n: int | None, rows: int) -> str:
    """How many systems on how many queries, and what the small numbers are."""
    words = material.words
    said = [] if n is None else [words("page.queries", n=n)]
    if rows > 1:
        said.insert(0, words("page.systems", n=rows))
        said.append(words("report.leaderboard.sorted", metric=str(material.primary)))
    return words("report.leaderboard.joint").join(said)


def _notes(material: Material) -> list[str]:
    """What marks mean, how intervals were made, which metric decides."""
    words, found = material.words, material.comparison
    if found is None:
        kinds = {each.method for each in material.intervals.values()}
        doubtful = any(each.is_doubtful for each in material.intervals.values())
        return [
            *_intervals(material, kinds, 95.0),
            *([words("report.leaderboard.doubtful")] if doubtful else []),
        ]
    own = [found.means[metric, 0] for metric in found.metrics]
    notes = [words("report.leaderboard.best")]
    if not all(np.isnan(each.p).all() for each in found.differences.values()):
        how = words(f"report.methods.{found.correction}")
        key = "stars" if found.baseline else "letters"
        alpha = {"alpha": f"{found.methods.alpha:g}", "how": how}
        notes.append(words(f"report.leaderboard.{key}", **alpha))
    if found.methods.primary:
        notes.append(words("report.leaderboard.exploratory", metric=found.methods.primary))
    notes += _intervals(
        material, {kind for each in own for kind in each.method if kind}, found.methods.level * 100
    )
    if any(each.is_doubtful.any() for each in own):
        notes.append(words("report.leaderboard.doubtful"))
    return notes


def _intervals(material: Material, kinds: set[str], level: float) -> list[str]:
    words = material.words
    if not kinds:
        return []
    how = ", ".join(words(f"report.methods.{kind}") for kind in sorted(kinds))
    return [words("report.leaderboard.intervals", level=f"{level:g}", how=how)]
