"""Topic-satisfaction metrics in which ratings count."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.context import Context
from rankwell.matching.judged import Judged
from rankwell.metrics.diversity.satisfaction import Topical
from rankwell.metrics.metric import definition


@definition
class OfRatings(Topical):
    """A metric where a rated item satisfies by what it was rated.

    Parameters
        rating_map: how a rating counts: ratio, minmax, exp or binary (see ab_dcg)
        max_grade: the highest grade of the scale; default that of the qrels
        min_grade: the lowest grade of the scale (minmax); default that of the qrels
        rel: the rating from which binary counts 1; default the policy's rel
    """

    rating_map: Literal["ratio", "minmax", "exp", "binary"] = "ratio"
    max_grade: float | None = None
    min_grade: float | None = None
    rel: float | None = None

    def applies(self, parameter: str) -> bool:
        """``max_grade``, ``min_grade`` and ``rel`` apply only to rating maps that use them."""
        is_binary = self.rating_map == "binary"
        belongs = {"max_grade": not is_binary, "min_grade": self.rating_map == "minmax", "rel": is_binary}
        return belongs.get(parameter, super().applies(parameter))

    def needed(self) -> frozenset[str]:
        """The ends of the scale, unless they are given."""
        ends = {"grade_max": self.max_grade, "grade_min": self.min_grade}
        asked = {need for need, given in ends.items() if given is None and self.applies(need[6:] + "_grade")}
        return super().needed() | asked

    def check_tables(self, context: Context) -> None:
        """The grades must lie within the scale, whose ends must differ under minmax."""
        super().check_tables(context)
        if context.scale.kind == "interactions" or context.grade_max is None or not self.applies("max_grade"):
            return
        top, low = self._ends(context)
        if context.grade_max > top:
            raise UsageError(
                f"{self}: a grade is above max_grade; set max_grade to the highest grade of the scale."
            )
        if self.rating_map == "minmax" and low >= top:
            raise UsageError(
                f"{self}: all grades are {top:g}, so minmax has no span. Set min_grade= and max_grade= to the ends of the "
                f"scale, or use rating_map=ratio."
            )

    def broken_laws(self) -> dict[str, str]:
        """The lowest and highest of all grades set the scale, unless they are given."""
        if not self.needed() & {"grade_max", "grade_min"}:
            return super().broken_laws()
        law = {"judgements are apart": "the highest grade of all judgements sets the scale"}
        return super().broken_laws() | law

    def chance(self, grade: np.ndarray, context: Context) -> np.ndarray:
        """α if unrated, β · ρ(grade) if rated."""
        rated = np.flatnonzero(context.scale.judged(grade))
        chance = np.full(len(grade), self.unrated)
        chance[rated] = self.beta * self.map(grade[rated], context)
        return chance

    def map(self, grade: np.ndarray, context: Context) -> np.ndarray:
        """Return ρ of the grades, 0 to 1."""
        if context.scale.kind == "interactions":
            return np.ones(len(grade))
        if self.rating_map == "binary":
            return context.scale.relevant(grade, self.rel).astype(np.float64)
        top, low = self._ends(context)
        if self.rating_map == "exp":
            # (2^g − 1) / 2^top, without the powers themselves, which overflow for large grades
            return np.maximum(np.exp2(grade - top) - np.exp2(-top), 0.0)
        if self.rating_map == "ratio":
            return np.maximum(grade, 0.0) / top if top > 0 else np.zeros(len(grade))
        if len(grade) and grade.min() < low:
            raise UsageError(
                f"{self}: a grade is below min_grade; set min_grade to the lowest grade of the scale."
            )
        return (grade - low) / (top - low)

    def _ends(self, context: Context) -> tuple[float, float]:
        """The highest and the lowest grade of the scale."""
        top = context.grade_max if self.max_grade is None else self.max_grade
        low = context.grade_min if self.min_grade is None else self.min_grade
        return (0.0 if top is None else top), (0.0 if low is None else low)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """As for every such metric, plus ratings of disliked items that satisfy at least as much as unrated items."""
        return super().counts(judged, context) | self._disliked(judged, context)

    def _disliked(self, judged: Judged, context: Context) -> dict[str, int]:
        scale, pool = judged.scale, judged.pool
        rows = judged.in_catalogue(context)
        grade = rows.grade[scale.judged(rows.grade)]
        if self.unrated == 0 or scale.kind == "interactions" or not len(grade):
            return {}
        lowest, highest = pool.summary.lowest, pool.summary.highest
        disliked = grade < scale.rel if scale.rel is not None else (grade == lowest) & (lowest < highest)
        wrong = int(np.count_nonzero(self.chance(grade[disliked], context) >= self.unrated))
        return {"disliked items that count at least as much as unrated ones (alpha ≤ beta·rating)": wrong}
