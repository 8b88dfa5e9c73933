"""Keys of JSON objects, one object per line: which stand twice, and where the lines of one query begin."""

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
                # keys of inner objects are their own; an open string is for the reader of the line to refuse
                if depth != 1 or t[at] == 10:
                    continue
                i = at + 1
                while t[i] == 32 or t[i] == 9 or t[i] == 13:
                    i += 1
                if t[i] == 58:
                    if escaped:  # the same key may be written in another way
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


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _query(
    t: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    name: cython.const[cython.uchar][::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    length: cython.pointer(cython.Py_ssize_t),
) -> cython.Py_ssize_t:
    """The start of the value of a key in a line, and its length; the end of the line if there is none."""
    value: cython.Py_ssize_t
    key: cython.Py_ssize_t
    while t[at] != 10:
        if t[at] != 34:
            at += 1
            continue
        key = at + 1
        at = key
        while t[at] != 34 and t[at] != 10:
            at += 1
        if t[at] == 10:
            break
        length[0] = at - key
        at += 1
        value = at
        while t[value] == 32 or t[value] == 9 or t[value] == 13:
            value += 1
        if (
            t[value] != 58
            or length[0] != high - low
            or memcmp(cython.address(t[key]), cython.address(name[low]), high - low)
        ):
            continue
        value += 1
        while t[value] == 32 or t[value] == 9 or t[value] == 13:
            value += 1
        at = value + (t[value] == 34)
        if at > value:
            value = at
            while t[at] != 34 and t[at] != 10:
                at += 1
        else:
            while t[at] > 32 and t[at] != 44 and t[at] != 125:
                at += 1
        length[0] = at - value
        return value
    length[0] = 0
    return at


def last_query(text: np.ndarray, begin: int, end: int, names: np.ndarray, low: int, high: int) -> int:
    """Return the start of the first of the last lines of one query, the value of the key ``names[low:high]``.

    ``begin`` is the start of a line, ``end`` the end of one. An id that is written in two ways counts as two.
    """
    t: cython.const[cython.uchar][::1] = text
    w: cython.const[cython.uchar][::1] = names
    key: cython.Py_ssize_t = low
    key_end: cython.Py_ssize_t = high
    first: cython.Py_ssize_t = begin
    at: cython.Py_ssize_t = end
    found: cython.Py_ssize_t = end
    line: cython.Py_ssize_t
    word: cython.Py_ssize_t
    length: cython.Py_ssize_t = 0
    known: cython.Py_ssize_t = -1
    known_length: cython.Py_ssize_t = 0
    with cython.nogil:
        while at > first:
            line = at - 1
            while line > first and t[line - 1] != 10:
                line -= 1
            word = _query(t, line, w, key, key_end, cython.address(length))
            if known < 0:
                known = word
                known_length = length
            elif length != known_length or memcmp(cython.address(t[word]), cython.address(t[known]), length):
                break
            found = at = line
    return found
