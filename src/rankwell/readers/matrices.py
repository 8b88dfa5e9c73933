"""Matrices with one row per query: item lists (``users × k``, -1 pads), scores of all items, SciPy sparse.

Queries and items are the numbers of rows and columns. Anything that gives a NumPy array (``__array__``) or speaks
DLPack comes in: PyTorch and JAX on the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.tables.csr import offsets_of, owners
from rankwell.tables.ids import Ids
from rankwell.tables.places import Held
from rankwell.tables.rows import Columns, Lists
from rankwell.tables.run_qrels import Qrels, Run

PAD = -1


def is_matrix(source: Any) -> bool:
    """Whether a source is an array or converts to one."""
    if is_sparse(source):
        return True
    return hasattr(source, "shape") and (hasattr(source, "__array__") or hasattr(source, "__dlpack__"))


def is_sparse(source: Any) -> bool:
    """Whether a source is a SciPy sparse matrix or array."""
    return type(source).__module__.partition(".")[0] == "scipy" and hasattr(source, "tocsr")


def run_of(source: Any, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return a run: rows of item numbers best first, or scores of all items, or the stored scores of a sparse one.

    Items that are masked (``np.ma``) or score -inf are left out of a matrix of scores.
    """
    matrix = _matrix(source, name, columns)
    if is_sparse(matrix):
        return Run.of_rows(_stored(matrix, name), name)
    if matrix.dtype.kind in "iu":
        query, item, rank = _listed(matrix, name)
        return Run(query, item, rank=rank, name=name, place=_rows(name, query, len(matrix)))
    return Run.of_rows(ScoreRows(matrix, name), name)


def qrels_of(source: Any, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return judgements: rows of liked items, or the grades that a sparse matrix stores."""
    matrix = _matrix(source, name, columns)
    if is_sparse(matrix):
        rows = owners(matrix.indptr)
        return Qrels(rows, matrix.indices, matrix.data, name=name, place=Entries(name, matrix.indptr))
    if matrix.dtype.kind not in "iu":
        raise UsageError(
            f"{name}: judgements in a matrix are item numbers (users × k, {PAD} pads) or sparse (scipy.sparse.csr_array), "
            f"not a dense matrix of {matrix.dtype}: which of its zeros were judged?"
        )
    query, item, _ = _listed(matrix, name)
    return Qrels(query, item, name=name, place=_rows(name, query, len(matrix)))


def _matrix(source: Any, name: str, columns: Mapping[str, str]) -> Any:
    """The source as a CSR matrix or a NumPy array of two dimensions, of integers or floats."""
    if columns:
        raise UsageError(f"{name}: a matrix has no named columns; columns= is for tables.")
    matrix: Any = source.tocsr() if is_sparse(source) else _array(source, name)
    if matrix.ndim != 2 or matrix.dtype.kind not in "iuf":
        raise DataError(
            f"{name}: a matrix has two dimensions and holds numbers; this has {matrix.ndim} and {matrix.dtype}."
        )
    if is_sparse(source) and not matrix.has_canonical_format:
        counted = np.diff(matrix.indptr)
        matrix = matrix.copy()
        matrix.sum_duplicates()
        differ = np.flatnonzero(np.diff(matrix.indptr) != counted)
        if len(differ):
            raise DataError(
                f"{name}, row {differ[0]}: an item is stored twice. Call sum_duplicates(), if that is meant."
            )
    return matrix


def _array(source: Any, name: str) -> np.ndarray:
    if isinstance(source, np.ndarray):
        return source
    try:
        return np.from_dlpack(source) if hasattr(source, "__dlpack__") else np.asarray(source)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise UsageError(
            f"{name}: the {type(source).__name__} cannot be converted to a NumPy array ({error}). Move it to the CPU "
            f"first: tensor.detach().cpu().numpy()."
        ) from error


def _listed(matrix: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows, the items and the ranks of a matrix of item numbers; pads are left out."""
    if np.ma.isMaskedArray(matrix):
        raise UsageError(f"{name}: item lists are not masked; pad them with {PAD}.")
    if matrix.dtype.kind == "i" and (matrix < PAD).any():
        row = int(np.flatnonzero((matrix < PAD).any(axis=1))[0])
        raise DataError(f"{name}, row {row}: {matrix[row].min()} is not an item number; {PAD} pads a list.")
    query, place = np.nonzero(matrix.astype(np.int64) != PAD)
    return query, matrix[query, place].astype(np.int64), place + 1


@dataclass(frozen=True, eq=False)
class Entries(Held):
    """Entries of a matrix by their rows, each of which begins at an offset; and by their columns, if these are given."""

    name: str
    offsets: np.ndarray
    first: int = 0
    columns: np.ndarray | None = None

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        at = self.first + int(np.searchsorted(self.offsets, row, side="right")) - 1
        return f"{self.name}, row {at}" + ("" if self.columns is None else f", column {self.columns[row]}")


def _rows(name: str, query: np.ndarray, length: int) -> Entries:
    return Entries(name, np.searchsorted(query, np.arange(length + 1)))


def _stored(matrix: Any, name: str) -> Columns:
    """The stored scores of a CSR matrix; rows that store nothing are empty lists."""
    queries, offsets = Ids.of_integers(np.arange(matrix.shape[0])), matrix.indptr.astype(np.int64)
    place = Entries(name, offsets)
    _refuse_nan(matrix.data, place)
    items = Ids.of_integers(matrix.indices)
    return Columns(None, items, matrix.data, place=place, lists=(queries, offsets))


def _refuse_nan(score: np.ndarray, place: Callable[[int], str]) -> None:
    if score.dtype.kind == "f" and np.isnan(score).any():
        raise DataError(f"{place(int(np.flatnonzero(np.isnan(score))[0]))}: a score is not a number (nan).")


class ScoreRows:
    """A matrix of the scores of all items, made into lists some rows at a time."""

    grouped = True

    def __init__(self, matrix: np.ndarray, name: str) -> None:
        self.matrix, self.name = matrix, name

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make the lists of some rows."""
        step = max(size // max(self.matrix.shape[1], 1), 1)
        for low in range(0, len(self.matrix), step):
            yield partial(self._lists, low, min(low + step, len(self.matrix)))

    def _lists(self, low: int, high: int) -> Lists:
        return next(self._columns(low, high).batches((high - low) * self.matrix.shape[1] + 1))()

    def _columns(self, low: int, high: int) -> Columns:
        part = self.matrix[low:high]
        score = np.ma.getdata(part)
        kept = ~np.ma.getmaskarray(part) & (score != -np.inf)
        query, item = np.nonzero(kept)
        offsets = offsets_of(kept.sum(axis=1))
        place = Entries(self.name, offsets, low, item)
        found = score[query, item]
        _refuse_nan(found, place)
        lists = Ids.of_integers(np.arange(low, high)), offsets
        return Columns(None, Ids.of_integers(item), found, place=place, lists=lists)

    def owned(self) -> ScoreRows:
        """Return these rows: they are in memory."""
        return self

    def regrouped(self) -> ScoreRows:
        """Return these rows: they are grouped."""
        return self

    def table(self) -> Columns:
        """Return all scores as columns."""
        return self._columns(0, len(self.matrix))
