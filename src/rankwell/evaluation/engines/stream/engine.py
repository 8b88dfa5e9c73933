"""Engine for data larger than memory: a survey of all rows, then parts of whole queries, each evaluated as in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from rankwell.errors import UsageError, brief
from rankwell.evaluation.engines.stream.folder import Folder, Keeping, Nowhere, identity_of
from rankwell.evaluation.engines.stream.parts import PartLayout
from rankwell.evaluation.engines.stream.survey import Surveyor, Surveys, words_of_survey
from rankwell.evaluation.engines.stream.tables import Tables, ids_in
from rankwell.evaluation.engines.stream.values import Done, KeptValues, StoredValues
from rankwell.evaluation.engines.stream.work import Work, results_of, work_of
from rankwell.matching.batch import Everyone
from rankwell.readers.frames.pieces import HeldPieces, pieces_of
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.results.part import add_counts
from rankwell.tables.arguments import plain
from rankwell.tables.machine import at_most, free_memory
from rankwell.tables.run_qrels import Run, refuse_mismatch
from rankwell.tables.states import Amounts

if TYPE_CHECKING:
    from rankwell.evaluation.plan import OpenedPlan
    from rankwell.evaluation.task import Task
    from rankwell.results.part import Part


PROGRAM = 490 << 20  # bytes that the program and its libraries take
COPIES = 9  # so many times a row of a part is held while it is read, matched and measured
AHEAD = 6  # so many times a row group of a Parquet file is held while it is read
LEAST_ROWS, MOST_ROWS = 20_000, 2_000_000
PARTS, FEW_ROWS = 256, 100_000  # parts that are kept, if these have as many rows


@dataclass(frozen=True)
class Stream:
    """Evaluation part by part, for a run, judgements and training data that do not fit into memory.

    All rows are looked at once. Tables that are sorted by query (all of them: integers by value, text by its bytes) are then read
    in parts of whole queries; others are divided by a hash of the query into temporary files first. Values per query are the same
    to the last bit as with the engine ``memory``, and so are the means.

    Parameters
    ----------
    memory
        What may be used, such as ``"2GiB"``; by default half of what is free. The catalogue (``items``), the table of ``users``, and
        the values per query, unless they are written to a file, must fit into it too.
    resume
        A folder, empty or new, in which what is done is kept: if the evaluation is ended early, the next call with the same folder
        goes on from there. It is removed at the end. It holds pickles, so it must be as trustworthy as the program.
    part_rows
        The most rows of a table in a part, unless one query has more; by default as many as ``memory`` allows.
    progress
        Called with what is done (``"rows looked at"``, ``"rows divided"`` or ``"rows evaluated"``), of how many rows, and of how many
        in all, None if that is not known yet.

    Raises
    ------
    UsageError
        If the memory is no size, or too small for the program itself.

    Examples
    --------
    >>> import rankwell as rw
    >>> rw.evaluate({"1": ["a", "b"]}, {"1": {"b": 1}}, ["rr"], engine=rw.Stream(memory="1GiB"))["rr"]
    0.5
    """

    memory: str | int | None = None
    resume: str | os.PathLike[str] | None = None
    part_rows: int | None = None
    progress: Callable[[str, int, int | None], object] | None = None

    name: ClassVar[str] = "stream"
    opens: ClassVar[bool] = True
    writes_values: ClassVar[bool] = True
    no_task: ClassVar[str] = (
        "engine='stream' holds no judgements, so only evaluate works with it; for anything else use engine='memory'."
    )

    def __post_init__(self) -> None:
        if self.part_rows is not None and plain("part_rows", self.part_rows, int) < 1:
            raise UsageError(f"Stream(part_rows={self.part_rows}): must be at least 1.")
        if self.resume is not None and not isinstance(self.resume, str | os.PathLike):
            raise UsageError(f"Stream(resume={brief(self.resume)}): must be the path of a folder.")
        if self.memory is not None:
            self._refuse_too_little(PROGRAM + (100 << 20), "the program alone")

    def _refuse_too_little(self, needed: int, why: str) -> None:
        if self.memory is not None and bytes_of(self.memory) < needed:
            raise UsageError(
                f"Stream(memory={brief(str(self.memory))}): too little for {why}; give at least '{-(-needed >> 20)}MiB'."
            )

    def source(self, given: Any) -> Any:
        """Return the source: it is read here."""
        return given

    def run(self, run: Run, task: Task, threads: int | None) -> Part:  # noqa: ARG002 - of all engines
        """Raise UsageError: the judgements of the task have been read already."""
        raise UsageError("engine='stream' reads the judgements itself; give it to evaluate or an Evaluator.")

    def results(self, plan: OpenedPlan, run: Run) -> Results:
        """Return the results of one run."""
        with at_most(plan.threads):
            return Evaluation(self, plan, run).results()

    def tell(self, what: str, done: int, total: int | None) -> None:
        """Tell what is done, if somebody wants to know."""
        if self.progress is not None:
            self.progress(what, done, total)

    def keeping(self, plan: OpenedPlan, run: Run, tables: Tables) -> Keeping:
        """Return what keeps what is done of an evaluation."""
        if self.resume is None:
            return Nowhere()
        return Folder(self.resume, identity_of(plan, run, tables, (self.part_rows, str(self.memory))))

    def rows_of_parts(self, tables: Tables, surveys: Surveys, values: int) -> int:
        """Return how many rows of a table a part may have, if the values per query take so many bytes.

        Raises
        ------
        UsageError
            If the memory is too little.
        """
        if self.part_rows is not None:
            return self.part_rows
        ahead = sum(int(tables[name].ahead * survey.width) for name, survey in surveys.items()) * AHEAD
        width = sum(survey.width for survey in surveys.values()) * COPIES
        fixed = PROGRAM + ahead
        self._refuse_too_little(
            int(fixed + LEAST_ROWS * width), "the row groups of the Parquet files" if ahead else "a part"
        )
        self._refuse_too_little(
            int(fixed + values + LEAST_ROWS * width),
            "the values of each query, unless they are written to a file (per_query='values.parquet') or left out (per_query=False)",
        )
        room = bytes_of(self.memory) if self.memory is not None else free_memory() // 2
        most = MOST_ROWS
        if self.resume is not None:  # a kill loses what is done of a part
            most = min(most, max(max(survey.rows for survey in surveys.values()) // PARTS, FEW_ROWS))
        return int(min(max((room - fixed - values) / width, LEAST_ROWS), most))


def bytes_of(size: str | int) -> int:
    """Return a size in bytes; UsageError if it is no size.

    Examples
    --------
    >>> bytes_of("2GiB"), bytes_of("500 MB"), bytes_of(1 << 30)
    (2147483648, 500000000, 1073741824)
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    text = size.strip() if isinstance(size, str) else ""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", text, re.IGNORECASE)
    if match is None:
        raise UsageError(f"memory={brief(size)} is no size; write one such as '2GiB' or '500MB'.")
    number, unit, binary = match.groups()
    power = " KMGT".index(unit.upper()) if unit else 0
    return int(float(number) * (1024 if binary else 1000) ** power)


class Evaluation:
    """A run that is evaluated part by part."""

    def __init__(self, engine: Stream, plan: OpenedPlan, run: Run) -> None:
        self.engine, self.plan, self.run, self.inputs, self.tell = engine, plan, run, plan.inputs, engine.tell
        self.tables: Tables = {"run": pieces_of(run)} | dict(self.inputs.opened)
        for table in self.inputs.opened.values():
            refuse_mismatch(run.matrix, table.matrix if isinstance(table, HeldPieces) else None)
        self.counts: dict[str, int] = {}
        self.values: list[KeptValues] = []
        self.keeping = engine.keeping(plan, run, self.tables)

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
            rows = self.engine.rows_of_parts(self.tables, self.surveys, self._bytes_of_values())
            self.keeping.save("rows", rows)
        self.layout = PartLayout(self.tables, self.surveys, rows, self.keeping)
        try:
            self.layout.open(self.tell)
            return self._results()
        finally:
            self.layout.close()
            for values in self.values:
                values.close()

    def _results(self) -> Results:
        names = {name: pieces.name for name, pieces in self.tables.items()} | {"run": self.run.name}
        work = work_of(self.plan, self.run, self.surveys, names)
        if "train" in self.tables:
            work = replace(work, facts=replace(work.facts, everyone=self._everyone(work)))
        if work.reads_all and work.catalogue is not None:
            work = replace(work, facts=replace(work.facts, grades=self._grades(work)))
        done = self._done(work, "part")
        # a rule for copies of a judgement may have taken the highest or the lowest away
        if done.ends != work.facts.ends:
            work = replace(work, facts=replace(work.facts, ends=done.ends))
            done = self._done(work, "again")
        results = results_of(work, done, self.surveys, self.counts, self.tables, self.run)
        done.values.write(results)
        return results

    def _bytes_of_values(self) -> int:
        """The bytes of the values per query, as far as they are held."""
        if self.plan.per_query is not True:
            return 0
        queries = max(survey.queries for survey in self.surveys.values())
        return queries * 8 * (len(self.inputs.metrics) + 2)

    @cached_property
    def surveys(self) -> Surveys:
        """What must be known of all rows before a part of them is evaluated."""
        surveys, integer = {}, None
        saved = {name: self.keeping.load(f"{name}-survey") for name in self.tables}
        # a first piece of each is read for the kind of ids: text in one table is taken as integers if another has these
        if None in saved.values():
            heads = [pieces.head() for pieces in self.tables.values()]
            integer = next((ids_in(head)[:1] for head in heads if head and not ids_in(head).is_text), None)
            del heads
        for name, pieces in self.tables.items():
            survey = saved[name]
            if survey is None:
                prepare = self.inputs.prepare if name == "qrels" else None
                words = words_of_survey(self.inputs, name, has_train="train" in self.tables)
                seen, keep = self.keeping.load(f"{name}-seen"), partial(self.keeping.save, f"{name}-seen")
                survey = Surveyor(words, integer, prepare=prepare, seen=seen).of(pieces, self.tell, keep)
                self.keeping.save(f"{name}-survey", survey)
            surveys[name] = survey
        return surveys

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
        to_file = self.plan.per_query
        self.values.append(
            KeptValues() if isinstance(to_file, bool) else StoredValues(to_file, self.keeping, kind)
        )
        done, start = Done(self.values[-1]), None
        for number in count():
            part_done = self.keeping.load(f"{kind}-{number}")
            if part_done is None:
                break
            done.add(part_done)
            start = part_done.next
        if not done.is_begun or start is not None:
            for number, part in enumerate(self.layout.parts(None, start), done.parts):
                part_done = work.evaluated(part)
                done.add(part_done)
                self.keeping.save(f"{kind}-{number}", part_done)
                self.tell("rows evaluated", done.rows, self.surveys["run"].rows)
        return done
