"""How many cases a test tries: of many alike a part, the others in other runs, and all with RANKWELL_CASES=all."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterable
from typing import TypeVar

FEWER = 1 if os.environ.get("RANKWELL_CASES") == "all" else 10
Case = TypeVar("Case")


def seeds(n: int) -> range:
    """Return the first tenth of n seeds, or all of them."""
    return range(max(n // FEWER, 1))


def drawn(cases: Iterable[Case], what: object, share: int = 25) -> list[Case]:
    """Return one of 25 cases, or of ``share``, which RANKWELL_SEED and ``what`` decide; all with RANKWELL_CASES=all."""
    cases = list(cases)
    share = 1 if FEWER == 1 else share
    return random.Random(f"{os.environ['RANKWELL_SEED']} {what}").sample(cases, math.ceil(len(cases) / share))
