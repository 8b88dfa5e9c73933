"""Line starts in TREC text; see ``rankwell.kernels.trec_text`` for what a line is."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcmp
from cython.cimports.rankwell.kernels.spans import blank_end, data_line, line_end, word_end


def line_after(text: np.ndarray, at: int, end: int) -> int:
    """Return the start of the line after byte ``at``, at most ``end``."""
    t: cython.const[cython.uchar][::1] = text
    return line_end(t, at) if at < end else end


def next_query(text: np.ndarray, begin: int, end: int) -> int:
    """Return the start of the first line after ``begin`` whose query differs from that of the line before it.

    ``begin`` may lie within a line; that line and all that repeat the query of the next one are skipped.
    """
    t: cython.const[cython.uchar][::1] = text
    stop: cython.Py_ssize_t = end
    at: cython.Py_ssize_t = data_line(t, line_end(t, begin), stop)
    start: cython.Py_ssize_t = at
    length: cython.Py_ssize_t = 0
    with cython.nogil:
        if at < stop:
            length = word_end(t, at) - at
        while at < stop:
            if word_end(t, at) - at != length or memcmp(
                cython.address(t[at]), cython.address(t[start]), length
            ):
                break
            at = data_line(t, line_end(t, at), stop)
    return at


def lines_end(text: np.ndarray, begin: int, end: int) -> int:
    """Return the end of the last whole line of ``text[begin:end]``, ``begin`` if there is none."""
    t: cython.const[cython.uchar][::1] = text
    first: cython.Py_ssize_t = begin
    at: cython.Py_ssize_t = end
    with cython.nogil:
        while at > first and t[at - 1] != 10:
            at -= 1
    return at


def last_query(text: np.ndarray, begin: int, end: int) -> int:
    """Return the start of the first of the last lines of one query, ``end`` if there is no line of data.

    ``begin`` is the start of a line, ``end`` the end of one.
    """
    t: cython.const[cython.uchar][::1] = text
    first: cython.Py_ssize_t = begin
    at: cython.Py_ssize_t = end
    line: cython.Py_ssize_t
    word: cython.Py_ssize_t
    length: cython.Py_ssize_t
    found: cython.Py_ssize_t = end
    known: cython.Py_ssize_t = -1
    known_length: cython.Py_ssize_t = 0
    with cython.nogil:
        while at > first:
            line = at - 1
            while line > first and t[line - 1] != 10:
                line -= 1
            at = line
            word = blank_end(t, line)
            if t[word] == 10 or t[word] == 35:
                continue
            length = word_end(t, word) - word
            if known < 0:
                known = word
                known_length = length
            elif length != known_length or memcmp(cython.address(t[word]), cython.address(t[known]), length):
                break
            found = line
    return found


def index(text: np.ndarray, begin: int, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the start of each data line and the length of its first word, the query."""
    t: cython.const[cython.uchar][::1] = text
    stop: cython.Py_ssize_t = end
    at: cython.Py_ssize_t = begin
    rows: cython.Py_ssize_t = 0
    starts = np.empty((end - begin) // 8 + 1, np.int64)
    lengths = np.empty(len(starts), np.int32)
    s: cython.longlong[::1] = starts
    n: cython.int[::1] = lengths
    with cython.nogil:
        at = data_line(t, at, stop)
        while at < stop and rows < s.shape[0]:
            s[rows] = at
            n[rows] = cython.cast(cython.int, word_end(t, at) - at)
            rows += 1
            at = data_line(t, line_end(t, at), stop)
    return starts[:rows], lengths[:rows]
