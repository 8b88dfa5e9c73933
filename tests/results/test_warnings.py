"""Data that hardly meet are said; data that meet are not."""

from __future__ import annotations

import warnings

import pytest

import rankwell as rw
from rankwell.errors import DataWarning
from rankwell.results.warnings import warnings_of


def said(run, qrels, **options):
    return warnings_of([rw.evaluate(run, qrels, "ndcg@10", **options)])


def lists(queries, items, shift=0):
    return {f"q{q}": {f"i{i + shift}": 1.0 - i / 1000 for i in range(items)} for q in range(queries)}


def grades(queries, items):
    return {f"q{q}": {f"i{i}": i % 2 for i in range(items)} for q in range(queries)}


def test_over_half_of_the_judged_queries_missing_is_said():
    assert said(lists(5, 3), grades(10, 3)) == []
    [message] = said(lists(4, 3), grades(10, 3))
    assert (
        message == "run: 6 of 10 judged queries are missing from the run. Is it the run of these judgements?"
    )


def test_lists_that_hold_some_judged_items_are_fine():
    assert said(lists(10, 100), grades(10, 300)) == []
    assert said(lists(10, 100, shift=298), grades(10, 300)) == []  # 2 of 300


def test_no_judged_item_in_any_list_is_said():
    message = "run: no judged item is in any list. Is it the run of these judgements?"
    assert said(lists(5, 3, shift=50), grades(5, 3)) == [message]
    assert said(lists(5, 3, shift=50), grades(5, 3), missing="skip") == [message]
    with pytest.warns(DataWarning, match=r"^run: no judged item is in any list"):
        rw.evaluate({"a": ["x"]}, {"a": ["y"]}, "rr")


def test_lists_without_judgements_are_no_fault():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for qrels in (None, {"a": ["y"]}):
            assert rw.evaluate({"a": ["x"]}, qrels, "coverage", items=["x", "y"])["coverage"] == 0.5


def test_one_item_in_a_thousand_is_said():
    run = lists(10, 100, shift=1000)
    run["q0"]["i1"] = 5.0
    [message] = said(run, grades(10, 100))
    assert message == "run: the lists hold only 1 of 1,000 judged items. Is it the run of these judgements?"


def test_each_value_is_followed_by_its_n():
    users = [{"query": "a", "tier": "x"}, {"query": "b", "tier": "x"}, {"query": "c", "tier": "y"}]
    run = {"a": ["i"], "b": ["j"], "c": ["i"], "d": ["i"]}
    qrels = {"a": {"i": 1}, "b": {"j": 0}, "c": {"i": 1}}
    res = rw.evaluate(run, qrels, ["rr", "hit@1", "judged@1"], users=users, by="tier")
    rows = [line.split() for line in str(res.segments).splitlines()[2:6] if line[0] != "─"]
    assert rows == [
        [
            "tier",
            "queries",
            "rr",
            "↑",
            "rr",
            "to",
            "best",
            "hit@1",
            "↑",
            "hit@1",
            "to",
            "best",
            "n",
            "judged@1",
            "↑",
            "judged@1",
            "to",
            "best",
        ],
        ["x", "2", "*1.0000", "0.0000", "*1.0000", "0.0000", "1", "*1.0000", "0.0000"],
        ["y", "1", "*1.0000", "0.0000", "*1.0000", "0.0000", "1", "*1.0000", "0.0000"],
    ]


@pytest.mark.parametrize("weights", [None, {"a": 1, "b": 3}])
def test_an_aggregate_of_weighted_results_says_that_it_is_unweighted(weights):
    users = [{"query": "a", "w": 3.0}, {"query": "b", "w": 1.0}]
    res = rw.evaluate({"a": ["i"], "b": ["j", "i"]}, {"a": ["i"], "b": ["i"]}, "rr", users=users, weights="w")
    assert res["rr"] == 0.875
    if weights is None:
        with pytest.warns(UserWarning, match=r"every query alike; res\['rr'\] is weighted by w"):
            assert res.aggregate("rr") == 0.75
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert res.aggregate("rr", weights=weights) == 0.625
