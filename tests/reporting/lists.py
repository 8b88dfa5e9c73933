"""Small systems whose values are known: each query has one relevant item, shown at the rank given."""

from __future__ import annotations

RELEVANT = "good"


def run_of(ranks):
    """A run with the relevant item at these ranks, one query each; None is a list without it."""
    return {
        f"q{at}": [
            *(f"x{place}" for place in range((rank or 6) - 1)),
            *([RELEVANT] if rank else []),
            "last",
        ]
        for at, rank in enumerate(ranks)
    }


def qrels_of(count):
    """Judgements of so many queries."""
    return {f"q{at}": {RELEVANT: 1} for at in range(count)}
