"""Sums over queries, by segment and metric, from which all follows that a comparison of very many queries says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankwell.statistics.moments import Moments, PairMoments
from rankwell.statistics.seeds import SeedMoments


class OfMetric(NamedTuple):
    """The sums of one metric: of systems, of pairs, and of systems (one or two) that were trained with several seeds."""

    systems: Moments
    pairs: PairMoments
    seeds: Mapping[tuple[int, ...], SeedMoments]

    def __add__(self, other: OfMetric) -> OfMetric:  # type: ignore[override]
        """Return the sums of the queries of both."""
        seeds = {of: own + other.seeds[of] for of, own in self.seeds.items()}
        return OfMetric(self.systems + other.systems, self.pairs + other.pairs, seeds)


class OfSegment(NamedTuple):
    """The number of queries, that of what signs are flipped of (clusters, if there are any), and the sums by metric."""

    queries: int
    units: int
    metrics: Mapping[str, OfMetric]

    def __add__(self, other: OfSegment) -> OfSegment:  # type: ignore[override]
        """Return the sums of the queries of both."""
        metrics = {name: own + other.metrics[name] for name, own in self.metrics.items()}
        return OfSegment(self.queries + other.queries, self.units + other.units, metrics)


class Sums(NamedTuple):
    """The sums of all queries and of each segment, and which systems are of folds that share queries."""

    segments: Mapping[int, OfSegment]
    are_shared: np.ndarray

    def __add__(self, other: Sums) -> Sums:  # type: ignore[override]
        """Return the sums of two groups of queries."""
        found = dict(self.segments)
        for code, more in other.segments.items():
            found[code] = found[code] + more if code in found else more
        return Sums(found, self.are_shared | other.are_shared)
