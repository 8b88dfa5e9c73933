"""Engine for data larger than memory: a survey of all rows, then parts of whole queries, each evaluated as in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rankwell.errors import UsageError, brief
from rankwell.tables.arguments import plain
from rankwell.tables.machine import free_memory

if TYPE_CHECKING:
    from rankwell.evaluation.streaming.folder import Keeping
    from rankwell.evaluation.streaming.joined import Tables
    from rankwell.evaluation.streaming.plan import StreamPlan
    from rankwell.evaluation.streaming.survey import Surveys
    from rankwell.evaluation.task import Task
    from rankwell.results.part import Part
    from rankwell.tables.run_qrels import Run

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

    def __post_init__(self) -> None:
        if self.part_rows is not None and plain("part_rows", self.part_rows, int) < 1:
            raise UsageError(f"Stream(part_rows={self.part_rows}): must be at least 1.")
        if self.resume is not None and not isinstance(self.resume, str | os.PathLike):
            raise UsageError(f"Stream(resume={brief(self.resume)}): must be the path of a folder.")
        if self.memory is not None:
            self._refuse_too_little(PROGRAM + (100 << 20), "the program alone")

    def _refuse_too_little(self, wanted: int, why: str) -> None:
        if self.memory is not None and bytes_of(self.memory) < wanted:
            raise UsageError(
                f"Stream(memory={brief(str(self.memory))}): too little for {why}; give at least '{-(-wanted >> 20)}MiB'."
            )

    def source(self, given: Any) -> Any:
        """Return the source: it is read here."""
        return given

    def run(self, run: Run, task: Task, threads: int | None) -> Part:  # noqa: ARG002 - of all engines
        """Raise UsageError: the judgements of the task have been read already."""
        raise UsageError("engine='stream' reads the judgements itself; give it to evaluate or an Evaluator.")

    def tell(self, what: str, done: int, total: int | None) -> None:
        """Tell what is done, if somebody wants to know."""
        if self.progress is not None:
            self.progress(what, done, total)

    def keeping(self, plan: StreamPlan, run: Run, tables: Tables) -> Keeping:
        """Return what keeps what is done of an evaluation."""
        from rankwell.evaluation.streaming.folder import Folder, Nowhere
        from rankwell.evaluation.streaming.identity import identity_of

        return Nowhere() if self.resume is None else Folder(self.resume, identity_of(plan, run, tables))

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
        taken = PROGRAM + ahead
        self._refuse_too_little(
            int(taken + LEAST_ROWS * width), "the row groups of the Parquet files" if ahead else "a part"
        )
        self._refuse_too_little(
            int(taken + values + LEAST_ROWS * width),
            "the values of each query, unless they are written to a file (per_query='values.parquet') or left out (per_query=False)",
        )
        room = bytes_of(self.memory) if self.memory is not None else free_memory() // 2
        most = MOST_ROWS
        if self.resume is not None:  # a kill loses what is done of a part
            most = min(most, max(max(survey.rows for survey in surveys.values()) // PARTS, FEW_ROWS))
        return int(min(max((room - taken - values) / width, LEAST_ROWS), most))


def bytes_of(size: str | int) -> int:
    """Return a size in bytes; UsageError if it is no size.

    Examples
    --------
    >>> bytes_of("2GiB"), bytes_of("500 MB"), bytes_of(1 << 30)
    (2147483648, 500000000, 1073741824)
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    found = (
        re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", size.strip(), re.IGNORECASE)
        if isinstance(size, str)
        else None
    )
    if found is None:
        raise UsageError(f"memory={brief(size)} is no size; write one such as '2GiB' or '500MB'.")
    number, unit, binary = found.groups()
    power = " KMGT".index(unit.upper()) if unit else 0
    return int(float(number) * (1024 if binary else 1000) ** power)
