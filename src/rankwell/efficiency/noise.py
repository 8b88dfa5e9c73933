"""Noise: what makes measured figures doubtful, found in the figures themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.costing import Conditions
from rankwell.efficiency.estimates import Group
from rankwell.efficiency.frames import WARM

if TYPE_CHECKING:
    import polars as pl


PACE = (
    1.10  # a note says that the machine slowed down if a fixed loop takes this factor longer than at its best
)
OTHERS = 0.25  # cores that other processes keep busy
SHARE = 0.05  # of the median latency that is the harness


def conditions(environment: Mapping[str, Any], sessions: pl.DataFrame, groups: Sequence[Group]) -> Conditions:
    """On what the warm sessions under a load were measured, and what disturbed them."""
    import polars as pl

    paces, busy = (sessions[each].drop_nulls().to_numpy() for each in ("pace", "others"))
    restarts = dict(sessions.group_by("system", maintain_order=True).agg(pl.col("restarts").sum()).rows())
    failures = {each.system: each.failures for each in groups if each.session == WARM and each.failed}
    return Conditions(
        environment=dict(environment),
        slower=float(paces.max() / paces.min() - 1) if len(paces) else None,
        busy=float(busy.max()) if len(busy) else None,
        saturated=tuple(sessions.filter(saturated=True)["system"].unique(maintain_order=True)),
        restarts={system: count for system, count in restarts.items() if count},
        failures=failures,
    )


def of_machine(sessions: pl.DataFrame) -> list[str]:
    """What the machine did while sessions ran: another pace, other processes."""
    found = []
    paces, busy = (sessions[each].drop_nulls().to_numpy() for each in ("pace", "others"))
    if len(paces) and (slower := paces.max() / paces.min()) > PACE:
        found.append(
            f"The machine was up to {slower - 1:.0%} slower at times (a fixed loop before each session)."
        )
    if len(busy) and busy.max() > OTHERS:
        found.append(
            f"Other processes kept up to {busy.max():.1f} cores busy ({np.median(busy):.1f} in the median session)."
        )
    return found


def disturbances(sessions: pl.DataFrame, overhead: Mapping[str, float], groups: Sequence[Group]) -> list[str]:
    """What made figures doubtful: another pace of the machine, other processes, a queue without end, restarts, the harness."""
    found = of_machine(sessions)
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
    added = overhead.get("call", 0.0)
    for group in groups:
        usual = float(np.median(group.latencies)) if len(group.latencies) else 0.0
        if group.session == WARM and usual and added > SHARE * usual:
            found.append(
                f"{group.system} ({group.load}): the harness is {added / usual:.0%} of the median latency."
            )
    return found
