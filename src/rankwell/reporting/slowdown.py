"""The clause on cost in the answer: by which factor one of its two systems takes longer, said only where it is certain."""

from __future__ import annotations

import math

from rankwell.comparison.costing import CostEstimates
from rankwell.display.page import Words
from rankwell.reporting.answer import Said, brief_name

CLOSE = 1.1  # ratios below this are said with a digit more


def slowdown_of(found: CostEstimates, first: str | None, second: str | None) -> Said | None:
    """Return the sentence about the latencies of two systems, or None where it would not be certain.

    It is certain where both intervals, for other queries and for another measurement, leave out 1 on the same side, all calls of both systems
    were answered by one process, and no queue grew without end. The bounds are those that hold for both.
    """
    pairs = [each for each in found.ratios if {each.first, each.second} == {first, second}]
    if len(pairs) != 1:
        return None
    (pair,) = pairs
    if not (found.conditions.are_sound(pair.first) and found.conditions.are_sound(pair.second)):
        return None
    low, high = min(pair.low, pair.low_turns), max(pair.high, pair.high_turns)
    if (
        not all(map(math.isfinite, (pair.low, pair.low_turns, pair.high, pair.high_turns)))
        or low <= 1 <= high
    ):
        return None
    slow, fast, ratio = pair.first, pair.second, pair.ratio
    if ratio < 1:
        slow, fast, ratio, low, high = fast, slow, 1 / ratio, 1 / high, 1 / low
    digits = 3 if low < CLOSE else 2 if ratio < 10 else 1
    step = 10.0**digits
    fields = {
        "first": brief_name(slow),
        "second": brief_name(fast),
        "ratio": f"{ratio:.{digits}f}",
        "low": f"{math.floor(low * step) / step:.{digits}f}",
        "high": f"{math.ceil(high * step) / step:.{digits}f}",
    }
    return Said("takes", fields, slow, fast, {"ratio": ratio, "low": low, "high": high})


def slowdown_text(said: Said, words: Words) -> str:
    """Return the sentence in a language."""
    return words("report.costs.takes", **said.fields)
