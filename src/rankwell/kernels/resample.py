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
BITS = cython.declare(cython.int, 12)  # of a draw, that a table of weights is asked for
NAN = cython.declare(cython.double, float("nan"))
SECOND = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
HALVINGS = cython.declare(cython.int, 50)  # of the range of a mean, down to 1e-15 of it


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
    """Return the sums of each column (a row per unit) under random signs: for each key 64 rows, one per bit of the unit's draw."""
    found = np.zeros((64 * len(keys), columns.shape[1]))
    add_flipped(found, 0, keys, units, columns)
    return found


def add_flipped(
    found: np.ndarray, at: cython.Py_ssize_t, keys: np.ndarray, units: np.ndarray, columns: np.ndarray
) -> None:
    """Add what ``flipped_sums`` returns to the columns of an array from column ``at`` on.

    A bit that is set is a minus. Eight units at a time are added from a table of their 256 signed sums.
    """
    k: cython.const[cython.ulonglong][::1] = keys
    u: cython.const[cython.ulonglong][::1] = units
    x: cython.const[cython.double][:, ::1] = columns
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
                        # a byte for each of eight replicates, whose bits are the signs of the eight units: its sum is in the table
                        for j in range(8):
                            row = 64 * i + 8 * byte + j
                            for c in range(end - begin):
                                f[row, at + begin + c] += t[(bits >> (8 * j)) & 255, c]


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
    # a pattern is the one without its highest bit, with one more sign turned: one subtraction for each of the 256
    for j in range(some):
        highest = 1 << j
        for pattern in range(highest):
            for c in range(end - begin):
                table[highest + pattern, c] = table[pattern, c] - 2 * columns[first + j, begin + c]


def exceed(
    sums: np.ndarray,
    columns: np.ndarray,
    units: np.ndarray,
    squares: np.ndarray,
    least: np.ndarray,
    least_t: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each comparison how many replicates reach its sum, and how many reach its t with a comparison up to it.

    ``sums`` has a row per replicate; ``columns`` says which of them make a comparison (a column per comparison): the first less
    the second and the third, plus the fourth (-1: nothing). It is of so many ``units`` with the sum of squares ``squares``.
    ``least`` is the sum that counts as reached, ``least_t`` the square of t. Comparisons are in ascending order of their own t:
    the second count is of the maximum over a comparison and all before it.
    """
    s: cython.const[cython.double][:, ::1] = sums
    a: cython.const[cython.longlong][:, ::1] = columns
    n: cython.const[cython.double][::1] = units
    q: cython.const[cython.double][::1] = squares
    o: cython.const[cython.double][::1] = least
    t: cython.const[cython.double][::1] = least_t
    alone = np.zeros(columns.shape[1], np.int64)
    highest = np.zeros(columns.shape[1], np.int64)
    c: cython.longlong[::1] = alone
    m: cython.longlong[::1] = highest
    some = np.zeros((sums.shape[1] + 1, 8))  # eight replicates side by side; the last row is that of nothing
    b: cython.double[:, ::1] = some
    at: cython.Py_ssize_t[4]
    most: cython.double[8]
    squared: cython.double[8]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    r: cython.Py_ssize_t
    total: cython.double
    whole: cython.double
    count: cython.longlong
    is_more: cython.longlong
    with cython.nogil:
        for i in range(0, s.shape[0], 8):
            for j in range(s.shape[1]):
                for r in range(8):
                    b[j, r] = s[i + r, j] if i + r < s.shape[0] else NAN
            for r in range(8):
                most[r] = 0 if i + r < s.shape[0] else NAN
            for j in range(a.shape[1]):
                for r in range(4):
                    at[r] = a[r, j] if a[r, j] >= 0 else s.shape[1]
                whole = n[j] * q[j]
                count = 0
                is_more = 0
                for r in range(8):
                    total = abs(b[at[0], r] - b[at[1], r] - b[at[2], r] + b[at[3], r])
                    count += total >= o[j]
                    total *= total
                    squared[r] = total
                    # multiplied out, whether t² is above the most so far: few are, and only they are worth a division
                    is_more += total * (n[j] - 1 + most[r]) > most[r] * whole
                    is_more += total >= (1 - 1e-12) * whole
                c[j] += count
                if is_more:
                    for r in range(min(8, s.shape[0] - i)):
                        most[r] = max(most[r], squared_t(squared[r], n[j], q[j]))
                count = 0
                for r in range(8):
                    count += most[r] >= t[j]
                m[j] += count
    return alone, highest


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def squared_t(total: cython.double, n: cython.double, squares: cython.double) -> cython.double:
    """t² of a squared sum; huge where there is no spread, and 0 where all is 0 but for rounding."""
    # 1e-12 and 1e300 are those of ``_squared_t`` in statistics/families.py: observed and drawn t are compared, so change both
    rest: cython.double = n * squares - total
    if not total > 0 or squares == 0:
        return 0
    return total * (n - 1) / rest if rest > 1e-12 * n * squares else 1e300


def shuffled_sums(values: np.ndarray, keys: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return for each key (row) the sum of each column, after the values of each row are shuffled.

    ``values`` has a row per unit and a column per system.
    """
    v: cython.const[cython.double][:, ::1] = values
    k: cython.const[cython.ulonglong][::1] = keys
    u: cython.const[cython.ulonglong][::1] = units
    found = np.zeros((len(keys), values.shape[1]))
    f: cython.double[:, ::1] = found
    row = np.empty(values.shape[1])
    r: cython.double[::1] = row
    systems: cython.Py_ssize_t = values.shape[1]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    chosen: cython.Py_ssize_t
    state: cython.ulonglong
    drawn: cython.ulonglong
    with cython.nogil:
        for i in range(k.shape[0]):
            for j in range(v.shape[0]):
                state = mixed((k[i] ^ u[j]) + STEP)
                for c in range(systems):
                    r[c] = v[j, c]
                drawn = 0
                # Fisher and Yates's shuffle from the end, each value added to its place as soon as it is known
                for c in range(systems - 1, 0, -1):
                    # one draw serves two places
                    if c & 1:
                        drawn <<= 32
                    if not c & 1 or c == systems - 1:
                        state += STEP
                        drawn = mixed(state)
                    chosen = (
                        (drawn >> 32) * (c + 1)
                    ) >> 32  # a product in place of a remainder; its bias is at most (c + 1) / 2**32
                    f[i, c] += r[chosen]
                    r[chosen] = r[c]
                f[i, 0] += r[0]
    return found


def poisson(keys: np.ndarray, units: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return a weight for each key (row) and unit (column): how many of the ascending ``limits`` (uint64) the draw reaches.

    The first bits of a draw tell how many at least, and seldom leave one open.
    """
    starts = np.arange(1 << BITS, dtype=np.uint64) << np.uint64(64 - BITS)
    least = np.searchsorted(limits, starts, side="right").astype(np.uint16)
    k: cython.const[cython.ulonglong][::1] = keys
    u: cython.const[cython.ulonglong][::1] = units
    x: cython.const[cython.ulonglong][::1] = limits
    s: cython.const[cython.ushort][::1] = least
    found = np.empty((len(keys), len(units)))
    f: cython.double[:, ::1] = found
    shift: cython.int = 64 - BITS
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    drawn: cython.ulonglong
    with cython.nogil:
        for i in range(k.shape[0]):
            for j in range(u.shape[0]):
                drawn = mixed((k[i] ^ u[j]) + STEP)
                c = s[drawn >> shift]
                while c < x.shape[0] and drawn >= x[c]:
                    c += 1
                f[i, j] = c
    return found


def least_mean(
    gained: np.ndarray, part: np.ndarray, bets: np.ndarray, cut: cython.double, rich: cython.double
) -> np.ndarray:
    """Return for each row the least mean of 0 … 1 at which the capital of bets that values lie above it stays below ``rich``.

    The capital is the mean over orders of Π (1 + min(bet, cut / m) · (gained − part · m)), which falls with m, so that the bound is
    found by halving. Arrays have a row per mean, then an order, then a column per part.
    """
    g: cython.const[cython.double][:, :, ::1] = np.ascontiguousarray(gained)
    p: cython.const[cython.double][:, :, ::1] = np.ascontiguousarray(part)
    b: cython.const[cython.double][:, :, ::1] = np.ascontiguousarray(bets)
    found = np.zeros(len(gained))
    f: cython.double[::1] = found
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    t: cython.Py_ssize_t
    step: cython.int
    scale: cython.Py_ssize_t
    low: cython.double
    high: cython.double
    m: cython.double
    most: cython.double
    capital: cython.double
    total: cython.double
    with cython.nogil:
        for i in range(g.shape[0]):
            low = -1  # the first mean that is tried is 0
            high = 1
            for step in range(HALVINGS):  # noqa: B007
                m = (low + high) / 2
                total = 0
                for j in range(g.shape[1]):
                    capital = 1
                    scale = 0
                    most = cut / m if m > 0 else 1e300
                    for t in range(g.shape[2]):
                        capital *= 1 + min(b[i, j, t], most) * (g[i, j, t] - p[i, j, t] * m)
                        # products of very many bets leave what a double can hold
                        if capital > 1e100:
                            capital *= 1e-100
                            scale += 1
                        elif capital < 1e-100:
                            capital *= 1e100
                            scale -= 1
                    if scale > 0:  # beyond every bound, whatever the other orders have
                        total = 1e300
                    elif scale == 0:
                        total += capital
                if total >= rich * g.shape[1]:
                    low = m
                elif m == 0:
                    high = 0
                    break
                else:
                    high = m
            f[i] = high
    return found
