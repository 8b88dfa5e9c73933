"""The cores that this process may use, and the memory that is free for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

# a variable of the context, not of the module: two evaluations in threads of one process may have different numbers
_MOST: ContextVar[int | None] = ContextVar("most cores", default=None)
GROUPS = (  # of control groups, version 2 and 1: the limit, and what is used of it
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def cores() -> int:
    """Return the number of cores that this process may use, or the number set by ``at_most``."""
    if (most := _MOST.get()) is not None:
        return most
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """Limit the cores of everything inside, also of readers that take no ``threads``; None for all.

    >>> with at_most(1):
    ...     cores()
    1
    """
    token = _MOST.set(threads)
    try:
        yield
    finally:
        _MOST.reset(token)


def free_memory() -> int:
    """Return the bytes of memory that are free for this process, as far as the system tells."""
    free = [_of_machine()]
    for limit, used in GROUPS:
        if (most := _number(limit)) is not None and (now := _number(used)) is not None:
            free.append(most - now)
    return max(min(free), 0)


def _of_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # no Linux
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _number(path: str) -> int | None:
    try:
        text = Path(path).read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None
