"""Exact sums: doubles split into integers, which are added by exponent."""

from __future__ import annotations

import cython
import numpy as np


def by_exponent(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return per exponent field (0 to 2047) the sums of the upper and the lower 26 bits of the signed mantissas.

    The sum of finite doubles is ``Σ ((upper[e] << 26) + lower[e]) · 2**(max(e, 1) - 1075)``; it cannot overflow
    below 2**36 values.
    """
    bits: cython.const[cython.ulonglong][::1] = np.ascontiguousarray(values, np.float64).view(np.uint64)
    upper = np.zeros(2048, np.int64)
    lower = np.zeros(2048, np.int64)
    up: cython.longlong[::1] = upper
    low: cython.longlong[::1] = lower
    i: cython.Py_ssize_t
    exponent: cython.ulonglong
    mantissa: cython.longlong
    sign: cython.longlong
    one: cython.ulonglong = 1
    with cython.nogil:
        for i in range(bits.shape[0]):
            exponent = (bits[i] >> 52) & 0x7FF
            mantissa = bits[i] & ((one << 52) - 1)
            if exponent > 0:
                mantissa |= one << 52
            sign = 1 - 2 * cython.cast(cython.longlong, bits[i] >> 63)
            up[exponent] += sign * (mantissa >> 26)
            low[exponent] += sign * (mantissa & 0x3FFFFFF)
    return upper, lower
