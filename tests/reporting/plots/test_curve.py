"""The plot of a metric over its cut-offs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, QRELS, RUNS, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.errors import UsageError
from rankwell.reporting.chart.lines import domain_of, spread


def plain():
    chart = rw.plot.curve(second.RUNS, second.QRELS, "p", ks=[1, 3, 5])
    expected = {
        (system, k): (second.mean(second.p(lists[q], second.QRELS[q], k) for q in second.QUERIES),)
        for system, lists in second.LISTS.items()
        for k in (1, 3, 5)
    }
    return second.shown_in(chart, ("system", "k"), ("value",)), expected


def test_points_and_bands_are_values_and_intervals():
    chart = plot.curve(RUNS, QRELS, "ndcg", rel=8)
    res = rw.evaluate(RUNS["popular"], QRELS, ["ndcg@5"], rel=8)
    interval = res.interval("ndcg@5")
    rows = [row for row in values_of(chart) if row.get("system") == "popular" and row.get("k") == 5]
    (point,) = [row for row in rows if "value" in row]
    (band,) = [row for row in rows if "low" in row]
    assert point["value"] == res["ndcg@5"]
    assert (band["low"], band["high"]) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert point["interval"] == f"{interval.low:.4f} – {interval.high:.4f}"
    assert chart.title.subtitle == ["4 systems, 379 queries. Bands: 95 % intervals of the mean"]


def test_saved_results_draw_the_cut_offs_that_they_hold(tmp_path):
    res = rw.evaluate(RUNS["als"], QRELS, ["p@1", "p@5", "p@10"], rel=8)
    res.save(tmp_path / "als.parquet")
    for given in (res, {"als": res}, {"als": str(tmp_path / "als.parquet")}):
        rows = [row for row in values_of(plot.curve(given, metric="p")) if "value" in row]
        assert {row["k"]: row["value"] for row in rows} == {k: res[f"p@{k}"] for k in (1, 5, 10)}


def test_a_metric_of_all_lists_is_drawn_without_bands():
    chart = plot.curve(RUNS, metric="coverage", items=ITEMS)
    assert chart.title.subtitle == ["4 systems, 500 queries"]
    text = str(spec_checked(chart))
    assert "coverage@k of all lists" in text
    assert "mean over" not in text


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("dark", [False, True])
def test_it_is_drawn_for_hostile_names_one_query_and_equal_values(lang, dark):
    spec_checked(plot.curve(HOSTILE, {"q": {"x": 1}}, lang=lang, dark=dark))
    spec_checked(
        plot.curve({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"q": {"x": 1}}, ks=[1], lang=lang, dark=dark)
    )
    spec_checked(plot.curve({"a": {"q": ["y"]}}, {"q": {"x": 1}}, lang=lang, dark=dark))
    spec_checked(plot.curve({"a": {"q": ["y"]}}, {"q": {"x": 0}}, lang=lang, dark=dark))


def test_more_than_four_systems_have_no_bands_and_more_than_eight_are_mostly_grey():
    rng = np.random.default_rng(0)
    runs = {f"s{n}": {str(q): [str(i) for i in rng.permutation(9)] for q in range(60)} for n in range(50)}
    qrels = {str(q): {"1": 1} for q in range(60)}
    five = plot.curve({name: runs[name] for name in list(runs)[:5]}, qrels)
    assert "Bands" not in five.title.subtitle[0]
    many = plot.curve(runs, qrels, highlight=["s3"])
    assert many.title.subtitle[1] == "1 of 50 systems is in colour"
    values = rw.Evaluator(qrels, ["ndcg@10"]).evaluate_all(runs)
    best = sorted(runs, key=lambda name: -values[name]["ndcg@10"])[:3]
    ends = [row["system"] for row in values_of(plot.curve(runs, qrels)) if "at" in row]
    assert sorted(ends) == sorted(best)


def test_a_doubtful_interval_over_half_of_all_values_is_not_drawn():
    qrels = {str(q): {"x": 1} for q in range(100)}
    run = {str(q): ["x"] if q == 0 else ["y"] for q in range(100)}
    areas = [
        row
        for row in values_of(plot.curve({"a": run}, qrels, "ndcg", ks=[1, 2]))
        if row.get("high") is not None
    ]
    assert (
        all(row["high"] - row["low"] < 0.5 for row in areas)
        or "Bands" not in plot.curve({"a": run}, qrels).title.subtitle[0]
    )


def test_a_value_without_an_interval_does_not_read_as_0():
    rows = values_of(plot.curve({"a": {"q": ["x"]}}, {"q": {"x": 1}}))
    assert {row["interval"] for row in rows if "interval" in row} == {"–"}


def test_names_at_the_ends_keep_their_distance_and_order():
    rng = np.random.default_rng(0)
    for _ in range(200):
        wanted = rng.random(rng.integers(1, 9)).round(1).tolist()
        places = spread(wanted, 0.1, 0.0, 1.0)
        order = sorted(range(len(wanted)), key=lambda at: wanted[at])
        gaps = np.diff([places[at] for at in order])
        assert (gaps >= 0.1 - 1e-9).all()
        assert min(places) >= -1e-9
        assert max(places) <= 1 + 1e-9


@pytest.mark.parametrize("values", [[0.0], [1.0], [0.5, 0.5], [], [-3.0, -1.0], [1e-9, 2e-9], [0.2, 1e6]])
def test_an_axis_holds_its_values_and_is_never_empty(values):
    low, high = domain_of(values)
    assert low < high
    assert all(low - 1e-12 <= value <= high + 1e-12 for value in values)


def test_a_cut_off_in_the_metric_is_refused():
    with pytest.raises(UsageError, match="leave out the cut-off"):
        plot.curve(RUNS, QRELS, "ndcg@10")
