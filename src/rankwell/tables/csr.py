"""Rows of several owners, end to end: their lengths, where each owner's begin, and the owner of each row; distinct keys and where they stand."""

from __future__ import annotations

import numpy as np

from rankwell.kernels import rank_columns as kernel

SLICE = 1 << 15  # owners at a time, so that their rows as floats stay in a processor's cache


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Return where the rows of each owner begin, and the end; of a mask, how many rows before each place are in it.

    >>> offsets_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    lengths.cumsum(dtype=np.int64, out=offsets[1:])  # lengths of 32 bits, or a mask, must not overflow
    return offsets


def owners(offsets: np.ndarray) -> np.ndarray:
    """Return the owner of each row, from the offsets of the owners.

    >>> owners(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return owners_of(np.diff(offsets))


def owners_of(lengths: np.ndarray) -> np.ndarray:
    """Return the owner of each row, from how many rows each owner has.

    >>> owners_of(np.array([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(lengths)), lengths)


def places_of(lengths: np.ndarray) -> np.ndarray:
    """Return the place of each row among those of its owner, from 1.

    >>> places_of(np.array([2, 0, 3])).tolist()
    [1, 2, 1, 2, 3]
    """
    return kernel.places(offsets_of(lengths))


def as_slice(rows: np.ndarray) -> np.ndarray | slice:
    """Return rows that follow each other as a slice, which copies nothing; others as they are.

    >>> as_slice(np.array([4, 5, 6])), as_slice(np.array([4, 6]))
    (slice(4, 7, None), array([4, 6]))
    """
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and bool(np.all(rows[1:] > rows[:-1])):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def are_places(values: np.ndarray, offsets: np.ndarray) -> bool:
    """Return whether the numbers of the rows of each owner are their places, from 1.

    >>> are_places(np.array([1, 2, 1.0]), np.array([0, 2, 3]))
    True
    """
    for low in range(0, len(offsets) - 1, SLICE):
        part = offsets[low : low + SLICE + 1]
        floats = np.ascontiguousarray(values[part[0] : part[-1]], np.float64)
        if not kernel.are_places(part - part[0], floats):
            return False
    return True


def distinct(keys: np.ndarray) -> np.ndarray:
    """Return the distinct keys, ascending; of whole numbers a hundred times as fast as ``np.unique``, which hashes them.

    >>> distinct(np.array([5, 2, 9, 2])).tolist()
    [2, 5, 9]
    """
    ascending = np.sort(keys)
    is_first = np.ones(len(ascending), np.bool_)
    is_first[1:] = ascending[1:] != ascending[:-1]
    return ascending if is_first.all() else ascending[is_first]


def places_among(keys: np.ndarray, looked_up: np.ndarray) -> np.ndarray:
    """Return the place of each wanted key among ascending keys from 0 on, -1 for one that is not there.

    >>> places_among(np.array([2, 5, 9]), np.array([9, 3, 2])).tolist()
    [2, -1, 0]
    """
    at = np.searchsorted(keys, looked_up)
    # keys are from 0 on, so -1 behind the last one equals no wanted key
    return np.where(np.append(keys, -1)[at] == looked_up, at, -1)
