"""Cores: users and items within limits on their numbers of rows, applied until nothing changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError
from rankwell.prepare.pairs import code_ids, n_distinct
from rankwell.prepare.report import Fact, Prepared, Report, Share
from rankwell.readers.logs import Log, read_log
from rankwell.records import record
from rankwell.tables.arguments import checked


@record
class Limits:
    """Limits on the number of rows of each user and each item."""

    min_per_user: int | None = None
    max_per_user: int | None = None
    min_per_item: int | None = None
    max_per_item: int | None = None

    def __post_init__(self) -> None:
        for side in ("user", "item"):
            low, high = getattr(self, f"min_per_{side}"), getattr(self, f"max_per_{side}")
            for word, limit in ((f"min_per_{side}", low), (f"max_per_{side}", high)):
                if limit is not None and (limit < 1 or int(limit) != limit):
                    raise UsageError(f"{word}={limit}: must be a whole number of at least 1.")
            if low is not None and high is not None and low > high:
                raise UsageError(
                    f"min_per_{side}={low} is above max_per_{side}={high}, so nothing can remain."
                )

    def __bool__(self) -> bool:
        return self != Limits()

    def __str__(self) -> str:
        limits = {name: value for name, value in vars(self).items() if value is not None}
        return ", ".join(f"{name}={value}" for name, value in limits.items())

    def kept(
        self, users: np.ndarray, items: np.ndarray, *, repeat: bool = True
    ) -> tuple[np.ndarray, list[tuple[int, ...]]]:
        """Return the rows that remain, in order, and the rows, users and items after each round."""
        rows = np.arange(len(users))
        rounds = [_size(users, items)]
        while True:
            # both sides are counted before either is dropped: users first and then items would be other rounds
            n_user, n_item = np.bincount(users[rows]), np.bincount(items[rows])
            fits = _between(n_user, self.min_per_user, self.max_per_user)[users[rows]]
            fits &= _between(n_item, self.min_per_item, self.max_per_item)[items[rows]]
            if fits.all():  # the largest set within the limits, if these are minimums: no order of dropping reaches another
                return rows, rounds
            rows = rows[fits]
            rounds.append(_size(users[rows], items[rows]))
            if not repeat or not len(rows):
                return rows, rounds


def _between(counts: np.ndarray, low: int | None, high: int | None) -> np.ndarray:
    fits = np.ones(len(counts), np.bool_)
    if low is not None:
        fits &= counts >= low
    if high is not None:
        fits &= counts <= high
    return fits


def _size(users: np.ndarray, items: np.ndarray) -> tuple[int, ...]:
    return len(users), n_distinct(users), n_distinct(items)


@checked
def core(
    log: Any,
    *,
    min_per_user: int | None = None,
    max_per_user: int | None = None,
    min_per_item: int | None = None,
    max_per_item: int | None = None,
    repeat: bool = True,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Prepared:
    """Keep the users and items with enough, but not too many, rows: the k-core, if both minimums are k.

    Each round counts the rows of every user and item and drops those outside the limits, both at once; with ``repeat``
    until nothing changes.

    Parameters
    ----------
    log
        A path, a data frame, records, or a dict; all its columns are kept.
    min_per_user, max_per_user, min_per_item, max_per_item
        The limits, in rows: users and items of at least the minimum and at most the maximum stay.
    repeat
        Whether to go on until all users and items are within the limits; otherwise there is one round.
    columns, name
        Which column is which, if the name does not say; what to call the log in the report.

    Raises
    ------
    RankwellError
        If no limit is given, the log cannot be read, or nothing remains.

    Examples
    --------
    >>> kept, report = core({"u": ["a", "b"], "v": ["a", "b"], "w": ["a"]}, min_per_user=2, min_per_item=2)
    >>> kept.rows()
    [('u', 'a'), ('u', 'b'), ('v', 'a'), ('v', 'b')]

    Reference
        S. B. Seidman, Network structure and minimum degree, Social Networks 5(3), 1983.
    """
    limits = Limits(min_per_user, max_per_user, min_per_item, max_per_item)
    if not limits:
        raise UsageError(
            "core needs a limit: give min_per_user=, min_per_item=, max_per_user= or max_per_item=."
        )
    read = read_log(log, columns=columns, name=name)
    log_kept, facts, table = within(read, limits, repeat=repeat)
    return Prepared(log_kept.frame, Report(f"Core of {read.name}: {limits}", facts, (table,)))


def within(log: Log, limits: Limits, *, repeat: bool = True) -> tuple[Log, dict[str, Fact], Table]:
    """Return the part of a log within limits, with counts of what remained, and the rounds it took.

    Raises
    ------
    DataError
        If nothing remains.
    """
    users, items = code_ids([log], "query"), code_ids([log], "item")
    rows, rounds = limits.kept(users.codes[0], items.codes[0], repeat=repeat)
    if not len(rows):
        raise DataError(
            f"{log.name}: no row is left within {limits}, after {len(rounds) - 1} rounds. Use wider limits."
        )
    # first and last round: what was there, and what is left
    words = ("rows", "users", "items")
    facts: dict[str, Fact] = {
        f"{word} within limits": Share(last, first)
        for word, last, first in zip(words, rounds[-1], rounds[0], strict=True)
    }
    columns = [Column("round", "count"), *(Column(word, "count") for word in words)]
    table = Table(
        columns, [(number, *sizes) for number, sizes in enumerate(rounds)], caption=f"Limits: {limits}"
    )
    # a log that is within the limits as a whole is not copied
    return log.replaced(log.frame[pl.Series(rows)]) if len(rows) < len(log) else log, facts, table
