"""Delimited text without quotation marks, parsed into columns in one pass over the bytes; ids stay in place in the text.

A line is fields with one separator between two; it may end with a carriage return before its line end. Lines that are not of
this kind (empty ones, comments, other numbers of fields, empty fields, numbers that ``decimal`` does not read) are not judged
here: the parser stops and says that slower readers must look. The text ends with a line end, which is what stops the loops.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcmp
from cython.cimports.rankwell.kernels.decimal import decimal

SKIPPED, QUERY, ID, NUMBER = (
    0,
    1,
    2,
    64,
)  # roles of columns: ID + n is the nth column of ids, NUMBER + n that of numbers


def survey(text: np.ndarray) -> tuple[int, int, int, bool, bool, bool, bool]:
    """Return what a text holds, to see whether it can be one of lines.

    The number of line ends, where the first one is and the last one ends (its length and 0 if there is none), and whether there
    are NUL bytes, quotation marks, number signs, and bytes 0xEF (with which a byte-order mark begins).
    """
    t: cython.const[cython.uchar][::1] = text
    lines: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    ends: cython.uchar
    nul: cython.uchar = 0
    quote: cython.uchar = 0
    sign: cython.uchar = 0
    mark: cython.uchar = 0
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = len(text)
    with cython.nogil:
        while first < t.shape[0] and t[first] != 10:
            first += 1
        while last > 0 and t[last - 1] != 10:
            last -= 1
        while at < t.shape[0]:
            # bytes are counted in bytes, for so few that these do not overflow: compilers then take many at once
            stop = min(at + 128, t.shape[0])
            ends = 0
            for i in range(at, stop):
                ends += t[i] == 10
                nul |= t[i] == 0
                quote |= t[i] == 34
                sign |= t[i] == 35
                mark |= t[i] == 239
            lines += ends
            at = stop
    return lines, first, last, nul != 0, quote != 0, sign != 0, mark != 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _field(
    t: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    separator: cython.uchar,
    column: cython.int,
    length: cython.pointer(cython.Py_ssize_t),
) -> cython.Py_ssize_t:
    """The start of a field of a line, and its length; a line that lacks it gives its end."""
    while column > 0 and t[at] != 10:
        column -= t[at] == separator
        at += 1
    length[0] = 0
    while t[at + length[0]] != separator and t[at + length[0]] != 10:
        length[0] += 1
    return at


def last_query(text: np.ndarray, begin: int, end: int, separator: int, column: int) -> int:
    """Return the start of the first of the last lines of one query; ``begin`` is the start of a line, ``end`` the end of one."""
    t: cython.const[cython.uchar][::1] = text
    split: cython.uchar = separator
    place: cython.int = column
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
            word = _field(t, line, split, place, cython.address(length))
            if known < 0:
                known = word
                known_length = length
            elif length != known_length or memcmp(cython.address(t[word]), cython.address(t[known]), length):
                break
            found = at = line
    return found


def parse(
    text: np.ndarray, begin: int, end: int, separator: int, roles: np.ndarray
) -> (
    tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray]], list[np.ndarray], bool]
    | None
):
    """Parse the lines of ``text[begin:end]``; ``roles`` says what each column is.

    Returns the first rows of runs of lines with one query, that query's starts and lengths, the starts and lengths of each column
    of ids, each column of numbers, and whether the text is ASCII; None if a line is not of the usual kind.
    """
    t: cython.const[cython.uchar][::1] = text
    role: cython.const[cython.int][::1] = roles
    at: cython.Py_ssize_t = begin
    stop: cython.Py_ssize_t = end
    split: cython.uchar = separator
    columns: cython.int = len(roles)
    returns: cython.Py_ssize_t = 0
    seen: cython.uchar = 0
    most: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    odd: cython.bint = False
    with cython.nogil:
        for i in range(at, stop):
            most += t[i] == 10
            returns += t[i] == 13
            seen |= t[i]
    number_roles, id_roles = roles[roles >= 64], roles[(roles >= 2) & (roles < 64)]
    firsts = np.empty(most, np.int64)
    query_starts = np.empty(most, np.int64)
    query_lengths = np.empty(most, np.int32)
    id_starts = np.empty((len(id_roles), most), np.int64)
    id_lengths = np.empty((len(id_roles), most), np.int32)
    numbers = np.empty((len(number_roles), most), np.float64)
    f: cython.longlong[::1] = firsts
    qs: cython.longlong[::1] = query_starts
    qn: cython.int[::1] = query_lengths
    xs: cython.longlong[:, ::1] = id_starts
    xn: cython.int[:, ::1] = id_lengths
    v: cython.double[:, ::1] = numbers
    rows: cython.Py_ssize_t = 0
    groups: cython.Py_ssize_t = 0
    word: cython.Py_ssize_t
    length: cython.Py_ssize_t
    column: cython.int
    kind: cython.int
    value: cython.double = 0
    with cython.nogil:
        while at < stop and not odd:
            if t[at] == 35:  # a comment, or an id that begins with #: not to be decided here
                odd = True
            for column in range(columns):
                word = at
                while t[at] != split and t[at] != 10:
                    at += 1
                if (t[at] == 10) != (column == columns - 1):
                    odd = True
                    break
                kind = role[column]
                length = at - word
                if t[at] == 10 and length > 0 and t[at - 1] == 13:
                    length -= 1
                    returns -= 1
                at += 1
                if kind == 0:
                    continue
                if length == 0:
                    odd = True
                    break
                if kind >= 64:
                    if (
                        decimal(cython.address(t[word]), length, cython.address(value))
                        or not -9007199254740992.0 < value < 9007199254740992.0
                    ):
                        odd = True
                        break
                    v[kind - 64, rows] = value
                elif length > 65_535:
                    odd = True
                    break
                elif kind >= 2:
                    xs[kind - 2, rows] = word
                    xn[kind - 2, rows] = cython.cast(cython.int, length)
                elif (
                    groups == 0
                    or qn[groups - 1] != length
                    or memcmp(cython.address(t[word]), cython.address(t[qs[groups - 1]]), length)
                ):
                    f[groups] = rows
                    qs[groups] = word
                    qn[groups] = cython.cast(cython.int, length)
                    groups += 1
            rows += 1
    if (
        odd or returns > 0
    ):  # a carriage return that ended no line is part of a field, or an old Macintosh's line end
        return None
    ids = [(id_starts[n, :rows], id_lengths[n, :rows]) for n in range(len(id_roles))]
    values = [numbers[n, :rows] for n in range(len(number_roles))]
    return firsts[:groups], query_starts[:groups], query_lengths[:groups], ids, values, seen < 128
