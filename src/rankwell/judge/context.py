"""Context: the data shared by all batches, built once before the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from rankwell.errors import UsageError
from rankwell.judge.scale import Scale
from rankwell.judge.train import History
from rankwell.tables.derived import Derived
from rankwell.tables.ids import Known
from rankwell.tables.items_users import Items, Users


@dataclass(frozen=True, eq=False)
class Context(Derived):
    """The data shared by all batches: the grade scale and its ends, the catalogue, the history, the users.

    ``items`` and the items of ``train`` use the catalogue's rows. Without an items table the catalogue is the items of train.
    ``cuts`` are the cut-offs asked for, by the name of a metric. ``parent`` is the context that this one was derived from, if
    the catalogue belongs to one run.
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

    def joined(self, other: Context, *, needs: frozenset[str], numbers_items: bool) -> Context:
        """Return the common context of two results that are added.

        Raises
        ------
        UsageError
            If they differ in something that values depend on: grades, the highest and lowest grade if metrics need them
            (``needs``), the size of the catalogue, its items for metrics that count them (``numbers_items``), the training
            data, or the users table.
        """
        if self.scale != other.scale:
            raise UsageError(f"cannot add results with different grades: {self.scale} and {other.scale}.")
        if "grade_max" in needs and self.grade_max != other.grade_max:
            raise UsageError(
                f"cannot add results with different highest grades: {self.grade_max} and {other.grade_max}. Give "
                f"max_grade= to the metric."
            )
        if "grade_min" in needs and self.grade_min != other.grade_min:
            raise UsageError(
                f"cannot add results with different lowest grades: {self.grade_min} and {other.grade_min}. Give "
                f"min_grade= to the metric."
            )
        if self.collection_size != other.collection_size:
            raise UsageError(
                f"cannot add results with different catalogues: {self.collection_size} and {other.collection_size} items."
            )
        if numbers_items and self.catalogue is not other.catalogue and not self._same_items(other):
            raise UsageError("cannot add results over different items: give both the same catalogue, items=.")
        if self.train is not other.train and not (self._same_items(other) and self._same_train(other)):
            raise UsageError("cannot add results with different training data: give both the same train=.")
        if self.users is not other.users and not self._same_users(other):
            raise UsageError("cannot add results with different users tables: give both the same users=.")
        return self

    def _same_items(self, other: Context) -> bool:
        mine, theirs = self.catalogue, other.catalogue
        if mine is None or theirs is None:
            return mine is theirs
        return mine.ids.is_text == theirs.ids.is_text and np.array_equal(mine.ids.keys, theirs.ids.keys)

    def _same_users(self, other: Context) -> bool:
        mine, theirs = self.users, other.users
        if mine is None or theirs is None:
            return mine is theirs
        same_queries = mine.query.is_text == theirs.query.is_text and np.array_equal(
            mine.query.keys, theirs.query.keys
        )
        return same_queries and mine.frame.equals(theirs.frame)

    def _same_train(self, other: Context) -> bool:
        mine, theirs = self.train, other.train
        if mine is None or theirs is None:
            return mine is theirs
        same_users = np.array_equal(mine.queries.ids.keys, theirs.queries.ids.keys)
        return (
            same_users
            and np.array_equal(mine.offsets, theirs.offsets)
            and np.array_equal(mine.item, theirs.item)
        )
