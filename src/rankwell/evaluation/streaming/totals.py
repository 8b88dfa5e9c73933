"""What the parts of an evaluation add up to: the facts from surveys, and the results from the parts that are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankwell.evaluation.engines.memory import nothing_in_common
from rankwell.evaluation.inputs import Inputs
from rankwell.evaluation.plan import check_training, may_mismatch
from rankwell.evaluation.streaming.done import Done
from rankwell.evaluation.streaming.facts import NO_IDS, Facts
from rankwell.evaluation.streaming.joined import Tables
from rankwell.evaluation.streaming.survey import Surveys
from rankwell.evaluation.streaming.work import Work
from rankwell.evaluation.task import Task
from rankwell.results import Results
from rankwell.results.part import add_counts
from rankwell.results.segments import UNDIVIDED, Segments
from rankwell.tables.columns import counts_of
from rankwell.tables.ids import Known
from rankwell.tables.popularity import Parts
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run


def work_of(
    inputs: Inputs,
    run: Run,
    surveys: Surveys,
    names: Mapping[str, str],
    segments: Segments | None,
    *,
    keeps_values: bool,
    tie_ranges: bool,
) -> Work:
    """Return the work on parts of tables, by what their surveys tell."""
    given = run.rows.rank_base if isinstance(run.rows, Columns) else None
    is_from_0 = given == 0 or (given is None and surveys["run"].lowest_rank == 0)
    return Work(
        replace(inputs, opened={}, runs=()),
        Facts.of(inputs, surveys),
        names,
        surveys["run"].first,
        _catalogue(inputs, surveys),
        _slices(inputs, surveys),
        0 if is_from_0 else None,
        segments,
        keeps_values,
        tie_ranges,
    )


def _catalogue(inputs: Inputs, surveys: Surveys) -> Known | None:
    """The items that could be shown: those given, of the training data, or of the run, if a metric numbers items."""
    if inputs.items is not None:
        return Known(inputs.items.item)
    found = (surveys[name].items for name in ("train", "run") if name in surveys)
    items = next((each for each in found if each is not None), None)
    return None if items is None else Known(items)


def _slices(inputs: Inputs, surveys: Surveys) -> Mapping[str, Known]:
    given = inputs.slices
    if isinstance(given, Parts) and not isinstance(given, dict):
        items = surveys["qrels"].items if "qrels" in surveys else None
        given = given.parts(NO_IDS if items is None else items)
    return {name: Known(items.item) for name, items in given.items()}


def results_of(
    work: Work, done: Done, surveys: Surveys, counts: Mapping[str, int], tables: Tables, run: Run
) -> Results:
    """Return the results of all parts; DataError if no query of the run is judged, or one change of the ids explains why few items are."""
    if "qrels" in surveys and not done.is_judged:
        from rankwell.evaluation.id_check import Opened, unmatched

        why = unmatched(Opened(tables, run))
        raise nothing_in_common(work.names["run"], surveys["qrels"].first, surveys["run"].first, why)
    judgements = tables["qrels"].unread if "qrels" in tables else ()
    for what, unread in {"judgements": judgements, "run": run.unread}.items():
        counts = {**counts, **counts_of(what, unread)} if unread else counts
    of_slices = {name: _result(work, task, done, name, counts) for name, task in work.tasks.items()}
    found = replace(of_slices[None], slices={name: of_slices[name] for name in work.slices})
    if may_mismatch(found):
        from rankwell.evaluation.id_check import Opened, check_ids  # most runs are never looked at

        found = check_ids(found, Opened(tables, run))
    met = done.met if {"qrels", "train"} <= tables.keys() else None
    return check_training(found, met, work.asked)


def _result(work: Work, task: Task, done: Done, name: str | None, counts: Mapping[str, int]) -> Results:
    conditions = task.conditions
    if work.reads_all:
        conditions = replace(conditions, judgements=done.digest.to_bytes())
    division = UNDIVIDED if task.segments is None else task.segments.division
    total = dict(counts)
    add_counts(total, done.counts)
    part = done.sums[name].part().with_counts(total)
    return Results(work.names["run"], task.metrics, conditions, part, division, {})
