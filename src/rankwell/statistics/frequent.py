"""The most frequent values of a row with the weight that each has, as counts that add up over parts of it and stay small."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST = 32  # values kept; more than the 30 beside the most frequent one from which on no interval is doubted
DIGITS = 12  # weighted values that are equal so far are one value


class Share(NamedTuple):
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

    shares: dict[float, Share]
    is_whole: bool

    @classmethod
    def of(cls, values: np.ndarray, sizes: np.ndarray | None = None) -> Frequent:
        """Return the values of a row, none NaN; without sizes each unit counts 1."""
        keys = values if sizes is None else np.round(values, DIGITS)
        found, first, of = np.unique(keys, return_index=True, return_inverse=True)
        total = np.bincount(of, sizes, len(found))
        squares = total if sizes is None else np.bincount(of, sizes**2, len(found))
        columns = (each.tolist() for each in (values[first], total, squares))
        return _kept(dict(zip(found.tolist(), map(Share, *columns), strict=True)), is_whole=True)

    def __add__(self, other: Frequent) -> Frequent:  # type: ignore[override]
        """Return the values of both rows."""
        shares = dict(self.shares)
        for key, more in other.shares.items():
            own = shares.get(key, Share(more.value, 0.0, 0.0))
            shares[key] = Share(own.value, own.size + more.size, own.squares + more.squares)
        return _kept(shares, is_whole=self.is_whole and other.is_whole)

    @property
    def most(self) -> float:
        """The size of the most frequent value."""
        return max((share.size for share in self.shares.values()), default=0.0)


def _kept(shares: dict[float, Share], *, is_whole: bool) -> Frequent:
    if len(shares) <= MOST:
        return Frequent(shares, is_whole)
    less = sorted((share.size for share in shares.values()), reverse=True)[MOST]
    left = {key: share._replace(size=share.size - less) for key, share in shares.items() if share.size > less}
    return Frequent(left, is_whole=False)
