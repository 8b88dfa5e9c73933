"""Board: the times of all calls of a session, in memory that the measured and the measuring process share.

A call that never returns has left the time at which it began here, and so has one that ends its process.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

OUTCOMES = ("not called", "ok", "error", "shape", "timeout", "crash", "memory", "exit", "output")
NOT_CALLED, OK, ERROR, SHAPE, TIMEOUT, CRASH, MEMORY, EXIT, OUTPUT = range(len(OUTCOMES))
DUE, BEGAN, ENDED, OUTCOME, WORKER = range(5)  # the columns of a call; a time of 0 is one that has not come
WIDTH = 5
HEAD = 1  # before the calls: by how much all due times are put off, because no worker was there
WORD = 8  # bytes


class Board:
    """A file of whole numbers that processes map into their memory: a head, and a row per call.

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
        found = ((rows[:, WORKER] == worker) & (rows[:, BEGAN] > 0) & (rows[:, ENDED] == 0)).nonzero()[0]
        return int(found[0]) if len(found) else None
