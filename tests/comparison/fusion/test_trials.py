"""Trials: what a metric does not read is left out before lists are judged, and no value changes by a bit."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.comparison.fusion.candidates import candidates_of, lists_of
from rankwell.comparison.fusion.lessons import Trials, evaluator_of
from rankwell.comparison.fusion.methods import FusionSetting, Recipe
from rankwell.errors import RankwellError
from rankwell.kernels import votes
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import QueryMetric
from rankwell.metrics.registry import classes
from rankwell.readers import read_run

ITEMS = [f"d{n}" for n in range(25)]
SETTINGS = [FusionSetting(weights) for weights in ((0.5, 0.5), (0.0, 1.0), (0.3, 0.7))]


def world(seed, *, topics=False):
    """Two runs with many equal scores and short lists, and graded judgements, some below 0; on request of two topics each."""
    rng = random.Random(seed)
    runs, qrels = [{}, {}], {}
    for query in ("q1", "q2", "q3", "q4", "q5"):
        for run in runs:
            listed = rng.sample(ITEMS, rng.choice([1, 2, 5, 15, 25]))
            run[query] = {item: rng.choice([0.5, 1.0, 2.0, rng.random()]) for item in listed}
        qrels[query] = {item: rng.choice([-1, 0, 0, 1, 2, 3]) for item in rng.sample(ITEMS, 15)}
    runs = [read_run(run) for run in runs]
    if not topics:
        return runs, qrels
    rows = [
        (query, rng.choice(["t1", "t2"]), item, max(grade, 0))
        for query, own in qrels.items()
        for item, grade in own.items()
    ]
    return runs, pl.DataFrame(rows, ["query", "topic", "item", "grade"], orient="row")


def trials_of(seed, metric, *, topics=False, **rules):
    runs, qrels = world(seed, topics=topics)
    policy = Policy(**rules)
    recipe = Recipe.of("weighted", "none")
    candidates = candidates_of(lists_of(runs, by_score=True), Policy(), by_score=True)
    return Trials(recipe, candidates, evaluator_of(qrels, metric, policy, {}))


def whole(trials, setting):
    """The values of all candidates, judged from scratch."""
    score = trials._recipe.scores(trials._votes_of(1.0), trials._candidates, setting)
    part = trials._task.measure(*trials._task.judge(replace(trials._lists, score=score)))
    return part.values[trials.metric]


def both_ways(seed, metric, **rules):
    """The values of some settings, and the same from whole lists, bit by bit; and whether lists are cut at all."""
    trials = trials_of(seed, metric, **rules)
    found = [trials.values(each).tobytes() for each in SETTINGS]
    return found, [whole(trials, each).tobytes() for each in SETTINGS], trials._k is not None


def learnable(k, *, topics=False):
    """Every metric of a query with a cut-off that can be learned for without more than judgements."""
    found = []
    for cls in classes():
        if (
            not issubclass(cls, QueryMetric)
            or cls.cut == "none"
            or not cls.__module__.startswith("rankwell.")
        ):
            continue
        for options in ({}, {"collection": 1000}, {"ideal": "retrieved"}, {"denom": "min_rk"}, {"rel": 2}):
            try:
                metric = cls(k=k, **options)
                evaluator_of(world(0, topics=topics)[1], metric, Policy(), {})
            except (RankwellError, TypeError):
                continue
            found.append(metric)
    return found


@pytest.mark.parametrize("k", [1, 3, 20])
def test_metrics_with_a_cut_off_have_the_values_of_whole_lists(k):
    cut = set()
    for metric in learnable(k):
        for seed in range(3):
            found, wanted, is_cut = both_ways(seed, metric)
            assert found == wanted, metric
            if is_cut:
                cut.add(metric.name)
    assert {"ndcg", "p", "r", "ap", "rr", "err", "rbp", "f", "dcg"} <= cut
    assert "pauc" not in cut


def test_metrics_of_topics_have_the_values_of_whole_lists():
    cut = set()
    for metric in learnable(3, topics=True):
        found, wanted, is_cut = both_ways(1, metric, topics=True)
        assert found == wanted, metric
        if is_cut:
            cut.add(metric.name)
    assert {"alpha_ndcg", "err_ia", "ndcg_ia", "s_recall"} <= cut


@pytest.mark.parametrize(
    "rules",
    [
        {"unjudged": "condense"},
        {"scores": "single"},
        {"ties": "item-asc"},
        {"ties": "order"},
        {"depth": 2},
        {"depth": 10},
        {"negative": "nonrelevant"},
        {"undefined": "zero"},
    ],
)
def test_rules_change_nothing(rules):
    for metric in ("ndcg@5", "ap@5", "judged@5", "ndcg(ideal=retrieved)@5", "bpref"):
        for seed in range(5):
            found, wanted, _ = both_ways(seed, metric, **rules)
            assert found == wanted


def test_metrics_and_rules_that_read_more_get_whole_lists():
    for metric, rules in (
        ("ap", {}),
        ("ndcg(ideal=retrieved)@5", {}),
        ("pauc@5", {}),
        ("p(sampled=100)@5", {}),
        ("p@5", {"unjudged": "condense"}),
        ("p@5", {"scores": "single"}),
    ):
        assert trials_of(0, metric, **rules)._k is None
    assert trials_of(0, "p@5")._k == 5


def test_a_metric_of_somebody_else_gets_whole_lists():
    class Whole(rw.metrics.P):
        def per_query(self, judged, context):
            return judged.n_retrieved / 100

    trials = trials_of(0, Whole(k=3))
    assert trials._k is None
    assert trials.values(SETTINGS[0]).max() > 0.03


def test_the_highest_rows_and_those_equal_to_the_last_of_them():
    rng = np.random.default_rng(3)
    for _ in range(300):
        sizes = rng.integers(0, 30, 4)
        offsets = np.append(0, np.cumsum(sizes))
        score = rng.choice([0.0, -0.0, 1.5, 2.0, -np.inf, np.inf, 7.0, 0.1], offsets[-1])
        if rng.random() < 0.3 and len(score):
            score[rng.integers(len(score))] = np.nan
        k = int(rng.integers(1, 12))
        rows, begins = votes.highest(offsets, score, k)
        wanted = []
        for low, high in pairwise(offsets):
            own = score[low:high]
            is_whole = np.isnan(own).any()
            kept = [is_whole or (own > each).sum() < k for each in own]
            wanted.append(low + np.flatnonzero(kept))
        assert rows.tolist() == np.concatenate(wanted).tolist()
        assert np.diff(begins).tolist() == [len(each) for each in wanted]


def test_sums_are_those_of_numpy_to_the_bit():
    rng = np.random.default_rng(5)
    total, wanted = np.zeros(50), np.zeros(50)
    for values in (rng.random(30), rng.integers(0, 9, 30), rng.random(30) * 1e300):
        rows, weight = rng.permutation(50)[:30], rng.random()
        votes.add(total, rows, values, weight)
        wanted[rows] += weight * values
    assert total.tobytes() == wanted.tobytes()
