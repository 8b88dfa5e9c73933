"""Part: the frame of one query, what was judged of it, and how it was drawn."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankwell.records import cached_property, record
from rankwell.statistics.sampled_totals import (
    Variance,
    independent_variance,
    pair_factors,
    stratified_variance,
)
from rankwell.tables.derived import Derived

ABSENT = np.inf  # the rank of an item that the list lacks, or has below the cut-off


@record(eq=False)
class Part(Derived):
    """The items that could have been drawn for one query, end to end.

    ``stratum`` is the number of each item's stratum, ``judged`` whether it is in the sample and has a grade. ``chance`` is the
    probability of each item to be drawn if items are drawn independently, and None if they are drawn stratum by stratum, at
    random without replacement: ``sizes`` are then the numbers of items N of the strata and ``drawn`` those judged, n.
    """

    stratum: np.ndarray
    judged: np.ndarray
    sizes: np.ndarray
    chance: np.ndarray | None = None

    lifetime: ClassVar[int] = 0

    @cached_property
    def drawn(self) -> np.ndarray:
        """The number of judged items of each stratum."""
        return np.bincount(self.stratum[self.judged], minlength=len(self.sizes))

    @cached_property
    def weight(self) -> np.ndarray:
        """How many items of the frame each judged item stands for, 1/π; 0 for the others."""
        if self.chance is not None:
            return np.where(self.judged, 1.0 / self.chance, 0.0)
        per_stratum = self.sizes / np.maximum(self.drawn, 1)
        return np.where(self.judged, per_stratum[self.stratum], 0.0)

    @cached_property
    def scaled(self) -> np.ndarray:
        """The weights over their mean in the stratum: 1 for each judged item of a stratum drawn at random."""
        if self.chance is None:
            return self.judged.astype(np.float64)
        sums = np.bincount(self.stratum, self.weight, minlength=len(self.sizes))
        means = sums / np.maximum(self.drawn, 1)
        return self.weight / np.where(means > 0, means, 1.0)[self.stratum]

    @cached_property
    def pair_factors(self) -> np.ndarray:
        """π_i π_j / π_ij for two items of each stratum; those of two strata are drawn independently."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return pair_factors(self.sizes, self.drawn)

    @cached_property
    def factors_without_one(self) -> np.ndarray:
        """The factors of pairs if one judged item of the stratum were not judged."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return pair_factors(self.sizes, self.drawn - 1)

    @cached_property
    def growth(self) -> np.ndarray:
        """How much more the other judged items of a stratum stand for if one were not judged: n/(n − 1); 1 if none is left."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return np.where(self.drawn > 1, self.drawn / np.maximum(self.drawn - 1, 1), 1.0)

    def variance(self, estimate: Estimate) -> Variance:
        """Return the design variance of an estimate, by the jackknife: from its values without each judged item.

        In a stratum of N items of which n are judged, item j moves the value by (n − 1)/N (θ − θ without j) per item that it stands
        for; the variance is that of the total of these. Independently drawn items move it by π (θ − θ without j), and so does an
        item that is alone in its stratum. NaN if it is not known, as ``stratified_variance`` says.
        """
        step = estimate.value - estimate.without
        if self.chance is not None:
            chance = self.chance[self.judged]
            return independent_variance(chance * step, chance)
        stratum = self.stratum[self.judged]
        drawn, sizes = self.drawn[stratum], self.sizes[stratum]
        return stratified_variance(np.maximum(drawn - 1, 1) / sizes * step, stratum, self.sizes, self.drawn)

    @property
    def lonely(self) -> int:
        """The number of strata of which one item of several is judged."""
        return 0 if self.chance is not None else int(((self.drawn == 1) & (self.sizes > 1)).sum())

    @property
    def empty(self) -> int:
        """The number of strata of which no item is judged."""
        return int(((self.drawn == 0) & (self.sizes > 0)).sum()) if self.chance is None else 0


@record(eq=False)
class Estimate:
    """An estimated value, and what it would be without each judged item, 0 where no relevant item would be left."""

    value: float
    without: np.ndarray
