"""Evaluator: judgements and metrics made ready for any number of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankwell.evaluation.engine import Engine, cores
from rankwell.evaluation.inputs import Inputs, read_inputs
from rankwell.evaluation.plan import Plan, plan_of
from rankwell.evaluation.task import Task
from rankwell.judge.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_run
from rankwell.results import Results
from rankwell.tables.parts import Parts
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.results.contingency import Contingency
    from rankwell.results.curves import Curve

LEVELS = tuple(level / 100 for level in range(101))


@dataclass(frozen=True, init=False, eq=False, repr=False)
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

    plan: Plan

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
        plan = plan_of(inputs, by=by, weights=weights, engine=engine, threads=threads, per_query=per_query)
        object.__setattr__(self, "plan", plan)

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
        return cls._of(
            plan_of(inputs, by=by, weights=weights, engine=engine, threads=threads, per_query=per_query)
        )

    @classmethod
    def _of(cls, plan: Plan) -> Evaluator:
        evaluator = cls.__new__(cls)
        object.__setattr__(evaluator, "plan", plan)
        return evaluator

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the order asked."""
        return self.plan.task.metrics

    @property
    def policy(self) -> Policy:
        """The rules that values are made under."""
        return self.plan.task.asked.policy

    @property
    def task(self) -> Task:
        """What is done with every batch of lists."""
        return self.plan.task

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
        return self.plan.results(run)

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
        threads = self.plan.threads or cores()
        workers = min(threads, len(runs))
        if workers < 2:
            return {name: self.plan.results(run) for name, run in runs.items()}
        plan = replace(self.plan, threads=max(threads // workers, 1))
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(workers) as executor:
            return dict(zip(runs, executor.map(plan.results, runs.values()), strict=True))

    def of_other_metrics(self, metrics: Iterable[Wanted]) -> Evaluator:
        """Return an evaluator of other metrics with the same judgements and policy, which are not read again."""
        return Evaluator._of(self.plan.with_metrics(metrics_of(metrics)))

    def curve(
        self,
        run: Any,
        query: str | int | None = None,
        *,
        levels: Sequence[float] = LEVELS,
        rel: float | None = None,
    ) -> Curve:
        """Return the precision-recall curve of one query of a run, or the mean interpolated curve of all.

        Parameters
        ----------
        run
            As for ``evaluate``.
        query
            Whose curve; None for the mean over the queries with a relevant item.
        levels
            The levels of recall at which precision is interpolated; default 0, 0.01, …, 1.
        rel
            The grade from which an item is relevant; default above 0, or the policy's rel.

        Examples
        --------
        >>> import rankwell as rw
        >>> ev = rw.Evaluator({"q": {"a": 1, "c": 1}}, ["ap"])
        >>> curve = ev.curve({"q": ["a", "b", "c"]}, "q", levels=[0, .5, 1])
        >>> curve.precision, curve.break_even
        ((1.0, 1.0, 0.6666666666666666), 0.5)
        >>> curve.points  # rank, recall, precision
        ((1, 0.5, 1.0), (2, 0.5, 0.5), (3, 1.0, 0.6666666666666666))
        """
        from rankwell.evaluation.curves import curve_of

        return curve_of(self.plan, read_run(run), query, levels, rel)

    def contingency(
        self, run: Any, k: int | None = None, *, collection: int | None = None, rel: float | None = None
    ) -> Contingency:
        """Return TP, FP, FN and TN per query of a run and pooled, with micro and macro precision, recall and F1.

        Parameters
        ----------
        run
            As for ``evaluate``.
        k
            Only the first k items count as retrieved; None for all.
        collection
            The number of items that could be retrieved; without it TN is unknown.
        rel
            The grade from which an item is relevant; default above 0, or the policy's rel.

        Examples
        --------
        >>> import rankwell as rw
        >>> ev = rw.Evaluator({"q": {"a": 1, "c": 1}, "r": {"a": 1}}, ["ap"])
        >>> table = ev.contingency({"q": ["a", "b"], "r": ["a"]}, collection=10)
        >>> table.pooled, table.micro["P"], table.macro["P"]
        ({'TP': 2, 'FP': 1, 'FN': 1, 'TN': 16}, 0.6666666666666666, 0.75)
        """
        from rankwell.evaluation.curves import contingency_of

        return contingency_of(self.plan, read_run(run), k, collection, rel)
