"""The plan of an evaluation on Spark: surveys of the tables, a job for each group of queries, and the sum of what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from rankwell.errors import UsageError
from rankwell.evaluation.distributed.answers import DONE, QUERY, RANGE, as_ours, blobs, groups_for
from rankwell.evaluation.distributed.by_item import beside, ranges_of
from rankwell.evaluation.distributed.job import (
    USERS,
    Answer,
    Job,
    evaluated,
    everyone,
    grades,
)
from rankwell.evaluation.distributed.mapping import mapped
from rankwell.evaluation.distributed.merging import merged
from rankwell.evaluation.distributed.of_users import by_table, frame_of, without_users
from rankwell.evaluation.distributed.tables import frames_of, refuse_other_kind, survey, tagged
from rankwell.evaluation.streaming.done import Done, PartDone
from rankwell.evaluation.streaming.plan import OpenedPlan
from rankwell.evaluation.streaming.survey import words_of_survey
from rankwell.evaluation.streaming.totals import results_of, work_of
from rankwell.evaluation.streaming.values import Values
from rankwell.evaluation.streaming.work import Work
from rankwell.evaluation.task import Task
from rankwell.matching.train import Everyone
from rankwell.metrics.metric import Metric
from rankwell.readers.pieces import Pieces, pieces_of
from rankwell.readers.spark_tables import SparkPieces
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.part import add_counts
from rankwell.results.segments import Segments
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.evaluation.engines.spark import Spark


@record(eq=False)
class SparkPlan(OpenedPlan):
    """Opened tables, metrics and rules, for any number of runs on Spark."""

    engine: Spark
    per_query: bool = True
    segments: Segments | None = None
    tie_ranges: bool = True
    threads: int | None = None
    slices: Mapping[str, Task] = field(default_factory=dict)

    no_task: ClassVar[str] = (
        "engine='spark' holds no judgements, so only evaluate works with it; collect the data for anything else."
    )

    def results(self, run: Run) -> Results:
        """Return the results of one run."""
        if self.policy.duplicate_grades == "last":
            raise UsageError(
                "duplicate_grades='last' needs rows in an order, and those of Spark have none; use 'max' or 'error'."
            )
        tables: dict[str, Pieces] = {"run": pieces_of(run), **self.inputs.opened}
        session = self._session(tables)
        frames = frames_of(session, tables)
        words = {name: words_of_survey(self.inputs, name, has_train="train" in frames) for name in frames}
        prepare = {"qrels": self.inputs.prepare}
        surveys = {
            name: survey(frame, words[name], tables[name].name, prepare.get(name))
            for name, frame in frames.items()
        }
        names = {name: pieces.name for name, pieces in tables.items()} | {"run": run.name}
        work = work_of(
            self.inputs,
            run,
            surveys,
            names,
            self.segments,
            keeps_values=self.per_query,
            tie_ranges=self.tie_ranges,
        )
        rows, items = sum(each.rows for each in surveys.values()), len(work.catalogue or ())
        groups = self.engine.groups or groups_for(session, rows, items)
        counts: dict[str, int] = {}
        if "train" in frames:
            work, counts = _with_everyone(work, {"train": frames["train"]}, groups)
        if work.reads_all and work.catalogue is not None:
            work = _with_grades(work, {"qrels": frames["qrels"]}, groups)
        if work.users is not None:
            segments, read = by_table(work), [name for name in ("run", "qrels") if name in frames]
            refuse_other_kind({tables[name].name: frames[name] for name in read}, segments)
            frames[USERS] = frame_of(session, work.users, segments)
        work, done, values = self._evaluated(work, frames, groups)
        return replace(results_of(work, done, surveys, counts, tables, run), spark_rows=values)

    settled_results = results

    def _evaluated(self, work: Work, frames: Mapping[str, Any], groups: int) -> tuple[Work, Done, Any]:
        """Return the work as it was done at last, what is done, and a DataFrame of the values per query, if they are kept."""
        ranges = ranges_of(work)
        while True:
            names = (
                [str(metric) for metric in work.tasks[None].metrics if metric in _with_values(work)]
                if self.per_query
                else []
            )
            with as_ours():
                answered = _answered(work, frames, groups, evaluated, names, ranges).persist()
            done = Done(Values())
            by_item = []
            for found in blobs(merged(answered, groups, ranges)):
                if isinstance(found, PartDone):
                    done.add(found)
                else:
                    by_item.append(found)
            if done.ends == work.facts.ends:
                break
            answered.unpersist()
            work = replace(work, facts=replace(work.facts, ends=done.ends))
        done.hold(beside(by_item).items())
        rows = answered.filter(answered[DONE].isNull()).drop(DONE, RANGE) if self.per_query else None
        return work, done, rows

    def _session(self, tables: Mapping[str, Pieces]) -> Any:
        if self.engine.session is None:
            for pieces in tables.values():
                if isinstance(pieces, SparkPieces):
                    return pieces.frame.sparkSession
        return self.engine.opened()


def _with_values(work: Work) -> set[Metric]:
    from rankwell.metrics.metric import QueryMetric

    return {metric for metric in work.inputs.metrics if isinstance(metric, QueryMetric)}


def _answered(
    work: Work, frames: Mapping[str, Any], groups: int, answer: Answer, values: list[str], ranges: int = 0
) -> Any:
    whole, words = tagged(frames, groups)
    kind = dict(whole.dtypes)[QUERY]
    schema = ", ".join(
        [f"{QUERY} {kind}", *(f"`{name}` double" for name in values), f"{RANGE} int", f"{DONE} binary"]
    )
    return mapped(whole, Job(without_users(work), words, answer, tuple(values), ranges), schema)


def _with_everyone(work: Work, frames: Mapping[str, Any], groups: int) -> tuple[Work, dict[str, int]]:
    total: Everyone | None = None
    counts: dict[str, int] = {}
    assert work.catalogue is not None
    for [(few, more)] in blobs(_answered(work, frames, groups, everyone, []).select(DONE)):
        if few is not None:
            own = few.whole(work.catalogue)
            total = own if total is None else total + own
            add_counts(counts, more)
    return replace(work, facts=replace(work.facts, everyone=total)), counts


def _with_grades(work: Work, frames: Mapping[str, Any], groups: int) -> Work:
    total: Any = None
    for few in blobs(_answered(work, frames, groups, grades, []).select(DONE)):
        own = few.whole()
        total = own if total is None else total + own
    return replace(work, facts=replace(work.facts, grades=total))
