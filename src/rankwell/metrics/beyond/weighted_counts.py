"""How often items that have a weight were shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwell.tables.item_counts import ItemCounts
from rankwell.tables.states import Total


@dataclass(frozen=True, eq=False)
class WeightedCounts:
    """How often each item was shown, the weight of each of these items, and the weight of the whole catalogue."""

    shown: ItemCounts
    weights: np.ndarray
    total: float

    def __add__(self, other: WeightedCounts) -> WeightedCounts:
        shown = self.shown + other.shown
        weights = np.empty(len(shown.items))
        for each in (self, other):
            weights[np.searchsorted(shown.items, each.shown.items)] = each.weights
        return WeightedCounts(shown, weights, self.total)

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


@dataclass(frozen=True, eq=False)
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
