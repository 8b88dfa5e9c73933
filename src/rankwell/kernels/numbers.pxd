# Numbers in decimal, exact to the last bit: a whole number of at most 2^53 divided by an exact power of ten, else by strtod.
# What is returned is a status of trec_text.

from libc.stdio cimport snprintf
from libc.stdlib cimport strtod
from libc.string cimport memcmp, strlen

from rankwell.kernels.wide cimport digits, eight, whole


cdef extern from *:
    """
    static const double rankwell_powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                                             1e15, 1e16};
    """
    const double *powers "rankwell_powers"


# Up to eight digits, with a point or without, where nine bytes can be read; 0 if it is no such number.
cdef inline int short_number(const unsigned char *at, Py_ssize_t length, double *value) noexcept nogil:
    cdef bint negative = at[0] == 45
    at += negative
    length -= negative
    cdef unsigned long long word = eight(at)
    cdef unsigned long long before
    cdef int n = digits(word)
    if n == 0 or length > 9:
        return 0
    if n >= length:
        value[0] = <double>whole(word, <int>length)
    else:
        length -= 1
        if at[n] != 46 or n == length:
            return 0
        if n < 8:
            # what follows the point takes its place
            before = (<unsigned long long>1 << 8 * n) - 1
            word = (word & before) | (eight(at + 1) & ~before)
        if digits(word) < length:
            return 0
        value[0] = <double>whole(word, <int>length) / powers[length - n]
    if negative:
        value[0] = -value[0]
    return 1


cdef inline int number(const unsigned char *at, Py_ssize_t length, double *value) noexcept nogil:
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t places = 0
    cdef unsigned long long found = 0
    cdef bint negative = False
    cdef unsigned char c
    if length > 0 and (at[0] == 45 or at[0] == 43):
        negative = at[0] == 45
        i = 1
    if length - i > 16 or i == length:
        return slow_number(at, length, value)
    while i < length:
        c = at[i] - 48
        if c > 9:
            break
        found = found * 10 + c
        i += 1
    if i < length and at[i] == 46:
        i += 1
        places = length - i
        if length == 1 or (places == 0 and found == 0):
            return slow_number(at, length, value)
        while i < length:
            c = at[i] - 48
            if c > 9:
                break
            found = found * 10 + c
            i += 1
    if i < length or (found >> 53) > 0:
        return slow_number(at, length, value)
    value[0] = <double>found / powers[places]
    if negative:
        value[0] = -value[0]
    return 0


# Any number that C parses: long mantissas, large exponents, inf. Hexadecimal and nan(...) are refused.
cdef inline int slow_number(const unsigned char *at, Py_ssize_t length, double *value) noexcept nogil:
    cdef char text[512]
    cdef char *stop = NULL
    cdef Py_ssize_t i
    if length == 0 or length >= 512:
        return 3
    for i in range(length):
        if at[i] == 120 or at[i] == 88 or at[i] == 40:
            return 3
        text[i] = at[i]
    text[length] = 0
    value[0] = strtod(text, &stop)
    if stop != text + length:
        return 3
    if value[0] != value[0]:
        return 4
    return 6 if is_changed(text, value[0]) else 0


# Whether a whole number, written with digits alone, is another one as a float.
cdef inline bint is_changed(const char *given, double value) noexcept nogil:
    cdef char exact[512]
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t length
    if given[0] == 45 or given[0] == 43:
        given += 1
    while given[0] == 48 and given[1] != 0:
        given += 1
    while 48 <= given[i] <= 57:
        i += 1
    length = i
    if given[i] == 46:
        i += 1
        while given[i] == 48:
            i += 1
    if given[i] != 0 or length < 16:
        return False
    snprintf(exact, 512, "%.0f", value if value >= 0 else -value)
    return <Py_ssize_t>strlen(exact) != length or memcmp(exact, given, length) != 0
