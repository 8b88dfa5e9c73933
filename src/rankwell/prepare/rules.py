"""Rules about training and test data: each yields what it finds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwell.display.findings import Finding
from rankwell.display.table import number
from rankwell.prepare.drawing import lowest
from rankwell.prepare.leaks import Sides
from rankwell.prepare.pairs import Coded
from rankwell.prepare.reporting import such_as
from rankwell.statistics.draws import further
from rankwell.tables.fingerprints import draws
from rankwell.tables.ids import Known
from rankwell.tables.workers import on_all_cores

DIVISIONS, DRIFT = 5, 0.1


def log_rules(sides: Sides, catalogue: Known | None, *, repeated: bool, seed: int) -> Iterator[Finding]:
    """Yield the problems of training and test data."""
    yield from _times(sides)
    yield from _pairs(sides, repeated=repeated)
    yield from _unknown(sides)
    if catalogue is not None:
        yield from _outside(sides, catalogue)
    yield drift(sides, seed)


def _times(sides: Sides) -> Iterator[Finding]:
    size = len(sides.test)
    if sides.times is None:
        missing = " and ".join(log.name for log in (sides.train, sides.test) if "time" not in log.words)
        yield Finding(
            "no-times", "note", missing,
            f"{missing} has no column of times, so what is older is not known",
            "Give a column time (timestamp, date …), or say which it is.",
            0, of=size,
        )  # fmt: skip
        return
    own, every = int(sides.before_own.sum()), int(sides.before_all.sum())
    if own:
        users = np.flatnonzero(np.bincount(sides.users.codes[1][sides.before_own]))
        yield Finding(
            "own-future", "error", sides.test.name,
            f"test rows are older than the newest training row of their user ({len(users):,} users"
            f"{such_as(sides.users.names(users))}): the model learned from later rows",
            "Split by time, or by the time of each user (rankwell prepare split).",
            own, of=size,
        )  # fmt: skip
    if every:
        yield Finding(
            "others-future", "warning", sides.test.name,
            "test rows are older than the newest training row: the model saw the future of others",
            "Split by one moment for all, or say that values are those of such a split.",
            every, of=size,
        )  # fmt: skip


def _pairs(sides: Sides, *, repeated: bool) -> Iterator[Finding]:
    again = int(sides.repeated.sum())
    if again:
        yield Finding(
            "test-pairs-in-train", "note" if repeated else "error", sides.test.name,
            "test rows are of a pair of user and item that the training data have",
            "Leave them out (split --repeated drop), or say that repeats are meant (--repeated).",
            again, of=len(sides.test),
        )  # fmt: skip
    for table, log in enumerate((sides.train, sides.test)):
        copies = int(sides.copies[table].sum())
        if copies:
            yield Finding(
                "repeated-pairs", "warning" if table else "note", log.name,
                f"rows of {log.name} repeat a pair of user and item",
                "evaluate refuses repeated judgements; keep one of each, or set --duplicate-grades max or last."
                if table
                else "Popularity counts each pair once (by users) or every row (by events).",
                copies, of=len(log),
            )  # fmt: skip


def _unknown(sides: Sides) -> Iterator[Finding]:
    for what, ids, rows in (
        ("users", sides.users, sides.cold_users),
        ("items", sides.items, sides.cold_items),
    ):
        cold = np.flatnonzero(ids.present[1] & ~ids.present[0])
        if not len(cold):
            continue
        total = int(ids.present[1].sum())
        nothing = len(cold) == total
        known = "none of them is: the ids may be written differently" if nothing else "no model can know them"
        yield Finding(
            f"unknown-{what}", "error" if nothing else "warning", sides.test.name,
            f"{what} of the test data are not in the training data{such_as(ids.names(cold))}; "
            f"{int(rows.sum()):,} of {len(rows):,} test rows; {known}",
            "Write ids alike on both sides." if nothing else
            f"Say how a system treats new {what}, or leave them out (split --unknown-{what} drop).",
            len(cold), of=total,
        )  # fmt: skip


def _outside(sides: Sides, catalogue: Known) -> Iterator[Finding]:
    inside = catalogue.rows_of(sides.items.ids, "item") >= 0
    for table, log in enumerate((sides.train, sides.test)):
        outside = np.flatnonzero(sides.items.present[table] & ~inside)
        if len(outside):
            yield Finding(
                "items-outside", "error", log.name,
                f"items of {log.name} are not in the catalogue{such_as(sides.items.names(outside))}",
                "Complete the catalogue, or say --outside ignore.",
                len(outside), of=int(sides.items.present[table].sum()),
            )  # fmt: skip


def drift(sides: Sides, seed: int) -> Finding:
    """Compare the popularity of items in training and test data with the difference expected by chance."""
    parts, of_pairs = [], []
    for table in (0, 1):
        copies = sides.copies[table]
        first = ~copies if copies.any() else slice(None)
        users, items = sides.users.codes[table][first], sides.items.codes[table][first]
        parts.append(items)
        of_pairs.append(
            draws(seed, sides.users.numbers[users], sides.items.numbers[items], np.array([table]))
        )
    size, cut = len(sides.items), len(parts[0])
    seen = divergence(*(np.bincount(part, minlength=size) for part in parts))
    both, drawn = np.concatenate(parts), np.concatenate(of_pairs)
    every = np.bincount(both, minlength=size)

    def of_division(division: int) -> float:
        own = further(drawn, np.array([division], np.uint64))
        train = np.bincount(both[lowest(own, cut)], minlength=size)
        return divergence(train, every - train)

    chance = float(np.mean(on_all_cores(of_division, range(DIVISIONS))))
    is_far = seen - chance > DRIFT
    return Finding(
        "popularity-drift", "warning" if is_far else "note", sides.test.name,
        f"Jensen–Shannon divergence of the shares of items in train and test {number(seen)}, by chance {number(chance)}",
        "What was popular in training is less so in the test: look at values by part of the long tail." if is_far else
        "Popularity is about the same on both sides.",
        None, value=seen,
    )  # fmt: skip


def divergence(one: np.ndarray, other: np.ndarray) -> float:
    """Return the Jensen–Shannon divergence of two counts over the same items, base 2.

    JS = (KL(p, m) + KL(q, m)) / 2, m = (p + q) / 2

    >>> divergence(np.array([1, 1]), np.array([3, 3])), divergence(np.array([1, 0]), np.array([0, 1]))
    (0.0, 1.0)
    """
    p, q = one / one.sum(), other / other.sum()
    m = (p + q) / 2
    halves = [float(np.sum(each[each > 0] * np.log2(each[each > 0] / m[each > 0]))) for each in (p, q)]
    return sum(halves) / 2


def names_of(ids: Coded, rows: np.ndarray) -> str:
    """Format a few of the marked ids."""
    return such_as(ids.names(np.flatnonzero(rows)))
