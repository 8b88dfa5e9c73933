"""Spread: the values of several systems that lie on Spark, compared by sums over their queries, which stay where they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from rankwell.comparison.aligned import refuse_unlike
from rankwell.comparison.cells import Differences, Means, differences_from
from rankwell.comparison.methods import Methods
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.statistics.families import Cell
from rankwell.statistics.many import ENOUGH, FEW, LARGE, Intervals, closed_bounds
from rankwell.statistics.moments import Moments, PairMoments
from rankwell.statistics.paired import sign_flips, sign_test_of
from rankwell.tables.states import Mean

Sums = tuple[int, dict[str, tuple[Moments, PairMoments]]]  # queries, and by metric what rows and pairs need


@dataclass(frozen=True, eq=False)
class Spread:
    """The results of several systems on Spark: of so many queries that neither flips nor a bootstrap are drawn.

    From ``LARGE`` queries on, all that a comparison says follows from sums over queries: the numbers, means, variances and wins.
    Nothing that grows with the queries leaves Spark.
    """

    names: tuple[str, ...]
    results: tuple[Results, ...]
    metrics: tuple[Metric, ...]

    @classmethod
    def of(cls, results: Mapping[str, Results], metrics: Sequence[Metric] | None) -> Spread | None:
        """Return the results side by side; None if their values are held here, or are few enough to be."""
        found = tuple(results.values())
        if any(res.spark_rows is None for res in found) or max(_most(res) for res in found) < LARGE:
            return None
        from rankwell.evaluation.distributed.side_by_side import can_stand_side_by_side

        if not can_stand_side_by_side([res.spark_rows for res in found]):
            return None
        wanted = found[0].metrics if metrics is None else tuple(metrics)
        refuse_unlike(results, wanted)
        return cls(tuple(results), found, wanted)

    def has_values(self, metric: Metric) -> bool:
        """Whether the metric's value is the mean of a value per query in all results, so that differences can be tested."""
        return all(
            str(metric) in res.spark_rows.columns and isinstance(res.part.states[metric], Mean)
            for res in self.results
        )

    def alone(self, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
        """Return the value of each system, and the number of queries behind it."""
        name = str(metric)
        return np.array([res.mean[name] for res in self.results]), np.array(
            [res.n[name] for res in self.results]
        )

    def compared(self, pairs: np.ndarray, how: Methods, signs: Mapping[str, int]) -> Compared | None:
        """Return what is known of systems and pairs; None if a system has too few queries for Student's interval."""
        from rankwell.evaluation.distributed.side_by_side import side_by_side

        tested = [metric for metric in self.metrics if self.has_values(metric)]
        centres = {str(metric): np.nan_to_num(self.alone(metric)[0]) for metric in tested}
        if any((self.alone(metric)[1] < ENOUGH).any() for metric in tested):
            return None
        rows = sum(_most(res) for res in self.results)
        answer = partial(_sums, pairs=pairs, centres=centres)
        parts = side_by_side([res.spark_rows for res in self.results], [*centres], rows, answer)
        units, sums = reduce(_added, parts)
        means, differences = {}, {}
        for metric in tested:
            own, paired = sums[str(metric)]
            means[metric] = self._means(metric, own, centres[str(metric)], how)
            differences[metric] = _differences(
                metric, paired, pairs, centres[str(metric)], how, signs[metric.better]
            )
        nothing: Any = np.broadcast_to(np.uint64(0), units)  # no signs are drawn for so many
        cell = Cell(np.empty((0, 0)), pairs, nothing)
        return Compared(means, differences, dict.fromkeys(tested, cell))

    def _means(self, metric: Metric, own: Moments, centres: np.ndarray, how: Methods) -> Means:
        found = own.summaries(centres)
        kinds = np.where(own.are_shares, "wilson", "t").astype(object)
        low, high = closed_bounds(found, kinds, how.level)
        least, most = metric.range
        mean = self.alone(metric)[0]  # in every digit as the results have it
        bounds = np.maximum(low, least), np.minimum(high, most), kinds, own.are_doubtful()
        return Means(found.n, found.effective, mean, *bounds, of_seeds=np.full(len(mean), math.nan))


@dataclass(frozen=True)
class Compared:
    """What is known of systems and pairs by metric, and cells that say how many queries they have."""

    means: dict[Metric, Means]
    differences: dict[Metric, Differences]
    cells: dict[Metric, Cell]


def _most(res: Results) -> int:
    """The largest number of queries that a metric has."""
    return int(max(res.n.values(), default=0))


def _sums(values: Mapping[str, np.ndarray], *, pairs: np.ndarray, centres: Mapping[str, np.ndarray]) -> Sums:
    """What a group of queries adds."""
    units = next(iter(values.values())).shape[1] if values else 0
    return units, {
        name: (Moments.of(own, centres[name]), PairMoments.of(own, pairs, centres[name]))
        for name, own in values.items()
    }


def _added(one: Sums, more: Sums) -> Sums:
    sums = {
        name: (own + more[1][name][0], paired + more[1][name][1]) for name, (own, paired) in one[1].items()
    }
    return one[0] + more[0], sums


def _differences(
    metric: Metric, paired: PairMoments, pairs: np.ndarray, centres: np.ndarray, how: Methods, sign: int
) -> Differences:
    middle = centres[pairs[0]], centres[pairs[1]]
    found = paired.difference.summaries(middle[0] - middle[1])
    kinds = np.full(len(found.n), "t", object)
    low, high = closed_bounds(found, kinds, how.level)
    span = metric.range[1] - metric.range[0]
    bounds = Intervals(
        np.maximum(low, -span),
        np.minimum(high, span),
        kinds,
        paired.difference.are_doubtful() | (found.n < FEW),
    )
    more, less = paired.more, paired.less
    return differences_from(
        found,
        bounds,
        variances=(
            paired.first.summaries(middle[0]).sd ** 2,
            paired.second.summaries(middle[1]).sd ** 2,
        ),
        lost=(paired.lost_first, paired.lost_second),
        counted=(more, less) if sign >= 0 else (less, more),
        p_test=_p_of(found.p, more, less, how),
        p_flips=_exact(found.n, paired),
        how=how,
        margin=how.margins.get(str(metric), math.nan),
    )


def _p_of(p: np.ndarray, more: np.ndarray, less: np.ndarray, how: Methods) -> np.ndarray:
    if how.test == "sign":
        return np.array([sign_test_of(int(one), int(other)) for one, other in zip(more, less, strict=True)])
    return p if how.test == "t" else np.full(len(p), math.nan)


def _exact(n: np.ndarray, paired: PairMoments) -> np.ndarray:
    """The p-value by all sign flips where few differences are not 0."""
    found = np.full(len(n), math.nan)
    for row, values in enumerate(paired.nonzero):
        if values is not None and n[row] >= 2:
            units = np.arange(len(values), dtype=np.uint64)
            found[row] = sign_flips(np.array(values), units, times=99, seed=0).p
    return found
