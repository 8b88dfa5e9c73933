"""The section ``unjudged``: the lowest and highest means that judging could lead to, and which orders it could turn."""

from __future__ import annotations

import math
from typing import Any

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.text import plain_value
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.chart.texts import brief_name
from rankwell.reporting.material import Material
from rankwell.reporting.plots.bounds import bounds, metrics_with_bounds
from rankwell.reporting.section import Content, report_section
from rankwell.results.bounds import Bounding

MOST = 30  # pairs of a metric that are shown, those that judging could turn before the others


@report_section(order=40)
def section(material: Material) -> Content | None:
    """Return the bounds of means and of differences; None if none were asked for."""
    comparison, words = material.comparison, material.words
    results = {name: res for name, res in material.results.items() if res.bounding is not None}
    is_compared = comparison is not None and comparison.bounding is not None
    resting = comparison.bounding if comparison is not None and is_compared else None
    resting = resting or next((res.bounding for res in results.values()), None)
    if resting is None:
        return None
    means = [_means(material, metric) for metric in material.metrics] if results else []
    pairs = (
        []
        if comparison is None or not is_compared
        else [_pairs(comparison, metric) for metric in comparison.metrics]
    )
    data = {
        "sentence": _sentence(material, pairs),
        "rests": _rests(material, resting),
        "means": [table for table in means if table["rows"]],
        "pairs": [table for table in pairs if table["rows"]],
        "outer": [table["metric"] for table in [*means, *pairs] if table["is_outer"]],
        "without": [table["metric"] for table in means or pairs if not table["rows"]],
    }
    charts = {}
    if data["means"] and len(results) == len(material.results):
        shown = metrics_with_bounds(results, material.metrics)
        charts["bounds"] = spec_of(bounds(results, metrics=shown, lang=words.lang))
    return Content(data, charts)


def _means(material: Material, metric: Metric) -> dict[str, Any]:
    """A row per system with the ends of its mean; no row for a metric without bounds."""
    rows = []
    is_outer = False
    for name, res in material.results.items():
        own = None if res.bounding is None else res.bounds[str(metric)]
        if own is None or own.kind == "none":
            continue
        is_outer |= own.kind == "outer"
        mean = {"low": own.low, "value": plain_value(res.plain_mean[str(metric)]), "high": own.high}
        rows.append({"system": name, **mean, "n_max": own.n_max})
    return {"metric": str(metric), "rows": rows, "is_outer": is_outer}


def _pairs(comparison: Comparison, metric: Metric) -> dict[str, Any]:
    """A row per pair: in how many queries the judgements decide, and the ends of the mean difference."""
    own = comparison.decided[metric]
    settled = own.is_settled()
    rows = []
    for place, (left, right) in enumerate(comparison.pairs.T.tolist()):
        if own.kind[place] == "none":
            continue
        counts = {
            name: int(getattr(own, name)[place]) for name in ("n", "first", "second", "equal", "undecided")
        }
        low, high = (float(end[place]) for end in (own.low, own.high))
        ends = {"low": None if math.isnan(low) else low, "high": None if math.isnan(high) else high}
        names = {"left": comparison.names[left], "right": comparison.names[right]}
        rows.append({**names, **counts, **ends, "is_settled": bool(settled[place])})
    # what judging could still turn comes first
    rows.sort(key=lambda row: row["is_settled"])
    n_open = sum(not row["is_settled"] for row in rows)
    is_outer = bool((own.kind == "outer").any() or (own.mean_kind == "outer").any())
    return {
        "metric": str(metric),
        "rows": rows[:MOST],
        "more": max(len(rows) - MOST, 0),
        "open": n_open,
        "is_outer": is_outer,
    }


def _sentence(material: Material, pairs: list[dict[str, Any]]) -> str:
    """What judging could still turn, under the metric that decides."""
    words = material.words
    shown = [table for table in pairs if table["rows"]]
    own = next(
        (table for table in shown if table["metric"] == str(material.primary)), next(iter(shown), None)
    )
    if own is None:
        return words("report.unjudged.means_only")
    rows, metric = own["rows"], own["metric"]
    if len(rows) == 1:
        (row,) = rows
        names = {side: brief_name(row[side]) for side in ("left", "right")}
        counts = {name: row[name] for name in ("first", "second", "undecided")}
        return words("report.unjudged.one", metric=metric, **names, **counts)
    return words("report.unjudged.many", metric=metric, n=len(rows) + own["more"], open=own["open"])


def _rests(material: Material, resting: Bounding) -> str:
    """The grades that an unjudged item could get, and the stated pool; a page without ids does not name its files."""
    words = material.words
    grades = ", ".join(f"{grade:g}" for grade in resting.grades)
    said = words(f"report.unjudged.{'given' if resting.is_given else 'judged'}", grades=grades)
    if not resting.pool:
        return f"{said} {words('report.unjudged.no_pool')}"
    pool = words("report.unjudged.hidden") if material.redaction else resting.pool
    return f"{said} {words('report.unjudged.pool', pool=pool)}"
