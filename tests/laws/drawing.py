"""The cases of the laws, of which a run of the tests tries one of 25, and the names of their tests."""

from __future__ import annotations

ALL = range(25)  # the cases that check_metric tries by default


def named(metrics):
    """Return the name of a test of several metrics: the first of them, and how many others there are."""
    first, *others = metrics
    return f"{first} and {len(others)} more" if others else str(first)
