"""Nuggets: the pieces of information that a good answer holds, and how many of them an answer supports."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import Ranked, ratio

__all__ = ["Nugget"]

OKAY, VITAL = 1.0, 2.0
SUPPORT, PARTIAL_SUPPORT, NOT_SUPPORT = 1.0, 0.5, 0.0


@definition
class Nugget(QueryMetric):
    """Nugget score: the share of the pieces of information wanted of an answer that it supports, half of one supported in part.

    Formula
        Σ_n w_n · s_n / Σ_n w_n over the nuggets n of the query; s = 1 (support), partial (partial_support), 0 (not_support);
        w = 1 (of=all), 1 if vital, 0 if okay (of=vital), or 1 if vital, okay if not (of=weighted)

    Edge cases
        An item is a nugget. Its grade is 2 (vital) or 1 (okay), its score in the run 1, 0.5 or 0; any other is an error. A nugget
        that was not assigned is 0, and counted; an assigned one that is not judged is left out, and counted. Undefined by the
        judgements where Σ w is 0: no nuggets, or no vital ones for of=vital. The order of the list does not matter.

    Convention
        nuggetizer's vital_score and all_score are of=vital and of=all, its strict scores have partial=0, and it prints 0 where
        this is undefined (preset nuggetizer); TREC RAG 2024 also prints of=weighted.

    Parameters
        of: all, vital or weighted
        partial: what a nugget supported in part counts, 0 to 1
        okay: what an okay nugget weighs with of=weighted, 0 to 1

    Example
        >>> import rankwell as rw
        >>> importance = {"q": {"nine metres deep": 2, "eleven at high tide": 2, "measured in spring": 1}}
        >>> answer = {"q": {"nine metres deep": 1, "eleven at high tide": .5, "measured in spring": 0}}
        >>> rw.evaluate(answer, importance, ["nugget(of=vital)", "nugget", "nugget(partial=0)"]).mean
        {'nugget(of=vital)': 0.75, 'nugget': 0.5, 'nugget(partial=0)': 0.3333333333333333}

    Reference
        R. Pradeep et al., Initial nugget evaluation results for the TREC 2024 RAG track, 2024; nuggetizer.
    """

    name: ClassVar[str] = "nugget"
    plain: ClassVar[str] = "share of the wanted facts that an answer supports"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    needs: ClassVar[frozenset[str]] = frozenset({"score", "judgement"})
    only_grades: ClassVar[tuple[float, ...]] = (OKAY, VITAL)
    only_scores: ClassVar[tuple[float, ...]] = (NOT_SUPPORT, PARTIAL_SUPPORT, SUPPORT)

    of: Literal["all", "vital", "weighted"] = "all"
    partial: float = 0.5
    okay: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("partial", self.partial), ("okay", self.okay)):
            if not 0 <= value <= 1:
                raise UsageError(f"nugget({name}={value:g}): {name} must be from 0 to 1.")

    def applies(self, parameter: str) -> bool:
        """Okay nuggets have a weight of their own only with of=weighted."""
        return parameter != "okay" or self.of == "weighted"

    def has_expected_value(self) -> bool:
        """Yes: the order of a list does not matter."""
        return True

    def check_tables(self, context: Context) -> None:
        """The judgements must have grades, which say what is vital."""
        if context.scale.kind == "interactions":
            raise UsageError(
                f"{self} reads the importance of nuggets, but the judgements have no grades. Add a column grade (2 or vital, 1 or okay), "
                f"or say which one it is, such as qrels_columns={{'importance': 'grade'}}; grades='interactions' leaves them out."
            )

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """How many nuggets were not assigned, and how many assigned ones are not judged."""
        assigned, is_judged = self._assigned(judged).count(), judged.pool_row >= 0
        return {
            "nuggets that were not assigned": int((judged.of_ideal(_nuggets) - assigned)[is_judged].sum()),
            "assigned nuggets that are not judged": int((judged.n_retrieved - assigned)[is_judged].sum()),
        }

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The weight of what is supported, of all weight."""
        return ratio(*self._parts(judged))

    def division(self, judged: Judged) -> str:
        """Return the value of the first query in words."""
        above, below = (float(part[0]) for part in self._parts(judged))
        value = f" = {above / below:.4f}" if below else ": undefined without a nugget that counts"
        return f"supported weight ÷ weight of the nuggets = {above:g} ÷ {below:g}{value}"

    def _parts(self, judged: Judged) -> tuple[np.ndarray, np.ndarray]:
        """The supported weight and the whole weight of each query, from counts of each kind, so that the order of the rows changes no bit."""
        rows = self._assigned(judged)
        assert rows.score is not None
        is_vital, is_full, is_partial = (
            rows.grade == VITAL,
            rows.score == SUPPORT,
            rows.score == PARTIAL_SUPPORT,
        )

        def supported(kind: np.ndarray) -> np.ndarray:
            return rows.where(kind & is_full).count() + self.partial * rows.where(kind & is_partial).count()

        okay = {"all": 1.0, "vital": 0.0, "weighted": self.okay}[self.of]
        vital = judged.of_ideal(_vital_nuggets)
        weight = vital + okay * (judged.of_ideal(_nuggets) - vital)
        return supported(is_vital) + okay * supported(~is_vital), weight

    def _assigned(self, judged: Judged) -> Ranked:
        """The judged nuggets that have an assignment; DataError for a grade or a score that is none of those allowed."""
        judged.pool.once(_refuse_grades)
        rows = judged.found.where(judged.scale.judged(judged.found.grade))
        assert rows.score is not None
        assert rows.pool_row is not None
        wrong = np.flatnonzero(~np.isin(rows.score, self.only_scores))
        if len(wrong):
            row = int(wrong[0])
            raise DataError(
                f"query {brief(judged.queries.one(int(rows.query[row])))}, nugget {brief(judged.pool.items.one(int(rows.pool_row[row])))}: "
                f"the score {rows.score[row]:g} is no assignment, which is 1 (support), 0.5 (partial_support) or 0 (not_support)."
            )
        return rows


def _refuse_grades(pool: Pool) -> None:
    """Raise DataError for a judgement whose grade is no importance."""
    wrong = np.flatnonzero(pool.scale.judged(pool.grades) & ~np.isin(pool.grades, Nugget.only_grades))
    if len(wrong):
        row = int(wrong[0])
        query = int(np.searchsorted(pool.offsets, row, side="right")) - 1
        raise DataError(
            f"query {brief(pool.queries.ids.one(query))}, nugget {brief(pool.items.one(row))}: the grade {pool.grades[row]:g} is no "
            f"importance, which is 2 (vital) or 1 (okay)."
        )


def _nuggets(ideal: Ranked) -> np.ndarray:
    return ideal.where(np.isin(ideal.grade, Nugget.only_grades)).count()


def _vital_nuggets(ideal: Ranked) -> np.ndarray:
    return ideal.where(ideal.grade == VITAL).count()
