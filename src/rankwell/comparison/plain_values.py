"""Plain values of Python, as JSON can hold them."""

from __future__ import annotations

import math
from typing import Any


def plain_value(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN as None, infinity as text."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"
