"""Bounds under unjudged items against the enumeration of all grades that these could have."""

from __future__ import annotations

import math

import pytest
from tests.cases import FEWER, seeds
from tests.metrics.enumerated import cases

from rankwell.metrics import classes, metric_of
from rankwell.metrics.metric import QueryMetric

BINARY = (
    "p@1", "p@3", "p(denom=n)@3", "p(rel=2)@3", "hit@2", "rr", "rr@2", "mean_precision@3", "set_p",
    "r@2", "r(denom=min_rk)@2", "r(rel=2)@3", "f@2", "f(beta=2,denom=n)@3", "f(C=0)@2", "set_r", "set_r(denom=min_rn)", "set_f",
    "set_ap", "ap", "ap(denom=R)@2", "ap@2", "ap(denom=min_rk)@4", "ap(denom=hits)", "ap(denom=hits)@3", "ap(denom=k)@3",
    "ap(denom=min_rn)@3", "ap(rel=2)", "gmap",
)  # fmt: skip
GRADED = (
    "cg@3", "dcg", "dcg@2", "dcg(gain=exp2)@3", "dcg(discount=jk)", "dcg(gain={1:3,2:1})@3", "dcg(gain={0:-1,1:2,2:1})@3",
    "dcg(discount=[1,0.5,0.5])", "dcg(gain={0:1,1:2})@3", "err", "err@2", "err(gain=linear)", "err(max_grade=4)", "rbp",
    "rbp(p=0.5)@2", "rbp(gain=binary)", "insq", "ndcg", "ndcg@2", "ndcg@3", "ndcg(gain=exp2)@3", "ndcg(gain=exp2)",
    "ndcg(discount=jk)@4", "ndcg(ideal=uncut)@2", "ndcg(ideal=retrieved)@2", "ndcg(ideal=retrieved)", "ndcg(ideal=maximal)@3",
    "ndcg(gain={1:3,2:1})@3", "ndcg(gain={0:1,1:2})@2", "ndcg(gain={1:3,others:own})@2", "ndcg(discount=[1,1,0.2])",
)  # fmt: skip
POLICIES = (
    {},
    {"ties": "item-asc"},
    {"ties": "order"},
    {"undefined": "zero"},
    {"undefined": "one"},
    {"negative": "nonrelevant"},
    {"rel": 2},
    {"grades": "ratings", "rel": 2},
    {"depth": 3},
    {"missing": "skip"},
)


def check(metrics, case, *, is_stated):
    """Compare the bounds of one case; return how many were compared, and how many have a width."""
    metrics = [str(metric_of(metric)) for metric in metrics]
    res = case.bounded(metrics, is_stated=is_stated)
    enumerated, frame = case.enumerated(metrics, is_stated=is_stated), res.per_query
    row = frame.filter(frame["query"] == "q").to_dicts()[0]
    compared = wide = 0
    for metric in metrics:
        lowest, highest = enumerated[metric]
        bounds = res.bounds[metric]
        assert bounds.kind == "exact", (metric, bounds)
        ends = [(row[f"{metric} high"], highest)]
        has_low = f"{metric} low" in row
        assert has_low == (is_stated or bounds.why == ""), metric
        ends += [(row[f"{metric} low"], lowest)] if has_low else []
        for ours, theirs in ends:
            same = (ours is None) == math.isnan(theirs) and (
                ours is None or math.isclose(ours, theirs, abs_tol=1e-12)
            )
            assert same, (metric, ours, theirs, row, enumerated[metric], case)
            compared += ours is not None
        wide += highest > lowest
    return compared, wide


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("metrics", [BINARY, GRADED], ids=["binary", "graded"])
@pytest.mark.parametrize("is_stated", [True, False], ids=["pool", "open"])
def test_bounds_are_what_enumeration_finds(metrics, policy, is_stated):
    compared = wide = 0
    for case in cases(len(seeds(80)), seed=len(str(policy)), most=4, **policy):
        more = check(metrics, case, is_stated=is_stated)
        compared, wide = compared + more[0], wide + more[1]
    assert compared > 150 / FEWER
    assert wide > 60 / FEWER


def test_every_metric_that_has_bounds_is_enumerated_here():
    """A metric inherits that it rises from its base, so a new one must be looked at."""
    bounded = {
        kind.name for kind in classes() if issubclass(kind, QueryMetric) and kind().bounded().kind != "none"
    }
    assert bounded == {metric_of(name).name for name in (*BINARY, *GRADED)}


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("rbp(max_grade=query)", "highest grade of each query"),
        ("dcg(discount=[0.5,1])", "discount rises"),
        ("ndcg(gain={0:-1,1:2})", "negative gains"),
        ("nerr", "no bounds are known"),
        ("idcg", "no bounds are known"),
        ("ild@3", "it reads no judgements"),
    ],
)
def test_a_metric_without_bounds_says_why(metric, why):
    bounded = metric_of(metric).bounded()
    assert bounded.kind == "none"
    assert why in bounded.why
