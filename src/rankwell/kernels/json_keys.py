"""Keys of JSON objects, one object per line."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcmp


def suspicious(text: np.ndarray, begin: int, names: bytes, ends: np.ndarray) -> int:
    """Return the start of the first line after ``begin`` whose object has one of the keys twice, or an escaped key; -1 if none.

    The text ends with a line end. ``names`` are the keys, one after the other, that end at ``ends``; at most 64.
    """
    t: cython.const[cython.uchar][::1] = text
    w: cython.const[cython.uchar][::1] = names
    e: cython.const[cython.longlong][::1] = ends
    at: cython.Py_ssize_t = begin
    line: cython.Py_ssize_t = begin
    start: cython.Py_ssize_t
    low: cython.Py_ssize_t
    i: cython.Py_ssize_t
    found: cython.Py_ssize_t = -1
    depth: cython.int = 0
    escaped: cython.bint
    seen: cython.ulonglong = 0
    bit: cython.ulonglong
    c: cython.uchar
    with cython.nogil:
        while at < t.shape[0] and found < 0:
            c = t[at]
            at += 1
            if c == 10:
                line = at
                depth = 0
                seen = 0
            elif c == 123 or c == 91:
                depth += 1
            elif c == 125 or c == 93:
                depth -= 1
            elif c == 34:
                start = at
                escaped = False
                while t[at] != 34 and t[at] != 10:
                    if t[at] == 92:
                        escaped = True
                        at += t[at + 1] != 10
                    at += 1
                if depth != 1 or t[at] == 10:
                    continue
                i = at + 1
                while t[i] == 32 or t[i] == 9 or t[i] == 13:
                    i += 1
                if t[i] == 58:
                    if escaped:
                        found = line
                    low = 0
                    bit = 1
                    for i in range(e.shape[0]):
                        if e[i] - low == at - start and (
                            at == start
                            or memcmp(cython.address(w[low]), cython.address(t[start]), at - start) == 0
                        ):
                            if seen & bit:
                                found = line
                            seen |= bit
                        low = e[i]
                        bit <<= 1
                at += 1
    return found
