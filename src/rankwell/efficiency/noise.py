"""Noise: what makes measured figures doubtful, found in the figures themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankwell.efficiency import estimates
from rankwell.efficiency.estimates import groups

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs

PACE, OTHERS = 1.10, 0.25  # from which slow-down of a fixed loop, and how many cores of others, it is said
SHARE = 0.05  # of a median latency, from which on the harness matters


def disturbances(costs: Costs) -> list[str]:
    """What made figures doubtful: another pace of the machine, other processes, a queue without end, restarts, the harness."""
    found = []
    sessions = costs.sessions
    paces, busy = (sessions[each].drop_nulls().to_numpy() for each in ("pace", "others"))
    if len(paces) and (slower := paces.max() / paces.min()) > PACE:
        found.append(
            f"The machine was up to {slower - 1:.0%} slower at times (a fixed loop before each session)."
        )
    if len(busy) and busy.max() > OTHERS:
        found.append(
            f"Other processes kept up to {busy.max():.1f} cores busy ({np.median(busy):.1f} in the median session)."
        )
    for system, load in (
        sessions.filter(saturated=True).select("system", "load").unique(maintain_order=True).rows()
    ):
        found.append(
            f"{system}: saturated under “{load}”: queries come faster than they are answered, so latencies grow as long as it goes on."
        )
    restarts: dict[str, int] = {}
    for system, count in sessions.select("system", "restarts").rows():
        restarts[system] = restarts.get(system, 0) + (count or 0)
    found += [
        f"{system}: its process was started again {count:,} times; due times were put off meanwhile, and CPU of these sessions is undefined."
        for system, count in restarts.items()
        if count
    ]
    for (system, load, session), calls in groups(costs):
        values = estimates.latencies(calls)
        added = costs.overhead.get("call", 0.0)
        if session == "warm" and len(values) and added > SHARE * float(np.median(values)):
            found.append(
                f"{system} ({load}): the harness is {added / float(np.median(values)):.0%} of the median latency."
            )
    return found
