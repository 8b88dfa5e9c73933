"""Numbers parsed as C does."""

from __future__ import annotations

import re

INTEGER, NUMBER = r"\s*[+-]?\d+", r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"


def whole(text: str) -> int:
    """Parse a number as C's atol does: the leading digits, 0 if there are none."""
    found = re.match(INTEGER, text)
    return int(found.group()) if found else 0


def real(text: str) -> float:
    """Parse a number as C's atof does, except words such as nan."""
    found = re.match(NUMBER, text)
    return float(found.group()) if found else 0.0
