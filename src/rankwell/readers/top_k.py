"""The best k items of each query from the scores of all items, a block of rows at a time."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.kernels import order
from rankwell.readers.matrices import Entries
from rankwell.readers.score_blocks import scores_of
from rankwell.readers.seen_items import Seen, seen_of
from rankwell.records import record
from rankwell.tables.arguments import checked
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids, Known, to_same_kind
from rankwell.tables.matrix import Matrix
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run

WIDTH = 64  # scores of which only the largest is looked at first
NONE_LEFT_OUT = np.empty(0, np.uint8)


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
        The ids of the rows and of the columns; by default their numbers.
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
    rows, columns = Numbered.of(queries, "query"), Numbered.of(items, "item")
    given = scores_of(scores, rows.number, columns.number, batch)
    blocks = iter(given.blocks)
    first = next(blocks, None)
    if first is None:
        raise DataError("scores: there are no rows.")
    width, high, parts = first.shape[1], 0, []
    if columns.number not in (None, width):
        raise DataError(f"scores: {width:,} columns, but items= has {columns.number:,} ids.")
    seen = None
    if train is not None:
        seen = seen_of(train, partial(rows.find, given.rows), partial(columns.find, width))
    for block in chain([first], blocks):
        low, high = high, high + len(block)
        if block.shape[1] != width:
            raise DataError(
                f"scores, row {low}: {block.shape[1]:,} columns, but the first rows have {width:,}."
            )
        if seen is not None:
            seen.refuse_others(given.rows or high, width, is_whole=given.rows is not None)
        parts.append(_best(block, k, columns.ids_of(width), low, seen, order.TIE_RULES[ties]))
    if rows.number not in (None, high):
        raise DataError(f"scores: {high:,} rows, but queries= has {rows.number:,} ids.")
    if seen is not None:
        seen.refuse_others(high, width, is_whole=True)
    lengths, found, score = map(np.concatenate, zip(*parts, strict=True))
    offsets = offsets_of(lengths)
    table = Columns(
        None,
        columns.ids_of(width)[found],
        score,
        place=Entries(name, offsets, columns=found),
        lists=(rows.ids_of(high), offsets),
    )
    run = Run.of_rows(table, name)
    if rows.ids is None and columns.ids is None:
        run.matrix = Matrix(name, "scores", (high, width))
    return run


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

    def find(self, number: int | None, wanted: Ids) -> np.ndarray:
        """Return the number of each id, -1 for ids that are none of these, of which there are so many."""
        if self.ids is not None:
            return Known(self.ids).rows_of(wanted, self.word)
        if number is None:
            raise UsageError(
                "train= names its pairs by ids, so blocks of scores need queries=, the ids of their rows."
            )
        found = to_same_kind(wanted, Ids.of_integers(np.zeros(1, np.int64)), self.word)[0].integers
        return np.where((found >= 0) & (found < number), found, -1)


def _best(
    block: np.ndarray, k: int, items: Ids, low: int, seen: Seen | None, rule: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many items are kept of each row of a block, their columns and their scores, best first."""
    rows, width = block.shape
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
    kept, lengths = order.tops(offsets, score, *items[column].columns, rule, NONE_LEFT_OUT, k)
    return lengths, column[kept], score[kept]
