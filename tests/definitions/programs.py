"""Other people's programs on random lists: the cases, and functions from a case to a program's value.

A value is None where the program has none. Cases are one list each, so all of them are one run with many queries.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

SIZE = 40  # of the collection

TOP = 3  # the highest grade of the scale


@cache
def program(distribution: str, what: str = "") -> str:
    """A program as docs/metrics.md names it."""
    return f"{distribution} {importlib.metadata.version(distribution)} {what}".strip()


@dataclass(frozen=True)
class Case:
    """One list: the grade at each rank (None: unjudged), its scores, and the grades of the judged items it lacks."""

    listed: list[int | None]
    scores: list[float]
    left: list[int]

    @classmethod
    def random(cls, rng: random.Random, *, ties: bool) -> Case:
        listed = [rng.choice([None, 0, 0, 1, 2, 3]) for _ in range(rng.randint(1, 15))]
        left = [rng.choice([0, 1, 2, 3]) for _ in range(rng.randint(0, 4))]
        scores = [rng.randint(0, 3) if ties else rng.random() for _ in listed]
        return cls(listed, sorted(map(float, scores), reverse=True), left)

    @property
    def run(self) -> dict[str, float]:
        # equal scores are in the order of the list under item-desc
        return {f"i{99 - place}": score for place, score in enumerate(self.scores)}

    @property
    def qrels(self) -> dict[str, int]:
        found = {f"i{99 - place}": grade for place, grade in enumerate(self.listed) if grade is not None}
        return found | {f"x{place}": grade for place, grade in enumerate(self.left)}

    @property
    def judged(self) -> list[int]:
        return [grade for grade in [*self.listed, *self.left] if grade is not None]

    @property
    def relevant(self) -> int:
        return sum(grade > 0 for grade in self.judged)

    def gains(self, top: float = TOP) -> list[float]:
        return [(grade or 0) / top for grade in self.listed]

    def labels(self) -> list[int]:
        return [int((grade or 0) > 0) for grade in self.listed]


Value = Callable[[Case], float | None]


def ntcir(name: str, *args: Any, gains: tuple[int, ...] = (1, 2, 3)) -> Value:
    from pyNTCIREVAL import metrics

    def value(case: Case) -> float | None:
        if not case.relevant:
            return None
        counts = [case.judged.count(level) for level in range(TOP + 1)]
        listed = [(place, grade) for place, grade in enumerate(case.listed)]
        made = getattr(metrics, name)
        if name in ("RR", "Precision", "Hit"):
            return float(made(*args).compute(listed))
        return float(made(counts, list(gains), *args).compute(listed))

    return value


def cwl(module: str, name: str, *args: Any) -> Value:
    import numpy as np
    from cwl.ruler.ranking import Ranking

    made = getattr(importlib.import_module(f"cwl.ruler.measures.{module}"), name)

    def value(case: Case) -> float | None:
        gains = np.array(case.gains())
        ranking = Ranking("t", gains, np.ones(len(gains)))
        ranking.total_qrel_rels = float(case.relevant)
        return float(made(*args).measure(ranking)) if case.relevant else None

    return value


def over_collection(function: Callable[[list[int], list[int]], float]) -> Value:
    """A function of the labels of all items of the collection and of whether they were retrieved."""

    def value(case: Case) -> float | None:
        missed = case.relevant - sum(case.labels())
        rest = SIZE - len(case.listed) - missed
        truth = case.labels() + [1] * missed + [0] * rest
        return (
            float(function(truth, [1] * len(case.listed) + [0] * (missed + rest))) if case.relevant else None
        )

    return value


def over_first(k: int, function: Callable[[list[int], list[int]], float]) -> Value:
    """As over_collection, where only the first k items are retrieved; lists must be as long."""
    whole = over_collection(function)

    def value(case: Case) -> float | None:
        if len(case.listed) < k:
            return None
        rest = [grade for grade in case.listed[k:] if grade]
        return whole(Case(case.listed[:k], case.scores[:k], [*case.left, *rest]))

    return value


def reciprocal(value: Value) -> Value:
    """One over another value; none of 0."""

    def inverse(case: Case) -> float | None:
        found = value(case)
        return 1 / found if found else None

    return inverse


def over_list(function: Callable[[list[int], list[float]], float], *, judged: bool = False) -> Value:
    """A function of the labels and the scores of the list; undefined where all labels are alike."""

    def value(case: Case) -> float | None:
        rows = [
            (label, score)
            for label, score, grade in zip(case.labels(), case.scores, case.listed, strict=True)
            if grade is not None or not judged
        ]
        labels = [label for label, _ in rows]
        return float(function(labels, [score for _, score in rows])) if len(set(labels)) == 2 else None

    return value


def where_all_are_found(value: Value) -> Value:
    """A value of the lists that hold all relevant items, for programs that see nothing else."""
    return lambda case: value(case) if sum(case.labels()) == case.relevant else None


def gains_of(
    function: Callable[..., float], *, k: int | None = None, exp2: bool = False, ideal: bool = False
) -> Value:
    """scikit-learn's (n)DCG of the list, with the items that it lacks below it for the ideal."""

    def value(case: Case) -> float | None:
        grades = [grade or 0 for grade in case.listed] + (case.left if ideal else [])
        grades = [2**grade - 1 for grade in grades] if exp2 else grades
        if not case.relevant or len(grades) < 2 or not any(grades):
            return None
        cut = min(k or len(case.listed), len(case.listed)) if not ideal else k or len(grades)
        if ideal and cut > len(case.listed):
            return None  # the program would count the items that were not retrieved
        return float(function([grades], [[float(-place) for place in range(len(grades))]], k=cut))

    return value


def interpolated(level: float) -> Value:
    from sklearn.metrics import precision_recall_curve

    def value(case: Case) -> float | None:
        if not case.relevant or sum(case.labels()) < case.relevant:
            return None
        precision, recall, _ = precision_recall_curve(
            case.labels(), [-float(place) for place in range(len(case.listed))]
        )
        # its last point is (1, 0) by convention, without a rank
        return max(p for p, r in zip(precision[:-1], recall[:-1], strict=True) if r >= level - 1e-12)

    return value


def area_under_pr(case: Case) -> float | None:
    from sklearn.metrics import auc, precision_recall_curve

    if not case.relevant:
        return None
    precision, recall, _ = precision_recall_curve(
        case.labels(), [-float(place) for place in range(len(case.listed))]
    )
    return float(auc(recall, precision))


def limited_auc(k: int) -> Value:
    from sklearn.metrics import roc_auc_score

    def value(case: Case) -> float | None:
        cut = case.labels()[:k]
        missed = case.relevant - sum(cut)
        rest = SIZE - len(cut) - missed
        labels = cut + [1] * missed + [0] * rest
        scores = [float(-place) for place in range(len(cut))] + [-1000.0] * (missed + rest)
        return float(roc_auc_score(labels, scores)) if case.relevant else None

    return value


def harmonic(k: int) -> Value:
    from scipy.stats import hmean

    def value(case: Case) -> float | None:
        hits = sum(case.labels()[:k])
        return float(hmean([hits / k, hits / case.relevant])) if case.relevant else None

    return value


def ir(measure: Any) -> Value:
    import ir_measures

    def value(case: Case) -> float | None:
        # equal grades are in the order of the list; its own ties are by name, so scores here are distinct
        if measure.NAME in ("Compat", "SDCG") and not case.relevant:
            return None
        found = ir_measures.iter_calc([measure], {"q": case.qrels}, {"q": case.run})
        return float(next(iter(found)).value)

    return value


def close(ours: float | None, theirs: float | None) -> bool:
    """Whether two values agree; other programs sum in another order, and cwl-eval stops at depth 1000."""
    if ours is None or theirs is None:
        return ours is None and theirs is None
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
