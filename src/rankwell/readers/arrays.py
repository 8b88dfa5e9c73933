"""Arrays of other libraries as NumPy arrays, and sparse matrices as SciPy's compressed rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError

NARROW = ("bfloat16", "float8")  # kinds of floats that NumPy lacks; single precision holds them exactly
IN_MAIN_MEMORY = (1, 3)  # DLPack's numbers of the processor's memory, and of such memory that a GPU reads too


def array_of(source: Any, name: str) -> np.ndarray:
    """Return an array or a tensor as a NumPy array: the same memory where it can be, one copy of a tensor on another device.

    Raises
    ------
    UsageError
        If it cannot be converted.
    """
    try:
        if any(kind in str(getattr(source, "dtype", "")) for kind in NARROW):
            source = source.float() if hasattr(source, "float") else source.astype("float32")
        if isinstance(source, np.ndarray):
            return source
        if getattr(source, "requires_grad", False):
            source = source.detach()
        if not hasattr(source, "__dlpack__"):
            return np.asarray(source)
        if source.__dlpack_device__()[0] not in IN_MAIN_MEMORY:
            return np.asarray(source.cpu() if hasattr(source, "cpu") else source)  # JAX copies by itself
        return np.from_dlpack(source)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise UsageError(
            f"{name}: the {type(source).__name__} cannot be converted to a NumPy array ({error}). Move it to the CPU "
            f"first: tensor.detach().cpu().numpy()."
        ) from error


def is_sparse(source: Any) -> bool:
    """Whether a source is a sparse matrix or array of SciPy, or a sparse tensor of PyTorch."""
    library = type(source).__module__.partition(".")[0]
    return (library == "scipy" and hasattr(source, "tocsr")) or (
        library == "torch" and bool(getattr(source, "is_sparse", False) or "sparse" in str(source.layout))
    )


def sparse_of(source: Any, name: str) -> Any:
    """Return a sparse matrix as compressed rows, each item of a row once.

    Raises
    ------
    DataError
        If it has not two dimensions, or an item is stored twice.
    """
    if source.ndim != 2:
        raise DataError(f"{name}: a matrix has two dimensions; this has {source.ndim}.")
    if type(source).__module__.partition(".")[0] == "torch":
        source = _of_torch(source)
    counts = stored_in_rows(source)
    matrix = source.tocsr()
    if matrix is source and not matrix.has_canonical_format:
        matrix = matrix.copy()
    matrix.sum_duplicates()
    differ = np.flatnonzero(np.diff(matrix.indptr) != counts)
    if len(differ):
        raise DataError(
            f"{name}, row {differ[0]}: an item is stored twice. Call sum_duplicates(), if that is meant."
        )
    return matrix


def stored_in_rows(matrix: Any) -> np.ndarray:
    """Return how many entries each row stores, copies of an item included."""
    kept = matrix if matrix.format == "coo" else matrix.tocsr().tocoo(copy=False)
    return np.bincount(kept.row, minlength=matrix.shape[0])


def _of_torch(tensor: Any) -> Any:
    """A sparse tensor as SciPy's triples, in which copies of an entry stay apart."""
    from scipy.sparse import coo_array

    tensor = tensor.detach().cpu()
    tensor = tensor if tensor.is_sparse else tensor.to_sparse_coo()
    values = array_of(tensor._values(), "values")  # noqa: SLF001 - values() would add up copies
    return coo_array((values, tensor._indices().numpy()), shape=tuple(tensor.shape))  # noqa: SLF001
