"""Other people's programs on the same random lists.

Each check is a metric's text, the program that has it too, and a function from a case to that program's value (None
where the program has none). Cases are one list each, so all of them are one run with many queries.
"""

from __future__ import annotations

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


def checks() -> list[tuple[str, str, Value]]:
    """All checks on lists without equal scores."""
    import ir_measures
    from sklearn import metrics as sk

    ntcireval, cwl_eval = program("pyNTCIREVAL"), program("cwl-eval")
    learn, measures = program("scikit-learn"), program("ir_measures")
    rows: list[tuple[str, str, Value]] = []

    def add(source: str, call: str, *pairs: tuple[str, Value]) -> None:
        rows.extend((metric, f"{source} {call}", value) for metric, value in pairs)

    add(
        ntcireval,
        "QMeasure",
        ("q", ntcir("QMeasure", 1.0)),
        ("q@5", ntcir("QMeasure", 1.0, 5)),
        ("q(beta=10)", ntcir("QMeasure", 10.0)),
        ("q(beta=0.5)@3", ntcir("QMeasure", 0.5, 3)),
        ("q(gain=exp2)", ntcir("QMeasure", 1.0, gains=(1, 3, 7))),
        ("q(beta=0)", ntcir("QMeasure", 0.0)),
        ("q(gain={1:1,2:5,3:6})@5", ntcir("QMeasure", 1.0, 5, gains=(1, 5, 6))),
    )
    add(ntcireval, "ERR", ("err(gain=linear,max_grade=3)", ntcir("ERR")))
    add(
        ntcireval,
        "nERR",
        ("nerr(gain=linear,max_grade=3)@5", ntcir("nERR", 5)),
        ("nerr(gain=linear,max_grade=3)", ntcir("nERR", None)),
    )
    add(
        ntcireval,
        "RBP",
        ("rbp(max_grade=3)", ntcir("RBP", 0.8)),
        ("rbp(max_grade=3,p=0.5)", ntcir("RBP", 0.5)),
        ("rbp(gain=binary,p=0.95)", ntcir("RBP", 0.95, gains=(1, 1, 1))),
    )
    add(
        ntcireval,
        "MSnDCG",
        ("ndcg", ntcir("MSnDCG", None)),
        ("ndcg@5", ntcir("MSnDCG", 5)),
        ("ndcg(gain=exp2)", ntcir("MSnDCG", None, gains=(1, 3, 7))),
        ("ndcg(gain=exp2)@3", ntcir("MSnDCG", 3, gains=(1, 3, 7))),
        ("ndcg(gain={1:1,2:5,3:6})@5", ntcir("MSnDCG", 5, gains=(1, 5, 6))),
    )
    add(
        ntcireval,
        "nDCG",
        ("ndcg(discount=jk)", ntcir("nDCG", 2, None)),
        ("ndcg(discount=jk,base=10)@5", ntcir("nDCG", 10, 5)),
        ("ndcg(gain=exp2,discount=jk,base=3)", ntcir("nDCG", 3, None, gains=(1, 3, 7))),
    )
    add(ntcireval, "AP", ("ap", ntcir("AP")), ("ap@5", ntcir("AP", 5)))
    add(ntcireval, "RR", ("rr", ntcir("RR")), ("first_rank", reciprocal(ntcir("RR"))))
    add(ntcireval, "Precision", ("p@5", ntcir("Precision", 5)))
    add(ntcireval, "Hit", ("hit@3", ntcir("Hit", 3)))
    add(
        cwl_eval,
        "INSQ",
        *(
            (
                f"insq(max_grade=3,T={t})" if t != 1 else "insq(max_grade=3)",
                cwl("cwl_insq", "INSQCWLMetric", t),
            )
            for t in (1, 0.5, 3)
        ),
    )
    add(
        cwl_eval,
        "INST",
        *(
            (
                f"inst(max_grade=3,T={t})" if t != 1 else "inst(max_grade=3)",
                cwl("cwl_inst", "INSTCWLMetric", t),
            )
            for t in (1, 2.5, 4)
        ),
    )
    add(
        cwl_eval,
        "RBP",
        ("rbp(max_grade=3)", cwl("cwl_rbp", "RBPCWLMetric", 0.8)),
        ("rbp(max_grade=3,p=0.5)", cwl("cwl_rbp", "RBPCWLMetric", 0.5)),
    )
    add(
        learn,
        "fbeta_score",
        *(
            (
                f"set_f(beta={beta})" if beta != 1 else "set_f",
                over_collection(lambda truth, seen, beta=beta: sk.fbeta_score(truth, seen, beta=beta)),
            )
            for beta in (1, 2, 0.5)
        ),
    )
    add(
        learn,
        "fbeta_score",
        ("f(beta=2)@3", over_first(3, lambda truth, seen: sk.fbeta_score(truth, seen, beta=2))),
        ("f(c=0.2)@4", over_first(4, lambda truth, seen: sk.fbeta_score(truth, seen, beta=2))),
        ("f(C=0.25)@4", over_first(4, lambda truth, seen: sk.fbeta_score(truth, seen, beta=0.5))),
    )
    add(
        learn,
        "precision_score",
        ("set_p", over_collection(sk.precision_score)),
        ("p(denom=n)@4", over_first(4, sk.precision_score)),
        ("p(denom=n)@15", over_collection(sk.precision_score)),
    )
    add(learn, "accuracy_score", ("accuracy(collection=40)@4", over_first(4, sk.accuracy_score)))
    add(
        learn,
        "recall_score",
        ("set_r", over_collection(sk.recall_score)),
        (
            "specificity(collection=40)",
            over_collection(lambda truth, seen: sk.recall_score(truth, seen, pos_label=0)),
        ),
        (
            "fallout(collection=40)",
            over_collection(lambda truth, seen: 1 - sk.recall_score(truth, seen, pos_label=0)),
        ),
    )
    add(learn, "accuracy_score", ("accuracy(collection=40)", over_collection(sk.accuracy_score)))
    add(
        learn,
        "confusion_matrix",
        (
            "utility(prices=[2,-1,-0.5,0.25],collection=40)",
            over_collection(
                lambda truth, seen: float((sk.confusion_matrix(truth, seen) * [[0.25, -1], [-0.5, 2]]).sum())
            ),
        ),
    )
    add(
        learn,
        "dcg_score",
        ("dcg", gains_of(sk.dcg_score)),
        ("dcg@3", gains_of(sk.dcg_score, k=3)),
        ("dcg(gain=exp2)@5", gains_of(sk.dcg_score, k=5, exp2=True)),
    )
    add(
        learn,
        "ndcg_score",
        ("ndcg(ideal=retrieved)", gains_of(sk.ndcg_score)),
        ("ndcg@3", gains_of(sk.ndcg_score, k=3, ideal=True)),
        ("ndcg(gain=exp2)@3", gains_of(sk.ndcg_score, k=3, exp2=True, ideal=True)),
    )
    add(learn, "average_precision_score", ("ap(denom=hits)", over_list(sk.average_precision_score)))
    add(
        learn,
        "precision_recall_curve",
        *((f"iprec(level={level})", interpolated(level)) for level in (0, 0.3, 0.7, 1)),
    )
    add(
        learn,
        "average_precision_score",
        ("auc_pr", where_all_are_found(over_list(sk.average_precision_score))),
    )
    add(
        learn,
        "auc of precision_recall_curve",
        ("auc_pr(method=trapezoid)", where_all_are_found(area_under_pr)),
    )
    add(
        learn,
        "roc_auc_score",
        ("auc_topk(collection=40)@5", limited_auc(5)),
        ("auc_topk(collection=40)", limited_auc(99)),
    )
    add(program("scipy"), "stats.hmean", ("f@3", harmonic(3)), ("f@10", harmonic(10)))
    add(
        measures,
        "Compat",
        ("compat(depth=none)", ir(ir_measures.Compat)),
        ("compat(p=0.8,depth=none)", ir(ir_measures.Compat(p=0.8))),
    )
    add(
        measures,
        "Judged",
        ("judged@5", ir(ir_measures.Judged @ 5)),
        ("judged@10", ir(ir_measures.Judged @ 10)),
    )
    add(
        f"{cwl_eval} (in {measures})",
        "SDCG",
        ("ndcg(ideal=maximal,max_grade=3)@5", ir(ir_measures.SDCG(max_rel=3) @ 5)),
        ("ndcg(ideal=maximal,max_grade=4)@10", ir(ir_measures.SDCG(max_rel=4) @ 10)),
    )
    return rows


def tied_checks() -> list[tuple[str, str, Value]]:
    """Checks on lists full of equal scores."""
    from sklearn import metrics as sk

    learn = program("scikit-learn")
    return [
        ("auc", f"{learn} roc_auc_score", over_list(sk.roc_auc_score)),
        ("auc(among=judged)", f"{learn} roc_auc_score", over_list(sk.roc_auc_score, judged=True)),
    ]


def close(ours: float | None, theirs: float | None) -> bool:
    """Whether two values agree; other programs sum in another order, and cwl-eval stops at depth 1000."""
    if ours is None or theirs is None:
        return ours is None and theirs is None
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
