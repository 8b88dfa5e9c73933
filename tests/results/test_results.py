"""What results promise: values in any spelling, in the order asked, what they rest on, and sums of disjoint queries."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory

RUN = {
    "q10": {"a": 3.0, "b": 2.0, "c": 1.0},
    "q2": {"a": 1.0, "b": 2.0},
    "q1": {"c": 1.0},
    "other": {"a": 1.0},
}
QRELS = {"q2": {"a": 1}, "q10": {"b": 2, "c": 1}, "q1": {"a": 0}, "q3": {"a": 1}}
ASKED = ["rr", "ndcg@2", "p@1", "num_rel_ret"]
RES = rw.evaluate(RUN, QRELS, ASKED)


@pytest.mark.parametrize(
    "spelling", ["ndcg@2", "NDCG@2", "ndcg(gain=linear)@2", rw.nDCG @ 2, rw.nDCG(k=2), " nDCG @ 2 "]
)
def test_a_value_is_found_in_any_spelling(spelling):
    assert RES[spelling] == RES.mean["ndcg@2"]


def test_an_alias_and_a_class_name_a_metric():
    assert RES["mrr"] == RES["recip_rank"] == RES[rw.RR] == RES["rr"]


def test_a_metric_that_was_not_asked_for_is_a_key_error_that_names_the_nearest():
    with pytest.raises(
        KeyError, match=r"ndcg@3 was not evaluated; the metrics are rr, .*Did you mean ndcg@2"
    ):
        RES["ndcg@3"]
    with pytest.raises(rw.RankwellError):
        RES["ap"]


@pytest.mark.parametrize("use", [list, dict, lambda res: res[0]])
def test_results_used_as_a_sequence_say_what_holds_the_values(use):
    with pytest.raises(rw.RankwellError, match=r"no sequence: res.mean is a dict"):
        use(RES)


def test_the_mean_is_that_of_the_defined_queries_in_the_order_asked():
    assert list(RES.mean) == ASKED
    # q1 has no relevant item, so no value; q3 is not in the run and counts as an empty list
    assert RES.mean["rr"] == (0.5 + 0.5 + 0.0) / 3
    assert RES.mean["p@1"] == 0.0
    assert RES.mean["num_rel_ret"] == 3
    assert RES.n == {"rr": 3, "ndcg@2": 3, "p@1": 3, "num_rel_ret": 4}


def test_queries_without_a_value_are_counted_by_reason():
    reason = "undefined by the judgements"
    assert RES.undefined == {"rr": {reason: 1}, "ndcg@2": {reason: 1}, "p@1": {reason: 1}}
    assert rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, ["rr"]).undefined == {}


def test_what_no_query_defines_is_nan_and_null():
    res = rw.evaluate({"q": ["a"]}, {"q": {"b": 0}}, ["rr"])
    assert math.isnan(res["rr"])
    assert res.n["rr"] == 0
    assert res.to_dict()["mean"] == {"rr": None}
    assert res.per_query["rr"].to_list() == [None]


def test_rows_lists_and_queries_are_counted():
    counts = RES.counts
    assert counts["rows"] == 7
    assert counts["lists"] == 4
    assert counts["judged queries"] == 4
    assert counts["judgements"] == 5
    assert counts["judged queries missing from the run"] == 1
    assert all(count > 0 for count in counts.values())


def test_values_of_queries_are_sorted_by_id_and_in_the_order_asked():
    assert RES.per_query.columns == ["query", *ASKED]
    assert RES.per_query["query"].to_list() == RES.queries == ["q1", "q10", "q2", "q3"]
    assert RES.per_query["rr"].to_list() == [None, 0.5, 0.5, 0.0]
    umlauts = ["ä", "z", "Z", "10", "9"]
    texts = rw.evaluate({query: ["a"] for query in umlauts}, {query: {"a": 1} for query in umlauts}, "rr")
    assert texts.queries == sorted(umlauts, key=str.encode)
    integers = rw.evaluate({10: [1], 9: [1], 100: [1]}, {10: {1: 1}, 9: {1: 1}, 100: {1: 1}}, "rr")
    assert integers.queries == [9, 10, 100]


def test_metrics_of_lists_have_values_for_queries_without_judgements():
    items = [{"item": "a", "genre": ["x"]}, {"item": "b", "genre": ["y"]}, {"item": "c", "genre": ["x"]}]
    res = rw.evaluate({**RUN, "other": {"a": 2.0, "b": 1.0}}, QRELS, ["rr", "ild"], items=items)
    assert res.queries == ["other", "q1", "q10", "q2", "q3"]
    assert res.per_query.filter(query="other").row(0) == ("other", None, 1.0)
    assert "other" not in RES.queries


def test_without_values_of_queries_the_means_are_the_same():
    res = rw.evaluate(RUN, QRELS, ASKED, per_query=False)
    assert res.mean == RES.mean
    assert res.n == RES.n
    assert res.per_query.columns == ["query"]


@pytest.mark.parametrize("batch", [1, 2, 10_000])
def test_the_range_over_tied_orders_is_that_of_all_orders(batch):
    rng = np.random.default_rng(7)
    items = list("abcd")
    run = {
        f"q{n}": dict(zip(items, map(float, scores), strict=True))
        for n, scores in enumerate(rng.integers(0, 3, (9, 4)))
    }
    qrels = {query: {"a": int(rng.integers(1, 3)), "c": int(rng.integers(0, 3))} for query in run}
    metrics = ["rr", "ap", "ndcg@3"]
    res = rw.evaluate(run, qrels, metrics, engine=Memory(batch=batch))
    extremes = {metric: [0.0, 0.0] for metric in metrics}
    for query, scores in run.items():
        orders = [sorted(order, key=lambda item: -scores[item]) for order in itertools.permutations(items)]
        values = [rw.evaluate({query: order}, {query: qrels[query]}, metrics).mean for order in orders]
        for metric in metrics:
            extremes[metric][0] += min(each[metric] for each in values) / len(run)
            extremes[metric][1] += max(each[metric] for each in values) / len(run)
    assert set(res.tie_range) == set(metrics)
    for metric in metrics:
        assert res.tie_range[metric] == pytest.approx(tuple(extremes[metric]), abs=1e-12)


def test_there_is_no_range_where_ties_change_nothing():
    assert RES.tie_range == {}
    assert rw.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1, "b": 1}}, ["rr", "ap"]).tie_range == {}


def of(queries, metrics=ASKED, **options):
    options.setdefault("policy", rw.Policy(missing="skip"))
    return rw.evaluate({query: RUN[query] for query in queries}, QRELS, metrics, **options)


def test_the_sum_of_two_results_is_the_result_of_all_queries():
    whole, total = of(["q1", "q2", "q10"]), of(["q10"]) + of(["q1", "q2"])
    assert total.mean == whole.mean
    assert total.n == whole.n
    assert total.undefined == whole.undefined
    assert total.per_query.equals(whole.per_query)
    assert total.name == "run"


USERS = [{"query": query, "tier": "x" if query == "q1" else "y"} for query in RUN]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (of(["q2"], ["rr"]), "different metrics"),
        (of(["q2"], policy=rw.Policy()), "different policies"),
        (of(["q2"], users=USERS, by="tier"), "different segments or weights"),
        (of(["q2"], ["rr", "ndcg@2", "p@1"]), "different metrics"),
        (of(["q1"]), "query 'q1' is on both sides"),
    ],
)
def test_results_that_do_not_belong_together_do_not_add(other, message):
    with pytest.raises(rw.RankwellError, match=message):
        of(["q1", "q10"]) + other


def test_results_with_other_slices_do_not_add():
    left, right = (of([query], ["rr"], slices={name: ["a"]}) for query, name in (("q1", "x"), ("q2", "y")))
    with pytest.raises(rw.RankwellError, match="different slices"):
        left + right


def test_results_over_other_items_do_not_add_where_a_metric_counts_them():
    left, right = (
        rw.evaluate({query: RUN[query]}, None, ["coverage"], items=items)
        for query, items in (("q1", ["a", "b", "c"]), ("q2", ["a", "b", "d"]))
    )
    with pytest.raises(rw.RankwellError, match="different catalogues"):
        left + right


def test_values_of_queries_are_kept_in_a_sum_where_both_sides_have_them():
    total = of(["q10"]) + of(["q1", "q2"], per_query=False)
    assert total.mean == of(["q1", "q2", "q10"]).mean
    assert total.per_query.columns == ["query"]


def test_results_cannot_be_changed():
    with pytest.raises(AttributeError):
        RES.name = "other"


def test_a_value_is_worked_out_once_however_often_it_is_read(monkeypatch):
    res = rw.evaluate(
        {"u": ["a", "b"], "v": ["a"]},
        {"u": {"a": 1}},
        ["coverage@2", "gini@2", "ndcg@2"],
        items=["a", "b", "c"],
    )
    asked: list[str] = []
    for kind in {type(metric) for metric in res.metrics}:

        def value(metric, state, plain=kind.value):
            asked.append(str(metric))
            return plain(metric, state)

        monkeypatch.setattr(kind, "value", value)
    for _ in range(3):
        assert res["coverage@2"] == res.mean["coverage@2"] == 2 / 3
        assert "coverage@2" in repr(res)
        assert "coverage@2" in str(res.to_table()) + res.to_json() + res.to_html() + res.to_csv(
            per_query=False
        )
    assert sorted(asked) == ["coverage@2", "gini@2", "ndcg@2"]
