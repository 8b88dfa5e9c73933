"""The first candidates of each list that its user does not have."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets


def first(
    candidates: np.ndarray, users: np.ndarray, offsets: np.ndarray, owned: np.ndarray, items: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first k different candidates (a row per user) that the user has not, end to end, and how many each got.

    Candidates are numbers below ``items``; what user u has is ``owned[offsets[u]:offsets[u + 1]]``.
    """
    c: cython.const[cython.longlong][:, :] = candidates
    u: cython.const[cython.longlong][::1] = users
    o: cython.const[cython.longlong][::1] = offsets
    w: cython.const[cython.longlong][::1] = owned
    m: cython.longlong[::1] = np.zeros(items, np.int64)  # the last row, from 1, that has or got the item
    taken = np.empty(c.shape[0] * min(k, c.shape[1]), np.int64)
    t: cython.longlong[::1] = taken
    counts = np.empty(len(users), np.int64)
    n: cython.longlong[::1] = counts
    most: cython.Py_ssize_t = min(k, c.shape[1])
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    refuse_offsets(o, w.shape[0])
    with cython.nogil:
        for i in range(u.shape[0]):
            for j in range(o[u[i]], o[u[i] + 1]):
                m[w[j]] = i + 1
            begin = count
            for j in range(c.shape[1]):
                if count - begin == most:
                    break
                if m[c[i, j]] <= i:
                    m[c[i, j]] = i + 1
                    t[count] = c[i, j]
                    count += 1
            n[i] = count - begin
    return taken[:count], counts
