"""How many random cases a test tries: a fifth of them, the same ones each time, and all with RANKWELL_CASES=all."""

from __future__ import annotations

import os

FEWER = 1 if os.environ.get("RANKWELL_CASES") == "all" else 5


def seeds(n: int) -> range:
    """Return the first fifth of n seeds, or all of them."""
    return range(max(n // FEWER, 1))
