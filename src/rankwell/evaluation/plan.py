"""Plan: judgements, metrics and rules made ready once, which give the results of any run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from rankwell.errors import NeededError, UsageError
from rankwell.evaluation.engine import Engine, engine_of
from rankwell.evaluation.inputs import Inputs
from rankwell.evaluation.needs import asked_of, context_of
from rankwell.evaluation.task import Task
from rankwell.judge import Asked, pool_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.conditions import Conditions
from rankwell.results.segments import Division, Segments
from rankwell.tables.ids import Known
from rankwell.tables.items_users import Items
from rankwell.tables.parts import Parts
from rankwell.tables.run_qrels import Run


@dataclass(frozen=True, eq=False)
class Plan:
    """Judgements, metrics and rules made ready once: the task, one more per slice of the items, and where they run.

    ``counts`` say what the rules touched in the judgements and the training data.
    """

    task: Task
    engine: Engine
    threads: int | None
    counts: Counter[str]
    slices: Mapping[str, Task] = field(default_factory=dict)

    def with_slices(self, slices: Mapping[str, Items]) -> Plan:
        """Return the same plan with slices, in each of which only the judgements of some items count."""
        return replace(self, slices={name: self._slice(items) for name, items in slices.items()})

    def _slice(self, items: Items) -> Task:
        _refuse_on_slices(self.task.metrics)
        if self.task.asked.policy.unjudged == "condense":
            raise UsageError(
                "slices= cannot be combined with unjudged='condense': other items would count as unjudged."
            )
        weights = self.task.segments.weights_alone() if self.task.segments is not None else None
        return replace(self.task, pool=self.task.pool.only(Known(items.item)), segments=weights)

    def with_metrics(self, metrics: tuple[Metric, ...]) -> Plan:
        """Return the same plan with other metrics."""
        asked = asked_of(metrics, self.task.asked.policy)
        self._refuse_unready(asked)
        if self.slices:
            _refuse_on_slices(metrics)
        task, *others = (
            replace(each, metrics=metrics, asked=asked, per_query=True)
            for each in (self.task, *self.slices.values())
        )
        return replace(self, task=task, slices=dict(zip(self.slices, others, strict=True)))

    def _refuse_unready(self, asked: Asked) -> None:
        """Raise NeededError for a metric that needs what was not made ready, as none of the first metrics did."""
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
            "grade_min": ("the lowest grade", context.grade_min),
        }
        for need, asker in asked.by_need.items():
            if need in ready and ready[need][1] is None:
                raise NeededError(
                    f"{asker}: this evaluator was made ready without {ready[need][0]}; give it, and ask for the metric from "
                    f"the start."
                )

    def results(self, run: Run) -> Results:
        """Return the results of one run."""
        keep_freed_memory()
        slices = {name: self._results(run, task, {}) for name, task in self.slices.items()}
        return self._results(run, self.task, slices)

    def _results(self, run: Run, task: Task, slices: Mapping[str, Results]) -> Results:
        task = task.of_run(run)
        part = self.engine.run(run, task, self.threads)
        part = replace(part, counts=self.counts + part.counts)
        conditions = Conditions.of(task.asked.policy, task.context)
        division = Division() if task.segments is None else task.segments.division
        return Results(run.name, task.metrics, conditions, part, division, slices)


def plan_of(
    inputs: Inputs,
    *,
    by: str | Iterable[str] | None = None,
    weights: str | None = None,
    engine: str | Engine | None = None,
    threads: int | None = None,
    per_query: bool = True,
) -> Plan:
    """Make judgements, tables and metrics ready for any number of runs."""
    asked, users, slices = inputs.asked, inputs.users, inputs.slices
    where = engine_of(engine)
    pool, counts = pool_of(inputs.qrels, asked)
    context, history_counts = context_of(
        inputs.metrics, pool, asked, items=inputs.items, train=inputs.train, users=users
    )
    segments, ids = Segments.of(users, by, weights), None if users is None else users.query
    task = Task(inputs.metrics, pool, asked, context, per_query, segments, ids)
    plan = Plan(task, where, threads, counts + history_counts)
    named = slices.parts(pool.items) if isinstance(slices, Parts) else slices
    return plan.with_slices(named) if named else plan


def _refuse_on_slices(metrics: Iterable[Metric]) -> None:
    whole = next((metric for metric in metrics if not metric.sliceable), None)
    if whole is not None:
        raise UsageError(
            f"{whole} has no meaning on a slice of the items: it reads more than the relevant ones. Evaluate it apart "
            f"from slices=."
        )


@cache
def keep_freed_memory() -> None:
    """Make glibc keep the memory of freed arrays for the next ones, once per process.

    It hands larger blocks back to the system, and a third of a small evaluation was spent on allocating them again. Freeing a block
    of this size, which is never touched, raises that limit to it, as any larger array would.
    """
    np.empty(2 << 20, np.uint8)
