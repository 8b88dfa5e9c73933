"""The plot of quality against cost: its points, its bounds, the front, and what it says where something is unknown."""

from __future__ import annotations

import math
import random
from functools import cache

import pytest
from tests.efficiency.made import MIB, made
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of
from tests.reporting.plots.pictures import spec_checked

import rankwell as rw
from rankwell.comparison.compare.costs import QUANTITIES
from rankwell.errors import RankwellError, UsageError
from rankwell.metrics import metric_of

RR, FIRST = metric_of("rr"), metric_of("first_rank")


def compared(systems, queries=80, metrics=("rr", "first_rank"), **options):
    """A comparison of systems: seconds of the fastest call, share of queries whose first item is relevant, and other costs."""
    return made_once(tuple(systems.items()), queries, tuple(metrics), **options)


@cache
def made_once(systems, queries, metrics, **options):
    ids = [f"q{at}" for at in range(queries)]
    qrels = {query: {"d": 1} for query in ids}
    runs, measured = {}, {}
    for place, (name, (seconds, share)) in enumerate(systems):
        runs[name] = {
            query: ["d", "e"] if at < share * queries else ["e", "d"] for at, query in enumerate(ids)
        }
        own = [
            [seconds * (1 + at % 7 / 10) * (1 + 1e-4 * place * (at % 3 + turn)) for at in range(queries)]
            for turn in range(3)
        ]
        measured[name] = {
            "seconds": own, "memory": [10 * seconds] * 3, "index": [1000 * seconds], "throughput": [1 / seconds] * 3,
        }  # fmt: skip
    costs = made(measured, runs=runs)
    return rw.compare(runs, qrels, list(metrics), costs=costs, flips=99, resamples=99, **options)


FOUR = {"slow": (0.5, 0.9), "fast": (0.001, 0.5), "middle": (0.02, 0.7), "poor": (0.03, 0.6)}


def plain():
    chart = rw.plot.costs(compared(FOUR), x="index")
    values = {
        name: (
            round(1000 * seconds * MIB) / MIB,
            second.mean(1 if at < share * 80 else 1 / 2 for at in range(80)),
        )
        for name, (seconds, share) in FOUR.items()
    }
    expected = {}
    for name, (cost, good) in values.items():
        others = [(c, g) for c, g in values.values() if (c, g) != (cost, good)]
        beaten = any(c <= cost and g >= good for c, g in others)
        expected[name,] = cost, good, not beaten
    return second.shown_in(chart, ("system",), ("x", "y", "is_front")), expected


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("lang", ["en", pytest.param("ko", marks=pytest.mark.exhaustive)])
def test_points_and_bounds_are_those_of_the_comparison(quantity, lang):
    found = compared(FOUR)
    chart = rw.plot.costs(found, x=quantity, lang=lang)
    spec_checked(chart)
    rows = rows_in(chart, "x", "y", "system", "role")
    assert {row["system"] for row in rows} == FOUR.keys()
    for row in rows:
        cost, mean = found.costs.of(quantity)[row["system"]], found.mean(row["system"], RR)
        assert (row["x"], row["y"]) == (cost.value, mean.mean)
        assert (row["y_low"], row["y_high"]) == (mean.low, mean.high)
        if math.isnan(cost.low):
            assert row["x_low"] is None
        else:
            assert (row["x_low"], row["x_high"]) == (cost.low, cost.high)
    assert QUANTITIES[quantity].unit in text_of(chart)


@pytest.mark.parametrize("metric", [RR, FIRST])
@pytest.mark.parametrize("quantity", ["p95", "throughput"])
def test_the_front_is_what_no_other_system_beats(metric, quantity):
    for seed in range(8):
        draw = random.Random(seed)
        systems = {f"s{at}": (draw.randint(1, 6) / 1000, draw.randint(0, 6) / 6) for at in range(7)}
        found = compared(systems)
        rows = rows_in(rw.plot.costs(found, metric, x=quantity), "x", "y", "system", "role")
        signs = (1 if quantity == "throughput" else -1, -1 if metric is FIRST else 1)
        own = {row["system"]: (signs[0] * row["x"], signs[1] * row["y"]) for row in rows}
        wanted = {
            name
            for name, (a, b) in own.items()
            if not any(c >= a and d >= b and (c, d) != (a, b) for c, d in own.values())
        }
        assert {row["system"] for row in rows if row["is_front"]} == wanted


def scale_of(chart):
    """The kind of scale across."""
    return chart.to_dict()["layer"][0]["encoding"]["x"]["scale"]


def test_costs_of_more_than_a_decade_are_in_log_scale():
    wide, narrow = compared(FOUR), compared({"a": (0.01, 0.5), "b": (0.02, 0.7)})
    assert scale_of(rw.plot.costs(wide))["type"] == "log"
    assert "type" not in scale_of(rw.plot.costs(narrow))
    low, high = scale_of(rw.plot.costs(narrow))["domain"]
    assert 0 <= low < 16  # 10 ms × 1.6
    assert high > 32


def test_it_says_where_a_cost_has_no_interval_and_of_how_many():
    few = compared({"a": (0.01, 0.5), "b": (0.02, 0.7)}, queries=60)
    said = " ".join(rw.plot.costs(few, x="p95").title.subtitle)
    assert (
        "2 systems have no interval of p95: their calls are worth fewer than 72 independent queries." in said
    )
    assert "intervals of the latency" not in said
    assert "no interval" not in " ".join(rw.plot.costs(few, x="p50").title.subtitle)


def test_systems_without_a_value_are_left_out_and_counted():
    qrels = {f"q{at}": {"d": 1} for at in range(12)}
    runs = {name: {query: ["d"] for query in qrels} for name in ("a", "b", "unmeasured")}
    own = {"seconds": [[0.001] * 12] * 3, "memory": [1] * 3, "throughput": [9] * 3}
    costs = made({"a": own | {"index": [2]}, "b": own | {"index": [None]}})
    found = rw.compare(runs, qrels, ["rr"], costs=costs, flips=99, resamples=99)
    chart = rw.plot.costs(found, x="index")
    assert {row["system"] for row in rows_in(chart, "x", "role")} == {"a"}
    assert "2 systems are left out: a value is unknown or infinite." in chart.title.subtitle
    assert "Load" not in " ".join(chart.title.subtitle)
    assert "1 system is left out" in " ".join(rw.plot.costs(found).title.subtitle)


def test_of_fifty_systems_the_front_and_the_baseline_are_named():
    draw = random.Random(1)
    systems = {f"system {at}": (10 ** draw.uniform(-3, 0), draw.random()) for at in range(50)}
    chart = rw.plot.costs(compared(systems, queries=20, baseline="system 7", metrics=["rr"]))
    rows = {row["system"]: row for row in rows_in(chart, "x", "role")}
    assert len(rows) == 50
    named = {name for name, row in rows.items() if row["side"]}
    assert named <= {name for name, row in rows.items() if row["is_front"]} | {"system 7"}
    assert "system 7" in named
    assert f"{50 - len(named)} systems have no name here; point at them." in chart.title.subtitle


def test_an_infinite_bound_is_drawn_to_the_end_of_the_axis():
    found = compared(FOUR)
    value = found.costs.of("p95")["slow"]
    found.costs.values["p95"]["slow"] = value._replace(high=math.inf)
    row, *_ = [row for row in rows_in(rw.plot.costs(found), "x", "role") if row["system"] == "slow"]
    assert row["x_high"] == scale_of(rw.plot.costs(found))["domain"][1]
    assert row["x_shown"].endswith(", ∞]")


def test_hostile_names_are_text():
    systems = {name: (0.01 + 0.001 * at, 0.1 * at) for at, name in enumerate(HOSTILE) if name != "\ud800"}
    spec_checked(rw.plot.costs(compared(systems, queries=10)))


def test_what_cannot_be_drawn_is_refused():
    plain = rw.compare({"a": {"q": ["d"]}, "b": {"q": ["e"]}}, {"q": {"d": 1}}, ["rr"])
    with pytest.raises(UsageError, match="the comparison has no costs; measure them"):
        rw.plot.costs(plain)
    with pytest.raises(RankwellError, match="x="):
        rw.plot.costs(compared(FOUR), x="p42")
    with pytest.raises(RankwellError, match="ap was not evaluated"):
        rw.plot.costs(compared(FOUR), "ap")
