"""Inputs that leave nothing to compare: every function has an answer or one clear error, without a warning, and comes to an end."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from tests.cases import FEWER, drawn

import rankwell as rw
from rankwell.errors import DataWarning, RankwellError

METRICS = ["ap", "ndcg@10", "p@5", "rr"]
QUERIES, ITEMS = (1, 2, 9), (1, 6)


def lists(queries, items, value):
    return {f"q{q}": {f"d{i}": value(q, i) for i in range(items)} for q in range(queries)}


def runs_of(kind, queries, items):
    rng = np.random.default_rng(1)
    values = {
        "alike": lambda _, item: float(-item),
        "tied": lambda *_: 1.0,
        "random": lambda *_: float(rng.random()),
    }
    return {name: lists(queries, items, values[kind]) for name in ("one", "two", "three")}


GRADES = {
    "nothing relevant": lambda *_: 0,
    "all relevant": lambda *_: 1,
    "the first relevant": lambda _, item: int(item == 0),
    "grades": lambda query, item: (query + item) % 3,
    "negative": lambda *_: -1,
}


def qrels_of(kind, queries, items):
    if kind == "other items":
        return {f"q{q}": {"z": 1} for q in range(queries)}
    return lists(queries, items, GRADES[kind])


def split_of(runs, how):
    log = [(q, item, time) for q, items in runs["one"].items() for time, item in enumerate(items)]
    return rw.prepare.split([dict(zip(("user", "item", "time"), row, strict=True)) for row in log], how)


FUNCTIONS = {
    "evaluate": lambda runs, qrels: rw.evaluate(runs["one"], qrels, METRICS),
    "bounds": lambda runs, qrels: rw.evaluate(runs["one"], qrels, METRICS, bounds=True),
    "compare": lambda runs, qrels: rw.compare(runs, qrels, METRICS),
    "compare with bounds": lambda runs, qrels: rw.compare(runs, qrels, METRICS, bounds=True),
    "gate": lambda runs, qrels: rw.gate(runs["one"], qrels, METRICS, baseline=runs["two"]),
    "pool_bias": lambda runs, qrels: rw.pool_bias(runs, qrels, METRICS),
    "agreement": lambda runs, qrels: rw.agreement(qrels, qrels, runs=runs, metrics=["ndcg@10"]),
    "stability": lambda runs, qrels: rw.stability(runs, qrels, METRICS),
    "fuse": lambda runs, _: rw.fuse(list(runs.values())),
    "condorcet": lambda runs, _: rw.fuse(list(runs.values()), method="condorcet"),
    "learned weights": lambda runs, qrels: rw.fuse(
        list(runs.values()), method="weighted", qrels=qrels, metric="ndcg@10", folds=1
    ),
    "lint": lambda runs, qrels: rw.lint(runs["one"], qrels),
    "jackknife": lambda runs, _: rw.jackknife(runs["one"], metrics=["coverage@5"], items=["d0", "d1", "d2"]),
    "simulate": rw.judging.simulate,
    "simulate without each": lambda runs, qrels: rw.judging.simulate(runs, qrels, leave_out="each"),
    "next": lambda runs, qrels: rw.judging.next(runs, qrels, budget=5),
    "sample": lambda runs, _: rw.judging.sample(runs, budget=5),
    "prediction_powered": lambda runs, qrels: rw.prediction_powered(
        runs, dict(itertools.islice(qrels.items(), 1)), ["p@5"], model=qrels, drawn="random"
    ),
    "long_tail": lambda runs, _: rw.long_tail(runs["one"]),
    "split by time": lambda runs, _: split_of(runs, "time"),
    "split at random": lambda runs, _: split_of(runs, "random"),
    "the last of each user": lambda runs, _: split_of(runs, "last"),
}


CASES = [*itertools.product(["alike", "tied", "random"], QUERIES, ITEMS, [*GRADES, "other items"])]
SOUND = ("random", max(QUERIES), max(ITEMS), "grades")  # every function has an answer to it


@pytest.mark.parametrize("name", FUNCTIONS)
def test_there_is_an_answer_or_one_error(name):
    answered = 0
    for kind, queries, items, grades in [SOUND, *drawn(CASES, f"degenerate {name}", FEWER)]:
        runs, qrels = runs_of(kind, queries, items), qrels_of(grades, queries, items)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter(
                "ignore", DataWarning
            )  # of lists in which nothing is judged, or all is tied
            try:
                assert repr(FUNCTIONS[name](runs, qrels))
            except RankwellError:
                continue
        answered += 1
    assert answered
