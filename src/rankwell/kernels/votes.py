"""Votes of several lists for the items of a query: their sums, and the highest of each query."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets


def add(total: np.ndarray, rows: np.ndarray, values: np.ndarray, weight: float) -> None:
    """Add ``weight * values`` to the total of rows, each of which is named at most once."""
    t: cython.double[::1] = total
    r: cython.const[cython.longlong][::1] = np.ascontiguousarray(rows, np.int64)
    v: cython.const[cython.double][::1] = np.ascontiguousarray(values, np.float64)
    w: cython.double = weight
    n: cython.Py_ssize_t = min(len(rows), len(values))
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            t[r[i]] += w * v[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _sink(heap: cython.double[::1], n: cython.Py_ssize_t, at: cython.Py_ssize_t) -> cython.int:
    """Move a number down until none below it is lower."""
    value: cython.double = heap[at]
    child: cython.Py_ssize_t = 2 * at + 1
    while child < n:
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if not heap[child] < value:
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = value
    return 0


def highest(offsets: np.ndarray, score: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of each list, ascending, of which fewer than k have a higher score, and where each list begins among them.

    A list with a score that is NaN is kept whole.
    """
    o: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    s: cython.const[cython.double][::1] = score
    refuse_offsets(o, s.shape[0])
    longest = int(np.diff(offsets).max(initial=0))
    most: cython.Py_ssize_t = min(k, longest)
    rows = np.empty(len(score), np.int64)
    begins = np.zeros(len(offsets), np.int64)
    kept: cython.longlong[::1] = rows
    begin: cython.longlong[::1] = begins
    heap: cython.double[::1] = np.empty(most + 1)
    found: cython.Py_ssize_t = 0
    g: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.longlong
    is_whole: cython.bint
    with cython.nogil:
        for g in range(o.shape[0] - 1):
            is_whole = o[g + 1] - o[g] <= most
            # a heap of the k highest so far, the lowest of them on top: one pass, and no sort of the whole list
            if not is_whole:
                for i in range(most):
                    heap[i] = s[o[g] + i]
                for i in range(most // 2 - 1, -1, -1):
                    _sink(heap, most, i)
                for row in range(o[g], o[g + 1]):
                    is_whole = is_whole or s[row] != s[row]
                    if row >= o[g] + most and s[row] > heap[0]:
                        heap[0] = s[row]
                        _sink(heap, most, 0)
            for row in range(o[g], o[g + 1]):
                if is_whole or s[row] >= heap[0]:
                    kept[found] = row
                    found += 1
            begin[g + 1] = found
    return rows[:found], begins
