"""Precision and recall of lists, as plain rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.errors import UsageError
from rankwell.results.curves import Curve

ELEVEN = tuple(tenth / 10 for tenth in range(11))


def levels_of(levels: int | Sequence[float]) -> tuple[float, ...]:
    """Return the levels of recall: so many evenly spaced ones from 0 to 1, or those given.

    >>> levels_of(3), levels_of([0.5])
    ((0.0, 0.5, 1.0), (0.5,))
    """
    if not isinstance(levels, int):
        return tuple(levels)
    if isinstance(levels, bool) or levels < 2:
        raise UsageError(f"levels={levels}: must be at least 2, such as 11, or a list of levels from 0 to 1.")
    return tuple(level / (levels - 1) for level in range(levels))


def staircase(curve: Curve) -> list[tuple[float, float]]:
    """Return the corners (recall, precision) of the interpolated curve of one query, to be joined by steps to the left.

    >>> from rankwell.results.curves import curve_of_one
    >>> staircase(curve_of_one([1, 4], 3, 5, (0.0, 1.0), "q"))
    [(0.0, 1.0), (0.3333333333333333, 1.0), (0.6666666666666666, 0.5), (1.0, 0.0)]
    """
    best, corners = 0.0, list[tuple[float, float]]()
    for _, recall, precision in reversed(curve.points):
        best = max(best, precision)
        if corners and recall == corners[-1][0]:
            corners.pop()
        if recall > 0:
            corners.append((recall, best))
    found = corners[::-1]
    first = found[0][1] if found else 0.0
    last = [(1.0, 0.0)] if not found or found[-1][0] < 1 else []
    return [(0.0, first), *found, *last]


def sawtooth(curve: Curve) -> list[tuple[int, float, float]]:
    """Return the points (rank, recall, precision) at which the raw curve turns: each hit, and the rank before it.

    >>> from rankwell.results.curves import curve_of_one
    >>> [rank for rank, _, _ in sawtooth(curve_of_one([1, 5], 2, 9, (0.0, 1.0), "q"))]
    [1, 4, 5, 9]
    """
    points = curve.points
    return [
        point
        for at, point in enumerate(points)
        if at in (0, len(points) - 1) or point[1] > points[at - 1][1] or points[at + 1][1] > point[1]
    ]


def rows_of(curves: Mapping[str, Curve]) -> dict[str, list[dict[str, Any]]]:
    """Return plain rows: the interpolated ``curve``, the ``raw`` points of one query, and a ``summary`` per system."""
    found: dict[str, list[dict[str, Any]]] = {"curve": [], "raw": [], "summary": []}
    for name, curve in curves.items():
        steps = (
            staircase(curve) if curve.query is not None else zip(curve.levels, curve.precision, strict=True)
        )
        found["curve"] += [{"system": name, "recall": r, "precision": p} for r, p in steps]
        found["raw"] += [
            {"system": name, "rank": k, "recall": r, "precision": p} for k, r, p in sawtooth(curve)
        ]
        even = curve.break_even
        mean = math.fsum(curve.precision) / len(curve.precision)
        found["summary"].append(
            {"system": name, "break_even": None if math.isnan(even) else even, "mean": mean, "n": curve.n}
        )
    return found
