"""TREC text parsed into columns in one pass over the bytes; ids stay in place in the text.

A line is words separated by white space (blanks, tabs, other bytes from 1 to 32 except the line end); empty lines and comments
are skipped, which start with ``#`` and are no lines of the format. A NUL byte ends a word but is not white space, so it is detected. The text ends with a
line end, and so do the ranges that are parsed; this is what stops the loops. A run is ``query Q0 item rank score tag``,
qrels are ``query topic item grade``. A whole number must be one that a float holds exactly. The rank of a run does not count, but
a blank within an id moves the numbers behind it: so it is looked at, and the words are counted, as the ``RULES`` say.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.string import memcmp
from cython.cimports.rankwell.kernels.hashing import hashed, key
from cython.cimports.rankwell.kernels.numbers import number, short_number
from cython.cimports.rankwell.kernels.spans import blank_end, line_end, lone_return, word_end
from cython.cimports.rankwell.kernels.trec_words import (
    Words,
    data_line,
    four_words_at_once,
    rank_status,
    words_at_once,
    words_in_turn,
)
from cython.cimports.rankwell.kernels.wide import beginning, digits, eight, line_ends, word

from rankwell.kernels import SECRET

OK, FEW_COLUMNS, MANY_COLUMNS, NOT_A_NUMBER, NAN, LONG_ID, INEXACT, WRONG_RANK, FRACTION = range(9)
# of a run's line: any word as rank and any words behind the tag; a whole number as rank; such a number and nothing behind the tag
RULES = ANY_WORDS, RANKED, EXACT = range(3)
LONGEST_ID = 65_535
WINDOW = 80  # the bytes that can be read where words are found at once: 64 are looked at, and a number ends up to 16 behind

key(SECRET[0], SECRET[1])


def survey(text: np.ndarray, begin: int, end: int) -> tuple[int, bool, bool, int]:
    """Return of ``text[begin:end]`` the number of lines, whether it is ASCII and has NUL bytes, and the first lone return.

    This is a carriage return alone at the end of a line, as on an old Macintosh; -1 if there is none.
    """
    t: cython.const[cython.uchar][::1] = text
    at: cython.Py_ssize_t = begin
    stop: cython.Py_ssize_t = end
    lines: cython.Py_ssize_t = 0
    returned: cython.int = 0
    nul: cython.int = 0
    seen: cython.uchar = 0
    lone: cython.Py_ssize_t = -1
    if at < stop:
        with cython.nogil:
            lines = line_ends(
                cython.address(t[at]),
                stop - at,
                cython.address(returned),
                cython.address(nul),
                cython.address(seen),
            )
            if returned:
                lone = lone_return(t, at, stop)
    return lines, seen < 128, nul != 0, lone


def parse(
    text: np.ndarray,
    begin: int,
    end: int,
    value_column: int,
    columns: int,
    is_wide: bool,
    rule: int,
    placeholder: np.ndarray,
    item_starts: np.ndarray,
    item_keys: np.ndarray,
    values: np.ndarray,
    firsts: np.ndarray,
    query_starts: np.ndarray,
    topic_starts: np.ndarray,
    item_lengths: np.ndarray,
    query_lengths: np.ndarray,
    topic_lengths: np.ndarray,
) -> tuple[int, int, int, int]:
    """Parse the lines of ``text[begin:end]`` into columns, which have room for as many rows as ``survey`` counts lines.

    The third word is the item, word ``value_column`` (from 0) the number. At least ``columns`` words are required; exactly that
    many if there is room for topics, where the second word is kept too. ``rule`` is one of ``RULES`` for other lines, where
    ``placeholder``, if it has bytes, stands in place of every rank. Filled are the first rows of runs of lines with one
    query, that query's start and length, and per row the item's start, length and key, the number, and the topic's start and
    length. ``is_wide`` says that lines may be read many bytes at a time, which needs a text without NUL bytes. Returns the number
    of rows and of runs of lines, a status (OK …), and the start of the line (or the byte) that it refers to.
    """
    t: cython.const[cython.uchar][::1] = text
    at: cython.Py_ssize_t = begin
    stop: cython.Py_ssize_t = end
    f: cython.longlong[::1] = firsts
    qs: cython.longlong[::1] = query_starts
    qn: cython.int[::1] = query_lengths
    xs: cython.longlong[::1] = item_starts
    xn: cython.int[::1] = item_lengths
    xk: cython.ulonglong[::1] = item_keys
    v: cython.double[::1] = values
    ts: cython.longlong[::1] = topic_starts
    tn: cython.int[::1] = topic_lengths
    with_topics: cython.bint = len(topic_starts) > 0
    wide: cython.bint = is_wide and (value_column, columns) == ((3, 4) if with_topics else (4, 6))
    value_at: cython.int = value_column
    least: cython.int = columns
    p: cython.const[cython.uchar][::1] = placeholder
    looks_at_ranks: cython.bint = rule != ANY_WORDS and not with_topics
    is_exact: cython.bint = rule == EXACT
    most_white: cython.uchar = (
        0 if len(placeholder) else 32
    )  # what follows a number; a placeholder is looked at byte by byte
    window: cython.Py_ssize_t = WINDOW
    rows: cython.Py_ssize_t = 0
    groups: cython.Py_ssize_t = 0
    most: cython.Py_ssize_t = v.shape[0]
    line: cython.Py_ssize_t = begin
    words: Words = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    last: cython.Py_ssize_t = -1  # the length of the last query, and how it begins
    head: cython.ulonglong = 0
    begins: cython.ulonglong
    status: cython.int = 0
    known: cython.int
    start: cython.Py_ssize_t
    with cython.nogil:
        while rows < most:
            line = data_line(t, at, stop, least)
            if line >= stop:
                break
            known = 0
            if wide and line + window <= stop:
                if with_topics:
                    known = four_words_at_once(cython.address(t[line]), cython.address(words))
                else:
                    known = words_at_once(cython.address(t[line]), cython.address(words))
            if not known:
                status = words_in_turn(t, line, value_at, least, cython.address(words))
                if status:
                    break
            # the first eight bytes, in one word, tell most queries apart without a comparison of text
            begins = (
                beginning(cython.address(t[line]), words.query)
                if known
                else word(cython.address(t[line]), words.query)
            )
            if (
                words.query != last
                or begins != head
                or (last > 8 and memcmp(cython.address(t[line]), cython.address(t[qs[groups - 1]]), last))
            ):
                last = words.query
                head = begins
                f[groups] = rows
                qs[groups] = line
                qn[groups] = cython.cast(cython.int, last)
                groups += 1
            start = line + words.item
            xs[rows] = start
            xn[rows] = cython.cast(cython.int, words.item_end - words.item)
            xk[rows] = hashed(cython.address(t[start]), words.item_end - words.item, known)
            if looks_at_ranks:
                start = line + words.rank
                if not known or t[start + digits(eight(cython.address(t[start])))] > most_white:
                    status = rank_status(t, start, p)
                    if status:
                        break
            start = line + words.value
            at = line + words.value_end
            if not known or not short_number(cython.address(t[start]), at - start, cython.address(v[rows])):
                status = number(cython.address(t[start]), at - start, cython.address(v[rows]))
                if status:
                    break
            at = line + words.end
            if with_topics:
                ts[rows] = line + words.topic
                tn[rows] = cython.cast(cython.int, words.topic_end - words.topic)
            if t[at] != 10:
                if is_exact:
                    at = blank_end(t, word_end(t, at))
                    if t[at] != 10:
                        status = 2
                        break
                else:
                    at = line_end(t, at) - 1
            at += 1
            rows += 1
    return rows, groups, status, line
