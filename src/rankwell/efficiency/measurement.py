"""``measure``: what systems cost, each in a process of its own, in turns, under the loads that were asked for."""

from __future__ import annotations

import pickle
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rankwell.efficiency.costs import Costs
from rankwell.efficiency.frames import CALLS, COLD, FAILURES, INDEXING, SESSIONS, WARM, frame_of
from rankwell.efficiency.load import SECOND, Batch, Closed, Load, Open, check_count, queries_of, text_of
from rankwell.efficiency.machine import environment, pace, refuse_elsewhere, require
from rankwell.efficiency.process import ProcessEnded, Start, SystemLimits, Team
from rankwell.efficiency.session import Session, SessionCalls, overhead
from rankwell.efficiency.system import Answer, Command, batches, check_system, searches
from rankwell.efficiency.worker import BEGAN, DUE, ENDED, NOT_CALLED, OK, OUTCOME, OUTCOMES
from rankwell.errors import UsageError, brief
from rankwell.tables.arguments import plain
from rankwell.tables.collections import Documents
from rankwell.tables.run_qrels import Run


def measure(
    systems: Any,
    queries: Any,
    *,
    items: Any = None,
    k: int = 10,
    load: Load | Sequence[Load] = Closed(),  # noqa: B008 - it never changes
    repetitions: int = 5,
    starts: int = 1,
    warmup: int = 1,
    threads: bool = False,
    timeout: float | None = 60.0,
    index_timeout: float | None = None,
    memory: int | None = None,
    seed: int = 0,
    progress: Callable[[str], object] | None = None,
) -> Costs:
    """Measure what systems cost in time and space: indexing, and searching under a load.

    Each system runs in a new process of its own, so memory and interpreter lock are its own. It is started, indexes, and answers
    every query once: the cold pass, from which its run is taken. Then follow sessions in turns (A B, B A, …), in each of which it
    answers every query once, in an order that is the same for all systems.

    Parameters
    ----------
    systems
        A system, or a mapping from names to systems. A system is a function ``(query, k)``, or an object with ``search(query, k)`` and
        perhaps ``index(items)``, ``search_batch(queries, k)``, ``open()`` (open in a new process the index that is on disk),
        ``path`` (the file or folder of the index) or ``index_size()``; or a ``Command``. An answer is a list of items, of pairs (item, score),
        or a mapping from item to score.
    queries
        ``Topics``, a mapping from id to query, or a list, whose ids are 1 to n.
    items
        What ``index`` gets; ``Documents`` or anything else that can be pickled.
    k
        How many items a query asks for.
    load
        ``Closed``, ``Open`` or ``Batch``, or several of them.
    repetitions
        Sessions of each system under each load.
    starts
        How often each system starts, indexes, and answers all queries cold.
    warmup
        Passes over all queries that each process makes before the sessions; the first process has made the cold one by then.
    threads
        Whether concurrent queries of a Python system come from threads of one process; else each comes from a process with its own index.
    timeout, index_timeout
        Seconds that a query, and indexing, may take; a batch may take as many times that as it has queries.
    memory
        Bytes that a process of a system and its children may hold.
    seed
        Of the order of queries and of random arrivals.
    progress
        Called with a line of text before each step.

    Returns
    -------
    Costs
        A call that fails is counted by what happened (error, shape, timeout, crash, memory, exit, output), and the rest goes on. After
        an interruption (Ctrl-C) it holds what was measured until then.

    Raises
    ------
    UsageError
        For arguments that do not fit, or libraries that are missing.

    Examples
    --------
    >>> import rankwell as rw
    >>> def found(query, k):
    ...     return [word for word in ("wing", "flow", "heat") if word in query][:k]
    >>> costs = rw.efficiency.measure({"words": found}, ["wing flow", "heat"], repetitions=2)
    >>> costs.answered("words"), costs.runs["words"].queries
    (4, ['1', '2'])
    """
    refuse_elsewhere()
    plain("threads", threads, bool)
    plan = MeasurementPlan(systems, queries, items, k, load, threads=threads, seed=seed)
    for word, number, least in (
        ("repetitions", repetitions, 0),
        ("starts", starts, 1),
        ("warmup", warmup, 0),
        ("seed", seed, 0),
    ):
        check_count(word, number, least)
    tell = (lambda _: None) if progress is None else progress
    limits = SystemLimits(timeout, index_timeout, memory)
    settings = {
        "k": k, "queries": len(plan.ids), "loads": [str(each) for each in plan.loads], "repetitions": repetitions,
        "starts": starts, "warmup": warmup, "threads": threads, "timeout": timeout, "index_timeout": index_timeout, "memory": memory,
        "seed": seed,
    }  # fmt: skip
    record = Record(plan.ids, settings, environment())
    with tempfile.TemporaryDirectory(prefix="rankwell-") as folder:
        teams = plan.teams(Path(folder), limits)
        try:
            tell("the harness itself")
            record.overhead = overhead(Path(folder))
            _run(plan, teams, record, tell, (repetitions, starts, warmup))
        except KeyboardInterrupt:
            record.note("The measurement was interrupted; what was measured until then is here.")
        finally:
            for each in teams:
                each.end()
                each.queue.close()
    return record.costs()


def _run(
    plan: MeasurementPlan,
    teams: list[Team],
    record: Record,
    tell: Callable[[str], object],
    numbers: tuple[int, int, int],
) -> None:
    repetitions, starts, warmup = numbers
    for start in range(1, starts + 1):
        for team in in_turn(teams, start):
            tell(f"{team.name}: start {start} of {starts}")
            team.failure = ""
            record.add_start(team.name, start, team.start(), plan.items)
            if not team.failure and searches(team.system):
                plan.session(team, Closed(), COLD, start, record, keep=start == 1)
    for team in teams:
        warm_up(plan, team, warmup)
    for repetition in range(1, repetitions + 1):
        for load in plan.loads:
            for team in in_turn(teams, repetition):
                tell(f"{team.name}: {load}, {repetition} of {repetitions}")
                if team.failure:
                    record.note(f"{team.name}: {team.failure}; it was not measured any further.")
                    continue
                plan.session(team, load, WARM, repetition, record, keep=False)


def in_turn(teams: list[Team], turn: int) -> list[Team]:
    """The systems forwards and backwards in turns, so that what drifts on the machine meets all of them alike."""
    return teams if turn % 2 else teams[::-1]


def warm_up(plan: MeasurementPlan, team: Team, passes: int) -> None:
    """Have as many processes as the loads need, and let each answer all queries as often as was asked for."""
    most = 1 if team.threads else max(each.concurrency for each in plan.loads)
    if team.failure:
        return
    try:
        team.grow(most)
    except ProcessEnded as why:
        team.failure = f"a further process did not come up ({why})"
        return
    for at in range(most if searches(team.system) else 0):
        for _ in range(passes - (at == 0)):  # the first process has made the cold pass
            session = Session(
                team, Closed(), plan.asked(Closed(), 0), None, k=plan.k, folder=team.payload.parent, only=at
            )
            if not session.run().is_whole:
                raise KeyboardInterrupt


class MeasurementPlan:
    """What is measured: systems, queries, documents and loads."""

    def __init__(
        self, systems: Any, queries: Any, documents: Any, k: int, load: Any, *, threads: bool, seed: int
    ) -> None:
        if not isinstance(systems, Mapping):
            systems = {_name_of(systems): systems}
        if not systems:
            raise UsageError("there is no system to measure.")
        named = {text_of("system", name): each for name, each in systems.items()}
        self.systems = {name: check_system(name, each) for name, each in named.items()}
        for name, each in self.systems.items():
            if documents is None and isinstance(each, Command) and each.reads_documents:
                raise UsageError(f"{name}: its index command has {{items}}, and there are none; give items=.")
        self.ids, self.queries = queries_of(queries)
        self.documents, self.k, self.seed, self.threads = documents, k, seed, threads
        self.items = (
            len(documents) if hasattr(documents, "__len__") and not isinstance(documents, str) else None
        )
        self.loads: list[Load] = [load] if isinstance(load, Closed | Open | Batch) else list(load)
        for each in self.loads:
            if not isinstance(each, (Closed, Open, Batch)):
                raise UsageError(f"load is Closed, Open or Batch, or several of them, not {brief(each)}.")
            for name, system in self.systems.items():
                if (batches if isinstance(each, Batch) else searches)(system) is None:
                    lacks = "search_batch" if isinstance(each, Batch) else "search"
                    raise UsageError(f"{name}: it has no {lacks}, which the load “{each}” needs.")
        check_count("k", k)

    def teams(self, folder: Path, limits: SystemLimits) -> list[Team]:
        """Write what each process loads; return the systems, none of which runs yet."""
        pickler = require("cloudpickle")  # unlike pickle it takes functions of a notebook or script along
        documents = _write_documents(folder, self.documents, self.systems)
        teams = []
        for at, (name, system) in enumerate(self.systems.items()):
            own = folder / f"system-{at}"
            own.mkdir()
            is_command, own_limits = isinstance(system, Command), limits
            if is_command:
                # it ends its programs itself, and the process is there for the next call
                system = system.given(own, limits.call)
                own_limits = SystemLimits(
                    None if limits.call is None else limits.call + 5, limits.index, limits.memory
                )
            payload = own / "payload"
            try:
                with payload.open("wb") as file:
                    for part in (system, documents if is_command else self.documents, self.queries):
                        pickler.dump(part, file, protocol=pickle.HIGHEST_PROTOCOL)
            except (TypeError, AttributeError, pickle.PicklingError) as error:
                raise UsageError(
                    f"{name}: it cannot be sent to a process of its own ({brief(str(error))}). Open files and connections in index() "
                    "or open(), not before."
                ) from error
            teams.append(
                Team(
                    name, system, payload, (own / "queue").open("w+b", buffering=0), own_limits, self.threads
                )
            )
        return teams

    def asked(self, load: Load, repetition: int) -> list[Any]:
        """The places of the queries in the order of a repetition, in batches where the load has them."""
        order = np.random.default_rng([self.seed, repetition]).permutation(len(self.ids)).tolist()
        if not isinstance(load, Batch):
            return order
        size = load.size or len(order)
        return [order[at : at + size] for at in range(0, len(order), size)]

    def session(
        self, team: Team, load: Load, kind: str, repetition: int, record: Record, *, keep: bool
    ) -> None:
        """Run a session and write it down."""
        calls = self.asked(load, repetition if kind != COLD else 0)
        # the third number sets arrivals apart from the order of queries, which has the same seed and repetition
        rng = np.random.default_rng([self.seed, repetition, 1])
        # before each session, so that a machine that slowed down shows beside the figures
        now = pace()
        session = Session(
            team, load, calls, load.due(len(calls), rng), k=self.k, folder=team.payload.parent, keep=keep
        )
        measured: SessionCalls = session.run()
        record.add_session(team.name, load, kind, repetition, calls, measured, now)
        if not measured.is_whole:
            raise KeyboardInterrupt


def _name_of(system: Any) -> str:
    name = getattr(system, "name", None) or getattr(system, "__name__", None) or type(system).__name__
    return str(name)


def _write_documents(folder: Path, documents: Any, systems: Mapping[str, Any]) -> Any:
    """Documents as a file for programs, if there is one among the systems and it is not a file already."""
    if not isinstance(documents, Documents) or not any(
        isinstance(each, Command) for each in systems.values()
    ):
        return documents
    import polars as pl

    path = folder / "documents.jsonl"
    frame = pl.select(pl.Series("_id", [str(each) for each in documents.ids.tolist()])).hstack(
        documents.frame
    )
    frame.write_ndjson(path)
    return path


class Record:
    """Rows by frame, answers by system and query, and notes."""

    def __init__(self, ids: list[str], settings: dict[str, Any], environment: dict[str, Any]) -> None:
        self.ids, self.settings, self.environment = ids, settings, environment
        self.overhead: dict[str, float] = {}
        self.rows: dict[str, list[Any]] = defaultdict(list)
        self.calls: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Answer]] = defaultdict(dict)
        self.changed: dict[str, set[str]] = defaultdict(set)
        self.notes: dict[str, None] = {}  # in order, each once

    def note(self, text: str) -> None:
        """Add a note, unless it is there."""
        self.notes[text] = None

    def add_start(self, system: str, number: int, start: Start, items: int | None) -> None:
        """Add what it took to index."""
        self.rows["indexing"].append({"system": system, "start": number, "items": items, **asdict(start)})

    def add_session(
        self,
        system: str,
        load: Load,
        kind: str,
        repetition: int,
        asked: list[Any],
        measured: SessionCalls,
        pace: float,
    ) -> None:
        """Add the calls of a session, its failures and its answers."""
        rows = measured.rows
        names = [self._name(each) for each in asked]
        sizes = np.array([len(each) if isinstance(each, list) else 1 for each in asked])
        key = {"system": system, "load": str(load), "session": kind, "repetition": repetition}
        # 0 on the board is a time that has not come
        began = np.where(rows[:, BEGAN] > 0, (rows[:, BEGAN] - measured.start) / SECOND, np.nan)
        ended = np.where(rows[:, ENDED] > 0, (rows[:, ENDED] - measured.start) / SECOND, np.nan)
        due = np.full(len(rows), np.nan)
        if load.is_open:
            # of calls that were not made the board still has the time from the beginning; of others the clock's
            due = np.where(
                rows[:, BEGAN] > 0, (rows[:, DUE] - measured.start) / SECOND, rows[:, DUE] / SECOND
            )
        outcomes = [OUTCOMES[each] for each in rows[:, OUTCOME]]
        self.calls.append(
            key
            | {
                "query": names,
                "queries": sizes,
                "intended": due,
                "began": began,
                "ended": ended,
                "outcome": outcomes,
            }
        )
        is_ok = rows[:, OUTCOME] == OK
        busy = float(np.nansum(ended - began))
        done = int(sizes[is_ok].sum())
        self.rows["sessions"].append(
            key | {
                "wall": measured.wall, "cpu": measured.cpu, "peak_memory": measured.peak_memory, "calls": len(rows),
                "completed": done, "offered": load.rate if isinstance(load, Open) else None,
                "achieved": done / measured.wall if measured.wall else None,
                "used": busy / (measured.wall * load.concurrency) if measured.wall else None,
                "saturated": _is_saturated(load, began, ended),
                "restarts": measured.restarts, "switches": measured.switches, "others": measured.others, "harness": measured.harness,
                "pace": pace,
            }
        )  # fmt: skip
        for call, (outcome, message) in sorted(measured.failures.items()):
            self.rows["failures"].append(key | {"query": names[call], "outcome": outcome, "message": message})
        uncalled = int(np.count_nonzero(rows[:, OUTCOME] == NOT_CALLED))
        if uncalled:
            self.note(f"{system}: {uncalled:,} calls were not made ({load}, {kind}).")
        unseen = int(np.count_nonzero(is_ok)) - len(measured.answers)
        if unseen:
            self.note(
                f"{system}: {unseen:,} answers were not looked at, as a process ended with them or they were too many ({load}, {kind})."
            )
        for call, answers in measured.answers.items():
            places = asked[call] if isinstance(load, Batch) else [asked[call]]
            for place, answer in zip(places, answers, strict=True):
                self._add_answer(system, self.ids[place], answer)

    def _name(self, asked: Any) -> str:
        return f"{len(asked):,} queries" if isinstance(asked, list) else self.ids[asked]

    def _add_answer(self, system: str, query: str, answer: Answer) -> None:
        """Keep the first answer to a query, and note where a later one has other items."""
        first = self.answers[system].setdefault(query, answer)
        if first is not answer and [item for item, _ in first] != [item for item, _ in answer]:
            self.changed[system].add(query)

    def costs(self) -> Costs:
        """Return everything as Costs."""
        import polars as pl

        calls = [
            pl.DataFrame(
                {
                    name: pl.Series(values)
                    if isinstance(values, (list, np.ndarray))
                    else pl.Series([values]).new_from_index(0, len(each["query"]))
                    for name, values in each.items()
                }
            )
            for each in self.calls
        ]
        for system, queries in self.changed.items():
            self.note(
                f"{system}: {len(queries):,} of {len(self.ids):,} queries got other items when they were asked again."
            )
        return Costs(
            calls=frame_of(pl.concat(calls) if calls else [], CALLS),
            sessions=frame_of(self.rows["sessions"], SESSIONS),
            indexing=frame_of(self.rows["indexing"], INDEXING),
            failures=frame_of(self.rows["failures"], FAILURES),
            runs={system: run_of(system, answers) for system, answers in self.answers.items()},
            settings=self.settings,
            environment=self.environment,
            overhead=self.overhead,
            notes=tuple(self.notes),
        )


def run_of(system: str, answers: dict[str, Answer]) -> Run:
    """The answers of a system as a run, in the order in which it gave them; items are text unless all are whole numbers."""
    rows = [
        (query, item, score, rank)
        for query, answer in answers.items()
        for rank, (item, score) in enumerate(answer, 1)
    ]
    items: list[Any] = [item for _, item, *_ in rows]
    if not all(isinstance(each, int) for each in items):
        items = [str(each) for each in items]
    return Run(
        [query for query, *_ in rows],
        items,
        [score for *_, score, _ in rows],
        [rank for *_, rank in rows],
        name=system,
    )


def _is_saturated(load: Load, began: np.ndarray, ended: np.ndarray) -> bool | None:
    """Whether queries came at least as fast as the system can answer them, so that a queue grows without end.

    It can answer as many per second as it has workers, divided by the mean time that it works on one.
    """
    if not isinstance(load, Open):
        return None
    service = float(np.nanmean(ended - began)) if np.isfinite(ended - began).any() else 0.0
    # queueing theory: a utilisation of 1 or more has no steady state
    return load.rate * service >= load.concurrency
