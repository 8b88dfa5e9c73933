"""Resampling: what permutation tests and the bootstrap do for every replicate.

Random numbers come from counters (see ``rankwell.statistics.draws``): the caller gives a key for each replicate and one for
each unit, so replicates may be made in any order and on any number of threads.
"""

from __future__ import annotations

import cython
import numpy as np

STEP = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
FIRST = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
ONES = cython.declare(cython.ulonglong, 0x00AA00AA00AA00AA)
TWOS = cython.declare(cython.ulonglong, 0x0000CCCC0000CCCC)
FOURS = cython.declare(cython.ulonglong, 0x00000000F0F0F0F0)
PANEL = cython.declare(cython.Py_ssize_t, 64)  # columns whose table stays in the cache
SECOND = cython.declare(cython.ulonglong, 0x94D049BB133111EB)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def mixed(value: cython.ulonglong) -> cython.ulonglong:
    """The finaliser of SplitMix64."""
    value = (value ^ (value >> 30)) * FIRST
    value = (value ^ (value >> 27)) * SECOND
    return value ^ (value >> 31)


def flipped_sums(keys: np.ndarray, units: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the sums of each column (a row per unit) under random signs: for each key 64 rows, one per bit of the unit's draw.

    A bit that is set is a minus. Eight units at a time are added from a table of their 256 signed sums.
    """
    k: cython.const[cython.ulonglong][::1] = keys
    u: cython.const[cython.ulonglong][::1] = units
    x: cython.const[cython.double][:, ::1] = columns
    found = np.zeros((64 * len(keys), columns.shape[1]))
    f: cython.double[:, ::1] = found
    table = np.empty((256, PANEL))
    t: cython.double[:, ::1] = table
    n: cython.Py_ssize_t = len(units)
    panel: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    first: cython.Py_ssize_t
    some: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    row: cython.Py_ssize_t
    byte: cython.Py_ssize_t
    bits: cython.ulonglong
    drawn: cython.ulonglong[8]
    with cython.nogil:
        for panel in range((x.shape[1] + PANEL - 1) // PANEL):
            begin = panel * PANEL
            end = min(x.shape[1], begin + PANEL)
            for first in range(0, n, 8):
                some = min(8, n - first)
                signed_sums(t, x, first, some, begin, end)
                for i in range(k.shape[0]):
                    for j in range(8):
                        drawn[j] = mixed((k[i] ^ u[first + j]) + STEP) if j < some else 0
                    for byte in range(8):
                        bits = 0
                        for j in range(8):
                            bits |= ((drawn[j] >> (8 * byte)) & 255) << (8 * j)
                        bits = turned(bits)
                        for j in range(8):
                            row = 64 * i + 8 * byte + j
                            for c in range(end - begin):
                                f[row, begin + c] += t[(bits >> (8 * j)) & 255, c]
    return found


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def turned(bits: cython.ulonglong) -> cython.ulonglong:
    """Eight rows of eight bits with rows and columns exchanged (Warren, Hacker's Delight, 7–3)."""
    t: cython.ulonglong = (bits ^ (bits >> 7)) & ONES
    bits = bits ^ t ^ (t << 7)
    t = (bits ^ (bits >> 14)) & TWOS
    bits = bits ^ t ^ (t << 14)
    t = (bits ^ (bits >> 28)) & FOURS
    return bits ^ t ^ (t << 28)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def signed_sums(
    table: cython.double[:, ::1],
    columns: cython.const[cython.double][:, ::1],
    first: cython.Py_ssize_t,
    some: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.void:
    """Fill a table with the sums of some units under all patterns of signs."""
    c: cython.Py_ssize_t
    j: cython.Py_ssize_t
    pattern: cython.Py_ssize_t
    highest: cython.Py_ssize_t
    for c in range(end - begin):
        table[0, c] = 0
        for j in range(some):
            table[0, c] += columns[first + j, begin + c]
    for j in range(some):
        highest = 1 << j
        for pattern in range(highest):
            for c in range(end - begin):
                table[highest + pattern, c] = table[pattern, c] - 2 * columns[first + j, begin + c]


def exceed(
    sums: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    units: np.ndarray,
    squares: np.ndarray,
    least: np.ndarray,
    least_t: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each comparison how many replicates reach its sum, and how many reach its t with a comparison up to it.

    ``sums`` has a row per replicate and a column per system; a comparison is the difference of columns ``left`` and ``right``
    (-1: nothing is subtracted), of so many ``units`` with the sum of squares ``squares``. ``least`` is the sum that counts as
    reached, ``least_t`` the square of t. Comparisons are in ascending order of their own t: the second count is of the maximum
    over a comparison and all before it.
    """
    s: cython.const[cython.double][:, ::1] = sums
    a: cython.const[cython.longlong][::1] = left
    b: cython.const[cython.longlong][::1] = right
    n: cython.const[cython.double][::1] = units
    q: cython.const[cython.double][::1] = squares
    o: cython.const[cython.double][::1] = least
    t: cython.const[cython.double][::1] = least_t
    alone = np.zeros(len(left), np.int64)
    highest = np.zeros(len(left), np.int64)
    c: cython.longlong[::1] = alone
    m: cython.longlong[::1] = highest
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    total: cython.double
    own: cython.double
    rest: cython.double
    most: cython.double
    with cython.nogil:
        for i in range(s.shape[0]):
            most = 0
            for j in range(a.shape[0]):
                total = s[i, a[j]]
                if b[j] >= 0:
                    total -= s[i, b[j]]
                if total < 0:
                    total = -total
                c[j] += total >= o[j]
                total *= total
                rest = n[j] * q[j] - total
                own = 0 if total == 0 else total * (n[j] - 1) / rest if rest > 1e-12 * n[j] * q[j] else 1e300
                if own > most:
                    most = own
                m[j] += most >= t[j]
    return alone, highest


def ranges(values: np.ndarray, keys: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return for each key the highest minus the lowest sum of a column, after the values of each row are shuffled.

    ``values`` has a row per unit and a column per system.
    """
    v: cython.const[cython.double][:, ::1] = values
    k: cython.const[cython.ulonglong][::1] = keys
    u: cython.const[cython.ulonglong][::1] = units
    found = np.empty(len(keys))
    f: cython.double[::1] = found
    row = np.empty(values.shape[1])
    sums = np.empty(values.shape[1])
    r: cython.double[::1] = row
    s: cython.double[::1] = sums
    systems: cython.Py_ssize_t = values.shape[1]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    chosen: cython.Py_ssize_t
    state: cython.ulonglong
    drawn: cython.ulonglong
    lowest: cython.double
    highest: cython.double
    with cython.nogil:
        for i in range(k.shape[0]):
            for c in range(systems):
                s[c] = 0
            for j in range(v.shape[0]):
                state = mixed((k[i] ^ u[j]) + STEP)
                for c in range(systems):
                    r[c] = v[j, c]
                drawn = 0
                for c in range(systems - 1, 0, -1):
                    # one draw serves two places
                    if c & 1:
                        drawn <<= 32
                    if not c & 1 or c == systems - 1:
                        state += STEP
                        drawn = mixed(state)
                    chosen = ((drawn >> 32) * (c + 1)) >> 32
                    s[c] += r[chosen]
                    r[chosen] = r[c]
                s[0] += r[0]
            lowest = s[0]
            highest = s[0]
            for c in range(1, systems):
                if s[c] < lowest:
                    lowest = s[c]
                if s[c] > highest:
                    highest = s[c]
            f[i] = highest - lowest
    return found


def poisson(keys: np.ndarray, units: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return a weight for each key (row) and unit (column): how many of the ascending ``limits`` (uint64) the draw reaches."""
    k: cython.const[cython.ulonglong][::1] = keys
    u: cython.const[cython.ulonglong][::1] = units
    x: cython.const[cython.ulonglong][::1] = limits
    found = np.empty((len(keys), len(units)))
    f: cython.double[:, ::1] = found
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    drawn: cython.ulonglong
    with cython.nogil:
        for i in range(k.shape[0]):
            for j in range(u.shape[0]):
                drawn = mixed((k[i] ^ u[j]) + STEP)
                c = 0
                while c < x.shape[0] and drawn >= x[c]:
                    c += 1
                f[i, j] = c
    return found
