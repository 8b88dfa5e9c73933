"""Rules for which rows of a log are the test data: by time, by user, or at random."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from rankwell.errors import DataError, UsageError, brief
from rankwell.prepare.drawing import drawn, keys_by
from rankwell.prepare.leaks import SECONDS, moment
from rankwell.prepare.pairs import Coded, by_code, coded
from rankwell.prepare.reporting import Fact, Share
from rankwell.readers.logs import Log
from rankwell.records import cached_property, record
from rankwell.tables.arguments import UNFIT, fitted
from rankwell.tables.ids import Ids

How = Literal["time", "user_time", "last", "random", "cold_users", "cold_items"]
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@record
class Rule:
    """A log, and the parameters that choose its test rows."""

    log: Log
    test: float
    at: Any
    n: int
    seed: int

    @cached_property
    def users(self) -> Coded:
        """The users of the log."""
        return coded([self.log], "query")

    @cached_property
    def items(self) -> Coded:
        """The items of the log."""
        return coded([self.log], "item")

    def some(self, what: str, *keys: Ids | np.ndarray) -> np.ndarray:
        """Return which rows, users or items are drawn for the test data, by what tells them apart."""
        size = len(keys[0])
        number = round(self.test * size)
        if not 0 < number < size:
            raise DataError(
                f"{self.log.name}: {self.test:g} of {size:,} {what} is {number}, which leaves one side empty. Change test=."
            )
        return drawn(self.seed, number, *keys)


def _by_time(rule: Rule, facts: dict[str, Fact]) -> np.ndarray:
    times = rule.log.times()
    cut = _moment_of(rule.at, rule.log) if rule.at is not None else _cut(times, rule.test, rule.log.name)
    facts["test begins at"] = moment(rule.log, cut)
    facts["rows at that very time, all in the test"] = int(np.sum(times == cut))
    return times >= cut


def _cut(times: np.ndarray, test: float, name: str) -> float:
    """The time at which to cut so that the test share is as near as possible; rows of equal time stay together."""
    wanted = len(times) - round(test * len(times))
    ordered = np.sort(times)
    at = ordered[min(wanted, len(times) - 1)]
    places = [int(np.searchsorted(ordered, at, side)) for side in SIDES]
    possible = [place for place in places if 0 < place < len(times)]
    if not possible:
        raise DataError(
            f"{name}: no moment divides the rows: {test:g} of them have the same time, the first or the last. Change test=."
        )
    return ordered[min(possible, key=lambda place: abs(place - wanted))].item()


def _moment_of(at: Any, log: Log) -> float:
    """Convert a time given as a number, a date, or their text, to the units of the log's times."""
    kind = log.clock.dtype
    if isinstance(at, str) and not kind.is_numeric():
        at = _date_of(at)
    elif isinstance(at, str):
        try:
            at = float(at)
        except ValueError:
            at = _date_of(at)
    if isinstance(at, dt.date) and kind.is_numeric():
        if log.times().max() >= SECONDS[1]:
            raise UsageError(
                f"at={brief(str(at))}: the times of {log.name} are not seconds; give a number such as {log.times()[0]}."
            )
        start = at if isinstance(at, dt.datetime) else dt.datetime.combine(at, dt.time())
        return start.replace(tzinfo=start.tzinfo or dt.UTC).timestamp()
    if isinstance(at, dt.date):
        return float(pl.Series([at]).cast(kind).to_physical().item())
    if kind.is_numeric() and (number := fitted(at, float)) is not UNFIT:
        return float(number)
    raise UsageError(f"at={brief(at)}: the times of {log.name} are {kind}; give a date such as 2013-08-01.")


def _date_of(text: str) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"at={brief(text)}: must be a number or a date such as 2013-08-01 or 2013-08-01T12:00:00."
        ) from None


def _by_user_time(rule: Rule, facts: dict[str, Fact]) -> np.ndarray:
    users = rule.users
    lengths = np.bincount(users.codes[0], minlength=len(users))
    wanted = np.floor(np.round(rule.test * lengths, 9)).astype(np.int64)
    facts["users with too few rows for a test row"] = Share(int(np.sum(wanted == 0)), len(users))
    return _last(rule.log, users, wanted, facts)


def _by_last(rule: Rule, facts: dict[str, Fact]) -> np.ndarray:
    users = rule.users
    lengths = np.bincount(users.codes[0], minlength=len(users))
    wanted = np.where(lengths > rule.n, rule.n, 0)
    facts[f"users with at most {rule.n} rows, all in train"] = Share(int(np.sum(wanted == 0)), len(users))
    return _last(rule.log, users, wanted, facts)


def _last(log: Log, users: Coded, wanted: np.ndarray, facts: dict[str, Fact]) -> np.ndarray:
    """The last rows of each user; rows of equal time keep their order in the log."""
    times = log.times()
    rows, offsets = by_code(users.codes[0], times)
    test, divided = _after(times, rows, offsets, offsets[1:] - wanted)
    facts["users whose cut divides rows of equal time, kept in log order"] = divided
    return test


def _after(
    times: np.ndarray, rows: np.ndarray, offsets: np.ndarray, cuts: np.ndarray
) -> tuple[np.ndarray, int]:
    """Which rows come after the cut of their user, given the rows of each by time, and how many cuts divide rows of equal time."""
    inside = cuts[(cuts > offsets[:-1]) & (cuts < offsets[1:])]
    divided = times[rows[inside - 1]] == times[rows[inside]]
    lengths = np.column_stack([cuts - offsets[:-1], offsets[1:] - cuts]).ravel()
    after = np.empty(len(rows), np.bool_)
    after[rows] = np.repeat(np.tile([False, True], len(cuts)), lengths)
    return after, int(np.sum(divided))


def _by_chance(rule: Rule, _facts: dict[str, Fact]) -> np.ndarray:
    return rule.some("rows", *keys_by(rule.log, (rule.users, rule.items)))


def _by_cold_users(rule: Rule, _facts: dict[str, Fact]) -> np.ndarray:
    return rule.some("users", rule.users.ids)[rule.users.codes[0]]


def first_rows(rule: Rule, held: np.ndarray, n: int, facts: dict[str, Fact]) -> np.ndarray:
    """The first n rows of each held-out user, out of all their rows; rows of equal time keep their order in the log."""
    codes, times = rule.users.codes[0], rule.log.times()
    lengths = np.bincount(codes[held], minlength=len(rule.users))
    without = int(np.sum((lengths > 0) & (lengths <= n)))
    facts[f"held-out users with at most {n} rows, none in the test"] = Share(
        without, int(np.sum(lengths > 0))
    )
    rows, offsets = by_code(codes, times)
    after, divided = _after(times, rows, offsets, offsets[:-1] + np.minimum(lengths, n))
    facts["held-out users whose cut divides rows of equal time, kept in log order"] = divided
    return ~after


def _by_cold_items(rule: Rule, _facts: dict[str, Fact]) -> np.ndarray:
    return rule.some("items", rule.items.ids)[rule.items.codes[0]]


class Division(NamedTuple):
    """A way to divide: a function that returns the test rows (and adds facts), and its description."""

    rows: Callable[[Rule, dict[str, Fact]], np.ndarray]
    description: str


RULES: dict[str, Division] = {
    "time": Division(_by_time, "by time, one moment for all"),
    "user_time": Division(_by_user_time, "the last {test:g} of each user's rows"),
    "last": Division(_by_last, "the last {n} of each user's rows"),
    "random": Division(_by_chance, "{test:g} of the rows at random (seed {seed})"),
    "cold_users": Division(_by_cold_users, "all rows of {test:g} of the users at random (seed {seed})"),
    "cold_items": Division(_by_cold_items, "all rows of {test:g} of the items at random (seed {seed})"),
}
