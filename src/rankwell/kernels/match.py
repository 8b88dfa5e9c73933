"""The judged rows of each list, and repeated items in a list."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memset
from cython.cimports.rankwell.kernels.hashing import key, mix
from cython.cimports.rankwell.kernels.offsets import refuse_offsets
from cython.cimports.rankwell.kernels.spans import prefetch, same
from cython.cimports.rankwell.kernels.wide import zeros

from rankwell.kernels import SECRET

MOST = 2**31 - 1  # rows that the slots of a table tell apart
# Judged items are fetched into the cache so many lists before they are needed: the first ones of a query, as the processor
# itself sees that the next ones will be needed.
AHEAD = cython.declare(cython.Py_ssize_t, 4)
FETCHED = cython.declare(cython.longlong, 64)

key(SECRET[0], SECRET[1])


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _slots(rows: cython.longlong) -> cython.longlong:
    """The size of a hash table: sparse while it fits into the cache, because collisions cost mispredicted branches."""
    size: cython.longlong = 8
    wanted: cython.longlong = 8 * rows if rows < 8192 else 2 * rows
    while size < wanted:
        size *= 2
    return size


def hits(
    offsets: np.ndarray,
    score: np.ndarray,
    keys: np.ndarray,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    judged: np.ndarray,
    pool_offsets: np.ndarray,
    pool_keys: np.ndarray,
    pool_text: np.ndarray,
    pool_starts: np.ndarray,
    pool_lengths: np.ndarray,
    lost: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
    """Find the judged rows of each list, and repeated items in a list.

    ``judged[g]`` is the pool's query of list g, or -1. Returns the list, the row and the row of the pool of each hit, in row
    order, and the first pair of rows that repeat an item (or ``(-1, -1)``); of copies in the pool the last counts. With
    ``lost`` empty the search stops at such a pair; with one byte per row the better copy (higher score, then earlier row) is
    kept and the others are marked in ``lost``.
    """
    o: cython.const[cython.longlong][::1] = offsets
    sc: cython.const[cython.double][::1] = score
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    q: cython.const[cython.longlong][::1] = judged
    po: cython.const[cython.longlong][::1] = pool_offsets
    pk: cython.const[cython.ulonglong][::1] = pool_keys
    px: cython.const[cython.uchar][::1] = pool_text
    ps: cython.const[cython.longlong][::1] = pool_starts
    pn: cython.const[cython.int][::1] = pool_lengths
    gone: cython.uchar[::1] = lost
    is_text: cython.bint = s.shape[0] > 0
    mark: cython.bint = gone.shape[0] > 0
    g: cython.Py_ssize_t
    r: cython.longlong
    other: cython.longlong
    low: cython.longlong
    p: cython.longlong
    j: cython.longlong
    size: cython.longlong = 8
    longest: cython.longlong = 0
    most: cython.longlong = 0
    refuse_offsets(o, k.shape[0])
    for g in range(q.shape[0]):
        r = o[g + 1] - o[g]
        size = max(size, _slots(r))
        longest = max(longest, r)
        if q[g] >= 0:
            # only these lists of the pool are read, of which there may be far more than in the batch
            if not 0 <= po[q[g]] <= po[q[g] + 1] <= pk.shape[0]:
                msg = "offsets must not fall, and end within the rows"
                raise ValueError(msg)
            j = po[q[g] + 1] - po[q[g]]
            most += min(r, j)
    # A slot holds a row, counted from ``base`` and from 1. One that is not above ``old`` is free: it is of an earlier list.
    t: cython.int[::1] = np.zeros(size, np.int32)
    base: cython.longlong = 0
    farthest: cython.longlong = MOST
    old: cython.longlong
    # few arrays, because to make one takes longer than to match a short list
    made = np.empty(3 * most + longest + longest // 64 + 1, np.int64)
    block: cython.longlong[::1] = made
    hl: cython.longlong[::1] = block[:most]
    hr: cython.longlong[::1] = block[most : 2 * most]
    hp: cython.longlong[::1] = block[2 * most : 3 * most]
    # the row of the pool of each row of a list that is marked by a bit
    pooled: cython.longlong[::1] = block[3 * most : 3 * most + longest]
    marks: cython.longlong[::1] = block[3 * most + longest :]
    bits: cython.ulonglong
    found: cython.longlong = 0
    first: cython.longlong = -1
    second: cython.longlong = -1
    mask: cython.ulonglong
    at: cython.ulonglong
    with cython.nogil:
        for j in range(marks.shape[0]):
            marks[j] = 0
        for g in range(q.shape[0]):
            if g + AHEAD < q.shape[0] and q[g + AHEAD] >= 0:
                p = q[g + AHEAD]
                for j in range(po[p], min(po[p + 1], po[p] + FETCHED), 8):  # keys in a line of the cache
                    prefetch(cython.address(pk[j]))
            low = o[g]
            # rows are counted on and on, so that no slot has to be cleared between lists; a slot of 32 bits ends after 2**31
            if o[g + 1] - base > farthest:
                memset(cython.address(t[0]), 0, size * 4)
                base = low
            old = low - base
            mask = _slots(o[g + 1] - low) - 1
            for r in range(low, o[g + 1]):
                at = mix(k[r]) & mask
                while t[at] > old:
                    other = base + t[at] - 1
                    if k[other] == k[r] and (not is_text or same(x, s[r], n[r], x, s[other], n[other])):
                        if second < 0:
                            first = other
                            second = r
                        if mark:
                            if sc[r] > sc[other]:
                                gone[other] = 1
                                t[at] = cython.cast(cython.int, r - base + 1)
                            else:
                                gone[r] = 1
                        break
                    at = (at + 1) & mask
                if t[at] <= old:
                    t[at] = cython.cast(cython.int, r - base + 1)
            if second >= 0 and not mark:
                break
            p = q[g]
            if p < 0:
                continue
            # the list is in the table and its judgements are looked up: these are fewer than the rows of a run, and in the cache
            for j in range(po[p], po[p + 1]):
                at = mix(pk[j]) & mask
                while t[at] > old:
                    r = base + t[at] - 1
                    if k[r] == pk[j] and (not is_text or same(x, s[r], n[r], px, ps[j], pn[j])):
                        pooled[r - low] = j
                        marks[(r - low) >> 6] |= cython.cast(cython.ulonglong, 1) << ((r - low) & 63)
                        break
                    at = (at + 1) & mask
            # hits were found in the order of the judgements; their bits give them in that of the rows without a sort
            for r in range(low, o[g + 1], 64):
                bits = cython.cast(cython.ulonglong, marks[(r - low) >> 6])
                marks[(r - low) >> 6] = 0
                while bits:
                    hl[found] = g
                    hr[found] = r + zeros(bits)
                    hp[found] = pooled[hr[found] - low]
                    found += 1
                    bits &= bits - 1  # without its lowest bit
    return made[:found], made[most : most + found], made[2 * most : 2 * most + found], (first, second)


def repeats(
    offsets: np.ndarray, keys: np.ndarray, text: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of repeated items in each list, with the row of their first occurrence."""
    o: cython.const[cython.longlong][::1] = offsets
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    is_text: cython.bint = s.shape[0] > 0
    g: cython.Py_ssize_t
    r: cython.longlong
    other: cython.longlong
    low: cython.longlong
    size: cython.longlong = 8
    refuse_offsets(o, k.shape[0])
    for g in range(o.shape[0] - 1):
        size = max(size, _slots(o[g + 1] - o[g]))
    table = np.empty(size, np.int32)
    t: cython.int[::1] = table
    most: cython.longlong = o[o.shape[0] - 1] - o[0]
    rows = np.empty(most, np.int64)
    firsts = np.empty(most, np.int64)
    w: cython.longlong[::1] = rows
    f: cython.longlong[::1] = firsts
    found: cython.Py_ssize_t = 0
    mask: cython.ulonglong
    at: cython.ulonglong
    with cython.nogil:
        for g in range(o.shape[0] - 1):
            low = o[g]
            size = _slots(o[g + 1] - low)
            mask = size - 1
            memset(cython.address(t[0]), 0, size * 4)
            for r in range(low, o[g + 1]):
                at = mix(k[r]) & mask
                while t[at] > 0:
                    other = low + t[at] - 1
                    if k[other] == k[r] and (not is_text or same(x, s[r], n[r], x, s[other], n[other])):
                        w[found] = r
                        f[found] = other
                        found += 1
                        break
                    at = (at + 1) & mask
                if t[at] == 0:
                    t[at] = cython.cast(cython.int, r - low + 1)
    return rows[:found].copy(), firsts[:found].copy()
