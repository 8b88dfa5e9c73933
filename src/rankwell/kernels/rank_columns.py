"""Places of rows in their lists, rank columns held against them, groups of equal scores, and running sums."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-2, check=False)
def _place_taken(
    seen: cython.longlong[::1],
    rank: cython.double,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    number: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Note in ``seen`` that list ``number``, from 1, has a rank, from 0; -1 if it is none from ``low`` to ``high``, or was seen there."""
    at: cython.Py_ssize_t
    if not (low <= rank < high):  # nan too
        return -1
    at = cython.cast(cython.Py_ssize_t, rank)
    if at != rank or seen[at] == number:
        return -1
    seen[at] = number
    return at


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
    for i in range(o.shape[0] - 1):
        length = o[i + 1] - o[i]
        in_order = 0
        while in_order < length and -sc[o[i] + in_order] == first + in_order:
            in_order += 1
        for j in range(o[i] + in_order, o[i + 1]):
            if _place_taken(seen, -sc[j] - first, in_order, length, i + 1) < 0:
                return 0
    return 1


def are_closed(offsets: np.ndarray, score: np.ndarray, base: int) -> bool:
    """Return whether the ranks of each list, in ``score`` as negative numbers, are ``base``, ``base + 1``, … in any order."""
    o: cython.const[cython.longlong][::1] = offsets
    sc: cython.const[cython.double][::1] = score
    seen: cython.longlong[::1] = np.zeros(int(np.diff(offsets).max(initial=0)), np.int64)
    first: cython.double = base
    answer: cython.int
    refuse_offsets(o, sc.shape[0])
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
    refuse_offsets(o, v.shape[0])
    with cython.nogil:
        for i in range(lists):
            # counted, not left at the first one: without a branch a compiler takes many values at once
            for j in range(o[i], o[i + 1]):
                wrong += v[j] != j - o[i] + 1
            if wrong:
                break
    return wrong == 0


def rises(query: np.ndarray, values: np.ndarray) -> bool:
    """Return whether a number is higher than the one before it in its query."""
    q: cython.const[cython.longlong][::1] = query
    v: cython.const[cython.double][::1] = values
    i: cython.Py_ssize_t = 1
    with cython.nogil:
        while i < q.shape[0] and not (v[i] > v[i - 1] and q[i] == q[i - 1]):
            i += 1
    return i < q.shape[0]


def nth(query: np.ndarray) -> np.ndarray:
    """Return the place of each row among the rows of its query, from 1; those of a query are adjacent."""
    q: cython.const[cython.longlong][::1] = query
    found = np.empty(len(query), np.int64)
    f: cython.longlong[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(q.shape[0]):
            f[i] = f[i - 1] + 1 if i > 0 and q[i] == q[i - 1] else 1
    return found


def places(offsets: np.ndarray) -> np.ndarray:
    """Return the place of each row in its list, from 1."""
    o: cython.const[cython.longlong][::1] = offsets
    refuse_offsets(o, offsets[len(offsets) - 1])
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


def contradictions_in_any_order(offsets: np.ndarray, key: np.ndarray, given: np.ndarray) -> int:
    """Return what ``contradictions`` finds in lists that are sorted first; -1 if some list has not each rank from its best one on once.

    ``key`` are ranks as negative numbers.
    """
    o: cython.const[cython.longlong][::1] = offsets
    k: cython.const[cython.double][::1] = key
    v: cython.const[cython.double][::1] = given
    refuse_offsets(o, min(k.shape[0], v.shape[0]))
    longest = int(np.diff(offsets).max(initial=0))
    seen: cython.longlong[::1] = np.zeros(longest, np.int64)  # the list, from 1, that a rank was last seen in
    sorted_: cython.double[::1] = np.empty(longest)
    found: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    length: cython.Py_ssize_t
    best: cython.double
    with cython.nogil:
        for i in range(o.shape[0] - 1):
            length = o[i + 1] - o[i]
            best = k[o[i]] if length > 0 else 0.0
            for j in range(o[i], o[i + 1]):
                best = max(best, k[j])
            for j in range(o[i], o[i + 1]):
                at = _place_taken(seen, best - k[j], 0, length, i + 1)
                if at < 0:
                    found = -1
                    break
                sorted_[at] = v[j]
            if found < 0:
                break
            for j in range(1, length):
                found += sorted_[j] > sorted_[j - 1]
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
    refuse_offsets(o, min(k.shape[0], v.shape[0]))
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


def undecided(
    lists: int,
    of_list: np.ndarray,
    start: np.ndarray,
    size: np.ndarray,
    grade: np.ndarray,
    lowest: float,
) -> np.ndarray:
    """Return the lists with a tie group whose items differ in grade; below ``lowest``, or unjudged, it is 0.

    Rows are in rank order; ``start`` and ``size`` are the first rank and the size of each row's tie group.
    """
    q: cython.const[cython.longlong][::1] = of_list
    ts: cython.const[cython.longlong][::1] = start
    tz: cython.const[cython.longlong][::1] = size
    gr: cython.const[cython.double][::1] = grade
    least: cython.double = lowest
    found = np.empty(lists, np.int64)
    out: cython.longlong[::1] = found
    count: cython.Py_ssize_t = 0
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t
    level: cython.double
    first: cython.double
    differ: cython.bint
    with cython.nogil:
        while low < q.shape[0]:
            first = gr[low] if gr[low] >= least else 0.0
            differ = False
            high = low + 1
            while high < q.shape[0] and q[high] == q[low] and ts[high] == ts[low]:
                level = gr[high] if gr[high] >= least else 0.0
                differ |= level != first
                high += 1
            # the rest of a group is unjudged, of grade 0, and in lists of hits alone it has no rows here
            if (differ or (high - low < tz[low] and first != 0)) and (count == 0 or out[count - 1] != q[low]):
                out[count] = q[low]
                count += 1
            low = high
    return found[:count]


def running(of_list: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return for each row the sum of the values of its list down to it."""
    q: cython.const[cython.longlong][::1] = of_list
    v: cython.const[cython.double][::1] = values
    found = np.empty(len(values))
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(q.shape[0]):
            out[i] = out[i - 1] + v[i] if i > 0 and q[i] == q[i - 1] else v[i]
    return found


def product_before(of_list: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return for each row the product of the factors of its list above it."""
    q: cython.const[cython.longlong][::1] = of_list
    v: cython.const[cython.double][::1] = factors
    found = np.empty(len(factors))
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(q.shape[0]):
            out[i] = out[i - 1] * v[i - 1] if i > 0 and q[i] == q[i - 1] else 1.0
    return found


def ideal_places(offsets: np.ndarray, best: np.ndarray, query: np.ndarray, grade: np.ndarray) -> np.ndarray:
    """Return the place of each hit in the ideal list of its query, from 1: equal grades are in the order of the hits.

    ``best`` are the grades of the ideal lists, highest first; the grade of each hit is one of them.
    """
    o: cython.const[cython.longlong][::1] = offsets
    b: cython.const[cython.double][::1] = best
    q: cython.const[cython.longlong][::1] = query
    g: cython.const[cython.double][::1] = grade
    found = np.empty(len(query), np.int64)
    out: cython.longlong[::1] = found
    taken: cython.longlong[::1] = np.zeros(len(best) + 1, np.int64)
    i: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    refuse_offsets(o, b.shape[0])
    with cython.nogil:
        for i in range(q.shape[0]):
            low = o[q[i]]
            high = o[q[i] + 1]
            while low < high:
                middle = (low + high) // 2
                if b[middle] > g[i]:
                    low = middle + 1
                else:
                    high = middle
            out[i] = low - o[q[i]] + taken[low] + 1
            taken[low] += 1
    return found
