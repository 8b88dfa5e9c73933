"""Processes: starting the measured process, asking it, watching all that it starts, and ending them; and the team of all processes of a system."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, BinaryIO

from rankwell.efficiency.machine import psutil
from rankwell.efficiency.system import path_of
from rankwell.errors import InputError, UsageError, brief
from rankwell.records import record
from rankwell.tables.arguments import UNFIT, fit_kind

# the folders of modules are not in the environment, which programs that are measured inherit
START = (
    "import os, sys; handle, queue, folders = sys.argv[1:]; sys.path[:] = folders.split(os.pathsep); "
    "from rankwell.efficiency.worker import main; main(int(handle), int(queue))"
)
# all that a process starts inherits this variable, so that what left its family before anybody looked is found, too
MARK = "RANKWELL_MEASURED"
LOOKED = 0.2  # seconds between looks at which processes there are; what they hold is looked at more often
AT_ONCE = 4 << 20  # bytes printed that are read at once
SAID = 4_000  # characters of what a process printed last


class ProcessEnded(Exception):
    """The process has ended, by itself or because it was stopped; ``outcome`` says why."""

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class Process:
    """A measured process.

    Parameters
    ----------
    queue
        The open file of the calls to come, which it shares with others.
    memory
        How many bytes it and its children may hold; None is no limit.
    output
        How many bytes it may print.
    """

    def __init__(self, queue: BinaryIO, *, memory: int | None = None, output: int = 16 << 20) -> None:
        own, theirs = socket.socketpair()
        self.mark = uuid.uuid4().hex
        try:
            self.process = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-c", START, str(theirs.fileno()), str(queue.fileno()), os.pathsep.join(sys.path)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                pass_fds=(theirs.fileno(), queue.fileno()), env={**os.environ, MARK: self.mark},
            )  # fmt: skip
        except OSError as error:
            raise InputError(f"{sys.executable}: cannot be started ({error.strerror}).") from error
        finally:
            theirs.close()
        self.connection = Connection(own.detach())
        # a program that prints nothing must not hold up whoever watches it
        os.set_blocking(self.process.stdout.fileno(), False)  # type: ignore[union-attr]
        self.memory, self.output = memory, output
        self.printed, self.said = 0, b""
        self.peak = self.baseline = 0
        self.looked = -LOOKED
        self.tree: list[Any] = []
        self.known: set[Any] = set()

    def ask(
        self, task: str, *, timeout: float | None = None, every: float = 0.01, **given: Any
    ) -> dict[str, Any]:
        """Let it do a task and wait for the answer, watching memory and output.

        Raises
        ------
        Ended
            If it ended, took too long, or went beyond a limit.
        """
        self.send(task, **given)
        until = None if timeout is None else time.monotonic() + timeout
        while (reply := self.watch(every)) is None:
            if until is not None and time.monotonic() > until:
                self.end()
                raise ProcessEnded("timeout", f"it took longer than {timeout:g} s")
        return reply

    def send(self, task: str, **given: Any) -> None:
        """Let it do a task, without waiting.

        Raises
        ------
        Ended
            If it has ended.
        """
        try:
            self.connection.send((task, given))
        except (BrokenPipeError, ConnectionResetError):
            raise self._ended() from None

    def watch(self, seconds: float) -> dict[str, Any] | None:
        """Look at it for some time; return its answer once there is one.

        Raises
        ------
        Ended
            If it ended or went beyond a limit.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            if self.process.stdout:
                selector.register(self.process.stdout, selectors.EVENT_READ)
            ready = [key.fileobj for key, _ in selector.select(seconds)]
        # first, so that a process beyond its memory is ended whatever it answered
        self._look()
        if self.process.stdout in ready:
            self._drain()
        if self.connection in ready:
            try:
                return self.connection.recv()
            except (EOFError, ConnectionResetError):
                raise self._ended() from None
        return None

    def _look(self) -> None:
        """Take the memory that it and its children hold now."""
        held = self.held()
        self.peak = max(self.peak, held)
        if self.memory is not None and held > self.memory:
            self.end()
            raise ProcessEnded(
                "memory", f"it held {held / 2**20:,.0f} MiB, more than {self.memory / 2**20:,.0f} MiB"
            )

    def held(self) -> int:
        """Return the bytes that it and its children hold."""
        now = time.monotonic()
        if now - self.looked > LOOKED:  # to find the children, the processes of the whole machine are read
            self.tree, self.looked = _family(self.process.pid), now
            self.known.update(self.tree)
        return sum(_resident(each) for each in self.tree)

    def _drain(self) -> None:
        stream = self.process.stdout
        began, chunk = self.printed, b"first"
        while stream and chunk and self.printed - began < AT_ONCE:
            try:
                chunk = os.read(stream.fileno(), 1 << 16)
            except BlockingIOError:
                break
            self.printed += len(chunk)
            self.said = (self.said + chunk)[-SAID:]
        if stream and not chunk:
            stream.close()
            self.process.stdout = None
        if self.printed > self.output:
            self.end()
            raise ProcessEnded("output", f"it printed more than {self.output:,} bytes")

    def _ended(self) -> ProcessEnded:
        """Why it ended by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)  # it hung up, so it is on its way out, with a code that tells why
        self.end()
        code = self.process.returncode
        lines = self.said.decode(errors="replace").strip().splitlines()
        how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"
        return ProcessEnded("crash", f"{how}: {lines[-1]}" if lines and code > 0 else how)

    def end(self) -> None:
        """End it and all that it started."""
        # looked at once more before the kill, after which children have no parent to be found by
        self.known.update(_family(self.process.pid))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for each in self.known:
            _kill(each)  # psutil sees to it that this is still the same process
        self.process.wait()
        while left := _find_marked(self.mark):  # again, for one may have started another meanwhile
            for each in left:
                _kill(each)
        self.connection.close()
        if self.process.stdout:
            with contextlib.suppress(BlockingIOError):
                self.said += os.read(self.process.stdout.fileno(), SAID)
            self.process.stdout.close()
            self.process.stdout = None


def _family(pid: int) -> list[Any]:
    """The process and all that descend from it."""
    lib = psutil()
    try:
        first = lib.Process(pid)
        return [first, *first.children(recursive=True)]
    except lib.Error:
        return []


def _find_marked(mark: str) -> list[Any]:
    """The processes that have a mark in their environment, without those that have ended."""
    lib = psutil()
    marked = []
    for process in lib.process_iter():
        with contextlib.suppress(lib.Error, OSError):
            if process.environ().get(MARK) == mark and process.status() != lib.STATUS_ZOMBIE:
                marked.append(process)
    return marked


def _kill(process: Any) -> None:
    with contextlib.suppress(psutil().Error):
        process.kill()


def _resident(process: Any) -> int:
    try:
        fields = Path(f"/proc/{process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        pass  # it has ended, or this is no Linux
    try:
        return 0 if sys.platform == "linux" else int(process.memory_info().rss)
    except psutil().Error:
        return 0


@record
class SystemLimits:
    """What a system may use: seconds per call and for indexing, bytes of memory per process and its children; None is no limit."""

    call: float | None
    index: float | None
    memory: int | None

    def __post_init__(self) -> None:
        for word, seconds in (("timeout", self.call), ("index_timeout", self.index)):
            if seconds is not None and (fit_kind(seconds, float) is UNFIT or seconds <= 0):
                raise UsageError(f"{word} is a number of seconds above 0, not {brief(seconds)}.")
        if self.memory is not None and (fit_kind(self.memory, int) is UNFIT or self.memory <= 0):
            raise UsageError(f"memory is a whole number of bytes above 0, not {brief(self.memory)}.")


@dataclass
class Start:
    """What it took to index, and to open an index that was there."""

    outcome: str = "ok"
    message: str = ""
    wall: float | None = None
    cpu: float | None = None
    peak_memory: int | None = None
    held_memory: int | None = None
    size: int | None = None
    opened: float | None = None


@dataclass
class Team:
    """A system with its processes.

    ``payload`` is the file from which a process loads system, documents and queries; ``queue`` the file of calls, whose place in it all share.
    """

    name: str
    system: Any
    payload: Path
    queue: BinaryIO
    limits: SystemLimits
    threads: bool
    processes: list[Process] = field(default_factory=list)
    failure: str = ""

    @property
    def opens(self) -> bool:
        """Whether a new process can open an index that is on disk, rather than make its own."""
        return callable(getattr(self.system, "open", None))

    def start(self) -> Start:
        """End what runs, start one process, and let it index; where an index can be opened, let a second one open it."""
        self.end()
        try:
            process, reply = self._begun("index")
        except ProcessEnded as why:
            self.failure = str(why)
            return Start(why.outcome, str(why))
        start = Start(
            reply["outcome"],
            reply["message"],
            reply["wall"],
            reply["cpu"],
            max(reply["peak"], process.peak) - process.baseline,
            reply["resident"] - process.baseline,
            reply["size"],
        )
        if start.outcome != "ok":
            process.end()
            self.failure = start.message
        elif self.opens:
            process.end()
            forget_pages(path_of(self.system))
            try:
                process, reply = self._begun("open")
                start.opened, start.held_memory = reply["wall"], reply["resident"] - process.baseline
                start.outcome, start.message = reply["outcome"], reply["message"]
            except ProcessEnded as why:
                start.outcome, start.message = why.outcome, str(why)
            self.failure = start.message if start.outcome != "ok" else ""
        if not self.failure:
            self.processes = [process]
        return start

    def another(self) -> Process:
        """Return a new process that is ready to search.

        Raises
        ------
        Ended
            If it does not come up.
        """
        process, reply = self._begun("open" if self.opens else "index")
        if reply["outcome"] != "ok":
            process.end()
            raise ProcessEnded(reply["outcome"], reply["message"])
        return process

    def grow(self, processes: int) -> None:
        """Have as many processes.

        Raises
        ------
        Ended
            If one does not come up.
        """
        while len(self.processes) < processes:
            self.processes.append(self.another())

    def _begun(self, task: str) -> tuple[Process, dict[str, Any]]:
        process = Process(self.queue, memory=self.limits.memory)
        try:
            process.baseline = process.ask("load", path=self.payload, timeout=None)["resident"]
            process.peak = 0
            return process, process.ask(task, timeout=self.limits.index)
        except BaseException:
            process.end()
            raise

    def end(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.end()
        self.processes = []


def forget_pages(path: Path | None) -> None:
    """Let the operating system forget what it keeps in memory of a file or folder, where it can be told so."""
    if path is None or not hasattr(os, "posix_fadvise") or not path.exists():
        return
    for file in [path] if path.is_file() else path.rglob("*"):
        with contextlib.suppress(OSError):
            if file.is_file():
                descriptor = os.open(file, os.O_RDONLY)
                try:
                    os.fsync(descriptor)  # only what has been written to disk can be forgotten
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                finally:
                    os.close(descriptor)
