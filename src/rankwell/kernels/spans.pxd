# The few C functions that several kernels inline: they hash and compare ids.
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


cdef inline unsigned long long mix(unsigned long long h) noexcept nogil:
    h ^= h >> 32
    h *= <unsigned long long>0x2545F4914F6CDD1DULL
    h ^= h >> 29
    return h


cdef inline int same(
    const unsigned char[::1] text_a, long long start_a, long long length_a,
    const unsigned char[::1] text_b, long long start_b, long long length_b,
) except -1 nogil:
    if length_a != length_b:
        return 0
    if length_a == 0:
        return 1
    return memcmp(&text_a[start_a], &text_b[start_b], length_a) == 0
