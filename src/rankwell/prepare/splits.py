"""Splits into training and test data, and folds for cross-validation, seeded and reported, with a check for leaks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import polars as pl

from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.prepare.choices import draw_rows, keys_by, order_of
from rankwell.prepare.cores import Limits, within
from rankwell.prepare.leaks import SECONDS, Sides, moment
from rankwell.prepare.pairs import Coded, by_code, code_ids
from rankwell.prepare.report import Fact, Report, Share
from rankwell.readers.logs import Log, read_log
from rankwell.records import cached_property, record
from rankwell.tables.arguments import UNFIT, checked, fit_kind
from rankwell.tables.ids import Ids, draws

Unknown = Literal["keep", "drop"]
How = Literal["time", "user_time", "last", "random", "cold_users", "cold_items"]
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
FUTURE = (
    "Models see the future: test rows are the last of their user, but other users' training rows are later. Values are "
    "higher than any system could have reached at the time; to measure that, split by time."
)
MIXED = "Training and test rows overlap in time, so the model knows what changes with time, such as fashions."


class _Divided(NamedTuple):
    train: pl.DataFrame
    test: pl.DataFrame
    report: Report


class Split(_Divided):
    """Training data, test data, and the report on the division; these three can be unpacked.

    ``fold_in`` is the first rows of held-out users, if requested.
    """

    fold_in: pl.DataFrame | None = None


@checked
def split(
    log: Any,
    how: How = "time",
    *,
    test: float = 0.2,
    at: Any = None,
    n: int = 1,
    fold_in: int | None = None,
    seed: int = 0,
    min_per_user: int | None = None,
    max_per_user: int | None = None,
    min_per_item: int | None = None,
    max_per_item: int | None = None,
    unknown_users: Unknown = "keep",
    unknown_items: Unknown = "keep",
    repeated: Unknown = "keep",
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Split:
    """Divide a log into training and test data, and report leaks.

    Parameters
    ----------
    log
        A path, a data frame, records, or a dict; all columns and the order of rows are kept.
    how
        ``time``: one moment for all; rows from it on are the test data, and rows of equal time stay together. ``user_time``:
        the last share ``test`` of each user's rows, rounded down. ``last``: the last ``n`` rows of each user with more than
        that. ``random``: rows at random. ``cold_users``, ``cold_items``: all rows of some users or items.
    test
        The share of rows (users, items) for the test data; for ``time``, the moment that comes nearest to it is used.
    at
        For ``time``, the moment itself: a number, or a date such as ``"2013-08-01"`` (in UTC for numbers of seconds).
    n
        For ``last``, the number of rows per user.
    fold_in
        For ``cold_users``, how many of each held-out user's first rows by time a model is given as their history: neither
        training nor test data, but a separate table. Rows of equal time keep their order in the log; users without further
        rows have none in the test, and are counted.
    seed
        For everything drawn at random.
    min_per_user, max_per_user, min_per_item, max_per_item
        Limits applied to the log first, repeatedly until they hold (see ``core``).
    unknown_users, unknown_items, repeated
        Whether to ``drop`` test rows of users or items missing from the training data, and of pairs in the training data (or
        in the rows of ``fold_in``).
    columns, name
        Which column is which, if the name does not say; what to call the log in the report.

    Returns
    -------
    Split
        ``train``, ``test`` and ``report``, which has the sizes and leaks; and ``fold_in``.

    Raises
    ------
    RankwellError
        If the log cannot be read or lacks a column, an argument does not fit, or a side would be empty.

    Examples
    --------
    >>> log = {"user": ["a", "a", "b", "b", "b"], "item": [1, 2, 1, 2, 3], "time": [1, 4, 2, 3, 5]}
    >>> train, test, report = split(log, test=0.4)
    >>> test.rows()
    [('a', 2, 4), ('b', 3, 5)]
    >>> report["test items not in train"]
    1 of 2 (0.5000)

    Reference
        Y. Ji, A. Sun, J. Zhang and C. Li, A critical study on data leakage in recommender system offline evaluation,
        ACM TOIS 41(3), 2023.
    """
    _refuse(
        how,
        test,
        at,
        n,
        {"unknown_users": unknown_users, "unknown_items": unknown_items, "repeated": repeated},
    )
    _refuse_fold_in(how, fold_in)
    timed = ("time",) if how in ("time", "user_time", "last") or fold_in is not None else ()
    read = read_log(log, *timed, columns=columns, name=name, perhaps=("time",))
    limits = Limits(min_per_user, max_per_user, min_per_item, max_per_item)
    facts: dict[str, Fact] = {"rows": len(read)}
    tables: list[Table] = []
    if limits:
        read, sizes_within, table = within(read, limits)
        facts |= sizes_within
        tables.append(table)
    rule = SplitRule(read, test, at, n, seed)
    is_test = RULES[how].rows(rule, facts)  # by masks, so that all tables keep the order of the log
    first = np.zeros(len(read), np.bool_)
    if fold_in is not None:
        first = first_rows(rule, is_test, fold_in, facts)
    sides = sides_of(rule, ~is_test, is_test & ~first)
    again = np.zeros(len(sides.test), np.bool_)
    held: Sides | None = None
    if fold_in is not None:
        held = sides_of(rule, first, is_test & ~first)
        again = held.repeated
        facts["test rows whose pair is in fold-in"] = Share(int(again.sum()), len(again))
    drops: dict[str, tuple[Unknown, Callable[[], np.ndarray]]] = {
        "unknown users": (unknown_users, lambda: sides.cold_users),
        "unknown items": (unknown_items, lambda: sides.cold_items),
        "pairs of the training data": (repeated, lambda: sides.repeated | again),
    }
    is_kept = np.ones(len(sides.test), np.bool_)
    for what, (wanted, rows) in drops.items():
        if wanted == "drop":
            facts[f"test rows of {what}, dropped"] = Share(int(rows().sum()), len(sides.test))
            is_kept &= ~rows()
    if not is_kept.all():  # the sides are made again, since their facts and sizes are of what is left
        left = is_test & ~first
        left[left] = is_kept  # one entry for each True of the mask, in order
        sides = sides_of(rule, ~is_test, left)
    description = RULES[how].description.format(test=test, n=n, seed=seed)
    notes = {"last": (FUTURE,), "user_time": (FUTURE,), "random": (MIXED,)}.get(how, ())
    sizes = _sizes(sides, held)
    report = Report(f"Split of {read.name}: {description}", facts | sides.facts(), (*tables, sizes), notes)
    made = Split(sides.train.frame, sides.test.frame, report)
    made.fold_in = None if held is None else held.train.frame
    return made


def sides_of(rule: SplitRule, *sides: np.ndarray) -> Sides:
    """Return the two sides of a log; DataError if one is empty."""
    return Sides(*divide(rule.log, *sides), rule.users.parts(*sides), rule.items.parts(*sides))


def divide(log: Log, is_train: np.ndarray, is_test: np.ndarray) -> tuple[Log, Log]:
    """Return the two sides of a log; DataError if one is empty."""
    for side, rows in (("training", is_train), ("test", is_test)):
        if not rows.any():
            raise DataError(
                f"{log.name}: the {side} data would be empty. Move the cut (test=, at=, n=, fold_in=), or drop less."
            )
    train, test = (log.replaced(log.frame.filter(pl.Series(rows))) for rows in (is_train, is_test))
    return train, test


def _refuse(how: str, test: float, at: Any, n: int, allowed: dict[str, str]) -> None:
    if how not in RULES:
        raise UsageError(f"how={brief(how)}: must be {one_of(RULES)}.{nearest(str(how), RULES)}")
    if not 0 < test < 1:
        raise UsageError(f"test={test:g}: the share of the test data must be between 0 and 1.")
    if at is not None and how != "time":
        raise UsageError(f"at={brief(at)} is a moment; it needs how='time', not {brief(how)}.")
    if n < 1 or int(n) != n:
        raise UsageError(f"n={n}: the number of rows per user must be a whole number of at least 1.")
    for word, value in allowed.items():
        if value not in ("keep", "drop"):
            raise UsageError(f"{word}={brief(value)}: must be keep or drop.")


def _refuse_fold_in(how: str, fold_in: int | None) -> None:
    if fold_in is None:
        return
    if how != "cold_users":
        raise UsageError(
            f"fold_in={brief(fold_in)} is a history of users missing from the training data; it needs how='cold_users', not {brief(how)}."
        )
    if fold_in < 1 or int(fold_in) != fold_in:
        raise UsageError(
            f"fold_in={fold_in}: the number of rows per user must be a whole number of at least 1."
        )


def _sizes(sides: Sides, held: Sides | None) -> Table:
    """Rows, users, items and time span of both sides, and of the rows held for folding in."""
    columns = [Column("part"), *(Column(word, "count") for word in ("rows", "users", "items"))]
    columns += [Column("of rows", "value")]
    columns += [Column("from"), Column("to")] if sides.times else []
    parts = [("train", sides, 0), ("test", sides, 1)]
    if held is not None:
        parts.insert(1, ("fold-in", held, 0))
    logs = [(both.train, both.test)[side] for _, both, side in parts]
    total = sum(map(len, logs))
    rows: list[list[str | int | float]] = []
    for (part, both, side), log in zip(parts, logs, strict=True):
        users, items = (int(ids.present[side].sum()) for ids in (both.users, both.items))
        row: list[str | int | float] = [part, len(log), users, items, len(log) / total]
        if sides.times:
            times = log.times()
            row += [moment(log, times.min().item()), moment(log, times.max().item())]
        rows.append(row)
    return Table(columns, rows)


@record
class SplitRule:
    """A log, and the parameters that choose its test rows."""

    log: Log
    test: float
    at: Any
    n: int
    seed: int

    @cached_property
    def users(self) -> Coded:
        """The users of the log."""
        return code_ids([self.log], "query")

    @cached_property
    def items(self) -> Coded:
        """The items of the log."""
        return code_ids([self.log], "item")

    def some(self, what: str, *keys: Ids | np.ndarray) -> np.ndarray:
        """Return which rows, users or items are drawn for the test data, by what tells them apart."""
        size = len(keys[0])
        number = round(self.test * size)
        if not 0 < number < size:
            raise DataError(
                f"{self.log.name}: {self.test:g} of {size:,} {what} is {number}, which leaves one side empty. Change test=."
            )
        return draw_rows(self.seed, number, *keys)


def _by_time(rule: SplitRule, facts: dict[str, Fact]) -> np.ndarray:
    times = rule.log.times()
    cut = _moment_of(rule.at, rule.log) if rule.at is not None else _cut(times, rule.test, rule.log.name)
    facts["test begins at"] = moment(rule.log, cut)
    facts["rows at that very time, all in the test"] = int(np.sum(times == cut))
    return times >= cut


def _cut(times: np.ndarray, test: float, name: str) -> float:
    """The time at which to cut so that the test share is as near as possible; rows of equal time stay together."""
    # rows of one time cannot be divided, so only the places before and after them come into question
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
    if isinstance(at, np.datetime64):
        at = at.astype("datetime64[us]").item()
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
        # a date without a zone is in UTC, as seconds since 1970 are: the zone of the machine must not move the cut
        return start.replace(tzinfo=start.tzinfo or dt.UTC).timestamp()
    if isinstance(at, dt.date):
        return float(pl.Series([at]).cast(kind).to_physical().item())
    if kind.is_numeric() and (number := fit_kind(at, float)) is not UNFIT:
        return float(number)
    raise UsageError(f"at={brief(at)}: the times of {log.name} are {kind}; give a date such as 2013-08-01.")


def _date_of(text: str) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"at={brief(text)}: must be a number or a date such as 2013-08-01 or 2013-08-01T12:00:00."
        ) from None


def _by_user_time(rule: SplitRule, facts: dict[str, Fact]) -> np.ndarray:
    users = rule.users
    lengths = np.bincount(users.codes[0], minlength=len(users))
    # .29 · 100 is 28.999999999999996, of which floor makes 28
    wanted = np.floor(np.round(rule.test * lengths, 9)).astype(np.int64)
    facts["users with too few rows for a test row"] = Share(int(np.sum(wanted == 0)), len(users))
    return _last(rule.log, users, wanted, facts)


def _by_last(rule: SplitRule, facts: dict[str, Fact]) -> np.ndarray:
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
    # a cut at either end of a user's rows divides nothing
    inside = cuts[(cuts > offsets[:-1]) & (cuts < offsets[1:])]
    divided = times[rows[inside - 1]] == times[rows[inside]]
    # user by user: so many rows before the cut, then so many after it
    lengths = np.column_stack([cuts - offsets[:-1], offsets[1:] - cuts]).ravel()
    after = np.empty(len(rows), np.bool_)
    after[rows] = np.repeat(np.tile([False, True], len(cuts)), lengths)
    return after, int(np.sum(divided))


def _by_chance(rule: SplitRule, _facts: dict[str, Fact]) -> np.ndarray:
    return rule.some("rows", *keys_by(rule.log, (rule.users, rule.items)))


def _by_cold_users(rule: SplitRule, _facts: dict[str, Fact]) -> np.ndarray:
    return rule.some("users", rule.users.ids)[rule.users.codes[0]]


def first_rows(rule: SplitRule, held: np.ndarray, n: int, facts: dict[str, Fact]) -> np.ndarray:
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


def _by_cold_items(rule: SplitRule, _facts: dict[str, Fact]) -> np.ndarray:
    return rule.some("items", rule.items.ids)[rule.items.codes[0]]


class DivisionRule(NamedTuple):
    """A way to divide: a function that returns the test rows (and adds facts), and its description."""

    rows: Callable[[SplitRule, dict[str, Fact]], np.ndarray]
    description: str


RULES: dict[str, DivisionRule] = {
    "time": DivisionRule(_by_time, "by time, one moment for all"),
    "user_time": DivisionRule(_by_user_time, "the last {test:g} of each user's rows"),
    "last": DivisionRule(_by_last, "the last {n} of each user's rows"),
    "random": DivisionRule(_by_chance, "{test:g} of the rows at random (seed {seed})"),
    "cold_users": DivisionRule(_by_cold_users, "all rows of {test:g} of the users at random (seed {seed})"),
    "cold_items": DivisionRule(_by_cold_items, "all rows of {test:g} of the items at random (seed {seed})"),
}


FoldSides = tuple[pl.DataFrame, pl.DataFrame]


class FoldParts(Sequence[FoldSides]):
    """Pairs of training and test data, each made when it is asked for: all of them would hold the log k times."""

    def __init__(self, frame: pl.DataFrame, part_of_row: np.ndarray, k: int) -> None:
        self._frame, self._part_of_row, self._parts = frame, part_of_row, range(k)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return (
            f"{len(self)} pairs of training and test data, made when asked for, of {len(self._frame):,} rows"
        )

    @overload
    def __getitem__(self, at: int) -> FoldSides: ...
    @overload
    def __getitem__(self, at: slice) -> list[FoldSides]: ...
    def __getitem__(self, at: int | slice) -> FoldSides | list[FoldSides]:
        if isinstance(at, slice):
            return [self[part] for part in self._parts[at]]
        is_test = pl.Series(self._part_of_row == self._parts[at])  # a mask keeps the order of the log
        return self._frame.filter(~is_test), self._frame.filter(is_test)


class Folds(NamedTuple):
    """Pairs of training and test data, made when asked for, and the report on the division."""

    parts: Sequence[FoldSides]
    report: Report


@checked
def folds(
    log: Any,
    k: int = 5,
    *,
    of: Literal["rows", "users", "items"] = "rows",
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Folds:
    """Divide a log at random into k parts of equal size; each is the test data once, and the others the training data.

    Parameters
    ----------
    log
        A path, a data frame, records, or a dict; all columns and the order of rows are kept.
    k
        The number of parts, at least 2.
    of
        What to divide: ``rows``, or whole ``users`` or ``items``, which are then cold in the test data.
    seed
        For the random division.
    columns, name
        Which column is which, if the name does not say; what to call the log in the report.

    Raises
    ------
    RankwellError
        If the log cannot be read, lacks a column, or has fewer rows (users, items) than parts.

    Examples
    --------
    >>> parts, report = folds({"u": ["a", "b"], "v": ["a", "b"]}, k=2)
    >>> [(len(train), len(test)) for train, test in parts]
    [(2, 2), (2, 2)]
    """
    if of not in ("rows", "users", "items"):
        raise UsageError(f"of={brief(of)}: must be rows, users or items.")
    read = read_log(log, columns=columns, name=name)
    sides = code_ids([read], "query"), code_ids([read], "item")
    group, apart = _groups(read, of, sides)
    size = len(apart[0])
    if int(k) != k or not 2 <= k <= size:
        raise UsageError(
            f"k={k}: must be a whole number from 2 to {size:,}, the number of {of} in {read.name}."
        )
    dealt = np.empty(size, np.int64)  # dealt like cards in a random order, so sizes differ by at most one
    dealt[order_of(draws(seed, *apart))] = np.arange(size) % k
    own = dealt[group]
    tested = np.bincount(own, minlength=k)
    counts = (len(read) - tested, tested, *(_cold(side, own, k) for side in sides))
    rows = [(part, *map(int, row)) for part, row in enumerate(zip(*counts, strict=True), 1)]
    words = ("fold", "train rows", "test rows", "test users not in train", "test items not in train")
    table = Table([Column(word, "count") for word in words], rows)
    title = f"Folds of {read.name}: {k} parts of {of} at random (seed {seed})"
    report = Report(title, {"rows": len(read)}, (table,), (MIXED,))
    return Folds(FoldParts(read.frame, own, k), report)


def _groups(log: Log, of: str, sides: tuple[Coded, Coded]) -> tuple[np.ndarray, Sequence[Ids | np.ndarray]]:
    """The number of each row, of its user or of its item, and what tells these apart."""
    if of == "rows":
        return np.arange(len(log)), keys_by(log, sides)
    side = sides[of == "items"]
    return side.codes[0], [side.ids]


def _cold(side: Coded, own: np.ndarray, k: int) -> np.ndarray:
    """Per part, the number of its users or items that are in no other."""
    codes = side.codes[0]
    first = np.empty(len(side), np.int64)
    first[codes] = own
    is_in_others = np.zeros(len(side), np.bool_)
    is_in_others[codes[own != first[codes]]] = True
    return np.bincount(first[~is_in_others], minlength=k)
