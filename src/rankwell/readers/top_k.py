"""The best k items of each query from the scores of all items, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.kernels import order
from rankwell.readers.memory.matrices import Entries, is_matrix, is_sparse, refuse_named_axes, sparse_of
from rankwell.readers.read import read_qrels
from rankwell.readers.sources import refuse_ids_in_index
from rankwell.records import record
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, Known, to_same_kind
from rankwell.tables.lists import offsets_of, owners
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Matrix, Run, refuse_labels
from rankwell.tables.series import array_of, library

WIDTH = 64  # scores of which only the largest is looked at first
NONE_LEFT_OUT = np.empty(0, np.uint8)
Numbering = Callable[[Ids], np.ndarray]
CELLS = 1 << 22  # scores made at a time
ROWS = 256  # asked of a function at first, when the number of items is not known


@checked
def top_k(
    scores: Any,
    k: int,
    *,
    train: Any = None,
    queries: Any = None,
    items: Any = None,
    ties: Literal["item-desc", "item-asc", "order"] = "item-desc",
    batch: int | None = None,
    name: str = "run",
) -> Run:
    """Return the run of the best k items of each query, chosen from the scores of all items.

    A block of rows is scored at a time, and k items of each row are kept. Of equal scores at the cut those are kept that ``ties``
    puts first, so that an evaluation at k or less under the same rule is that of the whole lists. (``Policy(ties="expected")``,
    ``"best"`` and ``"worst"`` see only the items that were kept.)

    Parameters
    ----------
    scores
        Floats, a row per query and a column per item: a matrix (NumPy, PyTorch, JAX); a pair of factors (users × d, items × d),
        whose products are the scores; a function that takes an array of row numbers, from 0, and returns their scores; or an
        iterator of blocks of rows. Items that score -inf are left out.
    k
        How many items a list has; a list is shorter if there are no more.
    train
        What each query is not to be shown: a sparse matrix in the shape of the scores, whose stored entries are left out, or a log
        in any form that ``rankwell.read_qrels`` accepts, whose pairs are found by their ids.
    queries, items
        The ids of the rows and of the columns; by default their numbers, or the index and the columns of a frame of pandas.
    ties
        The order of equal scores: by their ids, as in ``rankwell.Policy``, or by column (``order``).
    batch
        How many rows are scored at a time; by default about 4 million scores.
    name
        The name of the run.

    Raises
    ------
    DataError, UsageError
        If a score is not a number (nan), or scores, training data and ids do not fit each other.

    Examples
    --------
    >>> import numpy as np
    >>> users, films = np.array([[1.0, 0.0], [0.5, 1.0]]), np.array([[3.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    >>> run = top_k((users, films), 2, train={1: [1]})  # user 1 has film 1
    >>> run.rows.table().query.tolist(), run.rows.table().item.tolist()
    ([0, 0, 1, 1], [0, 1, 0, 2])
    """
    for word, value in (("k", k), ("batch", batch)):
        if value is not None and value < 1:
            raise UsageError(f"top_k({word}={value}): {word} is at least 1.")
    if library(scores) == "pandas" and hasattr(scores, "columns"):
        queries = labels_in(scores.index) if queries is None else queries
        items = labels_in(scores.columns) if items is None else items
    rows, columns = Numbered.of(queries, "query"), Numbered.of(items, "item")
    score_batches = scores_of(scores, rows.number, columns.number, batch)
    blocks = iter(score_batches.blocks)
    first = next(blocks, None)
    if first is None:
        raise DataError("scores: there are no rows.")
    width, high, parts = first.shape[1], 0, []
    if columns.number not in (None, width):
        raise DataError(f"scores: {width:,} columns, but items= has {columns.number:,} ids.")
    seen = None
    if train is not None:
        seen = seen_of(train, partial(rows.find, score_batches.rows), partial(columns.find, width))
    for block in chain([first], blocks):
        low, high = high, high + len(block)
        if block.shape[1] != width:
            raise DataError(
                f"scores, row {low}: {block.shape[1]:,} columns, but the first rows have {width:,}."
            )
        if seen is not None:
            seen.refuse_others(score_batches.rows or high, width, is_whole=score_batches.rows is not None)
        parts.append(_best(block, k, columns.ids_of(width), low, seen, order.TIE_RULES[ties]))
    if rows.number not in (None, high):
        raise DataError(f"scores: {high:,} rows, but queries= has {rows.number:,} ids.")
    if seen is not None:
        seen.refuse_others(high, width, is_whole=True)
    lengths, items_found, score = map(np.concatenate, zip(*parts, strict=True))
    offsets = offsets_of(lengths)
    table = Columns(
        None,
        columns.ids_of(width)[items_found],
        score,
        place=Entries(name, offsets, columns=items_found),
        lists=(rows.ids_of(high), offsets),
    )
    run = Run.of_rows(table, name)
    if rows.ids is None and columns.ids is None:
        run.matrix = Matrix(name, "scores", (high, width))
    return run


def labels_in(index: Any) -> Any:
    """Return the labels of a frame's rows or columns; None if they only count from 0."""
    return None if index.tolist() == [*range(len(index))] else index


@record
class Numbered:
    """The ids of rows or of columns; without ids they are named by their numbers."""

    ids: Ids | None
    word: str

    @classmethod
    def of(cls, given: Any, word: str) -> Numbered:
        """Return the ids that were given, each once."""
        if given is None:
            return cls(None, word)
        refuse_ids_in_index(given, "queries" if word == "query" else "items")
        ids = Ids.of_column(given, word).owned()
        if not ids.is_distinct():
            codes, firsts = ids.group()
            twice = int(np.flatnonzero(np.arange(len(codes)) != firsts[codes])[0])
            raise DataError(
                f"{word} ids: {brief(ids.one(twice))} is given twice; each row and column has its own."
            )
        return cls(ids, word)

    @property
    def number(self) -> int | None:
        """How many there are, None if only the scores say it."""
        return None if self.ids is None else len(self.ids)

    def ids_of(self, number: int) -> Ids:
        """Return the ids of so many."""
        return Ids.of_integers(np.arange(number)) if self.ids is None else self.ids

    def find(self, number: int | None, ids: Ids) -> np.ndarray:
        """Return the number of each id, -1 for ids that are none of these, of which there are so many."""
        if self.ids is not None:
            return Known(self.ids).rows_of(ids, self.word)
        if number is None:
            raise UsageError(
                "train= names its pairs by ids, so blocks of scores need queries=, the ids of their rows."
            )
        numbers = to_same_kind(ids, Ids.of_integers(np.zeros(1, np.int64)), self.word)[0].integers
        return np.where((numbers >= 0) & (numbers < number), numbers, -1)


def _best(
    block: np.ndarray, k: int, items: Ids, low: int, seen: Seen | None, rule: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many items are kept of each row of a block, their columns and their scores, best first."""
    rows, width = block.shape
    # narrow groups where k is large, so that there are more groups than k
    step = min(WIDTH, max(width // (4 * k), 1))
    groups = -(-width // step)
    kind = np.float32 if block.dtype.itemsize < 8 else np.float64  # half precision is slow to compare
    padded = np.full((rows, groups, step), -np.inf, kind)
    flat = padded.reshape(rows, -1)
    flat[:, :width] = np.ma.filled(block, -np.inf)
    if seen is not None:
        flat[seen.of(low, low + rows)] = -np.inf
    highest = padded.max(axis=2)
    if np.isnan(highest).any():
        row, column = np.argwhere(np.isnan(flat))[0].tolist()
        raise DataError(f"scores, row {low + row}, column {column}: a score is not a number (nan).")
    # k groups have a score of at least that of the k-th best group, so no lower score is among the best k
    least = np.full(rows, -np.inf, kind) if groups <= k else np.partition(highest, groups - k)[:, groups - k]
    row, group = np.nonzero((highest >= least[:, None]) & (highest > -np.inf))
    near = padded[row, group]
    which, place = np.nonzero((near >= least[row, None]) & (near > -np.inf))
    row, column = row[which], group[which] * step + place
    score = near[which, place].astype(np.float64)
    offsets = offsets_of(np.bincount(row, minlength=rows))
    listed, lengths = order.tops(offsets, score, *items[column].columns, rule, NONE_LEFT_OUT, k)
    return lengths, column[listed], score[listed]


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
    """Return what a sparse matrix of training data, in the shape of the scores, or a log of them leaves out.

    ``rows`` and ``columns`` find the row of each query and the column of each item of a log, -1 for others. UsageError or DataError if
    the training data cannot be read, or no pair of them has a score.
    """
    if is_sparse(train):
        matrix = train.tocsr() if hasattr(train, "tocsr") else sparse_of(train, "train")
        return Seen(matrix.indptr.astype(np.int64), matrix.indices, matrix.shape)
    log = read_qrels(train, name=None if isinstance(train, str) else "train")
    refuse_labels(log.matrix)
    row, column = rows(log.query), columns(log.item)
    inside = np.flatnonzero((row >= 0) & (column >= 0))
    if len(row) and not len(inside):
        raise DataError(
            f"{log.name}: no query of the training data has scores for one of its items. queries= and items= are the ids of the rows "
            f"and of the columns of the scores; by default these have numbers."
        )
    inside = inside[np.argsort(row[inside], kind="stable")]
    return Seen(offsets_of(np.bincount(row[inside])), column[inside])


class Scores(NamedTuple):
    """Blocks of scores, a row per query and a column per item; ``rows`` is their number if it is known beforehand."""

    blocks: Iterable[np.ndarray]
    rows: int | None


def scores_of(source: Any, queries: int | None, items: int | None, batch: int | None) -> Scores:
    """Return the blocks of a matrix, of a pair of factors, of a function of row numbers, or of an iterator.

    UsageError or DataError if it is none of these, or the factors do not fit each other.
    """
    if is_sparse(source):
        raise UsageError(
            "scores: a sparse matrix does not hold the score of each item; rw.read_run reads it as a run."
        )
    if is_matrix(source):
        # a tensor elsewhere, or in half precision, is copied block by block too
        is_cut = hasattr(source, "__dlpack__") and hasattr(source, "__getitem__") and source.ndim == 2
        matrix: Any = source if is_cut else _floats(source)
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
        return Scores(_rows_of_batch(source, queries, batch or (_rows(items) if items else None)), queries)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, memoryview)):
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
    refuse_named_axes(source, "scores")
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


def _rows_of_batch(
    function: Callable[[np.ndarray], Any], rows: int, step: int | None
) -> Iterator[np.ndarray]:
    """What a function returns for some row numbers at a time; how many follows from the first answer, unless it is given."""
    low, size = 0, step or min(ROWS, rows)
    while low < rows:
        rows_wanted = np.arange(low, min(low + size, rows))
        block = _floats(function(rows_wanted))
        if len(block) != len(rows_wanted):
            raise DataError(
                f"scores: the function returned {len(block)} rows for {len(rows_wanted)} row numbers."
            )
        yield block
        low += size
        size = step or _rows(block.shape[1])
