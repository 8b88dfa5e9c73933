"""Scores that come some rows at a time: of a matrix, of factors of users and items, of a function, or of an iterator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.readers.arrays import is_sparse
from rankwell.readers.matrices import is_matrix
from rankwell.tables.arrays import array_of

CELLS = 1 << 22  # scores made at a time
ROWS = 256  # asked of a function at first, when the number of items is not known


class Scores(NamedTuple):
    """Blocks of scores, a row per query and a column per item; ``rows`` is their number if it is known beforehand."""

    blocks: Iterable[np.ndarray]
    rows: int | None


def scores_of(source: Any, queries: int | None, items: int | None, batch: int | None) -> Scores:
    """Return the blocks of a matrix, of a pair of factors, of a function of row numbers, or of an iterator.

    Raises
    ------
    UsageError, DataError
        If it is none of these, or the factors do not fit each other.
    """
    if is_sparse(source):
        raise UsageError(
            "scores: a sparse matrix does not hold the score of each item; rw.read_run reads it as a run."
        )
    if is_matrix(source):
        # a tensor elsewhere, or in half precision, is copied block by block too
        matrix: Any = source if hasattr(source, "__dlpack__") and source.ndim == 2 else _floats(source)
        rows, width = matrix.shape
        step = batch or _rows(width)
        return Scores((_floats(matrix[low : low + step]) for low in range(0, rows, step)), rows)
    if isinstance(source, tuple) and len(source) == 2 and all(map(is_matrix, source)):
        users, factors = map(_floats, source)
        return _products(users, factors, batch)
    if callable(source):
        if queries is None:
            raise UsageError(
                "scores: a function of row numbers needs queries=, the ids of all rows, such as range(1000)."
            )
        return Scores(_asked(source, queries, batch or (_rows(items) if items else None)), queries)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return Scores(map(_floats, source), None)
    raise UsageError(
        f"scores: cannot take {type(source).__name__}. Give a matrix of floats (users × items), a pair of factors (users × d, "
        f"items × d), a function of row numbers, or an iterator of blocks of rows."
    )


def _rows(width: int) -> int:
    return max(CELLS // max(width, 1), 1)


def _floats(source: Any) -> np.ndarray:
    """A block as a NumPy array of floats in two dimensions."""
    if not is_matrix(source):
        raise UsageError(f"scores: a block is a matrix with a row per query, not {type(source).__name__}.")
    block = array_of(source, "scores")
    if block.ndim != 2 or block.dtype.kind != "f":
        raise DataError(
            f"scores: a row per query and a column per item, of floats; this has {block.ndim} dimensions of {block.dtype}. Item "
            f"numbers, best first, are a run already: rw.read_run."
        )
    return block


def _products(users: np.ndarray, items: np.ndarray, batch: int | None) -> Scores:
    """The products of the factors of users and of items."""
    if users.shape[1] != items.shape[1]:
        raise DataError(
            f"scores: users have {users.shape[1]} factors and items {items.shape[1]}; the pair is (users × d, items × d)."
        )
    step = batch or _rows(len(items))
    kind = np.result_type(users, items, np.float32)
    users, items = users.astype(kind, copy=False), items.astype(kind, copy=False)
    return Scores((users[low : low + step] @ items.T for low in range(0, len(users), step)), len(users))


def _asked(function: Callable[[np.ndarray], Any], rows: int, step: int | None) -> Iterator[np.ndarray]:
    """What a function returns for some row numbers at a time; how many follows from the first answer, unless it is given."""
    low, size = 0, step or min(ROWS, rows)
    while low < rows:
        wanted = np.arange(low, min(low + size, rows))
        block = _floats(function(wanted))
        if len(block) != len(wanted):
            raise DataError(f"scores: the function returned {len(block)} rows for {len(wanted)} row numbers.")
        yield block
        low += size
        size = step or _rows(block.shape[1])
