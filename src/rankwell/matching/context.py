"""Context: the data shared by all batches, built once before the first; and the training history, which is the largest of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankwell.matching.scale import Scale
from rankwell.records import Derived, cached_property, record
from rankwell.tables.ids import Digest, Ids, Known, fingerprints_of
from rankwell.tables.items_users import Items, Users
from rankwell.tables.lists import Ranked, owners_of, places_of

if TYPE_CHECKING:
    from rankwell.matching.budgets import Sizes
    from rankwell.matching.groups import Groups
    from rankwell.tables.states import Amounts


@record(eq=False)
class Context(Derived):
    """The data shared by all batches: the grade scale and its ends, the catalogue, the history, the users.

    ``items`` and the items of ``train`` use the catalogue's rows. Without an items table the catalogue is the items of train.
    ``cuts`` are the cut-offs asked for, by the name of a metric. ``parent`` is the context that this one was derived from, if
    the catalogue belongs to one run. ``groups`` says of which group an item is, if lists are folded, ``sizes`` what items cost of a
    budget.
    """

    lifetime: ClassVar[int] = 1

    scale: Scale = field(default_factory=Scale)
    grade_max: float | None = None
    catalogue: Known | None = None
    items: Items | None = None
    train: History | None = None
    grade_min: float | None = None
    users: Users | None = None
    cuts: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    parent: Context | None = None
    groups: Groups | None = None
    sizes: Sizes | None = None

    def of_run(self, catalogue: Known) -> Context:
        """Return the context of one run whose items are the catalogue."""
        return replace(self, catalogue=catalogue, parent=self.shared)

    @property
    def shared(self) -> Context:
        """The context of all runs; it caches what does not depend on the items of one run."""
        return self if self.parent is None else self.parent

    @property
    def collection_size(self) -> int | None:
        """The number of items that could be shown, None if unknown."""
        return None if self.items is None else len(self.items)


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
        from rankwell.tables.states import Amounts

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
