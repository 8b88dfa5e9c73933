"""Spread: the values of several systems that lie on Spark, compared by sums over their queries, which stay where they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.aligned import refuse_unlike, value_and_n
from rankwell.comparison.cells import Differences, Means, differences_from, means_of
from rankwell.comparison.families import Key, flips_of
from rankwell.comparison.methods import Methods
from rankwell.comparison.spread_sums import Sums, added, sums_of, values_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.segments import Segments
from rankwell.statistics.families import Cell
from rankwell.statistics.many import ENOUGH, FEW, LARGE, Design, Intervals, closed_bounds
from rankwell.statistics.moments import Moments, PairMoments
from rankwell.statistics.paired import sign_flips, sign_test_of
from rankwell.tables.states import Mean


@dataclass(frozen=True, eq=False)
class Spread:
    """The results of several systems on Spark: of so many queries that neither flips nor a bootstrap are drawn.

    From ``LARGE`` queries on, all that a comparison says follows from sums over queries: the numbers, means, variances and wins. Of
    segments, too, if signs are flipped of none; the values of a system with few queries in a segment come back for its bootstrap.
    Nothing that grows with the queries leaves Spark.
    """

    names: tuple[str, ...]
    results: tuple[Results, ...]
    metrics: tuple[Metric, ...]
    segments: Segments | None = None

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

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that divide the queries."""
        return () if self.segments is None else self.segments.division.by

    def has_values(self, metric: Metric) -> bool:
        """Whether the metric's value is the mean of a value per query in all results, so that differences can be tested."""
        return all(
            str(metric) in res.spark_rows.columns and isinstance(res.part.states[metric], Mean)
            for res in self.results
        )

    def alone(self, metric: Metric, labels: tuple[str, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Return the value of each system, and the number of queries behind it, of all or of a segment."""
        return value_and_n(self.results, metric, self.by, labels)

    def compared(self, pairs: np.ndarray, how: Methods, signs: Mapping[str, int]) -> Compared | None:
        """Return what is known of systems and pairs; None if their values are needed here.

        They are if a system has too few queries for Student's interval, or signs are flipped of segments.
        """
        from rankwell.evaluation.distributed.tables import refuse_other_kind

        tested = [metric for metric in self.metrics if self.has_values(metric)]
        centres = {str(metric): np.nan_to_num(self.alone(metric)[0]) for metric in tested}
        if any((self.alone(metric)[1] < ENOUGH).any() for metric in tested):
            return None
        refuse_other_kind(
            {name: res.spark_rows for name, res in zip(self.names, self.results, strict=True)}, self.segments
        )
        sums = reduce(added, self._asked(centres, partial(sums_of, pairs=pairs, centres=centres)))
        codes, labels = self._in_order(sums)
        most = max((sums[code].units for code in codes[1:]), default=LARGE)
        if how.family == "metric" and flips_of(most, how):
            return None
        few = self._values_of_few(sums, tested)
        means, differences, cells = {}, {}, {}
        for place, code in enumerate(codes):
            of_segment = sums[code]
            nothing: Any = np.broadcast_to(np.uint64(0), of_segment.units)  # no signs are drawn for so many
            for metric in tested:
                own, paired = of_segment.moments[str(metric)]
                centre = centres[str(metric)]
                known = self._means(metric, own, centre, how)
                if (str(metric), code) in few:
                    known = _with_few(known, few[str(metric), code], metric, how, total=sums[0].units)
                means[metric, place] = known if code else known._replace(mean=self.alone(metric)[0])
                differences[metric, place] = _differences(
                    metric, paired, pairs, centre, how, signs[metric.better]
                )
                cells[metric, place] = Cell(np.empty((0, 0)), pairs, nothing)
        return Compared(labels, means, differences, cells)

    def _asked(self, columns: Mapping[str, Any], answer: Any) -> Any:
        from rankwell.evaluation.distributed.side_by_side import side_by_side

        rows = sum(_most(res) for res in self.results)
        return side_by_side([res.spark_rows for res in self.results], [*columns], rows, answer, self.segments)

    def _in_order(self, sums: Sums) -> tuple[list[int], tuple[tuple[str, ...], ...]]:
        """All queries and the segments that have some, in the order of their labels, and these."""
        if self.segments is None:
            return [0], ((),)
        division = self.segments.division
        used = division.labels.in_order(np.array(sorted(code - 1 for code in sums if code), np.int64))
        return [0, *(used + 1).tolist()], ((), *division.labels.of(used))

    def _values_of_few(self, sums: Sums, tested: Sequence[Metric]) -> dict[tuple[str, int], Few]:
        """The values of the systems that have few queries in a segment."""
        wanted = {
            (str(metric), code): rows
            for code, each in sums.items()
            if code
            for metric in tested
            if len(rows := np.flatnonzero(each.moments[str(metric)][0].n < ENOUGH))
        }
        if not wanted:
            return {}
        names = dict.fromkeys(name for name, _ in wanted)
        found: dict[tuple[str, int], list[Any]] = {key: [] for key in wanted}
        for part in self._asked(names, partial(values_of, wanted=wanted)):
            for key, units_and_values in part.items():
                found[key].append(units_and_values)
        return {
            key: Few(rows, *(np.concatenate(each, axis=-1) for each in zip(*found[key], strict=True)))
            for key, rows in wanted.items()
        }

    def _means(self, metric: Metric, own: Moments, centres: np.ndarray, how: Methods) -> Means:
        found = own.summaries(centres)
        kinds = np.where(own.are_shares, "wilson", "t").astype(object)
        low, high = closed_bounds(found, kinds, how.level)
        least, most = metric.range
        bounds = np.maximum(low, least), np.minimum(high, most), kinds, own.are_doubtful()
        nothing = np.full(len(found.n), math.nan)
        return Means(found.n, found.effective, found.mean, *bounds, of_seeds=nothing)


@dataclass(frozen=True)
class Compared:
    """What is known of systems and pairs by metric and segment, and cells that say how many queries they have."""

    labels: tuple[tuple[str, ...], ...]
    means: dict[Key, Means]
    differences: dict[Key, Differences]
    cells: dict[Key, Cell]


class Few(NamedTuple):
    """The systems (``rows``) with few queries in a segment, the numbers of these queries, and a row of values each."""

    rows: np.ndarray
    units: np.ndarray
    values: np.ndarray


def _with_few(known: Means, few: Few, metric: Metric, how: Methods, *, total: int) -> Means:
    """The means of a segment, with those of a system that has few queries there from its values."""
    order = np.argsort(few.units)
    cell = Cell(np.ascontiguousarray(few.values[:, order]), np.empty((2, 0), np.int64), few.units[order])
    own = means_of(cell, Design(), how, metric.range, 1, total=total)
    columns = []
    for column, more in zip(known, own, strict=True):
        columns.append(column.copy())
        columns[-1][few.rows] = more
    return Means(*columns)


def _most(res: Results) -> int:
    """The largest number of queries that a metric has."""
    return int(max(res.n.values(), default=0))


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
