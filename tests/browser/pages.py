"""Small pages made as the report makes its own: figures for charts.js and tables for tables.js."""

from __future__ import annotations

from importlib.resources import files

from rankwell.display.page import data_block, page, words_of
from rankwell.reporting.chart.theme import config
from rankwell.reporting.page import vega

STATIC = files("rankwell.reporting") / "static"


def static(name):
    return (STATIC / name).read_text(encoding="utf-8")


def page_with(body, charts=None, *, title="Page", lang="en", top=""):
    """A page with tables, and charts by name."""
    blocks = [data_block("texts", words_of(lang).of("page.script"))]
    scripts = [static("tables.js")]
    if charts:
        blocks += [
            data_block("charts", charts),
            data_block("themes", {"light": config(), "dark": config(dark=True)}),
        ]
        scripts += [vega(), static("charts.js")]
    styles = [static("charts.css"), static("tables.css")]
    return page(title, "\n".join([body, *blocks]), top=top, lang=lang, styles=styles, scripts=scripts)


def figures(charts):
    """The figures of charts, one below the other."""
    return "\n".join(
        f'<figure class="chart" data-chart="{name}" role="img" aria-label="{name}"></figure>'
        for name in charts
    )


def bars(values, **more):
    """A chart of named values."""
    return {
        "title": {"text": "Values by name", "subtitle": ["of a few names"]},
        "data": {"values": [{"name": name, "value": value} for name, value in values.items()]},
        "mark": "bar",
        "width": 500,
        "encoding": {
            "y": {"field": "name", "type": "nominal"},
            "x": {"field": "value", "type": "quantitative"},
            "tooltip": [{"field": "name", "type": "nominal"}, {"field": "value", "type": "quantitative"}],
        },
        **more,
    }
