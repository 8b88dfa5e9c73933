"""Training data: their history, of distinct pairs of user and item, and whether it is of the users and items that are judged."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching.context import Everyone, History
from rankwell.matching.policy import Asked, Policy
from rankwell.matching.pool import Pool, pool_of
from rankwell.tables.ids import Ids, Known
from rankwell.tables.lists import offsets_of
from rankwell.tables.run_qrels import Qrels

FIRST = 4096  # ids that are looked for first

# what is counted of the training data, which all queries share
COUNTS = frozenset(
    {"training pairs", "training users", "training pairs given twice", "training pairs outside the catalogue"}
)


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
