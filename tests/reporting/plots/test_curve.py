"""The plot of a metric over its cut-offs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, QRELS, RUNS, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.errors import UsageError
from rankwell.reporting.chart.axes import round_domain
from rankwell.reporting.chart.systems import spread
from rankwell.reporting.plots.curve import at_cuts, rows_of, without_cut


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
    low, high = round_domain(values)
    assert low < high
    assert all(low - 1e-12 <= value <= high + 1e-12 for value in values)


def test_a_cut_off_in_the_metric_is_refused():
    with pytest.raises(UsageError, match="leave out the cut-off"):
        plot.curve(RUNS, QRELS, "ndcg@10")


rng = np.random.default_rng(0)
FEW = {str(q): {str(i): 1 for i in rng.choice(30, 5, replace=False)} for q in range(80)}
LISTS = {str(q): [str(i) for i in rng.permutation(30)[:12]] for q in range(80)}


def rows(run, qrels, metric, ks=None, **options):
    base = without_cut(metric)
    res = rw.Evaluator(qrels, at_cuts(base, ks), **options).evaluate(run)
    return res, rows_of("run", res, base, ks)


@pytest.mark.parametrize("metric", ["ndcg", "p", "ap(denom=min_rk)", rw.R, rw.RR()])
def test_each_row_has_the_value_and_the_interval_of_its_metric(metric):
    _, found = rows(LISTS, FEW, metric)
    assert [row["k"] for row in found] == [1, 3, 5, 10, 20]
    for row in found:
        wanted = without_cut(metric) @ row["k"]
        alone = rw.evaluate(LISTS, FEW, [wanted])
        interval = alone.interval(wanted)
        assert row["value"] == alone[wanted]
        assert row["n"] == 80
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-12)
        assert row["is_doubtful"] == interval.is_doubtful


def test_cut_offs_end_where_the_longest_list_does_unless_they_are_given():
    assert [row["k"] for row in rows(RUNS["als"], QRELS, "ndcg", rel=8)[1]] == [1, 3, 5, 10]
    assert [row["k"] for row in rows(RUNS["als"], QRELS, "ndcg", [5, 50], rel=8)[1]] == [5, 50]


def test_a_metric_of_all_lists_has_values_without_intervals():
    res, found = rows(RUNS["als"], None, "coverage", [1, 10], items=ITEMS)
    assert [row["value"] for row in found] == [res["coverage@1"], res["coverage@10"]]
    assert [(row["low"], row["high"]) for row in found] == [(None, None)] * 2


def test_undefined_values_are_none():
    _, found = rows({"q": ["a"]}, {"q": {"a": 0}}, "ndcg", [1])
    assert [(row["value"], row["low"], row["n"]) for row in found] == [(None, None, 0)]


def test_results_give_the_cut_offs_that_they_hold():
    res = rw.evaluate(LISTS, FEW, ["ndcg@5", "ap", "ndcg@10", "ndcg(gain=exp2)@20"])
    assert [row["k"] for row in rows_of("run", res, without_cut("ndcg"), None)] == [5, 10]
    with pytest.raises(UsageError, match="hold rr at no cut-off"):
        rows_of("run", res, without_cut("rr"), None)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("ndcg@10", "write ndcg;"),
        (rw.P @ 5, "write p;"),
        ("rprec", "takes no cut-off"),
        ("ndgc", "Did you mean"),
    ],
)
def test_a_metric_that_has_a_cut_off_or_takes_none_is_refused(metric, message):
    with pytest.raises(UsageError, match=message):
        without_cut(metric)


@pytest.mark.parametrize("ks", [[], [5, 1], [3, 3]])
def test_cut_offs_must_rise(ks):
    with pytest.raises(UsageError, match="ascending order"):
        at_cuts(without_cut("ndcg"), ks)


SIZED = {
    "items": [{"item": item, "tokens": size} for item, size in zip("abcd", (5, 10, 20, 1), strict=True)],
    "sizes": "tokens",
}


def test_budgets_stand_in_place_of_cut_offs(tmp_path):
    run, qrels = {"q": list("abcd"), "r": list("dcba")}, {"q": {"a": 1, "c": 1}, "r": {"a": 1}}
    res = rw.evaluate(run, qrels, ["r@5t", "r@35.5t", "r@40t"], **SIZED)
    assert len(set(res.mean.values())) == 3
    res.save(tmp_path / "run.json")
    for given, more in ((run, {"qrels": qrels, **SIZED}), (str(tmp_path / "run.json"), {})):
        chart = plot.curve({"run": given}, metric="r", budgets=[5, 35.5, 40], **more)
        spec_checked(chart)
        points = {row["k"]: row["value"] for row in values_of(chart) if "value" in row and "told" in row}
        assert points == {5: res["r@5t"], 35.5: res["r@35.5t"], 40: res["r@40t"]}
        assert chart.title.text == "r within each budget"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "r@5t", "budgets": [5]}, r"leave out the cut-off and write r; budgets= has the cut-offs"),
        ({"metric": rw.R @ rw.Budget(5)}, r"budgets= has the cut-offs"),
        ({"metric": "r", "budgets": [7, 5]}, r"must be distinct numbers in ascending order"),
        ({"metric": "r", "budgets": [7], "ks": [1]}, r"in place of ks="),
        ({"metric": "ndcg", "budgets": [7]}, "ndcg takes no budget"),
    ],
)
def test_budgets_that_cannot_be_drawn_are_one_clear_error(given, message):
    with pytest.raises(rw.RankwellError, match=message):
        plot.curve({"run": {"q": list("abcd")}}, {"q": {"a": 1}}, **given, **SIZED)
