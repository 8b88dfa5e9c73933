"""A run that is evaluated part by part: a survey of all tables, then the values of each part, added up."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from rankwell.evaluation.streaming.done import Done
from rankwell.evaluation.streaming.joined import Tables, ids_in
from rankwell.evaluation.streaming.parts import Layout
from rankwell.evaluation.streaming.survey import Surveyor, Surveys, words_of_survey
from rankwell.evaluation.streaming.totals import results_of, work_of
from rankwell.evaluation.streaming.values import Values
from rankwell.evaluation.streaming.work import Work
from rankwell.matching.train import Everyone
from rankwell.readers.pieces import HeldPieces, pieces_of
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.results.part import add_counts
from rankwell.tables.matrix import refuse_mismatch
from rankwell.tables.run_qrels import Run
from rankwell.tables.states import Amounts

if TYPE_CHECKING:
    from rankwell.evaluation.streaming.plan import StreamPlan


class Streaming:
    """A run under evaluation by opened tables."""

    def __init__(self, plan: StreamPlan, run: Run) -> None:
        self.plan, self.run, self.inputs, self.tell = plan, run, plan.inputs, plan.engine.tell
        self.tables: Tables = {"run": pieces_of(run)} | dict(self.inputs.opened)
        for table in self.inputs.opened.values():
            refuse_mismatch(run.matrix, table.matrix if isinstance(table, HeldPieces) else None)
        self.counts: dict[str, int] = {}
        self.values: list[Values] = []
        self.keeping = plan.engine.keeping(plan, run, self.tables)

    def results(self) -> Results:
        """Return the results, and keep nothing of what was kept meanwhile."""
        try:
            results = self._of_parts()
            self.keeping.clear()
        finally:
            self.keeping.release()  # also where a notebook goes on after an error, and holds this
        return results

    def _of_parts(self) -> Results:
        rows = self.keeping.load("rows")  # what is kept is divided by it, and memory may have been freer then
        if rows is None:
            rows = self.plan.engine.rows_of_parts(self.tables, self.surveys, self._bytes_of_values())
            self.keeping.save("rows", rows)
        self.layout = Layout(self.tables, self.surveys, rows, self.keeping)
        try:
            self.layout.open(self.tell)
            return self._results()
        finally:
            self.layout.close()
            for each in self.values:
                each.close()

    def _results(self) -> Results:
        plan = self.plan
        names = {name: pieces.name for name, pieces in self.tables.items()} | {"run": self.run.name}
        work = work_of(
            self.inputs,
            self.run,
            self.surveys,
            names,
            plan.segments,
            keeps_values=plan.per_query is not False,
            tie_ranges=plan.tie_ranges,
        )
        if "train" in self.tables:
            work = replace(work, facts=replace(work.facts, everyone=self._everyone(work)))
        if work.reads_all and work.catalogue is not None:
            work = replace(work, facts=replace(work.facts, grades=self._grades(work)))
        done = self._done(work, "part")
        if (
            done.ends != work.facts.ends
        ):  # a rule for copies of a judgement took the highest or the lowest away
            work = replace(work, facts=replace(work.facts, ends=done.ends))
            done = self._done(work, "again")
        results = results_of(work, done, self.surveys, self.counts, self.tables, self.run)
        done.values.write(results)
        return results

    def _bytes_of_values(self) -> int:
        """The bytes of the values per query, as far as they are held."""
        if not self.plan.holds_values:
            return 0
        queries = max(survey.queries for survey in self.surveys.values())
        return queries * 8 * (len(self.inputs.metrics) + 2)

    @cached_property
    def surveys(self) -> Surveys:
        """What must be known of all rows before a part of them is evaluated."""
        found, integer = {}, None
        kept = {name: self.keeping.load(f"{name}-survey") for name in self.tables}
        if None in kept.values():
            heads = [pieces.head() for pieces in self.tables.values()]
            integer = next((ids_in(head)[:1] for head in heads if head and not ids_in(head).is_text), None)
            del heads
        for name, pieces in self.tables.items():
            survey = kept[name]
            if survey is None:
                prepare = self.inputs.prepare if name == "qrels" else None
                words = words_of_survey(self.inputs, name, has_train="train" in self.tables)
                seen, keep = self.keeping.load(f"{name}-seen"), partial(self.keeping.save, f"{name}-seen")
                survey = Surveyor(words, integer, prepare=prepare, seen=seen).of(pieces, self.tell, keep)
                self.keeping.save(f"{name}-survey", survey)
            found[name] = survey
        return found

    def _everyone(self, work: Work) -> Everyone:
        """What all training users share, and what the rules touched of their data."""
        total, self.counts, start = self.keeping.load("everyone") or (None, {}, None)
        if total is not None and start is None:
            return total
        for part in self.layout.parts("train", start):
            own, counts = work.everyone(part)
            if own is not None:
                total = own if total is None else total + own
                add_counts(self.counts, counts)
                self.keeping.save("everyone", (total, self.counts, part.next))
        assert total is not None
        return total

    def _grades(self, work: Work) -> Amounts:
        """The sums of the grades of each item of the catalogue, over all judgements."""
        total, start = self.keeping.load("grades") or (None, None)
        if total is not None and start is None:
            return total
        for part in self.layout.parts("qrels", start):
            own = work.grades(part)
            total = own if total is None else total + own
            self.keeping.save("grades", (total, part.next))
        assert total is not None
        return total

    def _done(self, work: Work, kind: str) -> Done:
        """All parts evaluated and added up; those that are kept are not evaluated again."""
        self.values.append(self.plan.values(self.keeping, kind))
        done, start = Done(self.values[-1]), None
        for number in count():
            found = self.keeping.load(f"{kind}-{number}")
            if found is None:
                break
            done.add(found)
            start = found.next
        if not done.is_begun or start is not None:
            for number, part in enumerate(self.layout.parts(None, start), done.parts):
                found = work.evaluated(part)
                done.add(found)
                self.keeping.save(f"{kind}-{number}", found)
                self.tell("rows evaluated", done.rows, self.surveys["run"].rows)
        return done
