"""What the ranks of a list contribute adds up to the value of every metric that is a sum over its ranks."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from tests.every import every
from tests.laws.test_laws import METRICS

import rankwell as rw
from rankwell import testing
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import read_inputs
from rankwell.evaluation.query import one_query
from rankwell.evaluation.request import Request
from rankwell.inspection.explanation import contributions, has_contributions
from rankwell.metrics import metrics_of
from rankwell.testing.data import read_tables

SUMS = [metric for metric in METRICS if has_contributions(metric, "item-desc")]
JUDGED = rw.Policy(grades="judgements", sizes="weight")


def parts_and_values(metric, policy, data):
    """For each query what its ranks contribute, its value, and its ranks."""
    request = Request(
        metrics=metrics_of(metric), policy=policy, qrels=data.judgements([metric], {}), **read_tables()
    )
    inputs = read_inputs(request, [data.run])
    task = Evaluator.of(request, inputs).task
    table = inputs.runs[0].rows.table()
    for query in data.run:
        one = one_query(task, table, query)
        value = float(task.measure(one.judged, Counter()).values[metric][0])
        yield contributions(one), value, one.names()


@every("metric", SUMS)
def test_they_add_up_to_the_value_and_stand_at_ranks_of_the_list(metric):
    seen = 0
    for data in testing.examples(2, seed=11):
        for added, value, names in parts_and_values(metric, JUDGED, data):
            if math.isnan(value):
                assert not added
                continue
            seen += 1
            assert math.isclose(math.fsum(added.values()), value, rel_tol=1e-9, abs_tol=1e-12)
            assert {rank for rank, each in added.items() if each} <= set(names)
    assert seen


@pytest.mark.parametrize("policy", [{"ties": "expected"}, {"unjudged": "condense"}, {"duplicates": "first"}])
@pytest.mark.parametrize("name", ["ndcg@3", "dcg", "p@2", "rbp", "r@3"])
def test_they_do_so_under_other_policies(name, policy):
    metric = rw.metrics.metric_of(name)
    assert has_contributions(metric, policy.get("ties", "item-desc"))
    for data in testing.examples(4, seed=12):
        for added, value, _ in parts_and_values(metric, rw.Policy(grades="judgements", **policy), data):
            assert math.isnan(value) or math.isclose(math.fsum(added.values()), value, abs_tol=1e-12)


def test_an_average_over_orders_ideal_lists_and_values_of_whole_lists_have_none():
    assert not has_contributions(rw.metrics.metric_of("ap"), "expected")
    assert not has_contributions(rw.metrics.metric_of("idcg"), "item-desc")
    assert not has_contributions(rw.metrics.metric_of("ild@10"), "item-desc")


def test_several_topics_at_one_rank_are_one_contribution():
    qrels = rw.Qrels(["q", "q", "q"], ["a", "a", "b"], [1, 1, 1], ["x", "y", "x"])
    request = Request(metrics=metrics_of("alpha_dcg@2"), policy=rw.Policy(), qrels=qrels)
    inputs = read_inputs(request, [{"q": ["a", "b"]}])
    one = one_query(Evaluator.of(request, inputs).task, inputs.runs[0].rows.table(), "q")
    # alpha = .5: two topics at rank 1; at rank 2 one that was seen before, discounted by log2(3)
    assert contributions(one) == pytest.approx({1: 2.0, 2: 0.5 / math.log2(3)})
