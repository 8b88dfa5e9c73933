"""Backtests: a log divided at one day after another, each time into what was known by then and what came next."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
import polars as pl

from rankwell.display.table import Cell, Column, Table, styled
from rankwell.errors import DataError, UsageError, brief, nearest
from rankwell.prepare.leaks import DAY, SECOND, moments
from rankwell.prepare.pairs import code_ids
from rankwell.prepare.report import Fact, Report
from rankwell.readers.logs import Log, read_log
from rankwell.records import record
from rankwell.tables.arguments import checked
from rankwell.tables.lists import distinct

Duration = str | dt.timedelta
UNITS = {"w": 7 * DAY, "d": DAY, "h": 3_600 * SECOND, "min": 60 * SECOND, "s": SECOND}
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)
EARLIEST, LATEST = ((dt.datetime(year, 1, 1, tzinfo=dt.UTC) - EPOCH) // MICROSECOND for year in (1, 9999))
MOST = 100_000  # pairs: every day of 270 years
OVERLAP = "Tests overlap, since horizon is longer than every: neighbouring results share rows, so they vary less than they should."
EMPTY = "Some pairs are without rows on one side, and stay so that each day is there; leave these out of an evaluation."


@record(eq=False)
class Ordered:
    """A log, and the numbers of its rows by time; None if they are in that order already."""

    frame: pl.DataFrame
    order: np.ndarray | None

    def rows(self, start: int, end: int) -> pl.DataFrame:
        """Return some of the rows by time, in the order of the log."""
        if self.order is None:
            return self.frame.slice(start, end - start)  # shares the memory of the log
        inside = np.zeros(len(self.frame), np.bool_)
        inside[self.order[start:end]] = True
        return self.frame.filter(pl.Series(inside))


@record(eq=False, repr=False)
class BacktestPair:
    """The training and the test data of one origin, and from when (inclusive) to when they are, in UTC.

    ``train`` and ``test`` are made when they are asked for, and not kept. Without a window ``train_from`` is None.
    """

    origin: dt.date
    train_from: dt.datetime | None
    train_to: dt.datetime
    test_from: dt.datetime
    test_to: dt.datetime
    # of both sides among the rows by time: the first, and the one after the last
    places: tuple[tuple[int, int], tuple[int, int]]
    log: Ordered

    @property
    def train(self) -> pl.DataFrame:
        """The training data, in the order of the log."""
        return self.log.rows(*self.places[0])

    @property
    def test(self) -> pl.DataFrame:
        """The test data, in the order of the log."""
        return self.log.rows(*self.places[1])

    def __repr__(self) -> str:
        spans = (self.train_from, self.train_to), (self.test_from, self.test_to)
        train, test = (
            f"{'' if a is None else f'{a:%Y-%m-%d %H:%M} '}to {b:%Y-%m-%d %H:%M}" for a, b in spans
        )
        sizes = [f"{end - start:,} rows" for start, end in self.places]
        return f"{self.origin}: train {train} ({sizes[0]}), test {test} ({sizes[1]})"


class Backtest(Sequence[BacktestPair]):
    """Pairs of training and test data by origin, and the ``report`` on them."""

    def __init__(self, pairs: Sequence[BacktestPair], report: Report) -> None:
        self._pairs, self.report = tuple(pairs), report
        self._by_origin = {str(pair.origin): pair for pair in pairs}

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return repr(self.report)

    def _repr_html_(self) -> str:
        return styled(self.report.section(Table.to_html))

    @overload
    def __getitem__(self, at: int | str | dt.date) -> BacktestPair: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[BacktestPair, ...]: ...
    def __getitem__(self, at: int | str | dt.date | slice) -> BacktestPair | tuple[BacktestPair, ...]:
        if not isinstance(at, str | dt.date):
            return self._pairs[at]
        if (pair := self._by_origin.get(str(at))) is None:
            first, last = self._pairs[0].origin, self._pairs[-1].origin
            raise UsageError(
                f"no origin is {brief(str(at))}; the {len(self)} are from {first} to {last}.{nearest(str(at), self._by_origin)}"
            )
        return pair


@checked
def backtest(
    log: Any,
    every: Duration = "7d",
    horizon: Duration = "7d",
    gap: Duration | None = None,
    window: Duration | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Backtest:
    """Divide a log at one day after another: each time into what was known by then, and what came next.

    Formula
        train = [origin − window, origin), test = [origin + gap, origin + gap + horizon); origin = the first event's midnight (UTC) +
        j · every, for j ≥ 1 with j · every ≥ window

    Parameters
    ----------
    log
        A path, a data frame, records, or a dict, with a column of times; all columns and the order of rows are kept.
    every
        From one origin to the next, whole days: ``7d``, ``2w``, or a ``timedelta``.
    horizon
        The length of each test: ``7d``, ``12h``, ``30min``.
    gap
        Between the training data and the test, for what a system takes to learn and to be deployed; default: none.
    window
        The length of the training data, which slides; default: all before the origin, which grows.
    columns, name
        Which column is which, if the name does not say; what to call the log in the report.

    Returns
    -------
    Backtest
        A sequence of pairs, each with ``origin`` (a date), ``train``, ``test``, ``train_from``, ``train_to``, ``test_from`` and
        ``test_to``; also by date, ``found["2026-01-08"]``. ``report`` has rows, users and items of each, and how many are cold.

    Raises
    ------
    RankwellError
        If the log cannot be read or lacks times, a length of time cannot be read, or the log is too short for a pair.

    Notes
    -----
    No row of the training data is of the test's time or later. Numbers are seconds, milli-, micro- or nanoseconds since 1970, by their
    size; moments without a zone are in UTC. Tests that would end after the midnight after the last event are left out and counted, as are
    tests without rows, which stay. Frames are made when asked for, so that a loop holds one pair at a time.

    Examples
    --------
    >>> log = {"user": ["a", "b", "a", "c"], "item": ["x", "x", "y", "y"], "time": ["2026-01-01", "2026-01-03", "2026-01-09", "2026-01-14"]}
    >>> weeks = backtest(log)
    >>> weeks[0]
    2026-01-08: train to 2026-01-08 00:00 (2 rows), test 2026-01-08 00:00 to 2026-01-15 00:00 (2 rows)
    >>> weeks["2026-01-08"].test.rows()
    [('a', 'y', '2026-01-09'), ('c', 'y', '2026-01-14')]
    >>> weeks.report.tables[0].to_records()[0]["cold users"]
    1

    Reference
        L. J. Tashman, Out-of-sample tests of forecasting accuracy: an analysis and review, International Journal of Forecasting 16(4),
        2000 (rolling origins).
    """
    step, ahead = length_of("every", every), length_of("horizon", horizon)
    wait = 0 if gap is None else length_of("gap", gap, least=0)
    past = None if window is None else length_of("window", window)
    if step % DAY:
        raise UsageError(
            f"every={brief(every)}: origins are midnights, and results are named by their dates; it must be whole days, such as 1d."
        )
    read = read_log(log, "time", columns=columns, name=name)
    times = _moments(read)
    order = None if (times[1:] >= times[:-1]).all() else np.argsort(times, kind="stable")
    times = times if order is None else times[order]
    start, end = int(times[0]) // DAY * DAY, (int(times[-1]) // DAY + 1) * DAY
    first = start + -(-max(step, past or 0) // step) * step
    inside = range(first, end, step)
    origins = inside[: max((end - wait - ahead - first) // step + 1, 0)]
    lengths = {"every": every, "horizon": horizon, "gap": gap or "none", "window": window or "all before"}
    if not origins or len(origins) > MOST:
        days, given = (end - start) // DAY, ", ".join(f"{word} {length}" for word, length in lengths.items())
        shorter = "A pair takes two days, with every='1d', horizon='1d' and neither gap nor window; make these shorter."
        raise DataError(
            f"{read.name}: {_moment(start):%Y-%m-%d} to {_moment(end - 1):%Y-%m-%d}, {days:,} day{'s' * (days > 1)}, hold {len(origins):,} "
            f"pairs ({given}). {'Look for times that are wrong, or make every= longer.' if origins else shorter}"
        )
    ordered, pairs = Ordered(read.frame, order), []
    for origin in origins:
        begin, stop = origin + wait, origin + wait + ahead
        edges = start if past is None else origin - past, origin, begin, stop
        low, high, after, over = (int(place) for place in np.searchsorted(times, edges))
        since = None if past is None else _moment(origin - past)
        spans = since, _moment(origin), _moment(begin), _moment(stop)
        pairs.append(BacktestPair(_moment(origin).date(), *spans, ((low, high), (after, over)), ordered))
    facts: dict[str, Fact] = {"rows": len(read)} | {word: str(length) for word, length in lengths.items()}
    for word, time in ("first", times[0]), ("last", times[-1]):
        facts[f"{word} event"] = f"{_moment(int(time)):%Y-%m-%d %H:%M:%S} UTC"
    facts |= {"pairs": len(pairs), "left out, since the test would outlast the log": len(inside) - len(pairs)}
    empty = [sum(low == high for low, high in (pair.places[side] for pair in pairs)) for side in (0, 1)]
    facts |= {"pairs without training rows": empty[0], "pairs without test rows": empty[1]}
    facts["tests that overlap the one before"] = overlapping = len(pairs) - 1 if ahead > step else 0
    notes = [OVERLAP] * (overlapping > 0) + [EMPTY] * any(empty)
    report = Report(f"Backtest of {read.name}", facts, (_sizes(read, order, pairs),), tuple(notes))
    return Backtest(pairs, report)


def length_of(word: str, value: object, least: int = 1) -> int:
    """Return a length of time in microseconds.

    Raises
    ------
    UsageError
        If it cannot be read, or is shorter than the least.

    Examples
    --------
    >>> length_of("gap", "2d"), length_of("gap", dt.timedelta(hours=1))
    (172800000000, 3600000000)
    >>> length_of("every", "7 days")
    Traceback (most recent call last):
    rankwell.errors.UsageError: every='7 days': must be a length of time such as 7d, 2w, 12h or 30min, or a timedelta. Did you mean 7d?
    """
    near = ""
    if isinstance(value, dt.timedelta):
        length = value // MICROSECOND
    elif isinstance(value, str) and (match := re.fullmatch(r"([0-9]{1,6})(w|d|h|min|s)", value)):
        length = int(match[1]) * UNITS[match[2]]
    else:
        length, text = least - 1, value if isinstance(value, str) else brief(value)
        text = re.sub("M$", "months", text)  # in pandas and Polars a capital M is no minute
        if match := re.fullmatch(r"\s*([1-9][0-9]{0,5})\s*(w|d|h|m(?!o)|s|$)[a-z]*\s*", text.lower()):
            near = f" Did you mean {match[1]}{'min' if match[2] == 'm' else match[2] or 'd'}?"
    if length < least:
        raise UsageError(
            f"{word}={brief(value)}: must be a length of time such as 7d, 2w, 12h or 30min, or a timedelta.{near}"
        )
    return length


def _moments(log: Log) -> np.ndarray:
    """The times in microseconds since 1970; DataError if one is in no year that dates have."""
    times = moments(log)
    outside = (times < EARLIEST) | (times >= LATEST)
    if outside.any():
        row = log.place(int(outside.argmax()))
        raise DataError(f"{row}: the time is outside the years 1 to 9998. Fix or remove the row.")
    return times


def _moment(time: int) -> dt.datetime:
    return EPOCH + time * MICROSECOND


def _sizes(log: Log, order: np.ndarray | None, pairs: Sequence[BacktestPair]) -> Table:
    """A row per pair: the rows, users and items of both sides, and how many of the test are not in the training data."""
    sides = [_ids(log, word, order, pairs) for word in ("query", "item")]
    words = "train rows, train users, train items, test rows, test users, cold users, test items, cold items"
    rows: list[tuple[Cell, ...]] = []
    for pair, users, items in zip(pairs, *sides, strict=True):
        train, test = (end - start for start, end in pair.places)
        rows.append((str(pair.origin), train, users[0], items[0], test, *users[1:], *items[1:]))
    note = "cold: in the test, and not in the training data of the same origin"
    return Table([Column("origin"), *(Column(word, "count") for word in words.split(", "))], rows, notes=note)


def _ids(
    log: Log, word: str, order: np.ndarray | None, pairs: Sequence[BacktestPair]
) -> Iterator[tuple[int, int, int]]:
    """Per pair, how many ids its training data have, how many its test has, and how many of these are cold."""
    coded = code_ids([log], word)
    codes = coded.codes[0] if order is None else coded.codes[0][order]
    latest, done = np.full(len(coded), -1), 0  # each id's last row before the origin, in one pass
    for pair in pairs:
        (start, end), test = pair.places
        latest[codes[done:end]] = np.arange(done, end)  # of an id that is there twice, the last one stays
        done = end
        is_known, tested = latest >= start, distinct(codes[slice(*test)])
        yield int(is_known.sum()), len(tested), int((~is_known[tested]).sum())
