"""Intervals of means: values against SciPy and statsmodels' formula, the same as in a comparison, and what has none."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import jsonschema
import numpy as np
import polars as pl
import pytest
import scipy.stats

import rankwell as rw
from rankwell.cli import run as command
from rankwell.results.intervals import segment_intervals
from rankwell.results.results import Results

FILMS = files("rankwell") / "data" / "movietweetings"
TEST, ALS = str(FILMS / "test.parquet"), str(FILMS / "als.parquet")
METRICS = ["ndcg@10", "hit@10", "rr", "ap"]
SCHEMA = json.loads((files("rankwell") / "data" / "results.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def res() -> Results:
    return rw.evaluate(ALS, TEST, METRICS, rel=8)


def defined(res, metric):
    return res.per_query[metric].drop_nulls().to_numpy()


def test_students_and_wilsons_are_those_of_scipy(res):
    x = defined(res, "ndcg@10")
    low, high = scipy.stats.t.interval(0.9, len(x) - 1, x.mean(), scipy.stats.sem(x))
    found = res.interval("ndcg@10", method="t", level=0.9)
    assert (found.low, found.high, found.n) == (pytest.approx(low), pytest.approx(high), len(x))
    hits = defined(res, "hit@10")
    told = scipy.stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(method="wilson")
    for method in ("auto", "wilson"):
        found = res.interval("hit@10", method=method)
        assert (found.low, found.high) == (pytest.approx(told.low), pytest.approx(told.high))
    assert found.method == "wilson"


@pytest.mark.parametrize("metric", METRICS)
def test_it_is_the_interval_of_a_comparison(res, metric):
    other = rw.evaluate(str(FILMS / "popular.parquet"), TEST, METRICS, rel=8)
    told = rw.compare({"als": res, "popular": other}, flips=99, seed=5).mean("als", metric)
    found = res.interval(metric, seed=5)
    assert (found.mean, found.method, found.is_doubtful, found.n) == (
        res[metric],
        told.method,
        told.is_doubtful,
        told.n,
    )
    assert (found.low, found.high) == (
        pytest.approx(told.low, abs=1e-12),
        pytest.approx(told.high, abs=1e-12),
    )


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_other_bootstraps_are_near_those_of_scipy(res, method):
    x = defined(res, "ap")
    rng = np.random.default_rng(1)
    how = "BCa" if method == "bca" else method
    told = scipy.stats.bootstrap(
        (x,), np.mean, n_resamples=20_000, method=how, random_state=rng
    ).confidence_interval
    found = res.interval("ap", method=method, resamples=20_000)
    width = told.high - told.low
    assert abs(found.low - told.low) < 0.05 * width
    assert abs(found.high - told.high) < 0.05 * width


def test_weights_count_queries_as_if_they_were_there_as_often(res):
    weights = [1 + row % 3 for row in range(len(res.queries))]
    found = res.interval("rr", weights=weights)
    own = dict(zip(res.queries, weights, strict=True))
    assert found == res.interval("rr", weights=own)
    assert found.mean == pytest.approx(res.aggregate("rr", weights=weights))
    even = res.interval("rr", weights=[2.0] * len(weights))
    assert even[:3] == pytest.approx(res.interval("rr")[:3])


def test_values_without_spread_have_no_interval():
    found = rw.evaluate({"q": ["a"], "r": ["a"]}, {"q": {"a": 1}, "r": {"a": 1}}, ["rr", "ap"]).interval(
        "ap", method="t"
    )
    assert found.mean == 1.0
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.is_doubtful


def test_loaded_results_have_the_same_interval(res, tmp_path):
    res.save(tmp_path / "als.json")
    assert rw.Results.load(tmp_path / "als.json").interval("rr") == res.interval("rr")


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("gmap", {}, "gmap is no mean of its values per query"),
        ("coverage@10", {}, "rw.jackknife gives its interval"),
        ("p@5", {}, "p@5 was not evaluated"),
        ("rr", {"method": "wilson"}, "only 0 or 1"),
        ("rr", {"method": "exact"}, "method='exact'"),
        ("rr", {"level": 95}, "level=95: must be between 0 and 1"),
        ("rr", {"resamples": 9}, "at least 99"),
        ("rr", {"weights": [1.0]}, "1 weights for"),
    ],
)
def test_what_has_no_interval_is_refused_with_the_reason(metric, options, message):
    res = rw.evaluate(ALS, TEST, ["rr", "gmap", "coverage@10"], rel=8, items=str(FILMS / "items.parquet"))
    with pytest.raises(rw.RankwellError, match=message):
        res.interval(metric, **options)


def test_weighted_results_ask_for_the_weights_again():
    users = [{"query": "q", "w": 1.0}, {"query": "r", "w": 3.0}, {"query": "s", "w": 1.0}]
    qrels = {query: {"a": 1} for query in "qrs"}
    run = {"q": ["b", "a"], "r": ["a"], "s": ["b", "c", "a"]}
    res = rw.evaluate(run, qrels, ["rr"], users=users, weights="w")
    with pytest.raises(rw.RankwellError, match="rr is weighted by w"):
        res.interval("rr")
    assert res.interval("rr", weights={"q": 1, "r": 3, "s": 1}).mean == pytest.approx(res["rr"])


def test_values_that_were_not_kept_are_asked_for():
    res = rw.evaluate(ALS, TEST, ["rr"], rel=8, per_query=False)
    with pytest.raises(rw.RankwellError, match="per_query=True"):
        res.interval("rr")


def test_the_command_prints_them_in_every_form(capsys, res):
    arguments = ["evaluate", TEST, ALS, "-m", "ndcg@10,hit@10,coverage@10", "--rel", "8", "--interval"]
    arguments += ["--items", str(FILMS / "items.parquet")]
    assert command(arguments) == 0
    shown = capsys.readouterr().out
    found = res.interval("ndcg@10")
    line = next(line for line in shown.splitlines() if line.startswith("ndcg@10"))
    assert line.split()[2:5] == [f"{res['ndcg@10']:.4f}", f"{found.low:.4f}", f"{found.high:.4f}"]
    assert "intervals likely too short" not in shown
    assert "no mean of values per query: coverage@10" in shown
    assert command([*arguments, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    own = data["runs"][0]
    jsonschema.validate({"rankwell": "", "schema": 1, **own}, SCHEMA)
    assert own["metrics"][0]["interval"] == found.to_dict()
    assert "interval" not in own["metrics"][2]
    assert command([*arguments, "--format", "csv"]) == 0
    lines = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert lines[0][-2:] == ["low", "high"]
    assert [float(cell) for cell in lines[1][-2:]] == [found.low, found.high]
    assert lines[3][-2:] == ["", ""]


def test_several_runs_have_them_beside_each_value(capsys, res):
    random = str(FILMS / "random.parquet")
    assert command(["evaluate", TEST, random, ALS, "-m", "rr,ap", "--rel", "8", "--interval"]) == 0
    shown = capsys.readouterr().out
    assert "rr 95 %" in shown
    assert "ap 95 %" in shown
    assert "hedged betting intervals, which hold for any number of queries but are wide" in shown
    assert "(few queries, or nearly all with the same value): rr, ap" in shown.replace("\n", " ")
    assert "likely too short (" not in shown
    found = res.interval("rr")
    line = next(line for line in shown.splitlines() if line.startswith("als "))
    assert f"{found.low:.4f} – {found.high:.4f}" in line


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--weights", "w"], "--weights"),
        (["--per-query"], "--per-query, except in JSON"),
        (["--format", "parquet"], "--format parquet"),
        (["--rel-sweep", "7,8"], "--interval"),
    ],
)
def test_what_cannot_be_combined_is_said(capsys, more, message):
    assert command(["evaluate", TEST, ALS, "-m", "rr", "--interval", *more]) == 2
    assert message in capsys.readouterr().err


def test_intervals_of_segments_are_those_of_their_queries_alone():
    users = [{"query": query, "half": str(query % 2)} for query in range(400)]
    qrels = {query: {"a": 1} for query in range(400)}
    run = {query: [f"x{at}" for at in range(query % 7)] + ["a"] for query in range(400)}
    whole = rw.evaluate(run, qrels, ["rr"], users=users, by="half")
    (metric,) = whole.metrics
    found = segment_intervals(whole.part, whole.division.labels, metric, [("0",), ("1",)])
    for label, own in found.items():
        part = {query: items for query, items in run.items() if str(query % 2) == label[0]}
        assert own == rw.evaluate(part, {query: qrels[query] for query in part}, ["rr"]).interval("rr")
    assert set(segment_intervals(whole.part, whole.division.labels, metric, [("1",)])) == {("1",)}


def test_of_very_many_queries_large_segments_have_students_interval_and_small_ones_the_bootstrap():
    n = 100_000
    users = pl.DataFrame({"query": np.arange(n), "group": np.where(np.arange(n) < 900, "small", "large")})
    items = pl.DataFrame({"query": np.arange(n), "item": np.arange(n) % 3})
    run = pl.DataFrame(
        {"query": np.repeat(np.arange(n), 3), "item": np.tile([0, 1, 2], n), "rank": np.tile([1, 2, 3], n)}
    )
    res = rw.evaluate(run, items, ["rr"], users=users, by="group")
    found = segment_intervals(res.part, res.division.labels, res.metrics[0], [("small",), ("large",)])
    assert {label: own.method for (label,), own in found.items()} == {"small": "studentised", "large": "t"}


def test_only_what_lies_between_0_and_1_is_taken_for_a_share():
    # a first hit that is at rank 1 in all of 40 lists may be at rank 9 in the next, and a gain of 0 may be 3
    run = {str(query): ["a", "b"] if query < 40 else ["b", "c"] for query in range(60)}
    qrels = {str(query): {"a": 1, "z": 3} for query in range(60)}
    found = rw.evaluate(run, qrels, ["first_rank", "cg@2", "hit@2"])
    others = rw.compare({"one": run, "two": run}, qrels, ["first_rank", "cg@2", "hit@2"], flips=99)
    for told in (found.interval("first_rank"), others.mean("one", "first_rank")):
        assert told.method == "studentised"
        assert math.isnan(told.low)
        assert math.isnan(told.high)
    for told in (found.interval("cg@2"), others.mean("one", "cg@2")):
        assert told.method == "studentised"
        assert told.low < told.mean < told.high
    for told in (found.interval("hit@2"), others.mean("one", "hit@2")):
        assert (told.method, round(told.low, 4), round(told.high, 4)) == (
            "wilson",
            0.5406,
            0.7727,
        )  # SciPy's binomtest
    with pytest.raises(
        rw.RankwellError, match="only 0 or 1, which those of first_rank are not, or need not be"
    ):
        found.interval("first_rank", method="wilson")
