"""What is behind the plot of movement: the place of each system on two leaderboards."""

from __future__ import annotations

import math
from typing import TypedDict

import numpy as np

from rankwell.comparison.agreement.orders import Leaderboards
from rankwell.statistics.rank_correlation import order_of

TENTH = 10


class Place(TypedDict):
    """A system on one of the two leaderboards: its value and rank there, and the row in which it is drawn."""

    system: str
    side: int
    value: float
    rank: int
    row: int
    moved: int


def places_of(found: Leaderboards, sign: float) -> list[Place]:
    """Return the place of each system on both leaderboards; systems of equal value share a rank."""
    ranks = [order_of(sign * np.array(values)).top for values in found.values]
    rows = [np.empty(len(found.systems), np.int64) for _ in ranks]
    for row, own in zip(rows, ranks, strict=True):
        row[np.argsort(own, kind="stable")] = np.arange(len(own))
    return [
        Place(
            system=name,
            side=side,
            value=found.values[side][at],
            rank=int(ranks[side][at]),
            row=int(rows[side][at]),
            moved=int(ranks[0][at] - ranks[1][at]),
        )
        for side in (0, 1)
        for at, name in enumerate(found.systems)
    ]


def least_move(systems: int) -> int:
    """Return by how many ranks a system moves at least to be coloured."""
    return 1 if systems <= TENTH else math.ceil(systems / TENTH)
