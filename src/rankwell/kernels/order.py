"""Where rows rank: the ranks and tie groups of the judged rows, and whole lists put in order.

A row comes before another if its score is higher; rows with equal scores are ordered by a tie rule on their ids
as UTF-8 text (integers by their decimal text) or by their place in the input, and rows with the same id by place.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcmp

TIE_RULES = {"item-desc": 0, "item-asc": 1, "order": 2}


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-2, check=False)
def _sign(value: cython.longlong) -> cython.int:
    return (value > 0) - (value < 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(-2, check=False)
def _compare_decimal(a: cython.longlong, b: cython.longlong) -> cython.int:
    """Compare two integers by their decimal text."""
    if a == b:
        return 0
    if (a < 0) != (b < 0):
        return -1 if a < 0 else 1
    x: cython.ulonglong = 0 - cython.cast(cython.ulonglong, a) if a < 0 else a
    y: cython.ulonglong = 0 - cython.cast(cython.ulonglong, b) if b < 0 else b
    u: cython.ulonglong = x
    v: cython.ulonglong = y
    shorter: cython.int = 0
    while u >= 10 or v >= 10:
        if u < 10:
            x *= 10
            shorter = -1
        if v < 10:
            y *= 10
            shorter = 1
        u //= 10 if u >= 10 else 1
        v //= 10 if v >= 10 else 1
    return shorter if x == y else (-1 if x < y else 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _before(
    a: cython.longlong,
    b: cython.longlong,
    rule: cython.int,
    keys: cython.const[cython.ulonglong][::1],
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.int][::1],
) -> cython.int:
    """Whether row a comes before row b, both having the same score."""
    order: cython.int = 0
    common: cython.longlong
    if rule != 2:
        if starts.shape[0] > 0:
            common = min(lengths[a], lengths[b])
            if common > 0:
                order = _sign(
                    memcmp(cython.address(text[starts[a]]), cython.address(text[starts[b]]), common)
                )
            if order == 0:
                order = _sign(lengths[a] - lengths[b])
        else:
            order = _compare_decimal(
                cython.cast(cython.longlong, keys[a]), cython.cast(cython.longlong, keys[b])
            )
        if rule == 0:
            order = -order
    return a < b if order == 0 else order < 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _sort(
    rows: cython.longlong[::1],
    scratch: cython.longlong[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    rule: cython.int,
    score: cython.const[cython.double][::1],
    keys: cython.const[cython.ulonglong][::1],
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.int][::1],
) -> cython.int:
    """Sort ``rows[low:high]``: insertion sort in stretches of 8, then merges; a merge of ordered halves is free."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    end: cython.Py_ssize_t
    width: cython.Py_ssize_t = 8
    row: cython.longlong
    other: cython.longlong
    for a in range(low, high, 8):
        for i in range(a + 1, min(a + 8, high)):
            row = rows[i]
            j = i
            while j > a:
                other = rows[j - 1]
                if score[other] > score[row] or (
                    score[other] == score[row] and _before(other, row, rule, keys, text, starts, lengths)
                ):
                    break
                rows[j] = other
                j -= 1
            rows[j] = row
    while width < high - low:
        a = low
        while a + width < high:
            middle = a + width
            end = min(a + 2 * width, high)
            row = rows[middle]
            other = rows[middle - 1]
            if not (
                score[other] > score[row]
                or (score[other] == score[row] and _before(other, row, rule, keys, text, starts, lengths))
            ):
                for i in range(a, middle):
                    scratch[i] = rows[i]
                i = a
                b = middle
                j = a
                while i < middle:
                    if b < end:
                        row = rows[b]
                        other = scratch[i]
                        if score[row] > score[other] or (
                            score[row] == score[other]
                            and _before(row, other, rule, keys, text, starts, lengths)
                        ):
                            rows[j] = row
                            b += 1
                            j += 1
                            continue
                    rows[j] = scratch[i]
                    i += 1
                    j += 1
            a = end
        width *= 2
    return 0


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
    """Put ``rows`` in rank order, in place, within each group ``rows[offsets[g] : offsets[g + 1]]``."""
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
    with cython.nogil:
        for g in range(o.shape[0] - 1):
            _sort(r, scratch, o[g], o[g + 1], how, sc, k, x, s, n)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _first_below(
    value: cython.double,
    hit_score: cython.const[cython.double][::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    equal_too: cython.bint = False,
) -> cython.Py_ssize_t:
    """The first place in descending ``hit_score[low:high]`` that is below ``value``, or at it (equal_too)."""
    left: cython.Py_ssize_t = high - low
    half: cython.Py_ssize_t
    middle: cython.double
    while left > 0:
        # no branch to mispredict: the half that is passed over is chosen by arithmetic
        half = (left + 1) >> 1
        middle = hit_score[low + half - 1]
        low += half * (middle > value or (not equal_too and middle == value))
        left -= half
    return low


def ranks(
    offsets: np.ndarray,
    score: np.ndarray,
    keys: np.ndarray,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    rule: int,
    left_out: np.ndarray,
    hit_offsets: np.ndarray,
    hit_rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rank of each hit, and the first rank and the size of the tie group that holds it.

    ``hit_rows`` holds the hits of each list in rank order (:func:`sort`). No list is sorted: each row finds its
    place among the few hits of its list. Rows marked in ``left_out`` (one byte per row, or empty) are not counted.
    """
    o: cython.const[cython.longlong][::1] = offsets
    sc: cython.const[cython.double][::1] = score
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    gone: cython.const[cython.uchar][::1] = left_out
    ho: cython.const[cython.longlong][::1] = hit_offsets
    hr: cython.const[cython.longlong][::1] = hit_rows
    how: cython.int = rule
    hs: cython.const[cython.double][::1] = score[hit_rows]
    rank = np.empty(len(hit_rows), np.int64)
    tie_start = np.empty(len(hit_rows), np.int64)
    tie_size = np.zeros(len(hit_rows), np.int64)
    hi: cython.longlong[::1] = np.zeros(len(hit_rows) + 1, np.int64)
    be: cython.longlong[::1] = np.zeros(len(hit_rows) + 1, np.int64)
    rk: cython.longlong[::1] = rank
    ts: cython.longlong[::1] = tie_start
    tz: cython.longlong[::1] = tie_size
    g: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    at: cython.Py_ssize_t
    j: cython.Py_ssize_t
    end: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    r: cython.longlong
    value: cython.double
    above: cython.longlong
    ahead: cython.longlong = 0
    with cython.nogil:
        for g in range(ho.shape[0] - 1):
            low = ho[g]
            high = ho[g + 1]
            if low == high:
                continue
            at = low
            for r in range(o[g], o[g + 1]):
                if gone.shape[0] > 0 and gone[r]:
                    continue
                value = sc[r]
                # neighbouring rows mostly fall into the same gap between two hits
                if (at < high and hs[at] > value) or (at > low and hs[at - 1] <= value):
                    at = _first_below(value, hs, low, high, True)
                if at == high:
                    continue
                if hs[at] < value:
                    hi[at] += 1
                    continue
                tz[at] += 1
                end = at + 1
                if end < high and hs[end] == value:
                    end = _first_below(value, hs, end, high)
                if end < high:
                    hi[end] += 1
                j = at
                while j < end:
                    middle = (j + end) // 2
                    if r != hr[middle] and _before(r, hr[middle], how, k, x, s, n):
                        end = middle
                    else:
                        j = middle + 1
                if j < high and hs[j] == value:
                    be[j] += 1
            above = 0
            for j in range(low, high):
                above += hi[j]
                if j == low or hs[j] != hs[j - 1]:
                    ahead = 0
                    ts[j] = above + 1
                else:
                    ts[j] = ts[j - 1]
                    tz[j] = tz[j - 1]
                ahead += be[j]
                rk[j] = ts[j] + ahead
    return rank, tie_start, tie_size
