"""Columns of lists of Python strings or integers, and of dicts of them with numbers, without a Python object per row.

Only plain values are read: exactly ``str``, ``int``, ``float`` and ``dict``, so that no code of others runs on the way. For
anything else (and for NaN, and whole numbers that no float holds) there is no result, and the caller looks closer.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.cpython.dict import PyDict_Next
from cython.cimports.cpython.float import PyFloat_AsDouble, PyFloat_CheckExact
from cython.cimports.cpython.long import PyLong_AsDouble, PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cython.cimports.cpython.ref import PyObject
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_CheckExact
from cython.cimports.libc.string import memcpy
from cython.cimports.rankwell.kernels.hashing import hashed, key
from cython.cimports.rankwell.kernels.spans import prefetch

from rankwell.kernels import SECRET

Columns = (
    tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | np.ndarray
)  # keys, text, starts, lengths; or integers
MOST = cython.declare(cython.double, 2.0**53)
LONGEST = cython.declare(cython.Py_ssize_t, 2**31 - 1)
AHEAD = cython.declare(
    cython.Py_ssize_t, 32
)  # entries of a dict whose objects are fetched into the cache at a time
AGAIN = cython.declare(cython.int, 2)

key(SECRET[0], SECRET[1])


@cython.cfunc
@cython.inline
@cython.exceptval(-1)
def _is_number(value: object, out: cython.p_double) -> cython.int:
    """Whether a value is a plain number that a float holds; it is written to ``out``."""
    if PyFloat_CheckExact(value):
        out[0] = PyFloat_AsDouble(value)
        return out[0] == out[0]
    if not PyLong_CheckExact(value):
        return 0
    out[0] = PyLong_AsDouble(value)
    return -MOST < out[0] < MOST  # the float of 2**53 may be that of another number


@cython.cfunc
@cython.inline
@cython.exceptval(-1)
def _is_integer(value: object, out: cython.pointer[cython.longlong]) -> cython.int:
    """Whether a value is a plain integer of 64 bits; it is written to ``out``."""
    overflow: cython.int = 0
    if not PyLong_CheckExact(value):
        return 0
    out[0] = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
    return overflow == 0


@cython.cclass
class _Ids:
    """Ids written one after the other, all strings as the first, or all integers."""

    rows: cython.Py_ssize_t
    is_text: cython.int
    total: cython.Py_ssize_t
    keys: object
    text: object
    starts: object
    lengths: object
    k: cython.ulonglong[::1]
    t: cython.uchar[::1]
    s: cython.longlong[::1]
    n: cython.int[::1]

    def __init__(self, rows: cython.Py_ssize_t) -> None:
        self.rows, self.total, self.is_text = 0, 0, 1
        self.starts, self.lengths = np.empty(rows, np.int64), np.empty(rows, np.int32)
        self.keys = np.empty(rows, np.uint64)
        self.s, self.n, self.k = self.starts, self.lengths, self.keys
        self._grow(8 * rows + 64)

    @cython.cfunc
    @cython.exceptval(-1)
    def _grow(self, size: cython.Py_ssize_t) -> cython.int:
        grown = np.empty(size, np.uint8)
        if self.total:
            grown[: self.total] = self.text[: self.total]
        self.text = grown
        self.t = grown
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1)
    def add(self, value: object) -> cython.int:
        """Write an id; whether it is plain, and of the kind of the first."""
        size: cython.Py_ssize_t = 0
        row: cython.Py_ssize_t = self.rows
        at: cython.p_const_char
        if row == 0:
            self.is_text = PyUnicode_CheckExact(value)
        self.rows += 1
        if not self.is_text:
            return _is_integer(value, cython.address(self.s[row]))
        if not PyUnicode_CheckExact(value):
            return 0
        at = PyUnicode_AsUTF8AndSize(value, cython.address(size))
        if size > LONGEST:
            return 0
        if self.total + size + 8 > self.t.shape[0]:
            self._grow(2 * (self.total + size) + 8)
        memcpy(cython.address(self.t[self.total]), at, size)
        self.s[row], self.n[row] = self.total, size
        self.k[row] = hashed(cython.address(self.t[self.total]), size, True) if size else 0
        self.total += size
        return 1

    @cython.cfunc
    @cython.exceptval(-1)
    def add_some(
        self, values: cython.pointer[cython.pointer[PyObject]], count: cython.Py_ssize_t
    ) -> cython.int:
        """Write up to AHEAD ids, as ``add`` does; AGAIN if there was no room, and objects that nobody holds may have ended since."""
        texts: cython.p_const_char[32]
        sizes: cython.Py_ssize_t[32]
        need: cython.Py_ssize_t = self.total + 8
        row: cython.Py_ssize_t = self.rows
        i: cython.Py_ssize_t
        if row == 0 and count:
            self.is_text = PyUnicode_CheckExact(cython.cast(object, values[0]))
        if count == 0:
            return 1
        if not self.is_text:
            for i in range(count):
                if not _is_integer(cython.cast(object, values[i]), cython.address(self.s[row + i])):
                    return 0
            self.rows += count
            return 1
        for i in range(count):
            if not PyUnicode_CheckExact(cython.cast(object, values[i])):
                return 0
            texts[i] = PyUnicode_AsUTF8AndSize(cython.cast(object, values[i]), cython.address(sizes[i]))
            if sizes[i] > LONGEST:
                return 0
            need += sizes[i]
        if need > self.t.shape[0]:
            self._grow(2 * need)
            return AGAIN
        # pointers of its own, as what is written through them could else be the arrays' own places
        to: cython.p_uchar = cython.address(self.t[self.total])
        starts: cython.pointer[cython.longlong] = cython.address(self.s[row])
        lengths: cython.p_int = cython.address(self.n[row])
        keys: cython.pointer[cython.ulonglong] = cython.address(self.k[row])
        start: cython.longlong = self.total
        for i in range(count):
            memcpy(to, texts[i], sizes[i])
            starts[i], lengths[i] = start, sizes[i]
            to += sizes[i]
            start += sizes[i]
        # in a loop of its own, as a processor waits where it reads what it has just written by smaller pieces
        to = cython.address(self.t[self.total])
        for i in range(count):
            keys[i] = hashed(to, sizes[i], True) if sizes[i] else 0
            to += sizes[i]
        self.total = start
        self.rows += count
        return 1

    @cython.cfunc
    def columns(self) -> Columns:
        if not self.is_text:
            return self.starts
        text = self.text[: max(self.total, 1)]  # text of no length is that of integers
        return self.keys, text if 2 * self.total >= len(self.text) else text.copy(), self.starts, self.lengths


def of_list(values: list) -> Columns | None:
    """Return plain strings as keys, text, starts and lengths; plain integers as int64; None for anything else."""
    ids = _Ids(len(values))
    i: cython.Py_ssize_t
    try:
        for i in range(len(values)):
            if not ids.add(values[i]):
                return None
    except UnicodeEncodeError:  # a lone surrogate
        return None
    return ids.columns()


def of_dicts(lists: list) -> tuple[np.ndarray, np.ndarray, Columns] | None:
    """Return where the items of each dict begin, their numbers, and the items as ``of_list`` does; None for anything else."""
    count: cython.Py_ssize_t = len(lists)
    offsets = np.zeros(count + 1, np.int64)
    o: cython.longlong[::1] = offsets
    g: cython.Py_ssize_t
    for g in range(count):
        if type(lists[g]) is not dict:
            return None
        o[g + 1] = o[g] + len(cython.cast(dict, lists[g]))
    ids = _Ids(o[count])
    numbers = np.empty(o[count])
    x: cython.double[::1] = numbers
    row: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    one: dict
    items: cython.pointer[PyObject][32]
    values: cython.pointer[PyObject][32]
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t
    found: cython.Py_ssize_t
    written: cython.int
    try:
        for g in range(count):
            one = lists[g]
            at = 0
            found = AHEAD
            while found == AHEAD:
                found, first = 0, at
                while found < AHEAD and PyDict_Next(
                    one, cython.address(at), cython.address(items[found]), cython.address(values[found])
                ):
                    prefetch(items[found])
                    prefetch(cython.cast(cython.p_char, items[found]) + 56)
                    prefetch(values[found])
                    found += 1
                if row + found > o[g + 1]:  # the dict has grown meanwhile
                    return None
                for i in range(found):
                    if not _is_number(cython.cast(object, values[i]), cython.address(x[row + i])):
                        return None
                # making room may run the garbage collector, and with it code that changes the dict: the entries are read again
                written = ids.add_some(items, found)
                if written == AGAIN:
                    at, found = first, AHEAD
                    continue
                if not written:
                    return None
                row += found
            if row != o[g + 1]:
                return None
    except (UnicodeEncodeError, OverflowError):  # a lone surrogate, or an integer beyond every float
        return None
    return offsets, numbers, ids.columns()
