"""What the Bayesian bootstrap says of each difference: the chances that it is below, within and above what counts as none."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.comparison.cells import Differences
from rankwell.statistics.bayesian import chances, chances_of_many
from rankwell.statistics.families import Cell
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.many import Design
from rankwell.statistics.moments import by_cluster
from rankwell.tables.csr import distinct

ROOM = 1 << 22  # differences held at a time


class Parts(NamedTuple):
    """The numbers of units or clusters, the differences of pairs (rows) between these, and their sizes."""

    numbers: np.ndarray
    d: np.ndarray
    sizes: np.ndarray | None


def with_chances(found: Differences, cell: Cell, design: Design, rope: float, seed: int) -> Differences:
    """Return the differences of a cell with their chances; NaN without a rope."""
    if math.isnan(rope):
        return found
    count = len(cell.units) if design.clusters is None else len(distinct(design.clusters))
    if count >= LARGE:
        return with_chances_of_many(found, rope)
    size = max(ROOM // max(len(cell.units), 1), 1)
    pairs = cell.pairs
    parts = [
        _drawn(parts_of_pairs(cell._replace(pairs=pairs[:, low : low + size]), design), rope, seed)
        for low in range(0, pairs.shape[1], size)
    ]
    return _with(found, np.hstack(parts))


def with_chances_of_many(found: Differences, rope: float) -> Differences:
    """Return the differences between very many units with their chances, which follow from mean and deviation."""
    error = found.sd / np.sqrt(found.effective)
    return _with(found, chances_of_many(found.mean, error, found.effective, rope))


def with_chances_of_parts(found: Differences, parts: Parts, rope: float, seed: int) -> Differences:
    """Return the differences with their chances, by draws for their parts."""
    return _with(found, _drawn(parts, rope, seed))


def parts_of_pairs(cell: Cell, design: Design) -> Parts:
    """Return the parts of each pair of a cell, of which a cluster is one."""
    d = cell.values[cell.pairs[0]] - cell.values[cell.pairs[1]]
    if design.clusters is None:
        return Parts(cell.units, d, design.weights)
    sizes = ~np.isnan(d) * (1.0 if design.weights is None else design.weights)
    totals = by_cluster(np.nan_to_num(d) * sizes, design.clusters)
    sizes = by_cluster(sizes, design.clusters)
    with np.errstate(invalid="ignore"):
        return Parts(distinct(design.clusters), totals / sizes, sizes)


def _drawn(parts: Parts, rope: float, seed: int) -> np.ndarray:
    return chances(parts.d, parts.numbers, rope=rope, sizes=parts.sizes, seed=seed)


def _with(found: Differences, drawn: np.ndarray) -> Differences:
    below, within, above = drawn
    return found._replace(below=below, within=within, above=above)
