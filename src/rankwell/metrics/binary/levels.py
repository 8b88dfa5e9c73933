"""Levels of recall, and how many hits reach them."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

Levels = Literal["exact", "trec9", "trec10"]
LARGEST = 2**63


def needed_hits(level: float, relevant: np.ndarray, levels: str) -> np.ndarray:
    """Return how many hits reach a recall level: exact in whole numbers, or rounded as trec_eval 9 and 10 do."""
    if levels == "trec9":
        return (level * relevant + 0.9).astype(np.int64)
    if levels == "trec10":
        return np.floor(level * relevant + 0.5).astype(np.int64)
    if level == 1:
        return relevant
    from fractions import Fraction

    # of the decimal that was written, 0.3, not of its double, which is less: ⌈0.3 · 10⌉ is 3
    exact = Fraction(repr(level))
    if max(exact.numerator * int(relevant.max(initial=0)), exact.denominator) < LARGEST:
        return -((-exact.numerator * relevant) // exact.denominator)  # the ceiling, in whole numbers
    # a level of 17 digits times many hits is beyond 64 bits
    return np.array([math.ceil(exact * each) for each in relevant.tolist()], np.int64)
