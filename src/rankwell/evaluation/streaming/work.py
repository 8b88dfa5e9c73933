"""Work: the evaluation of one part of the tables, by what holds for all of them; it can be sent to another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

import numpy as np

from rankwell.evaluation.engines.memory import Memory, n_judged
from rankwell.evaluation.inputs import Inputs
from rankwell.evaluation.plan import on_slices
from rankwell.evaluation.streaming.done import PartDone
from rankwell.evaluation.streaming.facts import Ends, Facts
from rankwell.evaluation.streaming.joined import ids_in, qrels_of, run_of
from rankwell.evaluation.streaming.parts import PartOfTables
from rankwell.evaluation.task import Task
from rankwell.matching import history_of, missing_lists, pool_of
from rankwell.matching.asked import Asked
from rankwell.matching.context import Context
from rankwell.matching.pool import Pool, amounts_of
from rankwell.matching.train import Everyone, met_in
from rankwell.records import cached_property, record
from rankwell.results.part import Part
from rankwell.results.segments import Segments
from rankwell.tables.fingerprints import Digest
from rankwell.tables.ids import Ids, Known, to_same_kind
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.states import Amounts


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
        met = frozenset[str]() if train is None else met_in(train, pool)
        digest = pool.digest if self.reads_all else Digest()
        ends = Ends.of(pool.grades, pool.scale)
        rows = len(ids_in(part.pieces["run"]))
        return PartDone(values, counts, ends, digest, is_judged, met, rows, part.next)

    @cached_property
    def asked(self) -> Asked:
        """What metrics and rules ask for."""
        return replace(self.inputs.asked, rank_base=self.rank_base)

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
            items=inputs.items,
            users=inputs.users if "users" in asked.needs else None,
            cuts=asked.cuts,
        )
        context = self.facts.context(context, needs_lowest="grade_min" in asked.needs)
        for metric in inputs.metrics:
            metric.check_tables(context)
        users = None if inputs.users is None else inputs.users.query
        rest = self.keeps_values, self.segments, users, (), self.tie_ranges
        whole = Task(inputs.metrics, pool_of(None, asked, self.facts.scale)[0], asked, context, *rest)
        weights = None if self.segments is None else self.segments.weights_alone()
        sliced = on_slices(inputs.metrics) if self.slices else ()
        return {None: whole} | {
            name: replace(whole, metrics=sliced, segments=weights) for name in self.slices
        }

    def _qrels(self, part: PartOfTables, name: str) -> Qrels:
        return qrels_of(part.pieces[name], self.names[name], part.places[name])

    def _pool(self, part: PartOfTables) -> tuple[Pool, Mapping[str, int]]:
        if "qrels" not in self.names:
            return pool_of(None, self.asked, self.facts.scale)
        qrels = self._qrels(part, "qrels")
        qrels = qrels if self.inputs.prepare is None else self.inputs.prepare(qrels)
        return pool_of(qrels, self.asked, self.facts.scale, self.facts.together())

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
        piece = part.pieces["run"]
        if len(ids_in(piece)):
            base = 1 if self.rank_base is None else self.rank_base
            rows = run_of(piece, self.names["run"], part.places["run"], base)
            values = Memory().measured(rows, self.names["run"], task)
            # ids of a part without judgements have not been held against any
            values.queries = to_same_kind(values.queries, self.first, "query")[0]
        else:
            pool = task.pool if self.first.is_text else task.pool.in_integers()
            nothing = missing_lists(pool, np.arange(len(pool.queries)))
            nothing.queries = self.first[:0]
            values = task.measure(nothing, {})
        known = n_judged(values)
        return Memory().completed(values, task, known).settle(), known > 0


def users_like(users: Ids, queries: Ids) -> Ids:
    """Return users in the kind of some queries; DataError if they are text, and no plain numbers."""
    if queries.is_text and not users.is_text:
        return Ids.of_strings([str(user) for user in users.tolist()])
    return to_same_kind(users, queries, "query")[0]
