"""The whole lists of a batch, down to the deepest rank that a metric reads, with their items in the catalogue."""

from __future__ import annotations

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.judge.asked import Asked
from rankwell.judge.context import Context
from rankwell.judge.policy import Policy
from rankwell.judge.pool import Pool
from rankwell.kernels import order
from rankwell.tables.csr import owners_of
from rankwell.tables.ranked import NO_ROWS, Ranked
from rankwell.tables.rows import Lists

# for each judged item found its query, its row, and its row of the pool; the first two copies of an item in a list, or -1
Matches = tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]


def whole_lists(
    lists: Lists,
    rule: int,
    left_out: np.ndarray,
    matches: Matches,
    pool_row: np.ndarray,
    pool: Pool,
    asked: Asked,
    context: Context,
    counts: dict[str, int],
) -> Ranked:
    """Return the whole lists in rank order down to the deepest rank needed; unjudged rows have grade NaN."""
    needs = asked.needs
    most = lists.rows if asked.deepest is None else asked.deepest
    rows, taken = order.tops(lists.offsets, lists.score, *lists.items.columns, rule, left_out, most)
    _, hits, pooled, _ = matches
    query: np.ndarray | None = None
    rank: np.ndarray | None = None
    if lists.ranks is not None:
        kept = slice(None) if asked.deepest is None else np.flatnonzero(lists.ranks[rows] <= asked.deepest)
        rows, query = rows[kept], owners_of(taken)[kept]
        rank, taken = lists.ranks[rows], np.bincount(query, minlength=len(taken))
    shown = Ranked(
        len(taken),
        query,
        rank,
        _at_rows(rows, lists.rows, hits, pool.grades[pooled], np.nan),
        score=lists.given[rows] if "score" in needs and lists.given is not None else None,
        pool_row=_at_rows(rows, lists.rows, hits, pooled, -1) if leads_on(pool, needs) else None,
        counts=taken,
    )
    if context.catalogue is not None:
        shown.item = _items(lists, rows, shown, pool_row, asked.policy, context, counts)
    return shown


def _items(
    lists: Lists,
    rows: np.ndarray,
    shown: Ranked,
    pool_row: np.ndarray,
    policy: Policy,
    context: Context,
    counts: dict[str, int],
) -> np.ndarray:
    """The row of the catalogue of each item shown, -1 for those outside, which are counted or refused."""
    assert context.catalogue is not None
    item = context.catalogue.rows_of(lists.items[rows], "item")
    outside = np.flatnonzero(item < 0) if item.min(initial=0) < 0 else NO_ROWS
    if len(outside) and policy.population == "judged":
        outside = outside[pool_row[shown.query[outside]] >= 0]
    if len(outside) and policy.outside == "error" and context.items is not None:
        row = int(rows[outside[0]])
        raise DataError(
            f"{lists.place(row)}: item {brief(lists.items.one(row))} is not in the catalogue ({len(outside)} such rows "
            f"here). Complete items=, or set outside='ignore' to leave such items out and count them."
        )
    what = "rows outside the catalogue" if context.items is not None else "rows of items missing from train"
    counts[what] = len(outside)
    return item


def leads_on(pool: Pool, needs: frozenset[str]) -> bool:
    """Return whether rows must know their judgement, to find topics, propensities or features of the item."""
    return pool.is_wider or "judgement" in needs


def _at_rows(
    rows: np.ndarray, n: int, filled: np.ndarray, values: np.ndarray, otherwise: float
) -> np.ndarray:
    """Selected rows of a column of length ``n`` with ``values`` in the rows ``filled`` and ``otherwise`` elsewhere."""
    if not len(filled):
        return np.broadcast_to(otherwise, len(rows))
    column = np.full(n, otherwise)
    column[filled] = values
    return column[rows]
