"""Engine for Spark: each group of queries is evaluated where its rows are, and only states and values travel."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from rankwell.errors import UsageError, brief
from rankwell.evaluation.engines.spark.job import (
    USERS,
    Answer,
    GroupJob,
    count_users,
    evaluate_part,
    join_ranges,
    merge_answers,
    ranges_of,
    sum_grades,
)
from rankwell.evaluation.engines.spark.side_by_side import SparkValues
from rankwell.evaluation.engines.spark.tables import (
    frame_of,
    frames_of,
    refuse_other_kind,
    segments_in_table,
    survey,
    tag_tables,
    without_users,
)
from rankwell.evaluation.engines.spark.workers import (
    DONE,
    QUERY,
    RANGE,
    blobs,
    groups_for,
    map_batches,
    our_errors,
)
from rankwell.evaluation.engines.stream.survey import words_of_survey
from rankwell.evaluation.engines.stream.values import Done, KeptValues, PartDone
from rankwell.evaluation.engines.stream.work import Work, results_of, work_of
from rankwell.evaluation.task import Task
from rankwell.matching.batch import Everyone
from rankwell.metrics.metric import QueryMetric
from rankwell.readers.frames.pieces import Pieces, pieces_of
from rankwell.readers.frames.spark import SparkPieces
from rankwell.results import Results
from rankwell.results.part import add_counts
from rankwell.tables.arguments import plain
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.evaluation.plan import OpenedPlan
    from rankwell.results.part import Part


LOCAL, PORT = "local", 15002  # the address of this machine, and the port of Spark Connect
SECONDS = 10  # that a server may take to answer


@dataclass(frozen=True)
class Spark:
    """Evaluation on Apache Spark, classic or by Spark Connect, of DataFrames that stay where they are.

    Run, judgements and training data are grouped by a hash of the query; each group is judged and measured by the code that evaluates
    in memory. States come back and are added; the values of each query stay a DataFrame of Spark (``results.spark_rows``) until
    somebody looks at them. Files of Parquet, folders and addresses of them, and names of tables are read by Spark; other files and
    tables are read here and sent there. The catalogue and slices go with the job, the row of a user to the group of their lists.

    Parameters
    ----------
    session
        The session, or the address to connect to, such as ``"sc://host:15002"``, or ``"local"``; by default the session of the
        DataFrames, or the active one.
    groups
        The number of groups of queries; by default one for 500,000 rows, and more, of at least 10,000 rows, up to the number of
        ``spark.sql.shuffle.partitions``; at most 1,000, unless a group would have more than 5 million rows. A group has at least a
        row for every four items of the catalogue, which is sent to each.
    """

    session: Any = None
    groups: int | None = None

    name: ClassVar[str] = "spark"
    opens: ClassVar[bool] = True
    writes_values: ClassVar[bool] = False
    no_task: ClassVar[str] = (
        "engine='spark' holds no judgements, so only evaluate works with it; collect the data for anything else."
    )

    def __post_init__(self) -> None:
        if self.groups is not None and plain("groups", self.groups, int) < 1:
            raise UsageError(f"Spark(groups={self.groups}): must be at least 1.")

    def opened(self) -> Any:
        """Return the session: connected to, or the active one if none is given.

        Raises
        ------
        UsageError
            If there is none, PySpark is not installed, or nobody answers at the address.
        """
        if self.session is None:
            return active_session()
        return connect(self.session) if isinstance(self.session, str) else self.session

    def source(self, given: Any) -> Any:
        """Return a DataFrame for what Spark reads: Parquet, and tables by name; anything else as it is."""
        if not isinstance(given, (str, os.PathLike)) or (
            isinstance(given, str) and given.startswith("irds:")
        ):
            return given
        from rankwell.readers.frames.spark import read_by_spark

        return read_by_spark(self.opened, os.fspath(given))

    def results(self, plan: OpenedPlan, run: Run) -> Results:
        """Return the results of one run."""
        if plan.policy.duplicate_grades == "last":
            raise UsageError(
                "duplicate_grades='last' needs rows in an order, and those of Spark have none; use 'max' or 'error'."
            )
        tables: dict[str, Pieces] = {"run": pieces_of(run), **plan.inputs.opened}
        session = self._session(tables)
        frames = frames_of(session, tables)
        words = {name: words_of_survey(plan.inputs, name, has_train="train" in frames) for name in frames}
        prepare = {"qrels": plan.inputs.prepare}
        surveys = {
            name: survey(frame, words[name], tables[name].name, prepare.get(name))
            for name, frame in frames.items()
        }
        names = {name: pieces.name for name, pieces in tables.items()} | {"run": run.name}
        work = work_of(plan, run, surveys, names)
        rows, items = (
            sum(survey_of_table.rows for survey_of_table in surveys.values()),
            len(work.catalogue or ()),
        )
        groups = self.groups or groups_for(session, rows, items)
        counts: dict[str, int] = {}
        if "train" in frames:
            work, counts = _with_everyone(work, {"train": frames["train"]}, groups)
        if work.reads_all and work.catalogue is not None:
            work = _with_grades(work, {"qrels": frames["qrels"]}, groups)
        if work.users is not None:
            segments, read = segments_in_table(work), [name for name in ("run", "qrels") if name in frames]
            refuse_other_kind({tables[name].name: frames[name] for name in read}, segments)
            frames[USERS] = frame_of(session, work.users, segments)
        work, done, values = _evaluate_groups(work, frames, groups)
        return replace(
            results_of(work, done, surveys, counts, tables, run),
            remote=None if values is None else SparkValues(values),
        )

    def _session(self, tables: Mapping[str, Pieces]) -> Any:
        if self.session is None:
            for pieces in tables.values():
                if isinstance(pieces, SparkPieces):
                    return pieces.frame.sparkSession
        return self.opened()

    def run(self, run: Run, task: Task, threads: int | None) -> Part:  # noqa: ARG002 - of all engines
        """Raise UsageError: the judgements of the task have been read already."""
        raise UsageError("engine='spark' reads the judgements itself; give it to evaluate or an Evaluator.")


def _evaluate_groups(work: Work, frames: Mapping[str, Any], groups: int) -> tuple[Work, Done, Any]:
    """Return the work as it was done at last, what is done, and a DataFrame of the values per query, if they are kept."""
    ranges = ranges_of(work)
    # the ends of the grades, which some metrics divide by, are those of the survey; a rule for copies of a judgement may take the highest
    # or the lowest away, which is known once all groups have answered: then they are asked once more
    while True:
        metrics = work.tasks[None].metrics if work.keeps_values else ()
        names = [str(metric) for metric in metrics if isinstance(metric, QueryMetric)]
        with our_errors():
            # persisted: states are read first, and the values per query perhaps much later
            answered = _ask_groups(work, frames, groups, evaluate_part, names, ranges).persist()
        done = Done(KeptValues())
        by_item = []
        for answer in blobs(merge_answers(answered, groups, ranges)):
            if isinstance(answer, PartDone):
                done.add(answer)
            else:
                by_item.append(answer)
        if done.ends == work.facts.ends:
            break
        answered.unpersist()
        work = replace(work, facts=replace(work.facts, ends=done.ends))
    done.hold(join_ranges(by_item).items())
    rows = answered.filter(answered[DONE].isNull()).drop(DONE, RANGE) if work.keeps_values else None
    return work, done, rows


def _ask_groups(
    work: Work, frames: Mapping[str, Any], groups: int, answer: Answer, values: list[str], ranges: int = 0
) -> Any:
    whole, words = tag_tables(frames, groups)
    kind = dict(whole.dtypes)[QUERY]
    schema = ", ".join(
        [f"{QUERY} {kind}", *(f"`{name}` double" for name in values), f"{RANGE} int", f"{DONE} binary"]
    )
    return map_batches(whole, GroupJob(without_users(work), words, answer, tuple(values), ranges), schema)


def _with_everyone(work: Work, frames: Mapping[str, Any], groups: int) -> tuple[Work, dict[str, int]]:
    total: Everyone | None = None
    counts: dict[str, int] = {}
    assert work.catalogue is not None
    for [(few, more)] in blobs(_ask_groups(work, frames, groups, count_users, []).select(DONE)):
        if few is not None:
            own = few.whole(work.catalogue)
            total = own if total is None else total + own
            add_counts(counts, more)
    return replace(work, facts=replace(work.facts, everyone=total)), counts


def _with_grades(work: Work, frames: Mapping[str, Any], groups: int) -> Work:
    total: Any = None
    for few in blobs(_ask_groups(work, frames, groups, sum_grades, []).select(DONE)):
        own = few.whole()
        total = own if total is None else total + own
    return replace(work, facts=replace(work.facts, grades=total))


def active_session() -> Any:
    """Return the active session of Spark; UsageError if there is none."""
    session = _sessions().getActiveSession()
    if session is None:
        raise UsageError(
            "engine='spark' needs a session; give rw.Spark(session), an address (rw.Spark('sc://host:15002')), or DataFrames of Spark."
        )
    return session


@cache
def connect(address: str) -> Any:
    """Return a session at an address (``sc://host:port``), or on this machine (``local``, ``local[4]``); UsageError if there is none."""
    builder = _sessions().builder
    if address.startswith(LOCAL):
        builder = builder.master("local[*]" if address == LOCAL else address)
        return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    if not address.startswith("sc://"):
        raise UsageError(
            f"Spark({brief(address)}): an address is sc://host:port (Spark Connect) or 'local'; or give a session."
        )
    _refuse_silence(address)
    from pyspark.errors import PySparkException

    try:
        session = builder.remote(address).getOrCreate()
        session.version  # noqa: B018 - asks the server
    except (ImportError, PySparkException) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise UsageError(f"{brief(address)}: no session of Spark there ({brief(lines[0])}).") from error
    return session


def _refuse_silence(address: str) -> None:
    """Refuse an address where nobody listens: PySpark would try again for minutes."""
    place = urlsplit(address)
    try:
        with socket.create_connection((place.hostname or "", place.port or PORT), SECONDS):
            pass
    except (OSError, ValueError) as error:
        raise UsageError(f"{brief(address)}: nobody answers there ({error}).") from error


def _sessions() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(f"engine='spark' needs PySpark: pip install 'rankwell[spark]' ({error}).") from error
    return SparkSession
