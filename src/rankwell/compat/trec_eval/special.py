"""Metrics that only trec_eval has: first grades as a string, RBP of gains scaled per topic, a residual for every list."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.context import Context
from rankwell.matching.judged import Judged
from rankwell.metrics.binary.interpolated import Avg11, interpolated
from rankwell.metrics.binary.levels import needed_hits
from rankwell.metrics.graded.users import RBP, RBPResidual
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import Pairs
from rankwell.tables.csr import offsets_of

SIGNS = "0123456789>-.<"  # grades to 9, above 9, not judged, in the pool but unjudged, none of these
MORE, UNKNOWN, POOLED = SIGNS.index(">"), SIGNS.index("-"), SIGNS.index(".")
BASE = len(SIGNS) + 1  # 0 means no item


@definition
class Relstring(QueryMetric):
    """The characters of some ranks as one number in base 15, which a double holds exactly; ``text`` decodes it."""

    MOST: ClassVar[int] = 13  # 15**13 < 2**53
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    range: ClassVar[tuple[float, float]] = (0.0, float(BASE**13))
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    start: int = 0
    length: int = 10

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:  # noqa: ARG002 - same signature as all metrics
        """One digit per rank, the first rank the highest; '-' for an item unless the judgements say more."""
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
class Eleven(Avg11):
    """11pt_avg at levels in any order, which the program reads from the last to the first.

    A level that requires more hits than the one read before it, or none, takes the highest precision at any rank, and so do
    all levels read after it.
    """

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:  # noqa: ARG002 - same signature as all metrics
        """The mean over the levels."""
        hits, relevant = judged.relevant(self.rel), judged.n_relevant(self.rel)
        highest = interpolated(hits, relevant, 0.0, self.levels)
        found = hits.count()
        least = found.copy()
        is_read, is_lost = np.zeros(len(found), np.bool_), np.zeros(len(found), np.bool_)
        total = np.zeros(len(found))
        at = self.at or ()
        for level in reversed(at):
            needed = needed_hits(level, relevant, self.levels)
            is_read |= needed <= found
            is_lost |= is_read & ((needed > least) | (needed == 0))
            least = np.where(is_read & ~is_lost, needed, least)
            total += np.where(is_lost, highest, interpolated(hits, relevant, level, self.levels))
        return total / len(at)


@definition
class Residual(RBPResidual):
    """The residual of RBP as in trec_eval: for every list, even of a query without a relevant item."""

    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The residual, whatever is relevant; 0 if there is no list."""
        return np.where(judged.n_retrieved > 0, self.residual(judged, context), 0.0)


@definition
class GainRBP(RBP):
    """Rank-biased precision with given gains, scaled to the range of gains possible in the topic.

    Formula
        (1 − p) Σ_r p^(r−1) · gain(g_r), over judged documents; if the lowest gain is below 0 or the highest above 1,
        (gain − lowest) / (highest − lowest) instead of gain

    Edge cases
        Lowest and highest are over the gains given and the topic's other grades, 0 to its highest grade, each of which is its
        own gain; so a gain counts there even if no document has its grade. 0 if all gains are the same.

    Parameters
    ----------
        p: the probability of continuing, at least 0 and below 1
        gain: {grade: gain}
    """

    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"
    rises: ClassVar[bool] = False

    p: float = 0.9
    gain: Pairs = ((1.0, 1.0),)  # type: ignore[assignment]

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The sums of scaled gains."""
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
