"""The scatter plot and its Pareto front, against a comparison of each system with each other one."""

from __future__ import annotations

import json
import math
import random

import pytest
from tests.reporting import second
from tests.reporting.compared import compared, evaluated
from tests.reporting.plots.drawing import rows_in

import rankwell as rw
from rankwell.errors import RankwellError
from rankwell.metrics import metric_of
from rankwell.reporting.plots.scatter import SIDES, SystemPoints, _box, front_of, place_labels, rows_of

RR, FIRST = metric_of("rr"), metric_of("first_rank")


def beats(one, other, signs):
    """Whether one system is as good in both metrics as another, and better in one."""
    gains = [sign * (a - b) for a, b, sign in zip(one, other, signs, strict=True)]
    return min(gains) >= 0 and max(gains) > 0


def plain():
    chart = rw.plot.scatter(second.compared(), x="rr", y="p@3")
    values = {
        system: tuple(second.mean_of(metric, system) for metric in ("rr", "p@3")) for system in second.RUNS
    }
    expected = {}
    for system, (x, y) in values.items():
        beaten = any(a >= x and b >= y and (a, b) != (x, y) for a, b in values.values())
        expected[system,] = x, y, not beaten
    return second.shown_in(chart, ("system",), ("x", "y", "is_front")), expected


@pytest.mark.parametrize(
    ("metrics", "signs"), [((RR, RR), (1, 1)), ((RR, FIRST), (1, -1)), ((FIRST, FIRST), (-1, -1))]
)
def test_the_front_is_what_no_other_system_beats(metrics, signs):
    for seed in range(60):
        draw = random.Random(seed)
        values = {
            f"s{at}": (draw.randint(0, 6) / 6, draw.randint(0, 6) / 6) for at in range(draw.randint(1, 15))
        }
        wanted = {
            name
            for name, own in values.items()
            if not any(beats(each, own, signs) for each in values.values())
        }
        assert set(front_of(values, *metrics)) == wanted


def test_points_are_the_values_of_the_results_and_of_the_comparison():
    own = evaluated(5)
    for source in (own, compared(5)):
        rows = rows_in(rw.plot.scatter(source, x="ndcg@10", y="gini@3"), "x", "y", "system")
        points = {row["system"]: (row["x"], row["y"]) for row in rows}
        assert points.keys() == own.keys()
        for name, res in own.items():
            assert points[name] == pytest.approx((res["ndcg@10"], res["gini@3"]), abs=1e-15)


def test_there_is_no_front_where_neither_end_is_better():
    chart = rw.plot.scatter(evaluated(5), x="ndcg@10", y="personalization@3")
    assert "there is no Pareto front" in chart.title.subtitle[0]
    assert not any(row["is_front"] for row in rows_in(chart, "is_front"))


def test_undefined_systems_are_left_out_and_counted():
    res = evaluated(2)
    chart = rw.plot.scatter(
        res | {"none": rw.evaluate({"q": ["a"]}, {"q": {"a": 0}}, list(res["s0"].metrics), items=["a"])}
    )
    assert len({row["system"] for row in rows_in(chart, "x", "system")}) == 2
    assert "1 system is left out" in " ".join(chart.title.subtitle)


def test_labels_of_fifty_systems_cover_neither_each_other_nor_a_point():
    for seed in range(20):
        draw = random.Random(seed)
        points = [(draw.random(), draw.random()) for _ in range(50)]
        labels = [(at, f"system {at}") for at in range(50)]
        found = place_labels(points, labels, 480, 360)
        boxes = [
            _box(points[at][0] * 480, (1 - points[at][1]) * 360, f"system {at}", side)
            for at, side in found.items()
        ]
        assert set(found.values()) <= set(SIDES)
        for one in range(len(boxes)):
            for other in range(one):
                a, b = boxes[one], boxes[other]
                assert min(a.right, b.right) <= max(a.left, b.left) or min(a.bottom, b.bottom) <= max(
                    a.top, b.top
                )
        for at, box in zip(found, boxes, strict=True):
            for place, (x, y) in enumerate(points):
                if place != at:
                    assert not (box.left < x * 480 < box.right and box.top < (1 - y) * 360 < box.bottom)


def test_of_many_systems_the_front_and_the_baseline_are_named():
    draw = random.Random(1)
    values = {f"s{at}": (draw.random(), draw.random()) for at in range(50)}
    rows = rows_of(SystemPoints(values, 0, "s7"), RR, RR)
    front = set(front_of(values, RR, RR))
    named = {row["system"] for row in rows if row["side"]}
    assert named <= front | {"s7"}
    assert "s7" in named
    assert {row["system"] for row in rows if row["is_front"]} == front


def test_equal_systems_are_drawn_with_an_axis_of_some_length():
    chart = rw.plot.scatter({"a": evaluated(1)["s0"], "b": evaluated(1)["s0"]}, x="rr", y="p@5")
    text = chart.to_json()
    assert "NaN" not in text
    assert len({row["side"] for row in rows_in(chart, "side")}) == 2


def test_one_metric_and_none_defined_are_refused():
    res = rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, ["rr"])
    with pytest.raises(RankwellError, match="shows two metrics"):
        rw.plot.scatter(res)
    none = rw.evaluate({"q": ["a"]}, {"q": {"a": 0}}, ["rr", "p@1"])
    assert math.isnan(none["rr"])
    with pytest.raises(RankwellError, match="no system has both"):
        rw.plot.scatter(none)


def test_an_axis_says_its_metric_and_which_end_is_better():
    run, qrels = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}}, {"q": {"a": 1}}
    spec = json.dumps(
        rw.plot.scatter(rw.compare(run, qrels, ["rr", "first_rank"])).to_dict(), ensure_ascii=False
    )
    assert '"title": "rr (↑ higher is better)"' in spec
    assert '"title": "first_rank (↓ lower is better)"' in spec
