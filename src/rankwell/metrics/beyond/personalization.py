"""Personalization: how different the lists of different users are."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.catalogue import counts_within, refuse_unnumbered
from rankwell.metrics.beyond.list_pairs import FewerUnits, ItemsByLength, Overlaps, Sets, Units, UnitSums
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.metric import Better, definition
from rankwell.tables.states import Counts, ItemCounts

__all__ = ["Personalization"]

Pairs = (
    Counts | UnitSums | Units | FewerUnits | ItemsByLength | Overlaps | Sets
)  # of lists: what they have in common


@definition
class Personalization(CorpusMetric):
    """Personalization: one minus the mean similarity of two users' lists.

    Formula
        1 − mean_{u<v} s(L_u, L_v), over the items within k: cosine |L_u ∩ L_v| / √(n_u n_v), overlap |∩| / min(n_u, n_v),
        shared |∩| / k, jaccard |∩| / |∪|

    Edge cases
        Undefined for fewer than two lists. An empty list has similarity 0 to every list. Items outside a given catalogue are an
        error, or left out (``outside=ignore``).

    Convention
        Exact for lists of any lengths, without a table of all pairs of users: cosine, overlap and shared take time linear in
        the recommendations, jaccard in the pairs of users with an item in common (of five million users at most). A random recommender scores highest, so
        read it together with an accuracy metric. recmetrics and Evidently use cosine.

    Parameters
        similarity: cosine, overlap, shared (of k, for lists of equal length) or jaccard

    Example
        >>> import rankwell as rw
        >>> res = rw.evaluate({"u": ["a", "b"], "v": ["a", "c"]}, metrics=["personalization", "personalization(similarity=jaccard)"])
        >>> [round(value, 4) for value in res.mean.values()]
        [0.5, 0.6667]

    Reference
        T. Zhou et al., Solving the apparent diversity–accuracy dilemma of recommender systems, PNAS 107(10), 2010 (shared);
        recmetrics personalization.
    """

    name: ClassVar[str] = "personalization"
    plain: ClassVar[str] = "how different the lists are from each other"
    better: ClassVar[Better] = "neither"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item"})

    similarity: Literal["cosine", "overlap", "shared", "jaccard"] = "cosine"

    def check(self) -> None:
        """similarity=shared requires a cut-off."""
        super().check()
        if self.similarity == "shared" and self.k is None:
            raise UsageError(f"{self} divides by k: write {self}@10.")

    def state(self, judged: Judged, context: Context) -> ItemCounts | UnitSums | ItemsByLength | Sets:
        """What of the lists the similarity needs."""
        assert context.catalogue is not None
        size = len(context.catalogue)
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        refuse_unnumbered(self, rows.item, context)
        if self.similarity == "shared":
            return judged.once(counts_within, self.k, size)
        if (rows.item < 0).any():
            rows = rows.where(rows.item >= 0)
        assert rows.item is not None
        if self.similarity == "cosine":
            return UnitSums.of(rows, judged.once(counts_within, self.k, size))
        if self.similarity == "overlap":
            return ItemsByLength.of(rows, size)
        return Sets(rows.count(), rows.item, len(judged))

    def value(self, state: Pairs) -> float:
        """One less the mean over all pairs of lists."""
        if state.n < 2:
            return math.nan
        return 1.0 - self._similarities(state) / (state.n * (state.n - 1) // 2)

    def _similarities(self, state: Pairs) -> float:
        """The sum over all pairs of lists."""
        if isinstance(state, Counts):
            assert self.k is not None
            return _shared(state.alike) / self.k
        if isinstance(state, UnitSums | Units | FewerUnits):
            return _cosines(state)
        return _overlaps(state.shared) if isinstance(state, ItemsByLength | Overlaps) else state.jaccards()


def _shared(alike: np.ndarray) -> int:
    """The number of items that two lists share, of all pairs of lists."""
    often = np.flatnonzero(alike)
    # an item in c lists is shared by c (c − 1) / 2 pairs: no pair of lists is ever looked at
    return int(np.dot(alike[often], often * (often - 1))) // 2


def _cosines(state: UnitSums | Units | FewerUnits) -> float:
    """The sum of the cosines of all pairs: (‖Σ x̂‖² − lists that are not empty) / 2."""
    if (
        len(state.lengths) == 1
    ):  # lists of one length: cosines are shares of whole numbers, and no root is rounded
        return _shared(state.counts.alike) / next(iter(state.lengths))
    return max(state.squares.value - state.lengths.total(), 0.0) / 2.0


def _overlaps(shared: np.ndarray) -> float:
    """The sum over all pairs: the items they share over the length of the shorter one."""
    return math.fsum((shared[1:] / np.arange(1, len(shared))).tolist())
