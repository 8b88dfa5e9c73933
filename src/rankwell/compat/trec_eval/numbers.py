"""Numbers as C reads them."""

from __future__ import annotations

import re

INTEGER, NUMBER = r"\s*[+-]?\d+", r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"


def whole(text: str) -> int:
    """Read a number as C's atol does: the digits at the beginning, 0 without any."""
    found = re.match(INTEGER, text)
    return int(found.group()) if found else 0


def real(text: str) -> float:
    """Read a number as C's atof does, but for words such as nan."""
    found = re.match(NUMBER, text)
    return float(found.group()) if found else 0.0
