"""Sparse vectors of items: their lengths, and lists as sums of them."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import sqrt
from cython.cimports.rankwell.kernels.offsets import refuse_offsets


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
    refuse_offsets(start, value.shape[0])
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


def squares(offsets: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the squared length of each vector."""
    start: cython.const[cython.longlong][::1] = offsets
    value: cython.const[cython.double][::1] = values
    found = np.zeros(len(offsets) - 1)
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    refuse_offsets(start, value.shape[0])
    with cython.nogil:
        for i in range(out.shape[0]):
            for j in range(start[i], start[i + 1]):
                out[i] += value[j] * value[j]
    return found


def units(offsets: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the values of the same vectors with length 1."""
    start: cython.const[cython.longlong][::1] = offsets
    value: cython.const[cython.double][::1] = values
    found = np.empty(len(values))
    out: cython.double[::1] = found
    begins = np.empty(len(offsets), np.int64)
    begin: cython.longlong[::1] = begins
    count: cython.Py_ssize_t = 0
    length: cython.double
    square: cython.double
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    refuse_offsets(start, value.shape[0])
    with cython.nogil:
        # first where vectors that are not empty begin: no branch, of which a processor would guess every other one wrong
        for i in range(start.shape[0] - 1):
            begin[count] = start[i]
            count += start[i + 1] > start[i]
        begin[count] = start[start.shape[0] - 1]
        for i in range(count):
            square = 0.0
            for j in range(begin[i], begin[i + 1]):
                square += value[j] * value[j]
            length = sqrt(square)
            for j in range(begin[i], begin[i + 1]):
                out[j] = value[j] / length
    return found
