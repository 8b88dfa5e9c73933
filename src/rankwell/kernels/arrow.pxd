# The one Arrow array that a text column of a frame is exported as, in the format "vu": each text is a view of 16 bytes, which
# holds up to 12 bytes of text itself, or where in the buffers of the array a longer one lies. Fields as in Arrow's C interface.
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcmp, strcmp


cdef extern from *:
    """
    #include <stdint.h>
    typedef struct RankwellSchema {
        const char *format, *name, *metadata;
        int64_t flags, n_children;
        struct RankwellSchema **children, *dictionary;
        void (*release)(struct RankwellSchema *);
        void *private_data;
    } RankwellSchema;
    typedef struct RankwellArray {
        int64_t length, null_count, offset, n_buffers, n_children;
        const void **buffers;
        struct RankwellArray **children, *dictionary;
        void (*release)(struct RankwellArray *);
        void *private_data;
    } RankwellArray;
    typedef struct RankwellStream {
        int (*get_schema)(struct RankwellStream *, RankwellSchema *);
        int (*get_next)(struct RankwellStream *, RankwellArray *);
        const char *(*get_last_error)(struct RankwellStream *);
        void (*release)(struct RankwellStream *);
        void *private_data;
    } RankwellStream;
    typedef struct RankwellView { int32_t length, prefix; int64_t rest; } RankwellView;
    """
    ctypedef struct Schema "RankwellSchema":
        const char *format
        void (*release)(Schema *) noexcept
    ctypedef struct Array "RankwellArray":
        int64_t length
        int64_t null_count
        int64_t offset
        const void **buffers
        void (*release)(Array *) noexcept
    ctypedef struct Stream "RankwellStream":
        int (*get_schema)(Stream *, Schema *) noexcept
        int (*get_next)(Stream *, Array *) noexcept
    ctypedef struct View "RankwellView":
        int32_t length
        int32_t prefix
        int64_t rest


cdef enum:
    INLINE = 12


# Take the array out of the capsule of a stream that holds one or none; whoever calls must release it if it can be released.
cdef inline int take(object capsule, Array *array) except -1:
    cdef Stream *stream = <Stream *> PyCapsule_GetPointer(capsule, "arrow_array_stream")
    cdef Schema schema
    array.release = NULL
    if stream.get_schema(stream, &schema):
        raise ValueError("an Arrow column without a type")
    is_text = strcmp(schema.format, "vu") == 0
    schema.release(&schema)
    if not is_text:
        raise ValueError("an Arrow column that is not text in views")
    if stream.get_next(stream, array):
        raise ValueError("an Arrow column that cannot be read")
    return 0


cdef inline bint is_null(const Array *array, Py_ssize_t row) noexcept nogil:
    cdef const unsigned char *valid = <const unsigned char *> array.buffers[0]
    return valid != NULL and not valid[(array.offset + row) >> 3] >> ((array.offset + row) & 7) & 1


# The text of a view that does not hold it: after its length and first 4 bytes, the number of its buffer and the place there.
cdef inline const unsigned char *text(const Array *array, const View *view) noexcept nogil:
    cdef const int32_t *at = <const int32_t *> &view.rest
    return <const unsigned char *> array.buffers[2 + at[0]] + at[1]


cdef inline bint same(const Array *array, const View *a, const View *b) noexcept nogil:
    if a.length != b.length or a.prefix != b.prefix:
        return False
    return a.rest == b.rest or (a.length > INLINE and memcmp(text(array, a), text(array, b), a.length) == 0)
