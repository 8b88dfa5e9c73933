"""History: what the system learned from, by user and by item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwell.tables.ids import Ids, Known
from rankwell.tables.popularity import by_popularity
from rankwell.tables.ranked import Ranked


@dataclass(frozen=True, eq=False)
class History:
    """The distinct items of each training user, as rows of the catalogue, with their grades."""

    queries: Known
    offsets: np.ndarray
    item: np.ndarray
    grade: np.ndarray
    catalogue: Known

    @property
    def users(self) -> int:
        """U, the number of training users."""
        return len(self.queries)

    @property
    def total(self) -> int:
        """T, the number of distinct pairs of user and item."""
        return len(self.item)

    @cached_property
    def counts(self) -> np.ndarray:
        """How many training users each item of the catalogue has."""
        return np.bincount(self.item, minlength=len(self.catalogue))

    @cached_property
    def order(self) -> np.ndarray:
        """The items of the catalogue, most popular first; equal ones by id."""
        return by_popularity(self.counts, self.catalogue.ids)

    @cached_property
    def place(self) -> np.ndarray:
        """The place of each item of the catalogue in ``order``, from 1."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(1, len(self.order) + 1)
        return place

    def users_of(self, rows: Ranked) -> np.ndarray:
        """Return how many training users the item of each row has; 0 for what is not in the catalogue."""
        assert rows.item is not None
        return np.append(self.counts, 0)[rows.item]

    def places_of(self, rows: Ranked) -> np.ndarray:
        """Return the place of each row's item by popularity, from 1; what is not in the catalogue comes after the last."""
        assert rows.item is not None
        return np.append(self.place, len(self.place) + 1)[rows.item]

    def rows(self, queries: Ids) -> Ranked:
        """Return the training rows of some users: ``item`` and ``grade``, ranks in the order of the data."""
        found = self.queries.rows_of(queries, "query")
        starts, ends = self.offsets[found], self.offsets[found + 1]
        lengths = np.where(found >= 0, ends - starts, 0)
        begin = np.cumsum(lengths) - lengths
        rank = np.arange(int(lengths.sum())) - np.repeat(begin, lengths)
        at = rank + np.repeat(starts, lengths)
        query = np.repeat(np.arange(len(found)), lengths)
        return Ranked(len(found), query, rank + 1, self.grade[at], item=self.item[at])
