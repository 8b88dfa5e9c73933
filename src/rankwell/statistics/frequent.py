"""The most frequent values of a row with the weight that each has, as counts that add up over parts of it and stay small."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST = 32  # values kept; more than the 30 beside the most frequent one from which on no interval is doubted
DIGITS = 12  # values that are equal so far are one value
# Values no further apart are equal. Rounding moves a value of a metric by some 1e-16, and its steps (1/k, a discount) are above 1e-9, so
# that this tells both apart, also for a multiple between half and a thousand times of the metric; 1 + noise of a value above 10^6 it does not.
TIE = 1e-9


def starts(ordered: np.ndarray) -> np.ndarray:
    """Return where, along the last axis of ascending values, another value begins: more than 1e-9 above the one before.

    By gaps, not by rounding: a multiple of a step has no place to stand where both sides of it are rounded apart.

    Examples
    --------
    >>> starts(np.array([0.2, 1 - 0.8, 0.4])).tolist()
    [True, False, True]
    """
    begins = np.ones(ordered.shape, bool)
    begins[..., 1:] = ~(np.diff(ordered, axis=-1) <= TIE)  # NaN is unlike anything
    return begins


class ValueShare(NamedTuple):
    """A value, the sum of the sizes of its units, and the sum of their squares."""

    value: float
    size: float
    squares: float


class Frequent(NamedTuple):
    """Values with what they weigh: all of a row (``is_whole``), or the most frequent ones.

    Of more than 32 values, the size of the 33rd is taken from all, and what is left of none is dropped (Misra and Gries, 1982,
    whose summaries can be added: Agarwal et al., PODS 2012). So the size of the most frequent value is never too large, and too
    small by at most a 32nd of that of all others.
    """

    shares: dict[float, ValueShare]
    is_whole: bool

    @classmethod
    def of(cls, values: np.ndarray, sizes: np.ndarray | None = None) -> Frequent:
        """Return the values of a row, none NaN; without sizes each unit counts 1."""
        if not len(values):
            return cls({}, is_whole=True)
        sizes = np.ones(len(values)) if sizes is None else sizes
        order = np.argsort(values)
        key = np.round(values[order], DIGITS)
        begins = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        size, squares = (np.add.reduceat(column[order], begins) for column in (sizes, sizes**2))
        return _keep_most(key[begins], values[order[begins]], size, squares, is_whole=True)

    def __add__(self, other: Frequent) -> Frequent:  # type: ignore[override]
        """Return the values of both rows."""
        shares = dict(self.shares)
        for key, more in other.shares.items():
            own = shares.get(key, ValueShare(more.value, 0.0, 0.0))
            # the least of the values that are one, whichever part comes first
            shares[key] = ValueShare(
                min(own.value, more.value), own.size + more.size, own.squares + more.squares
            )
        columns = np.array([*shares.values()], np.float64).reshape(-1, 3).T
        return _keep_most(
            np.array([*shares], np.float64), *columns, is_whole=self.is_whole and other.is_whole
        )

    @property
    def most(self) -> float:
        """The size of the most frequent value; keys that rounding drew apart are one."""
        if not self.shares:
            return 0.0
        value, size, _ = np.array(sorted(self.shares.values())).T
        return float(np.add.reduceat(size, np.flatnonzero(starts(value))).max())


def _keep_most(
    key: np.ndarray, value: np.ndarray, size: np.ndarray, squares: np.ndarray, *, is_whole: bool
) -> Frequent:
    if len(key) > MOST:
        less = np.partition(size, -MOST - 1)[-MOST - 1]
        left = np.flatnonzero(size > less)
        key, value, size, squares, is_whole = key[left], value[left], size[left] - less, squares[left], False
    columns = (column.tolist() for column in (value, size, squares))
    return Frequent(dict(zip(key.tolist(), map(ValueShare, *columns), strict=True)), is_whole)
