"""How often items that have a weight were shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from rankwell.records import cached_property, record
from rankwell.tables.states import ItemCounts, Total


@record(eq=False)
class WeightedCounts:
    """How often each item was shown, with the weight of each of these items, and the weight of the whole catalogue.

    ``places`` holds a weight for each number of ``shown``; where all items have a number, those not shown may have 0.
    """

    shown: ItemCounts
    places: np.ndarray
    total: float

    @classmethod
    def of(cls, shown: ItemCounts, weights: np.ndarray, total: float) -> WeightedCounts:
        """Return the counts with the weights of the items, given those of the whole catalogue."""
        items = shown.sums.items
        return cls(shown, weights if items is None else weights[items], total)

    def __add__(self, other: WeightedCounts) -> WeightedCounts:
        shown = self.shown + other.shown
        places = np.zeros(len(shown.sums.numbers))
        for each in (self, other):
            each.fill(places, shown)
        return WeightedCounts(shown, places, self.total)

    def __iadd__(self, other: WeightedCounts) -> Self:
        """Add to these counts, which nobody else may hold."""
        if self.shown.sums.items is not None:
            whole = self + other
            return replace(self, shown=whole.shown, places=whole.places)
        shown = self.shown
        shown += other.shown
        other.fill(self.places, shown)
        return replace(self, shown=shown)

    def fill(self, places: np.ndarray, shown: ItemCounts) -> None:
        """Write the weights of these items to the places that they have in ``shown``."""
        own, items = self.shown.sums.items, shown.sums.items
        if own is None:
            np.maximum(places, self.places, out=places)
        else:
            places[own if items is None else np.searchsorted(items, own)] = self.places

    @property
    def weights(self) -> np.ndarray:
        """The weight of each item that was shown."""
        return self.places if self.shown.sums.items is not None else self.places[self.shown.items]

    def without(self, part: WeightedCounts) -> FewerCounts:
        """Return what is left without a part of the lists."""
        return FewerCounts(self, part)

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.shown.n

    @property
    def counts(self) -> np.ndarray:
        """How often each item was shown."""
        return self.shown.counts

    @cached_property
    def weight(self) -> Total:
        """The weight of the items shown."""
        return Total.of(self.weights)


@record(eq=False)
class FewerCounts:
    """The counts and weights of some lists without a part of them."""

    whole: WeightedCounts
    part: WeightedCounts

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.whole.n - self.part.n

    @property
    def total(self) -> float:
        """The weight of the whole catalogue."""
        return self.whole.total

    @property
    def weights(self) -> np.ndarray:
        """The weight of each item that is shown in the whole."""
        return self.whole.weights

    @property
    def counts(self) -> np.ndarray:
        """How often each of these items was shown."""
        counts = self.whole.counts.copy()
        counts[np.searchsorted(self.whole.shown.items, self.part.shown.items)] -= self.part.counts
        return counts

    @property
    def weight(self) -> Total:
        """The weight of the items shown: only those of the part may be shown no more."""
        _, after = self.whole.shown.sums.less(self.part.shown.sums)
        return self.whole.weight.without(Total.of(self.part.weights[after == 0]))
