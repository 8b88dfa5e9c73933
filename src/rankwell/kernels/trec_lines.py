"""Lines of TREC text; see ``rankwell.kernels.trec_text`` for what a line is."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcmp
from cython.cimports.rankwell.kernels.spans import blank_end, line_end, word_end
from cython.cimports.rankwell.kernels.trec_words import data_line, is_comment
from cython.cimports.rankwell.kernels.wide import line_ends, line_ends_anywhere, marks, marks_anywhere


def line_after(text: np.ndarray, at: int, end: int) -> int:
    """Return the start of the line after byte ``at``, at most ``end``."""
    t: cython.const[cython.uchar][::1] = text
    return line_end(t, at) if at < end else end


def is_comment_line(line: bytes) -> bool:
    """Whether a line, which ends with a line end, is a comment."""
    t: cython.const[cython.uchar][::1] = line
    at: cython.Py_ssize_t = blank_end(t, 0)
    return t[at] == 35 and is_comment(t, at, 0) != 0


def next_query(text: np.ndarray, begin: int, end: int) -> int:
    """Return the start of the first line after ``begin`` whose query differs from that of the line before it.

    ``begin`` may lie within a line; that line and all that repeat the query of the next one are skipped.
    """
    t: cython.const[cython.uchar][::1] = text
    stop: cython.Py_ssize_t = end
    at: cython.Py_ssize_t = data_line(t, line_end(t, begin), stop, 0)
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
            at = data_line(t, line_end(t, at), stop, 0)
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
        # from the end of a block backwards: what follows may go on with this query, so its lines are left for the next block
        while at > first:
            line = at - 1
            while line > first and t[line - 1] != 10:
                line -= 1
            at = line
            word = blank_end(t, line)
            if t[word] == 10 or (t[word] == 35 and is_comment(t, word, 0)):
                continue
            length = word_end(t, word) - word
            if known < 0:
                known = word
                known_length = length
            elif length != known_length or memcmp(cython.address(t[word]), cython.address(t[known]), length):
                break
            found = line
    return found


def marks_of(text: np.ndarray, at: int, *, anywhere: bool) -> tuple[int, int]:
    """Return of the 64 bytes from ``at`` on which are white space or NUL, and which are line ends, as bits; for tests.

    ``anywhere`` is the way for all processors.
    """
    t: cython.const[cython.uchar][::1] = text
    place: cython.Py_ssize_t = at
    white: cython.ulonglong = 0
    ends: cython.ulonglong = 0
    if anywhere:
        marks_anywhere(cython.address(t[place]), cython.address(white), cython.address(ends))
    else:
        marks(cython.address(t[place]), cython.address(white), cython.address(ends))
    return white, ends


def ends_of(text: np.ndarray, *, anywhere: bool) -> tuple[int, bool, bool, int]:
    """Return the number of line ends of some bytes, whether they hold returns and NUL bytes, and all of them or-ed; for tests.

    ``anywhere`` is the way for all processors.
    """
    t: cython.const[cython.uchar][::1] = text
    returned: cython.int = 0
    nul: cython.int = 0
    seen: cython.uchar = 0
    at: cython.p_const_uchar = cython.address(t[0])
    found: cython.Py_ssize_t
    if anywhere:
        found = line_ends_anywhere(
            at, t.shape[0], cython.address(returned), cython.address(nul), cython.address(seen)
        )
    else:
        found = line_ends(at, t.shape[0], cython.address(returned), cython.address(nul), cython.address(seen))
    return found, returned != 0, nul != 0, seen
