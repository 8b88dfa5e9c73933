"""Which cases of the laws are tried: one of 25, another one in each run of the tests."""

from __future__ import annotations

import math
import os
import random

from tests.cases import FEWER

ALL = range(25)  # the cases that check_metric tries by default


def drawn(cases, what, share=25):
    """Return one of 25 cases, or of ``share``, which RANKWELL_SEED and ``what`` decide; all with RANKWELL_CASES=all."""
    cases = list(cases)
    share = 1 if FEWER == 1 else share
    return random.Random(f"{os.environ['RANKWELL_SEED']} {what}").sample(cases, math.ceil(len(cases) / share))


def named(metrics):
    """Return the name of a test of several metrics: the first of them, and how many others there are."""
    first, *others = metrics
    return f"{first} and {len(others)} more" if others else str(first)
