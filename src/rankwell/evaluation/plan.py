"""Plan: judgements, metrics and rules prepared once for any number of runs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataWarning, NeededError, UsageError, brief
from rankwell.evaluation.engine import Engine, engine_of
from rankwell.evaluation.inputs import (
    Inputs,
    asked_of,
    refuse_beside_parts,
    refuse_beside_spans,
    refuse_budgets,
)
from rankwell.evaluation.request import Request
from rankwell.evaluation.task import BATCH_ROWS, Task
from rankwell.matching import Asked, pool_of
from rankwell.matching.batch import Context, overlapping_ids
from rankwell.matching.groups import Groups, unknown_groups
from rankwell.matching.policy import Policy
from rankwell.matching.pool import ENOUGH, TENTH, Pool, has_pad
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.segments import UNDIVIDED, Segments
from rankwell.tables.arguments import plain
from rankwell.tables.columns import counts_of
from rankwell.tables.ids import Digest, Known
from rankwell.tables.items_users import Items
from rankwell.tables.machine import at_most
from rankwell.tables.popularity import Parts
from rankwell.tables.run_qrels import PAD, Run

if TYPE_CHECKING:
    from pathlib import Path

    from rankwell.evaluation.bounds import Bounds, BoundsAsked
    from rankwell.results.ledger import LedgerFile


LOOKED_AT = 1000  # judged items of which enough different ones show whether ids tell something


@record(eq=False)
class Plan:
    """Judgements, metrics and rules prepared once: the task, one more task per slice of the items, and the engine.

    ``counts`` holds the numbers of rows that the rules affected in the judgements and the training data. ``asked`` are the
    bounds that were asked for, and ``bounds`` what makes them for the runs of a call. A ``ledger`` needs values per query also where results do
    not keep them. ``met`` says of what, items or
    users, one that is judged is in the training data; None if there is nothing to be met.
    """

    task: Task
    engine: Engine
    threads: int | None
    counts: Mapping[str, int]
    slices: Mapping[str, Task] = field(default_factory=dict)
    asked: BoundsAsked | None = None
    bounds: Bounds | None = None
    met: frozenset[str] | None = None
    ledger: LedgerFile | None = None
    keeps_values: bool = True

    is_streamed: ClassVar[bool] = False

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return self.task.metrics

    @property
    def policy(self) -> Policy:
        """The policy of the evaluation."""
        return self.task.asked.policy

    def with_slices(self, slices: Mapping[str, Items]) -> Plan:
        """Return the same plan with slices; in each, only the judgements of its items count.

        Metrics that mean nothing on a slice are computed on all items only.
        """
        return replace(self, slices={name: self._slice(items) for name, items in slices.items()})

    def _slice(self, items: Items) -> Task:
        metrics = on_slices(self.task.metrics)
        if self.task.asked.policy.unjudged == "condense":
            raise UsageError(
                "slices= cannot be combined with unjudged='condense', because items outside a slice would count as "
                "unjudged; use unjudged='nonrelevant'."
            )
        weights = self.task.segments.weights_alone() if self.task.segments is not None else None
        pool = self.task.pool.only(Known(items.item))
        return replace(self.task, metrics=metrics, pool=pool, segments=weights, per_query=self.keeps_values)

    def with_metrics(self, metrics: tuple[Metric, ...]) -> Plan:
        """Return the same plan with other metrics, for which a look is no use of the judgements: it writes to no ledger."""
        asked = asked_of(metrics, self.task.asked.policy)
        refuse_budgets(metrics, asked)
        self._refuse_unready(asked)
        if "spans" in self.task.asked.needs:
            refuse_beside_spans((*self.metrics, *metrics), self.policy)
        if "parts" in asked.needs:
            refuse_beside_parts(metrics, self.policy)
        task = replace(self.task, metrics=metrics, asked=asked, per_query=True)
        sliced = on_slices(metrics) if self.slices else ()
        slices = {
            name: replace(task_of_slice, metrics=sliced, asked=asked, per_query=True)
            for name, task_of_slice in self.slices.items()
        }
        return replace(self, task=task, slices=slices, bounds=None, ledger=None)

    def _refuse_unready(self, asked: Asked) -> None:
        """Raise NeededError if a metric needs something that was not prepared, because no earlier metric needed it."""
        pool, context = self.task.pool, self.task.context
        items = context.items
        ready = {
            "topics": ("topics", pool.topics),
            "propensity": ("propensities", pool.propensity),
            "catalogue": ("items=", context.catalogue),
            "collection_size": ("items=", items),
            "features": ("the columns of items=", None if items is None else items.frame),
            "history": ("train=", context.train),
            "counts": ("train=", context.train),
            "users": ("users=", context.users),
            "sizes": ("the sizes of items", context.sizes),
            "spans": ("judgements of spans", items if "spans" in self.task.asked.needs else None),
            "grade_min": ("the lowest grade", context.grade_min),
        }
        for need, asker in asked.by_need.items():
            if need in ready and ready[need][1] is None:
                raise NeededError(
                    f"{asker} needs {ready[need][0]}, which this evaluator was made without; make a new Evaluator for this "
                    f"metric."
                )

    def for_runs(self, runs: Sequence[Run]) -> Plan:
        """Return the same plan for the runs of a call, which together are pooled if bounds were asked for."""
        if self.asked is None or self.bounds is not None:
            return self
        from rankwell.evaluation.bounds import Bounds

        return replace(self, bounds=Bounds.of(self.task, self.asked, runs))

    def settled_results(self, run: Run) -> Results:
        """Return the results of one run, with nothing left to be worked out at a first look: what threads work on is done by them."""
        results = self.results(run)
        for part_results in (results, *results.slices.values()):
            part_results.part.settle()
        return results

    def results(self, run: Run) -> Results:
        """Return the results of one run."""
        keep_freed_memory()
        # the run is evaluated once more for each slice: its lists stay whole, but other items count as judged
        slices: dict[str, Results] = {}
        if self.slices:
            slices = {name: self._results(run, task, {}) for name, task in self.slices.items()}
        results = self._results(run, self.task, slices)
        if run.has_pads and self.task.pool.once(has_pad):
            name = "qrels" if self.task.origin is None else self.task.origin[0]
            warnings.warn(
                f"{name}: item {PAD} is judged, but at the end of a list of item numbers {PAD} is padding, and not read. If it is an "
                f"item, give it another id; if not, remove its judgements.",
                DataWarning,
                stacklevel=2,
            )
        if may_mismatch(results, self.task.pool):
            from rankwell.evaluation.id_check import TablesInMemory, check_ids

            with at_most(self.threads) if self.threads is not None else nullcontext():
                results = check_ids(
                    results, TablesInMemory(run, self.task), with_queries=lacks_queries(results.counts)
                )
        if self.met is not None:
            results = check_training(results, self.met, self.task.asked)
        if self.ledger is not None:
            results = self._written(results, run, self.ledger)
        bounds = None if self.asked is None else self.for_runs([run]).bounds
        if bounds is None:
            return results
        part = bounds.added(results.part, run, self.engine, self.threads)
        return replace(results, part=part, bounding=bounds.bounding)

    def _written(self, results: Results, run: Run, ledger: LedgerFile) -> Results:
        """The results, whose line was written to the ledger; without their values per query if these were only for that."""
        from rankwell.results.ledger import Use

        digests = (make().digest for make in run.rows.batches(BATCH_ROWS))
        use = Use.of(ledger.judgements, sum(digests, Digest()), results.part)
        ledger.write(results, use, ledger.qrels)
        return results if self.keeps_values else replace(results, part=replace(results.part, values={}))

    def _results(self, run: Run, task: Task, slices: Mapping[str, Results]) -> Results:
        task = task.of_run(run)
        counts = {**self.counts, **counts_of("run", run.unread)} if run.unread else self.counts
        counts = {**counts, **run.counts} if run.counts else counts
        part = self.engine.run(run, task, self.threads).with_counts({**counts, **(task.folded or {})})
        if task.context.groups is not None and self.policy.judged is None:
            part = part.with_counts(unknown_groups(part.counts))
        division = UNDIVIDED if task.segments is None else task.segments.division
        results = Results(run.name, task.metrics, task.conditions, part, division, slices)
        named = run.words if task.origin is None else {**run.words, **task.origin[2]}
        if "query" not in named:
            return results
        columns = dict.fromkeys([named["query"], run.words.get("query", named["query"])])
        return replace(results, query_columns=tuple(columns))


class Opener(Engine, Protocol):
    """An engine that opens the tables itself, and evaluates any run by them."""

    @property
    def no_task(self) -> str:
        """What it says where judgements would have to be held."""

    @property
    def writes_values(self) -> bool:
        """Whether it can write the values of each query to a file."""

    def results(self, plan: OpenedPlan, run: Run) -> Results:
        """Return the results of one run."""


@record(eq=False)
class OpenedPlan:
    """Opened tables, metrics and rules, for any number of runs; no judgements are held, so an evaluation is all that can be made of them."""

    inputs: Inputs
    engine: Opener
    threads: int | None
    per_query: bool | Path
    segments: Segments | None
    tie_ranges: bool
    slices: Mapping[str, Task] = field(default_factory=dict)  # those of results are made for each run
    ledger: LedgerFile | None = None

    is_streamed: ClassVar[bool] = True

    @property
    def task(self) -> Task:
        """Raise UsageError: no judgements are held that anything else could be computed from."""
        raise UsageError(self.engine.no_task)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return self.inputs.metrics

    @property
    def policy(self) -> Policy:
        """The policy of the evaluation."""
        return self.inputs.asked.policy

    def with_metrics(self, metrics: tuple[Metric, ...]) -> OpenedPlan:
        """Return the same plan with other metrics, for which a look is no use of the judgements: it writes to no ledger."""
        asked = asked_of(metrics, self.inputs.asked.policy)
        return replace(self, inputs=replace(self.inputs, metrics=metrics, asked=asked), ledger=None)

    def results(self, run: Run) -> Results:
        """Return the results of one run."""
        return self.engine.results(self, run)

    settled_results = results


def plan_of(request: Request, inputs: Inputs) -> Plan | OpenedPlan:
    """Prepare what was read of a request for any number of runs."""
    threads = None if request.threads is None else plain("threads", request.threads, int)
    weights = None if request.weights is None else plain("weights", request.weights, str)
    engine = engine_of(None) if request.engine is None else request.engine
    bounds_asked = None
    if request.bounds is not False or request.pool is not None or request.scale is not None:
        from rankwell.evaluation.bounds import BoundsAsked

        bounds_asked = BoundsAsked.of(request, engine)
    segments = None
    if request.by is not None or weights is not None:
        segments = Segments.of(inputs.users, request.by, weights, metrics=inputs.metrics)
    per_query = request.per_query
    if engine.opens:
        from pathlib import Path

        opener = cast("Opener", engine)
        is_file = opener.writes_values and isinstance(per_query, (str, os.PathLike))
        values = Path(per_query) if is_file else plain("per_query", per_query, bool)  # type: ignore[arg-type]
        opened = inputs.in_pieces()
        return OpenedPlan(opened, opener, threads, values, segments, request.tie_ranges, ledger=inputs.ledger)
    if per_query is not True and isinstance(per_query, (str, os.PathLike)):
        raise UsageError(
            f"per_query={brief(os.fspath(per_query))} is for engine='stream', which does not hold the values; for others save the results."
        )
    per_query = per_query is True or plain("per_query", per_query, bool)
    if bounds_asked is not None and not per_query:
        raise UsageError("bounds need the values of each query; leave out per_query=False.")
    qrels, train, asked = inputs.qrels, inputs.train, inputs.asked
    with at_most(threads) if threads is not None else nullcontext():
        pool, affected = pool_of(qrels, asked)
    context, history_counts = _context(inputs, pool)
    task = Task(
        inputs.metrics,
        pool,
        asked,
        context,
        per_query or inputs.ledger is not None,
        segments,
        users=None if inputs.users is None else inputs.users.query,
        matrices=(None if qrels is None else qrels.matrix, None if train is None else train.matrix),
        tie_ranges=request.tie_ranges,
        origin=None if qrels is None else (qrels.name, qrels.source, dict(qrels.words)),
    )
    counts = {**affected, **history_counts}
    met = None
    if context.train is not None and qrels is not None:
        met = overlapping_ids(context.train, pool)
    if qrels is not None and qrels.unread:
        counts |= counts_of("judgements", qrels.unread)
    plan = Plan(
        task,
        engine,
        threads,
        counts,
        asked=bounds_asked,
        met=met,
        ledger=inputs.ledger,
        keeps_values=per_query,
    )
    slices = inputs.slices
    named = slices if type(slices) is dict or not isinstance(slices, Parts) else slices.parts(pool.items)
    return plan.with_slices(named) if named else plan


def _context(inputs: Inputs, pool: Pool) -> tuple[Context, Mapping[str, int]]:
    """What batches share, and how many rows of the training data each rule affected; RankwellError if a table lacks what a metric needs."""
    asked, items, train = inputs.asked, inputs.items, inputs.train
    needs = asked.needs
    counts: Mapping[str, int] = {}
    groups = None if asked.policy.group is None else Groups.of(asked.policy, items)
    sizes = None
    if "sizes" in needs:
        from rankwell.matching.budgets import Sizes

        sizes = Sizes.of(asked.policy, items)
    if groups is not None:
        items = None  # which are single ones
    catalogue, history = None if items is None else Known(items.item), None
    if train is not None and needs & {"history", "counts"}:
        from rankwell.matching import history_of

        history, counts = history_of(train, catalogue, asked.policy)
        catalogue = history.catalogue
    highest = float(pool.grades.max()) if len(pool.grades) else None
    context = Context(
        scale=pool.scale,
        grade_max=highest,
        grade_min=_lowest(pool) if "grade_min" in needs else None,
        catalogue=catalogue,
        items=items,
        train=history,
        users=inputs.users if "users" in needs else None,
        cuts=asked.cuts,
        groups=groups,
        sizes=sizes,
    )
    for metric in inputs.metrics:
        metric.check_tables(context)
    return context, counts


def _lowest(pool: Pool) -> float | None:
    """Return the lowest grade that counts as a judgement."""
    grades = pool.grades[pool.scale.judged(pool.grades)]
    return float(grades.min()) if len(grades) else None


def on_slices(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """Return the metrics that are defined on a slice of the items; refuse if none is."""
    sliced = tuple(metric for metric in metrics if metric.sliceable)
    if not sliced:
        raise UsageError(
            f"{metrics[0]} is not defined on a slice of the items, because it reads more than the relevant ones; evaluate "
            f"it without slices=, or ask for a metric such as r@10 too."
        )
    return sliced


def may_mismatch(results: Results, pool: Pool | None = None) -> bool:
    """Whether ids may be why judged items or queries are in no list: none is found, or a tenth are not and a change could be known."""
    counts = results.part.counts
    judged = counts.get("judgements", 0)
    missing = judged - counts.get("judged items found", 0)
    if missing < 1 or (missing < judged and (missing < ENOUGH or missing < TENTH * judged)):
        return False
    # looked at once for all runs of a call: few different items, or numbers, could match after a change by chance
    may = missing == judged or pool is None or pool.once(_has_many_texts)
    may = may or lacks_queries(counts)
    # ids of chunks are not those of judged spans, nor those of passages those of documents
    has_ids = results.policy.group is None
    return (
        may
        and has_ids
        and any(metric.judgements and "spans" not in metric.needs for metric in results.metrics)
    )


def lacks_queries(counts: Mapping[str, int]) -> bool:
    """Whether judged queries are missing from the run while it has lists of other queries, and both are enough to know a change."""
    missing = counts.get("judged queries missing from the run", 0)
    strange = counts.get("lists", 0) - (counts.get("judged queries", 0) - missing)
    return min(missing, strange) >= ENOUGH


def _has_many_texts(pool: Pool) -> bool:
    """Whether the judged items are text, and enough different ones among the first."""
    return pool.items.is_text and len(pool.items[:LOOKED_AT].distinct()) >= ENOUGH


def check_training(results: Results, met: frozenset[str] | None, asked: Asked) -> Results:
    """Return results that say so if no judged item, or user where metrics look at each user's own history, is in the training data."""
    if met is None or results.notice is not None:
        return results
    what = None
    if "item" not in met:
        what = Composed(
            "{name}: no judged item is in the training data. Check that both have the same ids.",
            name=results.name,
        )
    elif "user" not in met and "history" in asked.needs:
        what = Composed(
            "{name}: no judged user is in the training data. Check that both have the same ids.",
            name=results.name,
        )
    return results if what is None else replace(results, notice=what)


@cache
def keep_freed_memory() -> None:
    """Make glibc reuse the memory of freed arrays; called once per process.

    By default glibc returns large blocks to the system, and allocating them again took a third of the time of a small
    evaluation. Freeing a block of this size raises the limit for reuse to it, as any larger array would. The block itself
    is never touched.
    """
    np.empty(8 << 20, np.uint8)
