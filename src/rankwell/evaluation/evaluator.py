"""Evaluator: judgements and metrics made ready for any number of runs."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankwell.errors import NeededError, UsageError
from rankwell.evaluation.engine import Engine, cores, engine_of
from rankwell.evaluation.inputs import Inputs, read_inputs
from rankwell.evaluation.needs import Needs, context_of
from rankwell.evaluation.one_query import one_query
from rankwell.evaluation.task import Task
from rankwell.judge import pool_of
from rankwell.judge.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_run
from rankwell.results import Results
from rankwell.results.segments import Segments
from rankwell.tables.ids import Known
from rankwell.tables.items_users import Items
from rankwell.tables.parts import Parts
from rankwell.tables.run_qrels import Run

# glibc hands arrays back to the system when they are freed, and a third of a small evaluation was spent on having them anew.
# Freeing one block of this size, which is never touched, makes it keep up to twice as much for the next call.
np.empty(2 << 20, np.uint8)


class Evaluator:
    """Judgements and metrics made ready once, for any number of runs; immutable, and safe between threads.

    Parameters
    ----------
    qrels
        The judgements, as ``rankwell.read_qrels`` takes them; None if the metrics need only lists.
    metrics
        Texts such as ``"ndcg@10"``, or values such as ``rw.P @ 5``.
    train
        What the system learned from, for metrics that need it: what ``rankwell.read_qrels`` takes; each pair of user
        and item counts once.
    items
        The catalogue, for metrics that need it: ids, a table with an item column, or a path; its other columns are
        topics, numbers, embeddings, groups, for metrics of these.
    users
        A table of queries (users) with more columns, for ``by``, ``weights`` and metrics that need it: a data frame,
        records, or a path. ``user_coverage`` counts its users.
    by
        Columns of ``users``: the values of each segment stand in ``results.segments``.
    weights
        A column of ``users``: how much each query weighs in the means.
    slices
        Named sets of items, such as ``{"head": […], "tail": […]}``: each is evaluated as well, with ranks as they are and
        only the judgements of its items, in ``results.slices``; or a cut, such as ``rankwell.long_tail(train)`` or a
        fitted ``rankwell.prepare.PopularityCut``: head and tail, where items that the log does not have are tail.
    policy
        The rules for ties, missing queries, ratings …; see ``rankwell.Policy``.
    engine, threads
        Where it runs, and on how many threads (default: the cores of this process).
    per_query
        Whether to keep the value of each query.

    Raises
    ------
    RankwellError
        If a metric is unknown or needs a table that was not given, or the judgements cannot be used.

    Examples
    --------
    >>> import rankwell as rw
    >>> ev = rw.Evaluator({"1": {"a": 1}, "2": {"b": 1}}, ["rr"])
    >>> ev.evaluate({"1": {"a": 1.0}, "2": {"a": 2.0, "b": 1.0}})["rr"]
    0.75
    """

    def __init__(
        self,
        qrels: Any,
        metrics: Iterable[Wanted] | Wanted | None,
        *,
        train: Any = None,
        items: Any = None,
        users: Any = None,
        by: str | Iterable[str] | None = None,
        weights: str | None = None,
        slices: Mapping[str, Any] | Parts | None = None,
        policy: Policy = Policy(),  # noqa: B008 - a frozen value
        engine: str | Engine | None = None,
        threads: int | None = None,
        per_query: bool = True,
    ) -> None:
        inputs = read_inputs(
            metrics, policy, qrels=qrels, train=train, items=items, users=users, slices=slices
        )
        self._make_ready(inputs, by, weights, engine, threads, per_query=per_query)

    @classmethod
    def of(
        cls,
        inputs: Inputs,
        *,
        by: str | Iterable[str] | None = None,
        weights: str | None = None,
        engine: str | Engine | None = None,
        threads: int | None = None,
        per_query: bool = True,
    ) -> Evaluator:
        """Return an evaluator of tables that have been read."""
        made = cls.__new__(cls)
        made._make_ready(inputs, by, weights, engine, threads, per_query=per_query)  # noqa: SLF001 - its own
        return made

    def _make_ready(
        self,
        inputs: Inputs,
        by: str | Iterable[str] | None,
        weights: str | None,
        engine: str | Engine | None,
        threads: int | None,
        *,
        per_query: bool,
    ) -> None:
        asked, users, slices = inputs.asked, inputs.users, inputs.slices
        self.metrics, self.policy = inputs.metrics, asked.policy
        self._engine, self._threads = engine_of(engine), threads
        pool, counts = pool_of(inputs.qrels, asked)
        context, told = context_of(
            self.metrics, pool, asked, items=inputs.items, train=inputs.train, users=users
        )
        self._counts = counts + told
        segments, ids = Segments.of(users, by, weights), None if users is None else users.query
        self.task = Task(self.metrics, pool, asked, context, inputs.needs.with_ends, per_query, segments, ids)
        named = slices.parts(pool.items) if isinstance(slices, Parts) else slices
        self._slices = {name: self._slice(part) for name, part in named.items()}

    def _slice(self, part: Items) -> Task:
        """The same task where only the judgements of some items count."""
        whole = next((metric for metric in self.metrics if not metric.sliceable), None)
        if whole is not None:
            raise UsageError(
                f"{whole} has no meaning on a slice of the items: it reads more than the relevant ones. Evaluate it apart "
                f"from slices=."
            )
        if self.policy.unjudged == "condense":
            raise UsageError(
                "slices= cannot be combined with unjudged='condense': other items would count as unjudged."
            )
        known = Known(part.item)
        weights = self.task.segments.weights_alone() if self.task.segments is not None else None
        return replace(self.task, pool=self.task.pool.only(known), segments=weights)

    def evaluate(self, run: Any) -> Results:
        """Return the results of one run: a path, a dict, a table or a Run.

        Raises
        ------
        RankwellError
            If the run cannot be read, or has nothing in common with the judgements.
        """
        return self.results_of(read_run(run))

    def results_of(self, run: Run) -> Results:
        """Return the results of a run that has been read."""
        slices = {name: self._results(run, task.of_run(run), run.name) for name, task in self._slices.items()}
        return self._results(run, self.task.of_run(run), run.name, slices)

    def _results(self, read: Run, task: Task, name: str, slices: dict[str, Results] | None = None) -> Results:
        part = self._engine.run(read, task, self._threads)
        return Results(
            name,
            self.metrics,
            self.policy,
            task.context,
            queries=part.queries,
            values=part.values,
            states=part.states,
            ends=part.ends,
            counts=self._counts + part.counts,
            undefined=part.undefined,
            known=part.known,
            origin=_Origin(self, read),
            segments=task.segments,
            split=part.split,
            weighted=part.weighted,
            sizes=part.sizes,
            slices=slices,
            diagnostics=part.diagnostics,
        )

    def of_other_metrics(self, metrics: Iterable[Wanted]) -> Evaluator:
        """Return an evaluator of other metrics with the same judgements and policy, which are not read again."""
        other = copy.copy(self)
        other.metrics = metrics_of(metrics)
        needs = Needs.of(other.metrics)
        asked = needs.asked(self.policy)
        if "topics" in asked.needs and self.task.pool.topics is None:
            raise NeededError(
                "the judgements were made ready without topics; ask for metrics of topics from the start."
            )
        other.task = replace(
            self.task, metrics=other.metrics, asked=asked, with_ends=needs.with_ends, per_query=True
        )
        return other

    def evaluate_all(self, runs: Mapping[str, Any]) -> dict[str, Results]:
        """Return the results of several runs by their names; runs are evaluated side by side, one per core.

        Raises
        ------
        RankwellError
            As for ``evaluate``; the first run that cannot be evaluated stops the others.
        """
        return self.results_of_all({name: read_run(run, name=name) for name, run in runs.items()})

    def results_of_all(self, runs: Mapping[str, Run]) -> dict[str, Results]:
        """Return the results of runs that have been read, by their names."""
        workers = min(self._threads or cores(), len(runs))
        if workers < 2:
            return {name: self.results_of(run) for name, run in runs.items()}
        alone = copy.copy(self)
        alone._threads = max((self._threads or cores()) // workers, 1)  # noqa: SLF001 - a copy of itself
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(workers) as executor:
            return dict(zip(runs, executor.map(alone.results_of, runs.values()), strict=True))


class _Origin:
    """A run and the evaluator that evaluated it: more of the same run under the same policy."""

    def __init__(self, evaluator: Evaluator, run: Run) -> None:
        self._evaluator, self._run = evaluator, run

    def evaluate(self, metrics: list[Metric]) -> Results:
        """Return the results of other metrics."""
        return self._evaluator.of_other_metrics(metrics).evaluate(self._run)

    def hits(self, query: str | int, rel: float | None) -> tuple[list[int], int, int, str | int]:
        """Return the ranks of a query's hits, its R, the length of its list, and its id."""
        one = one_query(self._evaluator.task, self._run.rows.table(), query)
        ranks = one.judged.relevant(rel).rank.tolist()
        return ranks, int(one.judged.n_relevant(rel)[0]), int(one.judged.n_retrieved[0]), one.query
