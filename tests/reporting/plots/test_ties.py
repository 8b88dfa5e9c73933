"""The plot of ties, against all orders of equal scores tried one by one."""

from __future__ import annotations

import itertools
import random

import pytest
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.reporting.plots.ties import ranges_of, touched_of

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "d": 1}, "3": {"e": 1}}
RUN = {
    "1": {"a": 1.0, "b": 1.0, "c": 1.0, "z": 0.5},
    "2": {"a": 2.0, "d": 1.0, "y": 1.0},
    "3": {"e": 1.0, "x": 0.0},
}
METRICS = ["ndcg@2", "ap", "rr", "p@1"]


def every_order(scores):
    """All lists in which items of equal score have some order."""
    groups = [
        [item for item in scores if scores[item] == score]
        for score in sorted(set(scores.values()), reverse=True)
    ]
    for orders in itertools.product(*map(itertools.permutations, groups)):
        yield [item for group in orders for item in group]


def plain():
    run = {
        q: {item: at // 3 for at, item in enumerate(reversed(listed))}
        for q, listed in second.LISTS["bm25"].items()
    }
    chart = rw.plot.ties({"bm25": rw.evaluate(run, second.QRELS, ["p@4"])})
    worst, best = [], []
    for query, scores in run.items():
        tried = [
            second.p(
                [item for each in (2, 1, 0) for item in order if scores[item] == each], second.QRELS[query], 4
            )
            for order in itertools.permutations(scores)
            if order[:2] == tuple(scores)[:2]  # these two are last in every order
        ]
        worst.append(min(tried))
        best.append(max(tried))
    # a query counts if equal scores are of items with different grades, for which some metric could differ
    alike = [
        [{second.QRELS[query].get(item, 0) for item in scores if scores[item] == each} for each in (0, 1, 2)]
        for query, scores in run.items()
    ]
    moved = sum(any(len(grades) > 1 for grades in own) for own in alike)
    expected = {("bm25", "p@4"): (second.mean(worst), second.mean(best)), ("bm25",): (moved, len(run))}
    shown = second.shown_in(chart, ("system", "metric"), ("worst", "best"))
    return shown | second.shown_in(chart, ("system",), ("queries", "of")), expected


def test_a_range_is_what_the_best_and_the_worst_of_all_orders_give():
    results = {"one": rw.evaluate(RUN, QRELS, METRICS)}
    means = {name: [] for name in METRICS}
    for lists in itertools.product(*(list(every_order(scores)) for scores in RUN.values())):
        found = rw.evaluate(dict(zip(RUN, lists, strict=True)), QRELS, METRICS).mean
        for name in METRICS:
            means[name].append(found[name])
    for row in ranges_of(results, results["one"].metrics):
        assert row["worst"] == pytest.approx(min(means[row["metric"]]), abs=1e-12)
        assert row["best"] == pytest.approx(max(means[row["metric"]]), abs=1e-12)
        assert row["value"] == results["one"][row["metric"]]


def test_the_queries_counted_are_those_with_an_undecided_group():
    # query 1 ties grades 2, 0 and 1; in query 2 a judged and an unjudged item are tied; in query 3 nothing is
    [row] = touched_of({"one": rw.evaluate(RUN, QRELS, ["rr"])})
    assert (row["queries"], row["of"]) == (2, 3)
    assert row["share"] == pytest.approx(2 / 3)


def test_lists_without_ties_have_dots_and_no_range():
    chart = rw.plot.ties(rw.evaluate({"1": ["a", "b"]}, {"1": {"b": 1}}, ["rr"]))
    assert "No order of equal scores changes a value." in text_of(chart)
    assert [(row["worst"], row["best"]) for row in rows_in(chart, "worst")] == [(0.5, 0.5)]


def test_saved_results_have_the_ranges_that_a_file_holds(tmp_path):
    res = rw.evaluate(RUN, QRELS, METRICS)
    res.save(tmp_path / "one.json")
    loaded = rw.Results.load(tmp_path / "one.json")
    assert ranges_of({"one": loaded}, loaded.metrics) == ranges_of({"one": res}, res.metrics)


def test_metrics_that_ties_cannot_change_are_left_out_and_alone_refused():
    res = rw.evaluate(RUN, QRELS, ["coverage", "rr"], items=list("abcdexyz"))
    assert {row["metric"] for row in rows_in(rw.plot.ties(res), "metric")} == {"rr"}
    with pytest.raises(UsageError, match="no range over the orders of equal scores is known for coverage"):
        rw.plot.ties(res, metrics="coverage")


def test_a_metric_that_was_not_evaluated_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match="Did you mean ndcg@2"):
        rw.plot.ties(rw.evaluate(RUN, QRELS, METRICS), metrics=["ndcg@3"])


@pytest.mark.parametrize("given", [{}, {"a": 1}, "bm25.run", None])
def test_what_holds_no_results_is_refused(given):
    with pytest.raises(UsageError, match="Results"):
        rw.plot.ties(given)


def test_fifty_systems_and_hostile_names_are_drawn_best_first():
    draw = random.Random(0)
    runs = {
        name: {"1": {item: draw.choice([1.0, 2.0]) for item in "abc"}}
        for name in (*HOSTILE, *map(str, range(43)))
    }
    results = rw.Evaluator(QRELS, ["ndcg@2"], missing="skip").evaluate_all(runs)
    chart = rw.plot.ties(results, dark=True, lang="ko")
    assert len({row["system"] for row in rows_in(chart, "worst")}) == 50
    assert max(len(row["system"]) for row in rows_in(chart, "worst")) < 60
    assert "<script>alert(1)</script>" in text_of(chart)
