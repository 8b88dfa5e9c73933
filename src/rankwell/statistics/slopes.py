"""The slope of a line through the origin where both coordinates have errors."""

from __future__ import annotations

import math

import numpy as np

GRID = 256  # directions of a half turn that are tried at each scale
HALVINGS = 60
VERTICAL = 1e9  # times the largest y over the largest x: a steeper line is vertical


def slope_with_errors(x: np.ndarray, y: np.ndarray, se_x: np.ndarray, se_y: np.ndarray) -> float:
    """Return the slope β of a line through the origin that minimises Σ (y − βx)²/(se_y² + β²·se_x²); NaN if the best line is vertical.

    All standard errors are above 0. The global minimum: the line β = d/c is a direction (c, d), of which vertical is one like any other. A term
    varies as a sine of the angle when x and y are scaled by its own errors, so directions are tried at the scale of each, and the sign
    of the derivative tells the minima between them.

    Source: D. York, Least-squares fitting of a straight line, Canadian Journal of Physics 44, 1966, without an intercept.

    Examples
    --------
    >>> x, y, se = np.array([1.0, 2.0]), np.array([2.0, 5.0]), np.array([0.1, 0.1])
    >>> round(slope_with_errors(x, y, se, se), 4), round(slope_with_errors(x, y, se * 1e-6, se), 4)
    (2.4142, 2.4)
    """
    a, b = float(np.abs(x).max(initial=0)), float(np.abs(y).max(initial=0))
    if not a or not b:  # a line along an axis
        return 0.0 if a else math.nan
    x, y, se_x, se_y = x / a, y / b, se_x / a, se_y / b

    def terms(angle: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """The sum that is minimised and its derivative by the angle."""
        c, d = np.cos(angle)[:, None], scale * np.sin(angle)[:, None]
        to_c, to_d = -d / scale, scale * c
        size = np.hypot(c * se_y, d * se_x)
        off, turned = (c * y - d * x) / size, (to_c * y - to_d * x) / size
        longer = (c * se_y / size) * (to_c * se_y / size) + (d * se_x / size) * (to_d * se_x / size)
        return (off * off).sum(axis=1), (off * (turned - off * longer)).sum(axis=1)

    angles = np.linspace(-math.pi / 2, math.pi / 2, GRID + 1)
    # vertical, where the directions begin and end: a minimum there is between no two of them
    best = float(terms(angles[:1], 1.0)[0][0]), math.inf
    # scales within a factor of 2 see the same; 1 is that of the points
    for scale in np.exp2([*{0.0, *np.rint(np.log2(se_y / se_x)).tolist()}]).tolist():
        turns = terms(angles, scale)[1]
        at = np.flatnonzero((turns[:-1] < 0) & (turns[1:] >= 0))
        low, high = angles[at], angles[at + 1]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            is_low = terms(middle, scale)[1] < 0
            low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
        for value, angle in zip(terms(high, scale)[0].tolist(), high.tolist(), strict=True):
            best = min(best, (value, scale * math.tan(angle)))
    return best[1] * b / a if abs(best[1]) < VERTICAL else math.nan
