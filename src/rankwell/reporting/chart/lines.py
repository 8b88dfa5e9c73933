"""Lines by system: those in colour above the muted others, their names at the ends, and the axes that they need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.reporting.chart.drawn import Drawn, altair, data

Row = Mapping[str, Any]
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
LINE_HEIGHT = 14  # pixels between two names at the ends of lines


def lines(
    rows: Sequence[Row], drawn: Drawn, x: Any, y: Any, tooltip: Sequence[Any], *, legend: str | None = None
) -> list[Any]:
    """Return the layers of one line per system; a row has ``system`` and the fields of the channels."""
    alt = altair()
    muted, bright = divided(rows, drawn)
    layers = []
    if muted:
        layers.append(
            data(muted)
            .mark_line(style="faint", strokeWidth=1)
            .encode(x=x, y=y, detail=alt.Detail("system:N"), tooltip=alt.Tooltip("system:N"))
        )
    colour, base = drawn.colour(legend), data(bright)
    layers.append(base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour))
    points = base.mark_point(filled=True, size=36, opacity=1)
    return [*layers, points.encode(x=x, y=y, color=colour, tooltip=list(tooltip))]


def divided(rows: Iterable[Row], drawn: Drawn) -> tuple[list[Row], list[Row]]:
    """Return the rows of the muted systems and of those in colour, with the names that are drawn."""
    muted: list[Row] = []
    bright: list[Row] = []
    for row in rows:
        (bright if row["system"] in drawn.bright else muted).append(
            {**row, "system": drawn.names[row["system"]]}
        )
    return muted, bright


def names_at_ends(
    ends: Mapping[str, float], drawn: Drawn, x: Any, domain: tuple[float, float], height: int
) -> Any:
    """Return the names of the systems in colour, beside the ends of their lines and clear of each other."""
    alt = altair()
    known = [name for name in drawn.bright if not math.isnan(ends[name])]
    least = (domain[1] - domain[0]) * LINE_HEIGHT / height
    places = spread([ends[name] for name in known], least, *domain)
    rows = [{"system": drawn.names[name], "at": at} for name, at in zip(known, places, strict=True)]
    return (
        data(rows)
        .mark_text(align="left", dx=9, fontSize=12)
        .encode(
            x=x,
            y=alt.Y("at:Q"),
            text=alt.Text("system:N"),
            color=drawn.colour(),
        )
    )


def spread(wanted: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Return places near those wanted that are at least ``least`` apart, in the same order, within the limits if they fit.

    >>> spread([0.5, 0.5, 0.0], 0.1, 0.0, 1.0)
    [0.45, 0.55, 0.0]
    """
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    blocks: list[list[float]] = []  # the sum and the number of places, moved down by ``least`` each
    for nth, at in enumerate(order):
        blocks.append([wanted[at] - nth * least, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    highest = high - (len(wanted) - 1) * least
    moved = [
        min(max(total / count, low), max(highest, low)) for total, count in blocks for _ in range(int(count))
    ]
    places = [0.0] * len(wanted)
    for nth, at in enumerate(order):
        places[at] = round(moved[nth] + nth * least, 12)
    return places


def domain_of(
    values: Iterable[float], limits: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[float, float]:
    """Return an axis for values: from 0 unless they are far from it, with ends on round numbers and within the limits.

    >>> domain_of([0.12, 0.58]), domain_of([0.52, 0.58]), domain_of([1.0], (0.0, 1.0))
    ((0.0, 0.6), (0.52, 0.58), (0.9, 1.0))
    """
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if 0 <= low < 0.4 * high:
        low = 0.0
    if high < 0 and high > 0.4 * low:
        high = 0.0
    if high == low:
        room = (abs(low) or 1.0) / 10
        low, high = max(low - room, limits[0]), min(high + room, limits[1])
    size = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(size * each for each in STEPS if size * each * 5 >= high - low)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return round(max(low, limits[0]), 12), round(min(high, limits[1]), 12)
