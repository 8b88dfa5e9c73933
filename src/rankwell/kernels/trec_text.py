"""TREC text parsed into columns in one pass over the bytes; ids stay in place in the text.

A line is words separated by white space (blanks, tabs, other bytes from 1 to 32 except the line end); empty lines and lines
that start with ``#`` are skipped. A NUL byte ends a word but is not white space, so it is detected. The text ends with a
line end, and so do the ranges that are parsed; this is what stops the loops. A run is ``query Q0 item rank score tag …``,
qrels are ``query topic item grade``. A whole number must be one that a float holds exactly.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdio import snprintf
from cython.cimports.libc.stdlib import strtod
from cython.cimports.libc.string import memcmp, strlen
from cython.cimports.rankwell.kernels.spans import (
    blank_end,
    data_line,
    line_end,
    line_ends,
    lone_return,
    prefetch,
    word_end,
)

OK, FEW_COLUMNS, MANY_COLUMNS, NOT_A_NUMBER, NAN, LONG_ID, INEXACT, LONE_RETURN = range(8)
LONGEST_ID = 65_535


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _is_changed(given: cython.p_const_char, value: cython.double) -> cython.int:
    """Whether a whole number, written with digits alone, is another one as a float."""
    exact: cython.char[512]
    length: cython.Py_ssize_t
    i: cython.Py_ssize_t = 0
    if given[0] == 45 or given[0] == 43:
        given += 1
    while given[0] == 48 and given[1] != 0:
        given += 1
    while given[i] >= 48 and given[i] <= 57:
        i += 1
    length = i
    if given[i] == 46:
        i += 1
        while given[i] == 48:
            i += 1
    if given[i] != 0 or length < 16:
        return 0
    snprintf(exact, 512, "%.0f", value if value >= 0 else -value)
    return cython.cast(cython.Py_ssize_t, strlen(exact)) != length or memcmp(exact, given, length) != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _slow_number(
    t: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    value: cython.p_double,
) -> cython.int:
    """Parse any number that C parses: long mantissas, large exponents, inf. Hexadecimal and nan(…) are refused."""
    buffer: cython.char[512]
    stop: cython.p_char = cython.NULL
    length: cython.Py_ssize_t = end - at
    i: cython.Py_ssize_t
    c: cython.uchar
    if length == 0 or length >= 512:
        return 3
    for i in range(length):
        c = t[at + i]
        if c == 120 or c == 88 or c == 40:
            return 3
        buffer[i] = c
    buffer[length] = 0
    value[0] = strtod(buffer, cython.address(stop))
    if stop != cython.cast(cython.p_char, buffer) + length:
        return 3
    if value[0] != value[0]:
        return 4
    return 6 if _is_changed(buffer, value[0]) else 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _number(
    t: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    powers: cython.const[cython.double][::1],
    value: cython.p_double,
) -> cython.int:
    """Parse a decimal number; exact if mantissa and power of ten are (the usual case), otherwise by strtod."""
    i: cython.Py_ssize_t = at
    digits: cython.ulonglong = 0
    places: cython.Py_ssize_t = 0
    negative: cython.bint = False
    c: cython.uchar
    if i < end and (t[i] == 45 or t[i] == 43):
        negative = t[i] == 45
        i += 1
    if end - i > 16 or i == end:
        return _slow_number(t, at, end, value)
    while i < end:
        c = t[i] - 48
        if c > 9:
            break
        digits = digits * 10 + c
        i += 1
    if i < end and t[i] == 46:
        i += 1
        places = end - i
        if end - at == 1 or (places == 0 and digits == 0):
            return _slow_number(t, at, end, value)
        while i < end:
            c = t[i] - 48
            if c > 9:
                break
            digits = digits * 10 + c
            i += 1
    if i < end or (digits >> 53) > 0:
        return _slow_number(t, at, end, value)
    value[0] = cython.cast(cython.double, digits) / powers[places]
    if negative:
        value[0] = -value[0]
    return 0


def parse(
    text: np.ndarray, begin: int, end: int, lines: np.ndarray, value_column: int, columns: int, topics: bool
) -> tuple[
    np.ndarray,
    np.ndarray,
    np.ndarray,
    np.ndarray,
    np.ndarray,
    np.ndarray,
    np.ndarray,
    np.ndarray,
    int,
    int,
    bool,
]:
    """Parse the lines of ``text[begin:end]``, or those that start at ``lines`` (in that order) if any are given.

    The third word is the item, word ``value_column`` (from 0) the number. At least ``columns`` words are required; exactly that
    many with ``topics``, where the second word is kept too. Returns the first rows of runs of lines with one query, that query's
    start and length, per row the item's start and length, the topic's start and length (``topics`` only) and the number; then a
    status (OK …), the start of the line (or the byte) it refers to, and whether the text is ASCII. Of ``lines`` the last is not
    known, nor that none ends with a carriage return alone; ``survey`` tells both for the whole text.
    """
    t: cython.const[cython.uchar][::1] = text
    given: cython.const[cython.longlong][::1] = lines
    listed: cython.bint = given.shape[0] > 0
    at: cython.Py_ssize_t = begin
    stop: cython.Py_ssize_t = end
    most: cython.Py_ssize_t = given.shape[0]
    returned: cython.int = 0
    seen: cython.uchar = 0
    if not listed and at < stop:
        # exactly as many rows as there can be: arrays of the same size are the same memory from block to block
        with cython.nogil:
            most = line_ends(cython.address(t[at]), stop - at, cython.address(returned), cython.address(seen))
    firsts = np.empty(most, np.int64)
    query_starts = np.empty(most, np.int64)
    query_lengths = np.empty(most, np.int32)
    item_starts = np.empty(most, np.int64)
    item_lengths = np.empty(most, np.int32)
    topic_starts = np.empty(most if topics else 0, np.int64)
    topic_lengths = np.empty(most if topics else 0, np.int32)
    values = np.empty(most, np.float64)
    powers = np.array([10.0**power for power in range(20)])
    f: cython.longlong[::1] = firsts
    qs: cython.longlong[::1] = query_starts
    qn: cython.int[::1] = query_lengths
    xs: cython.longlong[::1] = item_starts
    xn: cython.int[::1] = item_lengths
    ts: cython.longlong[::1] = topic_starts
    tn: cython.int[::1] = topic_lengths
    v: cython.double[::1] = values
    pw: cython.const[cython.double][::1] = powers
    with_topics: cython.bint = topics
    value_at: cython.int = value_column
    least: cython.int = columns
    longest: cython.Py_ssize_t = LONGEST_ID
    rows: cython.Py_ssize_t = 0
    groups: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t = begin
    word: cython.Py_ssize_t
    length: cython.Py_ssize_t
    column: cython.int
    status: cython.int = 0
    with cython.nogil:
        if returned and lone_return(t, at, stop) >= 0:
            line = lone_return(t, at, stop)
            status = 7
        while rows < most and not status:
            if listed:
                line = given[rows]
                if rows + 12 < most:
                    # scattered lines are limited by memory latency, not arithmetic
                    prefetch(cython.address(t[given[rows + 12]]))
            else:
                line = data_line(t, at, stop)
            if line >= stop:
                break
            at = word_end(t, line)
            length = at - line
            if length > longest:
                status = 5
                break
            if (
                groups == 0
                or qn[groups - 1] != length
                or memcmp(cython.address(t[line]), cython.address(t[qs[groups - 1]]), length)
            ):
                f[groups] = rows
                qs[groups] = line
                qn[groups] = cython.cast(cython.int, length)
                groups += 1
            column = 1
            while column < least:
                word = blank_end(t, at)
                at = word_end(t, word)
                if at == word:
                    status = 1
                    break
                if column <= 2 and at - word > longest:
                    status = 5
                    break
                if column == 2:
                    xs[rows] = word
                    xn[rows] = cython.cast(cython.int, at - word)
                elif column == value_at:
                    status = _number(t, word, at, pw, cython.address(v[rows]))
                    if status:
                        break
                elif with_topics and column == 1:
                    ts[rows] = word
                    tn[rows] = cython.cast(cython.int, at - word)
                column += 1
            if status:
                break
            if with_topics:
                at = blank_end(t, at)
                if t[at] != 10:
                    status = 2
                    break
            at = line_end(t, at)
            rows += 1
    return (
        firsts[:groups],
        query_starts[:groups],
        query_lengths[:groups],
        item_starts[:rows],
        item_lengths[:rows],
        topic_starts[:rows],
        topic_lengths[:rows],
        values[:rows],
        status,
        line,
        seen < 128,
    )


def survey(text: np.ndarray, begin: int, end: int) -> tuple[bool, int]:
    """Return whether ``text[begin:end]`` is ASCII, and the first carriage return alone at the end of a line, or -1."""
    t: cython.const[cython.uchar][::1] = text
    at: cython.Py_ssize_t = begin
    stop: cython.Py_ssize_t = end
    returned: cython.int = 0
    seen: cython.uchar = 0
    lone: cython.Py_ssize_t = -1
    if at < stop:
        with cython.nogil:
            line_ends(cython.address(t[at]), stop - at, cython.address(returned), cython.address(seen))
            if returned:
                lone = lone_return(t, at, stop)
    return seen < 128, lone
