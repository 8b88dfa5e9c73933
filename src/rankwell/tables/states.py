"""States: what a metric keeps of a batch of queries. States add, and ``metric.value(sum of states)`` is the number.

A state is frozen, holds what adds up and nothing else. Adding is exact, so it does not matter how the queries were cut
into batches.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NoReturn, Protocol, Self, runtime_checkable

import numpy as np

from rankwell.errors import UsageError
from rankwell.kernels import sums
from rankwell.records import cached_property, record
from rankwell.tables.lists import offsets_of

# every finite double is a multiple of 2**-_POINT
_POINT = 1127
HALF = 26
WHOLE = 2.0 ** (2 * HALF)  # weights up to 1 are kept as multiples of 1 / WHOLE
LIMB, LIMBS = (
    2.0**31,
    3,
)  # values below LIMB are sums of LIMBS whole numbers, each times 1 / LIMB of the one before
STEP = 2.0**-20  # multiples of it up to 2^33 are added up exactly
# so many items all have a number; so do all items of a catalogue of at most so many times those shown, or shown in a sum
SMALL = 1 << 15
SPARE, GROWING = 4, 16


class State(Protocol):
    """What a metric keeps of a batch of queries: what adds up. ``Metric.value`` makes the number of it."""

    def __add__(self, other: Self) -> Self:
        """Return the state of both batches together."""

    @property
    def n(self) -> int:
        """The number of queries that the value is based on."""


@runtime_checkable
class Divisible(State, Protocol):
    """A state from which a part can be taken, at a cost that depends on the part and not on the whole."""

    def without(self, part: Any) -> State:
        """Return what is left without the state of a part of the queries: what ``Metric.value`` needs of it."""


class Folded(State, Protocol):
    """What ``Metric.value`` needs of some of the items of a state, of all of its queries; it grows neither with items nor with queries."""

    def beside(self, other: Self) -> Self:
        """Return the same of the items of both; the queries are those of each."""


@runtime_checkable
class ByItem(State, Protocol):
    """A state that holds numbers of items: it can be divided by item, so that sums are made of some of the items at a time."""

    @property
    def size(self) -> int:
        """The number of items that have a place, shown or not."""

    def cut(self, low: int, high: int) -> Self:
        """Return the same state of the items from one place until another alone."""

    def folded(self) -> Folded:
        """Return what the value needs of these items; nothing can be added to it but other items of the same queries."""


class Average(State, Protocol):
    """The state of a metric with a value per query: a mean, or a sum, that knows its number."""

    @property
    def value(self) -> float:
        """The mean or the sum, NaN where it is undefined."""


class Diagnostics(Protocol):
    """What a metric keeps of a batch to show how far its value can be trusted."""

    def __add__(self, other: Self) -> Self:
        """Return the diagnostics of both batches together."""

    @property
    def diagnostics(self) -> dict[str, float]:
        """Diagnostics to print with the value, by name."""


@record(slots=True)
class Mean:
    """An arithmetic mean with an exact sum, kept as a multiple of 2**-1127 and rounded once, when the value is read.

    Examples
    --------
    >>> (Mean.of(np.array([0.1, 0.2])) + Mean.of(np.array([0.6]))).value == Mean.of(np.array([0.6, 0.2, 0.1])).value
    True
    >>> Mean.of(np.array([])).value
    nan
    """

    total: int = 0
    n: int = 0

    @classmethod
    def of(cls, values: np.ndarray) -> Mean:
        """Return the state of finite values."""
        return cls(exact_sum(values), len(values))

    def __add__(self, other: Mean) -> Mean:
        return Mean(self.total + other.total, self.n + other.n)

    def without(self, part: Mean) -> Mean:
        """Return the mean without a part of its values."""
        return Mean(self.total - part.total, self.n - part.n)

    @property
    def value(self) -> float:
        """The mean, correctly rounded; NaN without values."""
        return self.total / (self.n << _POINT) if self.n else math.nan


@record(slots=True)
class WeightedMean:
    """A weighted mean with exact sums of the weighted values and of the weights.

    >>> WeightedMean.of(np.array([1.0, 0.5]), np.array([3.0, 1.0])).value
    0.875
    """

    total: int = 0
    weight: int = 0
    n: int = 0

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray) -> WeightedMean:
        """Return the state of finite values and weights."""
        return cls(exact_sum(values * weights), exact_sum(weights), len(values))

    def __add__(self, other: WeightedMean) -> WeightedMean:
        return WeightedMean(self.total + other.total, self.weight + other.weight, self.n + other.n)

    def without(self, part: WeightedMean) -> WeightedMean:
        """Return the mean without a part of its values."""
        return WeightedMean(self.total - part.total, self.weight - part.weight, self.n - part.n)

    @property
    def value(self) -> float:
        """The mean; NaN if the weights sum to 0."""
        return self.total / self.weight if self.weight else math.nan


@record(slots=True)
class GeometricMean:
    """A geometric mean of positive values: the exponential of the arithmetic mean of their logarithms.

    >>> GeometricMean.of(np.array([0.25, 1.0])).value
    0.5
    """

    logs: Mean | WeightedMean = Mean()

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray | None = None) -> GeometricMean:
        """Return the state of positive values, perhaps weighted."""
        logs = np.log(values)
        return cls(Mean.of(logs) if weights is None else WeightedMean.of(logs, weights))

    def __add__(self, other: GeometricMean) -> GeometricMean:
        return GeometricMean(self.logs + other.logs)  # type: ignore[operator]

    def without(self, part: GeometricMean) -> GeometricMean:
        """Return the mean without a part of its values."""
        return GeometricMean(self.logs.without(part.logs))  # type: ignore[arg-type]

    @property
    def n(self) -> int:
        """The number of values."""
        return self.logs.n

    @property
    def value(self) -> float:
        """The mean; NaN of nothing."""
        return math.exp(self.logs.value)


@record(slots=True)
class Total:
    """An exact sum over queries, used for counts instead of a mean.

    >>> (Total.of(np.array([3.0, 4.0])) + Total.of(np.array([1.0]))).value
    8.0
    """

    total: int = 0
    n: int = 0

    @classmethod
    def of(cls, values: np.ndarray) -> Total:
        """Return the state of finite values."""
        return cls(exact_sum(values), len(values))

    @classmethod
    def repeated(cls, values: np.ndarray, times: np.ndarray) -> Total:
        """Return the state of finite values that each occur several times."""
        pairs = zip(map(_whole, values.tolist()), times.tolist(), strict=True)
        return cls(sum(value * often for value, often in pairs), int(times.sum()))

    def __add__(self, other: Total) -> Total:
        return Total(self.total + other.total, self.n + other.n)

    def without(self, part: Total) -> Total:
        """Return the sum without a part of its values."""
        return Total(self.total - part.total, self.n - part.n)

    @property
    def value(self) -> float:
        """The sum, correctly rounded."""
        return self.total / (1 << _POINT)


class NotAdded:
    """What a folded state is: it no longer holds what adds up."""

    def __add__(self, other: object) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(
            "cannot add results of metrics that count items if these were evaluated on Spark with a large catalogue: their counts "
            "were added up there by item and are not held. Evaluate both tables together."
        )


def group_means(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the value of ``Mean`` for each group of values; NaN for empty groups.

    >>> group_means(np.array([0.1, 0.2, 0.4, 1.0, 1.0, 1.0]), np.array([0, 1, 1, 3, 6]))
    array([0.1, nan, 0.3, 1. ])
    """
    # Three limbs of 31 bits hold any value from 2**-40 on exactly, so the sums of all groups are differences of one running sum of
    # whole numbers per limb, and as exact as those of Mean. The running sum may wrap: only that of a group has to fit.
    n, means = np.diff(offsets), np.full(len(offsets) - 1, math.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        parts, rest = [], values * LIMB
        for _ in range(LIMBS):
            parts.append(np.floor(rest))
            rest = (rest - parts[-1]) * LIMB
        # too small for the limbs, or so large that the first limbs of a group could be a sum of more than 63 bits
        odd = (rest != 0) | (np.abs(values) >= LIMB / max(int(n.max(initial=1)), 1))
    wholes = (np.where(odd, 0, part).astype(np.int64) for part in parts)
    alone, several = n == 1, n > 1
    means[alone] = values[offsets[:-1][alone]] + 0.0  # no negative zero
    added = [np.diff(offsets_of(whole)[offsets])[several].tolist() for whole in wholes]
    # whole numbers of Python divide with one rounding, as Mean.value does
    means[several] = [
        ((a << 62) + (b << 31) + c) / (count << 93)
        for a, b, c, count in zip(*added, n[several].tolist(), strict=True)
    ]
    for group in np.unique(np.searchsorted(offsets, np.flatnonzero(odd), side="right") - 1).tolist():
        means[group] = Mean.of(values[offsets[group] : offsets[group + 1]]).value
    return means


def exact_sum(values: np.ndarray) -> int:
    """Return the sum of finite doubles in units of 2**-1127.

    >>> exact_sum(np.array([1e308, 1.0, -1e308])) == 1 << 1127
    True
    """
    return sums.exact(values)


def _whole(value: float) -> int:
    """A finite double in units of 2**-1127."""
    above, below = float(value).as_integer_ratio()  # below is a power of two
    return above << (_POINT + 1 - below.bit_length())


def sums_in_halves(codes: np.ndarray, wholes: np.ndarray, size: int) -> np.ndarray:
    """Return for each code the exact sum of multiples of ``1 / WHOLE``, each at most 1, as an upper and a lower half.

    >>> amounts_of(sums_in_halves(np.array([0, 0]), np.array([int(WHOLE), 1]), 1) + sums_in_halves(np.array([0]), np.array([3]), 1))
    array([1.])
    """
    # bincount adds doubles: halves of 26 bits stay exact up to 2**27 of them, where whole weights would round at the second
    counted = [np.bincount(codes, weights=half, minlength=size) for half in _halves(wholes)]
    return np.stack([half.astype(np.int64) for half in counted])


def multiples_in_halves(counts: np.ndarray, whole: int) -> np.ndarray:
    """Return each count times one multiple of ``1 / WHOLE``, in the same two halves.

    >>> amounts_of(multiples_in_halves(np.array([0, 3]), int(WHOLE) // 2))
    array([0. , 1.5])
    """
    return np.stack([counts * half for half in _halves(whole)])


def _halves(whole: Any) -> tuple[Any, Any]:
    return whole >> HALF, whole & ((1 << HALF) - 1)


def amounts_of(sums: np.ndarray) -> np.ndarray:
    """Return sums in two halves as floats."""
    return sums[0] * 2.0**-HALF + sums[1] / WHOLE


@record(eq=False)
class Amounts:
    """The sum of the numbers of each item, in two halves: multiples of 2^-20, and what is left, where rounding does no harm.

    >>> one, two = Amounts.of(np.array([0, 1]), np.array([.1, 2]), 2), Amounts.of(np.array([0]), np.array([.2]), 2)
    >>> (one + two).total.tolist()
    [0.30000000000000004, 2.0]
    """

    upper: np.ndarray
    lower: np.ndarray

    @classmethod
    def of(cls, items: np.ndarray, numbers: np.ndarray, size: int) -> Amounts:
        """Return the sums of the numbers of ``size`` items; those of item -1 are left out."""
        inside = np.flatnonzero(items >= 0)
        items, numbers = items[inside], numbers[inside]
        # exact: STEP is a power of two, and the difference of two neighbours on its grid is a double
        upper = np.floor(numbers / STEP) * STEP
        lower = numbers - upper
        return cls(*(np.bincount(items, weights=half, minlength=size) for half in (upper, lower)))

    @property
    def total(self) -> np.ndarray:
        """The sums."""
        total: np.ndarray = self.upper + self.lower
        return total

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(self.upper + other.upper, self.lower + other.lower)


@record(eq=False)
class ItemSums:
    """Exact sums by item, of items that are rows of a catalogue of ``size``.

    ``numbers`` holds the sums in its last axis: those of ``items``, ascending, or of all items if ``items`` is None.

    >>> few = ItemSums.counted(np.array([7, 7, 99_999_999]), 100_000_000)
    >>> few.items.tolist(), few.numbers.tolist()
    ([7, 99999999], [2, 1])
    """

    numbers: np.ndarray
    size: int
    items: np.ndarray | None = None

    @classmethod
    def counted(cls, rows: np.ndarray, size: int) -> ItemSums:
        """Return how often each item stands in ``rows``."""
        if _takes_little_room(size, len(rows)):
            return cls(np.bincount(rows, minlength=size), size)
        items, counts = np.unique(rows, return_counts=True)
        return cls(counts, size, items)

    @classmethod
    def in_halves(cls, rows: np.ndarray, wholes: np.ndarray, size: int) -> ItemSums:
        """Return the sum of whole numbers of ``1 / WHOLE`` for each item, in two halves."""
        items, codes, many = _code(rows, size)
        return cls(sums_in_halves(codes, wholes, many), size, items)

    def __add__(self, other: ItemSums) -> ItemSums:
        if self.items is None or other.items is None:
            full, rest = (self, other) if self.items is None else (other, self)
            total = ItemSums(full.numbers.copy(), self.size)
            total += rest
            return total
        items, numbers = _merge(self.items, self.numbers, other.items, other.numbers)
        if not _takes_little_room(self.size, len(items), GROWING):
            return ItemSums(numbers, self.size, items)
        total = ItemSums(np.zeros((*numbers.shape[:-1], self.size), np.int64), self.size)
        total.numbers[..., items] = numbers
        return total

    def __iadd__(self, other: ItemSums) -> Self:
        """Add to these sums, which nobody else may hold: if all items have a number, only those of ``other`` are touched."""
        if self.items is not None:
            total = self + other
            return replace(self, numbers=total.numbers, items=total.items)
        if other.items is None:
            np.add(self.numbers, other.numbers, out=self.numbers)
        else:
            for own, more in zip(np.atleast_2d(self.numbers), np.atleast_2d(other.numbers), strict=True):
                np.add.at(own, other.items, more)  # += would take each number out, and put it back
        return self

    def cut(self, low: int, high: int) -> ItemSums:
        """Return the sums of the items from one row of the catalogue until another, as a catalogue of their own."""
        if self.items is None:
            return ItemSums(self.numbers[..., low:high], high - low)
        first, last = np.searchsorted(self.items, (low, high))
        return ItemSums(self.numbers[..., first:last], high - low, self.items[first:last] - low)

    def less(self, part: ItemSums) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the items of ``part``, which is a part of these sums, with and without that part."""
        items, numbers = part.shown()
        mine = self.numbers[..., items if self.items is None else np.searchsorted(self.items, items)]
        return mine, mine - numbers

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the items with a sum above 0, ascending, and their numbers."""
        if self.items is not None:
            return self.items, self.numbers
        has = np.flatnonzero(self.numbers if self.numbers.ndim == 1 else self.numbers.any(axis=0))
        return has, self.numbers[..., has]

    def alike(self) -> np.ndarray:
        """Return how many items have the number 0, 1, 2 …"""
        items_with = np.bincount(self.numbers, minlength=1)
        items_with[0] += 0 if self.items is None else self.size - len(self.items)
        return items_with


def _takes_little_room(size: int, shown: int, spare: int = SPARE) -> bool:
    """Whether a number for every item takes little room; a sum may take more, as others are added to it at once."""
    return size <= max(SMALL, spare * shown)


def _code(rows: np.ndarray, size: int) -> tuple[np.ndarray | None, np.ndarray, int]:
    """The items that have a number (None: all), the place of each row's among them, and how many there are."""
    if _takes_little_room(size, len(rows)):
        return None, rows, size
    items, codes = np.unique(rows, return_inverse=True)
    return items, codes, len(items)


def _merge(
    left: np.ndarray, of_left: np.ndarray, right: np.ndarray, of_right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The union of two ascending columns of items, and the sums of their numbers; a sort of both would be ten times slower."""
    if len(left) < len(right):
        left, of_left, right, of_right = right, of_right, left, of_left
    at = np.searchsorted(left, right)
    is_new = np.append(left, -1)[at] != right  # items are from 0 on, so -1 behind the last one equals none
    numbers = of_left.copy()
    numbers[..., at[~is_new]] += of_right[..., ~is_new]
    at = at[is_new]
    return np.insert(left, at, right[is_new]), np.insert(numbers, at, of_right[..., is_new], axis=-1)


def padded_sum(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the sum of two columns, the shorter one filled up with 0.

    >>> padded_sum(np.array([1, 2]), np.array([5])).tolist()
    [6, 2]
    """
    short, long = sorted((one, two), key=len)
    total = long.copy()
    total[: len(short)] += short
    return total


@record(eq=False)
class Tally(NotAdded):
    """How many items of a catalogue were shown 0, 1, 2 … times in ``n`` lists: all that most metrics ask of the counts."""

    alike: np.ndarray
    n: int

    def beside(self, other: Tally) -> Tally:
        """Return the tally of the items of both, in the same lists."""
        return Tally(padded_sum(self.alike, other.alike), self.n)

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return int(self.alike.sum())

    @property
    def distinct(self) -> int:
        """The number of items that were shown."""
        return int(self.alike[1:].sum())

    def without(self, part: ItemSums, whole: ItemSums, lists: int) -> Tally:
        """Return the tally after a part of the counts is taken out of the whole: only the part's items change."""
        before, after = whole.less(part)
        alike = self.alike - np.bincount(before, minlength=len(self.alike))
        return Tally(alike + np.bincount(after, minlength=len(alike)), self.n - lists)


@record(eq=False)
class ItemCounts:
    """How often each item (or topic) of a catalogue of ``size`` was shown, in ``n`` lists.

    >>> both = ItemCounts.of(np.array([3, 1]), 4, n=1) + ItemCounts.of(np.array([3]), 4, n=1)
    >>> both.items.tolist(), both.counts.tolist(), both.size, both.n
    ([1, 3], [1, 2], 4, 2)
    >>> both.alike.tolist(), both.without(ItemCounts.of(np.array([3]), 4, n=1)).alike.tolist()
    ([2, 1, 1], [2, 2, 0])
    """

    sums: ItemSums
    n: int

    @classmethod
    def of(cls, rows: np.ndarray, size: int, n: int) -> ItemCounts:
        """Return the counts of the items in ``rows``, of ``n`` lists."""
        return cls(ItemSums.counted(rows, size), n)

    def __add__(self, other: ItemCounts) -> ItemCounts:
        return ItemCounts(self.sums + other.sums, self.n + other.n)

    def __iadd__(self, other: ItemCounts) -> Self:
        """Add to these counts, which nobody else may hold."""
        sums = self.sums
        sums += other.sums
        return replace(self, sums=sums, n=self.n + other.n)

    def cut(self, low: int, high: int) -> ItemCounts:
        """Return the counts of the items from one row of the catalogue until another."""
        return ItemCounts(self.sums.cut(low, high), self.n)

    def folded(self) -> Tally:
        """Return how many items were shown how often."""
        return self._tally

    def without(self, part: ItemCounts) -> Tally:
        """Return how many items were shown how often without a part of the lists."""
        return self._tally.without(part.sums, self.sums, part.n)

    @cached_property
    def _tally(self) -> Tally:
        return Tally(self.sums.alike(), self.n)

    @property
    def alike(self) -> np.ndarray:
        """The number of items that were shown 0, 1, 2 … times."""
        return self._tally.alike

    @property
    def size(self) -> int:
        """The number of items in the catalogue."""
        return self.sums.size

    @property
    def distinct(self) -> int:
        """The number of items that were shown."""
        return self._tally.distinct

    @property
    def items(self) -> np.ndarray:
        """The items that were shown, ascending."""
        return self.sums.shown()[0]

    @property
    def counts(self) -> np.ndarray:
        """How often each of ``items`` was shown."""
        return self.sums.shown()[1]


Counts = ItemCounts | Tally
