"""The section on costs: its numbers are those of the comparison, and it says what is certain and what disturbed it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.efficiency.made import MIB
from tests.efficiency.plots.test_costs import FOUR, compared
from tests.reporting import second
from tests.reporting.pages import numbers_in, values_of

import rankwell as rw
from rankwell.comparison.compare.costs import CostConditions, CostEstimates, Failures, Slower
from rankwell.display.page import words_of
from rankwell.reporting.answer import slowdown_of, slowdown_text

SOUND = CostConditions()


@pytest.fixture(scope="module")
def found():
    return compared(FOUR, baseline="poor")


def plain():
    data = rw.report(compared(FOUR)).section("costs").data
    index = [column["quantity"] for column in data["quantities"]].index("index")
    shown = {row["system"]: (row["mean"], row["cells"][index]["value"]) for row in data["rows"]}
    expected = {
        name: (
            second.mean(1 if at < share * 80 else 1 / 2 for at in range(80)),
            round(1000 * seconds * MIB) / MIB,
        )
        for name, (seconds, share) in FOUR.items()
    }
    return shown, expected


def test_rows_are_the_estimates_of_the_comparison_best_first(found):
    data = rw.report(found).section("costs").data
    assert [row["system"] for row in data["rows"]] == ["slow", "middle", "poor", "fast"]
    assert [row["system"] for row in data["rows"] if row["baseline"]] == ["poor"]
    for row in data["rows"]:
        assert row["mean"] == found.mean(row["system"], found.metrics[0]).mean
        for column, cell in zip(data["quantities"], row["cells"], strict=True):
            known = found.costs.of(column["quantity"])[row["system"]]
            assert cell["value"] == known.value
            has_bounds = not math.isnan(known.low) and known.low != known.high
            assert (cell["low"], cell["high"]) == (tuple(known[1:]) if has_bounds else (None, None))


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_number_of_the_page_is_one_of_the_json(found, lang):
    report = rw.report(found, lang=lang)
    assert set(values_of(report.to_html())) <= set(numbers_in(report.to_dict()))
    assert '<section id="costs"' in report.to_html()


def test_ratios_are_turned_so_that_the_first_is_slower(found):
    rows = rw.report(found).section("costs").data["ratios"]
    assert [(row["first"], row["second"]) for row in rows] == [
        ("poor", "fast"),
        ("slow", "poor"),
        ("poor", "middle"),
    ]
    own = {(each.first, each.second): each for each in found.costs.ratios}
    fast = own["fast", "poor"]
    assert rows[0]["ratio"] == pytest.approx(30, rel=1e-3)
    assert rows[0]["over_queries"] == [1 / fast.high, 1 / fast.low]
    assert rows[0]["over_turns"] == [1 / fast.high_turns, 1 / fast.low_turns]
    assert rows[1]["ratio"] == own["slow", "poor"].ratio


def test_each_cost_has_a_picture_and_its_front(found):
    section = rw.report(found).section("costs")
    drawn = [each["quantity"] for each in section.data["pictures"]]
    assert drawn == ["p95", "p50", "p99", "throughput", "memory", "index", "indexing"]
    assert section.charts.keys() == set(drawn)
    first = section.data["pictures"][0]
    assert (first["front"], first["sentence"]) == (
        ["slow", "middle", "fast"],
        "Best compromises between rr and latency p95:",
    )


def test_a_report_without_costs_has_no_such_section(found):
    names = [each.name for each in rw.report(replace(found, costs=None)).sections]
    assert "costs" not in names


def test_a_system_that_is_alone_has_its_costs_too():
    from tests.efficiency.made import made

    runs = {"one": {f"q{at}": ["d"] for at in range(9)}}
    own = {
        "seconds": [[0.001 * (1 + at) for at in range(9)]] * 3,
        "memory": [1] * 3,
        "index": [2],
        "throughput": [9] * 3,
    }
    report = rw.report(runs, {query: {"d": 1} for query in runs["one"]}, "rr", costs=made({"one": own}))
    data = report.section("costs").data
    (row,) = data["rows"]
    p50 = next(
        cell for cell, each in zip(row["cells"], data["quantities"], strict=True) if each["quantity"] == "p50"
    )
    assert p50["value"] == pytest.approx(5)
    assert data["pictures"] == data["ratios"] == []
    assert any("fewer than 72 independent queries" in note for note in data["notes"])
    assert set(values_of(report.to_html())) <= set(numbers_in(report.to_dict()))


def test_what_disturbed_the_measurement_is_said(found):
    conditions = CostConditions(
        environment={"processor": "A chip", "cores": 2, "memory": 8 * 2**30, "Python": "3.12.1"},
        slower=0.28, busy=1.9, saturated=("slow",), restarts={"fast": 2}, failures={"poor": Failures(240, 1, 2)},
    )  # fmt: skip
    said = rw.report(replace(found, costs=replace(found.costs, conditions=conditions))).section("costs").data
    assert said["conditions"] == [
        "Machine: A chip; 2 cores; 8.0 GiB; Python 3.12.1.",
        "The machine was up to 28 % slower at times (a fixed loop before each session).",
        "Other processes kept up to 1.9 cores busy.",
        "slow is saturated: queries come faster than it answers them, so its latencies grow as long as it goes on.",
        "The process of fast was started again 2 times.",
        "1 of 240 calls of poor timed out; it counts as infinitely long.",
        "2 of 240 calls of poor failed; they have no latency and are left out.",
    ]
    quiet = CostConditions(slower=0.01, busy=0.1)
    said = rw.report(replace(found, costs=replace(found.costs, conditions=quiet))).section("costs").data
    assert [each[:17] for each in said["conditions"]] == ["Nothing disturbed"]


def pair(ratio, low, high, low_turns, high_turns, conditions=SOUND):
    """Costs with the ratio of one pair."""
    return CostEstimates(
        "x", {}, (Slower("A", "B", 90, ratio, low, high, low_turns, high_turns, 5),), conditions
    )


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((3.2, 2.9, 3.6, 3.0, 3.5), "A takes 3.20 times as long as B to answer (2.90 – 3.60)."),
        # the bounds are those that hold for both, rounded outwards
        ((3.2, 3.0, 3.4, 2.911, 3.609), "A takes 3.20 times as long as B to answer (2.91 – 3.61)."),
        ((0.25, 0.2, 0.4, 0.25, 0.3), "B takes 4.00 times as long as A to answer (2.50 – 5.00)."),
        ((20.04, 18, 22.22, 19, 21), "A takes 20.0 times as long as B to answer (18.0 – 22.3)."),
        ((1.05, 1.0015, 1.1, 1.02, 1.07), "A takes 1.050 times as long as B to answer (1.001 – 1.100)."),
        # one interval holds 1, there is none, or they leave out 1 on different sides
        ((1.05, 0.99, 1.1, 1.02, 1.07), None),
        ((1.05, 1.01, 1.1, 0.98, 1.07), None),
        ((1.05, 1.01, 1.1, math.nan, math.nan), None),
        ((1.05, math.nan, math.nan, 1.01, 1.1), None),
        ((1.05, 1.01, 1.1, 0.9, 0.99), None),
        ((1.05, 1.0, 1.1, 1.01, 1.1), None),
    ],
)  # fmt: skip
def test_the_answer_names_a_ratio_only_where_it_is_certain(numbers, text):
    said = slowdown_of(pair(*numbers), "B", "A")
    assert (said and slowdown_text(said, words_of("en"))) == text
    if said:
        assert said.numbers["low"] > 1
        assert said.numbers["low"] <= said.numbers["ratio"] <= said.numbers["high"]


@pytest.mark.parametrize(
    "conditions",
    [
        CostConditions(saturated=("A",)),
        CostConditions(restarts={"B": 1}),
        CostConditions(failures={"A": Failures(9, 0, 1)}),
    ],
)
def test_the_answer_names_no_ratio_of_a_system_that_failed_or_is_saturated(conditions):
    assert slowdown_of(pair(3.2, 2.9, 3.6, 3.0, 3.5, conditions), "A", "B") is None
    assert slowdown_of(pair(3.2, 2.9, 3.6, 3.0, 3.5), "A", "C") is None
    assert slowdown_of(pair(3.2, 2.9, 3.6, 3.0, 3.5), None, None) is None


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_clause_stands_behind_the_sentence_and_its_numbers_in_the_json(lang):
    systems = {"old": (0.001, 0.5), "new": (0.003, 0.9)}
    whole = compared(systems, baseline="old")
    plain = rw.report(replace(whole, costs=None), lang=lang)
    report = rw.report(whole, lang=lang)
    data = report.section("answer").data
    assert "slowdown" not in plain.section("answer").data
    assert report.answer.startswith(f"{plain.answer} ")
    assert data["slowdown"]["ratio"] == pytest.approx(3, rel=1e-3)
    assert {"en": " times as long as old to answer", "ko": "답하는 데 old 쪽보다"}[lang] in report.answer
    assert (data["slowdown"]["first"], data["slowdown"]["second"]) == ("new", "old")
