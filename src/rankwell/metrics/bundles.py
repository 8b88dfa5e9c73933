"""Bundles: metrics that are often used together, under one name."""

from __future__ import annotations

import re

from rankwell.errors import UsageError, brief

K = 10
PROFILES = {
    "recsys": (
        "ndcg", "hit", "r", "ap", "coverage", "gini", "personalization", "ild", "msi", "arp", "aplt", "calibration",
    ),
}  # fmt: skip


def profile(text: str) -> list[str] | None:
    """Return the metrics of a bundle such as ``recsys`` or ``recsys@20``; None for any other text.

    Examples
    --------
    >>> profile("recsys@5")[:3], profile("ndcg@5")
    (['ndcg@5', 'hit@5', 'r@5'], None)
    """
    match = re.fullmatch(r"\s*(\w+)\s*(?:@\s*([\d.]+)\s*(t)?\s*)?", text)
    if match is None or match[1].lower() not in PROFILES:
        return None
    if match[3]:
        raise UsageError(
            f"{brief(text)}: not all of these metrics take a budget; write those that do, such as r@{match[2]}t."
        )
    if match[2] and not match[2].isdecimal():
        return None
    k = int(match[2] or K)
    if k < 1:
        raise UsageError(f"{brief(text)}: the cut-off must be a whole number of at least 1.")
    return [f"{name}@{k}" for name in PROFILES[match[1].lower()]]
