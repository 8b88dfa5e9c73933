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
    with pytest.raises(rw.RankwellError, match=r"query 'u' holds 2 nonrelevant items, more than sampled=1"):
        rw.evaluate(run, qrels, ["ndcg(sampled=1)@10"])
    with pytest.raises(rw.RankwellError, match="on a metric that needs judgements"):
        rw.evaluate(run, qrels, ["coverage(sampled=2)"], items=["a", "b", "c"])


def test_a_query_that_a_run_of_integers_lacks_is_empty_where_judgements_name_it_in_text():
    run = {1: ["a"], 2: ["a"]}
    res = rw.evaluate(run, {"1": {"a": 1}, "3": {"a": 1}}, ["rr"])
    assert (res["rr"], res.queries) == (1 / 2, [1, 3])
