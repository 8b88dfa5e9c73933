"""The measured process: loads a system, lets it index, and calls its search at the times that are due; and the board of these times.

It is started by ``rankwell.efficiency.process`` as a new interpreter, so memory and interpreter lock are the system's own. No message
passes between processes while a call is timed: the next call is read from a file that all workers share, times go to the board.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import mmap
import os
import pickle
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.efficiency.system import (
    CallError,
    ShapeError,
    batches,
    path_of,
    read_answer,
    searches,
    take_first,
)

if TYPE_CHECKING:
    import resource

    import numpy as np

OUTCOMES = ("not called", "ok", "error", "shape", "timeout", "crash", "memory", "exit", "output")
NOT_CALLED, OK, ERROR, SHAPE, TIMEOUT, CRASH, MEMORY, EXIT, OUTPUT = range(len(OUTCOMES))
DUE, BEGAN, ENDED, OUTCOME, WORKER = range(5)  # the columns of a call; a time of 0 is one that has not come
WIDTH = 5
HEAD = 1  # before the calls: by how much all due times are put off, because no worker was there
WORD = 8  # bytes
SPIN = 200_000  # nanoseconds before a due time from which on a worker does not sleep: waking takes longer than that sometimes
SPARE = 1_000_000  # nanoseconds that a call must take, or a worker must have, for an answer to be looked at
HELD = 200_000  # entries of answers that are held to be looked at after a session
ENDS_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


def main(handle: int, queue: int) -> None:
    """Serve the measuring process until it hangs up."""
    for each in (handle, queue):
        os.set_inheritable(each, False)  # programs that the system starts must not keep them open
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ENDS_WITH_PARENT, signal.SIGKILL)
    connection = Connection(handle)
    worker = Worker(queue)
    tasks: dict[str, Any] = {
        "load": worker.load,
        "index": worker.index,
        "open": worker.open,
        "session": worker.session,
    }
    with contextlib.suppress(EOFError):
        while True:
            task, given = connection.recv()
            connection.send(tasks[task](**given))


class Worker:
    """A system in its process."""

    def __init__(self, queue: int) -> None:
        self.queue = queue
        self.system: Any = None
        self.documents: Any = None
        self.queries: list[Any] = []

    def load(self, path: Path) -> dict[str, Any]:
        """Take the system, the documents and the queries; return the memory that they need."""
        with path.open("rb") as file:
            # three pickles, so that what a system brings with it is imported before documents are there
            self.system, self.documents, self.queries = (pickle.load(file) for _ in range(3))  # noqa: S301
        gc.collect()
        return {"resident": resident()}

    def index(self) -> dict[str, Any]:
        """Let the system index; return the time, memory and space that it took."""
        index = getattr(self.system, "index", None)
        return self._timed(lambda: index(self.documents) if index else None)

    def open(self) -> dict[str, Any]:
        """Let the system open an index that is there; return what it took."""
        return self._timed(self.system.open)

    def _timed(self, task: Any) -> dict[str, Any]:
        forget_peak()
        cpu, began = used_cpu(), time.perf_counter_ns()
        outcome, message = "ok", ""
        try:
            task()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the system raises is its outcome
            outcome, message = outcome_of(error)
        ended = time.perf_counter_ns()
        figures = {
            "wall": (ended - began) / 1e9,
            "cpu": used_cpu() - cpu,
            "peak": peak(),
            "resident": resident(),
        }
        size = None
        if outcome == "ok":
            try:
                size = size_of(self.system)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
                outcome, message = outcome_of(error)
        return figures | {"outcome": outcome, "message": message, "size": size}

    def session(
        self,
        *,
        board: Path,
        asked: list[Any],
        k: int,
        start: int | None,
        workers: range,
        answers: Path,
        keep: bool,
    ) -> dict[str, Any]:
        """Call search until no call is left; return CPU time, failures, and where the answers are."""
        batch = bool(asked) and isinstance(asked[0], list)
        given = [[self.queries[at] for at in each] if batch else self.queries[each] for each in asked]
        with answers.open("wb") as file:
            session = Session(
                self, CallTimes(board, len(asked)), given, k, start, batch=batch, file=file, keep=keep
            )
            # before the clock starts, so that no call pays for garbage of loading and indexing
            gc.collect()
            forget_peak()
            cpu, switches = used_cpu(), times_switched()
            if len(workers) == 1:
                session.serve(workers[0])
            else:
                threads = [threading.Thread(target=session.serve, args=(each,)) for each in workers]
                for each in threads:
                    each.start()
                for each in threads:
                    each.join()
            used = {"cpu": used_cpu() - cpu, "switches": times_switched() - switches, "peak": peak()}
            session.write_held()
        return used


class Session:
    """One session in one process: the loop that is timed."""

    def __init__(
        self,
        worker: Worker,
        board: CallTimes,
        given: list[Any],
        k: int,
        start: int | None,
        *,
        batch: bool,
        file: io.BufferedWriter,
        keep: bool,
    ) -> None:
        self.search = (batches if batch else searches)(worker.system)
        self.queue, self.board, self.given, self.k, self.start = worker.queue, board, given, k, start
        self.is_batch = batch
        self.held: list[tuple[int, Any]] = []
        self.entries = 0
        self.file, self.keep = file, keep

    def serve(self, worker: int) -> None:
        """Take calls until none is left."""
        # local names are looked up faster than attributes: this loop is part of what is measured
        cells, search, k, start, clock = (
            self.board.cells,
            self.search,
            self.k,
            self.start,
            time.perf_counter_ns,
        )
        while token := os.read(self.queue, WORD):  # the file's place is shared: each call goes to one worker
            call = int.from_bytes(token, sys.byteorder)
            row = HEAD + WIDTH * call
            query = self.given[call]
            cells[row + WORKER] = worker
            if start is not None:
                if self.held and start + cells[row] + cells[0] - clock() > SPARE:
                    self.write_held()
                wait_until(start, cells, row)
            outcome, failure = OK, None
            began = clock()
            cells[row + BEGAN] = began
            try:
                answer = take_first(search(query, k), k)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the system raises is its outcome
                failure = outcome_of(error)
                outcome = OUTCOMES.index(failure[0])
            cells[row + ENDED] = clock()
            cells[row + OUTCOME] = outcome
            self.take(call, answer if failure is None else failure, cells[row + ENDED] - began)

    def take(self, call: int, answer: Any, took: int) -> None:
        """Write what a call gave at once where that costs nothing that is measured, and failures always; else hold it while there is room.

        In a closed loop, looking at an answer and writing it delays the next call by some microseconds, which matters to throughput only
        where calls are short. In an open loop it is done while no call is due.
        """
        at_once = self.keep or (self.start is None and took > SPARE)
        if at_once or self.board.cells[HEAD + WIDTH * call + OUTCOME] != OK:
            self.write(call, answer)
            self.file.flush()
        elif self.entries < HELD:
            self.entries += len(answer) if hasattr(answer, "__len__") else 1
            self.held.append((call, answer))

    def write_held(self) -> None:
        """Write all answers that are held."""
        held, self.held = self.held, []
        for call, answer in held:
            self.write(call, answer)
        self.file.flush()

    def write(self, call: int, answer: Any) -> None:
        """Write (call, answers of its queries, failure), looking at the shape of the answer."""
        row = HEAD + WIDTH * call
        if self.board.cells[row + OUTCOME] != OK:
            self.file.write(pickle.dumps((call, None, answer)))
            return
        try:
            if self.is_batch:
                lists = list(answer)
                answers = [read_answer(part, self.k) for part in as_many(lists, len(self.given[call]))]
            else:
                answers = [read_answer(answer, self.k)]
        except (ShapeError, TypeError) as error:
            self.board.cells[row + OUTCOME] = SHAPE
            self.file.write(pickle.dumps((call, None, ("shape", str(error)))))
            return
        self.file.write(pickle.dumps((call, answers, None)))


def as_many(lists: list[Any], queries: int) -> list[Any]:
    """Return the answers of a batch if each of its queries has one."""
    if len(lists) != queries:
        raise ShapeError(f"{len(lists):,} answers came back for {queries:,} queries")
    return lists


def wait_until(start: int, cells: memoryview, row: int) -> None:
    """Wait until a call is due: asleep for most of the time, then awake, since a sleeper wakes up late."""
    clock = time.perf_counter_ns
    due = cells[row]
    while (left := start + due + cells[0] - clock()) > SPIN:
        time.sleep(min((left - SPIN) / 1e9, 0.05))  # it may be put off meanwhile
    final = start + due + cells[0]
    while clock() < final:
        pass
    # written back, so that latencies count from when the call was due after all delays
    cells[row] = final


def outcome_of(error: BaseException) -> tuple[str, str]:
    """Return the outcome that an exception stands for, and its message in one line."""
    if isinstance(error, CallError):
        return error.outcome, str(error)
    lines = str(error).strip().splitlines()
    return "error", f"{type(error).__name__}: {lines[0] if lines else 'no message'}"


def size_of(system: Any) -> int | None:
    """Return the bytes of an index on disk; None if the system has none."""
    if hasattr(system, "index_size"):
        return int(system.index_size())
    path = path_of(system)
    if path is None or not path.exists():
        return None
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


class CallTimes:
    """The times of all calls of a session, in memory that the measured and the measuring process share: a head, and a row per call.

    A call that never returns has left the time at which it began here, and so has one that ends its process.

    ``cells`` is flat, for the loop that is timed; ``rows`` is the same memory as an array.
    """

    def __init__(self, path: Path, calls: int, *, create: bool = False) -> None:
        length = (HEAD + WIDTH * calls) * WORD
        with path.open("w+b" if create else "r+b") as file:
            if create:
                file.truncate(length)
            self.memory = mmap.mmap(file.fileno(), length)
        self.path, self.calls = path, calls
        self.cells = memoryview(self.memory).cast("q")

    @property
    def rows(self) -> np.ndarray:
        """The rows of the calls, as they are now; writing to it writes to the board."""
        import numpy as np  # only where times are looked at: a measured process starts sooner, and is smaller, without

        return np.frombuffer(self.memory, np.int64, offset=HEAD * WORD).reshape(-1, WIDTH)

    def put_off(self, nanoseconds: int) -> None:
        """Put off the due times of all calls that are still to come."""
        self.cells[0] += nanoseconds

    def running(self, worker: int) -> int | None:
        """Return the call that a worker is in; None if it is in none."""
        rows = self.rows
        calls = ((rows[:, WORKER] == worker) & (rows[:, BEGAN] > 0) & (rows[:, ENDED] == 0)).nonzero()[0]
        return int(calls[0]) if len(calls) else None


def used_cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    own, children = _usage(), _usage(children=True)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def times_switched() -> int:
    """How often this process was made to wait for a core."""
    return _usage().ru_nivcsw


def resident() -> int:
    """Bytes of memory that this process holds."""
    return _status("VmRSS") or _highest()


def peak() -> int:
    """The most bytes of memory that it has held since ``forget_peak``, or ever where that cannot be forgotten."""
    return _status("VmHWM") or _highest()


def forget_peak() -> None:
    """Count the peak of memory from now on."""
    with contextlib.suppress(OSError):  # other systems than Linux, where a peak counts only once it is higher
        Path("/proc/self/clear_refs").write_text("5")


def _status(field: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    return 0


def _highest() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return _usage().ru_maxrss * unit


def _usage(*, children: bool = False) -> resource.struct_rusage:
    # only Unix has it; elsewhere `measure`, which reads the board, says that it cannot be run
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF)
