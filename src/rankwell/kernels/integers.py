"""Integers in a narrow range: distinct values, groups, and lookups in a table instead of a hash."""

from __future__ import annotations

import cython
import numpy as np


def seen(keys: np.ndarray, low: int, width: int) -> np.ndarray:
    """Return the distinct integers, ascending; all lie in ``low`` … ``low + width - 1``."""
    k: cython.const[cython.ulonglong][::1] = keys
    least: cython.longlong = low
    first: cython.ulonglong = cython.cast(cython.ulonglong, least)
    t: cython.uchar[::1] = np.zeros(width, np.uint8)
    i: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(k.shape[0]):
            t[k[i] - first] = 1
        for i in range(t.shape[0]):
            count += t[i]
    distinct = np.empty(
        count + 1, np.int64
    )  # one extra: an unseen number is written too, and overwritten by the next
    d: cython.longlong[::1] = distinct
    count = 0
    with cython.nogil:
        for i in range(t.shape[0]):  # no branch, of which a processor would guess every other one wrong
            d[count] = least + i
            count += t[i]
    return distinct[:count]


def group(keys: np.ndarray, low: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each integer among the distinct ones, in order of first appearance, and their first rows.

    All lie in ``low`` … ``low + width - 1``.
    """
    k: cython.const[cython.ulonglong][::1] = keys
    least: cython.longlong = low
    first: cython.ulonglong = cython.cast(cython.ulonglong, least)
    t: cython.int[::1] = np.zeros(width, np.int32)
    codes = np.empty(len(keys), np.int64)
    c: cython.longlong[::1] = codes
    firsts = np.empty(min(width, len(keys)), np.int64)
    f: cython.longlong[::1] = firsts
    i: cython.Py_ssize_t
    at: cython.ulonglong
    count: cython.int = 0
    with cython.nogil:
        for i in range(k.shape[0]):
            at = k[i] - first
            if t[at] == 0:
                f[count] = i
                count += 1
                t[at] = count
            c[i] = t[at] - 1
    return codes, firsts[:count].copy()


def negative(values: np.ndarray) -> int:
    """Return how many integers are below 0."""
    v: cython.const[cython.longlong][::1] = values
    i: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(v.shape[0]):
            count += v[i] < 0
    return count


def are_equal(values: np.ndarray) -> bool:
    """Return whether all numbers are the first one; nan is none."""
    v: cython.const[cython.double][:] = values
    i: cython.Py_ssize_t = 0
    with cython.nogil:
        while i < v.shape[0] and v[i] == v[0]:
            i += 1
    return i == v.shape[0]


def counts(values: np.ndarray, most: int) -> tuple[int, np.ndarray] | None:
    """Return the lowest number, and how many are each from it to the highest; None unless all are whole, and of ``-most`` … ``most``."""
    v: cython.const[cython.double][:] = values
    top: cython.int = most
    found = np.zeros(2 * most + 1, np.int64)
    n: cython.longlong[::1] = found
    i: cython.Py_ssize_t
    number: cython.double
    whole: cython.int
    low: cython.int = top
    high: cython.int = -top
    fits: cython.bint = True
    with cython.nogil:
        for i in range(v.shape[0]):
            number = v[i]
            if not -top <= number <= top:
                fits = False
                break
            whole = cython.cast(cython.int, number)
            if whole != number:
                fits = False
                break
            low, high = min(low, whole), max(high, whole)
            n[whole + top] += 1
    return (low, found[low + top : high + top + 1]) if fits else None


def table(keys: np.ndarray, low: int, width: int) -> np.ndarray:
    """Return the row + 1 of each of ``low`` … ``low + width - 1`` among distinct integers, for ``read``."""
    k: cython.const[cython.ulonglong][::1] = keys
    least: cython.longlong = low
    first: cython.ulonglong = cython.cast(cython.ulonglong, least)
    rows = np.zeros(width, np.int32)
    t: cython.int[::1] = rows
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k.shape[0] - 1, -1, -1):  # backwards, so that of equal ones the first stays
            t[k[i] - first] = cython.cast(cython.int, i + 1)
    return rows


def read(table: np.ndarray, low: int, keys: np.ndarray) -> np.ndarray:
    """Return for each integer its row in a ``table`` from ``low``, or -1."""
    t: cython.const[cython.int][::1] = table
    k: cython.const[cython.ulonglong][::1] = keys
    least: cython.longlong = low
    first: cython.ulonglong = cython.cast(cython.ulonglong, least)
    width: cython.ulonglong = t.shape[0]
    found = np.empty(len(keys), np.int64)
    out: cython.longlong[::1] = found
    i: cython.Py_ssize_t
    at: cython.ulonglong
    with cython.nogil:
        for i in range(k.shape[0]):
            at = k[i] - first  # wraps to a huge number below the range, so that one comparison sees both ends
            out[i] = t[at] - 1 if at < width else -1
    return found
