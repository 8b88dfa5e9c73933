"""What only trec_eval prints: the first grades as a string, and the residual of queries without a relevant item."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.base import QueryMetric, definition
from rankwell.hits import Context, Judged
from rankwell.metrics.users import RBPResidual

SIGNS = "0123456789>-.<"  # grades to 9, above 9, not judged, in the pool but unjudged, none of these
MORE, UNKNOWN, POOLED = SIGNS.index(">"), SIGNS.index("-"), SIGNS.index(".")
BASE = len(SIGNS) + 1  # 0 is no item at all


@definition
class Relstring(QueryMetric):
    """The characters of some ranks as one number of base 15, which a double holds exactly; ``text`` spells it."""

    MOST: ClassVar[int] = 13  # 15**13 < 2**53
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    range: ClassVar[tuple[float, float]] = (0.0, float(BASE**13))
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    start: int = 0
    length: int = 10

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:  # noqa: ARG002 - as all metrics have it
        """One digit per rank, the first rank the highest; an item that nobody judged unless the judgements say more."""
        shown = np.clip(judged.n_retrieved - self.start, 0, self.length)
        weights = BASE ** np.arange(self.length - 1, -1, -1, dtype=np.int64)
        until = np.concatenate(([0], np.cumsum(weights)))
        number = (UNKNOWN + 1) * until[shown]
        rows = judged.found
        place = rows.rank - 1 - self.start
        rows, place = rows.where(inside := (place >= 0) & (place < self.length)), place[inside]
        sign = np.where(rows.grade < 0, POOLED, np.where(rows.grade > 9, MORE, np.trunc(rows.grade)))
        return number + rows.sum((sign - UNKNOWN) * weights[place])

    def text(self, number: float) -> str:
        """Return the characters of a number."""
        digits, left = [], int(number)
        for _ in range(self.length):
            left, digit = divmod(left, BASE)
            digits.append(digit)
        return "".join(SIGNS[digit - 1] for digit in reversed(digits) if digit)


@definition
class Residual(RBPResidual):
    """The residual of RBP where trec_eval has one: for every list, also of a query without a relevant item."""

    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The residual, whatever is relevant; 0 where there is no list."""
        return np.where(judged.n_retrieved > 0, self.residual(judged, context), 0.0)
