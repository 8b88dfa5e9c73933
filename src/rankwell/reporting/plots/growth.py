"""The plot of growth: time and space by the number of documents, both in logarithms."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from rankwell.display.page import Words, words_of
from rankwell.efficiency.exponents import UNITS, Growth
from rankwell.errors import UsageError, brief
from rankwell.reporting.chart.drawn import Drawn, altair, data, drawing
from rankwell.reporting.chart.lines import LINE_HEIGHT, divided, spread
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.chart.theme import finished
from rankwell.reporting.rows.growth import (
    Row,
    domain_of,
    label_of,
    lines_of,
    points_of,
    quantities_in,
    ticks_of,
)
from rankwell.tables.arguments import checked

WIDTH, HEIGHT, GAP = 300, 210, 40
COLUMNS = 2
ROOM = 150  # pixels for what is written at the end of a line


@drawing
@checked
def growth(found: Any, *, quantity: str | None = None, lang: str = "en", dark: bool = False) -> Any:
    """Draw how indexing time, memory, index size and latency grow with the number of documents, each system with its exponent.

    Both axes are logarithmic, so a·n^b is a straight line of slope b. A point is a repetition, a line the fit with the band of its
    interval; it is broken where the exponent is not constant.

    Parameters
    ----------
    found
        What ``rankwell.efficiency.growth`` returned, or the file that it was saved to.
    quantity
        One of indexing, memory, index size and latency; default: all that were measured.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If the file cannot be read, a quantity was not measured at 3 sizes, or Altair is missing.

    Examples
    --------
    A measurement takes a while, so it is kept in a file::

        rw.efficiency.growth(systems, topics, documents).save("growth.json")
        rw.plot.growth("growth.json", quantity="indexing")
    """
    alt = altair()
    grown = _grown(found)
    words = words_of(lang)
    quantities = quantities_in(grown, quantity)
    drawn = Drawn.of(grown.systems, None, grown.systems)
    panels = [_panel(grown, each, drawn, words) for each in quantities]
    chart = alt.concat(*panels, columns=COLUMNS, spacing=GAP)
    repetitions = grown.settings.get("repetitions")
    how = [words("plots.growth.how", n=repetitions), words("plots.growth.label")]
    return finished(chart, words("plots.growth.title"), how, dark=dark)


PICTURE = Picture(growth)


def _grown(found: Any) -> Growth:
    if isinstance(found, Growth):
        return found
    if not isinstance(found, (str, os.PathLike)):
        raise UsageError(f"found= is what rw.efficiency.growth returned, or its file, not {brief(found)}.")
    return Growth.load(Path(found))


def _panel(grown: Growth, quantity: str, drawn: Drawn, words: Words) -> Any:
    alt = altair()
    unit, column = UNITS[quantity][0], quantity.replace(" ", "_")
    title = f"{words(f'plots.growth.{column}')} ({unit})"
    points, fitted = points_of(grown, quantity), lines_of(grown, quantity)
    ends = domain_of(points)
    sizes = [row["documents"] for row in points]
    scale = alt.Scale(type="log", domain=[min(sizes) / 1.15, max(sizes) * 1.15], nice=False)
    axis = alt.Axis(format="~s", values=ticks_of(min(sizes), max(sizes)), grid=False)
    x = alt.X("documents:Q", title=words("plots.growth.documents"), scale=scale, axis=axis)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(type="log", domain=list(ends), nice=False)).axis(
        values=ticks_of(*ends), format="~g"
    )
    tips = [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("documents:Q", title=words("plots.growth.documents"), format=","),
        alt.Tooltip("value:Q", title=title, format=".3g"),
    ]
    is_bent = {system for (system, own), fit in grown.fits.items() if own == quantity and fit.why == "bend"}
    muted, bright = divided([{**row, "bent": row["system"] in is_bent} for row in fitted], drawn)
    colour = drawn.colour()
    layers = [
        data(bright).mark_area(style="band", clip=True).encode(x=x, y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q"), color=colour)
    ]  # fmt: skip
    if muted:
        layers.append(
            data(muted)
            .mark_line(style="faint", strokeWidth=1)
            .encode(x=x, y=y, detail=alt.Detail("system:N"))
        )
    dash = alt.condition("datum.bent", alt.value([4, 3]), alt.value([1, 0]))
    line = data(bright).mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=colour, strokeDash=dash)
    rows = divided(points, drawn)[1]
    dots = (
        data(rows).mark_point(filled=True, size=22, opacity=0.6).encode(x=x, y=y, color=colour, tooltip=tips)
    )
    layers += [line, dots, _labels(grown, quantity, drawn, fitted, ends)]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _labels(grown: Growth, quantity: str, drawn: Drawn, fitted: list[Row], ends: tuple[float, float]) -> Any:
    """The names and exponents of the systems in colour, at the ends of their lines and clear of each other."""
    alt = altair()
    last = {row["system"]: row["value"] for row in fitted}
    known = [name for name in drawn.bright if name in last]
    low, high = (math.log10(each) for each in ends)
    # two lines each
    least = (high - low) * 2.2 * LINE_HEIGHT / HEIGHT
    places = spread([math.log10(last[name]) for name in known], least, low + least / 2, high - least / 2)
    rows = [
        {
            "system": drawn.names[name],
            "at": 10**at,
            "label": f"{drawn.names[name]}\n{label_of(grown, name, quantity)}",
        }
        for name, at in zip(known, places, strict=True)
    ]
    text = data(rows).mark_text(
        align="left", baseline="middle", dx=9, fontSize=11, lineBreak="\n", limit=ROOM
    )
    return text.encode(x=alt.XValue(WIDTH), y=alt.Y("at:Q"), text=alt.Text("label:N"), color=drawn.colour())
