"""What evaluate refuses or counts, beyond the definitions."""

from __future__ import annotations

import pytest

import rankwell as rw


def test_a_parameter_that_does_nothing_is_refused():
    with pytest.raises(rw.RankwellError, match=r"ndcg\(base=3\): base=3 has no effect"):
        rw.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "ndcg(base=3)")


def test_scores_beyond_single_precision_are_infinite_and_tied_there():
    run, qrels = {"q": {"a": 1e300, "b": 2e300, "c": 1.0}}, {"q": {"a": 1}}
    single = rw.evaluate(run, qrels, "rr", policy=rw.Policy(scores="single"))
    assert (single["rr"], rw.evaluate(run, qrels, "rr")["rr"]) == (1 / 2, 1 / 2)
    assert single.counts["queries in which ties could change a value"] == 1


def test_values_over_sampled_candidates_have_a_name_of_their_own():
    run, qrels = {"u": ["a", "b", "c"], "v": ["c", "a"]}, {"u": {"a": 1}, "v": {"a": 1}}
    res = rw.evaluate(run, qrels, ["ndcg(sampled=2)@10", "ndcg@10", "p(sampled=2)@1"])
    assert list(res.mean) == ["ndcg(sampled=2)@10", "ndcg@10", "p(sampled=2)@1"]
    assert res["ndcg(sampled=2)@10"] == res["ndcg@10"]
    assert "sampled=2" in res.metrics[0].signature
    assert res.metrics[0] != res.metrics[1]
    assert "ndcg(sampled=2)@10, p(sampled=2)@1: of sampled candidates, not to be compared" in str(
        res.to_table()
    )
    with pytest.raises(rw.RankwellError, match=r"query 'u' has 2 nonrelevant items, more than sampled=1"):
        rw.evaluate(run, qrels, ["ndcg(sampled=1)@10"])
    with pytest.raises(rw.RankwellError, match="on a metric that needs judgements"):
        rw.evaluate(run, qrels, ["coverage(sampled=2)"], items=["a", "b", "c"])


def test_a_query_that_a_run_of_integers_lacks_is_empty_where_judgements_name_it_in_text():
    run = {1: ["a"], 2: ["a"]}
    res = rw.evaluate(run, {"1": {"a": 1}, "3": {"a": 1}}, ["rr"])
    assert (res["rr"], res.queries) == (1 / 2, [1, 3])


def test_other_metrics_have_the_same_judgements_policy_and_slices():
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2}}
    options = {"slices": {"last": ["c"]}, "policy": rw.Policy(depth=2)}
    other = rw.Evaluator(qrels, ["ap"], **options).of_other_metrics(["rr", "r@3"])
    fresh = rw.evaluate(run, qrels, ["rr", "r@3"], **options)
    assert other.evaluate(run).to_json() == fresh.to_json()
    assert other.evaluate(run).slices["last"].mean == {"rr": 0.0, "r@3": 0.0}
    with pytest.raises(rw.RankwellError, match="bpref is not defined on a slice"):
        other.of_other_metrics(["bpref"])


def test_curves_and_tables_are_those_of_all_items_where_there_are_slices():
    run, qrels = {"q": ["a", "b", "c"]}, {"q": {"b": 1, "c": 2}}
    sliced, plain = (rw.Evaluator(qrels, ["ap"], slices=slices) for slices in ({"last": ["c"]}, None))
    assert sliced.curve(run).precision == plain.curve(run).precision
    assert (
        sliced.contingency(run).pooled
        == plain.contingency(run).pooled
        == {"TP": 2, "FP": 1, "FN": 0, "TN": None}
    )


def test_several_runs_have_the_values_that_each_has_alone():
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    runs = {name: {query: {"a": 1.0, name: 2.0} for query in qrels} for name in ("x", "y", "z")}
    for threads in (1, 2, 5, None):
        evaluator = rw.Evaluator(qrels, ["rr", "ap"], threads=threads)
        together = evaluator.evaluate_all(runs)
        assert list(together) == list(runs)
        for name, run in runs.items():
            assert together[name].name == name
            assert together[name].per_query.equals(evaluator.evaluate(run).per_query)


@pytest.mark.parametrize(
    ("metric", "table"),
    [("arp", "train="), ("coverage", "items="), ("ild", "the columns of items="), ("accuracy", "items=")],
)
def test_other_metrics_that_need_what_was_not_made_ready_are_refused(metric, table):
    evaluator = rw.Evaluator({"q": {"a": 1}}, ["ap"], items=["a", "b"] if "columns" in table else None)
    with pytest.raises(
        rw.RankwellError, match=f"^{metric} needs {table}, which this evaluator was made without;"
    ):
        evaluator.of_other_metrics([metric])


def test_tie_ranges_are_left_for_later_in_one_run_and_worked_out_by_the_threads_of_several():
    runs = {name: {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 2.0, "c": 1.0}} for name in ("one", "two")}
    evaluator = rw.Evaluator({"q": {"a": 1}, "r": {"c": 1}}, ["rr"], threads=2)
    alone = evaluator.evaluate(runs["one"])
    assert callable(alone.part.tied)
    together = evaluator.evaluate_all(runs)
    assert not any(callable(each.part.tied) for each in together.values())
    assert alone.tie_range == together["two"].tie_range == {"rr": (0.5, 0.75)}
    assert not callable(alone.part.tied)


@pytest.mark.parametrize("engine", [None, rw.Stream(part_rows=1)])
def test_every_list_counts_where_the_population_is_that_of_the_lists(engine):
    """Two of the three lists have judgements, and one of the three judged queries has no list; by hand."""
    run = {"q1": ["a"], "q2": ["b"], "q3": ["c"]}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q4": {"a": 1}}
    means = {
        ("empty", "skip"): (1 / 3, 1 / 3),
        ("empty", "zero"): (1 / 4, 1 / 4),
        ("skip", "skip"): (1 / 2, 1 / 2),
        ("skip", "zero"): (1 / 3, 1 / 3),
    }
    for (missing, undefined), expected in means.items():
        policy = rw.Policy(population="listed", missing=missing, undefined=undefined)
        res = rw.evaluate(
            run, qrels, ["p@1", "rr"], policy=policy, **({} if engine is None else {"engine": engine})
        )
        assert tuple(res.mean.values()) == pytest.approx(expected)
        assert set(res.queries) == {
            "q1",
            "q2",
            *(["q3"] if undefined == "zero" else []),
            *(["q4"] if missing == "empty" else []),
        }
