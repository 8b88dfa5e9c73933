"""Bounds of a metric under unjudged items: how far judging them could move its values, and whether this is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rankwell.matching.batch import Context
    from rankwell.matching.unjudged import Both, PoolSide, Unjudged

Ends = tuple[np.ndarray, np.ndarray]


class Bounded(NamedTuple):
    """Whether a metric has bounds: exact ones, proven outer ones, or none, and why.

    ``reads_pool``: the lower bound depends on how many relevant items a query can have, so it needs a stated pool.
    """

    kind: Literal["exact", "outer", "none"] = "exact"
    reads_pool: bool = False
    why: str = ""


class DifferenceBounds(NamedTuple):
    """The lowest and the highest difference of each query over all grades of its unjudged items.

    ``least`` and ``most`` bound a number that has the sign of the difference. ``is_decided`` says that they are exact, so that
    a sign is sure where they agree, and undecided where not; ``is_exact`` says that ``low`` and ``high`` are.
    """

    least: np.ndarray
    most: np.ndarray
    low: np.ndarray
    high: np.ndarray
    is_decided: bool
    is_exact: bool


EXACT, FREE_R = Bounded(), Bounded(reads_pool=True)
UNKNOWN = Bounded("none", why="no bounds are known for this metric")
NO_JUDGEMENTS = Bounded("none", why="it reads no judgements")
WHOLE = Bounded("none", why="it has one value for all lists")
RISES = Bounded("none", why="its discount rises with the rank")
LOSSES = Bounded("none", why="its table holds negative gains")
OWN_LENGTH = Bounded("none", why="its ideal list is no longer than the list")
OWN_TOP = Bounded("none", why="its scale ends at the highest grade of each query, which judging could raise")


class HasBounds:
    """What a metric of queries says of its bounds under unjudged items.

    A metric that ``rises`` is lowered by no higher grade within k, and raised by no other grade: its bounds are two evaluations.
    """

    rises: ClassVar[bool] = False

    def bounded(self: Any) -> Bounded:
        """Whether bounds under unjudged items are known, and of what kind."""
        if not self.judgements:
            return NO_JUDGEMENTS
        return EXACT if self.rises else UNKNOWN

    def ends(self, grades: np.ndarray, context: Context) -> tuple[float, float]:
        """Return the grades of a scale (lowest first) that add least and most to the value."""
        return float(grades[0]), float(grades[-1])

    def bounds(self: Any, unjudged: Unjudged, context: Context) -> Ends:
        """Return the lowest and the highest value of each query over all grades of its unjudged items.

        NaN where no grades make the metric defined. Lowest: unjudged items within k get the lowest grade, all others the
        highest. Highest: the reverse. Where only items within k can make a query defined, one of them must be relevant,
        which adds least at the last rank.
        """
        lowest, highest = self.ends(unjudged.grades, context)
        context = unjudged.context(context)
        low = self.per_query(unjudged.completed(lowest, highest, highest, self.k), context)
        high = self.per_query(unjudged.completed(highest, lowest, k=self.k), context)
        high = np.where(np.isnan(high), low, high)
        # undefined at the low end, defined after some grade: the last unjudged item, where a gain adds least, gets each in turn
        left = np.flatnonzero(np.isnan(low) & ~np.isnan(high))
        if len(left):
            few = unjudged.of_queries(left)
            for grade in unjudged.grades:
                low[left] = np.fmin(low[left], self.per_query(few.last_only(float(grade), lowest), context))
        return low, high

    def has_common_divisor(self) -> bool:
        """Whether the values of two lists are divided by the same number, so that the sign of their difference ignores it."""
        return False

    def difference_bounds(self: Any, both: Both, context: Context) -> DifferenceBounds:
        """Return the bounds of the difference of two lists, first less second, whose unjudged items are the same ones.

        By default each list is bounded by itself, which gives outer bounds.
        """
        (low, high), (lowest, highest) = (each.once(_ends_of, self, context) for each in both)
        least, most = low - highest, high - lowest
        return DifferenceBounds(least, most, least, most, is_decided=False, is_exact=False)


def _ends_of(side: PoolSide, metric: Any, context: Context) -> Ends:
    found: Ends = metric.bounds(side.unjudged, context)
    return found
