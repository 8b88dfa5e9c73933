# A hash by two secret numbers, so that nobody can choose ids that share a slot: both halves of a product of 128 bits.
# A difference in any bit of h reaches the low bits, by which slots are chosen. Each kernel that looks ids up is keyed when
# it is loaded, with the same numbers, so that keys of text are the same in all of them. Two words at once, each with a secret
# of its own, cost one product.
from rankwell.kernels.wide cimport beginning, eight, word


cdef extern from *:
    """
    static unsigned long long rankwell_secret[2] = {0, 1};
    #if defined(__SIZEOF_INT128__)
    static inline unsigned long long rankwell_folded(unsigned long long a, unsigned long long b) {
        unsigned __int128 product = (unsigned __int128) a * b;
        return (unsigned long long) product ^ (unsigned long long) (product >> 64);
    }
    #else
    static inline unsigned long long rankwell_folded(unsigned long long a, unsigned long long b) {
        unsigned long long half = 0xffffffffULL;
        unsigned long long low = (a & half) * (b & half), first = (a >> 32) * (b & half), second = (a & half) * (b >> 32);
        unsigned long long middle = (low >> 32) + (first & half) + (second & half);
        unsigned long long high = (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32) + (middle >> 32);
        return ((middle << 32) | (low & half)) ^ high;
    }
    #endif
    #define RANKWELL_MIX(h) rankwell_folded((h) ^ rankwell_secret[0], rankwell_secret[1])
    #define RANKWELL_MIX_TWO(h, other) rankwell_folded((h) ^ rankwell_secret[0], (other) ^ rankwell_secret[1])
    #define RANKWELL_KEY(a, b) (rankwell_secret[0] = (a), rankwell_secret[1] = (b) | 1)
    """
    unsigned long long folded "rankwell_folded" (unsigned long long a, unsigned long long b) noexcept nogil
    unsigned long long mix "RANKWELL_MIX" (unsigned long long h) noexcept nogil
    unsigned long long mix_two "RANKWELL_MIX_TWO" (unsigned long long h, unsigned long long other) noexcept nogil
    void key "RANKWELL_KEY" (unsigned long long a, unsigned long long b) noexcept nogil


# The key of a text id; with ``readable`` eight bytes may be read wherever one of the id may.
cdef inline unsigned long long hashed(const unsigned char *at, Py_ssize_t n, bint readable) noexcept nogil:
    cdef Py_ssize_t left = n
    cdef unsigned long long h = n
    while left > 8:
        h = mix(h ^ eight(at)) + left
        at += 8
        left -= 8
    return mix(mix(h + (beginning(at, left) if readable else word(at, left))) ^ n)
