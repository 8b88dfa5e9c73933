"""The text of ids: laid end to end, and whether it is UTF-8."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcpy

OK, NOT_UTF_8, MARKED = range(3)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _trouble(
    t: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, length: cython.Py_ssize_t
) -> cython.int:
    """What is wrong with the bytes of an id: they are not UTF-8 (1), or begin with a byte-order mark (2)."""
    end: cython.Py_ssize_t = at + length
    c: cython.uchar
    low: cython.uchar
    high: cython.uchar
    more: cython.int
    if length >= 3 and t[at] == 0xEF and t[at + 1] == 0xBB and t[at + 2] == 0xBF:
        return 2
    while at < end:
        c = t[at]
        at += 1
        if c < 0x80:
            continue
        if c < 0xC2 or c > 0xF4:  # a following byte, an overlong form of ASCII, or beyond U+10FFFF
            return 1
        more = 1 + (c >= 0xE0) + (c >= 0xF0)
        if at + more > end:
            return 1
        # the second byte of some characters has a narrower range: no overlong forms, surrogates, or numbers that are too large
        low = 0xA0 if c == 0xE0 else (0x90 if c == 0xF0 else 0x80)
        high = 0x9F if c == 0xED else (0x8F if c == 0xF4 else 0xBF)
        while more > 0:
            if t[at] < low or t[at] > high:
                return 1
            low = 0x80
            high = 0xBF
            at += 1
            more -= 1
    return 0


def first_wrong(text: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> tuple[int, int]:
    """Return what is wrong with the first span that is not UTF-8 or begins with a byte-order mark, and its row."""
    t: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    status: cython.int = 0
    row: cython.Py_ssize_t = 0
    with cython.nogil:
        while row < s.shape[0]:
            status = _trouble(t, s[row], n[row])
            if status:
                break
            row += 1
    return status, row


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _copy(
    out: cython.p_uchar,
    room: cython.Py_ssize_t,
    at: cython.p_const_uchar,
    readable: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
) -> cython.int:
    """Copy some bytes; more than these, if as many can be read and there is room, as that takes fewer steps."""
    # of a length that the compiler knows, memcpy is one instruction and no call; what is too much is written over next
    if length <= 8 <= readable and room >= 8:
        memcpy(out, at, 8)
    elif length <= 16 <= readable and room >= 16:
        memcpy(out, at, 16)
    else:
        memcpy(out, at, length)
    return 0


def packed(text: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the bytes of some spans end to end."""
    return divided(np.zeros(len(starts), np.int32), 1, text, starts, lengths)[0]


def divided(
    codes: np.ndarray, parts: int, text: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of some spans part by part, in the order of the rows within each part, and where each part begins."""
    c: cython.const[cython.int][::1] = codes
    t: cython.const[cython.uchar][::1] = text
    s: cython.const[cython.longlong][::1] = starts
    n: cython.const[cython.int][::1] = lengths
    cuts = np.zeros(parts + 1, np.int64)
    end: cython.longlong[::1] = cuts[1:]
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(c.shape[0]):
            end[c[i]] += n[i]
        for i in range(1, end.shape[0]):
            end[i] += end[i - 1]
    together = np.empty(int(cuts[-1]), np.uint8)
    out: cython.uchar[::1] = together
    cursor: cython.longlong[::1] = cuts[:-1].copy()
    at: cython.Py_ssize_t
    with cython.nogil:
        for i in range(c.shape[0]):
            if n[i] > 0:
                at = cursor[c[i]]
                _copy(
                    cython.address(out[at]),
                    end[c[i]] - at,
                    cython.address(t[s[i]]),
                    t.shape[0] - s[i],
                    n[i],
                )
                cursor[c[i]] += n[i]
    return together, cuts
