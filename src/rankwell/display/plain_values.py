"""Plain values of Python, as JSON can hold them."""

from __future__ import annotations

import math
from typing import Any


def plain_value(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN as None, infinity as text."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def whole(number: float) -> str:
    """Return the shortest text that is this number, as people write one that they choose.

    >>> whole(1.0), whole(0.05), whole(0.66666666)
    ('1', '0.05', '0.66666666')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def beside(value: float, limit: float) -> str:
    """Return a value with at least four digits, and as many as it needs to lie on its own side of a limit.

    >>> beside(2 / 3, 0.5), beside(2 / 3, 0.6667), beside(0.29996, 0.3)
    ('0.6667', '0.66667', '0.29996')
    """
    for digits in range(4, 17):
        text = f"{value:.{digits}g}"
        if (float(text) > limit, float(text) < limit) == (value > limit, value < limit):
            return text
    return f"{value:.4g}" if math.isnan(value) else repr(float(value))
