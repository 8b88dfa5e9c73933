"""Bounds of means under unjudged items, and where they are printed, kept and added."""

from __future__ import annotations

import itertools
import json
import math
import random

import jsonschema
import numpy as np
import polars as pl
import pytest
from tests.results.saving.test_saving import SCHEMA

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.results.bounds import _extreme

RUN = {"1": list("abcdef"), "2": list("xyz"), "3": list("mn"), "4": list("gh")}
QRELS = {"1": {"a": 0, "c": 2, "e": 1, "zz": 2}, "2": {"x": 0}, "3": {"n": 1}, "4": {"g": 0, "h": 0}}
METRICS = ["p@3", "ap", "ndcg@3", "nerr"]
OPEN = rw.evaluate(RUN, QRELS, METRICS, bounds=True)
STATED = rw.evaluate(RUN, QRELS, METRICS, bounds=True, pool=["all", {"1": ["new"]}], scale=3)


@pytest.mark.parametrize("name", ["p@3", "gmap"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_lowest_mean_is_over_the_queries_that_make_it_lowest(name, sign):
    metric, draw = metric_of(name), random.Random(3)
    for _ in range(200):
        ends = np.array([draw.choice([0.0, 0.2, draw.random(), math.nan]) for _ in range(draw.randint(0, 7))])
        is_sure = np.array([draw.random() < 0.5 for _ in ends], bool) & ~np.isnan(ends)
        sure, others = ends[is_sure], ends[~is_sure & ~np.isnan(ends)]
        subsets = [
            [*sure, *more]
            for n in range(len(others) + 1)
            for more in itertools.combinations(others, n)
            if n or len(sure)
        ]
        means = [sign * metric.value(metric.summary(np.array(values))) for values in subsets]
        found = _extreme(metric, ends, is_sure, sign)
        assert (found is None) == (not means)
        assert found is None or sign * found == pytest.approx(min(means), abs=1e-12)


def test_a_query_without_a_relevant_item_may_become_defined():
    found = STATED.bounds["p@3"]
    assert (STATED.n["p@3"], found.n_min, found.n_max) == (2, 2, 3)  # of query 4 all items are judged
    rows = STATED.per_query.filter(pl.col("query") == "2").to_dicts()[0]
    assert rows["p@3"] is None
    assert (rows["p@3 low"], rows["p@3 high"]) == (1 / 3, 2 / 3)


def test_without_a_stated_pool_metrics_of_r_have_no_lowest_value_and_say_why():
    assert OPEN.bounds["ap"].low is None
    assert "no pool was stated" in OPEN.bounds["ap"].why
    assert OPEN.bounds["ap"].high == STATED.bounds["ap"].high
    assert "ap low" not in OPEN.per_query.columns
    assert OPEN.bounds["p@3"].why == ""


def test_a_metric_without_bounds_is_marked_and_the_others_have_theirs():
    found = rw.evaluate(RUN, QRELS, ["nerr", "bpref", "personalization", "p@1"], bounds=True).bounds
    assert [own.kind for own in found.values()] == ["none", "none", "none", "exact"]
    assert all(own.why for own in found.values() if own.kind == "none")


def test_every_value_lies_within_its_bounds():
    frame = STATED.per_query
    for name in METRICS[:-1]:
        rows = frame.filter(pl.col(name).is_not_null())
        assert len(rows) == 2
        assert (rows[f"{name} low"] <= rows[name]).all()
        assert (rows[name] <= rows[f"{name} high"]).all()


@pytest.mark.parametrize("res", [OPEN, STATED], ids=["open", "stated"])
def test_the_table_says_what_bounds_rest_on(res):
    text = res.to_table().to_text()
    assert "lowest" in text.splitlines()[2]
    assert "n max" in text.splitlines()[2]
    assert "no bounds of nerr: no bounds are known for this metric" in text
    assert ("pool: the run and pool, whole lists" in text) == (res is STATED)
    assert ("grades 0 to 3 (as given)" in text) == (res is STATED)
    assert ("no lowest value of ap, ndcg@3" in text) == (res is OPEN)


@pytest.mark.parametrize("suffix", [".parquet", ".json"])
@pytest.mark.parametrize("res", [OPEN, STATED], ids=["open", "stated"])
def test_saved_bounds_come_back_and_can_be_added(tmp_path, res, suffix):
    res.save(tmp_path / f"res{suffix}")
    again = rw.Results.load(tmp_path / f"res{suffix}")
    assert again.bounds == res.bounds
    assert again.per_query.equals(res.per_query)
    assert again.to_json() == res.to_json()
    assert again.to_table().to_text() == res.to_table().to_text()
    jsonschema.validate(json.loads(res.to_json(per_query=True)), SCHEMA)


def test_a_file_without_values_per_query_keeps_the_bounds_of_means(tmp_path):
    (tmp_path / "res.json").write_text(STATED.to_json(), encoding="utf-8")
    assert rw.Results.load(tmp_path / "res.json").bounds == STATED.bounds


def test_bounds_of_parts_add_up():
    qrels = {query: grades for query, grades in QRELS.items() if query in RUN}
    halves = [
        rw.evaluate(
            {q: RUN[q] for q in own},
            {q: qrels[q] for q in own},
            METRICS[:3],
            bounds=True,
            pool="all",
            scale=2,
        )
        for own in ("12", "34")
    ]
    whole = rw.evaluate(RUN, qrels, METRICS[:3], bounds=True, pool="all", scale=2)
    assert sum(halves[1:], halves[0]).bounds == whole.bounds


def test_bounds_on_other_grounds_are_not_added():
    left, right = ({q: RUN[q] for q in own} for own in ("1", "3"))
    one = rw.evaluate(left, {"1": QRELS["1"]}, ["p@3"], bounds=True)
    with pytest.raises(rw.RankwellError, match="different bounds"):
        _ = one + rw.evaluate(right, {"3": QRELS["3"]}, ["p@3"])
    with pytest.raises(rw.RankwellError, match="different bounds"):
        _ = one + rw.evaluate(right, {"3": QRELS["3"]}, ["p@3"], bounds=True)


def test_batches_and_threads_change_nothing():
    lists = {str(n): [f"i{(n * 7 + at) % 23}" for at in range(9)] for n in range(40)}
    judged = {query: {item: n % 3 for n, item in enumerate(items[::2])} for query, items in lists.items()}
    metrics = ["ap", "ndcg", "p@3"]
    whole = rw.evaluate(lists, judged, metrics, bounds=True, pool="all")
    small = rw.evaluate(lists, judged, metrics, bounds=True, pool="all", engine=_memory(25), threads=2)
    assert whole.per_query.equals(small.per_query)
    assert whole.bounds == small.bounds


def _memory(batch):
    from rankwell.evaluation.engines.memory import Memory

    return Memory(batch=batch)


def test_the_runs_of_a_call_are_pooled_together():
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["c", "d"]}}
    qrels = {"q": {"a": 1}}
    found = rw.Evaluator(qrels, ["r@2"], bounds=True, pool="all").evaluate_all(runs)
    assert found["one"].bounds["r@2"].low == pytest.approx(1 / 3)  # c and d may be relevant, b not
    alone = rw.Evaluator(qrels, ["r@2"], bounds=True, pool="all").evaluate(runs["one"])
    assert alone.bounds["r@2"].low == 1.0
    shallow = rw.Evaluator(qrels, ["r@2"], bounds=True, pool=1).evaluate_all(runs)
    assert shallow["one"].bounds["r@2"].low == 0.5


def test_gaps_of_given_ranks_hold_no_items():
    run = rw.Run(query=["q"] * 3, item=["a", "b", "c"], rank=[1, 4, 9])
    found = rw.evaluate(run, {"q": {"a": 1}}, ["p@4", "rr", "ap", "p(denom=n)@4"], bounds=True, pool="all")
    assert found.bounds["p@4"][:2] == (0.25, 0.5)
    assert found.bounds["p(denom=n)@4"][:2] == (0.5, 1.0)
    # b and c relevant or not: AP is 1, (1 + 2/4) / 2, (1 + 2/9) / 2 or (1 + 2/4 + 3/9) / 3
    assert found.bounds["ap"].low == pytest.approx((1 + 2 / 4 + 3 / 9) / 3)
    assert found.bounds["ap"].high == 1.0


def test_ids_of_other_kinds_are_the_same_items():
    judged = {"1": {"10": 1, "11": 0}}
    text = rw.evaluate({"1": ["10", "12"]}, judged, ["ap"], bounds=True, pool=["all", {"1": ["13"]}])
    other = rw.evaluate({1: [10, 12]}, judged, ["ap"], bounds=True, pool=["all", {1: [13]}])
    mixed = rw.evaluate({"1": ["10", "12"]}, judged, ["ap"], bounds=True, pool=["all", {1: [13]}])
    assert text.bounds == other.bounds == mixed.bounds
    assert text.bounds["ap"].low == 0.5  # of 12 and 13, only 13, which was not found, is relevant


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pool": 10}, "give bounds=True too"),
        ({"bounds": True, "pool": 0}, "a depth of at least 1"),
        ({"bounds": True, "pool": [1, 2]}, "with one depth"),
        ({"bounds": True, "scale": 1}, "an item was judged 2"),
        ({"bounds": True, "scale": "high"}, "is no scale"),
        ({"bounds": "yes"}, "must be true or false"),
        ({"bounds": True, "ties": "best"}, "depends on the grades"),
        ({"bounds": True, "unjudged": "condense"}, "removes the items in question"),
        ({"bounds": True, "engine": "stream"}, "engine='memory'"),
        ({"bounds": True, "per_query": False}, "leave out per_query=False"),
    ],
)  # fmt: skip
def test_what_cannot_be_bounded_is_refused_in_one_line(options, message):
    with pytest.raises(rw.RankwellError, match=message) as raised:
        rw.evaluate(RUN, QRELS, ["p@3"], **options)
    assert "\n" not in str(raised.value)


def test_copies_of_items_are_refused_where_they_keep_their_rank():
    with pytest.raises(rw.RankwellError, match="duplicates='drop'"):
        rw.evaluate({"q": ["a", "b", "b"]}, {"q": {"a": 1}}, ["p@3"], bounds=True, duplicates="first")
    found = rw.evaluate({"q": ["a", "b", "b"]}, {"q": {"a": 1}}, ["p@3"], bounds=True, duplicates="drop")
    assert found.bounds["p@3"].high == pytest.approx(2 / 3)


def test_a_scale_above_the_highest_grade_needs_a_metric_that_knows_it():
    metrics = ["err", "err(max_grade=3)", "ndcg@3"]
    found = rw.evaluate(RUN, QRELS, metrics, bounds=True, pool="all", scale=3).bounds
    assert [own.kind for own in found.values()] == ["none", "exact", "exact"]
    assert "set max_grade=3" in found["err"].why


def test_a_sum_of_loaded_days_counts_the_queries_of_both_where_there_are_no_bounds(tmp_path):
    days = [
        rw.evaluate(
            {query: {"x": 1.0, "y": 2.0}},
            {query: {"x": 1}},
            ["rr", "gini@2"],
            bounds=True,
            items=[{"item": "x"}, {"item": "y"}],
        )
        for query in "ab"
    ]
    for day, name in zip(days, ("a.json", "b.parquet"), strict=True):
        day.save(tmp_path / name)
    loaded = rw.Results.load(tmp_path / "a.json") + rw.Results.load(tmp_path / "b.parquet")
    assert loaded.bounds["gini@2"].n_min == 2
    assert loaded.to_dict(per_query=True) == (days[0] + days[1]).to_dict(per_query=True)
