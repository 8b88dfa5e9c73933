"""Spread: the values of several systems that lie on a cluster, compared by sums over their queries, which stay where they are, and all that a
comparison says which follows from these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.alignment import design_of, refuse_unlike, value_and_n
from rankwell.comparison.compare.cells import (
    ROOM,
    BayesianParts,
    Differences,
    Key,
    Means,
    cell_to_flip,
    differences_from,
    families_of,
    flips_of,
    means_of,
    parts_of_pairs,
    shuffles_of,
    with_chances_of_many,
    with_chances_of_parts,
)
from rankwell.comparison.compare.methods import Methods
from rankwell.comparison.compare.trainings import (
    TrainedSystems,
    add_seed_intervals,
    are_many,
    interval_by_values,
    leave_out,
    refuse_empty_lists,
)
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.remote import RemoteValues
from rankwell.results.segments import Segments
from rankwell.statistics.families import Cell, shuffled_sums, tukey_of
from rankwell.statistics.intervals import ENOUGH, LARGE, hold_shares
from rankwell.statistics.many import PLAIN, Design, Intervals, closed_bounds
from rankwell.statistics.moments import PairMoments, SampleMoments
from rankwell.statistics.paired_tests import SizeCounts, sign_flips, sign_test_of, wilcoxon, wilcoxon_of
from rankwell.statistics.seeds import Seeded, SeedMoments
from rankwell.tables.ids import Ids, fingerprints_of
from rankwell.tables.lists import distinct
from rankwell.tables.states import Mean


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


@record(eq=False)
class SpreadValues:
    """The results of several systems on a cluster, of very many queries.

    From ``LARGE`` queries on, all that a comparison says follows from sums over queries: the numbers, means, variances and wins. What
    signs are flipped of comes back where it is less than ``LARGE`` (clusters, or queries of a segment), and the values of a system with
    few queries in a segment, for its bootstrap. Nothing that grows with the queries leaves the cluster.
    """

    names: tuple[str, ...]  # of the results, of which a system may have several
    results: tuple[Results, ...]
    remote: tuple[RemoteValues, ...]  # their values, in the same order
    metrics: tuple[Metric, ...]
    systems: TrainedSystems
    segments: Segments | None = None
    clusters: str = ""

    @classmethod
    def of(
        cls,
        results: Mapping[str, Results],
        metrics: Sequence[Metric] | None,
        systems: TrainedSystems,
        *,
        partial: Collection[str] = (),
    ) -> SpreadValues | None:
        """Return the results side by side; None if their values are held here, or are few enough to be."""
        listed = tuple(results.values())
        remote = tuple(res.remote for res in listed if res.remote is not None)
        if len(remote) < len(listed):
            return None
        # folds together hold the queries of one system, seeds the same queries again
        trained = [folds for seeds in systems.rows for folds in seeds]
        # few enough values come here, where every test can be made of them
        if max(sum(_most(listed[row]) for row in folds) for folds in trained) < LARGE:
            return None
        if not remote[0].can_stand_beside(remote[1:]):
            return None
        wanted = listed[0].metrics if metrics is None else tuple(metrics)
        refuse_unlike(results, wanted, partial)
        return cls(tuple(results), listed, remote, wanted, systems)

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that divide the queries."""
        return () if self.segments is None else self.segments.division.by

    @property
    def rows(self) -> int:
        """About how many rows these have."""
        return sum(_most(res) for res in self.results)

    @property
    def is_plain(self) -> bool:
        """Whether every query counts alike and by itself."""
        return self.segments is None or (self.segments.weights is None and self.segments.clusters is None)

    def has_values(self, metric: Metric) -> bool:
        """Whether the metric's value is the mean of a value per query in all results, so that differences can be tested."""
        return all(
            str(metric) in own.columns and isinstance(res.part.states[metric], Mean)
            for own, res in zip(self.remote, self.results, strict=True)
        )

    def alone(self, metric: Metric, labels: tuple[str, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Return the value of each system, and the number of queries behind it, of all or of a segment, as the results have them."""
        return self.systems.alone(*value_and_n(self.results, metric, self.by, labels))

    def asked(self, columns: Collection[str], answer: Any) -> Iterator[Any]:
        """Yield what each group of queries answers about the values of some metrics."""
        first, *others = self.remote
        return first.answers(others, [*columns], self.rows, answer, self.segments)

    def centres(self, metric: Metric) -> np.ndarray:
        """A value near the mean of each system."""
        values, n = value_and_n(self.results, metric, (), ())
        centres = np.zeros(len(self.systems.rows))
        for place, seeds in enumerate(self.systems.rows):
            own = [row for folds in seeds for row in folds]
            # any value near the mean will do; means of folds and seeds are at hand, those of queries are not
            centres[place] = np.average(np.nan_to_num(values[own]), weights=np.maximum(n[own], 1))
        return centres

    def in_order(self, sums: Sums) -> tuple[list[int], tuple[tuple[str, ...], ...]]:
        """All queries and the segments that have some, in the order of their labels, and these."""
        if self.segments is None or not self.by:
            return [0], ((),)
        division = self.segments.division
        used = division.labels.in_order(
            np.array(sorted(code - 1 for code in sums.segments if code), np.int64)
        )
        return [0, *(used + 1).tolist()], ((), *division.labels.of(used))

    def few(
        self, question: Question, sums: Sums, tested: Sequence[Metric]
    ) -> tuple[dict[Place, Few], dict[Place, np.ndarray]]:
        """The values of the systems that have few queries in a segment, and which these are."""
        wanted = {
            (str(metric), code): rows
            for code, segment in sums.segments.items()
            for metric in tested
            # the interval of so few values is a bootstrap, which needs them here
            if len(rows := np.flatnonzero(segment.metrics[str(metric)].systems.n < ENOUGH))
        }
        parts = self._parts(wanted, partial(question.few, wanted=wanted))
        return {place: Few.joined(segment) for place, segment in parts.items()}, wanted

    def cells(
        self,
        question: Question,
        sums: Sums,
        tested: Sequence[Metric],
        codes: Sequence[int],
        how: Methods,
        correction: str,
    ) -> tuple[dict[Key, Cell], dict[Place, BayesianParts]]:
        """What signs are flipped of (where none are, only of how many units that is), and what the chances of differences need."""
        keys = [(metric, place) for place in range(len(codes)) for metric in tested]
        units = {key: sums.segments[codes[key[1]]].units for key in keys}
        flipped = {
            (str(metric), codes[place])
            for family in families_of(keys, how, correction)
            if flips_of([units[key] for key in family], how)
            for metric, place in family
        }
        drawn = {
            (str(metric), codes[place])
            for metric, place in keys
            if str(metric) in how.ropes and units[metric, place] < LARGE
        }
        cells = self._parts(flipped, partial(question.of_cells, wanted=flipped, made=cell_to_flip))
        cells_of = {}
        for metric, place in keys:
            at = str(metric), codes[place]
            # a cell of which no sign is flipped only says how many units it has: an array of that length without memory
            nothing: Any = np.broadcast_to(np.uint64(0), units[metric, place])
            cells_of[metric, place] = Cell(np.empty((0, 0)), question.pairs, nothing)
            if at in flipped:
                untested = self.systems.between_methods(question.pairs)
                cells_of[metric, place] = leave_out(join_cells(cells[at]), untested)
        parts = self._parts(drawn, partial(question.of_cells, wanted=drawn, made=parts_of_pairs))
        return cells_of, {place: BayesianParts(*join_in_order(answers)) for place, answers in parts.items()}

    def by_ranks(self, question: Question, sums: Sums, tested: Sequence[Metric]) -> dict[Place, np.ndarray]:
        """The p-values of Wilcoxon's test: of many queries from the ranks in bins, of few from the differences."""
        places = [(str(metric), code) for code in sums.segments for metric in tested]
        # one number per metric, segment and pair, end to end, as the bins of ranks are numbered
        n = np.concatenate([sums.segments[code].metrics[name].pairs.difference.n for name, code in places])
        # by number, as answers come in any order and ranks must be added in one
        bins: list[dict[int, Any]] = [{} for _ in n]
        columns, few = [str(metric) for metric in tested], np.flatnonzero(n < ENOUGH).tolist()
        counted = partial(question.counted, wanted=places)
        first, *others = self.remote
        for answer in first.signed_ranks(others, columns, self.rows, counted, self.segments, few=few):
            for (number, own), ranks in answer.items():
                bins[number][own] = ranks
        p = [
            wilcoxon(SizeCounts.joined([*own.values()]).differences(int(count)))
            if count < ENOUGH and own
            else wilcoxon_of(int(count), [own[place] for place in sorted(own)])
            for count, own in zip(n, bins, strict=True)
        ]
        return dict(zip(places, np.split(np.array(p), len(places)), strict=True))

    def by_shuffles(
        self, question: Question, sums: Sums, tested: Sequence[Metric], how: Methods
    ) -> dict[Place, np.ndarray]:
        """The p-values of Tukey's test, of the queries where every system is defined."""
        wanted = {(str(metric), code) for code in sums.segments for metric in tested}
        shuffles = partial(Shuffles.of, names=self.systems.names, times=shuffles_of(how), seed=how.seed)
        answer = partial(question.of_cells, wanted=wanted, made=shuffles)
        shuffled = {place: reduce(add, parts) for place, parts in self._parts(wanted, answer).items()}
        nothing = np.full(question.pairs.shape[1], math.nan)
        return {
            place: tukey_of(own.sums, own.totals, question.pairs).adjusted if own.n > 1 else nothing
            for place, own in shuffled.items()
        }

    def _parts(self, wanted: Collection[Place], answer: Any) -> dict[Place, list[Any]]:
        """What the groups answer of some metrics and segments."""
        answers_of: dict[Place, list[Any]] = {}
        if wanted:
            for answered in self.asked(dict.fromkeys(name for name, _ in wanted), answer):
                for place, part in answered.items():
                    answers_of.setdefault(place, []).append(part)
        return answers_of


def _most(res: Results) -> int:
    """The largest number of queries that a metric has."""
    return int(max(res.n.values(), default=0))


@record
class SpreadCells:
    """What is known of systems and pairs by metric and segment, cells that say at least how many units they have, and p of Tukey's test."""

    labels: tuple[tuple[str, ...], ...]
    means: dict[Key, Means]
    differences: dict[Key, Differences]
    cells: dict[Key, Cell]
    p_shuffled: dict[Key, np.ndarray]


def compare_spread(
    spread: SpreadValues, pairs: np.ndarray, how: Methods, correction: str, signs: Mapping[str, int]
) -> SpreadCells | None:
    """Return what is known of systems and pairs; None if these are too few queries for that."""
    for name, values in zip(spread.names, spread.remote, strict=True):
        values.refuse_other_ids(name, spread.segments)
    tested = [metric for metric in spread.metrics if spread.has_values(metric)]
    question = Question(spread.systems, pairs)
    centres = {str(metric): spread.centres(metric) for metric in tested}
    sums = reduce(add, spread.asked(centres, partial(question.sums, centres=centres)))
    # known only now: results count the queries of each metric, not those of all together
    total = sums.segments[0].queries
    if total < LARGE:
        return None
    refuse_empty_lists(spread.names, spread.results, spread.systems, sums.are_shared)
    # codes number the segments on the cluster, from 1; places are those of the comparison
    codes, labels = spread.in_order(sums)
    few, rows = spread.few(question, sums, tested)
    cells, parts = spread.cells(question, sums, tested, codes, how, correction)
    p_ranks = spread.by_ranks(question, sums, tested) if how.test == "wilcoxon" else {}
    means, differences = {}, {}
    for place, code in enumerate(codes):
        for metric in tested:
            key, at = (metric, place), (str(metric), code)
            own, centre = sums.segments[code].metrics[str(metric)], centres[str(metric)]
            mean = means_by_sums(metric, own.systems, centre, how)
            if at in few:
                values = spread.systems.pooled(few[at].values)[rows[at]]
                mean = replace_few(mean, rows[at], few[at]._replace(values=values), metric, how, total=total)
            if not code and spread.is_plain and spread.systems.is_plain:
                # in every digit as the results have it
                mean = mean._replace(mean=spread.alone(metric)[0])
            difference = differences_by_sums(
                metric,
                own.pairs,
                pairs,
                centre,
                how,
                signs[metric.better],
                is_plain=spread.is_plain,
                p_ranks=p_ranks.get(at),
            )
            rope = how.ropes.get(str(metric), math.nan)
            if at in parts:
                difference = with_chances_of_parts(difference, parts[at], rope, how.seed)
            elif not math.isnan(rope):
                difference = with_chances_of_many(difference, rope)
            if question.seeded:
                interval = _over_seeds(spread, own, centre, mean.n, few.get(at), how, total)
                mean, difference = add_seed_intervals(
                    spread.systems, pairs, interval, mean, difference, metric.range
                )
            means[key], differences[key] = mean, difference
    shuffled = {} if correction != "tukey" else spread.by_shuffles(question, sums, tested, how)
    p_shuffled = {(metric, place): shuffled[str(metric), codes[place]] for metric, place in cells if shuffled}
    return SpreadCells(labels, means, differences, cells, p_shuffled)


def _over_seeds(
    spread: SpreadValues,
    own: MetricSums,
    centre: np.ndarray,
    n: np.ndarray,
    few: Few | None,
    how: Methods,
    total: int,
) -> Callable[[tuple[int, ...]], Seeded]:
    """What tells the interval of systems with several seeds: by sums, or of few queries by values."""

    def interval(of: tuple[int, ...]) -> Seeded:
        if are_many(n, of, total):
            return own.seeds[of].interval(
                centre[list(of)].tolist(), level=how.level, times=how.resamples, seed=how.seed
            )
        assert few is not None
        return interval_by_values(spread.systems.by_seed(few.values), few.units, n, how, total)(of)

    return interval
