"""Checks of a system's lists against training and test data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwell.display.findings import Finding, Level
from rankwell.prepare.leaks import Sides
from rankwell.prepare.pairs import Coded, among, extended, keys, places, repeats
from rankwell.prepare.rules import names_of
from rankwell.readers.logs import Log
from rankwell.records import cached_property, record
from rankwell.tables.csr import distinct
from rankwell.tables.ids import Known

TRAIN, TEST, LISTS = range(3)
FEWEST = 5  # lists needed before sampled candidates are suspected


@record(eq=False)
class Listed:
    """Training data, test data and lists, with shared codes for users and items."""

    sides: Sides
    lists: Log
    catalogue: Known | None

    @cached_property
    def users(self) -> Coded:
        """The users of all three."""
        return extended(self.sides.users, self.lists, "query")

    @cached_property
    def items(self) -> Coded:
        """The items of all three."""
        return extended(self.sides.items, self.lists, "item")

    def pairs(self, table: int) -> np.ndarray:
        """One number per pair of user and item of a table."""
        return keys(self.users, self.items, table)

    @cached_property
    def lengths(self) -> np.ndarray:
        """The length of each user's list."""
        return np.bincount(self.users.codes[LISTS], minlength=len(self.users))


def listed_rules(data: Listed, *, k: int | None, repeated: bool) -> Iterator[Finding]:
    """Yield the problems of lists."""
    yield from _twice(data)
    yield from _known(data, k, repeated=repeated)
    yield from _unknown_items(data)
    yield from _users(data)
    yield from _short(data, k)
    yield from _sampled(data)


def _twice(data: Listed) -> Iterator[Finding]:
    again = repeats(data.pairs(LISTS))
    if again.any():
        users = np.bincount(data.users.codes[LISTS][again], minlength=len(data.users)) > 0
        yield Finding(
            "repeated-items", "error", data.lists.name,
            f"rows of lists repeat an item of the same list ({int(users.sum()):,} users{names_of(data.users, users)})",
            "Remove the copies, or say --duplicates first or drop.",
            int(again.sum()), of=len(data.lists),
        )  # fmt: skip


def _known(data: Listed, k: int | None, *, repeated: bool) -> Iterator[Finding]:
    rows = np.ones(len(data.lists), np.bool_) if k is None else places(data.lists) <= k
    seen = among(data.pairs(LISTS)[rows], data.pairs(TRAIN))
    if seen.any():
        users = np.bincount(data.users.codes[LISTS][rows][seen], minlength=len(data.users)) > 0
        yield Finding(
            "training-items-in-lists", "note" if repeated else "error", data.lists.name,
            f"rows of lists{f' to rank {k}' if k else ''} are items that their user has in the training data "
            f"({int(users.sum()):,} users{names_of(data.users, users)}): they can be no hits",
            "Leave out of each list what its user had, or say that repeats are meant (--repeated).",
            int(seen.sum()), of=int(rows.sum()),
        )  # fmt: skip


def _unknown_items(data: Listed) -> Iterator[Finding]:
    listed = data.items.present[LISTS]
    total = int(listed.sum())
    if data.catalogue is not None:
        outside = listed & (data.catalogue.rows_of(data.items.ids, "item") < 0)
        if outside.any():
            yield Finding(
                "items-outside", "error", data.lists.name,
                f"items of the lists are not in the catalogue{names_of(data.items, outside)}",
                "Complete the catalogue, or say --outside ignore.",
                int(outside.sum()), of=total,
            )  # fmt: skip
    unknown = listed & ~data.items.present[TRAIN]
    if unknown.any():
        nothing = int(unknown.sum()) == total
        level: Level = "error" if nothing else "warning" if data.catalogue is None else "note"
        yield Finding(
            "unknown-items-in-lists", level, data.lists.name,
            f"items of the lists are not in the training data{names_of(data.items, unknown)}",
            "Write ids alike on both sides." if nothing else "Make sure that the system can know them.",
            int(unknown.sum()), of=total,
        )  # fmt: skip


def _users(data: Listed) -> Iterator[Finding]:
    judged, listed = data.users.present[TEST], data.lengths > 0
    without, nobody = judged & ~listed, listed & ~judged
    if without.any():
        nothing = not (judged & listed).any()
        yield Finding(
            "users-without-a-list", "error" if nothing else "warning", data.lists.name,
            f"users of the test data have no list{names_of(data.users, without)}: user coverage "
            f"{(judged & listed).sum() / judged.sum():.4f}",
            "Write ids alike on both sides." if nothing else
            "They count as empty lists. Complete the lists, or say --missing skip and report it.",
            int(without.sum()), of=int(judged.sum()),
        )  # fmt: skip
    if nobody.any():
        yield Finding(
            "lists-of-unknown-users", "note", data.lists.name,
            f"lists are of users that the test data lack{names_of(data.users, nobody)}",
            "They count in metrics of lists alone, such as coverage; say --population judged to leave them out.",
            int(nobody.sum()), of=int(listed.sum()),
        )  # fmt: skip


def _short(data: Listed, k: int | None) -> Iterator[Finding]:
    lengths = data.lengths[data.lengths > 0]
    if k is not None and (lengths < k).any():
        short = (data.lengths > 0) & (data.lengths < k)
        yield Finding(
            "short-lists", "warning", data.lists.name,
            f"lists are shorter than {k}, the shortest {int(lengths.min())}{names_of(data.users, short)}",
            f"Ask the system for {k} items, or compare at a smaller depth.",
            int(short.sum()), of=len(lengths),
        )  # fmt: skip


def _sampled(data: Listed) -> Iterator[Finding]:
    """Lists that hold every test item of their user and equally many others were made from samples."""
    judged = data.users.codes[TEST][~data.sides.copies[1]]
    positives = np.bincount(judged, minlength=len(data.users))
    both = (positives > 0) & (data.lengths > 0)
    others = distinct(data.lengths[both] - positives[both])
    catalogue = int((data.items.present[TRAIN] | data.items.present[TEST]).sum())
    if (
        len(others) == 1
        and others[0] > 0
        and int(data.lengths[both].max()) < catalogue
        and int(both.sum()) >= FEWEST
        and _are_listed(data, both)
    ):
        m = int(others[0])
        yield Finding(
            "sampled-candidates", "error", data.lists.name,
            f"every list holds all test items of its user and exactly {m:,} others, of {catalogue:,} items: candidates "
            f"seem to be sampled",
            f"Rank the whole catalogue. Values over samples are named so, such as ndcg(sampled={m})@10, and never compared "
            f"with others: they can order systems otherwise.",
            int(both.sum()), of=int(both.sum()),
        )  # fmt: skip


def _are_listed(data: Listed, users: np.ndarray) -> bool:
    """Whether lists hold every test item of some users."""
    rows = users[data.users.codes[TEST]]
    return bool(among(data.pairs(TEST)[rows], data.pairs(LISTS)).all())
