"""The machine: what it is, how fast it is at the moment, and what else runs on it; and the libraries that look at it."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

from rankwell import __version__
from rankwell.errors import UsageError
from rankwell.tables.machine import cores

SHORT = 0.3  # seconds
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
)


class MachineWatch:
    """What the other processes of the machine do, and the measuring process itself, from now on."""

    def __init__(self) -> None:
        self.busy, self.own, self.wall = _busy(), time.process_time(), time.perf_counter()

    def end(self, system: float | None) -> tuple[float | None, float]:
        """Return how many cores others kept busy, and our own CPU seconds.

        The first is undefined if what the system used is not known, or in a session so short that the clock of the machine's load,
        which ticks a hundred times a second, says nothing.
        """
        own = time.process_time() - self.own
        wall = max(time.perf_counter() - self.wall, 1e-9)
        # what is left of the machine's busy time when ours and the system's is taken off; the clocks differ, so it may be
        # below 0
        others = (
            None if system is None or wall < SHORT else max(_busy() - self.busy - own - system, 0.0) / wall
        )
        return others, own


def pace() -> float:
    """Return the seconds that a fixed loop takes now: longer if the machine is slower than before, whatever the reason."""
    best = float("inf")
    # the best of three: one may have been interrupted
    for _ in range(3):
        began = time.perf_counter()
        sum(range(100_000))
        best = min(best, time.perf_counter() - began)
    return best


def environment() -> dict[str, Any]:
    """Return what a reader must know of the machine to judge its figures."""
    facts = {
        "processor": _model(),
        "cores": cores(),
        "memory": int(psutil().virtual_memory().total),
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "rankwell": __version__,
    }
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor.exists():
        facts["governor"] = governor.read_text().strip()
    return facts | {variable: os.environ[variable] for variable in THREADS if variable in os.environ}


def _busy() -> float:
    """Seconds for which the cores of the machine have worked since it started."""
    times = psutil().cpu_times()
    # time of guests is counted within that of their host, and would count twice
    idle = (
        times.idle
        + getattr(times, "iowait", 0.0)
        + getattr(times, "guest", 0.0)
        + getattr(times, "guest_nice", 0.0)
    )
    return float(sum(times) - idle)


def _model() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def refuse_elsewhere() -> None:
    """Raise UsageError where processes cannot be measured."""
    if sys.platform == "win32":
        raise UsageError(
            "costs are measured on Linux and macOS only; what was saved there can be read anywhere."
        )


def psutil() -> Any:
    """Return psutil, which tells what processes hold."""
    return require("psutil")


def require(name: str) -> Any:
    """Return a library of the extra.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"measuring costs needs {name}: pip install 'rankwell[bench]'.") from None
