"""The rows behind the curve of a metric over its cut-offs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting.plots.pictures import ITEMS, QRELS, RUNS

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.reporting.rows.curve import at_cuts, rows_of, without_cut

rng = np.random.default_rng(0)
FEW = {str(q): {str(i): 1 for i in rng.choice(30, 5, replace=False)} for q in range(80)}
LISTS = {str(q): [str(i) for i in rng.permutation(30)[:12]] for q in range(80)}


def rows(run, qrels, metric, ks=None, **options):
    base = without_cut(metric)
    res = rw.Evaluator(qrels, at_cuts(base, ks), **options).evaluate(run)
    return res, rows_of("run", res, base, ks)


@pytest.mark.parametrize("metric", ["ndcg", "p", "ap(denom=min_rk)", rw.R, rw.RR()])
def test_each_row_has_the_value_and_the_interval_of_its_metric(metric):
    _, found = rows(LISTS, FEW, metric)
    assert [row["k"] for row in found] == [1, 3, 5, 10, 20]
    for row in found:
        wanted = without_cut(metric) @ row["k"]
        alone = rw.evaluate(LISTS, FEW, [wanted])
        interval = alone.interval(wanted)
        assert row["value"] == alone[wanted]
        assert row["n"] == 80
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-12)
        assert row["is_doubtful"] == interval.is_doubtful


def test_cut_offs_end_where_the_longest_list_does_unless_they_are_given():
    assert [row["k"] for row in rows(RUNS["als"], QRELS, "ndcg", rel=8)[1]] == [1, 3, 5, 10]
    assert [row["k"] for row in rows(RUNS["als"], QRELS, "ndcg", [5, 50], rel=8)[1]] == [5, 50]


def test_a_metric_of_all_lists_has_values_without_intervals():
    res, found = rows(RUNS["als"], None, "coverage", [1, 10], items=ITEMS)
    assert [row["value"] for row in found] == [res["coverage@1"], res["coverage@10"]]
    assert [(row["low"], row["high"]) for row in found] == [(None, None)] * 2


def test_undefined_values_are_none():
    _, found = rows({"q": ["a"]}, {"q": {"a": 0}}, "ndcg", [1])
    assert [(row["value"], row["low"], row["n"]) for row in found] == [(None, None, 0)]


def test_results_give_the_cut_offs_that_they_hold():
    res = rw.evaluate(LISTS, FEW, ["ndcg@5", "ap", "ndcg@10", "ndcg(gain=exp2)@20"])
    assert [row["k"] for row in rows_of("run", res, without_cut("ndcg"), None)] == [5, 10]
    with pytest.raises(UsageError, match="hold rr at no cut-off"):
        rows_of("run", res, without_cut("rr"), None)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("ndcg@10", "write ndcg;"),
        (rw.P @ 5, "write p;"),
        ("rprec", "takes no cut-off"),
        ("ndgc", "Did you mean"),
    ],
)
def test_a_metric_that_has_a_cut_off_or_takes_none_is_refused(metric, message):
    with pytest.raises(UsageError, match=message):
        without_cut(metric)


@pytest.mark.parametrize("ks", [[], [5, 1], [3, 3]])
def test_cut_offs_must_rise(ks):
    with pytest.raises(UsageError, match="ascending order"):
        at_cuts(without_cut("ndcg"), ks)
