"""Work: the evaluation of one part of the tables, by what holds for all of them, and the results of all; it can be sent to another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from rankwell.evaluation.engines.memory import Memory, n_judged, nothing_in_common
from rankwell.evaluation.engines.stream.parts import PartOfTables
from rankwell.evaluation.engines.stream.survey import NO_IDS, Ends, Facts, Surveys
from rankwell.evaluation.engines.stream.tables import Tables, ids_in, qrels_of, run_of
from rankwell.evaluation.engines.stream.values import Done, PartDone
from rankwell.evaluation.inputs import Inputs
from rankwell.evaluation.plan import OpenedPlan, check_training, lacks_queries, may_mismatch, on_slices
from rankwell.evaluation.task import Task
from rankwell.matching import history_of, missing_lists, pool_of
from rankwell.matching.batch import Context, Everyone, overlapping_ids
from rankwell.matching.budgets import Sizes
from rankwell.matching.groups import JUDGED_OUTSIDE, Groups, unknown_groups
from rankwell.matching.policy import Asked
from rankwell.matching.pool import Pool, amounts_of
from rankwell.records import cached_property, record
from rankwell.results import Results
from rankwell.results.part import Part, add_counts
from rankwell.results.segments import UNDIVIDED, Segments
from rankwell.tables.columns import counts_of
from rankwell.tables.ids import Digest, Ids, Known, to_same_kind
from rankwell.tables.popularity import Parts
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.states import Amounts

if TYPE_CHECKING:
    from rankwell.results.ledger import LedgerFile, Use


@record(eq=False)
class Work:
    """Metrics, rules and small tables, and the facts that hold for all parts.

    ``names`` are those of the tables, ``first`` is a query of the run in the kind of ids of all, ``slices`` holds the items of each.
    """

    inputs: Inputs
    facts: Facts
    names: Mapping[str, str]
    first: Ids
    catalogue: Known | None = None
    slices: Mapping[str, Known] = field(default_factory=dict)
    rank_base: int | None = None
    segments: Segments | None = None
    keeps_values: bool = True
    tie_ranges: bool = True
    ledger: LedgerFile | None = None

    def everyone(self, part: PartOfTables) -> tuple[Everyone | None, Mapping[str, int]]:
        """Return what the training users of a part share, and what the rules touched of their data; None if there are none."""
        log = self._qrels(part, "train")
        if not len(log):
            return None, {}
        history, counts = history_of(log, self.catalogue, self.asked.policy)
        return history.everyone, counts

    def grades(self, part: PartOfTables) -> Amounts:
        """Return the sums of the grades of each item of the catalogue, over the judgements of a part."""
        return amounts_of(Context(catalogue=self.catalogue), self._pool(part)[0])

    def evaluated(self, part: PartOfTables) -> PartDone:
        """Return the values of a part, on all items and on each slice."""
        pool, counts = self._pool(part)
        values, is_judged = {}, False
        tasks = self._of_part(part, pool)
        for name, task in tasks.items():
            values[name], own = self._values(part, task)
            is_judged = is_judged or own
        train = tasks[None].context.train
        met = frozenset[str]() if train is None else overlapping_ids(train, pool)
        digests = {name: task.pool.digest for name, task in tasks.items()}
        ends = Ends.of(pool.grades, pool.scale)
        rows = len(ids_in(part.pieces["run"]))
        use = None if self.ledger is None else self._use(part, values[None])
        if use is not None and not self.keeps_values:
            values = {name: replace(own, values={}) for name, own in values.items()}
        return PartDone(values, counts, ends, digests, is_judged, met, rows, part.next, use)

    def _use(self, part: PartOfTables, values: Part) -> Use:
        """What a line of the ledger needs of a part: the digests of what was given, and the spread of the values."""
        from rankwell.results.ledger import Use

        judged = self._qrels(part, "qrels").digest if "qrels" in self.names else Digest()
        run = self._run(part).lists().digest if len(ids_in(part.pieces["run"])) else Digest()
        return Use.of(judged, run, values)

    @cached_property
    def asked(self) -> Asked:
        """What metrics and rules ask for."""
        asked = replace(self.inputs.asked, rank_base=self.rank_base)
        if self.groups is None or asked.policy.judged is not None:
            return asked
        judged = self.groups.decide_alone(self.facts.judged)
        return replace(asked, policy=replace(asked.policy, judged=judged))

    @cached_property
    def groups(self) -> Groups | None:
        """The groups that lists are folded into."""
        policy = self.inputs.asked.policy
        return None if policy.group is None else Groups.of(policy, self.inputs.items)

    @cached_property
    def reads_all(self) -> bool:
        """Whether a metric looks at what is judged for any query."""
        return any(metric.reads_all_judgements() for metric in self.inputs.metrics)

    @cached_property
    def tasks(self) -> Mapping[str | None, Task]:
        """The tasks of all parts by slice, None for all items, without judgements and training data."""
        inputs, asked = self.inputs, self.asked
        context = Context(
            catalogue=self.catalogue,
            items=inputs.items if self.groups is None else None,
            groups=self.groups,
            sizes=Sizes.of(asked.policy, inputs.items) if "sizes" in asked.needs else None,
            users=inputs.users if "users" in asked.needs else None,
            cuts=asked.cuts,
        )
        context = self.facts.context(context, needs_lowest="grade_min" in asked.needs)
        for metric in inputs.metrics:
            metric.check_tables(context)
        users = None if inputs.users is None else inputs.users.query
        rest = self.keeps_values or self.ledger is not None, self.segments, users, (), self.tie_ranges
        whole = Task(inputs.metrics, pool_of(None, asked, self.facts.scale)[0], asked, context, *rest)
        weights = None if self.segments is None else self.segments.weights_alone()
        sliced = on_slices(inputs.metrics) if self.slices else ()
        return {None: whole} | {
            name: replace(whole, metrics=sliced, segments=weights) for name in self.slices
        }

    def _qrels(self, part: PartOfTables, name: str) -> Qrels:
        return qrels_of(part.pieces[name], self.names[name], part.places[name])

    def _run(self, part: PartOfTables) -> Columns:
        base = 1 if self.rank_base is None else self.rank_base
        return run_of(part.pieces["run"], self.names["run"], part.places["run"], base)

    def _pool(self, part: PartOfTables) -> tuple[Pool, Mapping[str, int]]:
        if "qrels" not in self.names:
            return pool_of(None, self.asked, self.facts.scale)
        qrels = self._qrels(part, "qrels")
        qrels = qrels if self.inputs.prepare is None else self.inputs.prepare(qrels)
        pool, counts = pool_of(qrels, self.asked, self.facts.scale, self.facts.summary())
        if self.groups is None or self.asked.policy.judged != "items":
            return pool, counts
        pool, outside = pool.in_groups(self.groups)
        return pool, {**counts, **({JUDGED_OUTSIDE: outside} if outside else {})}

    def _of_part(self, part: PartOfTables, pool: Pool) -> dict[str | None, Task]:
        """The tasks with the judgements, the training data and the users of a part."""
        train = None
        if self.facts.everyone is not None:
            log = self._qrels(part, "train")
            train, _ = history_of(log, self.catalogue, self.asked.policy, self.facts.everyone)
        users = None if self.users is None else part.members(self.users)
        return {
            name: replace(
                task,
                pool=pool if name is None else pool.only(self.slices[name]),
                context=task.context if train is None else replace(task.context, train=train),
                users=users,
            )
            for name, task in self.tasks.items()
        }

    @cached_property
    def users(self) -> Ids | None:
        """The users that lists without judgements may be missing of, in order and of the kind of the run's queries."""
        if self.inputs.users is None:
            return None
        users = users_like(self.inputs.users.query, self.first)
        return users[users.order()]

    def _values(self, part: PartOfTables, task: Task) -> tuple[Part, bool]:
        """The values of a part, with those of the lists that its run lacks; and whether a query of the run is judged."""
        if len(ids_in(part.pieces["run"])):
            values = Memory().measure(self._run(part), self.names["run"], task)
            # ids of a part without judgements have not been held against any
            values.queries = to_same_kind(values.queries, self.first, "query")[0]
        else:
            pool = task.pool if self.first.is_text else task.pool.in_integers()
            # a part whose queries the run lacks has only lists that are missing; an empty batch says so to every metric
            nothing = missing_lists(pool, np.arange(len(pool.queries)))
            nothing.queries = self.first[:0]
            values = task.measure(nothing, {})
        judged = n_judged(values)
        return Memory().complete(values, task, judged).settle(), judged > 0


def users_like(users: Ids, queries: Ids) -> Ids:
    """Return users in the kind of some queries; DataError if they are text, and no plain numbers."""
    if queries.is_text and not users.is_text:
        return Ids.of_strings([str(user) for user in users.tolist()])
    return to_same_kind(users, queries, "query")[0]


def work_of(plan: OpenedPlan, run: Run, surveys: Surveys, names: Mapping[str, str]) -> Work:
    """Return the work on parts of tables, by what their surveys tell."""
    inputs = plan.inputs
    rank_base = run.rows.rank_base if isinstance(run.rows, Columns) else None
    is_from_0 = rank_base == 0 or (rank_base is None and surveys["run"].lowest_rank == 0)
    return Work(
        replace(inputs, opened={}, runs=()),
        Facts.of(inputs, surveys),
        names,
        surveys["run"].first,
        _catalogue(inputs, surveys),
        _slices(inputs, surveys),
        0 if is_from_0 else None,
        plan.segments,
        plan.per_query is not False,
        plan.tie_ranges,
        plan.ledger,
    )


def _catalogue(inputs: Inputs, surveys: Surveys) -> Known | None:
    """The items that could be shown: those given, of the training data, or of the run, if a metric numbers items."""
    policy = inputs.asked.policy
    if inputs.items is not None and policy.group is None:
        return Known(inputs.items.item)
    columns = (surveys[name].items for name in ("train", "run") if name in surveys)
    items = next((column for column in columns if column is not None), None)
    if items is not None and policy.group is not None:
        items = Groups.of(policy, inputs.items).groups_of(items)[0].distinct()
    return None if items is None else Known(items)


def _slices(inputs: Inputs, surveys: Surveys) -> Mapping[str, Known]:
    slices = inputs.slices
    if isinstance(slices, Parts) and not isinstance(slices, dict):
        items = surveys["qrels"].items if "qrels" in surveys else None
        slices = slices.parts(NO_IDS if items is None else items)
    return {name: Known(items.item) for name, items in slices.items()}


def results_of(
    work: Work, done: Done, surveys: Surveys, counts: Mapping[str, int], tables: Tables, run: Run
) -> Results:
    """Return the results of all parts; DataError if no query of the run is judged, or one change of the ids explains why few items are."""
    if "qrels" in surveys and not done.is_judged:
        from rankwell.evaluation.id_check import TablesInPieces, explain_no_match

        why = explain_no_match(TablesInPieces(tables, run))
        raise nothing_in_common(work.names["run"], surveys["qrels"].first, surveys["run"].first, why)
    judgements = tables["qrels"].unread if "qrels" in tables else ()
    for what, unread in {"judgements": judgements, "run": run.unread}.items():
        counts = {**counts, **counts_of(what, unread)} if unread else counts
    counts = {**counts, **run.counts}
    of_slices = {name: _result(work, task, done, name, counts) for name, task in work.tasks.items()}
    called = tables["qrels"].query_column if "qrels" in tables else "", run.words.get("query", "")
    results = replace(
        of_slices[None],
        slices={name: of_slices[name] for name in work.slices},
        query_columns=tuple(dict.fromkeys(filter(None, called))),
    )
    if may_mismatch(results):
        from rankwell.evaluation.id_check import TablesInPieces, check_ids  # most runs are never looked at

        results = check_ids(results, TablesInPieces(tables, run), with_queries=lacks_queries(results.counts))
    if work.groups is not None and work.inputs.asked.policy.judged is None:
        results = replace(results, part=results.part.with_counts(unknown_groups(results.part.counts)))
    met = done.met if {"qrels", "train"} <= tables.keys() else None
    if work.ledger is not None and done.use is not None:
        work.ledger.write(results, done.use, work.names.get("qrels"))
    return check_training(results, met, work.asked)


def _result(work: Work, task: Task, done: Done, name: str | None, counts: Mapping[str, int]) -> Results:
    conditions = replace(task.conditions, qrels=done.digests[name].to_bytes())
    division = UNDIVIDED if task.segments is None else task.segments.division
    total = dict(counts)
    add_counts(total, done.counts)
    part = done.sums[name].part().with_counts(total)
    return Results(work.names["run"], task.metrics, conditions, part, division, {})
