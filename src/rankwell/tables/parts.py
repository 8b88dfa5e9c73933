"""Parts: a division of items into named parts, such as head and tail."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items


@runtime_checkable
class Parts(Protocol):
    """A division of items into named parts, for ``slices=`` of evaluate."""

    def parts(self, items: Ids) -> dict[str, Items]:
        """Return the items of each part."""
