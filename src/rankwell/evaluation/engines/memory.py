"""Engine for data that fit in memory: batches of whole lists, spread over threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, NothingInCommonError, UsageError, brief
from rankwell.evaluation.task import BATCH_ROWS, Task
from rankwell.kernels import integers
from rankwell.matching import lists_of_others, missing_lists
from rankwell.matching.batch import Judged
from rankwell.matching.lists import RanksBeginAtZero
from rankwell.results.part import Part, add_counts
from rankwell.tables.ids import Ids, own_text
from rankwell.tables.machine import Workers, at_most, cores, in_order
from rankwell.tables.rows import Lists, Rows
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.matching.mismatch import Mismatch

FEW_HITS = 100_000  # they take 5 MB, as long as nobody has looked at other orders of their ties


class Memory:
    """Engine that evaluates in this process.

    Parameters
    ----------
    batch
        The approximate number of rows to judge at a time.
    progress
        Called with the number of rows done after each batch.
    """

    name = "memory"
    opens = False

    def __init__(self, *, batch: int = BATCH_ROWS, progress: Callable[[int], object] | None = None) -> None:
        if batch < 1:
            raise UsageError(f"Memory(batch={batch}): batch must be at least 1.")
        self.batch, self.progress = batch, progress

    def source(self, given: Any) -> Any:
        """Return the source."""
        return given

    def run(self, run: Run, task: Task, threads: int | None) -> Part:
        """Return the sum of the parts of all queries; queries missing from the run come last."""
        if threads is not None and threads < 1:
            raise UsageError(
                f"threads={threads}: must be at least 1, or None for all cores available to this process."
            )
        if threads is None:
            return self._run(run, task)
        with at_most(threads):
            return self._run(run, task)

    def _run(self, run: Run, task: Task) -> Part:
        rows = run.rows
        # whether ranks begin at 0, or a query stands in two places, is seen on the way: most runs then take one pass and not two
        try:
            part = self.measure(rows, run.name, task)
        except RanksBeginAtZero:
            task = replace(task, asked=replace(task.asked, rank_base=0))
            part = self.measure(rows, run.name, task)
        if not rows.grouped and not part.queries.is_distinct():
            part = self.measure(rows.regrouped(), run.name, task)
        judged = n_judged(part)
        if not judged and len(task.pool.offsets) > 1:
            from rankwell.evaluation.id_check import TablesInMemory, explain_no_match

            why = explain_no_match(TablesInMemory(run, task)) if len(part.queries) else None
            raise nothing_in_common(run.name, task.pool.queries.ids, part.queries, why)
        return self.complete(part, task, judged)

    def complete(self, part: Part, task: Task, judged: int) -> Part:
        """Return the part of a whole run, or of all lists of some queries, with the lists that the run lacks: ``known`` are judged."""
        absent = len(task.pool.offsets) - 1 - judged
        if task.asked.policy.missing != "empty":
            if absent:
                add_counts(part.counts, {"judged queries missing from the run": absent})
            return part
        if not absent and task.users is None:
            return part
        pool = task.pool if part.queries.is_text else task.pool.in_integers()
        if absent:
            missing = missing_lists(pool, part.pool_row[part.pool_row >= 0])
            part = _with_empty(part, task, missing, "judged queries missing from the run")
        if task.users is None or task.asked.policy.population == "judged":
            return part
        if not any(metric.sees_missing and not metric.judgements for metric in task.metrics):
            return part
        unlisted = lists_of_others(task.users, part.queries, pool)
        return _with_empty(part, task, unlisted, "users with neither a list nor judgements")

    def measure(self, rows: Rows, name: str, task: Task) -> Part:
        """Measure all batches, only a few at a time so that memory does not grow with the run."""
        batches = rows.batches(self.batch)
        # a run of one batch is measured here: threads are loaded for more only
        first, second = next(batches, None), next(batches, None)
        if first is None:
            raise no_rows(name)
        if second is None:
            return task.measure(*self._judge(first, task))
        workers = cores()
        batches = chain([first, second], batches)
        del first, second  # a batch is let go of once it is measured
        if workers == 1:
            judged = self._gather(self._judge_compact(batch, task) for batch in batches)
            return Part.sum(measure() for measure in _measures(judged, task))

        with Workers(workers) as threads:
            judging = (partial(self._judge_compact, batch, task) for batch in batches)
            judged = self._gather(in_order(threads, workers, judging))
            return Part.sum(in_order(threads, workers, _measures(judged, task)))

    def _judge(self, batch: Callable[[], Lists], task: Task) -> tuple[Judged, dict[str, int]]:
        lists = batch()
        judged, counts = task.judge(lists)
        if self.progress:
            self.progress(lists.rows)
        return judged, counts

    def _judge_compact(self, batch: Callable[[], Lists], task: Task) -> tuple[Judged, dict[str, int]]:
        """Judge a batch that is measured later, with others; it holds none of the text that it was read from."""
        judged, counts = self._judge(batch, task)
        judged.queries = own_text(judged.queries)
        return judged, counts

    def _gather(
        self, batches: Iterable[tuple[Judged, dict[str, int]]]
    ) -> Iterator[tuple[Judged, dict[str, int]]]:
        """Yield judged batches, several small ones as one: what is left of a batch is small, and each measuring has its price."""
        waiting: list[Judged] = []
        counts: dict[str, int] = {}
        size = 0
        for judged, more in batches:
            # several batches, unless most of the run is judged
            if waiting and (size >= self.batch // 8 or not judged.is_small):
                yield Judged.concatenate(waiting), counts
                waiting, counts, size = [], {}, 0
            waiting.append(judged)
            add_counts(counts, more)
            size += len(judged) + len(judged.found) if judged.is_small else self.batch
        if waiting:
            yield Judged.concatenate(waiting), counts


def _measures(batches: Iterable[tuple[Judged, dict[str, int]]], task: Task) -> Iterator[Callable[[], Part]]:
    """Yield functions that each measure one batch; those of a small run leave other orders of ties for a first look."""
    hits = 0
    for judged, counts in batches:
        hits += len(judged.found)
        measure = task.measure if hits <= FEW_HITS else partial(_measure_settled, task)
        yield partial(measure, judged, counts)


def _measure_settled(task: Task, judged: Judged, counts: dict[str, int]) -> Part:
    return task.measure(judged, counts).settle()


def _with_empty(part: Part, task: Task, lists: Judged, what: str) -> Part:
    """Return a part with empty lists added, and count them."""
    return Part.sum([part, task.measure(lists, {what: len(lists)})]) if len(lists) else part


def nothing_in_common(
    name: str, judged: Ids, queries: Ids, why: tuple[Mismatch, str] | None = None
) -> DataError:
    """Return the error of a run of which no query is judged, and why that is, if it is known, with the remedy."""
    if not len(queries):
        return no_rows(name)
    what = f"{name}: no query of the run is judged"
    if why is not None:
        return NothingInCommonError(f"{what}; {why[0].text()}. To make the ids alike: {why[1]}")
    return NothingInCommonError(
        f"{what}: the run has {brief(queries.one(0))}, the qrels have {brief(judged.one(0))}. Check that the two files are in the "
        f"right order and of the same collection."
    )


def n_judged(part: Part) -> int:
    """Return how many queries of a part are judged."""
    return len(part.pool_row) - integers.negative(part.pool_row)


def no_rows(name: str) -> DataError:
    """Return the error of a run that holds no rows."""
    return DataError(f"{name}: the run holds no rows.")
