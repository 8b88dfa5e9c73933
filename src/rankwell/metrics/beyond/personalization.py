"""Personalization: how different the lists of different users are."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.metric import Better, definition
from rankwell.tables.csr import offsets_of
from rankwell.tables.item_counts import Counts, ItemCounts, ItemSums, Tally
from rankwell.tables.ranked import Ranked
from rankwell.tables.states import WHOLE, Total, amounts_of, multiples_in_halves

__all__ = ["Personalization"]

ROWS = 2048  # lists that are compared with all others at once


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
        the recommendations, jaccard in the pairs of users with an item in common. A random recommender scores highest, so
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
    better: ClassVar[Better] = "neither"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item"})

    similarity: Literal["cosine", "overlap", "shared", "jaccard"] = "cosine"

    def check(self) -> None:
        """similarity=shared requires a cut-off."""
        super().check()
        if self.similarity == "shared" and self.k is None:
            raise UsageError(f"{self} divides by k: write {self}@10.")

    def state(self, judged: Judged, context: Context) -> ItemCounts | UnitSums | Sets:
        """What of the lists the similarity needs."""
        assert context.catalogue is not None
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        if (rows.item < 0).any():
            rows = rows.where(rows.item >= 0)
        assert rows.item is not None
        size = len(context.catalogue)
        if self.similarity == "shared":
            return ItemCounts.of(rows.item, size, len(judged))
        if self.similarity == "cosine":
            return UnitSums.of(rows, size)
        return Sets(rows.count(), rows.item, len(judged))

    def value(self, state: Counts | UnitSums | FewerUnits | Sets) -> float:
        """One less the mean over all pairs of lists."""
        if state.n < 2:
            return math.nan
        return 1.0 - self._similarities(state) / (state.n * (state.n - 1) // 2)

    def _similarities(self, state: Counts | UnitSums | FewerUnits | Sets) -> float:
        """The sum over all pairs of lists."""
        if isinstance(state, Counts):
            assert self.k is not None
            return _shared(state.alike) / self.k
        if isinstance(state, UnitSums | FewerUnits):
            return _cosines(state)
        return state.overlaps() if self.similarity == "overlap" else state.jaccards()


def _shared(alike: np.ndarray) -> int:
    """The number of items that two lists share, of all pairs of lists."""
    often = np.flatnonzero(alike)
    return int(np.dot(alike[often], often * (often - 1))) // 2


def _cosines(state: UnitSums | FewerUnits) -> float:
    """The sum of the cosines of all pairs: (‖Σ x̂‖² − lists that are not empty) / 2."""
    if len(state.lengths) == 1:
        return _shared(state.counts.alike) / next(iter(state.lengths))
    return max(state.squares.value - state.lengths.total(), 0.0) / 2.0


@dataclass(frozen=True, eq=False)
class UnitSums:
    """The sum of the unit vectors of lists: for each item the sum of 1/√n over its lists, kept exactly in two halves.

    ``counts`` is the number of lists per item, which is enough while all lists have one length: then ``sums`` is None.
    ``lengths`` is the number of lists of each length above 0.
    """

    counts: ItemCounts
    sums: ItemSums | None
    lengths: Counter[int]

    @classmethod
    def of(cls, rows: Ranked, size: int) -> UnitSums:
        """Return the sum over the lists of a batch."""
        assert rows.item is not None
        lengths = rows.count()
        often = np.bincount(lengths)
        often[:1] = 0
        alike = Counter({length: int(often[length]) for length in np.flatnonzero(often).tolist()})
        counts, sums = ItemCounts.of(rows.item, size, len(lengths)), None
        if len(alike) > 1:
            sums = ItemSums.in_halves(rows.item, _share(np.maximum(lengths, 1))[rows.query], size)
        return cls(counts, sums, alike)

    def __add__(self, other: UnitSums) -> UnitSums:
        lengths = self.lengths + other.lengths
        sums = self.in_halves() + other.in_halves() if len(lengths) > 1 else None
        return UnitSums(self.counts + other.counts, sums, lengths)

    def __iadd__(self, other: UnitSums) -> UnitSums:
        """Add to these sums, which nobody else may hold."""
        lengths = self.lengths + other.lengths
        sums = self.in_halves() if len(lengths) > 1 else None
        if sums is not None:
            sums += other.in_halves()
        counts = self.counts
        counts += other.counts
        return UnitSums(counts, sums, lengths)

    def without(self, part: UnitSums) -> FewerUnits:
        """Return what is left without a part of the lists."""
        return FewerUnits(self, part)

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.counts.n

    def in_halves(self) -> ItemSums:
        """Return the sums, also while all lists have one length."""
        if self.sums is not None:
            return self.sums
        share = int(_share(np.array(max(self.lengths, default=1))))
        counted = self.counts.sums
        return replace(counted, numbers=multiples_in_halves(counted.numbers, share))

    @cached_property
    def squares(self) -> Total:
        """The squared length of the sum of the vectors."""
        return _squares(self.in_halves().numbers)


@dataclass(frozen=True, eq=False)
class FewerUnits:
    """The unit vectors of some lists without a part of them."""

    whole: UnitSums
    part: UnitSums

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.whole.n - self.part.n

    @property
    def lengths(self) -> Counter[int]:
        """The number of lists of each length above 0."""
        return self.whole.lengths - self.part.lengths

    @property
    def counts(self) -> Tally:
        """How many items were shown how often."""
        return self.whole.counts.without(self.part.counts)

    @property
    def squares(self) -> Total:
        """The squared length of the sum of the vectors: only the items of the part change it."""
        before, after = self.whole.in_halves().less(self.part.in_halves())
        return self.whole.squares.without(_squares(before)) + _squares(after)


def _squares(halves: np.ndarray) -> Total:
    return Total.of(amounts_of(halves) ** 2)


def _share(lengths: np.ndarray) -> np.ndarray:
    """1/√n in units of ``1 / WHOLE``."""
    return np.rint(WHOLE / np.sqrt(lengths)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Sets:
    """The lists themselves, as concatenated sets of items."""

    lengths: np.ndarray
    items: np.ndarray
    n: int

    def __add__(self, other: Sets) -> Sets:
        lengths, items = (
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("lengths", "items")
        )
        return Sets(lengths, items, self.n + other.n)

    def overlaps(self) -> float:
        """The sum of the overlaps of all pairs, from the pairs of lists of each item, by the length of the shorter one."""
        own = np.repeat(self.lengths, self.lengths)
        pairs, often = np.unique(np.column_stack([self.items, own]), axis=0, return_counts=True)
        of_item = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
        ends = np.append(of_item[1:], len(pairs))
        until = np.cumsum(often)
        longer = np.repeat(until[ends - 1], ends - of_item) - until
        shared = often * (often - 1) // 2 + often * longer
        by_length = np.bincount(pairs[:, 1], weights=shared)
        return math.fsum((by_length[1:] / np.arange(1, len(by_length))).tolist())

    def jaccards(self) -> float:
        """The sum over all pairs, from how many pairs have so many items in common, of so many in both, counted in blocks."""
        from scipy.sparse import csr_array

        offsets = offsets_of(self.lengths)
        items, codes = np.unique(self.items, return_inverse=True)
        lists = csr_array((np.ones(len(codes), np.int32), codes, offsets), shape=(self.n, len(items)))
        longest = int(self.lengths.max(initial=0))
        counts = np.zeros((longest + 1) * (2 * longest + 1), np.int64)
        for low in range(0, self.n, ROWS):
            both = (lists[low : low + ROWS] @ lists[low:].T).tocoo()
            later = both.col > both.row
            common, first, second = both.data[later], both.row[later] + low, both.col[later] + low
            union = self.lengths[first] + self.lengths[second] - common
            counts += np.bincount(common * (2 * longest + 1) + union, minlength=len(counts))
        at = np.flatnonzero(counts)
        common, union = np.divmod(at, 2 * longest + 1)
        return math.fsum((counts[at] * (common / np.maximum(union, 1))).tolist())
