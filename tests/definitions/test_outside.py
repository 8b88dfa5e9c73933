"""Metrics against other people's programs on random lists."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import rankwell as rw

from .both import values_of
from .program_checks import checks, tied_checks
from .programs import Case, close, program

CASES = [Case.random(random.Random(seed), ties=False) for seed in range(400)]
TIED = [Case.random(random.Random(seed), ties=True) for seed in range(400)]
JUDGED = rw.Policy(grades="judgements")


def compare(metric, source, value, cases):
    """Compare a metric on all cases with what a program says of each; how many it has."""
    run = {f"c{number:04}": case.run for number, case in enumerate(cases)}
    qrels = {f"c{number:04}": case.qrels or {"none": 0} for number, case in enumerate(cases)}
    ours = values_of(rw.evaluate(run, qrels, [metric], policy=JUDGED), metric)
    compared = 0
    for number, case in enumerate(cases):
        theirs = value(case)
        if theirs is not None:
            found = ours[f"c{number:04}"]
            assert close(found, theirs), (metric, source, found, theirs, case)
            compared += 1
    assert compared > 50
    return compared


@pytest.mark.parametrize(
    ("metric", "source", "value"), checks(), ids=lambda each: "value" if callable(each) else each
)
def test_a_metric_has_the_values_of_another_program(metric, source, value, confirm):
    confirm(metric, f"{source}, random lists", compare(metric, source, value, CASES))


@pytest.mark.parametrize(
    ("metric", "source", "value"), tied_checks(), ids=lambda each: "value" if callable(each) else each
)
def test_equal_scores_count_as_in_another_program(metric, source, value, confirm):
    confirm(metric, f"{source}, random lists", compare(metric, source, value, TIED))


def test_gmap_is_the_geometric_mean_of_ap(confirm):
    from scipy.stats import gmean

    compared = 0
    for start in range(0, 400, 20):
        part = {f"c{number}": CASES[number] for number in range(start, start + 20) if CASES[number].relevant}
        run, qrels = {q: case.run for q, case in part.items()}, {q: case.qrels for q, case in part.items()}
        for text, base, floor, epsilon in (
            ("gmap", "ap", 1e-5, 0.0), ("gmap(floor=0.01)", "ap", 0.01, 0.0), ("gmap@5", "ap@5", 1e-5, 0.0),
            ("gmap(epsilon=0.00001)", "ap", 0.0, 1e-5), ("gmap(epsilon=0.01)@5", "ap@5", 0.0, 0.01),
        ):  # fmt: skip
            res = rw.evaluate(run, qrels, [text, base], policy=JUDGED)
            ap = list(res.mean)[1]
            theirs = gmean(np.maximum(res.per_query[ap].to_numpy(), floor) + epsilon) - epsilon
            assert next(iter(res.mean.values())) == pytest.approx(theirs, rel=1e-12)
            confirm(text, f"{program('scipy')} stats.gmean, random lists", 1)
            compared += 1
    assert compared == 100


def over_all(cases, function):
    """A function of the labels and scores of all judged items of some lists together."""
    pairs = [
        (int(grade > 0), score)
        for case in cases
        for grade, score in zip(case.listed, case.scores, strict=True)
        if grade is not None
    ]
    return function(*map(list, zip(*pairs, strict=True)))


def weighted_auc(cases):
    from sklearn.metrics import roc_auc_score

    both = [case for case in cases if 0 < sum(case.labels()) < len(case.labels())]
    weights = [sum(case.labels()) for case in both]
    return np.average([roc_auc_score(case.labels(), case.scores) for case in both], weights=weights)


def clipped_loss(labels, scores):
    from sklearn.metrics import log_loss

    return log_loss(labels, np.clip(scores, 0.001, 0.999), labels=[0, 1])


@pytest.mark.parametrize(
    ("metric", "source", "value"),
    [
        ("gauc", "roc_auc_score, weighted by relevant items", weighted_auc),
        ("log_loss(eps=0.001)", "log_loss", lambda cases: over_all(cases, clipped_loss)),
    ],
)
def test_a_metric_of_all_lists_has_the_value_of_scikit_learn(metric, source, value, confirm):
    compared = 0
    for start in range(0, 400, 20):
        cases = CASES[start : start + 20] + TIED[start : start + 20]
        run = {f"c{number}": case.run for number, case in enumerate(cases)}
        qrels = {f"c{number}": case.qrels or {"none": 0} for number, case in enumerate(cases)}
        ours = rw.evaluate(run, qrels, [metric], policy=JUDGED)[metric]
        assert ours == pytest.approx(value(cases), rel=1e-12)
        compared += 1
    confirm(metric, f"{program('scikit-learn')} {source}, random lists", compared)


@pytest.mark.parametrize(
    ("metric", "measure"),
    [("err(max_grade=4)@3", "ERR@3"), ("err(max_grade=4)@10", "ERR@10"),
     ("ndcg(gain=exp2)@3", "nDCG(dcg='exp-log2')@3"), ("ndcg(gain=exp2)@10", "nDCG(dcg='exp-log2')@10")],
)  # fmt: skip
def test_gdeval_prints_these_values_in_five_digits(metric, measure, confirm):
    import ir_measures

    cases = {f"{number}": case for number, case in enumerate(CASES) if case.relevant}
    run, qrels = {q: case.run for q, case in cases.items()}, {q: case.qrels for q, case in cases.items()}
    ours = values_of(rw.evaluate(run, qrels, [metric], policy=JUDGED), metric)
    compared = 0
    for found in ir_measures.iter_calc([ir_measures.parse_measure(measure)], qrels, run):
        assert ours[found.query_id] == pytest.approx(found.value, abs=0.500001e-5), found
        compared += 1
    assert compared == len(cases) > 300
    confirm(metric, f"gdeval.pl (in {program('ir_measures')}) {measure}, random lists", compared)


def test_rectools_has_these_values(confirm):
    stored = json.loads((Path(__file__).parent / "stored" / "rectools.json").read_text(encoding="utf-8"))
    run = {str(number): case.run for number, case in enumerate(CASES)}
    qrels = {str(number): case.qrels for number, case in enumerate(CASES) if case.qrels}
    for metric, theirs in stored["values"].items():
        ours = values_of(rw.evaluate(run, qrels, [metric], policy=JUDGED), metric)
        for query, value in theirs.items():
            assert ours[query] == pytest.approx(value, abs=1e-12), (metric, query)
        assert len(theirs) > 100
        confirm(
            metric,
            f"{stored['program']} {NAMES[metric.partition('@')[0].partition('(')[0]]}, random lists",
            len(theirs),
        )


NAMES = {"pauc": "PartialAUC", "pap": "PAP", "ap": "MAP", "p": "Precision", "r": "Recall", "hit": "HitRate", "rr": "MRR",
         "f": "F1Beta", "ndcg": "NDCG"}  # fmt: skip
