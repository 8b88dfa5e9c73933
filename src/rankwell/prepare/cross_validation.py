"""Folds for cross-validation: a log divided at random into equal parts, seeded and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import polars as pl

from rankwell.display.table import Column, Table
from rankwell.errors import UsageError, brief
from rankwell.prepare.choices import keys_by, order_of
from rankwell.prepare.pairs import Coded, code_ids
from rankwell.prepare.report import Report
from rankwell.prepare.splits import MIXED
from rankwell.readers.logs import Log, read_log
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, draws

Sides = tuple[pl.DataFrame, pl.DataFrame]


class FoldParts(Sequence[Sides]):
    """Pairs of training and test data, each made when it is asked for: all of them would hold the log k times."""

    def __init__(self, frame: pl.DataFrame, part_of_row: np.ndarray, k: int) -> None:
        self._frame, self._part_of_row, self._parts = frame, part_of_row, range(k)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return (
            f"{len(self)} pairs of training and test data, made when asked for, of {len(self._frame):,} rows"
        )

    @overload
    def __getitem__(self, at: int) -> Sides: ...
    @overload
    def __getitem__(self, at: slice) -> list[Sides]: ...
    def __getitem__(self, at: int | slice) -> Sides | list[Sides]:
        if isinstance(at, slice):
            return [self[part] for part in self._parts[at]]
        is_test = pl.Series(self._part_of_row == self._parts[at])  # a mask keeps the order of the log
        return self._frame.filter(~is_test), self._frame.filter(is_test)


class Folds(NamedTuple):
    """Pairs of training and test data, made when asked for, and the report on the division."""

    parts: Sequence[Sides]
    report: Report


@checked
def folds(
    log: Any,
    k: int = 5,
    *,
    of: Literal["rows", "users", "items"] = "rows",
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Folds:
    """Divide a log at random into k parts of equal size; each is the test data once, and the others the training data.

    Parameters
    ----------
    log
        A path, a data frame, records, or a dict; all columns and the order of rows are kept.
    k
        The number of parts, at least 2.
    of
        What to divide: ``rows``, or whole ``users`` or ``items``, which are then cold in the test data.
    seed
        For the random division.
    columns, name
        Which column is which, if the name does not say; what to call the log in the report.

    Raises
    ------
    RankwellError
        If the log cannot be read, lacks a column, or has fewer rows (users, items) than parts.

    Examples
    --------
    >>> parts, report = folds({"u": ["a", "b"], "v": ["a", "b"]}, k=2)
    >>> [(len(train), len(test)) for train, test in parts]
    [(2, 2), (2, 2)]
    """
    if of not in ("rows", "users", "items"):
        raise UsageError(f"of={brief(of)}: must be rows, users or items.")
    read = read_log(log, columns=columns, name=name)
    sides = code_ids([read], "query"), code_ids([read], "item")
    group, apart = _groups(read, of, sides)
    size = len(apart[0])
    if int(k) != k or not 2 <= k <= size:
        raise UsageError(
            f"k={k}: must be a whole number from 2 to {size:,}, the number of {of} in {read.name}."
        )
    dealt = np.empty(size, np.int64)  # dealt like cards in a random order, so sizes differ by at most one
    dealt[order_of(draws(seed, *apart))] = np.arange(size) % k
    own = dealt[group]
    tested = np.bincount(own, minlength=k)
    counts = (len(read) - tested, tested, *(_cold(side, own, k) for side in sides))
    rows = [(part, *map(int, row)) for part, row in enumerate(zip(*counts, strict=True), 1)]
    words = ("fold", "train rows", "test rows", "test users not in train", "test items not in train")
    table = Table([Column(word, "count") for word in words], rows)
    title = f"Folds of {read.name}: {k} parts of {of} at random (seed {seed})"
    report = Report(title, {"rows": len(read)}, (table,), (MIXED,))
    return Folds(FoldParts(read.frame, own, k), report)


def _groups(log: Log, of: str, sides: tuple[Coded, Coded]) -> tuple[np.ndarray, Sequence[Ids | np.ndarray]]:
    """The number of each row, of its user or of its item, and what tells these apart."""
    if of == "rows":
        return np.arange(len(log)), keys_by(log, sides)
    side = sides[of == "items"]
    return side.codes[0], [side.ids]


def _cold(side: Coded, own: np.ndarray, k: int) -> np.ndarray:
    """Per part, the number of its users or items that are in no other."""
    codes = side.codes[0]
    first = np.empty(len(side), np.int64)
    first[codes] = own
    is_in_others = np.zeros(len(side), np.bool_)
    is_in_others[codes[own != first[codes]]] = True
    return np.bincount(first[~is_in_others], minlength=k)
