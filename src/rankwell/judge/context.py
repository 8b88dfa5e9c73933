"""Context: what all batches share, made once before the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from rankwell.judge.scale import Scale
from rankwell.judge.train import History
from rankwell.tables.derived import Derived
from rankwell.tables.ids import Known
from rankwell.tables.items_users import Items, Users


@dataclass(frozen=True, eq=False, slots=True)
class Context(Derived):
    """What all batches share, made once: the scale of the grades, its ends, the catalogue, the history, the users.

    The rows of ``items`` and the items of ``train`` are those of the catalogue. Without a table of items the catalogue
    holds what the system learned from. ``cuts`` are the cut-offs that were asked for, by the name of a metric. ``parent`` is
    the context that this one was made from, if the catalogue is that of one run.
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
        """The context of all runs; it keeps what does not depend on the items of one run."""
        return self if self.parent is None else self.parent

    @property
    def collection_size(self) -> int | None:
        """The number of items that could be shown, None if nobody said."""
        return None if self.items is None else len(self.items)
