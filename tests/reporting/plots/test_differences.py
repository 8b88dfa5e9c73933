"""The plot of paired differences, against a sorted list of the differences."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from tests.reporting import second
from tests.reporting.compared import compared, data, evaluated
from tests.reporting.plots.drawing import rows_in

import rankwell as rw
from rankwell.errors import RankwellError
from rankwell.metrics import metric_of
from rankwell.reporting.chart.inputs import QueryValues
from rankwell.reporting.plots.differences import rows_of, top_pair
from rankwell.tables.ids import Ids


def bars_of(chart):
    return sorted(rows_in(chart, "start", "difference"), key=lambda row: row["start"])


def gaps(own, first, second, metric):
    """The differences of two systems by query."""
    pairs = zip(
        own[first].per_query["query"],
        own[first].per_query[metric],
        own[second].per_query[metric],
        strict=True,
    )
    return {query: one - other for query, one, other in pairs if one is not None and other is not None}


def plain():
    chart = rw.plot.differences(second.results(), "rr", "dense", "bm25")
    deltas = {
        query: second.value("rr", "dense", query) - second.value("rr", "bm25", query)
        for query in second.QUERIES
    }
    names = {0: "open", 1: "better", -1: "worse"}
    expected = {(query,): (delta, names[(delta > 1e-9) - (delta < -1e-9)]) for query, delta in deltas.items()}
    return second.shown_in(chart, ("query",), ("difference", "outcome")), expected


@pytest.mark.parametrize(("metric", "sign"), [("ndcg@10", 1), ("p@5", 1), ("first_rank", -1)])
def test_bars_are_the_differences_best_for_the_first_system_at_the_left(metric, sign):
    own = evaluated(3)
    bars = bars_of(rw.plot.differences(own, metric, "s2", "s0"))
    wanted = gaps(own, "s2", "s0", metric)
    assert {bar["query"]: bar["difference"] for bar in bars} == pytest.approx(wanted)
    assert [bar["start"] for bar in bars] == list(range(len(wanted)))
    gains = [round(sign * bar["difference"], 9) for bar in bars]
    assert gains == sorted(gains, reverse=True)
    for bar, gain in zip(bars, gains, strict=True):
        assert bar["outcome"] == ("better" if gain > 0 else "worse" if gain < 0 else "open")


def test_line_and_band_are_the_difference_of_the_comparison():
    found = compared(3)
    chart = rw.plot.differences(evaluated(3), "ndcg@10", "s2", "s0", comparison=found)
    own = found.difference("s2", "s0", "ndcg@10")
    assert rows_in(chart, "at", "said")[0]["at"] == own.mean
    assert rows_in(chart, "low", "high")[0] == {"low": own.low, "high": own.high}
    said = f"s2 is better on {own.wins}, s0 on {own.losses} of {own.n} queries; equal on {own.ties}."
    assert chart.title.subtitle[0] == said


def test_without_a_comparison_the_two_are_compared_by_themselves():
    own = evaluated(3)
    chart = rw.plot.differences(own, "ndcg@10", "s2", "s0")
    alone = rw.compare({"s2": own["s2"], "s0": own["s0"]}, metrics=["ndcg@10"]).difference(
        "s2", "s0", "ndcg@10"
    )
    assert rows_in(chart, "low", "high")[0] == {"low": alone.low, "high": alone.high}


def test_a_diff_is_drawn_as_new_less_old():
    qrels, runs = data(2)
    found = rw.diff({"old": runs["s0"], "new": runs["s1"]}, qrels, "ndcg@10")
    chart = rw.plot.differences(found)
    assert chart.title.text == "ndcg@10 per query: new − old"
    assert sorted(bar["difference"] for bar in bars_of(chart)) == pytest.approx(
        sorted(delta for delta in found.deltas.tolist() if not math.isnan(delta))
    )


def test_many_queries_are_drawn_in_bins_of_equal_size_as_a_loop_makes_them():
    draw = np.random.default_rng(2)
    table = draw.random((2, 5_000))
    table[0, :7] = math.nan
    rows = rows_of(QueryValues(("a", "b"), Ids.of(list(range(5_000))), table), ("a", "b"), metric_of("rr"))
    d = sorted((float(one - other) for one, other in table.T if not math.isnan(one)), reverse=True)
    assert len(rows) == 300
    assert rows[-1]["end"] == len(d) == 4_993
    for row in rows:
        part = d[row["start"] : row["end"]]
        assert len(part) in (16, 17)
        assert row["queries"] == len(part)
        assert row["difference"] == pytest.approx(sum(part) / len(part))


def test_a_million_queries_cost_little_to_reduce_to_300_bars():
    draw = np.random.default_rng(3)
    found = QueryValues(("a", "b"), Ids.of(np.arange(10**6)), draw.random((2, 10**6)))
    start = time.process_time()
    assert len(rows_of(found, ("a", "b"), metric_of("rr"))) == 300
    assert time.process_time() - start < 10


def test_identical_runs_are_said_to_be_the_same():
    qrels, runs = data(1, 20)
    own = rw.Evaluator(qrels, ["rr"]).evaluate_all({"a": runs["s0"], "b": runs["s0"]})
    chart = rw.plot.differences(own)
    assert "same value on all" in chart.title.subtitle[0]
    assert chart.title.subtitle[1] == "Line: mean difference 0.0000, p = 1.0000"
    assert {bar["outcome"] for bar in bars_of(chart)} == {"open"}


def test_the_pair_is_the_best_system_and_the_baseline_or_the_second_best():
    own = compared(4, baseline="s1")
    assert top_pair(own) == ("s3", "s1")
    assert top_pair(compared(4))[0] == "s3"
    assert "s3 − s1" in rw.plot.differences(evaluated(4), comparison=own).title.text


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ((), "say which two of 3"),
        (("s0",), "say which two"),
        (("s0", "s0"), "same system"),
        (("s0", "s7"), "must be s0"),
    ],
)
def test_a_pair_that_is_not_clear_is_refused(pair, said):
    with pytest.raises(RankwellError, match=said):
        rw.plot.differences(evaluated(3), "rr", *pair)


def test_korean_words_are_drawn():
    assert "질의별" in rw.plot.differences(evaluated(2), "rr", lang="ko").title.text


def test_two_systems_without_a_query_in_common_are_refused():
    own = rw.Evaluator({"1": {"a": 1}, "2": {"a": 1}}, ["rr"], missing="skip").evaluate_all(
        {"x": {"1": ["a"]}, "y": {"2": ["a"]}}
    )
    with pytest.raises(RankwellError, match="no query has a value of rr in both"):
        rw.plot.differences(own)
