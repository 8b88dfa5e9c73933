"""Lists as sums of the sparse vectors of their items."""

from __future__ import annotations

import cython
import numpy as np


def sums(
    lists: int,
    of_list: np.ndarray,
    items: np.ndarray,
    weights: np.ndarray,
    offsets: np.ndarray,
    codes: np.ndarray,
    values: np.ndarray,
    width: int,
) -> np.ndarray:
    """Return for each list the sum of its items' vectors, as dense rows, added in the order of the rows.

    ``of_list``, ``items`` and ``weights`` (unless empty) have one entry per row; an item below 0 has no vector. The vector of
    item i is ``values[offsets[i]:offsets[i + 1]]`` in the columns ``codes`` there.
    """
    out = np.zeros((lists, width))
    total: cython.double[:, ::1] = out
    of: cython.const[cython.longlong][::1] = np.ascontiguousarray(of_list, np.int64)
    item: cython.const[cython.longlong][::1] = np.ascontiguousarray(items, np.int64)
    weight: cython.const[cython.double][::1] = np.ascontiguousarray(weights, np.float64)
    start: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    code: cython.const[cython.longlong][::1] = np.ascontiguousarray(codes, np.int64)
    value: cython.const[cython.double][::1] = np.ascontiguousarray(values, np.float64)
    is_weighted: cython.bint = weight.shape[0] > 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.longlong
    with cython.nogil:
        for i in range(item.shape[0]):
            row = item[i]
            if row < 0:
                continue
            for j in range(start[row], start[row + 1]):
                if is_weighted:
                    total[of[i], code[j]] += value[j] * weight[i]
                else:
                    total[of[i], code[j]] += value[j]
    return out
