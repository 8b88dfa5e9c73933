"""Metrics of how evenly recommendations are spread over the catalogue: Gini, entropy, Simpson."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwell.errors import UsageError
from rankwell.metrics.beyond.catalogue import OfCounts
from rankwell.metrics.metric import Better, definition
from rankwell.tables.states import Counts

__all__ = ["EffectiveItems", "Entropy", "EntropyNorm", "Gini", "GiniDiversity", "GiniM1", "Simpson"]


@definition
class Gini(OfCounts):
    """Gini index: how unevenly recommendations are spread over the items of the catalogue.

    Formula
        G = Σ_j (2j − m − 1) c_(j) / (m Σ c), c_(j) the number of lists with the j-th least shown of m items

    Edge cases
        All items of the catalogue count, including those never shown. Undefined if nothing is shown. 0 if all are shown
        equally often, 1 − 1/m if only one item is shown.

    Convention
        ``gini_m1`` divides by m − 1 and so reaches 1; ``gini_diversity`` is 1 − gini_m1, which RankSys and Elliot call Gini.
        Evidently counts only items that are shown. The value depends on the number of lists: compare at equal numbers.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> run = {"u": ["a", "b"], "v": ["a"]}
        >>> rw.evaluate(run, metrics=["gini", "gini_m1", "gini_diversity"], items=["a", "b", "c"]).mean
        {'gini': 0.4444444444444444, 'gini_m1': 0.6666666666666666, 'gini_diversity': 0.33333333333333337}

    Reference
        G. Shani and A. Gunawardana, Evaluating recommendation systems, 2011; P. Castells et al., Novelty and diversity in
        recommender systems, 2015.
    """

    name: ClassVar[str] = "gini"
    plain: ClassVar[str] = "how unevenly the items are shown"
    better: ClassVar[Better] = "lower"

    def value(self, state: Counts) -> float:
        """The index by counting how many items are shown how often."""
        above, m, total = _spread(state)
        return above / (m * total) if total else math.nan


def _spread(state: Counts) -> tuple[int, int, int]:
    """Σ_j (2j − m − 1) c_(j), m and Σ c, in whole numbers."""
    often = np.flatnonzero(state.alike)  # the items that are never shown come first
    many, m = state.alike[often], state.size
    # whole numbers, rounded once at the end: the value is the same however the lists were cut into batches
    total, ends = int(np.dot(many, often)), np.cumsum(many)
    # the sum of j over the items shown equally often, which are adjacent in the order
    places = (many * (2 * ends - many + 1)).tolist()
    twice = sum(place * count for place, count in zip(places, often.tolist(), strict=True))
    return twice - (m + 1) * total, m, total


@definition
class GiniM1(Gini):
    """Gini index that reaches 1: divided by m − 1 instead of m.

    Formula
        G = Σ_j (2j − m − 1) c_(j) / ((m − 1) Σ c)

    Edge cases
        As for gini; undefined for a catalogue of one item.

    Convention
        The form used by Shani and Gunawardana, and by WarpRec.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a"]}, metrics=["gini_m1"], items=["a", "b"]).mean
        {'gini_m1': 1.0}

    Reference
        G. Shani and A. Gunawardana, Evaluating recommendation systems, 2011.
    """

    name: ClassVar[str] = "gini_m1"

    def value(self, state: Counts) -> float:
        """The index over m − 1."""
        above, m, total = _spread(state)
        return above / ((m - 1) * total) if total and m > 1 else math.nan


@definition
class GiniDiversity(GiniM1):
    """Gini diversity: 1 − gini_m1; 1 if all items of the catalogue are shown equally often.

    Formula
        1 − Σ_j (2j − m − 1) c_(j) / ((m − 1) Σ c)

    Edge cases
        As for gini_m1.

    Convention
        RankSys and Elliot print this as "Gini".

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["gini_diversity"], items=["a", "b"]).mean
        {'gini_diversity': 1.0}

    Reference
        P. Castells et al., Novelty and diversity in recommender systems, 2015; RankSys.
    """

    name: ClassVar[str] = "gini_diversity"
    better: ClassVar[Better] = "higher"

    def value(self, state: Counts) -> float:
        """One less the index."""
        return 1.0 - super().value(state)


def _entropy(state: Counts) -> float:
    """−Σ p ln p; NaN if nothing is shown."""
    often = np.flatnonzero(state.alike[1:]) + 1
    parts = state.alike[often] * often
    total = int(parts.sum())
    if not total:
        return math.nan
    # ln T − Σ c ln c / T, with equal counts grouped
    inner = math.fsum((parts * np.log(often)).tolist())
    return max(math.log(total) - inner / total, 0.0)


@definition
class Entropy(OfCounts):
    """Shannon entropy of the recommendations: how evenly they are spread over items, in bits.

    Formula
        H = −Σ_i p_i log p_i, p_i = c_i / Σ c, c_i the number of lists with item i

    Edge cases
        Undefined if nothing is shown. 0 if only one item is shown, log m if all m items are shown equally often.

    Convention
        In bits; ``base`` sets another logarithm. RecBole uses natural logarithms and divides by the number of items shown.

    Parameters
        base: the base of the logarithm

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["entropy"], items=["a", "b", "c"]).mean
        {'entropy': 1.0}

    Reference
        G. Shani and A. Gunawardana, Evaluating recommendation systems, 2011.
    """

    name: ClassVar[str] = "entropy"
    plain: ClassVar[str] = "how evenly the items are shown"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    base: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base <= 1:
            raise UsageError(f"{self.name}(base={self.base:g}): base must be above 1.")

    def value(self, state: Counts) -> float:
        """The entropy in units of the base."""
        return _entropy(state) / math.log(self.base)


@definition
class EntropyNorm(OfCounts):
    """Normalised entropy: the entropy of the recommendations as a share of the highest possible one.

    Formula
        H / log m, m the number of items in the catalogue

    Edge cases
        As for entropy; undefined for a catalogue of one item.

    Convention
        The value depends on the catalogue given.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["entropy_norm"], items=["a", "b", "c", "d"]).mean
        {'entropy_norm': 0.5}

    Reference
        G. Shani and A. Gunawardana, Evaluating recommendation systems, 2011.
    """

    name: ClassVar[str] = "entropy_norm"

    def value(self, state: Counts) -> float:
        """The share."""
        return min(_entropy(state) / math.log(state.size), 1.0) if state.size > 1 else math.nan


@definition
class EffectiveItems(OfCounts):
    """Effective catalogue size: the number of equally often shown items that would have the same entropy.

    Formula
        2^H, H the entropy in bits

    Edge cases
        Undefined if nothing is shown. Between 1 and the number of items shown.

    Convention
        Hill's number of order 1.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> round(rw.evaluate({"u": ["a", "b"]}, metrics=["effective_items"], items=["a", "b", "c"])["effective_items"], 12)
        2.0

    Reference
        M. Hill, Diversity and evenness: a unifying notation, Ecology 54(2), 1973.
    """

    name: ClassVar[str] = "effective_items"
    plain: ClassVar[str] = "how many items are really in use"
    range: ClassVar[tuple[float, float]] = (1.0, math.inf)

    def value(self, state: Counts) -> float:
        """The number of items."""
        return math.exp(_entropy(state))


@definition
class Simpson(OfCounts):
    """Gini–Simpson index: the probability that two recommendations, drawn with replacement, are different items.

    Formula
        1 − Σ_i p_i², p_i = c_i / Σ c

    Edge cases
        Undefined if nothing is shown. 0 if only one item is shown.

    Convention
        One minus the Herfindahl index.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["simpson"], items=["a", "b", "c"]).mean
        {'simpson': 0.5}

    Reference
        E. Simpson, Measurement of diversity, Nature 163, 1949.
    """

    name: ClassVar[str] = "simpson"

    def value(self, state: Counts) -> float:
        """The index, from whole numbers."""
        often = np.flatnonzero(state.alike)
        # Σ p² over counts; the squares of whole numbers keep every bit until the one division
        total, squares = (int(np.dot(state.alike[often], each)) for each in (often, often * often))
        return 1.0 - squares / (total * total) if total else math.nan
