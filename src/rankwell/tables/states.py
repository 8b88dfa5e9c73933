"""States: what a metric keeps of a batch of queries. States add, and ``metric.value(sum of states)`` is the number.

A state is frozen, holds what adds up and nothing else. Adding is exact, so it does not matter how the queries were cut
into batches.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn, Protocol, Self, runtime_checkable

import numpy as np

from rankwell.errors import UsageError
from rankwell.kernels import sums
from rankwell.records import record
from rankwell.tables.csr import offsets_of

# every finite double is a multiple of 2**-_POINT
_POINT = 1127
HALF = 26
WHOLE = 2.0 ** (2 * HALF)  # weights up to 1 are kept as multiples of 1 / WHOLE
LIMB, LIMBS = (
    2.0**31,
    3,
)  # values below the first are sums of so many whole numbers, each times 1 / LIMB of the one before


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
    n, found = np.diff(offsets), np.full(len(offsets) - 1, math.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        parts, rest = [], values * LIMB
        for _ in range(LIMBS):
            parts.append(np.floor(rest))
            rest = (rest - parts[-1]) * LIMB
        odd = (rest != 0) | (np.abs(values) >= LIMB)  # too small or too large for the parts
    wholes = (np.where(odd, 0, part).astype(np.int64) for part in parts)
    alone, several = n == 1, n > 1
    found[alone] = values[offsets[:-1][alone]] + 0.0  # no negative zero
    added = [np.diff(offsets_of(whole)[offsets])[several].tolist() for whole in wholes]
    found[several] = [
        ((a << 62) + (b << 31) + c) / (count << 93)
        for a, b, c, count in zip(*added, n[several].tolist(), strict=True)
    ]
    for group in np.unique(np.searchsorted(offsets, np.flatnonzero(odd), side="right") - 1).tolist():
        found[group] = Mean.of(values[offsets[group] : offsets[group + 1]]).value
    return found


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
