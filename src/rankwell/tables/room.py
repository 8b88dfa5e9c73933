"""The memory that there is room in: of the machine, or of the group of processes that this one may use."""

from __future__ import annotations

import os
from pathlib import Path

GROUPS = (  # of control groups, version 2 and 1: the limit, and what is used of it
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


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
