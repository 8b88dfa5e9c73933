"""Engine for data larger than memory: a survey of all rows, then parts of whole queries, each evaluated as in memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankwell.errors import UsageError, brief

if TYPE_CHECKING:
    from rankwell.evaluation.streaming.parts import Surveys

PROGRAM = 400 << 20  # bytes that the program, its libraries and what they read ahead take
COPIES = 12  # so many times a row of a part is held while it is read, matched and measured
LEAST_ROWS, MOST_ROWS = 50_000, 2_000_000


@dataclass(frozen=True)
class Stream:
    """Evaluation part by part, for a run, judgements and training data that do not fit into memory.

    All rows are looked at once. Tables that are sorted by query (all of them, integers by value, text by its bytes) are then read
    in parts of whole queries; others are divided by a hash of the query into a temporary file. Values per query are the same to
    the last bit as with the engine ``memory``.

    Parameters
    ----------
    memory
        What may be used, such as ``"2GiB"``; by default half of what is free.
    part_rows
        The most rows of a table in a part, unless one query has more; by default as many as ``memory`` allows.
    progress
        Called with the number of rows done after each batch.

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
    part_rows: int | None = None
    progress: Callable[[int], object] | None = None

    name = "stream"
    opens = True

    def __post_init__(self) -> None:
        if self.part_rows is not None and self.part_rows < 1:
            raise UsageError(f"Stream(part_rows={self.part_rows}): must be at least 1.")
        if self.memory is not None and bytes_of(self.memory) < 2 * PROGRAM:
            raise UsageError(
                f"Stream(memory={brief(self.memory)}): the program alone takes about {PROGRAM >> 20} MiB; give at least "
                f"{2 * PROGRAM >> 20}MiB."
            )

    def rows_of_parts(self, surveys: Surveys) -> int:
        """Return how many rows of a table a part may have."""
        if self.part_rows is not None:
            return self.part_rows
        from rankwell.tables.room import free_memory

        room = (bytes_of(self.memory) if self.memory is not None else free_memory() // 2) - PROGRAM
        width = sum(survey.width for survey in surveys.values())
        return int(min(max(room / (COPIES * width), LEAST_ROWS), MOST_ROWS))


def bytes_of(size: str | int) -> int:
    """Return a size in bytes.

    Raises
    ------
    UsageError
        If it is no size.

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
