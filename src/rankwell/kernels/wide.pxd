# Many bytes of a text, or several numbers, at a time: the only C of the project that knows processors. Each function has a
# portable twin, for processors without SSE2, of any order of bytes; ``trec_lines.marks_of``, ``trec_lines.ends_of`` and ``ranks.counted`` show both to
# the tests.
# A word of eight bytes has its first byte lowest.

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    #endif
    #if defined(_MSC_VER) && !defined(__clang__)
    #include <intrin.h>
    #endif

    /* The number of zero bits below the lowest one that is set; there must be one. */
    static inline int rankwell_zeros(uint64_t bits) {
    #if defined(__GNUC__) || defined(__clang__)
        return __builtin_ctzll(bits);
    #elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
        unsigned long at;
        _BitScanForward64(&at, bits);
        return (int) at;
    #else
        int at = 0;
        while (!(bits >> at & 1)) at++;
        return at;
    #endif
    }

    static inline uint64_t rankwell_eight(const unsigned char *at) {
        uint64_t word;
        memcpy(&word, at, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }

    /* Up to eight bytes as a word, of which eight can be read, or only these. */
    static inline uint64_t rankwell_beginning(const unsigned char *at, ptrdiff_t n) {
        return n >= 8 ? rankwell_eight(at) : rankwell_eight(at) & (((uint64_t) 1 << 8 * n) - 1);
    }

    static inline uint64_t rankwell_word(const unsigned char *at, ptrdiff_t n) {
        if (n >= 8) return rankwell_eight(at);
        if (n >= 4) {
            uint64_t low = at[0] | at[1] << 8 | at[2] << 16 | (uint32_t) at[3] << 24;
            uint64_t high = at[n - 4] | at[n - 3] << 8 | at[n - 2] << 16 | (uint32_t) at[n - 1] << 24;
            return low | high << 8 * (n - 4);
        }
        if (n > 0) return at[0] | (uint64_t) at[n >> 1] << 8 * (n >> 1) | (uint64_t) at[n - 1] << 8 * (n - 1);
        return 0;
    }

    /* Of 64 bytes: which are white space or NUL (up to 32), and which are line ends. */
    static inline void rankwell_marks_anywhere(const unsigned char *at, unsigned long long *white, unsigned long long *ends) {
        const uint64_t low = 0x7f7f7f7f7f7f7f7fULL, high = 0x8080808080808080ULL, gather = 0x0002040810204081ULL;
        uint64_t w = 0, e = 0;
        for (int i = 0; i < 8; i++) {
            uint64_t word = rankwell_eight(at + 8 * i), other = word ^ 0x0a0a0a0a0a0a0a0aULL;
            uint64_t dark = (((word & low) + 0x5f5f5f5f5f5f5f5fULL) | word) & high;
            uint64_t not_end = (((other & low) + low) | other) & high;
            w |= (((dark ^ high) >> 7) * (gather << 7) >> 56) << 8 * i;
            e |= (((not_end ^ high) >> 7) * (gather << 7) >> 56) << 8 * i;
        }
        *white = w;
        *ends = e;
    }

    #if defined(__SSE2__) || defined(_M_X64)
    static inline void rankwell_marks(const unsigned char *at, unsigned long long *white, unsigned long long *ends) {
        const __m128i most = _mm_set1_epi8(32), end = _mm_set1_epi8(10);
        uint64_t w = 0, e = 0;
        for (int i = 0; i < 4; i++) {
            __m128i bytes = _mm_loadu_si128((const __m128i *) (at + 16 * i));
            uint64_t is_white = (unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, most), bytes));
            uint64_t is_end = (unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, end));
            w |= is_white << 16 * i;
            e |= is_end << 16 * i;
        }
        *white = w;
        *ends = e;
    }
    #else
    #define rankwell_marks rankwell_marks_anywhere
    #endif

    /* The number of line ends; whether there is a carriage return, and a NUL byte; all bytes or-ed together. */
    static inline ptrdiff_t rankwell_line_ends_anywhere(
        const unsigned char *at, ptrdiff_t n, int *returned, int *nul, unsigned char *seen
    ) {
        ptrdiff_t ends = 0;
        int returns = 0, nuls = 0;
        unsigned char bits = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            ends += at[i] == 10;
            returns |= at[i] == 13;
            nuls |= at[i] == 0;
            bits |= at[i];
        }
        *returned = returns;
        *nul = nuls;
        *seen = bits;
        return ends;
    }

    #if defined(__SSE2__) || defined(_M_X64)
    static inline ptrdiff_t rankwell_line_ends(
        const unsigned char *at, ptrdiff_t n, int *returned, int *nul, unsigned char *seen
    ) {
        const __m128i zero = _mm_setzero_si128(), end = _mm_set1_epi8(10), back = _mm_set1_epi8(13);
        __m128i total = zero, returns = zero, bits = zero, least = _mm_set1_epi8(-1);
        unsigned char all[16];
        long long sums[2];
        ptrdiff_t i = 0, ends;
        int r, z;
        while (i + 64 <= n) {
            __m128i own = zero; /* bytes, so at most 252 may be added */
            for (int j = 0; j < 63 && i + 64 <= n; j++, i += 64) {
                for (int k = 0; k < 64; k += 16) {
                    __m128i bytes = _mm_loadu_si128((const __m128i *) (at + i + k));
                    own = _mm_sub_epi8(own, _mm_cmpeq_epi8(bytes, end));
                    returns = _mm_or_si128(returns, _mm_cmpeq_epi8(bytes, back));
                    least = _mm_min_epu8(least, bytes);
                    bits = _mm_or_si128(bits, bytes);
                }
            }
            total = _mm_add_epi64(total, _mm_sad_epu8(own, zero));
        }
        ends = rankwell_line_ends_anywhere(at + i, n - i, &r, &z, seen);
        *returned = r | _mm_movemask_epi8(returns);
        *nul = z | _mm_movemask_epi8(_mm_cmpeq_epi8(least, zero));
        _mm_storeu_si128((__m128i *) all, bits);
        for (int j = 0; j < 16; j++) *seen |= all[j];
        _mm_storeu_si128((__m128i *) sums, total);
        return ends + (ptrdiff_t) (sums[0] + sums[1]);
    }
    #else
    #define rankwell_line_ends rankwell_line_ends_anywhere
    #endif

    /* How many numbers are above a value, and how many equal it. */
    static inline void rankwell_count_anywhere(
        const double *at, ptrdiff_t n, double value, long long *above, long long *equal
    ) {
        long long a = 0, e = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            a += at[i] > value;
            e += at[i] == value;
        }
        *above = a;
        *equal = e;
    }

    #if defined(__SSE2__) || defined(_M_X64)
    static inline void rankwell_count(const double *at, ptrdiff_t n, double value, long long *above, long long *equal) {
        const __m128d wanted = _mm_set1_pd(value);
        __m128i a = _mm_setzero_si128(), e = _mm_setzero_si128();
        long long of_two[2], a_rest, e_rest;
        ptrdiff_t i = 0;
        for (; i + 2 <= n; i += 2) {
            __m128d two = _mm_loadu_pd(at + i);
            a = _mm_sub_epi64(a, _mm_castpd_si128(_mm_cmpgt_pd(two, wanted)));
            e = _mm_sub_epi64(e, _mm_castpd_si128(_mm_cmpeq_pd(two, wanted)));
        }
        rankwell_count_anywhere(at + i, n - i, value, &a_rest, &e_rest);
        _mm_storeu_si128((__m128i *) of_two, a);
        *above = a_rest + of_two[0] + of_two[1];
        _mm_storeu_si128((__m128i *) of_two, e);
        *equal = e_rest + of_two[0] + of_two[1];
    }
    #else
    #define rankwell_count rankwell_count_anywhere
    #endif

    /* How many of the first eight bytes are digits before another byte comes, and the number that the first ``n`` write. */
    static inline int rankwell_digits(uint64_t word) {
        uint64_t value = word ^ 0x3030303030303030ULL;
        uint64_t others = ((value + 0x7676767676767676ULL) | value) & 0x8080808080808080ULL;
        return others ? rankwell_zeros(others) >> 3 : 8;
    }

    static inline uint64_t rankwell_whole(uint64_t word, int n) {
        uint64_t value = n ? (word ^ 0x3030303030303030ULL) << (64 - 8 * n) : 0;
        value = (value * 10 + (value >> 8)) & 0x00ff00ff00ff00ffULL;
        value = (value * 100 + (value >> 16)) & 0x0000ffff0000ffffULL;
        return (value * 10000 + (value >> 32)) & 0xffffffffULL;
    }
    """
    int zeros "rankwell_zeros" (unsigned long long bits) noexcept nogil
    unsigned long long eight "rankwell_eight" (const unsigned char *at) noexcept nogil
    unsigned long long beginning "rankwell_beginning" (const unsigned char *at, Py_ssize_t n) noexcept nogil
    unsigned long long word "rankwell_word" (const unsigned char *at, Py_ssize_t n) noexcept nogil
    void marks "rankwell_marks" (
        const unsigned char *at, unsigned long long *white, unsigned long long *ends) noexcept nogil
    void marks_anywhere "rankwell_marks_anywhere" (
        const unsigned char *at, unsigned long long *white, unsigned long long *ends) noexcept nogil
    void count "rankwell_count" (
        const double *at, Py_ssize_t n, double value, long long *above, long long *equal) noexcept nogil
    void count_anywhere "rankwell_count_anywhere" (
        const double *at, Py_ssize_t n, double value, long long *above, long long *equal) noexcept nogil
    Py_ssize_t line_ends "rankwell_line_ends" (
        const unsigned char *at, Py_ssize_t n, int *returned, int *nul, unsigned char *seen) noexcept nogil
    Py_ssize_t line_ends_anywhere "rankwell_line_ends_anywhere" (
        const unsigned char *at, Py_ssize_t n, int *returned, int *nul, unsigned char *seen) noexcept nogil
    int digits "rankwell_digits" (unsigned long long word) noexcept nogil
    unsigned long long whole "rankwell_whole" (unsigned long long word, int n) noexcept nogil
