"""Precision-recall curves: the raw points of one query, and the interpolated curve of one query or of all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Column, Table
from rankwell.errors import UsageError, brief
from rankwell.metrics.binary.precision import needed_hits
from rankwell.metrics.binary.precision_recall import IPrec
from rankwell.metrics.metric import Metric
from rankwell.tables.arguments import UNFIT, as_list, fit_kind

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.results import Results


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
    """A precision-recall curve: interpolated precision at levels of recall, and for one query the point at each rank.

    The raw points drop straight down at each nonrelevant item and rise at each relevant one. The interpolated curve is
    the staircase above them; only interpolated curves can be averaged over queries.
    """

    _plural: ClassVar[str] = "curves"

    levels: tuple[float, ...]
    precision: tuple[float, ...]
    points: tuple[tuple[int, float, float], ...] = ()  # rank, recall, precision
    query: str | int | None = None
    n: int = 1

    @property
    def break_even(self) -> float:
        """The value at which precision equals recall: R-precision for one query, else interpolated on the mean curve.

        On the mean curve it is not the mean of R-precision, which is ``rprec``. NaN if the levels do not reach that point.
        """
        if self.points:
            meeting = [p for _, r, p in self.points if math.isclose(p, r, rel_tol=1e-12)]
            return max(meeting, default=math.nan)
        above = None
        for level, precision in zip(self.levels, self.precision, strict=True):
            if precision <= level:
                if above is None:
                    return level if precision == level else math.nan
                (low, high), fall = above, (above[1] - above[0]) - (precision - level)
                share = (high - low) / fall if fall else 0.0
                return low + share * (level - low)
            above = (level, precision)
        return math.nan

    def to_frame(self) -> pl.DataFrame:
        """Return the interpolated curve as a Polars frame of ``recall`` and ``precision``."""
        import polars as pl

        return pl.DataFrame({"recall": self.levels, "precision": self.precision})

    def to_table(self) -> Table:
        """Return a table of the interpolated curve, with the break-even point as a note."""
        columns = [Column("recall", "value", digits=2), Column("precision", "value")]
        whose = (
            f"query {brief(self.query)}" if self.query is not None else f"the mean over {self.n:,} queries"
        )
        rows = list(zip(self.levels, self.precision, strict=True))
        how = "" if self.points else ", interpolated between the levels"
        notes = [f"break-even point{how}: {self.break_even:.4f}"] if not math.isnan(self.break_even) else []
        return Table(columns, rows, caption=f"interpolated precision of {whose}", notes=notes)


def steps(levels: Sequence[float], rel: float | None) -> list[Metric]:
    """Return the metrics whose means form the mean curve: interpolated precision at each level of recall."""
    return [IPrec(level=level, rel=rel) for level in levels_in(levels)]


def mean_curve(res: Results, levels: Sequence[float]) -> Curve:
    """Return the mean interpolated curve of all queries, given results of the metrics in ``steps``."""
    return Curve(tuple(levels), tuple(res.mean.values()), n=res.n[str(res.metrics[0])])


def curve_of_one(
    ranks: Sequence[int], relevant: int, length: int, levels: Sequence[float], query: str | int
) -> Curve:
    """Return the curve of one list, given the ranks of its hits.

    >>> curve_of_one([1, 3], 2, 4, (0.0, 0.5, 1.0), "q").points
    ((1, 0.5, 1.0), (2, 0.5, 0.5), (3, 1.0, 0.6666666666666666), (4, 1.0, 0.5))
    """
    if not relevant:
        raise UsageError(
            f"query {brief(query)} has no relevant item and so no precision-recall curve; choose another query."
        )
    hits, points, n_found = set(ranks), [], 0
    for rank in range(1, length + 1):
        n_found += rank in hits
        points.append((rank, n_found / relevant, n_found / rank))
    # from the last hit up: interpolated precision is the best at this recall or any higher one
    best, staircase = 0.0, {}
    for number, rank in reversed(list(enumerate(ranks, start=1))):
        best = max(best, number / rank)
        staircase[number] = best
    wanted = [
        max(int(needed_hits(level, np.array([relevant]), "exact")[0]), 1) for level in levels_in(levels)
    ]
    return Curve(tuple(levels), tuple(staircase.get(number, 0.0) for number in wanted), tuple(points), query)


def levels_in(levels: Iterable[float]) -> tuple[float, ...]:
    """Return levels of recall; UsageError if they are no distinct numbers from 0 to 1, or in another order.

    >>> levels_in([0, 0.5, 1])
    (0, 0.5, 1)
    """
    given = as_list("levels", levels)
    found = tuple(fit_kind(each, float) for each in given)
    if not found or UNFIT in found or found != tuple(sorted({*found})) or found[0] < 0 or found[-1] > 1:
        raise UsageError(
            "levels= must be distinct numbers from 0 to 1 in ascending order, such as [0, 0.5, 1]."
        )
    return tuple(given)
