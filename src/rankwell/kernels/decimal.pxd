# Decimal numbers as text, correctly rounded: the digits as one whole number, times or by a power of ten. Both are exact as
# doubles (the usual case), or as numbers of 64 bits of mantissa where the processor has them; these round to a double as the
# exact number would, unless they lie halfway between two. What is written in any other way is left to slower readers: 1.
cdef extern from *:
    """
    #include <float.h>
    #include <string.h>
    static const double rankwell_powers[23] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
    };
    static inline int rankwell_scaled(unsigned long long digits, int power, double *value) {
        int by = power < 0 ? -power : power;
        if (!(digits >> 53) && by <= 22) {
            *value = power < 0 ? (double) digits / rankwell_powers[by] : (double) digits * rankwell_powers[by];
            return 0;
        }
    #if LDBL_MANT_DIG == 64
        if (by <= 27) {
            long double scale = (long double) rankwell_powers[by < 22 ? by : 22], wide;
            unsigned long long mantissa;
            if (by > 22) scale *= (long double) rankwell_powers[by - 22];
            wide = power < 0 ? (long double) digits / scale : (long double) digits * scale;
            memcpy(&mantissa, &wide, 8);
            *value = (double) wide;
            return (mantissa & 0x7ff) == 0x400;
        }
    #endif
        return 1;
    }
    static inline int rankwell_decimal(const unsigned char *at, long long length, double *value) {
        const unsigned char *end = at + length, *from;
        unsigned long long digits = 0;
        int negative = 0, significant = 0, power = 0, exponent = 0, down;
        if (at < end && *at == '-') { negative = 1; at++; }
        for (from = at; at < end && (unsigned) (*at - '0') < 10; at++) {
            digits = digits * 10 + (*at - '0');
            significant += digits != 0;
        }
        if (at == from) return 1;
        if (at < end && *at == '.') {
            for (from = ++at; at < end && (unsigned) (*at - '0') < 10; at++) {
                digits = digits * 10 + (*at - '0');
                significant += digits != 0;
            }
            if (at == from || at - from > 64) return 1;
            power = -(int) (at - from);
        }
        if (significant > 19) return 1;
        if (at < end && (*at | 32) == 'e') {
            down = ++at < end && *at == '-';
            at += down || (at < end && *at == '+');
            for (from = at; at < end && (unsigned) (*at - '0') < 10 && at - from < 3; at++)
                exponent = exponent * 10 + (*at - '0');
            if (at == from) return 1;
            power += down ? -exponent : exponent;
        }
        if (at != end || rankwell_scaled(digits, power, value)) return 1;
        if (negative) *value = -*value;
        return 0;
    }
    """
    int decimal "rankwell_decimal" (const unsigned char *at, long long length, double *value) noexcept nogil
