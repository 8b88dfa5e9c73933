"""Amounts with units, as options give them: bytes, seconds; and the limits of costs that a gate is given with them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rankwell.errors import UsageError, brief, one_of
from rankwell.readers.system_names import short_name

if TYPE_CHECKING:
    from rankwell.comparison.gate.deciding import Limit

BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
SECONDS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def bytes_of(text: str | None, option: str) -> int | None:
    """Read an amount of memory.

    >>> bytes_of("1.5K", "--memory"), bytes_of(None, "--memory")
    (1536, None)
    """
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)B?", text.strip().upper())
    if found is None:
        raise UsageError(f"{option} takes bytes, such as 500M or 4G, not {brief(text)}.")
    return int(float(found[1]) * BYTES[found[2]])


def latencies_of(given: list[str] | None) -> dict[str, float]:
    """Read latencies by quantile.

    >>> latencies_of(["p95=50ms,p99=0.2s"])
    {'p95': 0.05, 'p99': 0.2}
    """
    found = {}
    for text in (part for each in given or () for part in each.split(",")):
        parts = re.fullmatch(r"\s*(p[\d.]+)\s*=\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s)\s*", text)
        if parts is None:
            raise UsageError(
                f"--max-latency takes a quantile and a time with its unit, such as p95=50ms, not {brief(text)}."
            )
        found[parts[1]] = float(parts[2]) * SECONDS[parts[3]]
    return found


def costs_kept(
    costs: str | None, run: str, max_latency: list[str] | None, max_memory: str | None, alpha: float
) -> list[Limit]:
    """The limits that a gate is given for the costs of its new system, which is that of the run's name, or the only one."""
    if costs is None:
        if max_latency or max_memory:
            raise UsageError(
                "--max-latency and --max-memory need --costs, the file of rankwell bench -o costs.json."
            )
        return []
    from rankwell.efficiency import Costs

    found = Costs.load(costs)
    title = short_name(run)
    name = found.systems[0] if len(found.systems) == 1 else Path(run).name
    wanted = next((each for each in (name, title) if each in found.systems), None)
    if wanted is None:
        raise UsageError(
            f"{costs}: none of its systems is called {brief(title)}, as the run is: {one_of(found.systems)}."
        )
    latency, memory = latencies_of(max_latency), bytes_of(max_memory, "--max-memory")
    kept = []
    for load in found.loads:
        own = found.limits(wanted, max_latency=latency, max_memory=memory, load=load, alpha=alpha)
        kept += [each._replace(name=f"{each.name} ({load})") for each in own] if len(found.loads) > 1 else own
    return kept
