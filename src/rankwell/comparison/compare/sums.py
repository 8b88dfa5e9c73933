"""Sums over queries: what groups of queries on a cluster tell of several systems, and all that a comparison says which follows from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.cells import ROOM, Differences, Means, differences_from, means_of
from rankwell.comparison.compare.groups import design_of
from rankwell.comparison.compare.methods import Methods
from rankwell.comparison.compare.trainings import TrainedSystems
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results.segments import Segments
from rankwell.statistics.families import Cell, shuffled_sums
from rankwell.statistics.intervals import ENOUGH, hold_shares
from rankwell.statistics.many import PLAIN, Design, Intervals, closed_bounds
from rankwell.statistics.moments import PairMoments, SampleMoments
from rankwell.statistics.paired_tests import SizeCounts, sign_flips, sign_test_of
from rankwell.statistics.seeds import SeedMoments
from rankwell.tables.ids import Ids, fingerprints_of
from rankwell.tables.lists import distinct


class MetricSums(NamedTuple):
    """The sums of one metric: of systems, of pairs, and of systems (one or two) that were trained with several seeds."""

    systems: SampleMoments
    pairs: PairMoments
    seeds: Mapping[tuple[int, ...], SeedMoments]

    def __add__(self, other: MetricSums) -> MetricSums:  # type: ignore[override]
        """Return the sums of the queries of both."""
        seeds = {of: own + other.seeds[of] for of, own in self.seeds.items()}
        return MetricSums(self.systems + other.systems, self.pairs + other.pairs, seeds)


class SegmentSums(NamedTuple):
    """The number of queries, that of what signs are flipped of (clusters, if there are any), and the sums by metric."""

    queries: int
    units: int
    metrics: Mapping[str, MetricSums]

    def __add__(self, other: SegmentSums) -> SegmentSums:  # type: ignore[override]
        """Return the sums of the queries of both."""
        metrics = {name: own + other.metrics[name] for name, own in self.metrics.items()}
        return SegmentSums(self.queries + other.queries, self.units + other.units, metrics)


class Sums(NamedTuple):
    """The sums of all queries and of each segment, and which systems are of folds that share queries."""

    segments: Mapping[int, SegmentSums]
    are_shared: np.ndarray

    def __add__(self, other: Sums) -> Sums:  # type: ignore[override]
        """Return the sums of two groups of queries."""
        segments = dict(self.segments)
        for code, more in other.segments.items():
            segments[code] = segments[code] + more if code in segments else more
        return Sums(segments, self.are_shared | other.are_shared)


Values = Mapping[str, np.ndarray]  # by metric: a row per result, a column per query
Place = tuple[str, int]  # a metric and a segment: 0 is all queries, then the segments by their codes and 1


class Few(NamedTuple):
    """The numbers of some queries, the values there of all results (a row each), and how the queries count."""

    units: np.ndarray
    values: np.ndarray
    design: Design

    @classmethod
    def joined(cls, parts: Sequence[Few]) -> Few:
        """Return the queries of all parts, in the order of their numbers."""
        units, values, *design = join_in_order([(few.units, few.values, *few.design) for few in parts])
        return cls(units, np.ascontiguousarray(values), Design(*design))


class Shuffles(NamedTuple):
    """Of so many queries the sum of each system, and its sums in replicates (rows) where systems are shuffled in each query."""

    n: int
    totals: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, cell: Cell, _: Design, *, names: Sequence[str], times: int, seed: int) -> Shuffles:
        """Return the sums over the queries of a cell where all systems are defined."""
        whole = np.flatnonzero(~np.isnan(cell.values).any(axis=0))
        own, units = np.ascontiguousarray(cell.values[:, whole]), cell.units[whole]
        return cls(len(whole), own.sum(axis=1), shuffled_sums(own, units, names, times=times, seed=seed))

    def __add__(self, other: Shuffles) -> Shuffles:  # type: ignore[override]
        """Return the sums over the queries of both."""
        return Shuffles(self.n + other.n, self.totals + other.totals, self.sums + other.sums)


@record
class Question:
    """What is asked of each group: of which systems and pairs."""

    systems: TrainedSystems
    pairs: np.ndarray

    @property
    def seeded(self) -> list[tuple[int, ...]]:
        """The systems that were trained with several seeds, and the pairs of two such, by their places."""
        between = self.pairs[:, self.systems.between_methods(self.pairs)]
        return [(place,) for place in np.flatnonzero(self.systems.is_seeded).tolist()] + [
            (one, other) for one, other in between.T.tolist()
        ]

    def sums(self, queries: Ids, values: Values, segments: Segments | None, *, centres: Values) -> Sums:
        """Return what a group of queries adds to the sums of all, and of each segment."""
        by_segment, seeded = {}, self.seeded
        by_seed = {name: self.systems.by_seed(rows) for name, rows in values.items()} if seeded else {}
        pooled = self._pooled(values)
        for code, places, design in _segments_of(queries, segments):
            metrics = {}
            for name, rows in pooled.items():
                own, centre = rows[:, places], centres[name]
                metrics[name] = MetricSums(
                    # squares are summed about a value near the mean: about 0 they would lose the digits of a small variance
                    SampleMoments.of(own, centre, design),
                    PairMoments.of(own, self.pairs, centre, design),
                    {
                        of: SeedMoments.of(
                            [by_seed[name][system][:, places] for system in of], centre[list(of)].tolist()
                        )
                        for of in seeded
                    },
                )
            # what is drawn and flipped is a cluster, where there are any; its queries are all in this group
            count = len(queries[places])
            units = count if design.clusters is None else len(distinct(design.clusters))
            by_segment[code] = SegmentSums(count, units, metrics)
        are_shared = np.zeros(len(self.systems.rows), bool)
        if values:
            are_shared = self.systems.are_shared(~np.isnan(np.array([*values.values()])).all(axis=0))
        return Sums(by_segment, are_shared)

    def few(
        self, queries: Ids, values: Values, segments: Segments | None, *, wanted: Mapping[Place, np.ndarray]
    ) -> dict[Place, Few]:
        """Return the queries of a metric and a segment where one of some systems has a value, and the values of all results."""
        few, pooled = {}, self._pooled(values)
        for code, places, design in _segments_of(queries, segments):
            for name, table in values.items():
                if (name, code) in wanted:
                    # the values of all results and not of these systems alone: seeds and folds are pooled where the
                    # interval is made
                    rows = pooled[name][wanted[name, code]][:, places]
                    defined = np.flatnonzero(~np.isnan(rows).all(axis=0))
                    units = fingerprints_of(queries[places][defined])
                    few[name, code] = Few(units, table[:, places][:, defined], design.of(defined))
        return few

    def of_cells(
        self,
        queries: Ids,
        values: Values,
        segments: Segments | None,
        *,
        wanted: Collection[Place],
        made: Callable[[Cell, Design], Any],
    ) -> dict[Place, Any]:
        """Return what is made of a cell and how its queries count, by metric and segment."""
        return {
            place: made(cell, design)
            for place, cell, design in self._cells(queries, values, segments, wanted)
        }

    def counted(
        self, queries: Ids, values: Values, segments: Segments | None, *, wanted: Sequence[Place]
    ) -> dict[int, SizeCounts]:
        """Return the counts of the differences of each pair; of metrics and segments, the pairs of one come after those of another."""
        places, counts = {place: number for number, place in enumerate(wanted)}, {}
        count = self.pairs.shape[1]
        for place, cell, _ in self._cells(queries, values, segments, wanted):
            for pair, (one, other) in enumerate(self.pairs.T.tolist()):
                d = cell.values[one] - cell.values[other]
                counts[places[place] * count + pair] = SizeCounts.of(d)
        return counts

    def _cells(
        self, queries: Ids, values: Values, segments: Segments | None, wanted: Collection[Place]
    ) -> Iterator[tuple[Place, Cell, Design]]:
        pooled, units = self._pooled(values), fingerprints_of(queries)
        for code, places, design in _segments_of(queries, segments):
            for name, table in pooled.items():
                if (name, code) in wanted:
                    own = np.ascontiguousarray(table[:, places])
                    yield (name, code), Cell(own, self.pairs, units[places]), design

    def _pooled(self, values: Values) -> dict[str, np.ndarray]:
        return {name: self.systems.pooled(table) for name, table in values.items()}


def join_in_order(parts: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the columns of all parts (arrays, or None), one after the other, in the order of the first, which are numbers."""
    columns = [
        None if column[0] is None else np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)
    ]
    # groups come in any order; sorted by the numbers of queries, draws and sums are the same each time
    order = np.argsort(np.concatenate([part[0] for part in parts]))
    return [None if column is None else column[..., order] for column in columns]


def join_cells(cells: Sequence[Cell]) -> Cell:
    """Return the cell of all units of some groups."""
    values, _, units = (np.concatenate(column, axis=-1) for column in zip(*cells, strict=True))
    return Cell(np.ascontiguousarray(values), cells[0].pairs, units)


def _segments_of(queries: Ids, segments: Segments | None) -> Iterator[tuple[int, slice | np.ndarray, Design]]:
    """The places of all queries and how they count, then those of each segment that has some."""
    if segments is None:
        yield 0, slice(None), PLAIN
        return
    rows = segments.rows(queries)
    design = design_of(segments, rows, queries)
    yield 0, slice(None), design
    if segments.codes is not None:
        codes = segments.codes_of(rows)
        # sorted once, then cut where the code changes, rather than searched for each of many segments
        order = np.argsort(codes, kind="stable")
        used, begins = np.unique(codes[order], return_index=True)
        for code, places in zip(used.tolist(), np.split(order, begins[1:]), strict=True):
            # 0 is all queries
            yield code + 1, places, design.of(places)


def means_by_sums(metric: Metric, own: SampleMoments, centres: np.ndarray, how: Methods) -> Means:
    """Return the means of systems, of at least 1,000 queries of very many, with their intervals."""
    stats = own.summaries(centres)
    # so many queries need no bootstrap, and shares have Wilson's interval as values here do
    kinds = np.where(own.are_shares & hold_shares(metric.range), "wilson", "t").astype(object)
    low, high = closed_bounds(stats, kinds, how.level, own.of_shares(stats))
    least, most = metric.range
    bounds = np.maximum(low, least), np.minimum(high, most), kinds, own.are_doubtful()
    nothing = np.full(len(stats.n), math.nan)
    return Means(stats.n, stats.effective, stats.mean, *bounds, of_seeds=nothing)


def replace_few(
    means: Means, rows: np.ndarray, few: Few, metric: Metric, how: Methods, *, total: int
) -> Means:
    """Return means with those of the systems (``rows``) that have few queries in a segment from their values."""
    cell = Cell(few.values, np.empty((2, 0), np.int64), few.units)
    own = means_of(cell, few.design, how, metric.range, 1, total=total)
    columns = []
    for column, more in zip(means, own, strict=True):
        columns.append(column.copy())
        columns[-1][rows] = more
    return Means(*columns)


def differences_by_sums(
    metric: Metric,
    paired: PairMoments,
    pairs: np.ndarray,
    centres: np.ndarray,
    how: Methods,
    sign: int,
    *,
    is_plain: bool,
    p_ranks: np.ndarray | None = None,
) -> Differences:
    """Return everything about pairs but the p-values that need the whole family.

    ``is_plain``: all queries count alike. ``p_ranks`` are those of Wilcoxon's test, if it was asked for.
    """
    # sums were taken about these centres, which are added again here
    middle = centres[pairs[0]], centres[pairs[1]]
    stats = paired.difference.summaries(middle[0] - middle[1])
    kinds = np.full(len(stats.n), "t", object)
    low, high = closed_bounds(stats, kinds, how.level)
    span = metric.range[1] - metric.range[0]
    bounds = Intervals(
        np.maximum(low, -span), np.minimum(high, span), kinds, paired.difference.are_doubtful()
    )
    more, less = paired.more, paired.less
    return differences_from(
        stats,
        bounds,
        variances=(paired.first.summaries(middle[0]).sd ** 2, paired.second.summaries(middle[1]).sd ** 2),
        lost=(paired.lost_first, paired.lost_second),
        counted=(more, less) if sign >= 0 else (less, more),
        p_test=_p_of(stats.p, more, less, how) if p_ranks is None else p_ranks,
        p_flips=_exact(stats.n, paired) if is_plain else np.full(len(stats.n), math.nan),
        how=how,
        margin=how.margins.get(str(metric), math.nan),
    )


def cell_by_sums(
    metric: Metric, cell: Cell, design: Design, how: Methods, sign: int, *, total: int
) -> tuple[Means, Differences]:
    """Return the same of a cell whose values are held here, of very many queries that do not count alike."""
    n = np.count_nonzero(~np.isnan(cell.values), axis=1)
    centres = np.nan_to_num(cell.values).sum(axis=1) / np.maximum(n, 1)
    means = means_by_sums(metric, SampleMoments.of(cell.values, centres, design), centres, how)
    few = np.flatnonzero(n < ENOUGH)
    if len(few):
        of_few = Few(cell.units, cell.values[few], design)
        means = replace_few(means, few, of_few, metric, how, total=total)
    size = max(ROOM // max(len(cell.units), 1), 1)
    parts = []
    for low in range(0, cell.pairs.shape[1], size):
        pairs = cell.pairs[:, low : low + size]
        paired = PairMoments.of(cell.values, pairs, centres, design)
        parts.append(differences_by_sums(metric, paired, pairs, centres, how, sign, is_plain=design.is_plain))
    return means, Differences(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _p_of(p: np.ndarray, more: np.ndarray, less: np.ndarray, how: Methods) -> np.ndarray:
    if how.test == "sign":
        return np.array([sign_test_of(int(one), int(other)) for one, other in zip(more, less, strict=True)])
    return p if how.test == "t" else np.full(len(p), math.nan)


def _exact(n: np.ndarray, paired: PairMoments) -> np.ndarray:
    """The p-value by all sign flips where few differences are not 0."""
    p = np.full(len(n), math.nan)
    for row, values in enumerate(paired.nonzero):
        if values is not None and n[row] >= 2:
            units = np.arange(len(values), dtype=np.uint64)
            p[row] = sign_flips(np.array(values), units, times=99, seed=0).p
    return p
