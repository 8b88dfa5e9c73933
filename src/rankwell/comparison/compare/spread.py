"""Spread: the values of several systems that lie on a cluster, compared by sums over their queries, which stay where they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from rankwell.comparison.compare.alignment import refuse_unlike, value_and_n
from rankwell.comparison.compare.cells import (
    BayesianParts,
    Differences,
    Means,
    cell_to_flip,
    parts_of_pairs,
    with_chances_of_many,
    with_chances_of_parts,
)
from rankwell.comparison.compare.families import Key, families_of, flips_of, shuffles_of
from rankwell.comparison.compare.methods import Methods
from rankwell.comparison.compare.sums import (
    Few,
    MetricSums,
    Place,
    Question,
    Shuffles,
    Sums,
    differences_by_sums,
    join_cells,
    join_in_order,
    means_by_sums,
    replace_few,
)
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
from rankwell.statistics.families import Cell, tukey_of
from rankwell.statistics.intervals import ENOUGH, LARGE
from rankwell.statistics.paired_tests import SizeCounts, wilcoxon, wilcoxon_of
from rankwell.statistics.seeds import Seeded
from rankwell.tables.states import Mean


@record(eq=False)
class Spread:
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
    ) -> Spread | None:
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
    spread: Spread, pairs: np.ndarray, how: Methods, correction: str, signs: Mapping[str, int]
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
    spread: Spread,
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
