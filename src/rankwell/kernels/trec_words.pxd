# The lines of TREC text that hold data, and their words: where they begin and end, and whether a rank is a number. What is returned is a status of
# trec_text, where nothing else is said.

from libc.math cimport isfinite, trunc
from libc.string cimport memcmp

from rankwell.kernels.numbers cimport slow_number
from rankwell.kernels.spans cimport blank_end, line_end, word_end
from rankwell.kernels.wide cimport marks, zeros

cdef enum:
    LONGEST = 65535  # bytes of an id


cdef struct Words:
    Py_ssize_t query
    Py_ssize_t topic
    Py_ssize_t topic_end
    Py_ssize_t item
    Py_ssize_t item_end
    Py_ssize_t rank
    Py_ssize_t value
    Py_ssize_t value_end
    Py_ssize_t end


# Whether a line that starts with # is a comment, and not one whose query is such as #tag: it has numbers where a line of so many
# words has them; 0 is a run's or one of judgements.
cdef inline int is_comment(const unsigned char[::1] t, Py_ssize_t line, int columns) except -1 nogil:
    cdef double ignored = 0
    cdef int numbers = 0
    cdef int column = 0
    cdef bint is_q0 = False
    cdef Py_ssize_t at = line
    cdef Py_ssize_t start = line
    if t[line + 1] <= 32:
        return 1
    while t[at] != 10:
        at = word_end(t, start)
        if at == start or column > 5:
            return 1
        if slow_number(&t[start], at - start, &ignored) != 3:
            numbers |= 1 << column
        if column == 1:
            is_q0 = at - start == 2 and t[start] == 81 and t[start + 1] == 48
        start = blank_end(t, at)
        at = start
        column += 1
    if column == 4 and columns != 6:
        return numbers & 10 != 10
    return column != 6 or columns == 4 or not (numbers & 16 and (is_q0 or numbers & 8))


# The first word of the next line that holds data, or the end.
cdef inline Py_ssize_t data_line(const unsigned char[::1] t, Py_ssize_t at, Py_ssize_t end, int columns) except -1 nogil:
    while at < end:
        at = blank_end(t, at)
        if t[at] == 35 and is_comment(t, at, columns):
            at = line_end(t, at)
        elif t[at] == 10:
            at += 1
        else:
            break
    return at


# Find the words of a run's line in its first 64 bytes; 0 if the line, without NUL bytes, has not just six that begin there.
cdef inline int words_at_once(const unsigned char *at, Words *words) noexcept nogil:
    cdef unsigned long long white = 0
    cdef unsigned long long ends = 0
    cdef unsigned long long query, item, item_end, rank, value, value_end, tag, more
    marks(at, &white, &ends)
    query = white ^ (white << 1)  # where words end and begin in turn, lowest first; each step below takes one away
    item = query & (query - 1)
    item &= item - 1
    item &= item - 1
    item_end = item & (item - 1)
    rank = item_end & (item_end - 1)
    value = rank & (rank - 1)
    value &= value - 1
    value_end = value & (value - 1)
    tag = value_end & (value_end - 1)
    more = tag & (tag - 1)
    more &= more - 1
    ends |= <unsigned long long>1 << 63  # so that there is one, before which the tag must begin
    if ends & (tag ^ (tag - 1)) or more & (ends ^ (ends - 1)):
        return 0
    words.query = zeros(query)
    words.item = zeros(item)
    words.item_end = zeros(item_end)
    words.rank = zeros(rank)
    words.value = zeros(value)
    words.value_end = zeros(value_end)
    words.end = zeros(ends)
    return 1


# Find the words of a line of qrels that ends in its first 64 bytes; 0 if it does not, or has not exactly four.
cdef inline int four_words_at_once(const unsigned char *at, Words *words) noexcept nogil:
    cdef unsigned long long white = 0
    cdef unsigned long long ends = 0
    cdef unsigned long long starts, stops
    marks(at, &white, &ends)
    starts = ~white & (white << 1)
    stops = white & ~(white << 1)
    words.end = zeros(ends) if ends else 0
    words.query = zeros(stops) if stops else 0
    stops &= stops - 1
    words.topic = zeros(starts) if starts else 0
    words.topic_end = zeros(stops) if stops else 0
    starts &= starts - 1
    stops &= stops - 1
    words.item = zeros(starts) if starts else 0
    words.item_end = zeros(stops) if stops else 0
    starts &= starts - 1
    stops &= stops - 1
    words.value = zeros(starts) if starts else 64
    words.value_end = zeros(stops) if stops else 64
    starts &= starts - 1
    return words.value_end <= words.end and (starts == 0 or zeros(starts) > words.end)


# Find the words of a line one by one; at least so many, of which number ``value`` is the number.
cdef inline int words_in_turn(
    const unsigned char[::1] t, Py_ssize_t line, int value, int least, Words *words
) except -1 nogil:
    cdef int column
    cdef Py_ssize_t start
    cdef Py_ssize_t at = word_end(t, line)
    words.query = at - line
    if words.query > LONGEST:
        return 5
    for column in range(1, least):
        start = blank_end(t, at)
        at = word_end(t, start)
        if at == start:
            return 1
        if column <= 2 and at - start > LONGEST:
            return 5
        if column == 1:
            words.topic = start - line
            words.topic_end = at - line
        elif column == 2:
            words.item = start - line
            words.item_end = at - line
        elif column == 3:
            words.rank = start - line
        if column == value:
            words.value = start - line
            words.value_end = at - line
    words.end = at - line
    return 0


# Whether a rank is a whole number, or the placeholder if there is one.
cdef inline int rank_status(
    const unsigned char[::1] t, Py_ssize_t start, const unsigned char[::1] placeholder
) except -1 nogil:
    cdef double ignored = 0
    cdef int status
    cdef Py_ssize_t at = start
    cdef Py_ssize_t length = placeholder.shape[0]
    if length > 0:
        if word_end(t, at) - at != length:
            return 7
        return 7 if memcmp(&t[at], &placeholder[0], length) else 0
    while 48 <= t[at] <= 57:
        at += 1
    if t[at] <= 32:
        return 0
    status = slow_number(&t[start], word_end(t, at) - start, &ignored)
    if status != 0 and status != 6:
        return 7
    return 0 if ignored == trunc(ignored) and isfinite(ignored) else 8
