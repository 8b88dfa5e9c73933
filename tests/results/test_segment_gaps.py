"""The gap between segments: the largest difference, with which two, and the ratio."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankwell as rw

RUN = {"a": ["x"], "b": ["y", "x"], "c": ["y", "z", "x"], "d": ["y", "x"], "e": ["x"]}
QRELS = {query: {"x": 1} for query in RUN}
USERS = [
    {"query": "a", "tier": "gold", "land": "AT"},
    {"query": "b", "tier": "tin", "land": "AT"},
    {"query": "c", "tier": "tin", "land": "DE"},
    {"query": "d", "tier": "gold", "land": "DE"},
]


def gap(by, metric="rr", run=RUN, qrels=QRELS, **options):
    return rw.evaluate(run, qrels, [metric], users=USERS, by=by, **options).segments.gap(metric)


def test_the_gap_names_the_two_segments_that_differ_most():
    found = gap("tier")  # gold: (1 + 1/2) / 2, tin: (1/2 + 1/3) / 2; e is nobody's
    assert (found.highest, found.lowest) == ("gold", "tin")
    assert found.difference == pytest.approx(3 / 4 - 5 / 12, abs=1e-15)
    assert found.ratio == pytest.approx(5 / 9, abs=1e-15)
    found = gap(["tier", "land"])
    assert (found.highest, found.lowest, found.difference) == ("gold, AT", "tin, DE", pytest.approx(2 / 3))
    assert str(found) == "rr: 0.6667 between gold, AT (highest) and tin, DE (lowest), ratio 0.3333"


def test_a_metric_of_all_lists_has_a_gap_too():
    films = [{"item": "x", "group": "new"}, {"item": "y", "group": "old"}, {"item": "z", "group": "old"}]
    metric = "exposure(divergence=tv,view=cut)@1"
    found = gap("tier", metric, items=films)  # gold sees x, y: ½ − ⅓; tin sees y, y: 1 − ⅔
    assert (found.highest, found.lowest) == ("tin", "gold")
    assert found.difference == pytest.approx(1 / 3 - 1 / 6, abs=1e-15)


def test_there_is_no_gap_between_fewer_than_two_values():
    found = gap("tier", qrels={"a": {"x": 1}, "b": {"x": 0}})
    assert math.isnan(found.difference)
    assert math.isnan(found.ratio)
    assert str(found) == "rr: fewer than two segments have a value"


def test_equal_segments_have_no_gap_and_zeros_no_ratio():
    nothing = {query: ["y"] for query in "abcd"}
    found = gap("tier", run=nothing)
    assert (found.difference, {found.highest, found.lowest}) == (0, {"gold", "tin"})
    assert math.isnan(found.ratio)
    assert gap("tier", run={query: ["x"] for query in "abcd"}).ratio == 1


def test_a_metric_that_was_not_asked_for_has_no_gap():
    res = rw.evaluate(RUN, QRELS, ["ndcg@10"], users=USERS, by="tier")
    with pytest.raises(
        rw.RankwellError, match=r"ndcg@1 was not evaluated; the metrics are ndcg@10. Did you mean ndcg@10\?"
    ):
        res.segments.gap("ndcg@1")
    assert res.segments.gap(rw.nDCG @ 10) == res.segments.gap("NDCG@10")


def test_the_gap_of_saved_results_is_the_same(tmp_path):
    res = rw.evaluate(RUN, QRELS, ["rr"], users=USERS, by="tier")
    res.save(tmp_path / "kept.json")
    assert rw.Results.load(tmp_path / "kept.json").segments.gap("rr") == res.segments.gap("rr")


def test_the_gap_is_the_largest_of_all_pairs():
    rng = np.random.default_rng(3)
    tiers = [f"t{number}" for number in range(6)]
    users = [{"query": query, "tier": tiers[query % 6]} for query in range(60)]
    run = {query: rng.permutation(20).tolist() for query in range(60)}
    res = rw.evaluate(run, {query: {3: 1} for query in run}, ["rr"], users=users, by="tier")
    values = {row["tier"]: row["mean"]["rr"] for row in res.segments.to_dicts()}
    found = res.segments.gap("rr")
    assert found.difference == max(a - b for a in values.values() for b in values.values())
    assert (values[found.highest], values[found.lowest]) == (max(values.values()), min(values.values()))
