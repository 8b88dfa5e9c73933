"""What the Bayesian bootstrap says of each difference: the chances that it is below, within and above what counts as none."""

from __future__ import annotations

import math

import numpy as np

from rankwell.comparison.cells import Differences
from rankwell.statistics.bayesian import chances
from rankwell.statistics.families import Cell
from rankwell.statistics.many import Design

ROOM = 1 << 22  # differences held at a time


def with_chances(found: Differences, cell: Cell, design: Design, rope: float, seed: int) -> Differences:
    """Return the differences of a cell with their chances; NaN without a rope."""
    if math.isnan(rope):
        return found
    units = cell.units if design.clusters is None else design.clusters
    size = max(ROOM // max(len(units), 1), 1)
    parts = []
    for low in range(0, cell.pairs.shape[1], size):
        first, second = cell.pairs[:, low : low + size]
        d = cell.values[first] - cell.values[second]
        parts.append(chances(d, units, rope=rope, sizes=design.weights, seed=seed))
    below, within, above = np.hstack(parts)
    return found._replace(below=below, within=within, above=above)
