"""The plot of values per query, against the results and plain loops over their values."""

from __future__ import annotations

import math
import statistics
import time

import numpy as np
import pytest
from tests.reporting import second
from tests.reporting.compared import compared, data, evaluated
from tests.reporting.plots.drawing import HOSTILE, rows_in

import rankwell as rw
from rankwell.errors import RankwellError
from rankwell.reporting.chart.inputs import QueryValues
from rankwell.reporting.plots.per_query import bars_of, bins_for, boxes_of, points_of
from rankwell.tables.ids import Ids


def values(*rows, queries=None):
    ids = Ids.of(list(range(len(rows[0]))) if queries is None else queries)
    return QueryValues(tuple(f"s{at}" for at in range(len(rows))), ids, np.array(rows, np.float64))


def plain():
    chart = rw.plot.per_query(second.results(), "rr")
    expected = {(s, q): (second.value("rr", s, q),) for s in second.RUNS for q in second.QUERIES}
    for system in second.RUNS:
        values = sorted(second.value("rr", system, query) for query in second.QUERIES)
        expected[system,] = second.mean(values), (values[5] + values[6]) / 2, len(values)
    boxes = second.shown_in(chart, ("system",), ("mean", "p50", "n"))
    return second.shown_in(chart, ("system", "query"), ("value",)) | boxes, expected


def test_each_defined_value_is_a_point_that_names_its_query():
    own = evaluated(3)
    seen = {
        (row["system"], row["query"]): row["value"]
        for row in rows_in(rw.plot.per_query(own, "ndcg@10"), "query")
    }
    wanted = {
        (name, query): value
        for name, res in own.items()
        for query, value in zip(res.per_query["query"], res.per_query["ndcg@10"], strict=True)
        if value is not None
    }
    assert seen == wanted


def test_the_box_is_made_of_the_percentiles_of_the_defined_values():
    own = evaluated(2)
    boxes = {row["system"]: row for row in rows_in(rw.plot.per_query(own, "rr"), "p50")}
    for name, res in own.items():
        known = [value for value in res.per_query["rr"] if value is not None]
        twentieths = statistics.quantiles(known, n=20, method="inclusive")
        wanted = [twentieths[at] for at in (0, 4, 9, 14, 18)]
        assert [boxes[name][key] for key in ("p5", "p25", "p50", "p75", "p95")] == pytest.approx(wanted)
        assert boxes[name]["n"] == len(known)


def test_means_and_intervals_are_those_of_the_results_or_the_comparison():
    own, found = evaluated(2), compared(2)
    for row in rows_in(rw.plot.per_query(own, "ndcg@10"), "p50"):
        told = own[row["system"]].interval("ndcg@10")
        assert (row["mean"], row["low"], row["high"]) == (told.mean, told.low, told.high)
    for row in rows_in(rw.plot.per_query(own, "ndcg@10", comparison=found), "p50"):
        told = found.mean(row["system"], "ndcg@10")
        assert (row["mean"], row["low"], row["high"]) == (told.mean, told.low, told.high)


def test_many_values_are_counted_in_bins_as_a_loop_counts_them():
    draw = np.random.default_rng(4)
    rows = [np.where(draw.random(3000) < 0.7, 0.0, draw.random(3000)) for _ in range(2)]
    rows[0][:50] = math.nan
    found = values(*rows)
    assert points_of(found) == []
    bars = bars_of(found)
    for at, own in enumerate(rows):
        known = own[~np.isnan(own)]
        mine = [bar for bar in bars if bar["system"] == f"s{at}"]
        assert sum(bar["queries"] for bar in mine) == len(known)
        highest = max(bar["end"] for bar in bars)
        for bar in mine:
            inside = [v for v in known if bar["start"] <= v < bar["end"] or v == bar["end"] == highest]
            assert bar["queries"] == len(inside)
    shares = [bar["queries"] / np.count_nonzero(~np.isnan(rows[int(bar["system"][1])])) for bar in bars]
    heights = [bar["base"] - bar["top"] for bar in bars]
    assert [height / max(heights) for height in heights] == pytest.approx(
        [math.sqrt(share / max(shares)) for share in shares]
    )


def test_what_is_drawn_of_a_million_queries_is_small_and_costs_little():
    draw = np.random.default_rng(5)
    found = values(draw.random(10**6), draw.random(10**6))
    start = time.process_time()
    rows = [*boxes_of(found, [(0.5, 0.4, 0.6)] * 2), *points_of(found), *bars_of(found)]
    assert len(rows) < 3_000
    assert time.process_time() - start < 10


@pytest.mark.parametrize("systems", [1, 8, 50, 100, 200])
def test_the_rows_of_any_number_of_systems_are_few(systems):
    assert systems * bins_for(systems) <= 2_000


def test_seeds_are_drawn_as_one_system_by_their_mean():
    qrels, runs = data(6, 20)
    seeds = {"weak": ["s0", "s1", "s2"], "strong": ["s3", "s4", "s5"]}
    own = rw.Evaluator(qrels, ["ndcg@10"]).evaluate_all(runs)
    found = rw.compare(own, seeds=seeds, resamples=199)
    rows = rows_in(rw.plot.per_query(own, comparison=found), "query")
    assert {row["system"] for row in rows} == {"weak", "strong"}
    frames = [own[name].per_query for name in seeds["strong"]]
    for row in rows:
        if row["system"] == "strong":
            each = [frame.filter(frame["query"] == row["query"])["ndcg@10"].item() for frame in frames]
            assert row["value"] == pytest.approx(sum(each) / 3)


def test_one_query_and_equal_values_are_drawn():
    qrels, runs = data(2, 1)
    chart = rw.plot.per_query(rw.Evaluator(qrels, ["rr"]).evaluate_all(runs))
    assert "1 query" in chart.title.subtitle
    assert bars_of(values([0.5] * 3000))[0]["queries"] == 3000


def test_values_undefined_everywhere_leave_an_empty_row():
    found = values([math.nan] * 3, [0.1, 0.2, 0.3])
    empty, full = boxes_of(found, [(math.nan,) * 3] * 2)
    assert (empty["n"], empty["p50"], empty["median"]) == (0, None, "–")
    assert full["undefined"] == 0


def test_hostile_names_and_ids_are_shortened():
    found = QueryValues(HOSTILE[:2], Ids.of(["x" * 10_000, "b"]), np.array([[0.1, 0.2], [0.3, 0.4]]))
    assert max(len(str(value)) for row in points_of(found) for value in row.values()) < 60


def test_a_metric_without_values_per_query_is_refused():
    with pytest.raises(RankwellError, match="no values per query"):
        rw.plot.per_query(evaluated(2), "coverage@3")
    with pytest.raises(RankwellError, match="no values per query"):
        rw.plot.per_query(compared(2))


def test_systems_come_best_first_where_a_comparison_says_which_are():
    chart = rw.plot.per_query(evaluated(3), "ndcg@10", comparison=compared(3))
    means = {row["at"]: row["mean"] for row in rows_in(chart, "mean", "at")}
    assert [means[at] for at in range(3)] == sorted(means.values(), reverse=True)


def test_runs_in_the_place_of_results_are_refused_with_what_to_do():
    with pytest.raises(RankwellError, match="Evaluate runs first"):
        rw.plot.per_query({"A": {"q": ["a"]}}, "rr")
