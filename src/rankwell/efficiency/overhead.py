"""The harness itself: what measuring adds to each call, found by measuring a system that does nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankwell.efficiency.board import BEGAN, DUE, ENDED
from rankwell.efficiency.load import Closed, Open
from rankwell.efficiency.needs import needed
from rankwell.efficiency.session import Session
from rankwell.efficiency.team import Limits, Team

CALLS, SENT, RATE = 2_000, 100, 200


def nothing(query: object, k: int) -> list[str]:  # noqa: ARG001 - what a system is called with
    """Return one item at once."""
    return ["item"]


def overhead(folder: Path) -> dict[str, float]:
    """Return seconds: ``call``, what is measured of an empty call; ``between``, from one call to the next; ``late``, by how much a call begins after it is due.

    Each is the median of many calls, and with ``_p99`` its 99th percentile.
    """
    own = folder / "overhead"
    own.mkdir()
    payload = own / "payload"
    with payload.open("wb") as file:
        for each in (nothing, None, ["query"]):
            needed("cloudpickle").dump(each, file)
    with (own / "queue").open("w+b", buffering=0) as queue:
        team = Team("nothing", nothing, payload, queue, Limits(60, 60, None), threads=False)
        try:
            team.start()
            closed = Session(team, Closed(), [0] * CALLS, None, k=1, folder=own).run().rows
            load = Open(RATE, "constant")
            due = load.due(SENT, np.random.default_rng(0))
            late = Session(team, load, [0] * SENT, due, k=1, folder=own).run().rows
        finally:
            team.end()
    found = {
        "call": closed[:, ENDED] - closed[:, BEGAN],
        "between": closed[1:, BEGAN] - closed[:-1, ENDED],
        "late": late[:, BEGAN] - late[:, DUE],
    }
    return {
        name + end: float(np.quantile(values, q)) * 1e-9
        for name, values in found.items()
        for end, q in (("", 0.5), ("_p99", 0.99))
    }
