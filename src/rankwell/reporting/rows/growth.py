"""Rows of the picture of growth: repetitions, fitted lines with their bands, and what is written at their ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwell.efficiency.exponents import UNITS, Growth
from rankwell.errors import UsageError, brief, nearest, one_of

Row = dict[str, Any]
STEPS = 25  # points of a line, whose band is curved


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
