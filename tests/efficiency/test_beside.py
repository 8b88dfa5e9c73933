"""Costs beside quality: estimates, comparisons and files of costs given where runs are."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from tests.efficiency.made import made

import rankwell as rw
from rankwell.cli import run
from rankwell.comparison.compare.costs import CostConditions, CostEstimates
from rankwell.efficiency import Costs
from rankwell.errors import UsageError

QUERIES = 80
QRELS = {f"q{at}": {"d": 1} for at in range(QUERIES)}
SECONDS = [
    [0.001 + 0.0001 * (at * 7 % QUERIES) + 0.00001 * turn for at in range(QUERIES)] for turn in range(3)
]
GOOD = [
    [2 * each * (1 + 0.01 * (at % 3) + 0.002 * turn) for at, each in enumerate(own)]
    for turn, own in enumerate(SECONDS)
]
SYSTEMS = {
    "good": {"seconds": GOOD, "memory": [30, 50, 40], "index": [7, 5], "throughput": [90, 110, 95]},
    "fast": {"seconds": SECONDS, "memory": [3, 5, 4], "index": [2], "throughput": [200, 210, 190]},
    "poor": {"seconds": [[3 * each for each in own] for own in SECONDS], "memory": [1, 1, 1], "index": [None], "throughput": [70, 60, 65]},
}  # fmt: skip
RUNS = {
    "good": {query: ["d", "e"] for query in QRELS},
    "fast": {query: ["e", "d"] if at % 2 else ["d", "e"] for at, query in enumerate(QRELS)},
    "poor": {query: ["e", "d"] for query in QRELS},
}


@pytest.fixture
def costs():
    return made(SYSTEMS, runs=RUNS)


def test_estimates_are_what_was_written_down(costs):
    found = costs.estimates()
    assert found.of("throughput")["good"] == (95, 90, 110)
    assert found.of("memory")["good"] == (50, 30, 50)
    assert found.of("index")["good"] == (6, 5, 7)
    assert found.of("indexing")["good"] == (2.5, 2, 3)
    assert "poor" not in found.of("index")
    known = costs.quantile("fast", 0.95)
    assert found.of("p95")["fast"] == pytest.approx([1e3 * each for each in known[:3]])
    assert math.isnan(found.of("p99")["fast"].low)  # 368 independent queries would have bounds


def test_a_cost_that_does_not_exist_is_refused(costs):
    with pytest.raises(UsageError, match="no cost p42; there are p50"):
        costs.estimates().of("p42")


def test_a_comparison_has_the_costs_of_its_systems_and_the_ratios_of_its_pairs(costs):
    found = rw.compare(RUNS, QRELS, ["rr"], baseline="good", costs=costs)
    assert [(each.first, each.second) for each in found.costs.ratios] == [("fast", "good"), ("poor", "good")]
    for ratio, factor in zip(found.costs.ratios, (1, 3), strict=True):
        logs = [
            math.log(
                statistics.median(factor * own[at] for own in SECONDS)
                / statistics.median(own[at] for own in GOOD)
            )
            for at in range(QUERIES)
        ]
        assert ratio.ratio == pytest.approx(math.exp(statistics.fmean(logs)), rel=1e-9)
        assert ratio.low <= ratio.ratio <= ratio.high
        assert (ratio.queries, ratio.turns) == (QUERIES, 3)
    table, ratios = found.to_cost_tables()
    # good finds most, fast is fastest, and poor is neither
    assert {table.rows[row][0] for row, _ in table.marks} == {"good", "fast"}
    assert [row[0] for row in table.rows] == ["good", "fast", "poor"]
    assert len(ratios.rows) == 2
    assert "Ratios of latency" in repr(found)


def test_a_saved_comparison_has_the_same_costs(costs, tmp_path):
    found = rw.compare(RUNS, QRELS, ["rr"], costs=costs)
    found.save(tmp_path / "saved.json")
    again = rw.Comparison.load(tmp_path / "saved.json")
    assert again.costs.to_dict() == found.costs.to_dict()
    assert repr(again) == repr(found)
    schema = json.loads((files("rankwell") / "data" / "comparison.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads((tmp_path / "saved.json").read_text(encoding="utf-8")), schema)


def test_time_outs_are_infinite_in_a_saved_comparison_too():
    data = {
        "load": "x",
        "values": {"p95": {"a": ["inf", 1.0, "inf"]}},
        "ratios": [],
        "conditions": CostConditions().to_dict(),
    }
    found = CostEstimates.of_dict(data)
    assert found.of("p95")["a"] == (math.inf, 1.0, math.inf)
    assert found.to_dict() == data


def test_a_comparison_without_costs_has_no_tables_of_them():
    found = rw.compare(RUNS, QRELS, ["rr"])
    assert found.costs is None
    assert found.to_cost_tables() == []


@pytest.mark.parametrize("given", [3, {"good": 1}])
def test_what_was_not_measured_is_refused(given):
    with pytest.raises(UsageError, match="expected what rankwell"):
        rw.compare(RUNS, QRELS, ["rr"], costs=given)


def test_costs_of_other_systems_are_refused(costs):
    other = costs.renamed({name: f"other-{name}" for name in SYSTEMS})
    with pytest.raises(UsageError, match="none of its systems is compared"):
        rw.compare(RUNS, QRELS, ["rr"], costs=other)


def test_one_of_several_loads_is_chosen(costs):
    several = made(SYSTEMS, loads=("closed, 1 at a time", "open, 50/s"), runs=RUNS)
    with pytest.raises(UsageError, match="several loads"):
        rw.compare(RUNS, QRELS, ["rr"], costs=several)
    with pytest.raises(UsageError, match=r"no load .*open, 50/s"):
        several.under("open, 5/s")
    found = rw.compare(RUNS, QRELS, ["rr"], costs=several.under("open, 50/s"))
    assert found.costs.load == "open, 50/s"
    assert found.costs.of("p95") == costs.estimates().of("p95")


@pytest.fixture
def saved(tmp_path):
    made(SYSTEMS, loads=("closed, 1 at a time", "open, 50/s"), runs=RUNS).save(tmp_path / "costs.json")
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 d 1\n" for query in QRELS))
    return tmp_path


def test_a_file_of_costs_stands_for_its_systems(saved, capsys):
    words = [str(saved / "qrels.txt"), str(saved / "costs.json"), "-m", "rr"]
    assert run(["compare", *words, "--baseline", "good", "--load", "open, 50/s"]) == 0
    told = capsys.readouterr().out
    assert "3 systems on 80 queries, compared with good" in told
    assert "latency under the load “open, 50/s”" in told
    assert run(["compare", *words]) == 2
    assert "--load says which: closed, 1 at a time or open, 50/s" in capsys.readouterr().err


def test_one_measured_system_has_the_name_that_it_is_given(saved, capsys):
    for name in ("good", "fast"):
        made({name: SYSTEMS[name]}, runs={name: RUNS[name]}).save(saved / f"{name}.json")
    new, old = (f"{word}={saved / name}.json" for word, name in (("new", "good"), ("old", "fast")))
    assert run(["compare", str(saved / "qrels.txt"), new, old, "-m", "rr", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["systems"] == ["new", "old"]
    assert [(each["first"], each["second"]) for each in told["costs"]["ratios"]] == [("new", "old")]


def test_a_load_without_costs_is_refused(saved, capsys):
    (saved / "a.run").write_text("q1 Q0 d 1 1.0 a\n")
    (saved / "b.run").write_text("q1 Q0 e 1 1.0 b\n")
    words = [str(saved / each) for each in ("qrels.txt", "a.run", "b.run")]
    assert run(["compare", *words, "-m", "rr", "--load", "closed"]) == 2
    assert "no RUN is a file that rankwell bench -o wrote" in capsys.readouterr().err


def test_beside_and_results_evaluate_the_measured_answers(costs):
    assert {name: res["rr"] for name, res in costs.results(QRELS, ["rr"]).items()} == {
        "good": 1,
        "fast": 0.75,
        "poor": 0.5,
    }
    table = costs.beside(QRELS, ["rr"])
    assert {table.rows[row][0] for row, _ in table.marks} == {"good", "fast"}
    assert isinstance(costs + made({"other": SYSTEMS["fast"]}), Costs)


def test_conditions_are_those_of_the_load_and_of_the_systems_compared(costs):
    import polars as pl

    several = made(SYSTEMS, loads=("closed, 1 at a time", "open, 50/s"), runs=RUNS)
    is_open = pl.col("load") == "open, 50/s"
    is_fast = pl.col("system") == "fast"
    sessions = several.sessions.with_columns(
        pace=pl.when(is_open).then(0.002 + 0.001 * (pl.col("repetition") == 2)).otherwise(0.009),
        others=pl.when(is_open).then(0.5 * pl.col("repetition")).otherwise(9.0),
        saturated=is_open & is_fast,
        restarts=pl.when(is_open & is_fast).then(2).otherwise(0),
    )
    first = (pl.col("query") == "q0") & is_fast & is_open
    calls = several.calls.with_columns(
        outcome=pl.when(first & (pl.col("repetition") == 1))
        .then(pl.lit("timeout"))
        .when(first)
        .then(pl.lit("error"))
        .otherwise("outcome")
    )
    found = replace(several, sessions=sessions, calls=calls, environment={"cores": 2})
    own = found.estimates("open, 50/s").conditions
    assert own.slower == pytest.approx(0.5)
    assert own.busy == 1.5
    assert own.environment == {"cores": 2}
    assert own.saturated == ("fast",)
    assert own.restarts == {"fast": 6}
    assert own.failures == {"fast": (240, 1, 2)}
    assert [own.are_sound(each) for each in SYSTEMS] == [True, False, True]
    assert found.estimates("closed, 1 at a time").conditions.are_sound("fast")
    two = {name: RUNS[name] for name in ("good", "poor")}
    compared = rw.compare(two, QRELS, ["rr"], costs=found.under("open, 50/s")).costs.conditions
    assert (compared.saturated, compared.restarts, compared.failures) == ((), {}, {})
    assert CostEstimates.of_dict(found.estimates("open, 50/s").to_dict()).conditions == own
