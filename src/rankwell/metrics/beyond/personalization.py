"""Personalization: how different the lists of different users are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.metric import Better, CorpusMetric, definition
from rankwell.tables.ranked import Ranked
from rankwell.tables.states import WHOLE, ItemCounts, State, amounts_of, multiples_in_halves, sums_in_halves

__all__ = ["Personalization"]

BLOCK = 2048
NEVER = 1 << 62  # the shortest length when there are no lists


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

    def state(self, judged: Judged, context: Context) -> State:
        """The part of the lists that the similarity needs."""
        assert context.catalogue is not None
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        if (rows.item < 0).any():
            rows = rows.where(rows.item >= 0)
        assert rows.item is not None
        size = len(context.catalogue)
        lengths = rows.count()
        if self.similarity == "shared":
            return ItemCounts(np.bincount(rows.item, minlength=size), len(judged), self)
        if self.similarity == "cosine":
            return UnitSums.of(rows, size)
        return Sets(lengths, rows.item, len(judged), self.similarity)

    def of_counts(self, counts: np.ndarray, n: int, about: np.ndarray | None) -> float:
        """One minus the mean number of shared items over k."""
        assert self.k is not None
        counts = counts.astype(np.int64)
        shared = int(np.dot(counts, counts - 1)) // 2
        return _unlike(shared / self.k, n)


def _unlike(similarities: float, n: int) -> float:
    """One minus the mean over all pairs of ``n`` lists."""
    return 1.0 - similarities / (n * (n - 1) // 2) if n > 1 else math.nan


@dataclass(frozen=True, eq=False)
class UnitSums:
    """The sum of the unit vectors of lists: for each item the sum of 1/√n over its lists, kept exactly in two halves.

    ``counts`` is the number of lists per item, which is enough while all lists have one length: then ``sums`` is empty.
    """

    counts: np.ndarray
    sums: np.ndarray | None
    n: int
    filled: int  # lists that are not empty
    shortest: int
    longest: int

    @classmethod
    def of(cls, rows: Ranked, size: int) -> UnitSums:
        """Return the sum over the lists of a batch."""
        assert rows.item is not None
        lengths = rows.count()
        filled = lengths[lengths > 0]
        shortest, longest = (int(filled.min()), int(filled.max())) if len(filled) else (NEVER, 0)
        counts, sums = np.bincount(rows.item, minlength=size), None
        if shortest < longest:
            sums = sums_in_halves(rows.item, _share(np.maximum(lengths, 1))[rows.query], size)
        return cls(counts, sums, len(lengths), len(filled), shortest, longest)

    def __add__(self, other: UnitSums) -> UnitSums:
        shortest, longest = min(self.shortest, other.shortest), max(self.longest, other.longest)
        return UnitSums(
            self.counts + other.counts,
            self._in_halves() + other._in_halves() if shortest < longest else None,
            self.n + other.n,
            self.filled + other.filled,
            shortest,
            longest,
        )

    def _in_halves(self) -> np.ndarray:
        if self.sums is not None:
            return self.sums
        return multiples_in_halves(self.counts, int(_share(np.maximum(self.longest, 1))))

    @property
    def value(self) -> float:
        """One minus the mean cosine of two lists; the sum over pairs is (‖Σ x̂‖² − nonempty lists) / 2."""
        if self.shortest == self.longest:
            shared = int(np.dot(self.counts, self.counts - 1)) // 2
            return _unlike(shared / self.longest, self.n)
        sums = amounts_of(self._in_halves())
        return _unlike(max(float(np.sum(sums * sums)) - self.filled, 0.0) / 2.0, self.n)


def _share(lengths: np.ndarray) -> np.ndarray:
    """1/√n in units of ``1 / WHOLE``."""
    return np.rint(WHOLE / np.sqrt(lengths)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Sets:
    """The lists themselves, as concatenated sets of items."""

    lengths: np.ndarray
    items: np.ndarray
    n: int
    similarity: str

    def __add__(self, other: Sets) -> Sets:
        lengths, items = (
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("lengths", "items")
        )
        return Sets(lengths, items, self.n + other.n, self.similarity)

    @property
    def value(self) -> float:
        """One minus the mean similarity of two lists, from whole numbers."""
        if self.n < 2:
            return math.nan
        return _unlike(self._overlap() if self.similarity == "overlap" else self._jaccard(), self.n)

    def _overlap(self) -> float:
        """For each item, the pairs of its lists, grouped by the length of the shorter one."""
        own = np.repeat(self.lengths, self.lengths)
        pairs, often = np.unique(np.column_stack([self.items, own]), axis=0, return_counts=True)
        of_item = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
        ends = np.append(of_item[1:], len(pairs))
        until = np.cumsum(often)
        longer = np.repeat(until[ends - 1], ends - of_item) - until
        shared = often * (often - 1) // 2 + often * longer
        by_length = np.bincount(pairs[:, 1], weights=shared)
        return math.fsum((by_length[1:] / np.arange(1, len(by_length))).tolist())

    def _jaccard(self) -> float:
        """Histogram of pairwise list overlap, by shared items and union size, counted for all pairs in blocks."""
        from scipy.sparse import csr_array

        offsets = np.concatenate(([0], np.cumsum(self.lengths)))
        width = int(self.items.max(initial=0)) + 1
        lists = csr_array((np.ones(len(self.items), np.int32), self.items, offsets), shape=(self.n, width))
        longest = int(self.lengths.max(initial=0))
        counts = np.zeros((longest + 1) * (2 * longest + 1), np.int64)
        for low in range(0, self.n, BLOCK):
            both = (lists[low : low + BLOCK] @ lists[low:].T).tocoo()
            later = both.col > both.row
            common, first, second = both.data[later], both.row[later] + low, both.col[later] + low
            union = self.lengths[first] + self.lengths[second] - common
            counts += np.bincount(common * (2 * longest + 1) + union, minlength=len(counts))
        at = np.flatnonzero(counts)
        common, union = np.divmod(at, 2 * longest + 1)
        return math.fsum((counts[at] * (common / np.maximum(union, 1))).tolist())
