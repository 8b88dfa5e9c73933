"""Checks of training and test data: each yields its findings, with severity and remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankwell.display.table import number
from rankwell.prepare.leaks import Sides
from rankwell.prepare.pairs import Coded, keys, repeats
from rankwell.prepare.reporting import such_as
from rankwell.tables.ids import Known

Severity = Literal["error", "warning", "note"]
LEVELS: tuple[Severity, ...] = ("error", "warning", "note")
DIVISIONS, DRIFT = 5, 0.1


@dataclass(frozen=True)
class Finding:
    """A finding: how often, out of how many, and what to do; or a value that is not a share."""

    severity: Severity
    check: str
    n: int | None
    of: int | None
    found: str
    remedy: str
    value: float | None = None

    def row(self) -> tuple[str, str, int | None, int | None, float | None, str, str]:
        """Return the finding as a row: severity, check, n, of, share, found, remedy."""
        share = self.n / self.of if self.n is not None and self.of else self.value
        return self.severity, self.check, self.n, self.of, share, self.found, self.remedy


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
            "note", "no-times", 0, size, f"{missing} has no column of times, so leaks from the future cannot be checked",
            "Give a column time (timestamp, date …), or name it.",
        )  # fmt: skip
        return
    own, every = int(sides.before_own.sum()), int(sides.before_all.sum())
    if own:
        users = np.unique(sides.users.codes[1][sides.before_own])
        yield Finding(
            "error", "own-future", own, size,
            f"test rows are older than the newest training row of their user ({len(users):,} users"
            f"{such_as(sides.users.names(users))}): the model learned from later rows",
            "Split by time, or by the time of each user (rankwell prepare split).",
        )  # fmt: skip
    if every:
        yield Finding(
            "warning", "others-future", every, size,
            "test rows are older than the newest training row: the model saw the future of others",
            "Split by one moment for all, or state that values come from such a split.",
        )  # fmt: skip


def _pairs(sides: Sides, *, repeated: bool) -> Iterator[Finding]:
    again = int(sides.repeated.sum())
    if again:
        yield Finding(
            "note" if repeated else "error", "test-pairs-in-train", again, len(sides.test),
            "test rows repeat a pair of user and item of the training data",
            "Leave them out (split --repeated drop), or set --repeated if repeats are intended.",
        )  # fmt: skip
    for table, log in enumerate((sides.train, sides.test)):
        copies = int(repeats(keys(sides.users, sides.items, table)).sum())
        if copies:
            yield Finding(
                "warning" if table else "note", "repeated-pairs", copies, len(log),
                f"rows of {log.name} repeat a pair of user and item",
                "evaluate refuses repeated judgements; keep one of each, or set --duplicate-grades max or last."
                if table
                else "Popularity counts each pair once (by users) or every row (by events).",
            )  # fmt: skip


def _unknown(sides: Sides) -> Iterator[Finding]:
    for what, ids, rows in (
        ("users", sides.users, sides.cold_users),
        ("items", sides.items, sides.cold_items),
    ):
        cold = np.flatnonzero(ids.present(1) & ~ids.present(0))
        if not len(cold):
            continue
        total = int(ids.present(1).sum())
        nothing = len(cold) == total
        known = "none of them is: the ids may be written differently" if nothing else "no model can know them"
        yield Finding(
            "error" if nothing else "warning", f"unknown-{what}", len(cold), total,
            f"{what} of the test data are not in the training data{such_as(ids.names(cold))}; "
            f"{int(rows.sum()):,} of {len(rows):,} test rows; {known}",
            "Use the same ids on both sides." if nothing else
            f"State how a system treats new {what}, or leave them out (split --unknown-{what} drop).",
        )  # fmt: skip


def _outside(sides: Sides, catalogue: Known) -> Iterator[Finding]:
    inside = catalogue.rows_of(sides.items.ids, "item") >= 0
    for table, log in enumerate((sides.train, sides.test)):
        outside = np.flatnonzero(sides.items.present(table) & ~inside)
        if len(outside):
            yield Finding(
                "error", "items-outside", len(outside), int(sides.items.present(table).sum()),
                f"items of {log.name} are not in the catalogue{such_as(sides.items.names(outside))}",
                "Complete the catalogue, or set --outside ignore.",
            )  # fmt: skip


def drift(sides: Sides, seed: int) -> Finding:
    """Compare the popularity of items in training and test data with the difference expected by chance."""
    parts = []
    for table in (0, 1):
        pairs = keys(sides.users, sides.items, table)
        parts.append(sides.items.codes[table][~repeats(pairs)])
    size, cut = len(sides.items), len(parts[0])
    seen = divergence(*(np.bincount(part, minlength=size) for part in parts))
    both, rng = np.concatenate(parts), np.random.default_rng(seed)
    by_chance = []
    for _ in range(DIVISIONS):
        both = rng.permutation(both)
        counts = (np.bincount(part, minlength=size) for part in (both[:cut], both[cut:]))
        by_chance.append(divergence(*counts))
    chance = float(np.mean(by_chance))
    is_far = seen - chance > DRIFT
    return Finding(
        "warning" if is_far else "note", "popularity-drift", None, None,
        f"Jensen–Shannon divergence of the shares of items in train and test {number(seen)}, by chance {number(chance)}",
        "Items popular in training are less popular in the test: look at values by part of the long tail." if is_far else
        "Popularity is about the same on both sides.", seen,
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
