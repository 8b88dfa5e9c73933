"""What this process uses of the machine."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path


def used_cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def switched() -> int:
    """How often this process was made to wait for a core."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def resident() -> int:
    """Bytes of memory that this process holds."""
    return _status("VmRSS") or _highest()


def peak() -> int:
    """The most bytes of memory that it has held since ``forget_peak``, or ever where that cannot be forgotten."""
    return _status("VmHWM") or _highest()


def forget_peak() -> None:
    """Count the peak of memory from now on."""
    with contextlib.suppress(OSError):  # other systems than Linux, where a peak counts only once it is higher
        Path("/proc/self/clear_refs").write_text("5")


def _status(field: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    return 0


def _highest() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
