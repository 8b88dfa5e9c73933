"""The section on trade-offs: which systems are good at what, and which metrics say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.display.text import plain_value
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.chart.inputs import primary_of, with_values
from rankwell.reporting.material import Material
from rankwell.reporting.plots.correlation import correlation, correlations
from rankwell.reporting.plots.scatter import front_of, scatter, systems_of
from rankwell.reporting.section import Content, report_section

MOST_PICTURES, OPEN, MOST_METRICS, FEWEST = 6, 2, 12, 3


@report_section(order=70)
def section(material: Material) -> Content | None:
    """Return systems by two metrics, and the correlation of metrics; None for one system with fewer than three metrics."""
    pictures = [_picture(material, x, y, at) for at, (x, y) in enumerate(_axes(material))]
    charts: dict[str, Mapping[str, Any]] = {}
    for picture in pictures:
        source = material.results if material.comparison is None else material.comparison
        charts[picture["chart"]] = spec_of(
            scatter(source, x=picture["x"], y=picture["y"], lang=material.words.lang)
        )
    found = _correlation(material)
    if found:
        chart = correlation(material.results, found["metrics"], lang=material.words.lang)
        charts["correlation"] = spec_of(chart)
    if not charts:
        return None
    data = {"pictures": pictures, "open": OPEN, "correlation": found}
    return Content(data, charts)


def _axes(material: Material) -> list[tuple[Metric, Metric]]:
    """The primary metric across; up, each one that needs no judgements (coverage, novelty, diversity), or the next metric."""
    comparison = material.comparison
    if comparison is None or len(comparison.metrics) < 2:
        return []
    judged = [metric for metric in comparison.metrics if metric.judgements]
    beyond = [metric for metric in comparison.metrics if not metric.judgements]
    first = primary_of(comparison)
    # quality against coverage, novelty or diversity is the trade-off that people look for
    if beyond and judged:
        across = first if first in judged else judged[0]
        axes = [(across, metric) for metric in beyond]
    else:
        axes = [(first, next(metric for metric in comparison.metrics if metric != first))]
    return [(x, y) for x, y in axes if len(systems_of(comparison, x, y).values) > 1][:MOST_PICTURES]


def _picture(material: Material, x: Metric, y: Metric, at: int) -> dict[str, Any]:
    assert material.comparison is not None
    points, words = systems_of(material.comparison, x, y), material.words
    front = front_of(points.values, x, y)
    if not front:
        said = ""
    elif len(set(points.values.values())) == 1:
        said = words("report.tradeoffs.all_same", x=str(x), y=str(y))
    elif len(front) == len(points.values):
        said = words("report.tradeoffs.all_front", x=str(x), y=str(y))
    else:
        said = words(
            "report.tradeoffs.one_front" if len(front) == 1 else "report.tradeoffs.front", x=str(x), y=str(y)
        )
    return {
        "chart": f"scatter_{at}",
        "x": str(x),
        "y": str(y),
        "systems": [{"system": name, "x": pair[0], "y": pair[1]} for name, pair in points.values.items()],
        "front": front if len(front) < len(points.values) else [],
        "sentence": said,
    }


def _correlation(material: Material) -> dict[str, Any]:
    """The correlations of the metrics with values per query; nothing if there are fewer than three, or none has a value."""
    able = with_values(material.results)
    if len(able) < FEWEST:
        return {}
    coefficients = correlations(material.results, able[:MOST_METRICS])
    values = [[plain_value(value) for value in row] for row in coefficients.values.tolist()]
    if all(value is None for row in values for value in row):
        return {}
    return {
        "metrics": [str(metric) for metric in coefficients.metrics],
        "values": values,
        "systems": coefficients.systems,
        "units": coefficients.units,
        "total": coefficients.total,
    }
