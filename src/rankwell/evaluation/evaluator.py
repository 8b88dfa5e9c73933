"""Evaluation of runs: ``evaluate`` for one, an Evaluator for any number by the same judgements and metrics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankwell.evaluation.engine import Engine, engine_of
from rankwell.evaluation.inputs import OF_COLUMNS, Inputs, needing, read_inputs, run_of, runs_of
from rankwell.evaluation.plan import OpenedPlan, Plan, plan_of
from rankwell.evaluation.request import (
    NOTHING_SAID,
    READING,
    Request,
    Words,
    read_with,
    reading_of,
    refuse_words,
)
from rankwell.evaluation.task import Task
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_run
from rankwell.readers.sources import name_as_text, refuse_unnamed
from rankwell.results import Results
from rankwell.results.warnings import warn
from rankwell.tables.arguments import checked
from rankwell.tables.machine import Workers, cores
from rankwell.tables.popularity import Parts
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.results.contingency import Contingency
    from rankwell.results.curves import Curve


# the arguments beside the fields of a policy, which a misspelt one may mean
OF_EVALUATE = (
    "metrics", "labels", "train", "items", "users", "by", "weights", "slices", "engine", "threads", "per_query", "preset",
    "read", "bounds", "pool", "scale", "ledger", *READING,
)  # fmt: skip
OF_EVALUATOR = (
    "metrics", "labels", "train", "items", "users", "by", "weights", "slices", "engine", "threads", "per_query", "read", "bounds",
    "pool", "scale", "ledger", *READING,
)  # fmt: skip
LEVELS = tuple(level / 100 for level in range(101))  # of recall


def evaluate(
    run: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    labels: Any = None,
    train: Any = None,
    items: Any = None,
    users: Any = None,
    by: str | Iterable[str] | None = None,
    weights: str | None = None,
    slices: Mapping[str, Any] | Parts | None = None,
    policy: Policy | None = None,
    engine: str | Engine | None = None,
    threads: int | None = None,
    per_query: bool | str | os.PathLike[str] = True,
    preset: str | None = None,
    read: Mapping[str, Any] | None = None,
    bounds: bool = False,
    pool: Any = None,
    scale: float | Sequence[float] | None = None,
    ledger: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    format_in: str | None = None,
    qrels_format: str | None = None,
    encoding: str | None = None,
    order: Literal["rows"] | None = None,
    **rules: Unpack[Words],
) -> Results:
    """Evaluate one run against judgements.

    Parameters
    ----------
    run
        A path, ``{query: {item: score}}``, a table with columns query, item, score or rank, or a Run.
    qrels
        A path, ``{query: {item: grade}}``, a table with columns query, item, grade, a matrix of labels, or Qrels; None if the
        metrics need only lists.
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rw.P @ 5``; at least one.
    labels, train, items, users, by, weights, slices, policy, engine, threads, per_query, bounds, pool, scale, ledger, rules
        As for ``Evaluator``.
    preset
        The name of another tool whose definitions and rules to use, such as ``"rectools"``; ``policy`` can then set only
        ``grades`` and ``rel``.
    columns, qrels_columns, format_in, qrels_format, encoding, order, read
        How the run and the judgements are read, as for ``Evaluator``.

    Returns
    -------
    Results
        With ``res["ndcg@10"]``, ``res.mean``, ``res.per_query``, ``res.counts``, ``res.policy``.

    Raises
    ------
    RankwellError
        With a message that names the file and line or the query, the cause and the fix.

    Examples
    --------
    >>> import rankwell as rw
    >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> rw.evaluate(run, {"q1": {"b": 1, "c": 2}}, ["ap", "rr", rw.P @ 2]).mean
    {'ap': 0.5833333333333333, 'rr': 0.5, 'p@2': 0.5}
    """
    of_runs, of_qrels = reading_of(
        read_with(read, rules) if rules else read, columns=columns, qrels_columns=qrels_columns, format_in=format_in, qrels_format=qrels_format,
        encoding=encoding, order=order,
    )  # fmt: skip
    if of_runs or (of_qrels["columns"] is not NOTHING_SAID and of_qrels["columns"]):
        refuse_words(run, of_runs, qrels, of_qrels)
    request = Request(
        engine=engine_of(engine, run, qrels, train, per_query=per_query), policy=policy_with(policy, rules, OF_EVALUATE),
        metrics=metrics_of(metrics), preset=preset, qrels=qrels, labels=labels, train=train, items=items, users=users, by=by, weights=weights,
        slices=slices, threads=threads, per_query=per_query, bounds=bounds, pool=pool, scale=scale, of_runs=of_runs, of_qrels=of_qrels, ledger=ledger,
    )  # fmt: skip
    inputs = read_inputs(request, [run])
    results = plan_of(request, inputs).results(inputs.runs[0])
    warn([results], stacklevel=2)
    return results


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Evaluator:
    """Judgements and metrics prepared once for any number of runs; immutable and thread-safe.

    Parameters
    ----------
    qrels
        The judgements, in any form that ``rankwell.read_qrels`` accepts; None if the metrics need only lists.
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rw.P @ 5``.
    labels
        Instead of ``qrels``: a matrix, or rows, with a label of each item for each query, in the shape of the scores. Each label
        is a grade, and nan is an item that was not judged.
    train
        The training data, for metrics that need them, in any form that ``rankwell.read_qrels`` accepts. Each pair of
        user and item counts once.
    items
        The catalogue, for metrics that need it: ids, a table with an item column, or a path. Other columns hold topics,
        numbers, embeddings or groups, for metrics that use them.
    users
        A table with one row per query (user), for ``by``, ``weights`` and metrics that need it: a data frame, records,
        or a path. ``user_coverage`` counts its users.
    by
        Columns of ``users`` that divide the queries into segments; the values are in ``results.segments``.
    weights
        A column of ``users`` with the weight of each query in the means.
    slices
        Named sets of items, such as ``{"head": […], "tail": […]}``. Each slice is evaluated too, with unchanged ranks and
        only the judgements of its items; the values are in ``results.slices``. Or a cut into head and tail, such as
        ``rankwell.long_tail(train)`` or a fitted ``rankwell.prepare.PopularityCut``; items missing from its log are tail.
    policy
        The rules for ties, missing queries, ratings and other edge cases; see ``rankwell.Policy``.
    rules
        Fields of the policy by themselves, such as ``rel=7`` or ``missing="skip"``, with or without ``policy``; and the words of
        ``read``, such as ``query_ids=["q1", "q2"]``.
    engine, threads
        Where to run: ``"memory"``, or ``"stream"`` for data that do not fit into memory (see ``rankwell.Stream``, whose values may be
        given, too); and on how many threads (default: all cores available to this process).
    per_query
        Whether to keep the values of each query; with ``engine="stream"`` also a Parquet file to write them to instead, as
        ``Results.save`` would.
    columns, format_in, order
        How runs are read, as for ``read_run``: what columns hold (``{"its name": "query"}``), the format of a file, and ``"rows"`` if
        the rows of a table stand best first.
    qrels_columns, qrels_format
        What the columns of the judgements hold, and the format of their file.
    encoding
        The encoding of all text files that are not UTF-8.
    read
        The same and other arguments of ``read_run`` by name, such as ``{"rank_base": 0}``.
    bounds
        Whether to bound each value over all grades that unjudged items could have (``Results.bounds``).
    pool
        For ``bounds``, the items that may be relevant beside those of a list: those of the runs of the call down to a depth
        (``100``, or ``"all"``), of other runs, or both (``[100, "other.run"]``). Without it metrics that depend on the number
        of relevant items have no lowest value.
    scale
        For ``bounds``, the highest grade of the scale, or all its grades; by default it ends at the highest grade judged.
    ledger
        A file to which each evaluation appends a line (``docs/ledger.md``), from which ``rw.read_ledger`` tells how often the judgements were
        used. It changes no value.

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

    plan: Plan | OpenedPlan
    read: Mapping[str, Any]

    def __init__(
        self,
        qrels: Any,
        metrics: Iterable[Wanted] | Wanted | None,
        *,
        labels: Any = None,
        train: Any = None,
        items: Any = None,
        users: Any = None,
        by: str | Iterable[str] | None = None,
        weights: str | None = None,
        slices: Mapping[str, Any] | Parts | None = None,
        policy: Policy | None = None,
        engine: str | Engine | None = None,
        threads: int | None = None,
        per_query: bool | str | os.PathLike[str] = True,
        read: Mapping[str, Any] | None = None,
        bounds: bool = False,
        pool: Any = None,
        scale: float | Sequence[float] | None = None,
        ledger: str | os.PathLike[str] | None = None,
        columns: Mapping[str, str] | None = None,
        qrels_columns: Mapping[str, str] | None = None,
        format_in: str | None = None,
        qrels_format: str | None = None,
        encoding: str | None = None,
        order: Literal["rows"] | None = None,
        **rules: Unpack[Words],
    ) -> None:
        of_runs, of_qrels = reading_of(
            read_with(read, rules), columns=columns, qrels_columns=qrels_columns, format_in=format_in, qrels_format=qrels_format,
            encoding=encoding, order=order,
        )  # fmt: skip
        request = Request(
            engine=engine_of(engine, qrels, train, per_query=per_query), policy=policy_with(policy, rules, OF_EVALUATOR),
            metrics=metrics_of(metrics), qrels=qrels, labels=labels, train=train, items=items, users=users, by=by, weights=weights,
            slices=slices, threads=threads, per_query=per_query, bounds=bounds, pool=pool, scale=scale, of_runs=of_runs, of_qrels=of_qrels, ledger=ledger,
        )  # fmt: skip
        plan = plan_of(request, read_inputs(request))
        object.__setattr__(self, "plan", plan)
        object.__setattr__(self, "read", _reading(of_runs, plan))

    @classmethod
    def of(cls, request: Request, inputs: Inputs | None = None) -> Evaluator:
        """Return an evaluator for a request, of which the inputs may have been read."""
        plan = plan_of(request, read_inputs(request) if inputs is None else inputs)
        return cls._of(plan, request.of_runs)

    @classmethod
    def _of(cls, plan: Plan | OpenedPlan, read: Mapping[str, Any]) -> Evaluator:
        evaluator = cls.__new__(cls)
        object.__setattr__(evaluator, "plan", plan)
        object.__setattr__(evaluator, "read", _reading(dict(read), plan))
        return evaluator

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the order given."""
        return self.plan.metrics

    @property
    def policy(self) -> Policy:
        """The policy of the evaluation."""
        return self.plan.policy

    @property
    def task(self) -> Task:
        """The work done on each batch of lists."""
        return self.plan.task

    def evaluate(self, run: Any) -> Results:
        """Return the results of one run, given as a path, a dict, a table or a Run.

        Raises
        ------
        RankwellError
            If the run cannot be read, or has no query in common with the judgements.
        """
        if self.read:
            refuse_words(run, self.read, None, {})
        results = self.results_of(run_of(run, None, self.plan.engine, self.read))
        warn([results], stacklevel=2)
        return results

    def results_of(self, run: Run) -> Results:
        """Return the results of a run that has been read."""
        return self.plan.results(run)

    def evaluate_all(self, runs: Mapping[str, Any]) -> dict[str, Results]:
        """Return the results of several runs by name; runs are evaluated in parallel, one per core.

        Raises
        ------
        RankwellError
            As for ``evaluate``; the first run that fails stops the others.
        """
        refuse_unnamed(runs, "evaluate_all")
        results = self.results_of_sources(runs)
        warn(results.values(), stacklevel=2)
        return results

    def results_of_sources(self, runs: Mapping[Any, Any]) -> dict[str, Results]:
        """Return the same, and do not warn of data that look wrong; for judgements that are only a part of those given."""
        named = [(run, name_as_text(name)) for name, run in runs.items()]
        opened = runs_of(named, self.plan.engine, self.read)
        return self.results_of_all(dict(zip(runs, opened, strict=True)))

    def warned_results(self, runs: Mapping[str, Run], stacklevel: int) -> dict[str, Results]:
        """Return the results of runs that have been read, by name, and warn of data that look wrong."""
        results = self.results_of_all(runs)
        warn(results.values(), stacklevel=stacklevel + 1)
        return results

    def results_of_all(self, runs: Mapping[str, Run]) -> dict[str, Results]:
        """Return the results of runs that have been read, by name."""
        threads = self.plan.threads or cores()
        workers = min(threads, len(runs))
        plan = self.plan.for_runs([*runs.values()]) if isinstance(self.plan, Plan) and runs else self.plan
        if workers < 2:
            return {name: plan.results(run) for name, run in runs.items()}
        # a thread a run, as runs share no work; what cores are left over go to the batches of each
        plan = replace(plan, threads=max(threads // workers, 1))

        with Workers(workers) as working:
            jobs = [working.submit(partial(plan.settled_results, run)) for run in runs.values()]
            return {name: job.result() for name, job in zip(runs, jobs, strict=True)}

    def of_other_metrics(self, metrics: Iterable[Wanted]) -> Evaluator:
        """Return an evaluator with other metrics and the same judgements and policy, without reading them again; it writes to no ledger."""
        return Evaluator._of(self.plan.with_metrics(metrics_of(metrics)), self.read)

    @checked
    def curve(
        self,
        run: Any,
        query: str | int | None = None,
        *,
        levels: Sequence[float] | None = None,
        rel: float | None = None,
    ) -> Curve:
        """Return the precision-recall curve of one query of a run, or the mean interpolated curve of all queries.

        Parameters
        ----------
        run
            As for ``evaluate``.
        query
            The query; None for the mean over the queries with a relevant item.
        levels
            The levels of recall at which precision is interpolated; default 0, 0.01, …, 1.
        rel
            The lowest grade that counts as relevant; by default the policy's ``rel``, else any grade above 0.

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
        from rankwell.evaluation.query import one_query
        from rankwell.results.curves import curve_of_one, levels_in, mean_curve, steps

        opened, levels = open_run(run, **self.read), LEVELS if levels is None else levels_in(levels)
        if query is None:
            return mean_curve(self._of_columns(opened, steps(levels, rel)), levels)
        self.task.require_fit(opened)
        one = one_query(self.task, opened.rows.table(), query)
        ranks, relevant = one.judged.relevant(rel).rank.tolist(), int(one.judged.n_relevant(rel)[0])
        return curve_of_one(ranks, relevant, int(one.judged.last_rank()[0]), levels, one.query)

    @checked
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
            The number of items that could be retrieved; with it there are TN and accuracy.
        rel
            The lowest grade that counts as relevant; by default the policy's ``rel``, else any grade above 0.

        Examples
        --------
        >>> import rankwell as rw
        >>> ev = rw.Evaluator({"q": {"a": 1, "c": 1}, "r": {"a": 1}}, ["ap"])
        >>> table = ev.contingency({"q": ["a", "b"], "r": ["a"]}, collection=10)
        >>> table.pooled, table.micro["P"], table.macro["P"]
        ({'TP': 2, 'FP': 1, 'FN': 1, 'TN': 16}, 0.6666666666666666, 0.75)
        """
        from rankwell.results.contingency import cells, contingency_from

        return contingency_from(self._of_columns(open_run(run, **self.read), cells(k, rel)), collection)

    def _of_columns(self, run: Run, metrics: Sequence[Metric]) -> Results:
        """The results of metrics that are columns of a curve or a table, on all items alone."""
        return replace(self.plan, slices={}).with_metrics(tuple(metrics)).results(run)

    def __repr__(self) -> str:
        return f"Evaluator of {', '.join(map(str, self.metrics))}: {self._judgements()}"

    def _repr_html_(self) -> str:
        from rankwell.results.summary import words_of

        caption, notes = f"Evaluator: {self._judgements()}", [f"policy: {self.policy}"]
        return replace(words_of(self.metrics), caption=caption, notes=notes)._repr_html_()

    def _judgements(self) -> str:
        """How much was judged, in words."""
        if self.plan.is_streamed:
            return "the judgements are read with each run"
        pool = self.task.pool
        queries = len(pool.queries)
        if not queries:
            return "no judgements, only lists"
        return f"{len(pool.grades):,} judgements of {queries:,} quer{'y' if queries == 1 else 'ies'}"


def _reading(of_runs: Mapping[str, Any], plan: Plan | OpenedPlan) -> Mapping[str, Any]:
    """How runs are read, with the columns that metrics need of them."""
    asked = plan.inputs.asked if isinstance(plan, OpenedPlan) else plan.task.asked
    needs_more = asked.needs & OF_COLUMNS["run"]
    return needing(of_runs, asked.needs, "run", asked.policy.sizes) if needs_more else of_runs
