"""The cores that work may be spread over."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

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


def in_order(executor: ThreadPoolExecutor, workers: int, jobs: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield the results of jobs in order, with only a few of them begun at a time."""
    waiting: deque[Future[T]] = deque()
    for job in jobs:
        if len(waiting) > workers:
            yield waiting.popleft().result()
        waiting.append(executor.submit(job))
    while waiting:
        yield waiting.popleft().result()
