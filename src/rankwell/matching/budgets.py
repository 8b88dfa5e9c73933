"""Budgets: the sizes of items, and the rows of each list that fit into a sum of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from rankwell.errors import DataError, NeededError, UsageError, brief
from rankwell.kernels import rank_columns
from rankwell.matching.batch import Judged
from rankwell.matching.policy import Fill, Policy
from rankwell.records import Derived, record
from rankwell.tables.ids import Known
from rankwell.tables.lists import Ranked, owners

if TYPE_CHECKING:
    from rankwell.tables.items_users import Items
    from rankwell.tables.rows import Lists


class FittingLists(NamedTuple):
    """The lists that fit; the same with the row after them by the part of it that fits (``fill=cut``, else the same); these parts.

    ``rows`` are those of the whole lists that are in the longer ones.
    """

    lists: Judged
    longer: Judged
    share: np.ndarray
    rows: np.ndarray


@record(eq=False)
class Sizes(Derived):
    """The size of each item, such as its tokens, and how lists fill a budget."""

    lifetime: ClassVar[int] = 4

    column: str
    fill: Fill
    items: Known | None = None
    size: np.ndarray | None = None
    others: str = ""  # the columns that items= has, if it is given and lacks this one

    @classmethod
    def of(cls, policy: Policy, items: Items | None) -> Sizes:
        """Return the sizes that a policy names: of the items, or where these have no such column, of the rows of the run.

        DataError if the column holds no numbers, or one below 0.
        """
        assert policy.sizes is not None
        columns = [] if items is None or items.frame is None else items.frame.columns
        if items is None or policy.sizes not in columns:
            has = ", ".join(map(brief, columns[:9])) or "no column beside the items"
            return cls(policy.sizes, policy.fill, others="" if items is None else f" ({has})")
        size = items.numbers(policy.sizes)
        _refuse_sizes(size, policy.sizes, lambda row: f"{items.name}: item {brief(items.item.one(row))}")
        return cls(policy.sizes, policy.fill, Known(items.item), np.append(size, np.nan))

    def of_rows(self, lists: Lists, is_read: np.ndarray | None) -> np.ndarray:
        """Return the size of each row.

        Raises
        ------
        NeededError, UsageError, DataError
            If neither items nor run have the column, or both; for a row without a size in the lists that are read (None: all).
        """
        size = lists.extra.get("size")
        if size is not None and self.items is not None:
            raise UsageError(
                f"sizes={brief(self.column)} is a column of items= and of the run; rename or leave out one of them."
            )
        if isinstance(size, np.ndarray):
            _refuse_sizes(size, self.column, lists.place)
        elif self.items is None or self.size is None:
            raise NeededError(
                f"sizes={brief(self.column)} is a column neither of items={self.others} nor of the run. Give items=, a table with the size of "
                f"each item, or name another column; of a run that has been read already: rw.read_run(…, "
                f"columns={{{brief(self.column)}: 'size'}})."
            )
        else:
            size = self.size[self.items.rows_of(lists.items, "item")]
        missing = np.flatnonzero(np.isnan(size))
        if len(missing) and is_read is not None:
            missing = missing[is_read[owners(lists.offsets)[missing]]]
        if len(missing):
            row = int(missing[0])
            raise DataError(
                f"{lists.place(row)}: item {brief(lists.items.one(row))} has no size ({len(missing):,} such rows here). Complete the "
                f"column {brief(self.column)}."
            )
        return size

    def kept(self, judged: Judged, budget: float) -> FittingLists:
        """Return the rows of lists that fit into a budget, found once for all metrics at it."""
        return judged.once(_kept, budget, self.fill)


def _refuse_sizes(size: np.ndarray, column: str, place: Callable[[int], str]) -> None:
    """Raise DataError for a size below 0, or none at all."""
    if len(wrong := np.flatnonzero((size < 0) | np.isinf(size))):
        row = int(wrong[0])
        raise DataError(f"{place(row)}: the size ({column}) is {size[row]:g}; sizes are numbers from 0.")


def _kept(judged: Judged, budget: float, fill: Fill) -> FittingLists:
    rows = judged.sized
    sizes = rows.extra["size"]
    if fill == "skip":
        places = _skipping(rows, sizes, budget)
        fitting = rows.where(places)
        # a list that a row was taken out of is numbered 1 to n; others keep the ranks of the run, which may have gaps
        is_shorter = np.zeros(len(judged), bool)
        is_shorter[fitting.query[fitting.nth() < rows.nth()[places]]] = True
        fitting.rank = np.where(is_shorter[fitting.query], fitting.nth(), fitting.rank)
        lists = _of(judged, fitting)
        return FittingLists(lists, lists, np.zeros(len(judged)), places)
    total = rows.running(sizes)
    fits = total <= budget  # sizes are not below 0, so what fits is the beginning of each list
    lists = _of(judged, rows.where(fits))
    within = np.flatnonzero(fits)
    if fill == "stop" or len(within) == len(rows):
        return FittingLists(lists, lists, np.zeros(len(judged)), within)
    n = lists.n_retrieved
    places = np.flatnonzero(
        ~fits & (rows.nth() == n[rows.query] + 1)
    )  # of each list the first that does not fit
    query = rows.query[places]
    room = budget - np.where(n[query] > 0, total[places - 1], 0.0)
    has_room = room > 0  # else no part of the row fits
    places, query, room = places[has_room], query[has_room], room[has_room]
    within = np.union1d(within, places)
    longer = rows.where(within)
    own = longer.extra["size"].copy()
    own[np.cumsum(longer.count())[query] - 1] = room
    longer.extra = {**longer.extra, "size": own}
    share = np.zeros(len(judged))
    share[query] = room / sizes[places]
    return FittingLists(lists, _of(judged, longer), share, within)


def _skipping(rows: Ranked, size: np.ndarray, budget: float) -> np.ndarray:
    """The rows that fit if those that do not are left out, which is decided from the first to the last."""
    left = np.arange(len(rows))
    while True:
        query = rows.query[left]
        total = rank_columns.running(query, size[left])
        over = total > budget
        if not over.any():
            return left
        spent = np.zeros(rows.queries)
        spent[query[~over]] = total[~over]  # of each list the last one stays, which is the largest
        # what does not fit beside the rows above the first of these never does, for the sum only grows
        left = left[~over | (spent[query] + size[left] <= budget)]


def _of(judged: Judged, rows: Ranked) -> Judged:
    """The lists of some of their rows."""
    found = rows.where(~np.isnan(rows.grade))
    return Judged(
        judged.queries, judged.pool_row, found, rows.count(), judged.pool, rows, in_run=judged.in_run
    )
