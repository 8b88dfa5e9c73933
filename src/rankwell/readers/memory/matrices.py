"""Matrices with one row per query: item lists (``users × k``, -1 pads), scores or labels of all items, sparse ones.

Queries and items are the numbers of rows and columns. Anything that gives a NumPy array (``__array__``) or speaks
DLPack comes in: PyTorch and JAX on the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataError, UsageError, brief
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.lists import offsets_of, owners
from rankwell.tables.rows import Columns, Lists, Rows
from rankwell.tables.run_qrels import PAD, Matrix, Qrels, Run, are_whole
from rankwell.tables.series import StoredPlace, array_of, is_tensor, numbers_of


def run_of(source: Any, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return a run: rows of item numbers best first, or scores of all items, or the stored scores of a sparse one.

    Items that are masked (``np.ma``) or score -inf are left out of a matrix of scores. Two matrices are item numbers and their scores.
    """
    if is_pair(source):
        return _of_pair(source, name, columns)
    matrix = matrix_of(source, name, columns)
    if matrix.dtype.kind == "b":
        raise UsageError(
            f"{name}: a run is item numbers or scores, not true and false. Are these the judgements?"
        )
    if is_sparse(matrix):
        return Run.of_rows(_stored(matrix, name), name)
    if matrix.dtype.kind == "f":
        _refuse_item_numbers(matrix, name)
        run = Run.of_rows(ScoreRows(matrix, name), name)
        run.matrix = Matrix(name, "scores", matrix.shape, is_whole=are_whole(matrix))
        return run
    _refuse_rows_of_a_table(matrix, name, "Run")
    facts = Matrix.of_whole(whole_numbers(matrix, name), name, "lists")
    run = _listed(matrix, Ids.of_integers(np.arange(len(matrix))), name)
    run.matrix = facts
    return run


def _refuse_item_numbers(matrix: np.ndarray, name: str) -> None:
    """Raise UsageError for floats that look like item numbers: whole ones, of which some name no column, and -1 at the ends of rows alone."""
    if not matrix.size or np.ma.isMaskedArray(matrix) or not (matrix[:, -1] == PAD).any():
        return
    is_pad = matrix == PAD
    is_at_end = (is_pad[:, :-1] <= is_pad[:, 1:]).all()
    is_whole = (matrix == np.floor(matrix)).all() and matrix.min() == PAD
    if is_at_end and is_whole and matrix.max() >= matrix.shape[1]:
        raise UsageError(
            f"{name}: whole numbers in floats, with {PAD} at the ends of rows: item numbers, or scores? Give item numbers as "
            f"np.asarray(matrix).astype(int), and scores as {{query: dict(enumerate(row)) for query, row in enumerate(matrix.tolist())}}."
        )


def _of_pair(source: tuple[Any, Any], name: str, columns: Mapping[str, str]) -> Run:
    """The run of a matrix of item numbers, best first, and one of their scores, given in either order."""
    items, scores = (matrix_of(part, name, columns) for part in source)
    # torch.topk gives scores first, recommenders give items first; the types tell
    if items.dtype.kind == "f":
        items, scores = scores, items
    if items.dtype.kind not in "iu" or scores.dtype.kind != "f" or items.shape != scores.shape:
        raise DataError(
            f"{name}: a pair of matrices is item numbers and their scores, one of whole numbers and one of floats in the same "
            f"shape; these are {items.dtype} of {items.shape} and {scores.dtype} of {scores.shape}."
        )
    facts = Matrix.of_whole(whole_numbers(items, name), name, "lists")
    run = _listed(items, Ids.of_integers(np.arange(len(items))), name, scores)
    run.matrix = facts
    return run


def qrels_of(source: Any, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return judgements: rows of liked items, labels of all items, or the grades that a sparse matrix stores.

    Whole numbers are item numbers, or labels if one of them stands twice in a row.
    """
    matrix = matrix_of(source, name, columns)
    if is_sparse(matrix):
        rows = owners(matrix.indptr)
        return Qrels(rows, matrix.indices, matrix.data, name=name, place=Entries(name, matrix.indptr))
    facts = Matrix(name, "grades", matrix.shape)
    if matrix.dtype.kind in "iu" and not np.ma.isMaskedArray(matrix):
        facts = Matrix.of_whole(whole_numbers(matrix, name), name, "whole")
    if facts.is_labels:
        return _graded(matrix, facts)
    _refuse_rows_of_a_table(matrix, name, "Qrels")
    query, item, _ = listed_in(matrix, name)
    qrels = Qrels(query, item, name=name, place=rows_at(name, query, len(matrix)))
    qrels.matrix = facts
    return qrels


def _refuse_rows_of_a_table(matrix: np.ndarray, name: str, kind: str) -> None:
    """Raise UsageError for whole numbers in two or three columns that look like rows of query and item: a first one that counts up, or repeats."""
    if matrix.ndim != 2 or not 2 <= matrix.shape[1] <= 3 or len(matrix) < 3:
        return
    steps = np.diff(np.asarray(matrix[:, 0], np.float64))
    counts_up = (steps == 1).all() and matrix[0, 0] in (0, 1)
    if counts_up or ((steps >= 0).all() and (steps == 0).any() and (steps > 0).any()):
        raise UsageError(
            f"{name}: {len(matrix):,} rows of {matrix.shape[1]} whole numbers, sorted by the first, look like rows of query and item. If they "
            f"are, rw.{kind}(*matrix.T); if each row is the list of a query, dict(enumerate(matrix.tolist()))."
        )


def labels_of(source: Any, *, name: str = "labels") -> Qrels:
    """Return the judgements in a matrix with the label of each item, or in rows of labels; nan and masked items are not judged.

    UsageError or DataError if it is no matrix of numbers.
    """
    if not is_matrix(source) and isinstance(source, (list, tuple)):
        matrix = rectangle(source)
        source = source if matrix is None else matrix
    if not is_matrix(source):
        raise UsageError(
            f"{name}= is a matrix with a row per query and a column per item, or such rows, not {brief(source)}; give "
            f"other judgements as qrels=."
        )
    matrix = matrix_of(source, name, {})
    if 0 in matrix.shape:
        raise DataError(f"{name}: there are no labels; the matrix is {matrix.shape[0]} × {matrix.shape[1]}.")
    if is_sparse(matrix):
        return qrels_of(matrix, name=name, columns={})
    return _graded(matrix, Matrix(name, "grades", matrix.shape))


def _graded(matrix: np.ndarray, facts: Matrix) -> Qrels:
    """The judgements in a matrix of labels."""
    grade = np.ma.getdata(matrix)
    # of labels every item has one, a 0 too: what was not judged is masked or nan
    judged = ~np.ma.getmaskarray(matrix)
    if grade.dtype.kind == "f":
        judged &= ~np.isnan(grade)
    query, item = np.nonzero(judged)
    place = Entries(facts.name, offsets_of(judged.sum(axis=1)), columns=item)
    qrels = Qrels(query, item, grade[query, item], name=facts.name, place=place)
    qrels.matrix = facts
    return qrels


def is_matrix(source: Any) -> bool:
    """Whether a source is an array or converts to one."""
    if is_sparse(source):
        return True
    return hasattr(source, "shape") and (hasattr(source, "__array__") or hasattr(source, "__dlpack__"))


def refuse_named_axes(source: Any, name: str) -> None:
    """Raise DataError for an array that names its rows or columns (xarray) otherwise than by their numbers, which a matrix would lose."""
    for dimension in getattr(source, "dims", ()) if hasattr(source, "coords") else ():
        labels = np.asarray(source.coords[dimension]) if dimension in source.coords else np.empty(0)
        if len(labels) and not np.array_equal(labels, np.arange(len(labels))):
            raise DataError(
                f"{name}: a matrix has no labels, and this {type(source).__name__} has some, such as {brief(labels[0].item())} in "
                f"{brief(dimension)}. Give array.to_series().rename_axis(['query', 'item']); if the rows and columns are numbered, array.values."
            )


def rectangle(rows: Sequence[Any]) -> np.ndarray | None:
    """Return rows of numbers, equally many each, as a matrix; None for anything else."""
    # arrays of floats are rows of scores; those of whole numbers may be of any kind, as lists of items are
    rows = [
        row.tolist() if (isinstance(row, np.ndarray) or is_tensor(row)) and "float" in str(row.dtype) else row
        for row in rows
    ]
    if not all(isinstance(row, (list, tuple)) for row in rows):
        return None
    rows = [list(row) for row in rows]  # of a class of its own, a row may say any length
    if not all(rows) or len(set(map(len, rows))) != 1:
        return None
    kinds = set(map(type, chain.from_iterable(rows)))
    return np.array(rows) if kinds and kinds <= {bool, int, float} else None


def matrix_of(source: Any, name: str, columns: Mapping[str, str]) -> Any:
    """Return the source as a CSR matrix or a NumPy array of two dimensions, of integers, floats or truth values."""
    if columns:
        raise UsageError(f"{name}: a matrix has no named columns; columns= and order= are for tables.")
    refuse_named_axes(source, name)
    matrix: Any = sparse_of(source, name) if is_sparse(source) else array_of(source, name)
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufb":
        raise DataError(
            f"{name}: a matrix has two dimensions and holds numbers; this has {matrix.ndim} and {matrix.dtype}."
            + (
                " One list is a matrix of one row: values.reshape(1, -1)."
                if matrix.ndim == 1
                else " The rows of a table are a frame: pd.DataFrame(values, columns=['query', 'item', …])."
            )
        )
    return matrix


def whole_numbers(matrix: np.ndarray, name: str) -> np.ndarray:
    """Return whole numbers as int64."""
    if matrix.dtype == np.uint64 and matrix.size and matrix.max() > np.iinfo(np.int64).max:
        row = int(np.flatnonzero((matrix > np.iinfo(np.int64).max).any(axis=1))[0])
        raise DataError(f"{name}, row {row}: an item number does not fit in 64 bits.")
    return np.ma.getdata(matrix).astype(np.int64)


def listed_in(matrix: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows, the items and the ranks of a matrix of item numbers; pads are left out."""
    if np.ma.isMaskedArray(matrix):
        raise UsageError(f"{name}: item lists are not masked; pad them with {PAD}.")
    matrix = whole_numbers(matrix, name)
    if (matrix < PAD).any():
        row = int(np.flatnonzero((matrix < PAD).any(axis=1))[0])
        raise DataError(f"{name}, row {row}: {matrix[row].min()} is not an item number; {PAD} pads a list.")
    query, place = np.nonzero(matrix != PAD)
    return query, matrix[query, place], place + 1


@record(eq=False)
class Entries(StoredPlace):
    """Entries of a matrix by their rows, each of which begins at an offset; and by their columns, if these are given."""

    name: str
    offsets: np.ndarray
    first: int = 0
    columns: np.ndarray | None = None

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        at = self.first + int(np.searchsorted(self.offsets, row, side="right")) - 1
        if self.columns is None:
            return Composed("{name}, row {row}", name=self.name, row=at)
        return Composed(
            "{name}, row {row}, column {column}", name=self.name, row=at, column=self.columns[row]
        )


def rows_at(name: str, query: np.ndarray, length: int) -> Entries:
    """Return the place of each entry, from the row of each."""
    return Entries(name, np.searchsorted(query, np.arange(length + 1)))


def _stored(matrix: Any, name: str) -> Columns:
    """The stored scores of a CSR matrix; rows that store nothing are empty lists."""
    queries, offsets = Ids.of_integers(np.arange(matrix.shape[0])), matrix.indptr.astype(np.int64)
    place = Entries(name, offsets)
    items = Ids.of_integers(matrix.indices)
    scores = numbers_of(matrix.data, "score", place)
    return Columns(None, items, scores, place=place, lists=(queries, offsets))


class ScoreRows(Rows):
    """A matrix of the scores of all items, made into lists some rows at a time."""

    grouped = True

    def __init__(self, matrix: np.ndarray, name: str) -> None:
        self.matrix, self.name = matrix, name

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make the lists of some rows."""
        # a list of all items is cut nowhere, so a batch is whole rows of the matrix
        step = max(size // max(self.matrix.shape[1], 1), 1)
        for low in range(0, len(self.matrix), step):
            yield partial(self._lists, low, min(low + step, len(self.matrix)))

    def _lists(self, low: int, high: int) -> Lists:
        return next(self._columns(low, high).batches((high - low) * self.matrix.shape[1] + 1))()

    def _columns(self, low: int, high: int) -> Columns:
        part = self.matrix[low:high]
        score = np.ma.getdata(part)
        is_listed = ~np.ma.getmaskarray(part) & (score != -np.inf)
        query, item = np.nonzero(is_listed)
        offsets = offsets_of(is_listed.sum(axis=1))
        place = Entries(self.name, offsets, low, item)
        values = score[query, item]
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise DataError(
                f"{place(int(np.flatnonzero(np.isnan(values))[0]))}: a score is not a number (nan)."
            )
        lists = Ids.of_integers(np.arange(low, high)), offsets
        return Columns(None, Ids.of_integers(item), values, place=place, lists=lists)

    def owned(self) -> ScoreRows:
        """Return the same rows in memory of their own."""
        return ScoreRows(self.matrix.copy(), self.name)

    def table(self) -> Columns:
        """Return all scores as columns."""
        return self._columns(0, len(self.matrix))


def is_pair(source: Any) -> bool:
    """Whether a source is a tuple of two dense matrices."""
    is_two = isinstance(source, tuple) and len(source) == 2
    return is_two and all(is_matrix(part) and len(part.shape) == 2 and not is_sparse(part) for part in source)


def named_run(source: Any, queries: Ids, name: str = "run") -> Run:
    """Return the run of a matrix of item numbers, best first, whose rows have ids; rows of pads are empty lists.

    Of a pair of item numbers and scores, the item numbers are taken.

    DataError or UsageError if these are no item numbers, or not as many rows as ids.
    """
    if is_pair(source):
        source = next((part for part in source if array_of(part, name).dtype.kind in "iu"), source[0])
    return _listed(_named(source, queries, name), queries, name)


def _listed(matrix: np.ndarray, queries: Ids, name: str, scores: np.ndarray | None = None) -> Run:
    """The run of rows of item numbers, perhaps with their scores; a row of pads is an empty list."""
    query, item, rank = listed_in(matrix, name)
    place = rows_at(name, query, len(matrix))
    given = None if scores is None else numbers_of(scores[query, rank - 1], "score", place)
    lists = queries, place.offsets
    rows = Columns(
        None, Ids.of_integers(item), rank, place=place, by_rank=True, given_score=given, lists=lists
    )
    rows.rank_base = 1
    run = Run.of_rows(rows, name)
    run.has_pads = len(item) < matrix.size
    return run


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


def is_sparse(source: Any) -> bool:
    """Whether a source is a sparse matrix or array of SciPy, or a sparse tensor of PyTorch."""
    library = type(source).__module__.partition(".")[0]
    return (library == "scipy" and hasattr(source, "tocsr")) or (
        library == "torch" and bool(getattr(source, "is_sparse", False) or "sparse" in str(source.layout))
    )


def sparse_of(source: Any, name: str) -> Any:
    """Return a sparse matrix as compressed rows, each item of a row once; DataError if it has not two dimensions, or an item is stored twice."""
    if source.ndim != 2:
        raise DataError(f"{name}: a matrix has two dimensions; this has {source.ndim}.")
    if type(source).__module__.partition(".")[0] == "torch":
        source = _of_torch(source)
    # before duplicates are added up, which SciPy does without a word
    counts = stored_in_rows(source)
    matrix = source.tocsr()
    # duplicates are added up in place, and the matrix may be the user's own
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
    stored = matrix if matrix.format == "coo" else matrix.tocsr().tocoo(copy=False)
    return np.bincount(stored.row, minlength=matrix.shape[0])


def _of_torch(tensor: Any) -> Any:
    """A sparse tensor as SciPy's triples, in which copies of an entry stay apart."""
    from scipy.sparse import coo_array

    tensor = tensor.detach().cpu()
    tensor = tensor if tensor.is_sparse else tensor.to_sparse_coo()
    values = array_of(tensor._values(), "values")  # noqa: SLF001 - values() would add up copies
    return coo_array((values, tensor._indices().numpy()), shape=tuple(tensor.shape))  # noqa: SLF001
