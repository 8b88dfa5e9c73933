"""Fixed 64-bit fingerprints of ids, from which random choices are made: FNV-1a over the UTF-8 text of the id; and sums that identify judgements.

They are the same on every machine and in every release. The keys of ``kernels.ids``, by which rows are looked up, are others.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcpy
from cython.cimports.rankwell.kernels.hashing import folded
from cython.cimports.rankwell.kernels.offsets import refuse_offsets

BASIS = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


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


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
@cython.locals(h=cython.ulonglong, value=cython.ulonglong, most=cython.ulonglong, digit=cython.ulonglong)
@cython.locals(i=cython.Py_ssize_t, sign=cython.Py_ssize_t, is_plain=cython.bint)
def _number(text: cython.p_const_uchar, n: cython.Py_ssize_t) -> cython.ulonglong:
    """The integer of 64 bits that a text is the plain decimal form of; of any other text the hash FNV-1a."""
    sign = n > 0 and text[0] == 45
    is_plain = 0 < n - sign <= 19 and (text[sign] != 48 or n == 1)  # "-0" and "07" are no numbers
    most = cython.cast(cython.ulonglong, 0x7FFFFFFFFFFFFFFF) + sign
    h, value = BASIS, 0
    for i in range(n):
        h = (h ^ text[i]) * PRIME
        if i >= sign:
            digit = cython.cast(cython.ulonglong, text[i]) - 48  # what is less than 0 becomes large
            is_plain = is_plain and digit < 10
            value = 10 * value + digit
    if not is_plain or value > most:
        return folded(h ^ FACTOR, PRIME)  # far from the numbers that ids are
    return 0 - value if sign else value


def of_grades(
    offsets: np.ndarray,
    queries: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    items: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    grades: np.ndarray,
) -> tuple[int, int]:
    """Return two sums of hashes of (query, item, grade), a row each, of which NaN is none.

    They are the same for any order of the rows, and for integers as for their decimal text. Integers are hashed as they are: to write their
    digits takes ten times as long.
    """
    at: cython.const[cython.longlong][::1] = offsets
    qk: cython.const[cython.ulonglong][::1] = queries[0]
    qt: cython.const[cython.uchar][::1] = queries[1]
    qs: cython.const[cython.longlong][::1] = queries[2]
    qn: cython.const[cython.int][::1] = queries[3]
    ik: cython.const[cython.ulonglong][::1] = items[0]
    it: cython.const[cython.uchar][::1] = items[1]
    s: cython.const[cython.longlong][::1] = items[2]
    n: cython.const[cython.int][::1] = items[3]
    g: cython.const[cython.double][:] = grades
    of_numbers: cython.bint = len(items[0]) > 0
    are_alike: cython.bint = grades.strides[0] == 0  # a view of one grade
    of_grade: cython.ulonglong = _bits(g[0]) if len(grades) else 0
    one: cython.ulonglong = 0
    two: cython.ulonglong = 0
    own: cython.ulonglong
    x: cython.ulonglong
    q: cython.Py_ssize_t
    i: cython.Py_ssize_t
    refuse_offsets(at, g.shape[0])
    with cython.nogil:
        for q in range(at.shape[0] - 1):
            own = qk[q] if qk.shape[0] > 0 else _number(cython.address(qt[0]) + qs[q], qn[q])
            own = folded(own ^ FACTOR, BASIS)
            if of_numbers and are_alike:
                # interactions by numbers, of which there are the most, with nothing to be asked per row
                for i in range(at[q], at[q + 1]):
                    x = folded(ik[i] ^ own, (own + of_grade) | 1)
                    one += x
                    two += x ^ (x >> 32)
                continue
            for i in range(at[q], at[q + 1]):
                if g[i] != g[i]:
                    continue
                of_grade = _bits(g[i])
                x = ik[i] if of_numbers else _number(cython.address(it[0]) + s[i], n[i])
                x = folded(x ^ own, (own + of_grade) | 1)
                one += x
                two += x ^ (x >> 32)
    return one, two


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
@cython.locals(bits=cython.ulonglong)
def _bits(grade: cython.double) -> cython.ulonglong:
    """What a grade adds to a hash; 0 and -0 are one."""
    grade = grade + 0.0
    memcpy(cython.address(bits), cython.address(grade), 8)
    return bits * FACTOR
