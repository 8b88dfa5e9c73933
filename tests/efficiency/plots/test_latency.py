"""The plot of latencies: its quantiles against counting, its bounds, its panels, and what failed."""

from __future__ import annotations

import math
import random

import polars as pl
import pytest
from tests.efficiency.made import LOAD, made
from tests.reporting import second
from tests.reporting.plots.drawing import rows_in
from tests.reporting.plots.pictures import spec_checked

import rankwell as rw
from rankwell.efficiency.frames import ALL, frame_of
from rankwell.errors import UsageError

DRAW = random.Random(5)
SECONDS = {
    name: [[scale * math.exp(DRAW.gauss(0, 1)) for _ in range(100)] for _ in range(3)]
    for name, scale in (("a", 0.001), ("b", 0.004))
}
OTHER = {"memory": [1, 1, 1], "index": [1], "throughput": [9, 9, 9]}


def costs(loads=(LOAD,), names=("a", "b")):
    return made({name: OTHER | {"seconds": SECONDS[name]} for name in names}, loads=loads)


def with_calls(found, **columns):
    """The same costs with more calls, all of system a."""
    from dataclasses import replace

    rows = frame_of([{"system": "a", "load": LOAD, "repetition": 1, "queries": 1} | columns], ALL["calls"])
    return replace(found, calls=pl.concat([found.calls, rows]))


def plain():
    shown = second.shown_in(rw.plot.latency(costs()), ("system", "tail"), ("ms",))
    expected = {}
    for system, tail in shown:
        values = sorted(1000 * each for own in SECONDS[system] for each in own)
        # the smallest value that at most this share of all exceed
        expected[system, tail] = (
            next(each for at, each in enumerate(values) if len(values) - at - 1 <= tail * len(values) + 1e-6),
        )
    assert {("a", 0.5), ("b", 0.05)} <= shown.keys()
    return shown, expected


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_each_point_is_the_quantile_that_counting_finds(lang):
    chart = rw.plot.latency(costs(), lang=lang)
    spec_checked(chart)
    rows = rows_in(chart, "tail", "ms")
    assert {row["system"] for row in rows} == {"a", "b"}
    for row in rows:
        values = [1000 * each for own in SECONDS[row["system"]] for each in own]
        # the smallest value below or at which there are at least q of all
        slower = sum(each > row["ms"] * (1 + 1e-12) for each in values)
        as_slow = sum(each >= row["ms"] * (1 - 1e-12) for each in values)
        assert slower <= row["tail"] * 300 + 1e-6 < as_slow + 1e-5
    tails = {row["tail"] for row in rows}
    assert min(tails) == pytest.approx(1 / 300)
    assert {0.5, 0.1, 0.05, 0.01} <= tails


def test_bars_are_the_intervals_of_the_costs():
    found = costs()
    rows = [row for row in rows_in(rw.plot.latency(found), "tail", "ms") if row["low"] is not None]
    # 100 distinct queries have an interval of p95, and none of p99
    assert {(row["system"], row["tail"]) for row in rows} == {
        (name, t) for name in "ab" for t in (0.5, 0.1, 0.05)
    }
    for row in rows:
        known = found.quantile(row["system"], 1 - row["tail"])
        assert (row["ms"], row["low"], row["high"]) == pytest.approx([1000 * each for each in known[:3]])


def test_too_few_queries_for_any_interval_are_said():
    few = made({"a": OTHER | {"seconds": [[0.001, 0.002]] * 3}})
    assert (
        "No quantile has an interval: there are too few independent queries."
        in rw.plot.latency(few).title.subtitle
    )


def test_each_load_has_a_panel_and_one_can_be_chosen():
    several = costs(("closed, 1 at a time", "open, 50/s"))
    spec = rw.plot.latency(several).to_dict()
    assert [each["title"] for each in spec["concat"]] == ["closed, 1 at a time", "open, 50/s"]
    chart = rw.plot.latency(several, load="open, 50/s")
    assert {row["load"] for row in rows_in(chart, "tail", "load")} == {"open, 50/s"}
    assert "Load: open, 50/s." in chart.title.subtitle
    with pytest.raises(UsageError, match=r"no load 'open, 5/s'; there are .* Did you mean"):
        rw.plot.latency(several, load="open, 5/s")


def test_a_cold_pass_has_a_broken_line():
    cold = {"session": "cold", "query": "q0", "began": 0.0, "ended": 3.0, "outcome": "ok"}
    chart = rw.plot.latency(with_calls(costs(), **cold))
    (row,) = [row for row in rows_in(chart, "tail", "ms") if row["session"] == "cold"]
    assert (row["ms"], row["tail"]) == (3000, 1)
    assert any(line.startswith("Broken: cold") for line in chart.title.subtitle)


def test_a_time_out_is_infinitely_long_and_other_failures_are_left_out():
    found = costs()
    for at in range(6):
        found = with_calls(found, session="warm", query=f"q{at}", began=0.0, ended=9.0, outcome="timeout")
    found = with_calls(found, session="warm", query="q7", began=0.0, ended=0.1, outcome="error")
    chart = rw.plot.latency(found)
    rows = [row for row in rows_in(chart, "tail", "ms") if row["system"] == "a"]
    # 6 of 306 calls are infinitely long, so quantiles above 300/306 are
    assert min(row["tail"] for row in rows) >= 6 / 306
    assert max(row["ms"] for row in rows) == pytest.approx(1000 * max(map(max, SECONDS["a"])))
    assert f"a ({LOAD}): 6 of 307 calls timed out and count as infinitely long." in chart.title.subtitle
    assert f"a ({LOAD}): 1 of 307 calls failed and is left out." in chart.title.subtitle


def test_of_many_systems_the_fastest_are_in_colour():
    many = {f"s{at}": OTHER | {"seconds": [[0.001 * (50 - at)] * 20] * 3} for at in range(50)}
    chart = rw.plot.latency(made(many))
    legend = next(
        layer["encoding"]["color"] for layer in chart.to_dict()["layer"] if "color" in layer["encoding"]
    )
    assert legend["legend"]["values"] == ["s49", "s48", "s47"]
    assert {row["system"] for row in rows_in(chart, "tail", "ms")} == many.keys()


def test_a_file_is_as_good_as_what_it_holds_and_anything_else_is_refused(tmp_path):
    costs().save(tmp_path / "costs.json")
    drawn = [rows_in(rw.plot.latency(each), "tail", "ms") for each in (tmp_path / "costs.json", costs())]
    assert drawn[0] == drawn[1]
    with pytest.raises(UsageError, match="expected what rankwell"):
        rw.plot.latency(3)
    never = made({"a": OTHER | {"seconds": []}})
    with pytest.raises(UsageError, match="no call was answered"):
        rw.plot.latency(with_calls(never, session="warm", query="q", began=0.0, ended=1.0, outcome="timeout"))
