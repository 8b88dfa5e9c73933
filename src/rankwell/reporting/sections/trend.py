"""The section on a trend: means by date, the change since the date before, and a picture of each metric."""

from __future__ import annotations

from typing import Any

from rankwell.comparison.trend import DatedMean
from rankwell.display.table import ARROWS
from rankwell.display.text import plain_row
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.material import Material
from rankwell.reporting.plots.trend import trend
from rankwell.reporting.section import Content, report_section

OPEN = 2  # metrics whose picture and table are open


@report_section(order=25, of_trends=True)
def section(material: Material) -> Content | None:
    """Return a row per metric and date; None if the report is not of a trend."""
    found, words = material.trend, material.words
    if found is None:
        return None
    metrics: list[dict[str, Any]] = [
        {
            "metric": str(metric),
            "arrow": ARROWS[metric.better],
            "chart": f"trend_{at}",
            "rows": [_row(own) for own in points],
        }
        for at, (metric, points) in enumerate(found.points.items())
    ]
    data = {
        "metrics": metrics,
        "open": OPEN,
        "has_runs": found.has_runs,
        "interval": words("trend.interval_of", level=f"{found.level * 100:g}"),
        "notes": found.notes(words),
    }
    charts = {own["chart"]: spec_of(trend(found, metrics=own["metric"], lang=words.lang)) for own in metrics}
    return Content(data, charts)


def _row(own: DatedMean) -> dict[str, Any]:
    return plain_row(own) | {"mark": "*" if own.is_shown else ""}
