"""Teams: the processes of one system, each with an index of its own or the one on disk."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from rankwell.efficiency.process import Ended, Process
from rankwell.efficiency.system import path_of
from rankwell.errors import UsageError, brief
from rankwell.records import record
from rankwell.tables.arguments import UNFIT, fitted


@record
class Limits:
    """What a system may use: seconds per call and for indexing, bytes of memory per process and its children; None is no limit."""

    call: float | None
    index: float | None
    memory: int | None

    def __post_init__(self) -> None:
        for word, seconds in (("timeout", self.call), ("index_timeout", self.index)):
            if seconds is not None and (fitted(seconds, float) is UNFIT or seconds <= 0):
                raise UsageError(f"{word} is a number of seconds above 0, not {brief(seconds)}.")


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
    limits: Limits
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
            process, found = self._begun("index")
        except Ended as why:
            self.failure = str(why)
            return Start(why.outcome, str(why))
        start = Start(
            found["outcome"],
            found["message"],
            found["wall"],
            found["cpu"],
            max(found["peak"], process.peak) - process.baseline,
            found["resident"] - process.baseline,
            found["size"],
        )
        if start.outcome != "ok":
            process.end()
            self.failure = start.message
        elif self.opens:
            process.end()
            forget_pages(path_of(self.system))
            try:
                process, found = self._begun("open")
                start.opened, start.held_memory = found["wall"], found["resident"] - process.baseline
                start.outcome, start.message = found["outcome"], found["message"]
            except Ended as why:
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
        process, found = self._begun("open" if self.opens else "index")
        if found["outcome"] != "ok":
            process.end()
            raise Ended(found["outcome"], found["message"])
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
        for each in self.processes:
            each.end()
        self.processes = []


def forget_pages(path: Path | None) -> None:
    """Let the operating system forget what it keeps in memory of a file or folder, where it can be told so."""
    if path is None or not hasattr(os, "posix_fadvise") or not path.exists():
        return
    for each in [path] if path.is_file() else path.rglob("*"):
        with contextlib.suppress(OSError):
            if each.is_file():
                descriptor = os.open(each, os.O_RDONLY)
                try:
                    os.fsync(descriptor)  # only what has been written to disk can be forgotten
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                finally:
                    os.close(descriptor)
