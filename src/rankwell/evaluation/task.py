"""Task: the work that every engine does on a batch of lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import sums
from rankwell.matching import Asked, judge
from rankwell.matching.batch import Context, Judged
from rankwell.matching.groups import JUDGED_OUTSIDE
from rankwell.matching.lists import UNDECIDED, Matches
from rankwell.matching.pool import Pool
from rankwell.matching.ties import reorder_ties, undecided_queries
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import cached_property, record
from rankwell.results.conditions import Conditions
from rankwell.results.part import Ends, Part
from rankwell.results.segments import Segments
from rankwell.results.warnings import LEAST, NEIGHBOURS, SEEN, look
from rankwell.tables.ids import Ids, Known, own_text
from rankwell.tables.rows import Lists
from rankwell.tables.run_qrels import Matrix, Run, refuse_item_numbers, refuse_mismatch, refuse_rows
from rankwell.tables.states import Divisible, State

FILLS = {"zero": 0.0, "one": 1.0}  # the value where the judgements define none, by the rule ``undefined``


NO_VALUES = np.empty(0)


BATCH_ROWS = 250_000  # of a run, read and judged at a time
APART = frozenset({"shown", "topics"})  # tables that do not match a reordered table of hits


@record(eq=False)
class Task:
    """The work done on each batch of lists; without ``tie_ranges`` the order of equal scores is not looked at again."""

    metrics: tuple[Metric, ...]
    pool: Pool
    asked: Asked
    context: Context
    per_query: bool = True
    segments: Segments | None = None
    users: Ids | None = None
    matrices: tuple[Matrix | None, ...] = ()  # of the judgements and the training data
    tie_ranges: bool = True
    origin: tuple[str, str, Mapping[str, str]] | None = None  # of the judgements: name, source, columns
    folded: Mapping[str, int] | None = (
        None  # counts of the fold of the judgements into groups, once it is done
    )

    def of_run(self, run: Run) -> Task:
        """Return the task with the run's items as the catalogue, if a metric numbers items and no catalogue was given."""
        self.require_fit(run)
        groups = self.context.groups
        task = self if groups is None else self.of_groups(run)
        if "item" not in self.asked.needs or self.context.catalogue is not None:
            return task
        items = run.rows.table().item.distinct()
        if groups is not None:
            items = groups.groups_of(items)[0].distinct()
        return replace(task, context=task.context.of_run(Known(items)))

    def of_groups(self, run: Run) -> Task:
        """Return the task whose judgements are folded as the lists of the run are, if items are in groups."""
        groups = self.context.groups
        if groups is None or self.folded is not None:
            return self
        judged = self.asked.policy.judged
        if judged is None:
            batches = (make().items for make in run.rows.batches(BATCH_ROWS))
            judged = groups.decide(batches, self.pool.items)
        policy = replace(self.asked.policy, judged=judged)
        task = replace(self, asked=replace(self.asked, policy=policy), folded={})
        if judged == "groups" or not len(self.pool.items):
            return task
        pool, outside = self.pool.in_groups(groups)
        return replace(task, pool=pool, folded={JUDGED_OUTSIDE: outside} if outside else {})

    def require_fit(self, run: Run) -> None:
        """Raise an error if the matrices of run and judgements do not fit, or it is in doubt what one of them holds."""
        for matrix in self.matrices:
            if matrix is not None:
                refuse_mismatch(run.matrix, matrix)
        if run.matrix is not None:
            refuse_rows(run.matrix, self.matrices[0] if self.matrices else None)
            if run.matrix.is_whole and not self.pool.items.is_text:
                refuse_item_numbers(run.matrix, self.pool.items.integers)

    @cached_property
    def conditions(self) -> Conditions:
        """What the values depend on besides lists and judgements."""
        steps = self._steps
        return Conditions.of(self.asked.policy, self.context, self.pool, steps.corpus)

    @cached_property
    def _steps(self) -> Steps:
        return steps_of(self.metrics)

    def judge(self, lists: Lists, matches: Matches | None = None) -> tuple[Judged, dict[str, int]]:
        """Judge a batch of lists, of which the matches may be known, and count the rows that each rule affected."""
        judged, counts = judge(lists, self.pool, self.asked, self.context, matches)
        # what a few rows look like proves nothing, and the look would be most of a small evaluation
        return judged, counts if lists.rows < LEAST else counts | look(lists)

    def measure(self, judged: Judged, counts: dict[str, int]) -> Part:
        """Return the part of a judged batch: states, per-query values and counts, and the states for other tie orders."""
        steps = self._steps
        judged.queries = own_text(
            judged.queries
        )  # parts outlive the text of the batch that ids are cut out of
        values: dict[Metric, np.ndarray] = {}
        states: dict[Metric, State] = {}
        n: dict[tuple[Metric, str], int] = {}
        for metric, of_queries in steps.metrics:
            if of_queries is not None:
                values[metric], defined = self._values(of_queries, judged, n)
                states[metric] = of_queries.summary(defined)
            elif judged.in_run or metric.sees_missing:
                states[metric] = self.state_of(metric, judged)
        tied = self._tied(judged, values, states, counts) if self.tie_ranges else {}
        diagnostics, reported = {}, {}
        for metric in steps.diagnosing:
            if (diagnostic := metric.diagnostics(judged)) is not None:
                diagnostics[metric] = diagnostic
        for metric in steps.counting:
            for name, count in metric.counts(judged, self.context).items():
                if count:
                    reported[metric, name] = count
        own_values = values if self.per_query else {}
        # for warnings alone: these are no counts that a reader of the results asks for
        seen = {what: counts.pop(what) for what in SEEN} if NEIGHBOURS in counts else {}
        part = Part(
            judged.queries,
            judged.pool_row,
            own_values,
            states,
            tied,
            counts,
            n,
            diagnostics,
            reported=reported,
            seen=seen,
        )
        return part if self.segments is None else self._divided(part, self.segments, judged, values)

    def state_of(self, metric: Metric, judged: Judged) -> State:
        """Return a metric's state over a batch, without the lists that the metric ignores."""
        if self._judged_alone(metric) and not (is_judged := judged.pool_row >= 0).all():
            judged = judged.take(np.flatnonzero(is_judged), judged.found)
        return metric.state(judged, self.context)

    def _judged_alone(self, metric: Metric) -> bool:
        """Whether a metric uses only lists with judgements."""
        population = self.asked.policy.population
        return population == "judged" or (metric.judgements and population != "listed")

    def _divided(
        self, part: Part, segments: Segments, judged: Judged, values: dict[Metric, np.ndarray]
    ) -> Part:
        """Return a part with the weighted states, and what the values of each segment are made of."""
        rows = segments.rows(judged.queries)
        if segments.weights is not None:
            for metric, own in values.items():
                assert isinstance(metric, QueryMetric)
                defined = np.flatnonzero(~np.isnan(own))
                weights = segments.weights_of(rows[defined], judged.queries[defined])
                if (state := metric.weighted(own[defined], weights)) is not None:
                    part.weighted[metric] = state
        if segments.codes is None:
            return part
        codes = segments.codes_of(rows)
        # values per query can be divided later; a metric of whole lists needs the lists of each segment now
        together = [m for m in self.metrics if m not in values and (judged.in_run or m.sees_missing)]
        for code, lists in _by_segment(judged, codes) if together else ():
            part.split.update({(metric, code): self.state_of(metric, lists) for metric in together})
        return replace(part, segment=codes, divided=values)

    def _values(
        self, metric: QueryMetric, judged: Judged, n: dict[tuple[Metric, str], int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the metric's values under the policy, NaN where undefined, and the defined ones; count the reasons in ``n``."""
        is_judged = judged.is_judged
        if is_judged is not None and not self._judged_alone(metric):
            is_judged = None
        if not metric.judgements and not judged.in_run and not metric.sees_missing:
            return np.full(len(judged), np.nan), NO_VALUES
        if metric.sampled is not None:
            _refuse_longer_lists(metric, metric.sampled, judged)
        # asked here as well, as one call more for each metric is felt in a small evaluation
        compute = metric.per_query if metric.budget is None else metric.values
        values = np.asarray(compute(judged, self.context), np.float64)
        if values.shape != judged.pool_row.shape:
            raise DataError(
                f"{metric}: per_query returned an array of shape {values.shape} for {len(judged)} queries; return one value "
                f"per query."
            )
        # one pass tells of both; most metrics are defined for every query, and need no masks then
        missing, infinite = sums.undefined(np.ascontiguousarray(values))
        if infinite >= 0:
            query = judged.queries.one(infinite)
            raise DataError(
                f"{metric}: per_query returned an infinite value for query {brief(query)}; return NaN if it is undefined."
            )
        if is_judged is None and not missing:
            return values, values
        without = np.isnan(values) if is_judged is None else np.isnan(values) & is_judged
        if (of_lists := metric.undefined_lists(without, judged)) is not None and of_lists.any():
            n[metric, "undefined by the list"] = int(of_lists.sum())
            without = without & ~of_lists
        if metric.undefined == "judgements" and without.any():
            n[metric, "undefined by the judgements"] = int(without.sum())
            if self.asked.policy.undefined == "error":
                query = judged.queries.one(int(np.flatnonzero(without)[0]))
                raise DataError(
                    f"{metric} is undefined for query {brief(query)}: its judgements have no relevant item. "
                    f"Use undefined='skip', 'zero' or 'one', or fix the qrels."
                )
            fill = FILLS.get(self.asked.policy.undefined)
            values = values if fill is None else np.where(without, fill, values)
        elif without.any():
            n[metric, "undefined by the list"] = int(without.sum())
        values = values if is_judged is None else np.where(is_judged, values, np.nan)
        return values, _defined(values)

    def _tied(
        self,
        judged: Judged,
        values: dict[Metric, np.ndarray],
        states: dict[Metric, State],
        counts: dict[str, int],
    ) -> Mapping[Metric, Ends] | Callable[[], Mapping[Metric, Ends]]:
        """Return what works out the states under the best and the worst tie order, and counts the queries where they may differ."""
        ties = judged.ties
        if ties is None or not len(queries := undecided_queries(judged.found, ties, judged.scale)):
            return {}
        counts[UNDECIDED] = len(queries)
        measured = {
            m: (states[m], own) for m, own in values.items() if m.judgements and not APART & m.needed()
        }
        if not measured:
            return {}
        if judged.is_small:  # to take some of the queries takes a tenth of a small evaluation
            return partial(self._ends, judged, queries, measured)
        return partial(self._ends_of, _undecided(judged, queries), queries, measured)

    def _ends(
        self, judged: Judged, queries: np.ndarray, measured: dict[Metric, tuple[State, np.ndarray]]
    ) -> dict[Metric, Ends]:
        return self._ends_of(_undecided(judged, queries), queries, measured)

    def _ends_of(
        self, lists: Judged, queries: np.ndarray, measured: dict[Metric, tuple[State, np.ndarray]]
    ) -> dict[Metric, Ends]:
        best, worst = (
            lists.reordered(reorder_ties(lists.found, how, lists.scale)) for how in ("best", "worst")
        )
        return {
            m: (self._state_with(m, *own, queries, best), self._state_with(m, *own, queries, worst))
            for m, own in measured.items()
        }

    def _state_with(
        self, metric: Metric, state: State, values: np.ndarray, queries: np.ndarray, lists: Judged
    ) -> State:
        """Return the metric's state after the values of some queries are replaced by those of other lists."""
        assert isinstance(metric, QueryMetric)
        changed, defined = self._values(metric, lists, {})
        # of a sum the undecided queries can be taken off exactly; other states are made again of the values of all queries
        if isinstance(state, Divisible):
            return state.without(metric.summary(_defined(values[queries]))) + metric.summary(defined)
        values = values.copy()
        values[queries] = changed
        return metric.summary(_defined(values))


class Steps(NamedTuple):
    """What each metric takes part in: a value per query (the metric again, else None), diagnostics, counts.

    ``corpus`` are those without a value per query.
    """

    metrics: tuple[tuple[Metric, QueryMetric | None], ...]
    diagnosing: tuple[Metric, ...]
    counting: tuple[Metric, ...]
    corpus: tuple[Metric, ...]


@lru_cache(maxsize=256)
def steps_of(metrics: tuple[Metric, ...]) -> Steps:
    """Return what metrics take part in; cached, because metrics are values."""
    return Steps(
        tuple([(m, m if isinstance(m, QueryMetric) else None) for m in metrics]),
        tuple([m for m in metrics if type(m).diagnostics is not Metric.diagnostics]),
        tuple([m for m in metrics if type(m).counts is not Metric.counts]),
        tuple([m for m in metrics if not isinstance(m, QueryMetric)]),
    )


def _by_segment(judged: Judged, codes: np.ndarray) -> Iterator[tuple[int, Judged]]:
    """Yield each segment and its lists; they are halved by segment, so that a list is copied once per halving."""
    if not len(codes):
        return
    first, last = (int(code) for code in (codes.min(), codes.max()))
    if first == last:
        yield first, judged
        return
    is_low = codes <= (first + last) // 2
    for half in (np.flatnonzero(is_low), np.flatnonzero(~is_low)):
        yield from _by_segment(judged.take(half, judged.found), codes[half])


def _defined(values: np.ndarray) -> np.ndarray:
    return values[~np.isnan(values)]


def _undecided(judged: Judged, queries: np.ndarray) -> Judged:
    """The lists of queries in which ties could change a value, with their groups of tied scores."""
    assert judged.tied is not None
    return judged.take(queries, judged.tied, is_whole=False)


def _refuse_longer_lists(metric: QueryMetric, sampled: int, judged: Judged) -> None:
    """Raise DataError if a list has more nonrelevant items than there were sampled candidates."""
    nonrelevant = judged.n_retrieved - judged.relevant(getattr(metric, "rel", None)).count()
    longer = np.flatnonzero((judged.pool_row >= 0) & (nonrelevant > sampled))
    if len(longer):
        row = int(longer[0])
        raise DataError(
            f"{metric}: the list of query {brief(judged.queries.one(row))} has {nonrelevant[row]:,} nonrelevant items, more "
            f"than sampled={sampled}. Set sampled= to the number of sampled candidates, or drop it if all items were ranked."
        )
