"""The judgements of all sheets as numbers: pairs, judges and grades, first judgements and repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from rankwell.errors import DataError
from rankwell.records import record

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
KEY = "query", "item", "judge"


@record(eq=False)
class Given:
    """A row per judgement: the numbers of its pair, judge and grade, and whether it is a repeat.

    ``judged_again`` counts first judgements that a later one of the same judge replaces.
    """

    pairs: Sequence[tuple[str, str]]
    judges: Sequence[str]
    grades: np.ndarray
    pair: np.ndarray
    judge: np.ndarray
    grade: np.ndarray
    is_repeat: np.ndarray
    judged_again: int

    @classmethod
    def of(cls, tables: Sequence[pl.DataFrame]) -> Given:
        """Return the judgements of several sheets; of one judge the latest of each pair counts, and rows that are there twice once.

        A repeat whose first judgement is not there, because it was skipped, is a first one.

        Raises
        ------
        DataError
            If there are none.
        """
        import polars as pl

        rows = pl.concat(tables).unique(
            [*KEY, "grade", "time", "order", "is_repeat"], keep="last", maintain_order=True
        )
        if not len(rows):
            raise DataError("the sheets hold no judgement; nothing was graded before they were exported.")
        has_first = (~pl.col("is_repeat")).any().over(KEY)
        rows = rows.with_columns(pl.col("is_repeat") & has_first).with_row_index("row")
        own = [*KEY, "is_repeat"]
        latest = rows.sort("time", maintain_order=True).unique(own, keep="last", maintain_order=True)
        firsts = [int((~each["is_repeat"]).sum()) for each in (rows, latest)]
        rows = latest.sort("row")  # as the sheets have them
        pairs, pair = _numbered(list(zip(rows["query"].to_list(), rows["item"].to_list(), strict=True)))
        judges, judge = _numbered(rows["judge"].to_list())
        grades, grade = np.unique(rows["grade"].to_numpy(), return_inverse=True)
        return cls(
            pairs, judges, grades, pair, judge, grade, rows["is_repeat"].to_numpy(), firsts[0] - firsts[1]
        )

    def votes(self) -> np.ndarray:
        """Return how many judges gave each grade first, for each pair (pairs × grades)."""
        found = np.zeros((len(self.pairs), len(self.grades)), np.int64)
        first = ~self.is_repeat
        np.add.at(found, (self.pair[first], self.grade[first]), 1)
        return found

    def own_tables(self) -> np.ndarray:
        """Return a table per judge of the grades at first (rows) and again (columns)."""
        count = len(self.grades)
        found = np.zeros((len(self.judges), count, count))
        first = {
            (pair, judge): grade
            for pair, judge, grade in zip(
                *(each[~self.is_repeat].tolist() for each in (self.pair, self.judge, self.grade)), strict=True
            )
        }
        again = zip(
            *(each[self.is_repeat].tolist() for each in (self.pair, self.judge, self.grade)), strict=True
        )
        for pair, judge, grade in again:
            if (pair, judge) in first:
                found[judge, first[pair, judge], grade] += 1
        return found


def _numbered(values: Sequence[T]) -> tuple[list[T], np.ndarray]:
    """The distinct values as they come, and the number of each."""
    numbers = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return list(numbers), np.array([numbers[value] for value in values], np.int64)
