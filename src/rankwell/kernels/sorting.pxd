# Rows sorted into rank order, inlined by the kernels that sort; see order.py for what that order is.

from rankwell.kernels.spans cimport before


# Sort rows[low:high]: insertion sort in runs of 8, then merges; merging halves already in order is free.
cdef inline int sort_rows(
    long long[::1] rows, long long[::1] scratch, Py_ssize_t low, Py_ssize_t high, int rule, const double[::1] score,
    const unsigned long long[::1] keys, const unsigned char[::1] text, const long long[::1] starts, const int[::1] lengths,
) except -1 nogil:
    cdef Py_ssize_t i, j, a, b, middle, end
    cdef Py_ssize_t width = 8
    cdef long long row, other
    for a in range(low, high, 8):
        for i in range(a + 1, min(a + 8, high)):
            row = rows[i]
            j = i
            while j > a:
                other = rows[j - 1]
                if score[other] > score[row] or (
                    score[other] == score[row] and before(other, row, rule, keys, text, starts, lengths)
                ):
                    break
                rows[j] = other
                j -= 1
            rows[j] = row
    while width < high - low:
        a = low
        while a + width < high:
            middle = a + width
            end = min(a + 2 * width, high)
            row = rows[middle]
            other = rows[middle - 1]
            if not (
                score[other] > score[row]
                or (score[other] == score[row] and before(other, row, rule, keys, text, starts, lengths))
            ):
                for i in range(a, middle):
                    scratch[i] = rows[i]
                i = a
                b = middle
                j = a
                while i < middle:
                    if b < end:
                        row = rows[b]
                        other = scratch[i]
                        if score[row] > score[other] or (
                            score[row] == score[other] and before(row, other, rule, keys, text, starts, lengths)
                        ):
                            rows[j] = row
                            b += 1
                            j += 1
                            continue
                    rows[j] = scratch[i]
                    i += 1
                    j += 1
            a = end
        width *= 2
    return 0
