"""How often items are shown, and how often those that are judged for anybody."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from rankwell.records import record
from rankwell.tables.states import ItemCounts, NotAdded, Tally


@record(eq=False)
class ShownJudged:
    """The items shown, and those of them that are judged."""

    shown: ItemCounts
    judged: ItemCounts

    def __add__(self, other: ShownJudged) -> ShownJudged:
        return ShownJudged(self.shown + other.shown, self.judged + other.judged)

    def __iadd__(self, other: ShownJudged) -> Self:
        """Add to these counts, which nobody else may hold."""
        shown, judged = self.shown, self.judged
        shown += other.shown
        judged += other.judged
        return replace(self, shown=shown, judged=judged)

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return self.shown.size

    def cut(self, low: int, high: int) -> ShownJudged:
        """Return the counts of the items from one row of the catalogue until another."""
        return ShownJudged(self.shown.cut(low, high), self.judged.cut(low, high))

    def folded(self) -> FewerJudged:
        """Return how many items were shown how often, and how many judged ones."""
        return FewerJudged(self.shown.folded(), self.judged.folded())

    def without(self, part: ShownJudged) -> FewerJudged:
        """Return what is left without a part of the lists."""
        return FewerJudged(self.shown.without(part.shown), self.judged.without(part.judged))

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.shown.n


@record(eq=False)
class FewerJudged(NotAdded):
    """How many items are shown how often, perhaps without a part of the lists, and the same of judged ones."""

    shown: Tally
    judged: Tally

    def beside(self, other: FewerJudged) -> FewerJudged:
        """Return the same of the items of both, in the same lists."""
        return FewerJudged(self.shown.beside(other.shown), self.judged.beside(other.judged))

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.shown.n
