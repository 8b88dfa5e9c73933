"""The cores that this process may use, the memory that is free for it, and threads that work is given to."""

from __future__ import annotations

import errno
import os
import sys
from _queue import SimpleQueue  # without threading, which is loaded where a thread is started
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    import threading


# a variable of the context, not of the module: two evaluations in threads of one process may have different numbers
_MOST: ContextVar[int | None] = ContextVar("most cores", default=None)
GROUPS = (  # of control groups, version 2 and 1: the limit, and what is used of it
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
T = TypeVar("T")
Value = TypeVar("Value")


def cores() -> int:
    """Return the number of cores that this process may use, or the number set by ``at_most``."""
    if (most := _MOST.get()) is not None:
        return most
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """Limit the cores of everything inside, also of readers that take no ``threads``; None for all.

    >>> with at_most(1):
    ...     cores()
    1
    """
    token = _MOST.set(threads)
    try:
        yield
    finally:
        _MOST.reset(token)


def free_memory() -> int:
    """Return the bytes of memory that are free for this process, as far as the system tells."""
    free = [_of_machine()]
    for limit, used in GROUPS:
        if (most := _number(limit)) is not None and (now := _number(used)) is not None:
            free.append(most - now)
    return max(min(free), 0)


def _of_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # no Linux
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _number(path: str) -> int | None:
    try:
        text = Path(path).read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def lock(file: IO[bytes], *, waits: bool = False) -> bool:
    """Lock an open file until it is closed; False if another one has locked it, unless it ``waits`` until that one is done.

    A lock of the system (flock on Linux and macOS, a locked byte on Windows) ends with its process, however that ends. Where a
    file system has no locks, there is none.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return waits and lock(file, waits=True)  # Windows waits for ten seconds
    return True


class Job(Generic[T]):
    """A call that some thread makes."""

    def __init__(self, call: Callable[[], T]) -> None:
        import threading

        self._call = call
        self._done = threading.Event()
        self._made: list[T] = []
        self._error: BaseException | None = None

    def do(self) -> None:
        """Make the call."""
        try:
            self._made.append(self._call())
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self._error = error
        del self._call
        self._done.set()
        del self  # the error knows this frame, which must not know the error

    def result(self) -> T:
        """Wait for what the call returns; its error is raised here."""
        self._done.wait()
        try:
            if self._error is not None:
                raise self._error
            return self._made.pop()
        finally:
            del self  # as above


class Workers:
    """Threads that do jobs; at the end those begun are done, and the others are too unless the end is an error.

    ``concurrent.futures``, which can do more, takes longer to load than a small run to read.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._jobs: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._is_given_up = False

    def submit(self, call: Callable[[], T]) -> Job[T]:
        """Let a thread make a call, as soon as one is free."""
        import threading

        job = Job(call)
        self._jobs.put(job)
        if len(self._threads) < self._most:
            self._threads.append(threading.Thread(target=self._work))
            self._threads[-1].start()
        return job

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if not self._is_given_up:
                job.do()
            del job  # it holds what it made until somebody takes it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._is_given_up = kind is not None
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()


def in_order(workers: Workers, most: int, jobs: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield the results of jobs in order, with only a few of them begun at a time."""
    waiting: deque[Job[T]] = deque()
    for job in jobs:
        if len(waiting) > most:
            yield waiting.popleft().result()
        waiting.append(workers.submit(job))
    while waiting:
        yield waiting.popleft().result()


def on_all_cores(function: Callable[[Value], T], values: Iterable[Value]) -> list[T]:
    """Return what a function gives for each value, in order."""
    calls = list(values)
    if len(calls) < 2:
        return [function(value) for value in calls]
    with Workers(cores()) as workers:
        jobs = [workers.submit(partial(function, value)) for value in calls]
        return [job.result() for job in jobs]
