"""Half-life utility: users who stop looking."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankwell.extend import Context, Judged, QueryMetric, UsageError, definition, ratio


@definition
class HalfLife(QueryMetric):
    """Half-life utility: relevant items found, each weighted by the chance that its rank is seen.

    Formula
        (1/R) Σ_{relevant, r ≤ k} 2^(−(r − 1)/(half − 1))

    Edge cases
        Undefined by the judgements where a query has no relevant item.

    Convention
        Divided by R. Breese et al. divide by the utility of the best list.

    Parameters
        half: the rank that is seen with probability 1/2, above 1; default 5

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 1}}, ["half_life(half=3)"]).mean
        {'half_life(half=3)': 0.75}

    Reference
        J. Breese et al., Empirical analysis of predictive algorithms for collaborative filtering, UAI 1998.
    """

    name: ClassVar[str] = "half_life"
    half: float = 5

    def __post_init__(self) -> None:
        """Refuse a rank at which every list would be divided by 0."""
        super().__post_init__()
        if not self.half > 1:
            raise UsageError(f"half_life(half={self.half:g}): half must be above 1.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The weights of the relevant items found, added up and divided by R."""
        hits = judged.relevant().top(self.k)
        return ratio(hits.sum(0.5 ** ((hits.rank - 1) / (self.half - 1))), judged.n_relevant())
