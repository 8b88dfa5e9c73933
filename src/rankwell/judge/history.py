"""What the system learned from, made ready: distinct pairs of user and item, on the rows of the catalogue."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankwell.errors import DataError
from rankwell.history import History
from rankwell.judge.asked import Asked
from rankwell.judge.pool import pool_of
from rankwell.policy import Policy
from rankwell.tables.ids import Ids, Known, alike
from rankwell.tables.run_qrels import Qrels


def history_of(log: Qrels, catalogue: Known | None, policy: Policy) -> tuple[History, Counter[str]]:
    """Return the history and what its rules touched; without a catalogue its items are the catalogue.

    A pair that stands there several times counts once, with its highest grade.

    Raises
    ------
    DataError
        If it is empty, or an item is not in the catalogue (``outside=error``).
    """
    if not len(log):
        raise DataError(f"{log.name}: there is nothing the system learned from.")
    pool, found = pool_of(log, Asked(Policy(grades="judgements", duplicate_grades="max")))
    queries, offsets, items, grades = pool.queries, pool.offsets, pool.items, pool.grades
    counts = Counter({"training pairs": len(items), "training users": len(queries)})
    counts["training pairs given twice"] = found["judgements given twice"]
    if catalogue is None:
        code, firsts = items.group()
        return History(queries, offsets, code, grades, Known(items[firsts])), +counts
    row = _rows(items, catalogue)
    outside = np.flatnonzero(row < 0)
    if len(outside) and policy.outside == "error":
        raise DataError(
            f"{log.name}: item {items.one(int(outside[0]))!r} is not in the catalogue ({len(outside):,} such pairs). "
            f"Complete items=, or say outside='ignore' to leave such items out and count them."
        )
    if len(outside):
        counts["training pairs outside the catalogue"] = len(outside)
        until = np.concatenate(([0], np.cumsum(row >= 0)))
        offsets, row, grades = until[offsets], row[row >= 0], grades[row >= 0]
    return History(queries, offsets, row, grades, catalogue), +counts


def _rows(items: Ids, catalogue: Known) -> np.ndarray:
    """The row of each item in the catalogue."""
    if not items.is_text and catalogue.ids.is_text:
        return Known(alike(catalogue.ids, items, "item")[0]).find(items)
    return catalogue.find(alike(items, catalogue.ids, "item")[0])
