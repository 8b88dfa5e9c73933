"""Digests: fixed numbers that identify tables, the same for any order of their rows."""

from __future__ import annotations

import numpy as np

from rankwell.records import record
from rankwell.statistics.draws import first, further

SEEDS = 1, 2
SIZE = 1 << 64


@record(slots=True)
class Digest:
    """The sums of two hashes of each row; the digests of the parts of a table add up to that of the whole.

    >>> one, two = Digest.of_rows(np.array([1, 2]), np.array([.5, 1])), Digest.of_rows(np.array([2]), np.array([1.]))
    >>> one == two + Digest.of_rows(np.array([1]), np.array([.5]))
    True
    """

    sums: tuple[int, int] = (0, 0)

    @classmethod
    def of_rows(cls, *columns: np.ndarray) -> Digest:
        """Return the digest of rows of numbers of 64 bits."""
        found = []
        for seed in SEEDS:
            hashed = first(seed)
            for column in columns:
                hashed = further(hashed, np.ascontiguousarray(column).view(np.uint64))
            found.append(int(hashed.sum(dtype=np.uint64)))
        return cls((found[0], found[1]))

    def __add__(self, other: Digest) -> Digest:
        one, two = (sum(pair) % SIZE for pair in zip(self.sums, other.sums, strict=True))
        return Digest((one, two))

    def to_bytes(self) -> bytes:
        """Return the digest as 16 bytes."""
        return b"".join(each.to_bytes(8, "little") for each in self.sums)
