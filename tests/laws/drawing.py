"""Which cases of the laws are tried: all with RANKWELL_CI=1, else a tenth, another one in each run of the tests."""

from __future__ import annotations

import math
import os
import random

ALL = range(25)  # the cases that check_metric tries by default


def drawn(cases, what):
    """Return all cases, or a tenth of them (at least one) that RANKWELL_SEED and ``what`` decide."""
    cases = list(cases)
    if os.environ.get("RANKWELL_CI") == "1":
        return cases
    return random.Random(f"{os.environ['RANKWELL_SEED']} {what}").sample(cases, math.ceil(len(cases) / 10))
