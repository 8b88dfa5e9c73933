"""The picture of growth: time and space by the number of documents, both in logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.efficiency.grow import UNITS, Growth
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.systems import LINE_HEIGHT, SystemColours, divide, spread
from rankwell.tables.arguments import checked

Row = dict[str, Any]
STEPS = 25  # points of a line, whose band is curved
WIDTH, HEIGHT, GAP = 300, 210, 40
COLUMNS = 2
ROOM = 150  # pixels for what is written at the end of a line


@drawing
@checked
def growth(found: Any, *, quantity: str | None = None, lang: str = "en", dark: bool = False) -> Any:
    """Draw how costs grow with the number of documents: indexing time, memory, index size and latency, each with its exponent.

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
    grown = Growth.read(found, "found= is what rw.efficiency.growth returned, or its file")
    words = words_of(lang)
    quantities = quantities_in(grown, quantity)
    drawn = SystemColours.of(grown.systems, None, grown.systems)
    panels = [_panel(grown, each, drawn, words) for each in quantities]
    chart = alt.concat(*panels, columns=COLUMNS, spacing=GAP)
    repetitions = grown.settings.get("repetitions")
    how = [words("plots.growth.how", n=repetitions), words("plots.growth.label")]
    return finish(chart, words("plots.growth.title"), how, dark=dark)


PICTURE = Picture(growth)


def _panel(grown: Growth, quantity: str, drawn: SystemColours, words: PageStrings) -> Any:
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
    muted, bright = divide([{**row, "bent": row["system"] in is_bent} for row in fitted], drawn)
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
    rows = divide(points, drawn)[1]
    dots = (
        data(rows).mark_point(filled=True, size=22, opacity=0.6).encode(x=x, y=y, color=colour, tooltip=tips)
    )
    layers += [line, dots, _labels(grown, quantity, drawn, fitted, ends)]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _labels(
    grown: Growth, quantity: str, drawn: SystemColours, fitted: list[Row], ends: tuple[float, float]
) -> Any:
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


def quantities_in(found: Growth, quantity: str | None) -> list[str]:
    """Return the quantities to draw.

    Raises
    ------
    UsageError
        For one that was not measured, or if none was at 3 sizes.
    """
    known = [each for each in found.quantities if any(own == each for _, own in found.fits)]
    if quantity is not None and quantity not in known:
        shown = one_of(known) if known else "none"
        raise UsageError(
            f"quantity={brief(quantity)}: what was measured at 3 sizes or more is {shown}.{nearest(quantity, known)}"
        )
    if not known:
        raise UsageError(
            "nothing was measured with 3 numbers of documents or more, so there is no growth to draw."
        )
    return known if quantity is None else [quantity]


def points_of(found: Growth, quantity: str) -> list[Row]:
    """Return a row per repetition, with its value in the unit of the quantity."""
    times = UNITS[quantity][1]
    return [
        {"system": system, "documents": size, "value": float(value) * times}
        for system in found.systems
        for size, values in found.values(system, quantity).items()
        for value in values
    ]


def lines_of(found: Growth, quantity: str) -> list[Row]:
    """Return the points of the fitted lines with the bounds of their bands."""
    times, rows = UNITS[quantity][1], []
    for system in found.systems:
        fit = found.fits.get((system, quantity))
        if fit is None:
            continue
        sizes = np.geomspace(fit.sizes[0], fit.sizes[-1], STEPS)
        for size, (value, low, high) in zip(sizes.tolist(), (fit.line(sizes) * times).tolist(), strict=True):
            rows.append({"system": system, "documents": size, "value": value, "low": low, "high": high})
    return rows


def label_of(found: Growth, system: str, quantity: str) -> str:
    """Return the exponent with its interval, and the law if one is shown.

    An exponent that is not constant is given at the smallest and at the largest size.
    """
    fit = found.fits[system, quantity]
    if fit.why == "bend":
        return " → ".join(f"{each:z.2f}" for each in fit.ends)
    value, low, high = (f"{each:z.2f}" for each in (fit.exponent, fit.low, fit.high))
    return f"{value} ({low} – {high}){f' · {fit.law}' if fit.law else ''}"


def domain_of(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis: the values with some air, and at least a decade."""
    logs = [math.log10(row["value"]) for row in rows]
    low, high = min(logs), max(logs)
    air = max((high - low) * 0.06, (1 - (high - low)) / 2)
    return 10 ** (low - air), 10 ** (high + air)


def ticks_of(low: float, high: float) -> list[float]:
    """Return the powers of ten between two ends; also their doubles and fives if they are fewer than three.

    >>> ticks_of(0.5, 200), ticks_of(0.5, 5)
    ([1.0, 10.0, 100.0], [0.5, 1.0, 2.0, 5.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [[float(f"{part}e{power}") for power in powers for part in parts] for parts in ((1,), (1, 2, 5))]
    few, many = ([each for each in ticks if low <= each <= high] for ticks in found)
    return few if len(few) >= 3 else many
