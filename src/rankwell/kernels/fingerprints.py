"""Fixed 64-bit fingerprints of ids, from which random choices are made: FNV-1a over the UTF-8 text of the id.

They are the same on every machine and in every release. The keys of ``kernels.ids``, by which rows are looked up, are others.
"""

from __future__ import annotations

import cython
import numpy as np

BASIS = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)


def of_text(text: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the fingerprint of each span."""
    t: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    found = np.empty(len(starts), np.uint64)
    out: cython.ulonglong[::1] = found
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    h: cython.ulonglong
    with cython.nogil:
        for i in range(s.shape[0]):
            h = BASIS
            for j in range(s[i], s[i] + n[i]):
                h = (h ^ t[j]) * PRIME
            out[i] = h
    return found


def of_integers(values: np.ndarray) -> np.ndarray:
    """Return the fingerprint of the decimal text of each integer."""
    v: cython.const[cython.longlong][::1] = values
    found = np.empty(len(values), np.uint64)
    out: cython.ulonglong[::1] = found
    digits: cython.uchar[20]
    i: cython.Py_ssize_t
    used: cython.int
    left: cython.ulonglong
    h: cython.ulonglong
    with cython.nogil:
        for i in range(v.shape[0]):
            h = BASIS
            left = cython.cast(cython.ulonglong, v[i])
            if v[i] < 0:
                h = (h ^ 45) * PRIME  # a minus
                left = 0 - left  # exact for -2**63 too, whose negative no word with a sign holds
            used = 0
            while used == 0 or left > 0:
                digits[used] = 48 + left % 10
                left //= 10
                used += 1
            while used > 0:
                used -= 1
                h = (h ^ digits[used]) * PRIME
            out[i] = h
    return found
