"""Matrices of item numbers, best first, with more than these: the scores beside them, or ids of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankwell.errors import DataError
from rankwell.readers.arrays import is_sparse
from rankwell.readers.matrices import is_matrix, listed_in, matrix_of, rows_at, whole_numbers
from rankwell.tables.arrays import array_of
from rankwell.tables.ids import Ids
from rankwell.tables.matrix import PAD, Matrix
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Qrels, Run


def is_pair(source: Any) -> bool:
    """Whether a source is a tuple of two dense matrices."""
    is_two = isinstance(source, tuple) and len(source) == 2
    return is_two and all(is_matrix(each) and not is_sparse(each) for each in source)


def run_of(source: tuple[Any, Any], *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run of a matrix of item numbers, best first, and one of their scores, given in either order."""
    items, scores = (matrix_of(each, name, columns) for each in source)
    if items.dtype.kind == "f":
        items, scores = scores, items
    if items.dtype.kind not in "iu" or scores.dtype.kind != "f" or items.shape != scores.shape:
        raise DataError(
            f"{name}: a pair of matrices is item numbers and their scores, one of whole numbers and one of floats in the same "
            f"shape; these are {items.dtype} of {items.shape} and {scores.dtype} of {scores.shape}."
        )
    known = Matrix.of_whole(whole_numbers(items, name), name, "lists")
    query, item, rank = listed_in(items, name)
    run = Run(query, item, scores[query, rank - 1], rank, name=name, place=rows_at(name, query, len(items)))
    run.matrix = known
    return run


def named_run(source: Any, queries: Ids, name: str = "run") -> Run:
    """Return the run of a matrix of item numbers, best first, whose rows have ids; rows of pads are empty lists.

    Of a pair of item numbers and scores, the item numbers are taken.

    Raises
    ------
    DataError, UsageError
        If these are no item numbers, or not as many rows as ids.
    """
    if is_pair(source):
        source = next((each for each in source if array_of(each, name).dtype.kind in "iu"), source[0])
    matrix = _named(source, queries, name)
    query, item, rank = listed_in(matrix, name)
    place = rows_at(name, query, len(matrix))
    rows = Columns(
        None, Ids.of_integers(item), rank, place=place, by_rank=True, lists=(queries, place.offsets)
    )
    rows.rank_base = 1
    return Run.of_rows(rows, name)


def named_qrels(source: Any, queries: Ids, name: str = "target") -> Qrels:
    """Return the judgements of a matrix of the numbers of liked items, whose rows have ids."""
    query, item, _ = listed_in(_named(source, queries, name), name)
    return Qrels(queries[query], Ids.of_integers(item), name=name)


def _named(source: Any, queries: Ids, name: str) -> np.ndarray:
    matrix: np.ndarray = matrix_of(source, name, {})
    if is_sparse(source) or matrix.dtype.kind not in "iu":
        raise DataError(f"{name}: a matrix of item numbers, padded with {PAD}; this has {matrix.dtype}.")
    if len(matrix) != len(queries):
        raise DataError(f"{name}: {len(matrix):,} rows, but {len(queries):,} ids of queries.")
    return matrix
