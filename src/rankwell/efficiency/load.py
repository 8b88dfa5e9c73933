"""Loads: which queries are sent to a system while it is measured, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.tables.collections import Topics

Arrivals = Literal["poisson", "constant"]
SECOND = 1_000_000_000  # times are whole nanoseconds


@dataclass(frozen=True)
class Closed:
    """As many users as `concurrency`, each of whom sends a query when the last one is answered.

    Its latencies are service times: a system that stalls is asked less often just then, so the stall shows in few of them.

    Parameters
    ----------
    concurrency
        How many queries are on their way at any time, at least 1.

    Examples
    --------
    >>> Closed(), str(Closed(2))
    (Closed(concurrency=1), 'closed, 2 at a time')
    """

    concurrency: int = 1
    is_open: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count("concurrency", self.concurrency)

    def due(self, calls: int, rng: np.random.Generator) -> np.ndarray | None:  # noqa: ARG002 - as Open's
        """Return None: a query is due when the last one is answered."""
        return None

    def __str__(self) -> str:
        return f"closed, {self.concurrency} at a time"


@dataclass(frozen=True)
class Open:
    """Users who do not wait for each other: queries are due at times that do not depend on the system.

    A latency counts from the time at which the query was due, whether the system was free or not, so a stall shows in every query
    that it holds up.

    Parameters
    ----------
    rate
        Queries per second.
    arrivals
        ``"poisson"``: independent of each other, with exponential gaps; ``"constant"``: with equal gaps.
    concurrency
        How many queries the system works on at once, at least 1; others queue, first come, first served.

    Examples
    --------
    >>> str(Open(50)), str(Open(0.5, "constant", concurrency=2))
    ('open, 50/s', 'open, 0.5/s constant, 2 at a time')
    """

    rate: float
    arrivals: Arrivals = "poisson"
    concurrency: int = 1
    is_open: ClassVar[bool] = True

    def __post_init__(self) -> None:
        rate: object = self.rate
        if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate < 1e9:
            raise UsageError(f"rate is a number of queries per second above 0, not {brief(rate)}.")
        arrivals: object = self.arrivals
        if not isinstance(arrivals, str) or arrivals not in ("poisson", "constant"):
            raise UsageError(f"arrivals is poisson or constant, not {brief(arrivals)}.")
        check_count("concurrency", self.concurrency)

    def due(self, calls: int, rng: np.random.Generator) -> np.ndarray | None:
        """Return when each query is due, in nanoseconds from the beginning; UsageError if that is beyond 64 bits, 292 years."""
        gaps = rng.exponential(size=calls) if self.arrivals == "poisson" else np.ones(calls)
        # less the first gap, so that the first query is due at once
        due = np.rint((np.cumsum(gaps) - gaps[0]) / self.rate * SECOND)
        if due[-1] >= 2.0**63:
            raise UsageError(
                f"rate={self.rate:g}: the last of {calls:,} queries would be due in 292 years or later."
            )
        return due.astype(np.int64)

    def __str__(self) -> str:
        gaps = "" if self.arrivals == "poisson" else " constant"
        more = "" if self.concurrency == 1 else f", {self.concurrency} at a time"
        return f"open, {self.rate:g}/s{gaps}{more}"


@dataclass(frozen=True)
class Batch:
    """Many queries in one call of ``search_batch``, one call after the other; the latency is that of the call.

    Parameters
    ----------
    size
        How many queries a call has at most; None means all.

    Examples
    --------
    >>> str(Batch()), str(Batch(32))
    ('batch of all', 'batch of 32')
    """

    size: int | None = None
    concurrency: ClassVar[int] = 1
    is_open: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.size is not None:
            check_count("size", self.size)

    def due(self, calls: int, rng: np.random.Generator) -> np.ndarray | None:  # noqa: ARG002 - as Open's
        """Return None: a batch is due when the last one is answered."""
        return None

    def __str__(self) -> str:
        return f"batch of {'all' if self.size is None else self.size}"


Load = Closed | Open | Batch


def check_count(word: str, number: object, least: int = 1) -> None:
    """Raise UsageError for what is no whole number, or too small a one."""
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise UsageError(f"{word} is a whole number from {least} on, not {brief(number)}.")


def check_known(word: str, name: str, names: Sequence[str]) -> str:
    """Return a name; raise UsageError if it is none of those that there are."""
    if name not in names:
        raise UsageError(
            f"there is no {word} {brief(name)}; there are {one_of(names)}.{nearest(name, names)}"
        )
    return name


def queries_of(queries: Any) -> tuple[list[str], list[Any]]:
    """Return ids and queries: of Topics, a mapping from id to query, or a list, whose ids are 1 to n.

    Raises
    ------
    UsageError
        If there is none, or they are something else.
    DataError
        If an id holds a lone surrogate.
    """
    if isinstance(queries, Topics):
        ids, values = queries.ids.tolist(), queries.texts()
    elif isinstance(queries, Mapping):
        ids, values = [*queries], [*queries.values()]
    elif isinstance(queries, (Sequence, np.ndarray)) and not isinstance(queries, (str, bytes)):
        values = list(queries)
        ids = list(range(1, len(values) + 1))
    else:
        raise UsageError(f"queries are Topics, a mapping from id to query, or a list, not {brief(queries)}.")
    if not values:
        raise UsageError("there is no query to measure with.")
    return [text_of("query id", query_id) for query_id in ids], values


def text_of(what: str, name: Any) -> str:
    """Return an id or a name as text.

    Raises
    ------
    DataError
        If it holds a lone surrogate: no file of costs could hold it.
    """
    text = str(name)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"the {what} {brief(text)} holds half of a character (a lone surrogate).") from None
    return text
