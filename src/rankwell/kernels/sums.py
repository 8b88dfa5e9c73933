"""Sums of doubles: exact ones, added as integers in words of 32 bits, and those per query, added in order."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import NAN
from cython.cimports.libc.string import memcpy


def exact(values: np.ndarray) -> int:
    """Return the sum of finite doubles in units of 2**-1127, exactly; fewer than 2**30 of them.

    A double has at most 2098 bits, in these units; 72 words hold the sum. Most sums need only a few, of which Python's number is
    made then.
    """
    numbers: cython.const[cython.double][::1] = np.ascontiguousarray(values, np.float64)
    words: cython.longlong[72]
    text: cython.uchar[288]
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    shift: cython.ulonglong
    mantissa: cython.ulonglong
    low: cython.ulonglong
    high: cython.ulonglong
    sign: cython.longlong
    carry: cython.longlong = 0
    first: cython.Py_ssize_t = 72
    end: cython.Py_ssize_t = 0
    bits: cython.ulonglong
    one: cython.ulonglong = 1
    mask: cython.ulonglong = 0xFFFFFFFF
    with cython.nogil:
        for i in range(72):
            words[i] = 0
        for i in range(numbers.shape[0]):
            memcpy(cython.address(bits), cython.address(numbers[i]), 8)
            shift = (bits >> 52) & 0x7FF
            mantissa = bits & ((one << 52) - 1)
            if (
                shift > 0
            ):  # a normal number, whose first bit is not written; exponents 0 and 1 mean the same place
                mantissa |= one << 52
                shift -= 1
            shift += 53  # from 2**-1074, the least double, to the unit
            sign = 1 - 2 * cython.cast(cython.longlong, bits >> 63)
            at = shift >> 5
            shift &= 31
            first = min(first, at)
            end = max(end, at + 3)
            low = (mantissa & mask) << shift
            high = (mantissa >> 32) << shift
            # words of 64 bits hold 32 each and are carried once at the end: 2**30 additions leave room for the sign
            words[at] += sign * cython.cast(cython.longlong, low & mask)
            words[at + 1] += sign * cython.cast(cython.longlong, (low >> 32) + (high & mask))
            words[at + 2] += sign * cython.cast(cython.longlong, high >> 32)
        if numbers.shape[0] > 0:
            end += 2  # for what is carried, and the sign
        for i in range(first, end):
            carry += words[i]
            for at in range(4):
                text[4 * (i - first) + at] = (carry >> (8 * at)) & 0xFF
            carry >>= 32
    if end == 0:
        return 0
    return int.from_bytes(text[: 4 * (end - first)], "little", signed=True) << (32 * first)


def ratios(query: np.ndarray, gain: np.ndarray, weight: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return for each query the sum of gain × weight over its rows, in their order, over its divisor; NaN where this is 0."""
    q: cython.const[cython.longlong][::1] = query
    g: cython.const[cython.double][::1] = gain
    w: cython.const[cython.double][::1] = weight
    b: cython.const[cython.double][::1] = below
    found = np.zeros(len(below))
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        # row by row, as np.bincount adds, so that all ways to a sum agree to the last bit
        for i in range(q.shape[0]):
            out[q[i]] += g[i] * w[i]
        for i in range(out.shape[0]):
            out[i] = out[i] / b[i] if b[i] != 0 else NAN
    return found


def until(
    query: np.ndarray, rank: np.ndarray, k: int, gain: np.ndarray, weights: np.ndarray, below: np.ndarray
) -> np.ndarray:
    """Return the same over the rows down to rank k; ``weights`` are those of the ranks 1 to k."""
    q: cython.const[cython.longlong][::1] = query
    r: cython.const[cython.longlong][::1] = rank
    g: cython.const[cython.double][::1] = gain
    w: cython.const[cython.double][::1] = weights
    b: cython.const[cython.double][::1] = below
    last: cython.longlong = min(k, len(weights))
    found = np.zeros(len(below))
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(q.shape[0]):
            if r[i] <= last:
                out[q[i]] += g[i] * w[r[i] - 1]
        for i in range(out.shape[0]):
            out[i] = out[i] / b[i] if b[i] != 0 else NAN
    return found


def precisions(query: np.ndarray, rank: np.ndarray, k: int, below: np.ndarray) -> np.ndarray:
    """Return for each query the sum of the precisions at its hits down to rank k, over its divisor; NaN where this is 0."""
    q: cython.const[cython.longlong][::1] = query
    r: cython.const[cython.longlong][::1] = rank
    b: cython.const[cython.double][::1] = below
    last: cython.longlong = k
    hits: cython.longlong = 0
    found = np.zeros(len(below))
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(q.shape[0]):
            hits = hits + 1 if i > 0 and q[i] == q[i - 1] else 1
            if r[i] <= last:
                out[q[i]] += cython.cast(cython.double, hits) / cython.cast(cython.double, r[i])
        for i in range(out.shape[0]):
            out[i] = out[i] / b[i] if b[i] != 0 else NAN
    return found


def reciprocals(query: np.ndarray, rank: np.ndarray, k: int, below: np.ndarray) -> np.ndarray:
    """Return for each query 1 / the rank of its first hit, 0 if that is below k, over its divisor; NaN where this is 0."""
    q: cython.const[cython.longlong][::1] = query
    r: cython.const[cython.longlong][::1] = rank
    b: cython.const[cython.double][::1] = below
    last: cython.longlong = k
    found = np.zeros(len(below))
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(q.shape[0]):
            if r[i] <= last and (i == 0 or q[i] != q[i - 1]):
                out[q[i]] = 1.0 / cython.cast(cython.double, r[i])
        for i in range(out.shape[0]):
            out[i] = out[i] / b[i] if b[i] != 0 else NAN
    return found


def shares(query: np.ndarray, rank: np.ndarray, k: int, below: np.ndarray) -> np.ndarray:
    """Return for each query the number of its rows down to rank k, over its divisor; NaN where this is 0."""
    q: cython.const[cython.longlong][::1] = query
    r: cython.const[cython.longlong][::1] = rank
    b: cython.const[cython.double][::1] = below
    last: cython.longlong = k
    found = np.zeros(len(below))
    out: cython.double[::1] = found
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(q.shape[0]):
            out[q[i]] += r[i] <= last
        for i in range(out.shape[0]):
            out[i] = out[i] / b[i] if b[i] != 0 else NAN
    return found


def any_beyond(values: np.ndarray, limit: float) -> bool:
    """Return whether a number is above a limit, or below its negative."""
    v: cython.const[cython.double][::1] = values
    top: cython.double = limit
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(v.shape[0]):
            count += (v[i] > top) | (v[i] < -top)
    return count > 0


def undefined(values: np.ndarray) -> tuple[int, int]:
    """Return how many values are NaN, and the place of the first that is infinite, or -1."""
    v: cython.const[cython.double][::1] = values
    count: cython.Py_ssize_t = 0
    infinite: cython.Py_ssize_t = -1
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(v.shape[0]):
            if v[i] - v[i] != 0:  # NaN and infinity alone: one comparison for nearly all values
                if v[i] != v[i]:
                    count += 1
                elif infinite < 0:
                    infinite = i
    return count, infinite
