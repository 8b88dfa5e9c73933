"""Lists sorted into rank order.

A row comes before another if its score is higher; tied rows are ordered by a rule on their ids as UTF-8 text (integers by
their decimal text) or by position in the input, and rows with the same id by position.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets
from cython.cimports.rankwell.kernels.sorting import sort_rows

TIE_RULES = {"item-desc": 0, "item-asc": 1, "order": 2}
LEVELS = cython.declare(cython.longlong, 16)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _sort_levels(
    rows: cython.longlong[::1],
    scratch: cython.longlong[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    score: cython.const[cython.double][::1],
) -> cython.int:
    """Sort ascending rows by score, if it has a few levels, as grades have; 0, and the rows unchanged, if it has more."""
    level: cython.double[16]
    count: cython.Py_ssize_t[16]
    place: cython.Py_ssize_t[16]
    levels: cython.int = 0
    c: cython.int = 0
    d: cython.int
    i: cython.Py_ssize_t
    row: cython.longlong
    value: cython.double
    for i in range(low, high):
        row = rows[i]
        value = score[row]
        if (
            i > low and row < rows[i - 1]
        ):  # counting keeps the order of the input, which is the rule only of ascending rows
            return 0
        if levels == 0 or value != level[c]:
            c = 0
            while c < levels and value != level[c]:
                c += 1
            if c == LEVELS:
                return 0
            if c == levels:
                level[c] = value
                count[c] = 0
                levels += 1
        count[c] += 1
        scratch[i] = row * LEVELS + c  # both in one word: the second pass need not compare again
    for c in range(levels):
        place[c] = low
        for d in range(levels):
            if level[d] > level[c]:
                place[c] += count[d]
    for i in range(low, high):
        c = scratch[i] & (LEVELS - 1)
        rows[place[c]] = scratch[i] >> 4
        place[c] += 1
    return 1


def sort(
    rows: np.ndarray,
    offsets: np.ndarray,
    score: np.ndarray,
    keys: np.ndarray,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    rule: int,
) -> None:
    """Sort ``rows`` into rank order, in place, within each group ``rows[offsets[g] : offsets[g + 1]]``."""
    r: cython.longlong[::1] = rows
    o: cython.const[cython.longlong][::1] = offsets
    sc: cython.const[cython.double][::1] = score
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    scratch: cython.longlong[::1] = np.empty(len(rows), np.int64)
    how: cython.int = rule
    g: cython.Py_ssize_t
    refuse_offsets(o, r.shape[0])
    with cython.nogil:
        for g in range(o.shape[0] - 1):
            if how != 2 or not _sort_levels(r, scratch, o[g], o[g + 1], sc):
                sort_rows(r, scratch, o[g], o[g + 1], how, sc, k, x, s, n)


def tops(
    offsets: np.ndarray,
    score: np.ndarray,
    keys: np.ndarray,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    rule: int,
    left_out: np.ndarray,
    deepest: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first ``deepest`` rows of each list in rank order, and how many there are.

    Rows marked in ``left_out`` (one byte per row, or empty) are skipped. A list with descending scores is not sorted.
    """
    o: cython.const[cython.longlong][::1] = offsets
    sc: cython.const[cython.double][::1] = score
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    gone: cython.const[cython.uchar][::1] = left_out
    lists: cython.Py_ssize_t = o.shape[0] - 1
    most: cython.longlong = deepest
    how: cython.int = rule
    longest: cython.longlong = 0
    total: cython.longlong = 0
    g: cython.Py_ssize_t
    refuse_offsets(o, sc.shape[0])
    for g in range(lists):
        longest = max(longest, o[g + 1] - o[g])
        total += min(most, o[g + 1] - o[g])
    rows = np.empty(total, np.int64)
    counts = np.empty(lists, np.int64)
    r: cython.longlong[::1] = rows
    c: cython.longlong[::1] = counts
    own: cython.longlong[::1] = np.empty(longest, np.int64)
    scratch: cython.longlong[::1] = np.empty(longest, np.int64)
    at: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    j: cython.longlong
    row: cython.longlong
    size: cython.longlong
    with cython.nogil:
        for g in range(lists):
            size = o[g + 1] - o[g]
            begin = at
            row = o[g] + 1
            while row < o[g + 1] and sc[row - 1] > sc[row]:
                row += 1
            for j in range(size):
                own[j] = o[g] + j
            if row < o[g + 1]:
                sort_rows(own, scratch, 0, size, how, sc, k, x, s, n)
            for j in range(size):
                if at - begin == most:
                    break
                row = own[j]
                if gone.shape[0] > 0 and gone[row]:
                    continue
                r[at] = row
                at += 1
            c[g] = at - begin
    return rows[:at], counts
