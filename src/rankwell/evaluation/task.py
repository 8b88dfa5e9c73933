"""Task: the work that every engine does on a batch of lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.judge import Asked, judge
from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.judge.lists import UNDECIDED
from rankwell.judge.pool import Pool
from rankwell.judge.ties import reordered, undecided
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results.part import Ends, Part, own_text
from rankwell.results.segments import Segments
from rankwell.tables.ids import Ids, Known
from rankwell.tables.matrix import Matrix, refuse_mismatch
from rankwell.tables.rows import Lists
from rankwell.tables.run_qrels import Run
from rankwell.tables.states import Average, Diagnostics, Divisible, State

FILLS = {"zero": 0.0, "one": 1.0}
APART = frozenset({"shown", "topics"})  # tables that do not match a reordered table of hits


@dataclass(frozen=True, eq=False)
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

    def of_run(self, run: Run) -> Task:
        """Return the task with the run's items as the catalogue, if a metric numbers items and no catalogue was given."""
        self.require_fit(run)
        if "item" not in self.asked.needs or self.context.catalogue is not None:
            return self
        catalogue = Known(run.rows.table().item.distinct())
        return replace(self, context=self.context.of_run(catalogue))

    def require_fit(self, run: Run) -> None:
        """Raise an error if the matrices of run and judgements do not fit, or it is in doubt what one of them holds."""
        for matrix in self.matrices:
            refuse_mismatch(run.matrix, matrix)

    def measure_lists(self, lists: Lists) -> Part:
        """Judge a batch of lists and measure it."""
        return self.measure(*self.judged(lists))

    def judged(self, lists: Lists) -> tuple[Judged, Counter[str]]:
        """Judge a batch of lists, and count the rows that each rule affected."""
        return judge(lists, self.pool, self.asked, self.context)

    def measure(self, judged: Judged, counts: Counter[str]) -> Part:
        """Return the part of a judged batch: states, per-query values and counts, and the states for other tie orders."""
        is_known = judged.pool_row >= 0
        values: dict[Metric, np.ndarray] = {}
        states: dict[Metric, State] = {}
        n: Counter[tuple[Metric, str]] = Counter()
        for metric in self.metrics:
            if isinstance(metric, QueryMetric):
                own = self._values(metric, judged, is_known, n)
                values[metric] = own
                states[metric] = _defined(metric, own)
            elif judged.in_run or metric.sees_missing:
                states[metric] = self.state_of(metric, judged)
        ends = self._tied_ends(judged, values, states, counts) if self.tie_ranges else {}
        of_metrics: Counter[str] = Counter()
        diagnostics: dict[Metric, Diagnostics] = {}
        for metric in self.metrics:
            if (known := metric.diagnostics(judged)) is not None:
                diagnostics[metric] = known
            if counted := metric.counts(judged, self.context):
                of_metrics |= Counter(counted)
        counts += of_metrics
        kept = values if self.per_query else {}
        part = Part(own_text(judged.queries), judged.pool_row, kept, states, ends, +counts, n, diagnostics)
        return part if self.segments is None else self._divided(part, self.segments, judged, values)

    def state_of(self, metric: Metric, judged: Judged) -> State:
        """Return a metric's state over a batch, without the lists that the metric ignores."""
        if self._judged_alone(metric) and not (known := judged.pool_row >= 0).all():
            judged = judged.take(np.flatnonzero(known), judged.found)
        return metric.state(judged, self.context)

    def _judged_alone(self, metric: Metric) -> bool:
        """Whether a metric uses only lists with judgements."""
        return metric.judgements or self.asked.policy.population == "judged"

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
        together = [m for m in self.metrics if m not in values and (judged.in_run or m.sees_missing)]
        for code, lists in _by_segment(judged, codes) if together else ():
            part.split.update({(metric, code): self.state_of(metric, lists) for metric in together})
        return replace(part, segment=codes, divided=values)

    def _values(
        self, metric: QueryMetric, judged: Judged, is_known: np.ndarray, n: Counter[tuple[Metric, str]]
    ) -> np.ndarray:
        """Return the metric's values under the policy, NaN where undefined; count the reasons in ``n``."""
        concerned = is_known if self._judged_alone(metric) else np.ones_like(is_known)
        if not metric.judgements and not judged.in_run and not metric.sees_missing:
            return np.full(len(judged), np.nan)
        if metric.sampled is not None:
            _refuse_longer_lists(metric, metric.sampled, judged)
        values = np.asarray(metric.per_query(judged, self.context), np.float64)
        if values.shape != is_known.shape:
            raise DataError(
                f"{metric}: per_query returned an array of shape {values.shape} for {len(judged)} queries; return one value "
                f"per query."
            )
        if concerned.all() and np.isfinite(values).all():
            return values
        if np.isinf(values).any():
            query = judged.queries.one(int(np.flatnonzero(np.isinf(values))[0]))
            raise DataError(
                f"{metric}: per_query returned an infinite value for query {brief(query)}; return NaN if it is undefined."
            )
        without = np.isnan(values) & concerned
        if metric.undefined == "judgements" and without.any():
            n[metric, "undefined by the judgements"] += int(without.sum())
            if self.asked.policy.undefined == "error":
                query = judged.queries.one(int(np.flatnonzero(without)[0]))
                raise DataError(
                    f"{metric} is undefined for query {brief(query)}: its judgements have no relevant item. "
                    f"Use undefined='skip', 'zero' or 'one', or fix the qrels."
                )
            fill = FILLS.get(self.asked.policy.undefined)
            values = values if fill is None else np.where(without, fill, values)
        elif without.any():
            n[metric, "undefined by the list"] += int(without.sum())
        return values if concerned.all() else np.where(concerned, values, np.nan)

    def _tied_ends(
        self,
        judged: Judged,
        values: dict[Metric, np.ndarray],
        states: dict[Metric, State],
        counts: Counter[str],
    ) -> dict[Metric, Ends]:
        """Return the states under the best and the worst tie order, for metrics whose values it could change."""
        tied = judged.tied
        if tied is None or not len(queries := undecided(tied, judged.scale)):
            return {}
        counts[UNDECIDED] = len(queries)
        reordered_too = [m for m in values if m.judgements and not APART & m.needed()]
        if not reordered_too:
            return {}
        lists = judged.take(queries, tied)
        best, worst = (lists.reordered(reordered(lists.found, how, lists.scale)) for how in ("best", "worst"))
        return {
            m: (
                self._state_with(m, states[m], values[m], queries, best),
                self._state_with(m, states[m], values[m], queries, worst),
            )
            for m in reordered_too
        }

    def _state_with(
        self, metric: Metric, state: State, values: np.ndarray, queries: np.ndarray, lists: Judged
    ) -> State:
        """Return the metric's state after the values of some queries are replaced by those of other lists."""
        assert isinstance(metric, QueryMetric)
        changed = self._values(metric, lists, lists.pool_row >= 0, Counter())
        if isinstance(state, Divisible):
            return state.without(_defined(metric, values[queries])) + _defined(metric, changed)
        values = values.copy()
        values[queries] = changed
        return _defined(metric, values)


def _by_segment(judged: Judged, codes: np.ndarray) -> Iterator[tuple[int, Judged]]:
    """Yield each segment and its lists; they are halved by segment, so that a list is copied once per halving."""
    first, last = (int(code) for code in (codes.min(), codes.max()))
    if first == last:
        yield first, judged
        return
    is_low = codes <= (first + last) // 2
    for half in (np.flatnonzero(is_low), np.flatnonzero(~is_low)):
        yield from _by_segment(judged.take(half, judged.found), codes[half])


def _defined(metric: QueryMetric, values: np.ndarray) -> Average:
    """The state of the values that are not NaN."""
    return metric.summary(values[~np.isnan(values)])


def _refuse_longer_lists(metric: QueryMetric, sampled: int, judged: Judged) -> None:
    """Raise DataError if a list has more nonrelevant items than there were sampled candidates."""
    others = judged.n_retrieved - judged.relevant(getattr(metric, "rel", None)).count()
    longer = np.flatnonzero((judged.pool_row >= 0) & (others > sampled))
    if len(longer):
        row = int(longer[0])
        raise DataError(
            f"{metric}: the list of query {brief(judged.queries.one(row))} has {others[row]:,} nonrelevant items, more "
            f"than sampled={sampled}. Set sampled= to the number of sampled candidates, or drop it if all items were ranked."
        )
