"""Axes: the order of systems, the ends of a scale, and the height of a row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized

FEW = 12  # rows that have room


def best_first(names: Iterable[str], values: Mapping[str, float], better: str = "higher") -> list[str]:
    """Return names by their values, the best first; without a value last, equal ones in the order given."""
    sign = -1.0 if better == "higher" else 1.0

    def place(name: str) -> tuple[bool, float]:
        value = values.get(name, math.nan)
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value

    return sorted(names, key=place)


def span(values: Sequence[float], air: float = 0.06) -> list[float]:
    """Return the ends of an axis on which values have some air, also if all are equal."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    wide = (high - low) * air or max(abs(high), 1.0) * air
    return [low - wide, high + wide]


def step_of(rows: Sized) -> int:
    """Return the height of a row in a picture with so many."""
    return 24 if len(rows) <= FEW else 14
