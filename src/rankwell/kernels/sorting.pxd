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


# The ranks and the tie groups of rows[low:high] of a list from first to last whose scores never rise; the rows, ascending, and
# those that go with them are put into rank order. 0, and the rows unchanged, if more than 8 are tied: then this is slow.
cdef inline int ranks_in_order(
    long long first, long long last, long long[::1] rows, long long[::1] others, Py_ssize_t low, Py_ssize_t high,
    long long[::1] rank, long long[::1] start, long long[::1] size, int rule, const double[::1] score,
    const unsigned long long[::1] keys, const unsigned char[::1] text, const long long[::1] starts, const int[::1] lengths,
) except -1 nogil:
    cdef Py_ssize_t i, j
    cdef long long row, begin, end, other
    for j in range(low, high):
        row = rows[j]
        begin = row
        end = row + 1
        while begin > first and score[begin - 1] == score[row]:
            begin -= 1
        while end < last and score[end] == score[row]:
            end += 1
        start[j] = begin - first + 1
        size[j] = end - begin
        rank[j] = start[j]
        if end - begin > 8:
            return 0
        if end - begin > 1:
            for other in range(begin, end):
                rank[j] += other != row and before(other, row, rule, keys, text, starts, lengths)
    for j in range(low + 1, high):
        i = j
        # those that change places are tied, so their tie groups need not
        while i > low and rank[i - 1] > rank[i]:
            rank[i - 1], rank[i] = rank[i], rank[i - 1]
            rows[i - 1], rows[i] = rows[i], rows[i - 1]
            others[i - 1], others[i] = others[i], others[i - 1]
            i -= 1
    return 1
