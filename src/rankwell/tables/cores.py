"""The cores that work may be spread over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MOST: ContextVar[int | None] = ContextVar("most cores", default=None)


def cores() -> int:
    """Return the number of cores that this process may use, or the number set by ``at_most``."""
    if (most := _MOST.get()) is not None:
        return most
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """Let everything inside, such as a reader that nobody tells, use so many cores; None for all.

    >>> with at_most(1):
    ...     cores()
    1
    """
    token = _MOST.set(threads)
    try:
        yield
    finally:
        _MOST.reset(token)
