# The few C functions that several kernels inline: they compare and order ids, and
# find the words of a text.
# Integer ids are their own keys; text ids are spans of one byte buffer with a 64-bit hash as key.

from libc.string cimport memcmp


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define RANKWELL_PREFETCH(at) __builtin_prefetch(at)
    #else
    #define RANKWELL_PREFETCH(at) ((void)(at))
    #endif
    """
    void prefetch "RANKWELL_PREFETCH" (const void *at) noexcept nogil


cdef inline int same(
    const unsigned char[::1] text_a, long long start_a, long long length_a,
    const unsigned char[::1] text_b, long long start_b, long long length_b,
) except -1 nogil:
    if length_a != length_b:
        return 0
    if length_a == 0:
        return 1
    return memcmp(&text_a[start_a], &text_b[start_b], length_a) == 0


cdef inline int sign(long long value) noexcept nogil:
    return (value > 0) - (value < 0)


# Compare two integers by their decimal text.
cdef inline int compare_decimal(long long a, long long b) noexcept nogil:
    if a == b:
        return 0
    if (a < 0) != (b < 0):
        return -1 if a < 0 else 1
    cdef unsigned long long x = 0 - <unsigned long long>a if a < 0 else <unsigned long long>a
    cdef unsigned long long y = 0 - <unsigned long long>b if b < 0 else <unsigned long long>b
    cdef unsigned long long u = x
    cdef unsigned long long v = y
    cdef int shorter = 0
    while u >= 10 or v >= 10:
        if u < 10:
            x *= 10
            shorter = -1
        if v < 10:
            y *= 10
            shorter = 1
        u //= 10 if u >= 10 else 1
        v //= 10 if v >= 10 else 1
    return shorter if x == y else (-1 if x < y else 1)


# Whether row a comes before row b, both having the same score; the rules are order.TIE_RULES.
cdef inline int before(
    long long a, long long b, int rule, const unsigned long long[::1] keys,
    const unsigned char[::1] text, const long long[::1] starts, const int[::1] lengths,
) except -1 nogil:
    cdef int order = 0
    cdef long long common
    if rule != 2:
        if starts.shape[0] > 0:
            common = min(lengths[a], lengths[b])
            if common > 0:
                order = sign(memcmp(&text[starts[a]], &text[starts[b]], common))
            if order == 0:
                order = sign(lengths[a] - lengths[b])
        else:
            order = compare_decimal(<long long>keys[a], <long long>keys[b])
        if rule == 0:
            order = -order
    return a < b if order == 0 else order < 0


# The text functions stop at line ends, with which every text ends. A NUL byte is no white space and ends a word.
cdef inline Py_ssize_t blank_end(const unsigned char[::1] t, Py_ssize_t at) noexcept nogil:
    while t[at] <= 32 and t[at] != 10 and t[at] != 0:
        at += 1
    return at


cdef inline Py_ssize_t word_end(const unsigned char[::1] t, Py_ssize_t at) noexcept nogil:
    while t[at] > 32:
        at += 1
    return at


# The first byte of the next line.
cdef inline Py_ssize_t line_end(const unsigned char[::1] t, Py_ssize_t at) noexcept nogil:
    while t[at] != 10:
        at += 1
    return at + 1


# The first carriage return that no line end follows, -1 if there is none; a line end stands at ``end - 1``.
cdef inline Py_ssize_t lone_return(const unsigned char[::1] t, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t found
    while at < end:
        found = at
        while t[at] == 13:
            at += 1
        if at > found and t[at] != 10:
            return found
        at += 1
    return -1
