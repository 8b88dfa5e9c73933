"""Training history: distinct pairs of user and item, by user and by item, as rows of the catalogue."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching.asked import Asked
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool, pool_of
from rankwell.records import cached_property, record
from rankwell.tables.csr import offsets_of, owners_of, places_of
from rankwell.tables.fingerprints import Digest
from rankwell.tables.ids import Ids, Known
from rankwell.tables.ranked import Ranked
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.states import Amounts

FIRST = 4096  # ids

# what is counted of the training data, which all queries share
COUNTS = frozenset(
    {"training pairs", "training users", "training pairs given twice", "training pairs outside the catalogue"}
)


@record(eq=False)
class Everyone:
    """Totals of the training data over all users: the numbers of users and of pairs, and the users and grades of each item.

    ``digest`` identifies the pairs and their grades, in any order; those of disjoint users add up.
    """

    catalogue: Known
    counts: np.ndarray
    users: int
    total: int
    digest: Digest
    grades: Amounts

    @property
    def amounts(self) -> np.ndarray:
        """The sum of the grades above 0 of each item of the catalogue."""
        return self.grades.total

    @cached_property
    def order(self) -> np.ndarray:
        """The items of the catalogue, most popular first; ties ordered by id."""
        from rankwell.tables.popularity import by_popularity

        return by_popularity(self.counts, self.catalogue.ids)

    @cached_property
    def place(self) -> np.ndarray:
        """The position of each item of the catalogue in ``order``, from 1."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(1, len(self.order) + 1)
        return place

    def __add__(self, other: Everyone) -> Everyone:
        """Return the totals over two disjoint sets of users."""
        return Everyone(
            self.catalogue,
            self.counts + other.counts,
            self.users + other.users,
            self.total + other.total,
            self.digest + other.digest,
            self.grades + other.grades,
        )


@record(eq=False)
class History:
    """The distinct items of each training user, as rows of the catalogue, with their grades.

    ``totals`` are those of all users, if these are some of them only.
    """

    queries: Known
    offsets: np.ndarray
    item: np.ndarray
    grade: np.ndarray
    catalogue: Known
    totals: Everyone | None = field(default=None, kw_only=True)

    @cached_property
    def everyone(self) -> Everyone:
        """The totals over all users."""
        if self.totals is not None:
            return self.totals
        from rankwell.tables.fingerprints import fingerprints_of

        counts = np.bincount(self.item, minlength=len(self.catalogue))
        user = np.repeat(fingerprints_of(self.queries.ids), np.diff(self.offsets))
        digest = Digest.of_rows(user, self.item, self.grade)
        grades = Amounts.of(self.item, np.maximum(self.grade, 0.0), len(self.catalogue))
        return Everyone(self.catalogue, counts, len(self.queries), len(self.item), digest, grades)

    @property
    def users(self) -> int:
        """U, the number of training users."""
        return self.everyone.users

    @property
    def total(self) -> int:
        """T, the number of distinct pairs of user and item."""
        return self.everyone.total

    @property
    def counts(self) -> np.ndarray:
        """The number of training users of each item of the catalogue."""
        return self.everyone.counts

    @property
    def order(self) -> np.ndarray:
        """The items of the catalogue, most popular first; ties ordered by id."""
        return self.everyone.order

    @property
    def place(self) -> np.ndarray:
        """The position of each item of the catalogue in ``order``, from 1."""
        return self.everyone.place

    def users_of(self, rows: Ranked) -> np.ndarray:
        """Return the number of training users of each row's item; 0 for items outside the catalogue."""
        assert rows.item is not None
        return np.append(self.counts, 0)[rows.item]  # -1, outside, is the last one

    def places_of(self, rows: Ranked) -> np.ndarray:
        """Return the position of each row's item by popularity, from 1; items outside the catalogue come last."""
        assert rows.item is not None
        return np.append(self.place, len(self.place) + 1)[rows.item]

    def rows(self, queries: Ids) -> Ranked:
        """Return the training rows of some users: ``item`` and ``grade``, ranks in the order of the data."""
        own = self.queries.rows_of(queries, "query")
        # of -1, a user without training rows, the last offset and the first, which np.where throws away
        starts, ends = self.offsets[own], self.offsets[own + 1]
        lengths = np.where(own >= 0, ends - starts, 0)
        query, rank = owners_of(lengths), places_of(lengths)
        at = rank + np.repeat(starts - 1, lengths)
        return Ranked(len(own), query, rank, self.grade[at], item=self.item[at])


def overlapping_ids(history: History, pool: Pool) -> frozenset[str]:
    """Return "item" if a judged item has a training user, and "user" if a judged user has training items.

    Ids that are text on one side only cannot be compared here, and count as met.
    """
    sides = {
        "item": (history.catalogue, pool.items, history.counts > 0),
        "user": (history.queries, pool.queries.ids, None),
    }
    return frozenset(
        what
        for what, (trained, ids, seen) in sides.items()
        if len(ids) and (ids.is_text != trained.ids.is_text or _any_known(trained, ids, seen))
    )


def _any_known(trained: Known, ids: Ids, seen: np.ndarray | None = None) -> bool:
    """Whether any of some ids is in the training data, and seen there."""
    for some in (ids[:FIRST], ids):  # where the data fit at all, the first ids already do
        row = trained.find(some)
        row = row[row >= 0]
        if len(row if seen is None else row[seen[row]]):
            return True
    return False


def history_of(
    log: Qrels, catalogue: Known | None, policy: Policy, totals: Everyone | None = None
) -> tuple[History, Counter[str]]:
    """Return the history and how many rows each rule affected; without a catalogue its items are the catalogue.

    ``totals`` are those of all users, if the log is that of some of them, or of none.

    A repeated pair counts once, with its highest grade. DataError if it is empty, or an item is not in the catalogue (``outside=error``).
    """
    if not len(log) and totals is None:
        raise DataError(f"{log.name}: train= is empty.")
    # without grades nothing is asked about: other columns of a log mean nothing here
    kind: Literal["judgements", "interactions"] = "interactions" if log.grade is None else "judgements"
    pool, affected = pool_of(log, Asked(Policy(grades=kind, duplicate_grades="max")))
    queries, offsets, items, grades = pool.queries, pool.offsets, pool.items, pool.grades
    counts = Counter({"training pairs": len(items), "training users": len(queries)})
    counts["training pairs given twice"] = affected["judgements given twice"]
    if catalogue is None:
        code, firsts = items.group()
        return History(queries, offsets, code, grades, Known(items[firsts]), totals=totals), +counts
    row = catalogue.rows_of(items, "item")
    outside = np.flatnonzero(row < 0)
    if len(outside) and policy.outside == "error":
        raise DataError(
            f"{log.name}: item {brief(items.one(int(outside[0])))} is not in the catalogue ({len(outside):,} such pairs). "
            f"Complete items=, or set outside='ignore' to leave such items out and count them."
        )
    if len(outside):
        counts["training pairs outside the catalogue"] = len(outside)
        until = offsets_of(row >= 0)  # how many rows before each place stay
        offsets, row, grades = until[offsets], row[row >= 0], grades[row >= 0]
    return History(queries, offsets, row, grades, catalogue, totals=totals), +counts
