"""Leaks between training and test data: times, users and items on both sides."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl

from rankwell.errors import DataError, brief
from rankwell.prepare.pairs import Coded, are_among, are_copies, code_ids, greatest, keys
from rankwell.prepare.report import Fact, Share
from rankwell.readers.logs import Log
from rankwell.records import cached_property, record

SECONDS = (10**8, 10**10)  # whole numbers in this range are shown as seconds since 1970
PER_SECOND = (
    1,
    10**3,
    10**6,
    10**9,
)  # the units in which numbers are moments: no number of this century is one in two of them
SECOND = 10**6  # microseconds
DAY = 86_400 * SECOND


@record(eq=False)
class Sides:
    """Training and test data, with shared codes for users and items; ids that neither has may have codes too."""

    train: Log
    test: Log
    users: Coded
    items: Coded

    @classmethod
    def of(cls, train: Log, test: Log) -> Sides:
        """Return two tables with codes for the users and items of both."""
        return cls(train, test, code_ids([train, test], "query"), code_ids([train, test], "item"))

    @cached_property
    def times(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The times of both; None if either has none."""
        if "time" not in self.train.words or "time" not in self.test.words:
            return None
        return self.train.times_beside(self.test)

    @cached_property
    def cold_users(self) -> np.ndarray:
        """Which test rows are of users missing from the training data."""
        return ~self.users.present[0][self.users.codes[1]]

    @cached_property
    def cold_items(self) -> np.ndarray:
        """Which test rows are of items missing from the training data."""
        return ~self.items.present[0][self.items.codes[1]]

    @cached_property
    def repeated(self) -> np.ndarray:
        """Which test rows are pairs of the training data."""
        return are_among(keys(self.users, self.items, 1), keys(self.users, self.items, 0))

    @cached_property
    def copies(self) -> tuple[np.ndarray, np.ndarray]:
        """Which rows of each table repeat a pair of an earlier row."""
        train, test = (are_copies(keys(self.users, self.items, table)) for table in (0, 1))
        return train, test

    @cached_property
    def before_all(self) -> np.ndarray:
        """Which test rows are older than the newest training row."""
        assert self.times is not None
        return self.times[1] < self.times[0].max()

    @cached_property
    def before_own(self) -> np.ndarray:
        """Which test rows are older than their user's newest training row."""
        assert self.times is not None
        train, test = self.times
        # users without training rows have the least value of the type, before which no row is
        newest = greatest(self.users.codes[0], train, len(self.users))
        return test < newest[self.users.codes[1]]

    def facts(self) -> dict[str, Fact]:
        """Return the leaks and cold users and items, as named facts."""
        size = len(self.test)
        users, items = self.users, self.items
        facts: dict[str, Fact] = {}
        if self.times is not None:
            later = int(np.sum(self.times[0] > self.times[1].min()))
            facts["test rows before the newest training row"] = Share(int(self.before_all.sum()), size)
            facts["training rows after the oldest test row"] = Share(later, len(self.train))
            facts["test rows before their user's newest training row"] = Share(
                int(self.before_own.sum()), size
            )
        cold = ~users.present[0] & users.present[1]  # of ids, not rows: one busy user is one
        facts["test users not in train"] = Share(int(cold.sum()), int(users.present[1].sum()))
        cold = ~items.present[0] & items.present[1]
        facts["test items not in train"] = Share(int(cold.sum()), int(items.present[1].sum()))
        facts["test rows of such items"] = Share(int(self.cold_items.sum()), size)
        facts["test rows whose pair is in train"] = Share(int(self.repeated.sum()), size)
        return facts


def moment(log: Log, value: float) -> str:
    """Format a time of a log for people: a date, or the number followed by its date if it counts seconds."""
    kind = log.clock.dtype
    if kind.is_temporal():
        return str(pl.Series([int(value)]).cast(kind).item())
    if SECONDS[0] <= value < SECONDS[1]:
        return f"{value:.0f} ({datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M:%S} UTC)"
    return f"{value:g}" if value != int(value) else f"{int(value)}"


def moments(log: Log) -> np.ndarray:
    """Return the times of a log in microseconds since 1970 (UTC); numbers count seconds, milli-, micro- or nanoseconds, by their size.

    Raises
    ------
    DataError
        If they are neither dates nor such numbers.
    """
    clock = log.clock
    if clock.dtype == pl.Date or isinstance(clock.dtype, pl.Datetime):
        return clock.cast(pl.Datetime("us")).to_physical().to_numpy()
    times = log.times()
    for unit in () if clock.dtype.is_temporal() else PER_SECOND:
        if times.min() >= SECONDS[0] * unit and times.max() < SECONDS[1] * unit:
            # down, so that no time moves into the next window or day; whole numbers are not made floats, which would round them
            if times.dtype.kind == "i":
                return times * (SECOND // unit) if unit <= SECOND else times // (unit // SECOND)
            return np.floor(times * (SECOND / unit)).astype(np.int64)
    raise DataError(
        f"{log.name}: the times in {brief(clock.name)} are neither dates nor seconds since 1970 (nor milli-, micro- or nanoseconds in all "
        f"rows), so days cannot be found. Write them as dates such as 2013-05-01T10:00:00."
    )
