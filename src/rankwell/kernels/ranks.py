"""The ranks of judged rows in their lists, and the groups of tied scores they belong to."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets
from cython.cimports.rankwell.kernels.sorting import ranks_in_order, sort_rows
from cython.cimports.rankwell.kernels.spans import before
from cython.cimports.rankwell.kernels.wide import count, count_anywhere

# hits, from which on a search for each row is faster; ``_few`` has room for no more
FEW = cython.declare(cython.Py_ssize_t, 32)
FEW_TIED = cython.declare(cython.longlong, 8)  # rows of equal score


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _first_below(
    value: cython.double,
    hit_score: cython.double[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    keep_equal: cython.int,
) -> cython.Py_ssize_t:
    """The first position in descending ``hit_score[low:high]`` that is below ``value``, or equal to it unless ``keep_equal``."""
    left: cython.Py_ssize_t = high - low
    half: cython.Py_ssize_t
    middle: cython.double
    while left > 0:
        # branch-free: the half to skip is chosen by arithmetic
        half = (left + 1) >> 1
        middle = hit_score[low + half - 1]
        low += half * ((middle > value) | (keep_equal & (middle == value)))
        left -= half
    return low


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _place_of(
    row: cython.longlong, rows: cython.longlong[::1], low: cython.Py_ssize_t, high: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where a row stands among ascending rows."""
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _count(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    left_out: cython.const[cython.uchar][::1],
    hit_rows: cython.longlong[::1],
    hit_score: cython.double[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    scattered: cython.bint,
    start: cython.longlong[::1],
    size: cython.longlong[::1],
    ahead: cython.longlong[::1],
    rule: cython.int,
    score: cython.const[cython.double][::1],
    keys: cython.const[cython.ulonglong][::1],
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.int][::1],
) -> cython.int:
    """Count for each hit of a list the rows above it but not above the hit before, those of its score, and those of them ahead.

    Each row finds its position among the hits, by arithmetic and not by branches, which would be mispredicted. The arrays
    have room for one hit more, whose counts are for rows below all hits.
    """
    value: cython.double
    at: cython.Py_ssize_t = low
    j: cython.Py_ssize_t
    end: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    r: cython.Py_ssize_t
    for j in range(low, high + 1):
        start[j] = 0
        size[j] = 0
        ahead[j] = 0
    for r in range(first, last):
        if left_out.shape[0] > 0 and left_out[r]:
            continue
        value = score[r]
        # if scores never rise, adjacent rows mostly fall into the same gap between two hits
        if scattered or (at < high and hit_score[at] > value) or (at > low and hit_score[at - 1] <= value):
            at = _first_below(value, hit_score, low, high, 0)
        if at == high or hit_score[at] != value:
            start[at] += 1
            continue
        size[at] += 1
        end = at + 1
        if end < high and hit_score[end] == value:
            end = _first_below(value, hit_score, end, high, 1)
        j = at
        while j < end:
            middle = (j + end) // 2
            if r != hit_rows[middle] and before(r, hit_rows[middle], rule, keys, text, starts, lengths):
                end = middle
            else:
                j = middle + 1
        if j < high and hit_score[j] == value:
            ahead[j] += 1
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _few(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    hit_rows: cython.longlong[::1],
    hit_pool: cython.longlong[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    rank: cython.longlong[::1],
    start: cython.longlong[::1],
    size: cython.longlong[::1],
    rule: cython.int,
    score: cython.const[cython.double][::1],
    keys: cython.const[cython.ulonglong][::1],
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.int][::1],
) -> cython.int:
    """Put the hits of a list into rank order and find their tie groups, if they are few, by comparing each with every row.

    A processor compares several rows at a time, and no branch is mispredicted. 0, and the hits unchanged, if more than 8 are tied.
    """
    places: cython.longlong[32]
    begins: cython.longlong[32]
    sizes: cython.longlong[32]
    rows: cython.longlong[32]
    pool: cython.longlong[32]
    hits: cython.Py_ssize_t = high - low
    value: cython.double
    higher: cython.longlong = 0
    equal: cython.longlong = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    r: cython.Py_ssize_t
    if hits > FEW:
        return 0
    for j in range(hits):
        rows[j] = hit_rows[low + j]
        pool[j] = hit_pool[low + j]
        value = score[rows[j]]
        count(
            cython.address(score[first]), last - first, value, cython.address(higher), cython.address(equal)
        )
        if equal > FEW_TIED:
            return 0
        begins[j] = higher + 1
        sizes[j] = equal
        places[j] = higher + 1
        if equal > 1:
            for r in range(first, last):
                if (
                    score[r] == value
                    and r != rows[j]
                    and before(r, rows[j], rule, keys, text, starts, lengths)
                ):
                    places[j] += 1
    for j in range(hits):
        at = low
        for i in range(hits):
            at += places[i] < places[j]
        rank[at] = places[j]
        start[at] = begins[j]
        size[at] = sizes[j]
        hit_rows[at] = rows[j]
        hit_pool[at] = pool[j]
    return 1


def ranks(
    offsets: np.ndarray,
    score: np.ndarray,
    keys: np.ndarray,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    rule: int,
    left_out: np.ndarray,
    hit_lists: np.ndarray,
    hit_rows: np.ndarray,
    hit_pool: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort hits into rank order; return the rank of each, and the first rank and the size of its tie group.

    ``hit_lists`` and ``hit_rows`` are the list and the row of each hit, in row order; the rows, and ``hit_pool`` with them, are
    sorted in place (``order.TIE_RULES``). Lists are not sorted; if their scores never rise, only the rows tied with a hit are
    looked at. Rows marked in ``left_out`` (one byte per row, or empty) are not counted.
    """
    o: cython.const[cython.longlong][::1] = offsets
    sc: cython.const[cython.double][::1] = score
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    gone: cython.const[cython.uchar][::1] = left_out
    hl: cython.const[cython.longlong][::1] = hit_lists
    hr: cython.longlong[::1] = hit_rows
    hp: cython.longlong[::1] = hit_pool
    how: cython.int = rule
    hits: cython.Py_ssize_t = len(hit_rows)
    # few arrays, because to make one takes longer than to rank a short list
    made = np.empty((3, hits + 1), np.int64)
    columns: cython.longlong[:, ::1] = made
    rk: cython.longlong[::1] = columns[0]
    ts: cython.longlong[::1] = columns[1]
    tz: cython.longlong[::1] = columns[2]
    hs: cython.double[::1] = None  # these three are made for the first list that needs them; most need none
    old_rows: cython.longlong[::1] = None
    old_pool: cython.longlong[::1] = None
    g: cython.longlong
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t
    j: cython.Py_ssize_t
    r: cython.longlong
    above: cython.longlong
    ahead: cython.longlong = 0
    refuse_offsets(o, sc.shape[0])
    with cython.nogil:
        while low < hits:
            g = hl[low]
            high = low + 1
            while high < hits and hl[high] == g:
                high += 1
            r = o[g] + 1
            while r < o[g + 1] and sc[r - 1] >= sc[r]:
                r += 1
            if (
                r == o[g + 1]
                and gone.shape[0] == 0
                and ranks_in_order(o[g], r, hr, hp, low, high, rk, ts, tz, how, sc, k, x, s, n)
            ):
                low = high
                continue
            if (
                r < o[g + 1]
                and gone.shape[0] == 0
                and _few(o[g], o[g + 1], hr, hp, low, high, rk, ts, tz, how, sc, k, x, s, n)
            ):
                low = high
                continue
            if hs is None:
                with cython.gil:
                    hs, old_rows = np.empty(hits + 1), np.empty(hits, np.int64)
                    old_pool = np.empty(hits, np.int64)
            for j in range(low, high):
                old_rows[j] = hr[j]
                old_pool[j] = hp[j]
            sort_rows(hr, rk, low, high, how, sc, k, x, s, n)
            for j in range(low, high):
                hs[j] = sc[hr[j]]
                hp[j] = old_pool[_place_of(hr[j], old_rows, low, high)]
            _count(o[g], o[g + 1], gone, hr, hs, low, high, r < o[g + 1], ts, tz, rk, how, sc, k, x, s, n)
            above = 0
            for j in range(low, high):
                above += ts[j]
                if j == low or hs[j] != hs[j - 1]:
                    ts[j] = above + 1
                    above += tz[j]
                    ahead = rk[j]
                else:
                    ts[j] = ts[j - 1]
                    tz[j] = tz[j - 1]
                    ahead += rk[j]
                rk[j] = ts[j] + ahead
            low = high
    return made[0, :hits], made[1, :hits], made[2, :hits]


def counted(values: np.ndarray, value: float, anywhere: bool) -> tuple[int, int]:
    """Return how many numbers are above a value and how many equal it, on request as every processor counts them."""
    v: cython.const[cython.double][::1] = values
    n: cython.Py_ssize_t = v.shape[0]
    above: cython.longlong = 0
    equal: cython.longlong = 0
    if n and anywhere:
        count_anywhere(cython.address(v[0]), n, value, cython.address(above), cython.address(equal))
    elif n:
        count(cython.address(v[0]), n, value, cython.address(above), cython.address(equal))
    return above, equal
