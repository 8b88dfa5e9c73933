"""Sessions: all calls of one system under one load, watched from outside while they run; and what the harness itself adds to a call."""

from __future__ import annotations

import math
import pickle
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankwell.efficiency.load import SECOND, Closed, Load, Open
from rankwell.efficiency.machine import MachineWatch, require
from rankwell.efficiency.process import Process, ProcessEnded, SystemLimits, Team
from rankwell.efficiency.system import Answer
from rankwell.efficiency.worker import (
    BEGAN,
    DUE,
    ENDED,
    NOT_CALLED,
    OK,
    OUTCOME,
    OUTCOMES,
    TIMEOUT,
    WORD,
    CallTimes,
)

LOOK = 0.02  # seconds between looks at a session, shared by its processes
HEAD_START = 50_000_000  # nanoseconds from asking the workers to the first due time
RESTARTS = 10  # of processes in one session; a system that goes down more often is given up
# to find what the harness adds: calls in a row, calls that are due, and how many of these per second
CALLS, SENT, RATE = 2_000, 100, 200


@dataclass
class SessionCalls:
    """What a session found: a row per call, of each the failure if there is one, and the answers by call."""

    rows: np.ndarray
    start: int
    wall: float = 0.0
    cpu: float | None = 0.0
    peak_memory: int = 0
    restarts: int = 0
    switches: int = 0
    harness: float = 0.0
    others: float | None = None
    failures: dict[int, tuple[str, str]] = field(default_factory=dict)
    answers: dict[int, list[Answer]] = field(default_factory=dict)
    is_whole: bool = True


class Session:
    """A session in the making.

    Parameters
    ----------
    team
        The system.
    load
        How queries are sent.
    asked
        For each call the place of its query, or the places of the queries of a batch.
    due
        When each call is due, in nanoseconds from the beginning; None in a closed loop.
    keep
        Whether each answer is written as it comes, so that a crash loses none.
    only
        The one process of the system that is asked; by default as many as the load needs.
    """

    def __init__(
        self,
        team: Team,
        load: Load,
        asked: list[Any],
        due: np.ndarray | None,
        *,
        k: int,
        folder: Path,
        keep: bool = False,
        only: int | None = None,
    ) -> None:
        self.team, self.load, self.asked, self.folder, self.k, self.keep = team, load, asked, folder, k, keep
        self.board = CallTimes(folder / "board", len(asked), create=True)
        if due is not None:
            self.board.rows[:, DUE] = due
        self.members = {only} if only is not None else {*range(1 if team.threads else load.concurrency)}
        self.start: int | None = None
        self.files: list[Path] = []
        self.fresh: set[int] = set()  # processes that have not been asked yet
        self.found = SessionCalls(self.board.rows, 0)

    def run(self) -> SessionCalls:
        """Run all calls; an interruption by the user ends the session, and what was found until then is returned."""
        team, calls, load = self.team, self.found, self.load
        self._fill_queue()
        watch = MachineWatch()
        began = time.perf_counter_ns()
        if load.is_open:
            self.start = began + HEAD_START
        calls.start = self.start or began
        for at in self.members:
            team.processes[at].peak = 0
        peaks = dict.fromkeys(self.members, 0)
        self.fresh, busy = set(self.members), set(self.members)
        try:
            while busy:
                for at in sorted(busy):
                    if not self._look(at, LOOK / len(busy), alone=len(busy) == 1):
                        busy.discard(at)
                    process = team.processes[at]
                    peaks[at] = max(peaks[at], process.peak - process.baseline)
        except KeyboardInterrupt:
            calls.is_whole = False
            team.end()
        calls.rows = self.board.rows.copy()
        ended = calls.rows[calls.rows[:, OUTCOME] != NOT_CALLED, ENDED]
        calls.wall = (int(ended.max()) - calls.start) / SECOND if len(ended) else 0.0
        calls.peak_memory = sum(peaks.values())
        calls.others, calls.harness = watch.end(calls.cpu)
        self._refuse_late()
        self._gather()
        return calls

    def _refuse_late(self) -> None:
        """Count calls as failed that took too long, but ended before anybody had looked at the time."""
        rows = self.found.rows
        for call in np.flatnonzero(rows[:, OUTCOME] == OK).tolist():
            if rows[call, ENDED] - rows[call, BEGAN] > (limit := self._limit(call)):
                rows[call, OUTCOME] = TIMEOUT
                self.found.failures[call] = ("timeout", f"no answer within {limit / SECOND:g} s")

    def _fill_queue(self) -> None:
        """Write the numbers of the calls to the file from which the processes take them one by one."""
        queue = self.team.queue
        queue.seek(0)
        queue.truncate()
        # a read of 8 bytes takes the next number, and the kernel sees to it that no two processes get the same
        queue.write(np.arange(len(self.asked), dtype=np.int64).tobytes())
        queue.seek(0)

    def _look(self, at: int, seconds: float, *, alone: bool) -> bool:
        """Look at a process, and start another if it ended; whether there is more to come of it."""
        process = self.team.processes[at]
        workers = range(self.load.concurrency) if self.team.threads else range(at, at + 1)
        try:
            if at in self.fresh:
                self._send(process, workers)
                self.fresh.discard(at)
            reply = process.watch(seconds)
            if reply is None:
                self._check_time(process, workers)
                return True
            if self.found.cpu is not None:
                self.found.cpu += reply["cpu"]
            self.found.switches += reply["switches"]
            process.peak = max(process.peak, reply["peak"])
        except ProcessEnded as why:
            self._note(why, workers)
            self.fresh.add(at)
            return self._start_again(at, alone=alone)
        return False

    def _send(self, process: Process, workers: range) -> None:
        path = self.folder / f"answers-{len(self.files)}"
        self.files.append(path)
        process.send(
            "session", board=self.board.path, asked=self.asked, k=self.k, start=self.start, workers=workers, answers=path,
            keep=self.keep,
        )  # fmt: skip

    def _check_time(self, process: Process, workers: range) -> None:
        """End a process in which a call takes too long."""
        for worker in workers:
            call = self.board.running(worker)
            if call is not None and time.perf_counter_ns() - self.board.rows[call, BEGAN] > self._limit(call):
                process.end()
                raise ProcessEnded("timeout", f"no answer within {self._limit(call) / SECOND:g} s")

    def _limit(self, call: int) -> float:
        """The nanoseconds that a call may take: of a batch, those of all its queries."""
        queries = len(self.asked[call]) if isinstance(self.asked[call], list) else 1
        return math.inf if self.team.limits.call is None else self.team.limits.call * queries * SECOND

    def _note(self, why: ProcessEnded, workers: range) -> None:
        """Give the calls that a process was in their outcome."""
        self.found.cpu = None  # what an ended process used is not known
        rows, now = self.board.rows, time.perf_counter_ns()
        for worker in workers:
            call = self.board.running(worker)
            if call is None:
                continue
            outcome, message = why.outcome, str(why)
            if outcome == "timeout" and now - rows[call, BEGAN] <= self._limit(call):
                outcome, message = "crash", "its process was ended, since another call took too long"
            rows[call, ENDED], rows[call, OUTCOME] = now, OUTCOMES.index(outcome)
            self.found.failures[call] = (outcome, message)

    def _start_again(self, at: int, *, alone: bool) -> bool:
        """Start a process in place of one that ended, if calls are left; whether it is there."""
        began = time.perf_counter_ns()
        self.found.restarts += 1
        if self.found.restarts > RESTARTS:
            self.team.failure = f"it went down more than {RESTARTS} times in one session"
            return False
        try:
            self.team.processes[at] = self.team.another()
        except ProcessEnded as why:
            self.team.failure = f"it did not come up again ({why})"
            return False
        if self.start is not None and alone:
            self.board.put_off(time.perf_counter_ns() - began)  # nobody could have answered meanwhile
        return self.team.queue.tell() < WORD * len(self.asked)

    def _gather(self) -> None:
        """Read the answers and failures that the processes wrote."""
        for path in self.files:
            if not path.exists():
                continue
            with path.open("rb") as file:
                while True:
                    try:
                        call, answers, failure = pickle.load(file)  # noqa: S301
                    except (EOFError, pickle.UnpicklingError):
                        break  # the end, or where a process was when it ended
                    if failure is not None:
                        self.found.failures[call] = failure
                    elif self.found.rows[call, OUTCOME] == OK:
                        self.found.answers[call] = answers
            path.unlink()


def nothing(query: object, k: int) -> list[str]:  # noqa: ARG001 - what a system is called with
    """Return one item at once."""
    return ["item"]


def overhead(folder: Path) -> dict[str, float]:
    """Return seconds: ``call``, what is measured of an empty call; ``between``, from one call to the next; ``late``, by how much a call begins after it is due.

    Each is the median of many calls, and with ``_p99`` its 99th percentile.
    """
    own = folder / "overhead"
    own.mkdir()
    payload = own / "payload"
    with payload.open("wb") as file:
        for part in (nothing, None, ["query"]):
            require("cloudpickle").dump(part, file)
    with (own / "queue").open("w+b", buffering=0) as queue:
        team = Team("nothing", nothing, payload, queue, SystemLimits(60, 60, None), threads=False)
        try:
            team.start()
            closed = Session(team, Closed(), [0] * CALLS, None, k=1, folder=own).run().rows
            load = Open(RATE, "constant")
            due = load.due(SENT, np.random.default_rng(0))
            late = Session(team, load, [0] * SENT, due, k=1, folder=own).run().rows
        finally:
            team.end()
    gaps = {
        "call": closed[:, ENDED] - closed[:, BEGAN],
        "between": closed[1:, BEGAN] - closed[:-1, ENDED],
        "late": late[:, BEGAN] - late[:, DUE],
    }
    return {
        name + end: float(np.quantile(values, q)) * 1e-9
        for name, values in gaps.items()
        for end, q in (("", 0.5), ("_p99", 0.99))
    }
