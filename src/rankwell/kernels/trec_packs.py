"""Rows of a block packed by query, and lists unpacked again: for runs whose queries are scattered over the file.

A packed row is the length of the item in two bytes, the item, and the score in eight bytes.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcpy
from cython.cimports.rankwell.kernels.hashing import hashed, key
from cython.cimports.rankwell.kernels.spans import prefetch

from rankwell.kernels import SECRET

key(SECRET[0], SECRET[1])


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _copy(to: cython.p_uchar, at: cython.p_const_uchar, size: cython.Py_ssize_t) -> cython.void:
    """Copy an item with what stands behind it: some seven bytes of its line, or the eight of its score, at either place."""
    if size <= 8:
        memcpy(to, at, 8)
    elif size <= 16:
        memcpy(to, at, 16)
    else:
        memcpy(to, at, size)


def pack(
    codes: np.ndarray,
    firsts: np.ndarray,
    groups: int,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    values: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows packed, those of a query together in their order, where each query begins, and its number of rows.

    ``codes`` has the query of each stretch of rows, ``firsts`` where these begin, and the end.
    """
    c: cython.const[cython.longlong][::1] = codes
    f: cython.const[cython.longlong][::1] = firsts
    t: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    v: cython.const[cython.double][::1] = values
    offsets = np.zeros(groups + 1, np.int64)
    counts = np.zeros(groups, np.int64)
    o: cython.longlong[::1] = offsets
    k: cython.longlong[::1] = counts
    i: cython.Py_ssize_t
    row: cython.longlong
    at: cython.longlong
    total: cython.longlong = 0
    size: cython.ushort
    with cython.nogil:
        # sizes first, so that the rows of each query are written where they stay
        for i in range(c.shape[0]):
            k[c[i]] += f[i + 1] - f[i]
            for row in range(f[i], f[i + 1]):
                o[c[i]] += 10 + n[row]
        for i in range(o.shape[0]):
            at = o[i]
            o[i] = total
            total += at
    packed = np.empty(total, np.uint8)
    p: cython.uchar[::1] = packed
    with cython.nogil:
        for i in range(c.shape[0]):
            at = o[c[i]]
            for row in range(f[i], f[i + 1]):
                size = cython.cast(cython.ushort, n[row])
                memcpy(cython.address(p[at]), cython.address(size), 2)
                _copy(cython.address(p[at + 2]), cython.address(t[s[row]]), size)
                memcpy(cython.address(p[at + 2 + size]), cython.address(v[row]), 8)
                at += 10 + size
            o[c[i]] = at
        for i in range(o.shape[0] - 1, 0, -1):
            o[i] = o[i - 1]
        o[0] = 0
    return packed, offsets, counts


def unpack(
    packed: np.ndarray,
    begins: np.ndarray,
    ends: np.ndarray,
    rows: np.ndarray,
    at: int,
    text: np.ndarray,
    starts: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    lengths: np.ndarray,
) -> int:
    """Unpack ``packed[begins[i] : ends[i]]`` into the rows from ``rows[i]`` on, which moves on; return the end of the text.

    The text is written from ``at`` on, and has room for eight bytes more.
    """
    p: cython.const[cython.uchar][::1] = packed
    b: cython.const[cython.longlong][::1] = begins
    e: cython.const[cython.longlong][::1] = ends
    r: cython.longlong[::1] = rows
    t: cython.uchar[::1] = text
    s: cython.longlong[::1] = starts
    k: cython.ulonglong[::1] = keys
    v: cython.double[::1] = values
    n: cython.int[::1] = lengths
    end: cython.longlong = at
    i: cython.Py_ssize_t
    row: cython.longlong
    place: cython.longlong
    size: cython.ushort = 0
    with cython.nogil:
        for i in range(b.shape[0]):
            if i + 1 < b.shape[0]:
                for place in range(b[i + 1], e[i + 1], 64):
                    prefetch(cython.address(p[place]))
            place = b[i]
            row = r[i]
            while place < e[i]:
                memcpy(cython.address(size), cython.address(p[place]), 2)
                place += 2
                _copy(cython.address(t[end]), cython.address(p[place]), size)
                # the score stands behind the item, so eight bytes can be read
                k[row] = hashed(cython.address(p[place]), size, True)
                memcpy(cython.address(v[row]), cython.address(p[place + size]), 8)
                s[row] = end
                n[row] = size
                end += size
                place += size + 8
                row += 1
            r[i] = row
    return end
