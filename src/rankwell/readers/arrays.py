"""Sparse matrices of SciPy and PyTorch as SciPy's compressed rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.errors import DataError
from rankwell.tables.arrays import array_of


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
