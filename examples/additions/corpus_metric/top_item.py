"""Concentration on one item: what the most recommended item gets of all recommendations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankwell.extend import Context, CorpusMetric, Judged, definition


@dataclass(frozen=True)
class Shown:
    """How often each item of the catalogue is in the lists, and how many lists there are."""

    counts: np.ndarray
    n: int

    def __add__(self, other: Shown) -> Shown:
        """The counts of both batches."""
        return Shown(self.counts + other.counts, self.n + other.n)


@definition
class TopItem(CorpusMetric):
    """Top item: the share of all recommendations that the most recommended item gets.

    Formula
        max_i n_i / Σ_i n_i, n_i being how many lists show item i at a rank ≤ k

    Edge cases
        Undefined if no list shows an item of the catalogue; other items do not count.

    Convention
        A share of the recommendations, not of the users: 1/k is the highest value of whole lists.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> lists = {"u": ["a", "b"], "v": ["a", "c"], "w": ["b", "a"]}
        >>> rw.evaluate(lists, metrics=["top_item"], items=["a", "b", "c"]).mean
        {'top_item': 0.5}

    Reference
        W. Berger and F. Parker, Diversity of planktonic foraminifera in deep-sea sediments, Science 1970.
    """

    name: ClassVar[str] = "top_item"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue"})

    def state(self, judged: Judged, context: Context) -> Shown:
        """How often the lists of a batch show each item of the catalogue."""
        items = judged.shown.top(self.k).item
        assert items is not None
        assert context.catalogue is not None
        return Shown(np.bincount(items[items >= 0], minlength=len(context.catalogue)), len(judged))

    def value(self, state: Shown) -> float:
        """The highest count, divided by the sum of all."""
        shown = int(state.counts.sum())
        return int(state.counts.max()) / shown if shown else math.nan
