"""The plot of bounds, against all grades that the unjudged items could get, tried one by one."""

from __future__ import annotations

from itertools import product

import pytest
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of
from tests.reporting.plots.pictures import spec_checked

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.reporting.plots.bounds import bounds_of

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "d": 1}}
RUN = {"1": ["x", "a", "b"], "2": ["d", "y", "z"]}
METRICS = ["p@2", "rr", "dcg@3", "err@3"]


def bounded(metrics=METRICS, **options):
    return rw.evaluate(RUN, QRELS, metrics, bounds=True, **options)


def plain():
    chart = rw.plot.bounds(second.results(bounds=True), metrics=["rr", "p@3"])
    expected = {}
    for system in second.RUNS:
        for metric in second.PLAIN:
            ends = [second.bounds(metric, system, query) for query in second.QUERIES]
            low, high = (second.mean(own) for own in zip(*ends, strict=True))
            expected[system, metric] = low, second.mean_of(metric, system), high
    return second.shown_in(chart, ("system", "metric"), ("lowest", "value", "highest")), expected


def test_the_ends_are_those_of_every_grade_that_unjudged_items_could_get():
    res = bounded()
    means = {name: [] for name in METRICS}
    for x, y, z in product(range(3), repeat=3):
        judged = {"1": QRELS["1"] | {"x": x}, "2": QRELS["2"] | {"y": y, "z": z}}
        for name, mean in rw.evaluate(RUN, judged, METRICS).mean.items():
            means[name].append(mean)
    for row in bounds_of({"one": res}, res.metrics):
        assert row["lowest"] == pytest.approx(min(means[row["metric"]]), abs=1e-12)
        assert row["highest"] == pytest.approx(max(means[row["metric"]]), abs=1e-12)
        assert row["value"] == res[row["metric"]]
        assert not row["is_open"]


def test_without_a_pool_a_line_of_recall_begins_at_its_value_and_it_is_said():
    chart = rw.plot.bounds({"one": bounded(["r@2", "p@2"])})
    rows = {row["metric"]: row for row in rows_in(chart, "lowest")}
    assert rows["r@2"]["lowest"] == rows["r@2"]["value"]
    assert "Without a stated pool nothing bounds r@2 from below." in text_of(chart)
    stated = rw.plot.bounds({"one": bounded(["r@2", "p@2"], pool=["all"])})
    assert "nothing bounds" not in text_of(stated)
    assert (
        next(row for row in rows_in(stated, "lowest") if row["metric"] == "r@2")["lowest"]
        < rows["r@2"]["value"]
    )


def test_metrics_without_bounds_are_left_out_and_alone_refused():
    res = bounded(["bpref", "rr"])
    assert {row["metric"] for row in rows_in(rw.plot.bounds(res), "lowest")} == {"rr"}
    with pytest.raises(UsageError, match="bpref: there are no bounds"):
        rw.plot.bounds(res, metrics="bpref")


@pytest.mark.parametrize(("metrics", "message"), [(["ndcg@3"], "ndcg@3"), (["p@3"], "Did you mean")])
def test_metrics_that_were_not_evaluated_are_refused(metrics, message):
    with pytest.raises(UsageError, match=message):
        rw.plot.bounds(bounded(), metrics=metrics)


def test_results_without_bounds_are_refused():
    with pytest.raises(UsageError, match="bounds=True"):
        rw.plot.bounds(rw.evaluate(RUN, QRELS, METRICS))


def test_saved_results_have_the_bounds_that_a_file_holds(tmp_path):
    res = bounded()
    res.save(tmp_path / "one.json")
    loaded = rw.Results.load(tmp_path / "one.json")
    assert bounds_of({"one": loaded}, loaded.metrics) == bounds_of({"one": res}, res.metrics)


def test_hostile_names_and_korean_and_dark_pictures():
    results = {name: bounded() for name in HOSTILE}
    chart = rw.plot.bounds(results, lang="ko", dark=True)
    spec_checked(chart)
    text = text_of(chart)
    assert "\u202e" not in text
    assert "판정되지 않은 항목" in text
