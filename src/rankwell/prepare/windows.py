"""Windows of time: the period of the training data that each row belongs to."""

from __future__ import annotations

import numpy as np
import polars as pl

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.prepare.leaks import SECONDS
from rankwell.readers.logs import Log
from rankwell.records import record
from rankwell.tables.csr import distinct

PERIODS = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
SECOND = 10**6  # in microseconds
DAY = 86_400 * SECOND


@record(eq=False)
class Windows:
    """The windows in which a log has rows: the start of each (in microseconds), and its label."""

    starts: np.ndarray
    labels: tuple[str, ...]

    @classmethod
    def of(cls, log: Log, window: float | str) -> Windows:
        """Return the windows of a log: periods of some days, counted back from its newest row, or calendar periods (UTC).

        Raises
        ------
        UsageError, DataError
            If the window is not a number of days or a period, or the times are not moments.
        """
        refuse_window(window)
        times = moments(log)
        if isinstance(window, str):
            begun = pl.Series(times).cast(pl.Datetime("us")).dt.truncate(PERIODS[window])
            starts = distinct(begun.to_physical().to_numpy())
        else:
            length = max(round(window * DAY), 1)
            newest = int(times.max())
            starts = newest + 1 - length * (distinct((newest - times) // length)[::-1] + 1)
        dates = pl.Series(starts).cast(pl.Datetime("us"))
        whole = bool((dates.dt.truncate("1d") == dates).all())
        texts = dates.dt.strftime("%Y-%m-%d" if whole else "%Y-%m-%d %H:%M:%S").to_list()
        return cls(starts, tuple(f"from {text}" for text in texts))

    def of_rows(self, log: Log) -> np.ndarray:
        """Return the window of each row: the last one that has begun, or the first."""
        return np.maximum(np.searchsorted(self.starts, moments(log), "right") - 1, 0)

    def before(self, log: Log) -> int:
        """Return how many rows are older than the first window."""
        return int(np.sum(moments(log) < self.starts[0]))


def refuse_window(window: float | str) -> None:
    """Raise UsageError unless a window is a number of days or a period."""
    if isinstance(window, str) and window not in PERIODS:
        raise UsageError(
            f"window={brief(window)}: must be a number of days, or {one_of(PERIODS)}.{nearest(window, PERIODS)}"
        )
    if not isinstance(window, str) and not 0 < window < float("inf"):
        raise UsageError(f"window={brief(window)}: the number of days must be above 0.")


def moments(log: Log) -> np.ndarray:
    """Return the times of a log in microseconds since 1970.

    Raises
    ------
    DataError
        If they are neither dates nor seconds since 1970.
    """
    clock = log.clock
    if clock.dtype == pl.Date or isinstance(clock.dtype, pl.Datetime):
        return clock.cast(pl.Datetime("us")).to_physical().to_numpy()
    times = log.times()
    if clock.dtype.is_temporal() or times.min() < SECONDS[0] or times.max() >= SECONDS[1]:
        raise DataError(
            f"{log.name}: the times in {brief(clock.name)} are neither dates nor seconds since 1970, so window= cannot find days. "
            f"Write them as dates such as 2013-05-01T10:00:00."
        )
    return np.floor(times * SECOND).astype(np.int64)
