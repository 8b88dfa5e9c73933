"""Distinct ids, groups and lookups: the loops behind every id column.

Ids come in two kinds. Integer ids are their own keys and have empty ``text``. Text ids are spans of one byte buffer
(``text[starts[i] : starts[i] + lengths[i]]``) with a 64-bit hash as key, another one in each process; equal keys are always
verified by their bytes, so a collision costs time but never gives a wrong match.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcpy
from cython.cimports.rankwell.kernels.hashing import hashed, key, mix
from cython.cimports.rankwell.kernels.spans import prefetch, same

from rankwell.kernels import SECRET

key(SECRET[0], SECRET[1])

# Integers as wide as what a column holds
Bits = cython.fused_type(cython.schar, cython.short, cython.int, cython.longlong)
AHEAD = cython.declare(cython.Py_ssize_t, 8)  # rows that a slot, and what it refers to, is fetched ahead of
SPREAD = cython.declare(cython.ulonglong, 0x5851F42D4C957F2D)


def keys(text: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return a 64-bit hash per span."""
    t: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    found = np.empty(len(starts), np.uint64)
    out: cython.ulonglong[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(s.shape[0]):
            out[i] = hashed(cython.address(t[s[i]]), n[i], False) if n[i] > 0 else 0
    return found


def slots(keys: np.ndarray, room: int = 0) -> np.ndarray:
    """Return a hash table (row + 1 per slot, 0 where free) of distinct ids, for ``lookup``; ``add`` can put so many more into it."""
    k: cython.const[cython.ulonglong][::1] = keys
    # at most half full, as linear probing takes many steps beyond that, and a power of 2, so that a mask finds the slot
    size: cython.Py_ssize_t = 8
    most: cython.Py_ssize_t = len(keys) + room
    while size < 2 * most:
        size *= 2
    table = np.zeros(size, np.int64)
    t: cython.longlong[::1] = table
    mask: cython.ulonglong = size - 1
    at: cython.ulonglong
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k.shape[0]):
            at = mix(k[i]) & mask
            while t[at] > 0:
                at = (at + 1) & mask
            t[at] = i + 1
    return table


def lookup(
    table: np.ndarray,
    known_keys: np.ndarray,
    known_text: np.ndarray,
    known_starts: np.ndarray,
    known_lengths: np.ndarray,
    keys: np.ndarray,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
) -> np.ndarray:
    """Return the row of each id among the known ids, or -1. Ids in the order of the known ones are found without hashing."""
    t: cython.const[cython.longlong][::1] = table
    kk: cython.const[cython.ulonglong][::1] = known_keys
    kt: cython.const[cython.uchar][::1] = known_text
    ks: cython.const[cython.longlong][::1] = known_starts
    kn: cython.const[cython.int][::1] = known_lengths
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    found = np.empty(len(keys), np.int64)
    out: cython.longlong[::1] = found
    is_text: cython.bint = s.shape[0] > 0
    mask: cython.ulonglong = t.shape[0] - 1
    at: cython.ulonglong
    i: cython.Py_ssize_t
    row: cython.longlong
    last: cython.longlong = -1
    with cython.nogil:
        for i in range(k.shape[0]):
            row = last + 1  # runs of one collection mostly have the same ids in the same order
            if (
                row >= kk.shape[0]
                or kk[row] != k[i]
                or (is_text and not same(x, s[i], n[i], kt, ks[row], kn[row]))
            ):
                at = mix(k[i]) & mask
                while True:
                    row = t[at] - 1
                    if row < 0 or (
                        kk[row] == k[i] and (not is_text or same(x, s[i], n[i], kt, ks[row], kn[row]))
                    ):
                        break
                    at = (at + 1) & mask
            out[i] = row
            if row >= 0:
                last = row
    return found


def group(
    keys: np.ndarray, text: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each id among the distinct ones, in order of first appearance, and their first rows."""
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    codes = np.empty(len(keys), np.int64)
    firsts = np.empty(len(keys), np.int64)
    c: cython.longlong[::1] = codes
    f: cython.longlong[::1] = firsts
    is_text: cython.bint = s.shape[0] > 0
    size: cython.Py_ssize_t = 1024
    table = np.zeros(size, np.int64)
    t: cython.longlong[::1] = table
    mask: cython.ulonglong = size - 1
    at: cython.ulonglong
    count: cython.longlong = 0
    old: cython.longlong
    row: cython.longlong
    i: cython.Py_ssize_t
    i = 0
    while i < k.shape[0]:
        with cython.nogil:
            while i < k.shape[0] and 2 * count < size:
                # what many ids refer to lies in memory, and is waited for if it is not fetched ahead: the slot, then the id in it
                if i + 2 * AHEAD < k.shape[0]:
                    prefetch(cython.address(t[mix(k[i + 2 * AHEAD]) & mask]))
                    row = t[mix(k[i + AHEAD]) & mask] - 1
                    if row >= 0:
                        prefetch(cython.address(k[row]))
                        prefetch(cython.address(c[row]))
                        if is_text:
                            prefetch(cython.address(s[row]))
                            prefetch(cython.address(n[row]))
                    row = t[mix(k[i + AHEAD // 2]) & mask] - 1
                    if is_text and row >= 0:
                        prefetch(cython.address(x[s[row]]))
                # the rows of a query mostly follow each other, and need no slot
                if i > 0 and k[i] == k[i - 1] and (not is_text or same(x, s[i], n[i], x, s[i - 1], n[i - 1])):
                    c[i] = c[i - 1]
                    i += 1
                    continue
                at = mix(k[i]) & mask
                while True:
                    row = t[at] - 1
                    if row < 0:
                        t[at] = i + 1
                        f[count] = i
                        c[i] = count
                        count += 1
                        break
                    if k[row] == k[i] and (not is_text or same(x, s[i], n[i], x, s[row], n[row])):
                        c[i] = c[row]
                        break
                    at = (at + 1) & mask
                i += 1
        # grown as distinct ids are met: a table for as many as there are rows would be far larger than the cache
        if i < k.shape[0]:
            size *= 4
            table = np.zeros(size, np.int64)
            t = table
            mask = size - 1
            for old in range(count):
                at = mix(k[f[old]]) & mask
                while t[at] > 0:
                    at = (at + 1) & mask
                t[at] = f[old] + 1
    return codes, firsts[:count].copy()


def add(
    table: np.ndarray,
    known_keys: np.ndarray,
    known_text: np.ndarray,
    known_starts: np.ndarray,
    known_lengths: np.ndarray,
    known: int,
    filled: int,
    keys: np.ndarray,
    text: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
) -> tuple[np.ndarray, int, int]:
    """Return the row of each id among the known ones, which new ones are added to, how many are known then, and the bytes of their text.

    ``known`` rows and ``filled`` bytes are there already; there must be room for all of these.
    """
    t: cython.longlong[::1] = table
    kk: cython.ulonglong[::1] = known_keys
    kt: cython.uchar[::1] = known_text
    ks: cython.longlong[::1] = known_starts
    kn: cython.int[::1] = known_lengths
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    codes = np.empty(len(keys), np.int32)
    c: cython.int[::1] = codes
    is_text: cython.bint = s.shape[0] > 0
    mask: cython.ulonglong = t.shape[0] - 1
    count: cython.longlong = known
    end: cython.longlong = filled
    at: cython.ulonglong
    row: cython.longlong
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k.shape[0]):
            # as in group: the slot first, then the id in it
            if i + 2 * AHEAD < k.shape[0]:
                prefetch(cython.address(t[mix(k[i + 2 * AHEAD]) & mask]))
                row = t[mix(k[i + AHEAD]) & mask] - 1
                if row >= 0:
                    prefetch(cython.address(kk[row]))
                    if is_text:
                        prefetch(cython.address(ks[row]))
                        prefetch(cython.address(kn[row]))
                row = t[mix(k[i + AHEAD // 2]) & mask] - 1
                if is_text and row >= 0:
                    prefetch(cython.address(kt[ks[row]]))
            at = mix(k[i]) & mask
            while True:
                row = t[at] - 1
                if row < 0:
                    row = count
                    t[at] = count + 1
                    kk[row] = k[i]
                    if is_text:
                        ks[row], kn[row] = end, n[i]
                        if n[i] > 0:
                            memcpy(cython.address(kt[end]), cython.address(x[s[i]]), n[i])
                        end += n[i]
                    count += 1
                    break
                if kk[row] == k[i] and (not is_text or same(x, s[i], n[i], kt, ks[row], kn[row])):
                    break
                at = (at + 1) & mask
            c[i] = row
    return codes, count, end


def runs(keys: np.ndarray, text: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the first row of each run of equal adjacent ids."""
    k: cython.const[cython.ulonglong][::1] = keys
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    changed = np.empty(len(keys), np.bool_)
    out: cython.uchar[::1] = changed.view(np.uint8)
    is_text: cython.bint = s.shape[0] > 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k.shape[0]):
            out[i] = (
                i == 0 or k[i] != k[i - 1] or (is_text and not same(x, s[i], n[i], x, s[i - 1], n[i - 1]))
            )
    return np.flatnonzero(changed)


def parts(keys: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which of ``count`` parts each id belongs to, by its key, and how many ids each part has."""
    k: cython.const[cython.ulonglong][::1] = keys
    n: cython.uint = count
    found = np.empty(len(keys), np.int32)
    sizes = np.zeros(count, np.int64)
    out: cython.int[::1] = found
    size: cython.longlong[::1] = sizes
    part: cython.int
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k.shape[0]):
            # the upper bits of a product: parts must not have the low bits in common that hash tables find slots by
            part = cython.cast(cython.uint, k[i] * SPREAD >> 33) % n
            out[i] = part
            size[part] += 1
    return found, sizes


def gather(codes: cython.const[Bits][::1], groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows grouped by code, in their old order within each group, and the groups' offsets."""
    offsets = np.zeros(groups + 1, np.int64)
    o: cython.longlong[::1] = offsets
    rows = np.empty(len(codes), np.int64)
    r: cython.longlong[::1] = rows
    i: cython.Py_ssize_t
    total: cython.longlong = 0
    held: cython.longlong
    with cython.nogil:
        for i in range(codes.shape[0]):
            o[codes[i]] += 1
        for i in range(o.shape[0]):
            held = o[i]
            o[i] = total
            total += held
        for i in range(codes.shape[0]):
            r[o[codes[i]]] = i
            o[codes[i]] += 1
        # each offset has moved to the end of its group, which is the beginning of the next
        for i in range(o.shape[0] - 1, 0, -1):
            o[i] = o[i - 1]
        o[0] = 0
    return rows, offsets


def place(codes: np.ndarray, values: cython.const[Bits][::1], cursor: np.ndarray, out: Bits[::1]) -> None:
    """Write each value at ``cursor[code]``, which then moves on by one: the values of a group stay in order."""
    c: cython.const[cython.int][::1] = codes
    at: cython.longlong[::1] = cursor
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(c.shape[0]):
            out[at[c[i]]] = values[i]
            at[c[i]] += 1


def decimals(text: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return spans as int64, and whether each one is the plain decimal form of its number."""
    x: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    values = np.zeros(len(starts), np.int64)
    v: cython.longlong[::1] = values
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    end: cython.Py_ssize_t
    digit: cython.int
    value: cython.longlong
    most: cython.longlong = 922337203685477580  # 2^63 - 1 without its last digit, a 7
    negative: cython.bint
    with cython.nogil:
        for i in range(s.shape[0]):
            # only what Python would write back as the same text: 007, +7 and -0 are other ids than 7 and 0
            j = s[i]
            end = j + n[i]
            negative = n[i] > 1 and x[j] == 45
            j += negative
            # 18 digits always fit, and of 19 those up to 2^63 - 1; a leading 0 is allowed only alone
            if j == end or end - j > 19 or (x[j] == 48 and (end - j > 1 or negative)):
                break
            value = 0
            while j < end:
                digit = x[j] - 48
                if digit < 0 or digit > 9:
                    break
                if value >= most and (value > most or digit > 7):
                    break
                value = value * 10 + digit
                j += 1
            if j < end:
                break
            v[i] = -value if negative else value
        else:
            i = s.shape[0]
    return values, i == s.shape[0]
