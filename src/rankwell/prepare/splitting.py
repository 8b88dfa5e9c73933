"""Splits into training and test data, seeded and reported, with a check for leaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.prepare.cores import Limits, within
from rankwell.prepare.division import RULES, How, Rule, first_rows
from rankwell.prepare.leaks import Sides, moment
from rankwell.prepare.reporting import Fact, Report, Share
from rankwell.readers.logs import Log, read_log
from rankwell.tables.arguments import checked

Unknown = Literal["keep", "drop"]
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
        read, found, table = within(read, limits)
        facts |= found
        tables.append(table)
    rule = Rule(read, test, at, n, seed)
    is_test = RULES[how].rows(rule, facts)
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
    kept = np.ones(len(sides.test), np.bool_)
    for what, (wanted, rows) in drops.items():
        if wanted == "drop":
            facts[f"test rows of {what}, dropped"] = Share(int(rows().sum()), len(sides.test))
            kept &= ~rows()
    if not kept.all():
        left = is_test & ~first
        left[left] = kept
        sides = sides_of(rule, ~is_test, left)
    description = RULES[how].description.format(test=test, n=n, seed=seed)
    notes = {"last": (FUTURE,), "user_time": (FUTURE,), "random": (MIXED,)}.get(how, ())
    sizes = _sizes(sides, held)
    report = Report(f"Split of {read.name}: {description}", facts | sides.facts(), (*tables, sizes), notes)
    made = Split(sides.train.frame, sides.test.frame, report)
    made.fold_in = None if held is None else held.train.frame
    return made


def sides_of(rule: Rule, *sides: np.ndarray) -> Sides:
    """Return the two sides of a log; DataError if one is empty."""
    return Sides(*divided(rule.log, *sides), rule.users.parts(*sides), rule.items.parts(*sides))


def divided(log: Log, is_train: np.ndarray, is_test: np.ndarray) -> tuple[Log, Log]:
    """Return the two sides of a log; DataError if one is empty."""
    for side, rows in (("training", is_train), ("test", is_test)):
        if not rows.any():
            raise DataError(
                f"{log.name}: the {side} data would be empty. Move the cut (test=, at=, n=, fold_in=), or drop less."
            )
    train, test = (log.replaced(log.frame.filter(pl.Series(rows))) for rows in (is_train, is_test))
    return train, test


def _refuse(how: str, test: float, at: Any, n: int, kept: dict[str, str]) -> None:
    if how not in RULES:
        raise UsageError(f"how={brief(how)}: must be {one_of(RULES)}.{nearest(str(how), RULES)}")
    if not 0 < test < 1:
        raise UsageError(f"test={test:g}: the share of the test data must be between 0 and 1.")
    if at is not None and how != "time":
        raise UsageError(f"at={brief(at)} is a moment; it needs how='time', not {brief(how)}.")
    if n < 1 or int(n) != n:
        raise UsageError(f"n={n}: the number of rows per user must be a whole number of at least 1.")
    for word, value in kept.items():
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
