"""A run that is evaluated part by part: a survey of all tables, then the values of each part, added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from rankwell.evaluation.engines.memory import Memory, nothing_in_common
from rankwell.evaluation.plan import on_slices
from rankwell.evaluation.streaming.done import Done, PartDone
from rankwell.evaluation.streaming.facts import NO_IDS, Ends, Facts
from rankwell.evaluation.streaming.joined import ids_in, qrels_of, run_of
from rankwell.evaluation.streaming.layout import Layout
from rankwell.evaluation.streaming.parts import PartOfTables, Surveys, Tables
from rankwell.evaluation.streaming.survey import Surveyor, head_of
from rankwell.evaluation.streaming.values import Values
from rankwell.evaluation.task import Task
from rankwell.judge import history_of, missing_lists, pool_of
from rankwell.judge.context import Context
from rankwell.judge.pool import Pool, amounts_of
from rankwell.judge.train import Everyone
from rankwell.readers.pieces import HeldPieces, pieces_of
from rankwell.results import Results
from rankwell.results.part import Part, add_counts
from rankwell.results.segments import UNDIVIDED
from rankwell.tables.amounts import Amounts
from rankwell.tables.digests import Digest
from rankwell.tables.ids import Ids, Known, to_same_kind
from rankwell.tables.matrix import refuse_mismatch
from rankwell.tables.parts import Parts
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from rankwell.evaluation.streaming.plan import StreamPlan


class Streaming:
    """A run under evaluation by opened tables."""

    def __init__(self, plan: StreamPlan, run: Run) -> None:
        self.plan, self.run, self.inputs, self.asked = plan, run, plan.inputs, plan.inputs.asked
        self.metrics, self.tell = plan.inputs.metrics, plan.engine.tell
        self.tables: Tables = {"run": pieces_of(run)} | dict(self.inputs.opened)
        for table in self.inputs.opened.values():
            refuse_mismatch(run.matrix, table.matrix if isinstance(table, HeldPieces) else None)
        self.counts: dict[str, int] = {}
        self.values: list[Values] = []
        self.keeping = plan.engine.keeping(plan, run, self.tables)

    def results(self) -> Results:
        """Return the results, and keep nothing of what was kept meanwhile."""
        rows = self.plan.engine.rows_of_parts(self.tables, self.surveys, self._bytes_of_values())
        self.layout = Layout(self.tables, self.surveys, rows, self.keeping)
        try:
            self.layout.open(self.tell)
            results = self._results()
        finally:
            self.layout.close()
            for each in self.values:
                each.close()
        self.keeping.clear()
        return results

    def _results(self) -> Results:
        facts = Facts.of(self.inputs, self.surveys)
        if "train" in self.tables:
            facts = replace(facts, everyone=self._everyone())
        if self._reads_all and self.catalogue is not None:
            facts = replace(facts, grades=self._grades(facts))
        done = self._done(facts, "part")
        if done.ends != facts.ends:  # a rule for copies of a judgement took the highest or the lowest away
            facts = replace(facts, ends=done.ends)
            done = self._done(facts, "again")
        if "qrels" in self.tables and not done.is_judged:
            raise nothing_in_common(self.run.name, self.surveys["qrels"].first, self.surveys["run"].first)
        tasks = self._tasks(facts)
        slices = {name: self._result(tasks[name], done, name) for name in self.slices}
        results = replace(self._result(tasks[None], done, None), slices=slices)
        done.values.write(results)
        return results

    def _bytes_of_values(self) -> int:
        """The bytes of the values per query, as far as they are held."""
        if not self.plan.holds_values:
            return 0
        queries = max(survey.queries for survey in self.surveys.values())
        return queries * 8 * (len(self.metrics) + 2)

    @cached_property
    def surveys(self) -> Surveys:
        """What must be known of all rows before a part of them is evaluated."""
        heads = {name: head_of(pieces) for name, pieces in self.tables.items()}
        integer = next((ids_in(h)[:1] for h in heads.values() if h and not ids_in(h).is_text), None)
        del heads
        found = {}
        for name, pieces in self.tables.items():
            survey = self.keeping.load(f"{name}-survey")
            if survey is None:
                prepare = self.inputs.prepare if name == "qrels" else None
                lists = self._lists_items(name)
                surveyor = Surveyor(self._words(name), integer, with_items=lists, prepare=prepare)
                survey = surveyor.of(pieces, self.tell)
                self.keeping.save(f"{name}-survey", survey)
            found[name] = survey
        return found

    def _words(self, name: str) -> tuple[str, ...]:
        """The columns of a table that the survey looks at."""
        words = {"run": ["rank"], "qrels": ["grade"]}.get(name, [])
        topics = ["topic"] * (name == "qrels" and "topics" in self.asked.by_need)
        return ("query", *words, *topics, *["item"] * self._lists_items(name))

    def _lists_items(self, name: str) -> bool:
        """Whether the distinct items of a table must be known."""
        if name == "qrels":
            return self._reads_all or isinstance(self.inputs.slices, Parts)
        if self.inputs.items is not None:
            return False
        return name == "train" or ("item" in self.asked.needs and "train" not in self.tables)

    @cached_property
    def catalogue(self) -> Known | None:
        """The items that could be shown: those given, of the training data, or of the run, if a metric numbers items."""
        if self.inputs.items is not None:
            return Known(self.inputs.items.item)
        for name in ("train", "run"):
            if name in self.surveys and name != "qrels" and (items := self.surveys[name].items) is not None:
                return Known(items)
        return None

    def _everyone(self) -> Everyone:
        """What all training users share, and what the rules touched of their data."""
        total, self.counts, start = self.keeping.load("everyone") or (None, {}, None)
        if total is not None and start is None:
            return total
        for part in self.layout.parts("train", start):
            log = self._qrels(part, "train")
            if len(log):
                history, counts = history_of(log, self.catalogue, self.asked.policy)
                total = history.everyone if total is None else total + history.everyone
                add_counts(self.counts, counts)
                self.keeping.save("everyone", (total, self.counts, part.next))
        assert total is not None
        return total

    def _grades(self, facts: Facts) -> Amounts:
        """The sums of the grades of each item of the catalogue, over all judgements."""
        total, start = self.keeping.load("grades") or (None, None)
        if total is not None and start is None:
            return total
        for part in self.layout.parts("qrels", start):
            own = amounts_of(Context(catalogue=self.catalogue), self._pool(part, facts)[0])
            total = own if total is None else total + own
            self.keeping.save("grades", (total, part.next))
        assert total is not None
        return total

    def _qrels(self, part: PartOfTables, name: str) -> Qrels:
        return qrels_of(part.pieces[name], self.tables[name].name, part.places[name])

    def _done(self, facts: Facts, kind: str) -> Done:
        """All parts evaluated and added up; those that are kept are not evaluated again."""
        self.values.append(self.plan.values(self.keeping, kind))
        tasks, done, start = self._tasks(facts), Done(self.values[-1]), None
        for number in count():
            found = self.keeping.load(f"{kind}-{number}")
            if found is None:
                break
            done.add(found)
            start = found.next
        if not done.is_begun or start is not None:
            for number, part in enumerate(self.layout.parts(None, start), done.parts):
                found = self._evaluated(part, tasks, facts)
                done.add(found)
                self.keeping.save(f"{kind}-{number}", found)
                self.tell("rows evaluated", done.rows, self.surveys["run"].rows)
        return done

    def _evaluated(self, part: PartOfTables, tasks: Mapping[str | None, Task], facts: Facts) -> PartDone:
        """The values of a part, on all items and on each slice."""
        pool, counts = self._pool(part, facts)
        values, is_judged = {}, False
        for name, task in self._of_part(part, pool, tasks, facts).items():
            values[name], own = self._values(part, task)
            is_judged = is_judged or own
        digest = pool.digest if self._reads_all else Digest()
        ends = Ends.of(pool.grades, pool.scale)
        return PartDone(values, counts, ends, digest, is_judged, len(part.pieces["run"]["query"]), part.next)

    @cached_property
    def _reads_all(self) -> bool:
        """Whether a metric looks at what is judged for any query."""
        return any(metric.reads_all_judgements() for metric in self.metrics)

    def _tasks(self, facts: Facts) -> dict[str | None, Task]:
        """The tasks of all parts by slice, None for all items, without judgements and training data."""
        plan, inputs, asked = self.plan, self.inputs, self.asked
        given = self.run.rows.rank_base if isinstance(self.run.rows, Columns) else None
        if given == 0 or (given is None and self.surveys["run"].lowest_rank == 0):
            asked = replace(asked, rank_base=0)
        context = Context(
            catalogue=self.catalogue,
            items=inputs.items,
            users=inputs.users if "users" in asked.needs else None,
            cuts=asked.cuts,
        )
        context = facts.context(context, needs_lowest="grade_min" in asked.needs)
        for metric in self.metrics:
            metric.check_tables(context)
        users = None if inputs.users is None else inputs.users.query
        rest = plan.per_query is not False, plan.segments, users, (), plan.tie_ranges
        whole = Task(self.metrics, pool_of(None, asked, facts.scale)[0], asked, context, *rest)
        weights = None if plan.segments is None else plan.segments.weights_alone()
        sliced = on_slices(self.metrics) if self.slices else ()
        return {None: whole} | {
            name: replace(whole, metrics=sliced, segments=weights) for name in self.slices
        }

    @cached_property
    def slices(self) -> Mapping[str, Known]:
        """The items of each slice."""
        given = self.inputs.slices
        if isinstance(given, Parts) and not isinstance(given, dict):
            items = self.surveys["qrels"].items if "qrels" in self.surveys else None
            given = given.parts(NO_IDS if items is None else items)
        return {name: Known(items.item) for name, items in given.items()}

    def _pool(self, part: PartOfTables, facts: Facts) -> tuple[Pool, Mapping[str, int]]:
        if "qrels" not in self.tables:
            return pool_of(None, self.asked, facts.scale)
        qrels = self._qrels(part, "qrels")
        qrels = qrels if self.inputs.prepare is None else self.inputs.prepare(qrels)
        return pool_of(qrels, self.asked, facts.scale, facts.together())

    def _of_part(
        self, part: PartOfTables, pool: Pool, tasks: Mapping[str | None, Task], facts: Facts
    ) -> dict[str | None, Task]:
        """The tasks with the judgements, the training data and the users of a part."""
        train = None
        if facts.everyone is not None:
            log = self._qrels(part, "train")
            train, _ = history_of(log, self.catalogue, self.asked.policy, facts.everyone)
        users = None if self._users is None else part.members(self._users)
        return {
            name: replace(
                task,
                pool=pool if name is None else pool.only(self.slices[name]),
                context=task.context if train is None else replace(task.context, train=train),
                users=users,
            )
            for name, task in tasks.items()
        }

    @cached_property
    def _users(self) -> Ids | None:
        """The users that lists without judgements may be missing of, in order and of the kind of the run's queries."""
        if self.inputs.users is None:
            return None
        users = self.inputs.users.query
        like = self.surveys["run"].first
        if like.is_text and not users.is_text:
            users = Ids.of_strings([str(user) for user in users.tolist()])
        users = to_same_kind(users, like, "query")[0]
        return users[users.order()]

    def _values(self, part: PartOfTables, task: Task) -> tuple[Part, bool]:
        """The values of a part, with those of the lists that its run lacks; and whether a query of the run is judged."""
        piece = part.pieces["run"]
        if len(piece["query"]):
            rows = run_of(piece, self.run.name, part.places["run"], task.asked.rank_base or 1)
            values = Memory().measured(rows, self.run.name, task)
            # ids of a part without judgements have not been held against any
            values.queries = to_same_kind(values.queries, self.surveys["run"].first, "query")[0]
        else:
            pool = task.pool if self.surveys["run"].is_text else task.pool.in_integers()
            nothing = missing_lists(pool, np.arange(len(pool.queries)))
            nothing.queries = self.surveys["run"].first[:0]
            values = task.measure(nothing, {})
        is_judged = bool((values.pool_row >= 0).any())
        return Memory().completed(values, task).settle(), is_judged

    def _result(self, task: Task, done: Done, name: str | None) -> Results:
        conditions = task.conditions
        if self._reads_all:
            conditions = replace(conditions, judgements=done.digest.to_bytes())
        division = UNDIVIDED if task.segments is None else task.segments.division
        counts = dict(self.counts)
        add_counts(counts, done.counts)
        part = done.sums[name].part().with_counts(counts)
        return Results(self.run.name, task.metrics, conditions, part, division, {})
