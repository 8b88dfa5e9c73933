"""What the benchmarks say follows from what was measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def records(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import records

    yield records
    for name in ("records", "table", "harness"):
        sys.modules.pop(name, None)


def side(role, *seconds, peak=1 << 30):
    return {
        "role": role,
        "label": role,
        "clock": "process",
        "seconds": list(seconds),
        "cpu": [1.0] * len(seconds),
        "peak": [peak] * len(seconds),
        "faults": [0] * len(seconds),
        "others": [0.0] * len(seconds),
    }


def record(*sides, bars=(), values=()):
    given = [{"figure": figure, "value": value, "least": least} for figure, value, least in bars]
    return {
        "workload": "w",
        "title": "a job",
        "input_bytes": 1 << 31,
        "sides": list(sides),
        "bars": given,
        "values": list(values),
    }


def test_the_ratio_is_that_of_the_fastest_other_tool_and_of_medians(records):
    found = records.figures(
        record(side("peer", 9.0, 8.0, 100.0), side("peer", 6.0, 6.0, 6.0), side("limit", 0.5, 0.5, 0.5), side("ours", 2.0, 2.0, 50.0))
    )  # fmt: skip
    assert found["ratio"] == 3.0
    assert found["share"] == 0.25
    assert found["above"] == 1.5
    assert found["memory"] == 0.5


def test_the_memory_of_a_process_that_also_makes_its_data_is_not_ours(records):
    found = records.figures(record(side("peer", 6.0), side("ours", 2.0) | {"clock": "call"}))
    assert found == {"seconds": 2.0, "ratio": 3.0, "ratio to peer": 3.0, "paired": 1 / 3}


def test_a_bar_may_be_on_one_of_several_tools(records):
    sides = side("peer", 6.0) | {"label": "slow"}, side("peer", 1.0) | {"label": "fast"}, side("ours", 2.0)
    bars = [(records.ratio_to("slow"), 3, True), (records.ratio_to("fast"), 0.6, True)]
    assert records.missed(record(*sides, bars=bars)) == ["ratio to fast 0.5, bar ≥ 0.6"]


def test_a_bar_that_is_not_met_is_named_and_one_that_was_not_measured_is_not_met_silently(records):
    bars = [("ratio", 4, True), ("seconds", 3, False), ("share", 0.5, True)]
    one = record(side("peer", 6.0), side("ours", 2.0), bars=bars)
    assert records.missed(one) == ["ratio 3, bar ≥ 4"]
    import table

    text = table.details(one | {"load_before": 0.0})
    assert "share not measured, promised ≥ 0.5" in text


def test_a_time_of_wrong_values_is_not_shown(records):
    import table

    lines = records.compare({"ap": 0.5}, {"ap": 0.500001}, 6, {})
    assert lines == ["ap: ours 0.500000000, theirs 0.500001000; DIFFERENT"]
    wrong = record(side("peer", 6.0), side("ours", 2.0), values=lines)
    assert [row[3] for row in table.rows(wrong)] == ["WRONG VALUES"]
    assert not records.compare({"ap": 0.5}, {"ap": 0.5000004}, 6, {})
    assert records.compare({"ap": float("nan")}, {"ap": float("nan")}, 6, {})
    assert records.compare({"ap": 0.5}, {"rr": 0.5}, 6, {})
    assert "DIFFERENT" not in records.compare({"ap": 0.5}, {"ap": 0.6}, 6, {"ap": "÷ k"})[0]


@pytest.mark.parametrize(
    "tool",
    [
        "tools/make_speed_page.py",
        "tools/make_statistics_page.py",
        "tools/make_estimates_page.py",
    ],
)
def test_the_pages_say_what_was_measured(tool):
    done = subprocess.run(
        [sys.executable, tool, "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_workload_has_one_name_and_can_be_asked_for():
    done = subprocess.run(
        [sys.executable, "benchmarks/bench.py", "--list"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    families = dict(line.split(": ") for line in done.stdout.splitlines())
    names = [name for family in families.values() for name in family.split()]
    assert len(names) == len(set(names)) > 40
    assert not families.keys() & set(names)
    wrong = subprocess.run(
        [sys.executable, "benchmarks/bench.py", "w9"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "no workload 'w9'; --list shows what there is" in wrong.stderr
