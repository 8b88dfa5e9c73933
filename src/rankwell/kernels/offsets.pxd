# Offsets say where each list begins in columns of rows: list g is rows o[g] to o[g + 1]. Kernels trust them with the GIL released
# and without bounds checks, so each looks at them first. One pass over the lists costs far less than one over their rows.

cdef inline int refuse_offsets(const long long[::1] o, Py_ssize_t rows) except -1:
    cdef Py_ssize_t g
    cdef Py_ssize_t last = o.shape[0] - 1
    cdef int falls = 0
    if last < 0:
        raise ValueError("offsets are empty; they end with the number of rows")
    for g in range(last):
        falls |= o[g + 1] < o[g]
    if falls or o[0] < 0 or o[last] > rows:
        raise ValueError("offsets must not fall, and end within the rows")
    return 0
