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

Columns = tuple[np.ndarray, np.ndarray, np.ndarray] | np.ndarray  # text, starts and lengths, or integers
MOST = cython.declare(cython.double, 2.0**53)
LONGEST = cython.declare(cython.Py_ssize_t, 2**31 - 1)


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
    text: object
    starts: object
    lengths: object
    t: cython.uchar[::1]
    s: cython.longlong[::1]
    n: cython.int[::1]

    def __init__(self, rows: cython.Py_ssize_t) -> None:
        self.rows, self.total, self.is_text = 0, 0, 1
        self.starts, self.lengths = np.empty(rows, np.int64), np.empty(rows, np.int32)
        self.s, self.n = self.starts, self.lengths
        self._grow(16 * rows + 16)

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
        if self.total + size >= self.t.shape[0]:
            self._grow(2 * (self.total + size))
        memcpy(cython.address(self.t[self.total]), at, size)
        self.s[row], self.n[row] = self.total, size
        self.total += size
        return 1

    @cython.cfunc
    def columns(self) -> Columns:
        if not self.is_text:
            return self.starts
        return self.text[: self.total].copy(), self.starts, self.lengths


def of_list(values: list) -> Columns | None:
    """Return plain strings as text, starts and lengths; plain integers as int64; None for anything else."""
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
    key: cython.pointer[PyObject]
    value: cython.pointer[PyObject]
    try:
        for g in range(count):
            one = lists[g]
            at = 0
            while PyDict_Next(one, cython.address(at), cython.address(key), cython.address(value)):
                if (
                    row == o[g + 1]  # the dict has grown meanwhile
                    or not _is_number(cython.cast(object, value), cython.address(x[row]))
                    or not ids.add(cython.cast(object, key))
                ):
                    return None
                row += 1
            if row != o[g + 1]:
                return None
    except (UnicodeEncodeError, OverflowError):  # a lone surrogate, or an integer beyond every float
        return None
    return offsets, numbers, ids.columns()
