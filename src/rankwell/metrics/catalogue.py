"""Metrics of all lists together against the catalogue: coverage."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.base import CorpusMetric, definition
from rankwell.hits import Context, Judged
from rankwell.states import ItemCounts

__all__ = ["Coverage"]


@definition
class Coverage(CorpusMetric):
    """Catalogue coverage: the share of the catalogue that is recommended to at least one user.

    Formula
        coverage@k = |∪_u {items of u's list with r ≤ k}| / |catalogue|

    Edge cases
        Needs ``items=``, the catalogue. Items outside it are an error, or left out and counted (``outside=ignore``).
        It grows with the number of lists: compare systems at the same number only.

    Convention
        The universe is the catalogue that you give. recmetrics calls this "prediction coverage"; others count only
        items that occur in the training data.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 2, "b": 1}, "v": {"a": 1}}, metrics=["coverage@1"], items=["a", "b", "c", "d"]).mean
        {'coverage@1': 0.25}

    Reference
        J. Herlocker et al., Evaluating collaborative filtering recommender systems, ACM TOIS 22(1), 2004.
    """

    name: ClassVar[str] = "coverage"
    aliases: ClassVar[tuple[str, ...]] = ("catalogue_coverage", "catalog_coverage")
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue"})

    def state(self, judged: Judged, context: Context) -> ItemCounts:
        """How often each catalogue item is in the first k."""
        assert context.catalogue is not None
        items = judged.shown.top(self.k).item
        assert items is not None
        counts = np.bincount(items[items >= 0], minlength=len(context.catalogue))
        return ItemCounts(counts, len(judged))
