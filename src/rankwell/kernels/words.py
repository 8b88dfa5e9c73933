"""Words of an Arrow column of text: as ids, the distinct ones, and those of some lists, each once."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.rankwell.kernels.arrow import INLINE, Array, View, is_null, same, take, text
from cython.cimports.rankwell.kernels.hashing import hashed, key, mix_two

from rankwell.kernels import SECRET

key(SECRET[0], SECRET[1])

SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
SLOTS = cython.declare(cython.Py_ssize_t, 1 << 15)
SPARE = cython.declare(cython.Py_ssize_t, 16)  # bytes behind a text that may be written or read with it


def group(stream: object, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each text among the distinct ones, in order of first appearance, -1 for null, and their first rows.

    ``stream`` is what ``__arrow_c_stream__`` of a Polars column of ``rows`` texts in one chunk returns.

    Raises
    ------
    ValueError
        If it is another column.
    """
    array: Array
    _take(stream, rows, cython.address(array))
    if not array.release:
        return np.empty(0, np.int32), np.empty(0, np.int64)
    try:
        return _group(cython.address(array), rows)
    finally:
        array.release(cython.address(array))


@cython.cfunc
def _take(stream: object, rows: cython.Py_ssize_t, array: cython.pointer(Array)) -> cython.void:
    """Take the array out of a stream; one that has another number of rows is let go of."""
    take(stream, array)
    length: cython.Py_ssize_t = array.length if array.release else 0
    if length != rows:
        if array.release:
            array.release(array)
        msg = f"a first chunk of {length} rows, not {rows}"
        raise ValueError(msg)


@cython.cfunc
def _group(array: cython.pointer(Array), rows: cython.Py_ssize_t) -> tuple:  # type: ignore[type-arg]
    views: cython.pointer(cython.const[View]) = (
        cython.cast(cython.pointer(cython.const[View]), array.buffers[1]) + array.offset
    )
    has_nulls: cython.bint = array.null_count != 0
    codes = np.empty(rows, np.int32)
    firsts = np.empty(rows, np.int64)
    c: cython.int[::1] = codes
    f: cython.longlong[::1] = firsts
    size: cython.Py_ssize_t = 1024
    table = np.zeros(size, np.int32)
    t: cython.int[::1] = table
    # the last short word of each slot, which needs no good hash, and its number: topics are few, and seen again and again
    heads: cython.ulonglong[256]
    rests: cython.ulonglong[256]
    numbers: cython.int[256]
    head: cython.ulonglong
    rest: cython.ulonglong
    slot: cython.uint
    at: cython.ulonglong
    i: cython.Py_ssize_t = 0
    old: cython.int
    count: cython.int = 0
    memset(heads, 255, cython.sizeof(heads))
    while i < rows:
        with cython.nogil:
            while i < rows and 2 * count < size:
                if has_nulls and is_null(array, i):
                    c[i] = -1
                    i += 1
                    continue
                head = _head(views + i)
                rest = cython.cast(cython.ulonglong, views[i].rest)
                slot = _slot(head, rest)
                if heads[slot] == head and rests[slot] == rest:
                    c[i] = numbers[slot]
                else:
                    at = _hash(array, views + i) & (size - 1)
                    old = t[at]
                    while old > 0 and not same(array, views + i, views + f[old - 1]):
                        at = (at + 1) & (size - 1)
                        old = t[at]
                    if old == 0:
                        f[count] = i
                        count += 1
                        old = t[at] = count
                    c[i] = old - 1
                    if views[i].length <= INLINE:
                        heads[slot], rests[slot], numbers[slot] = head, rest, old - 1
                i += 1
        if i < rows:
            size *= 4  # and the words so far get new slots; with few words the table stays in the cache
            table = np.zeros(size, np.int32)
            t = table
            for old in range(count):
                at = _hash(array, views + f[old]) & (size - 1)
                while t[at] > 0:
                    at = (at + 1) & (size - 1)
                t[at] = old + 1
    return codes, firsts[:count].copy()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _head(view: cython.pointer(cython.const[View])) -> cython.ulonglong:
    return cython.cast(cython.ulonglong, view.length) << 32 | cython.cast(cython.uint, view.prefix)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _slot(head: cython.ulonglong, rest: cython.ulonglong) -> cython.uint:
    # also of words that begin alike, such as those of a hierarchy
    short: cython.uint = cython.cast(cython.uint, rest) ^ cython.cast(cython.uint, head)
    return short * cython.cast(cython.uint, 0x9E3779B1) >> 24


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _hash(array: cython.pointer(Array), view: cython.pointer(cython.const[View])) -> cython.ulonglong:
    if view.length > INLINE:
        return hashed(text(array, view), view.length, False)
    return mix_two(cython.cast(cython.ulonglong, view.rest), _head(view))


def ids(stream: object, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return texts as ids: keys, a buffer of text, starts and lengths; ``stream`` is a column as for ``group``, without nulls.

    A text that is repeated, as one from the dictionary of a Parquet file is, is mostly hashed and copied once.

    Raises
    ------
    ValueError
        If it is another column.
    """
    array: Array
    _take(stream, rows, cython.address(array))
    if not array.release:
        return np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.int64), np.empty(0, np.int32)
    try:
        return _ids(cython.address(array), rows)
    finally:
        array.release(cython.address(array))


@cython.cfunc
def _ids(array: cython.pointer(Array), rows: cython.Py_ssize_t) -> tuple:  # type: ignore[type-arg]
    views: cython.pointer(cython.const[View]) = (
        cython.cast(cython.pointer(cython.const[View]), array.buffers[1]) + array.offset
    )
    keys, starts, lengths = np.empty(rows, np.uint64), np.empty(rows, np.int64), np.empty(rows, np.int32)
    k: cython.ulonglong[::1] = keys
    s: cython.longlong[::1] = starts
    n: cython.int[::1] = lengths
    total: cython.Py_ssize_t = SPARE
    i: cython.Py_ssize_t
    for i in range(rows):
        total += views[i].length
    buffer = np.empty(total, np.uint8)  # pages that are never written cost no memory
    out: cython.uchar[::1] = buffer
    # the last row of each slot, whose view may be the same; its text is not even looked at
    seen: cython.longlong[::1] = np.zeros(SLOTS, np.int64)
    at: cython.Py_ssize_t = 0
    mixed: cython.ulonglong
    old: cython.longlong
    with cython.nogil:
        for i in range(rows):
            n[i] = views[i].length
            mixed = (cython.cast(cython.ulonglong, views[i].rest) ^ _head(views + i)) * SPREAD >> 32
            old = seen[mixed & (SLOTS - 1)]
            if (
                old < i
                and views[old].rest == views[i].rest
                and views[old].prefix == views[i].prefix
                and views[old].length == views[i].length
            ):
                k[i] = k[old]
                s[i] = s[old]
                continue
            seen[mixed & (SLOTS - 1)] = i
            if n[i] <= INLINE:
                memcpy(cython.address(out[at]), cython.address(views[i].prefix), INLINE)
            else:
                memcpy(cython.address(out[at]), text(array, views + i), n[i])
            k[i] = hashed(cython.address(out[at]), n[i], True) if n[i] > 0 else 0
            s[i] = at
            at += n[i]
    return keys, buffer[:at], starts, lengths


def lists(
    offsets: np.ndarray, words: np.ndarray, codes: np.ndarray, names: int, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many distinct codes each row's list has, and these codes, list after list, in order of first appearance.

    The words of list i are ``words[offsets[i]:offsets[i + 1]]``; the code of a word, below ``names``, is ``codes[word]``. Words
    below 0 and codes below 0 are left out.
    """
    start: cython.const[cython.longlong][::1] = offsets
    word: cython.const[cython.int][::1] = words
    code: cython.const[cython.longlong][::1] = codes
    wanted: cython.const[cython.longlong][::1] = rows
    lengths = np.empty(len(rows), np.int64)
    n: cython.longlong[::1] = lengths
    last_seen = np.full(names, -1, np.int64)
    seen: cython.longlong[::1] = last_seen
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    most: cython.Py_ssize_t = 0
    wrong: cython.bint = False
    with cython.nogil:
        for i in range(wanted.shape[0]):
            wrong |= not 0 <= start[wanted[i]] <= start[wanted[i] + 1] <= word.shape[0]
            most += start[wanted[i] + 1] - start[wanted[i]]
    if wrong:
        msg = "offsets must not fall, and end within the rows"
        raise ValueError(msg)
    found = np.empty(most, np.int64)
    out: cython.longlong[::1] = found
    count: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t
    name: cython.longlong
    with cython.nogil:
        for i in range(wanted.shape[0]):
            before = count
            for j in range(start[wanted[i]], start[wanted[i] + 1]):
                if word[j] < 0:
                    continue
                name = code[word[j]]
                # the last list with a name, not whether there was one: nothing to clear between lists
                if name >= 0 and seen[name] != i:
                    seen[name] = i
                    out[count] = name
                    count += 1
            n[i] = count - before
    return lengths, found[:count]
