"""The ranks of judged rows in their lists, and the groups of tied scores they belong to."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.spans import before


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
    """The first position in descending ``hit_score[low:high]`` that is below ``value``, or equal to it (equal_too)."""
    left: cython.Py_ssize_t = high - low
    half: cython.Py_ssize_t
    middle: cython.double
    while left > 0:
        # branch-free: the half to skip is chosen by arithmetic
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
    """Return the rank of each hit, and the first rank and the size of its tie group.

    ``hit_rows`` holds the hits of each list in rank order (``order.sort``). Lists are not sorted: each row finds its position
    among the few hits of its list; if the scores are descending, a row's position is its rank. Rows marked in ``left_out`` (one
    byte per row, or empty) are not counted.
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
    falling: cython.bint
    above: cython.longlong
    ahead: cython.longlong = 0
    with cython.nogil:
        for g in range(ho.shape[0] - 1):
            low = ho[g]
            high = ho[g + 1]
            if low == high:
                continue
            falling = gone.shape[0] == 0
            for r in range(o[g] + 1, o[g + 1]):
                falling = falling and sc[r - 1] > sc[r]
                if not falling:
                    break
            if falling:
                for j in range(low, high):
                    rk[j] = hr[j] - o[g] + 1
                    ts[j] = rk[j]
                    tz[j] = 1
                continue
            at = low
            for r in range(o[g], o[g + 1]):
                if gone.shape[0] > 0 and gone[r]:
                    continue
                value = sc[r]
                # adjacent rows mostly fall into the same gap between two hits
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
                    if r != hr[middle] and before(r, hr[middle], how, k, x, s, n):
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


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _are_closed(
    o: cython.const[cython.longlong][::1],
    sc: cython.const[cython.double][::1],
    first: cython.double,
    seen: cython.longlong[::1],
) -> cython.int:
    """Whether each list has each of its ranks once; ``seen`` is the list, from 1, that a rank out of order was last seen in."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    length: cython.Py_ssize_t
    in_order: cython.Py_ssize_t
    at: cython.Py_ssize_t
    value: cython.double
    for i in range(o.shape[0] - 1):
        length = o[i + 1] - o[i]
        in_order = 0
        while in_order < length and -sc[o[i] + in_order] == first + in_order:
            in_order += 1
        for j in range(o[i] + in_order, o[i + 1]):
            value = -sc[j] - first
            if not (in_order <= value < length):  # nan too
                return 0
            at = cython.cast(cython.Py_ssize_t, value)
            if at != value or seen[at] == i + 1:
                return 0
            seen[at] = i + 1
    return 1


def are_closed(offsets: np.ndarray, score: np.ndarray, base: int) -> bool:
    """Return whether the ranks of each list, in ``score`` as negative numbers, are ``base``, ``base + 1``, … in any order."""
    o: cython.const[cython.longlong][::1] = offsets
    sc: cython.const[cython.double][::1] = score
    seen: cython.longlong[::1] = np.zeros(int(np.diff(offsets).max(initial=0)), np.int64)
    first: cython.double = base
    answer: cython.int
    with cython.nogil:
        answer = _are_closed(o, sc, first, seen)
    return answer != 0


def are_places(offsets: np.ndarray, values: np.ndarray) -> bool:
    """Return whether the values of each list are 1, 2, … in this order."""
    o: cython.const[cython.longlong][::1] = offsets
    v: cython.const[cython.double][::1] = values
    lists: cython.Py_ssize_t = len(offsets) - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    wrong: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(lists):
            for j in range(o[i], o[i + 1]):
                wrong += v[j] != j - o[i] + 1
            if wrong:
                break
    return wrong == 0


def places(offsets: np.ndarray) -> np.ndarray:
    """Return the place of each row in its list, from 1."""
    o: cython.const[cython.longlong][::1] = offsets
    first: cython.Py_ssize_t = offsets[0]
    lists: cython.Py_ssize_t = len(offsets) - 1
    found = np.empty(int(offsets[len(offsets) - 1]) - first, np.int64)
    f: cython.longlong[::1] = found
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(lists):
            for j in range(o[i], o[i + 1]):
                f[j - first] = j - o[i] + 1
    return found


def contradictions(offsets: np.ndarray, key: np.ndarray, given: np.ndarray) -> int:
    """Return how many rows of a list have a lower key but a higher score than the row above; -1 if keys rise in some list."""
    o: cython.const[cython.longlong][::1] = offsets
    k: cython.const[cython.double][::1] = key
    v: cython.const[cython.double][::1] = given
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    rising: cython.Py_ssize_t = 0
    with cython.nogil:
        # all pairs of neighbours, then without those of two lists: compilers take many pairs at once
        for j in range(1, k.shape[0]):
            found += (k[j] < k[j - 1]) & (v[j] > v[j - 1])
            rising += k[j] > k[j - 1]
        for i in range(1, o.shape[0] - 1):
            j = o[i]
            if 0 < j < o[i + 1]:
                found -= (k[j] < k[j - 1]) & (v[j] > v[j - 1])
                rising -= k[j] > k[j - 1]
    return -1 if rising else found
