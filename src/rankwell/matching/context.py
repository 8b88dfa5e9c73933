"""Context: the data shared by all batches, built once before the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar

from rankwell.matching.scale import Scale
from rankwell.records import record
from rankwell.tables.derived import Derived
from rankwell.tables.ids import Known
from rankwell.tables.items_users import Items, Users

if TYPE_CHECKING:
    from rankwell.matching.train import History


@record(eq=False)
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
