"""The section on segments: each metric in each segment of the queries."""

from __future__ import annotations

from typing import Any

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.text import plain_value
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.chart.inputs import primary_of
from rankwell.reporting.chart.texts import shown_interval
from rankwell.reporting.material import Material
from rankwell.reporting.plots.differences import top_pair
from rankwell.reporting.plots.segments import Segmented, in_comparison, in_results, segments
from rankwell.reporting.section import Content, report_section

MOST_METRICS = 12


@report_section(order=50)
def section(material: Material) -> Content | None:
    """Return the means of each segment with their intervals; None if nothing divides the queries."""
    comparison = material.comparison
    has_segments = (
        comparison.by
        if comparison is not None
        else all(res.has_segments for res in material.results.values())
    )
    if not has_segments:
        return None
    main = material.metrics[0] if comparison is None else primary_of(comparison)
    metrics = sorted(
        material.metrics if comparison is None else comparison.metrics, key=lambda metric: metric != main
    )
    # a chart and a table per metric make a long page, so only the first dozen
    tables, charts = [], {}
    for at, metric in enumerate(metrics[:MOST_METRICS]):
        name = f"segments_{at}"
        own = (
            in_results(material.results, metric) if comparison is None else in_comparison(comparison, metric)
        )
        tables.append(_table(own, metric, name, material) | _varies(comparison, metric))
        source = material.results if comparison is None else comparison
        charts[name] = spec_of(segments(source, metric, lang=material.words.lang))
    data = {
        "by": list(own.by),
        "tables": tables,
        "more": len(metrics) - len(tables),
        "has_intervals": any(
            cell["low"] is not None for table in tables for row in table["rows"] for cell in row["cells"]
        ),
    }
    return Content(data, charts)


def _table(segmented: Segmented, metric: Metric, chart: str, material: Material) -> dict[str, Any]:
    rows = []
    for labels in segmented.drawn:
        own = [segmented.means[system, labels] for system in segmented.systems]
        ends = [shown_interval(row.low, row.high, metric) for row in own]
        cells = [
            {"mean": plain_value(row.mean), "low": low, "high": high, "n": row.n}
            for row, (low, high) in zip(own, ends, strict=True)
        ]
        n = sorted({row.n for row in own})
        label = ", ".join(labels) if labels else material.words("page.all_queries")
        rows.append({"segment": label, "is_all": not labels, "n": n[-1], "least": n[0], "cells": cells})
    return {
        "metric": str(metric),
        "better": metric.better,
        "systems": segmented.systems,
        "all_systems": len(segmented.order),
        "segments": len(segmented.labels) - 1,
        "chart": chart,
        "rows": rows,
    }


def _varies(comparison: Comparison | None, metric: Metric) -> dict[str, Any]:
    """Whether the difference of the best two (or of the best and the baseline) is the same in all segments."""
    if comparison is None or metric not in comparison.heterogeneity:
        return {"first": "", "second": "", "p": None}
    first, second = top_pair(comparison)
    pair = {comparison.names.index(first), comparison.names.index(second)}
    at = [set(systems) for systems in comparison.pairs.T.tolist()].index(pair)
    return {"first": first, "second": second, "p": plain_value(float(comparison.heterogeneity[metric][at]))}
