"""Sums of doubles: exact ones, added as integers in words of 32 bits, and those per query, added in order."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import NAN


def exact(values: np.ndarray) -> int:
    """Return the sum of finite doubles in units of 2**-1127, exactly; fewer than 2**30 of them.

    A double has at most 2098 bits, in these units; 72 words hold the sum.
    """
    bits: cython.const[cython.ulonglong][::1] = np.ascontiguousarray(values, np.float64).view(np.uint64)
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
    one: cython.ulonglong = 1
    mask: cython.ulonglong = 0xFFFFFFFF
    with cython.nogil:
        for i in range(72):
            words[i] = 0
        for i in range(bits.shape[0]):
            shift = (bits[i] >> 52) & 0x7FF
            mantissa = bits[i] & ((one << 52) - 1)
            if shift > 0:
                mantissa |= one << 52
                shift -= 1
            shift += 53
            sign = 1 - 2 * cython.cast(cython.longlong, bits[i] >> 63)
            at = shift >> 5
            shift &= 31
            low = (mantissa & mask) << shift
            high = (mantissa >> 32) << shift
            words[at] += sign * cython.cast(cython.longlong, low & mask)
            words[at + 1] += sign * cython.cast(cython.longlong, (low >> 32) + (high & mask))
            words[at + 2] += sign * cython.cast(cython.longlong, high >> 32)
        for i in range(72):
            carry += words[i]
            for at in range(4):
                text[4 * i + at] = (carry >> (8 * at)) & 0xFF
            carry >>= 32
    return int.from_bytes(text[:288], "little", signed=True)


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
        for i in range(q.shape[0]):
            out[q[i]] += g[i] * w[i]
        for i in range(out.shape[0]):
            out[i] = out[i] / b[i] if b[i] != 0 else NAN
    return found


def undefined(values: np.ndarray) -> tuple[int, int]:
    """Return how many values are NaN, and the place of the first that is infinite, or -1."""
    v: cython.const[cython.double][::1] = values
    count: cython.Py_ssize_t = 0
    infinite: cython.Py_ssize_t = -1
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(v.shape[0]):
            if v[i] - v[i] != 0:
                if v[i] != v[i]:
                    count += 1
                elif infinite < 0:
                    infinite = i
    return count, infinite
