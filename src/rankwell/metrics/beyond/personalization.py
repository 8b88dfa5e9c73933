"""Personalization: how different the lists of different users are, from sums by item over all pairs of lists."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import ClassVar, Literal, Self

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.catalogue import counts_within, refuse_unnumbered
from rankwell.metrics.metric import Better, CorpusMetric, definition
from rankwell.records import cached_property, record
from rankwell.tables.lists import Ranked, offsets_of
from rankwell.tables.states import (
    WHOLE,
    Counts,
    ItemCounts,
    ItemSums,
    NotAdded,
    Tally,
    Total,
    amounts_of,
    multiples_in_halves,
    padded_sum,
)

__all__ = ["Personalization"]

ROWS = 2048  # lists that are compared with all others at once
MOST_LISTS = 5_000_000
LENGTH = 20  # bits of a length beside those of an item


@record(eq=False)
class UnitSums:
    """The sum of the unit vectors of lists: for each item the sum of 1/√n over its lists, kept exactly in two halves.

    ``counts`` is the number of lists per item, which is enough while all lists have one length: then ``sums`` is None.
    ``lengths`` is the number of lists of each length above 0.
    """

    counts: ItemCounts
    sums: ItemSums | None
    lengths: Counter[int]

    @classmethod
    def of(cls, rows: Ranked, counts: ItemCounts) -> UnitSums:
        """Return the sum over the lists of a batch, whose items are counted already."""
        assert rows.item is not None
        lengths = rows.count()
        often = np.bincount(lengths)
        often[:1] = 0  # an empty list has no direction, and no cosine
        alike = Counter({length: int(often[length]) for length in np.flatnonzero(often).tolist()})
        sums = None
        if len(alike) > 1:
            sums = ItemSums.in_halves(rows.item, _share(np.maximum(lengths, 1))[rows.query], counts.size)
        return cls(counts, sums, alike)

    def __add__(self, other: UnitSums) -> UnitSums:
        lengths = self.lengths + other.lengths
        sums = self.in_halves() + other.in_halves() if len(lengths) > 1 else None
        return UnitSums(self.counts + other.counts, sums, lengths)

    def __iadd__(self, other: UnitSums) -> Self:
        """Add to these sums, which nobody else may hold."""
        lengths = self.lengths + other.lengths
        sums = self.in_halves() if len(lengths) > 1 else None
        if sums is not None:
            sums += other.in_halves()
        counts = self.counts
        counts += other.counts
        return replace(self, counts=counts, sums=sums, lengths=lengths)

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return self.counts.size

    def cut(self, low: int, high: int) -> UnitSums:
        """Return the sums of the items from one row of the catalogue until another."""
        return UnitSums(
            self.counts.cut(low, high), None if self.sums is None else self.sums.cut(low, high), self.lengths
        )

    def folded(self) -> Units:
        """Return what the value needs of these items."""
        return Units(self.counts.folded(), self.squares if len(self.lengths) > 1 else Total(), self.lengths)

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


@record(eq=False)
class Units(NotAdded):
    """How many items were shown how often, and the squared length of the sum of the vectors, which matters if lengths differ."""

    counts: Tally
    squares: Total
    lengths: Counter[int]

    def beside(self, other: Units) -> Units:
        """Return the same of the items of both, in the same lists."""
        return Units(self.counts.beside(other.counts), self.squares + other.squares, self.lengths)

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.counts.n


@record(eq=False)
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


@record(eq=False)
class ItemsByLength:
    """How many lists of each length hold each item: what the overlaps of all pairs of lists are made of.

    ``counts`` are those of an item and a length together, which stand as ``item · 2^20 + length`` in a catalogue of so many times its size.
    """

    counts: ItemCounts

    @classmethod
    def of(cls, rows: Ranked, size: int) -> ItemsByLength:
        """Return the counts of the lists of a batch."""
        assert rows.item is not None
        lengths = rows.count()
        longest = int(lengths.max(initial=0))
        if longest >> LENGTH:
            raise DataError(
                f"a list of {longest:,} items is longer than similarity=overlap compares ({(1 << LENGTH) - 1:,})."
            )
        codes = (rows.item << LENGTH) | lengths[rows.query]
        return cls(ItemCounts.of(codes, size << LENGTH, len(lengths)))

    def __add__(self, other: ItemsByLength) -> ItemsByLength:
        return ItemsByLength(self.counts + other.counts)

    @property
    def n(self) -> int:
        """The number of lists."""
        return self.counts.n

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return self.counts.size >> LENGTH

    def cut(self, low: int, high: int) -> ItemsByLength:
        """Return the counts of the items from one row of the catalogue until another."""
        return ItemsByLength(self.counts.cut(low << LENGTH, high << LENGTH))

    def folded(self) -> Overlaps:
        """Return how many items all pairs of lists share."""
        return Overlaps(self.shared, self.n)

    @cached_property
    def shared(self) -> np.ndarray:
        """The number of items that two lists share, of all pairs of lists, by the length of the shorter one."""
        item, own = self.counts.items >> LENGTH, self.counts.items & ((1 << LENGTH) - 1)
        often = self.counts.counts
        of_item = np.flatnonzero(np.diff(item, prepend=-1))
        ends = np.append(of_item, len(item))[1:]
        until = np.cumsum(often)
        # of an item, lists by length: each pairs with those as long and with all longer ones, and is the shorter of these
        longer = np.repeat(until[ends - 1], ends - of_item) - until
        shared = often * (often - 1) // 2 + often * longer
        return np.bincount(own, weights=shared, minlength=1)


@record(eq=False)
class Overlaps(NotAdded):
    """The number of items that two lists share, of all pairs of lists, by the length of the shorter one."""

    shared: np.ndarray
    n: int

    def beside(self, other: Overlaps) -> Overlaps:
        """Return the same of the items of both, in the same lists."""
        return Overlaps(padded_sum(self.shared, other.shared), self.n)


@record(eq=False)
class Sets:
    """The lists themselves, as concatenated sets of items; of five million lists at most, whose pairs take hours."""

    lengths: np.ndarray
    items: np.ndarray
    n: int

    def __post_init__(self) -> None:
        """Refuse more lists, which no engine should hold.

        Raises
        ------
        UsageError
            If there are more than that.
        """
        if self.n > MOST_LISTS:
            raise UsageError(
                f"similarity=jaccard compares all pairs of lists, and holds at most {MOST_LISTS:,} for that. Use similarity=cosine, "
                f"overlap or shared, which take time linear in the lists, or a sample of the users."
            )

    def __add__(self, other: Sets) -> Sets:
        lengths, items = (
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("lengths", "items")
        )
        return Sets(lengths, items, self.n + other.n)

    def jaccards(self) -> float:
        """The sum over all pairs, from how many pairs have so many items in common, of so many in both, counted in blocks."""
        from scipy.sparse import csr_array

        offsets = offsets_of(self.lengths)
        items, codes = np.unique(self.items, return_inverse=True)
        lists = csr_array((np.ones(len(codes), np.int32), codes, offsets), shape=(self.n, len(items)))
        longest = int(self.lengths.max(initial=0))
        counts = np.zeros((longest + 1) * (2 * longest + 1), np.int64)
        for low in range(0, self.n, ROWS):
            # a sparse product counts the common items of all pairs at once; only pairs with some appear in it
            both = (lists[low : low + ROWS] @ lists[low:].T).tocoo()
            later = both.col > both.row
            common, first, second = both.data[later], both.row[later] + low, both.col[later] + low
            union = self.lengths[first] + self.lengths[second] - common
            counts += np.bincount(common * (2 * longest + 1) + union, minlength=len(counts))
        # few different (common, union) are many pairs: one quotient each, added exactly
        at = np.flatnonzero(counts)
        common, union = np.divmod(at, 2 * longest + 1)
        return math.fsum((counts[at] * (common / np.maximum(union, 1))).tolist())


# of lists: what they have in common
Pairs = Counts | UnitSums | Units | FewerUnits | ItemsByLength | Overlaps | Sets


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
