"""What only trec_eval prints: the first grades as a string, RBP of gains scaled per topic, and the residual of every list."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.graded.users import RBP, RBPResidual
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import Pairs
from rankwell.tables.csr import offsets_of

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
        until = offsets_of(weights)
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


@definition
class GainRBP(RBP):
    """Rank-biased precision of gains of one's own, which become shares of what a grade can gain in the topic.

    Formula
        (1 − p) Σ_r p^(r−1) · gain(g_r), over judged documents; where the lowest gain is below 0 or the highest above 1,
        (gain − lowest) / (highest − lowest) in the place of gain

    Edge cases
        Lowest and highest are those of the gains given and of the topic's other grades, 0 to its highest grade, each of
        which is its own gain; so a gain counts there even if no document has its grade. 0 where all gains are the same.

    Parameters
    ----------
        p: the probability to go on, 0 to below 1
        gain: {grade: gain}
    """

    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    p: float = 0.9
    gain: Pairs = ((1.0, 1.0),)  # type: ignore[assignment]

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The sums, of shares."""
        best, rows = judged.ideal.top(1), judged.found
        highest = best.sum(np.where(context.scale.judged(best.grade), best.grade, 0.0))
        rows = rows.where(context.scale.judged(rows.grade)).top(self.k)
        shares = np.empty(len(rows))
        for top in np.unique(highest):
            gain = {float(grade): float(grade) for grade in range(int(top) + 1)} | dict(self.gain)
            low, high = min(gain.values()), max(gain.values())
            scale = (low, high - low) if low < 0 or high > 1 else (0.0, 1.0)
            of_topic = np.flatnonzero(highest[rows.query] == top)
            gains = np.array([gain[grade] for grade in rows.grade[of_topic].tolist()])
            shares[of_topic] = (gains - scale[0]) / scale[1] if scale[1] else 0.0
        return rows.sum(shares * self.weights_of(rows.rank))
