"""Items that are left out of each list: those that the query, or user, has in the training data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankwell.errors import DataError
from rankwell.readers.arrays import is_sparse, sparse_of
from rankwell.readers.reading import read_qrels
from rankwell.tables.csr import offsets_of, owners
from rankwell.tables.ids import Ids
from rankwell.tables.matrix import refuse_labels

Numbering = Callable[[Ids], np.ndarray]


class Seen(NamedTuple):
    """The columns that are left out, end to end, and where those of each row begin; ``shape`` is that of a matrix, which has to fit."""

    offsets: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int] | None = None

    def of(self, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows, counted from the first of them, and the columns of what some rows leave out."""
        # rows beyond the last that leaves out anything leave out nothing
        offsets = self.offsets[np.minimum(np.arange(low, high + 1), len(self.offsets) - 1)]
        return owners(offsets), self.columns[offsets[0] : offsets[-1]]

    def refuse_others(self, rows: int, columns: int, *, is_whole: bool) -> None:
        """Raise DataError if a matrix of training data has not the shape of the scores, of which some rows may be still to come."""
        if self.shape is None:
            return
        if columns != self.shape[1] or rows > self.shape[0] or (is_whole and rows != self.shape[0]):
            raise DataError(
                f"train: a sparse matrix has the shape of the scores, a row per query and a column per item, but it is "
                f"{self.shape[0]:,} × {self.shape[1]:,} and the scores {rows:,} × {columns:,}. For some users take their rows: "
                f"train[users]."
            )


def seen_of(train: Any, rows: Numbering, columns: Numbering) -> Seen:
    """Return what a sparse matrix of training data, or a log of them, leaves out.

    Parameters
    ----------
    train
        A sparse matrix in the shape of the scores, or what ``read_qrels`` reads.
    rows, columns
        What finds the row of each query and the column of each item of a log, -1 for others.

    Raises
    ------
    UsageError, DataError
        If the training data cannot be read, or no pair of them has a score.
    """
    if is_sparse(train):
        matrix = train.tocsr() if hasattr(train, "tocsr") else sparse_of(train, "train")
        return Seen(matrix.indptr.astype(np.int64), matrix.indices, matrix.shape)
    log = read_qrels(train, name=None if isinstance(train, str) else "train")
    refuse_labels(log.matrix)
    row, column = rows(log.query), columns(log.item)
    known = np.flatnonzero((row >= 0) & (column >= 0))
    if len(row) and not len(known):
        raise DataError(
            f"{log.name}: no query of the training data has scores for one of its items. queries= and items= are the ids of the rows "
            f"and of the columns of the scores; by default these have numbers."
        )
    known = known[np.argsort(row[known], kind="stable")]
    return Seen(offsets_of(np.bincount(row[known])), column[known])
