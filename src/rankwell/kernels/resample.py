"""Resampling: what permutation tests and the bootstrap do for every replicate.

Random numbers come from counters (see ``rankwell.statistics.draws``): the caller gives a key for each replicate and one for
each unit, so replicates may be made in any order and on any number of threads.
"""

from __future__ import annotations

import cython
import numpy as np

STEP = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
FIRST = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
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


def signs(keys: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return signs, 1 or -1: for each key (uint64) 64 rows, one per bit of the draw, and a column per unit (uint64)."""
    k: cython.const[cython.ulonglong][::1] = keys
    u: cython.const[cython.ulonglong][::1] = units
    found = np.empty((64 * len(keys), len(units)))
    f: cython.double[:, ::1] = found
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    bit: cython.Py_ssize_t
    drawn: cython.ulonglong
    with cython.nogil:
        for i in range(k.shape[0]):
            for j in range(u.shape[0]):
                drawn = mixed((k[i] ^ u[j]) + STEP)
                for bit in range(64):
                    f[64 * i + bit, j] = 1.0 - 2.0 * cython.cast(cython.double, (drawn >> bit) & 1)
    return found


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
