"""Numbers that depend on ids alone: random draws, and digests that identify tables, the same for any order of rows, machine and number of threads."""

from __future__ import annotations

import numpy as np

from rankwell.kernels import fingerprints
from rankwell.records import record
from rankwell.statistics.draws import first, further
from rankwell.tables.ids import Ids

SEEDS = 1, 2  # two hashes of 64 bits: with one alone, two of some billion tables would be taken for the same
SIZE = 1 << 64


def draws(seed: int, *keys: Ids | np.ndarray) -> np.ndarray:
    """Return a random number of 64 bits per row, drawn by the seed and the row's keys (ids or whole numbers).

    Each key is folded in by the finaliser of SplitMix64 (Steele et al., 2014); an integer id counts as its decimal text.

    Examples
    --------
    >>> draws(1, Ids.of(["a", "b"])).tolist() == draws(1, Ids.of(["b", "a"]))[::-1].tolist()
    True
    >>> draws(1, Ids.of([10])).tolist() == draws(1, Ids.of(["10"])).tolist() != draws(2, Ids.of([10])).tolist()
    True
    """
    drawn = first(seed)
    for key in keys:
        numbers = fingerprints_of(key) if isinstance(key, Ids) else np.asarray(key, np.int64).view(np.uint64)
        drawn = further(drawn, numbers)
    return drawn


def fingerprints_of(ids: Ids) -> np.ndarray:
    """Return a fixed number of 64 bits per id: an integer has that of its decimal text."""
    if ids.is_text:
        return fingerprints.of_text(ids.text, ids.starts, ids.lengths)
    return fingerprints.of_integers(np.ascontiguousarray(ids.integers))


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
        sums = []
        for seed in SEEDS:
            hashed = first(seed)
            for column in columns:
                hashed = further(hashed, np.ascontiguousarray(column).view(np.uint64))
            # a sum, which wraps at 2**64, is the same in any order; xor would lose rows that are there twice
            sums.append(int(hashed.sum(dtype=np.uint64)))
        return cls((sums[0], sums[1]))

    def __add__(self, other: Digest) -> Digest:
        one, two = (sum(pair) % SIZE for pair in zip(self.sums, other.sums, strict=True))
        return Digest((one, two))

    def to_bytes(self) -> bytes:
        """Return the digest as 16 bytes."""
        return b"".join(half.to_bytes(8, "little") for half in self.sums)
