"""Lines of flat JSON objects, parsed into columns in one pass over the bytes; ids stay in place in the text.

Lines that are not of this kind (empty ones, nested values, escapes, ids that are no text and no integer, keys that are missing or
stand twice, numbers that ``decimal`` does not read) are not judged here: the parser stops and says that slower readers must look.
The text ends with a line end, which is what stops the loops.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcmp
from cython.cimports.rankwell.kernels.decimal import decimal

from rankwell.kernels.delimited_text import ID, NUMBER

PLACES = cython.declare(cython.int, 64)  # keys of an object that are compared with those of the line before
LONGEST = cython.declare(cython.Py_ssize_t, 65_535)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _after_blanks(t: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The next byte that is no blank; a line end is none."""
    while t[at] == 32 or t[at] == 9 or t[at] == 13:
        at += 1
    return at


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _string_end(t: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where a string without escapes ends; 0 if it is another one."""
    while t[at] != 34 and t[at] >= 32 and t[at] != 92:
        at += 1
    return at if t[at] == 34 else 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _word_end(t: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where a number, or a word without quotation marks, ends."""
    while t[at] > 32 and t[at] != 44 and t[at] != 125:
        at += 1
    return at


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _is_integer(
    t: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """Whether a text is an integer of at most 18 digits as JSON writes them."""
    at += t[at] == 45
    if not 0 < end - at <= 18 or (t[at] == 48 and (end - at > 1 or t[at - 1] == 45)):
        return False
    while at < end and 48 <= t[at] <= 57:
        at += 1
    return at == end


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _number(
    t: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    value: cython.pointer(cython.double),
) -> cython.bint:
    """Whether a text is a number as JSON writes them, and not one that may change as a float."""
    first: cython.Py_ssize_t = at + (t[at] == 45)
    if t[first] == 48 and (48 <= t[first + 1] <= 57 or (first > at and end == first + 1)):
        return False
    if decimal(cython.address(t[at]), end - at, value):
        return False
    return -9007199254740992.0 < value[0] < 9007199254740992.0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _is_constant(
    t: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """Whether a text is one of the words of JSON."""
    if end - at == 5:
        return memcmp(cython.address(t[at]), b"false", 5) == 0
    return end - at == 4 and (
        memcmp(cython.address(t[at]), b"true", 4) == 0 or memcmp(cython.address(t[at]), b"null", 4) == 0
    )


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
def _role(
    t: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    names: cython.const[cython.uchar][::1],
    ends: cython.const[cython.longlong][::1],
) -> cython.int:
    """Which of the names a key is; their number if it is none."""
    low: cython.Py_ssize_t = 0
    n: cython.int
    for n in range(cython.cast(cython.int, ends.shape[0])):
        if ends[n] - low == length and memcmp(cython.address(names[low]), cython.address(t[at]), length) == 0:
            return n
        low = ends[n]
    return cython.cast(cython.int, ends.shape[0])


def parse(
    text: np.ndarray, begin: int, end: int, names: np.ndarray, name_ends: np.ndarray, roles: np.ndarray
) -> (
    tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray]], list[np.ndarray], bool]
    | None
):
    """Parse the lines of ``text[begin:end]``; ``roles`` says what each key is, and other keys are passed over.

    ``names`` are the keys end to end, at most 32, and a byte more, so that an empty one has an address. Returns what ``delimited_text.parse`` returns; None if a line is not of
    the usual kind.
    """
    t: cython.const[cython.uchar][::1] = text
    w: cython.const[cython.uchar][::1] = names
    e: cython.const[cython.longlong][::1] = name_ends
    role: cython.const[cython.int][::1] = roles
    at: cython.Py_ssize_t = begin
    stop: cython.Py_ssize_t = end
    wanted: cython.int = len(name_ends)
    all_seen: cython.uint = (1 << len(name_ends)) - 1
    most: cython.Py_ssize_t = 0
    bits: cython.uchar = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(at, stop):
            most += t[i] == 10
            bits |= t[i]
    number_roles, id_roles = roles[roles >= NUMBER], roles[(roles >= ID) & (roles < NUMBER)]
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
    known_starts: cython.Py_ssize_t[64]
    known_lengths: cython.Py_ssize_t[64]
    known: cython.int[64]
    rows: cython.Py_ssize_t = 0
    groups: cython.Py_ssize_t = 0
    place: cython.int
    name: cython.int
    kind: cython.int
    seen: cython.uint
    word: cython.Py_ssize_t
    length: cython.Py_ssize_t
    is_text: cython.bint
    odd: cython.bint = False
    value: cython.double = 0
    with cython.nogil:
        for i in range(PLACES):
            known_lengths[i] = -1
            known_starts[i] = 0
            known[i] = 0
        while at < stop and not odd:
            odd = True  # unless the line is read to its end
            seen = 0
            place = 0
            at = _after_blanks(t, at)
            if t[at] != 123:
                break
            while place < PLACES:
                at = _after_blanks(t, at + 1)
                if t[at] != 34:
                    break
                word = at + 1
                at = _string_end(t, word)
                if at == 0:
                    break
                length = at - word
                # keys mostly come in the order of the line before
                if length != known_lengths[place] or memcmp(
                    cython.address(t[word]), cython.address(t[known_starts[place]]), length
                ):
                    known_starts[place] = word
                    known_lengths[place] = length
                    known[place] = _role(t, word, length, w, e)
                name = known[place]
                at = _after_blanks(t, at + 1)
                if t[at] != 58:
                    break
                at = _after_blanks(t, at + 1)
                word = at
                is_text = t[at] == 34
                if is_text:
                    word += 1
                    at = _string_end(t, word)
                    if at == 0:
                        break
                else:
                    at = _word_end(t, at)
                length = at - word
                if name == wanted:
                    if not (
                        is_text or _number(t, word, at, cython.address(value)) or _is_constant(t, word, at)
                    ):
                        break
                else:
                    # a key that stands twice: readers differ in which one they take
                    if seen & (cython.cast(cython.uint, 1) << name):
                        break
                    seen |= cython.cast(cython.uint, 1) << name
                    kind = role[name]
                    if kind >= 64:
                        if is_text or not _number(t, word, at, cython.address(value)):
                            break
                        v[kind - 64, rows] = value
                    elif not 0 < length <= LONGEST or not (is_text or _is_integer(t, word, at)):
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
                at = _after_blanks(t, at + is_text)
                place += 1
                if t[at] == 44:
                    continue
                if t[at] == 125 and seen == all_seen:
                    at = _after_blanks(t, at + 1)
                    odd = t[at] != 10
                    at += 1
                break
            rows += 1
    if odd:
        return None
    ids = [(id_starts[n, :rows], id_lengths[n, :rows]) for n in range(len(id_roles))]
    values = [numbers[n, :rows] for n in range(len(number_roles))]
    return firsts[:groups], query_starts[:groups], query_lengths[:groups], ids, values, bits < 128
