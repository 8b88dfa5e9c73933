"""Threads that work is given to. Loaded where there is enough of it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, Self, TypeVar

from rankwell.tables.machine import cores

T = TypeVar("T")
Value = TypeVar("Value")


class Job(Generic[T]):
    """A call that some thread makes."""

    def __init__(self, call: Callable[[], T]) -> None:
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
