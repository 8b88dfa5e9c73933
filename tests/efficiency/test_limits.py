"""Limits of costs, by themselves and in a gate."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run
from rankwell.efficiency import Costs
from rankwell.efficiency.frames import ALL, frame_of
from rankwell.errors import UsageError

N = 400


def costs_of(latencies, outcome="ok"):
    """Costs of one system whose calls took what is given."""
    key = {"system": "new", "load": "closed, 1 at a time", "session": "warm", "repetition": 1}
    calls = [
        key
        | {
            "query": f"{at}",
            "queries": 1,
            "began": 0.0,
            "ended": seconds,
            "outcome": outcome if at == 0 else "ok",
        }
        for at, seconds in enumerate(latencies)
    ]
    frames = {
        "calls": calls,
        "sessions": [
            key | {"peak_memory": 300 << 20, "completed": len(calls), "achieved": 10.0, "calls": len(calls)}
        ],
        "indexing": [
            {
                "system": "new",
                "start": 1,
                "outcome": "ok",
                "peak_memory": 500 << 20,
                "held_memory": 200 << 20,
                "size": None,
            }
        ],
        "failures": [],
    }
    return Costs(**{name: frame_of(rows, ALL[name]) for name, rows in frames.items()})


LATENCIES = np.random.default_rng(0).permutation(np.linspace(0.001, 0.1, N))


@pytest.mark.parametrize(("limit", "status"), [(0.099, "pass"), (0.095, "inconclusive"), (0.08, "fail")])
def test_a_latency_passes_where_its_upper_bound_is_within_the_limit(limit, status):
    costs = costs_of(LATENCIES)
    known = costs.quantile("new", 0.95, level=0.9)
    assert 0.08 < known.low < 0.095 < known.high < 0.099
    (found,) = costs.limits("new", max_latency={"p95": limit})
    assert found.status == status
    assert found.name == f"p95 latency at most {limit * 1e3:g} ms"
    assert found.value == pytest.approx(known.value * 1e3)


def test_too_few_queries_are_inconclusive_and_say_how_many_are_lacking():
    (found,) = costs_of(LATENCIES[:50]).limits("new", max_latency={"p99": 10.0})
    # 299 is the least n with 0.99ⁿ ≤ 0.05
    assert found.status == "inconclusive"
    assert "249 more independent queries" in found.why


def test_memory_is_the_higher_of_indexing_and_searching_and_an_unknown_size_is_inconclusive():
    costs = costs_of(LATENCIES)
    found = costs.limits("new", max_memory=400 << 20, max_index_size=1 << 30)
    assert [each.status for each in found] == ["fail", "inconclusive"]
    assert found[0].value == 500
    assert costs.limits("new", max_memory=500 << 20)[0].status == "pass"


def test_a_search_that_failed_fails_and_a_time_out_is_infinitely_slow():
    (found,) = costs_of(LATENCIES, "crash").limits("new")
    assert (found.status, found.value) == ("fail", 1)
    late = costs_of(np.r_[LATENCIES, np.full(60, 1.0)])
    late = Costs(
        **{name: getattr(late, name) for name in ALL}
        | {
            "calls": late.calls.with_columns(
                outcome=pl.when(pl.col("ended") == 1.0).then(pl.lit("timeout")).otherwise("outcome")
            )
        }
    )
    (found,) = late.limits("new", max_latency={"p95": 5.0})
    assert found.status == "fail"


@pytest.mark.parametrize("name", ["95", "p0", "p100", "max"])
def test_what_is_no_quantile_is_refused(name):
    with pytest.raises(UsageError, match="by quantile, such as p95"):
        costs_of(LATENCIES).limits("new", max_latency={name: 1.0})


QRELS = {f"{at}": {"a": 1} for at in range(60)}
RUN = {query: {"a": 1.0} for query in QRELS}


@pytest.mark.parametrize(("limit", "code"), [(0.2, 0), (0.05, 1)])
def test_a_gate_takes_limits_of_costs(limit, code):
    found = rw.gate(
        RUN, QRELS, ["rr"], baseline=RUN, checks=costs_of(LATENCIES).limits("new", max_latency={"p95": limit})
    )
    assert found.exit_code == code
    assert any("p95 latency" in each.name for each in found.limits)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--max-latency", "p95=200ms", "--max-memory", "1G"], 0, "p95 latency at most 200 ms"),
        (["--max-latency", "p50=60ms,p95=0.05s"], 1, "p95 latency at most 50 ms"),
        (["--max-memory", "400M"], 1, "memory at most 400 MiB"),
        (["--max-latency", "p95=50"], 2, "such as p95=50ms, not 'p95=50'"),
        (["--max-memory", "much"], 2, "--max-memory takes bytes"),
    ],
)
def test_the_command_takes_limits_of_costs(tmp_path, capsys, options, code, message):
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QRELS))
    (tmp_path / "new.run").write_text("".join(f"{query} Q0 a 1 1.0 x\n" for query in QRELS))
    costs_of(LATENCIES).save(tmp_path / "costs.json")
    (tmp_path / "old.run").write_text((tmp_path / "new.run").read_text())
    qrels, new, old = (str(tmp_path / name) for name in ("qrels.txt", "new.run", "old.run"))
    files = [qrels, new, "--baseline", old, "-m", "rr"]
    assert run(["gate", *files, "--costs", str(tmp_path / "costs.json"), *options]) == code
    printed = capsys.readouterr()
    assert message in printed.out + printed.err


def test_limits_of_costs_need_costs(tmp_path, capsys):
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1.0 x\n")
    files = [str(tmp_path / "q"), str(tmp_path / "r"), "--baseline", str(tmp_path / "r"), "-m", "rr"]
    assert run(["gate", *files, "--max-latency", "p95=50ms"]) == 2
    assert "need --costs" in capsys.readouterr().err


def pair_of(factor, noise, repetitions=6):
    """Costs of two systems on the same queries, the new one slower by a factor, each session with a pace of its own."""
    rng = np.random.default_rng(1)
    usual = rng.lognormal(-5, 0.5, 100)
    rows = []
    for repetition in range(1, repetitions + 1):
        for system, times in ("old", 1.0), ("new", factor):
            seconds = usual * times * rng.lognormal(0, 0.02, 100) * rng.lognormal(0, noise)
            key = {
                "system": system,
                "load": "closed, 1 at a time",
                "session": "warm",
                "repetition": repetition,
            }
            rows += [
                key | {"query": f"{at}", "queries": 1, "began": 0.0, "ended": each, "outcome": "ok"}
                for at, each in enumerate(seconds)
            ]
    one = costs_of(LATENCIES[:1])
    index = pl.concat([one.indexing, one.indexing.with_columns(system=pl.lit("old"))])
    return Costs(frame_of(rows, ALL["calls"]), one.sessions, index, one.failures)


@pytest.mark.parametrize(
    ("factor", "noise", "repetitions", "status"),
    [
        (1.0, 0.002, 6, "pass"),
        (1.2, 0.002, 6, "fail"),
        (1.05, 0.002, 6, "inconclusive"),
        (1.0, 0.2, 6, "inconclusive"),  # sure for other queries, but not for another measurement
        (1.0, 0.002, 2, "inconclusive"),
    ],
)
def test_a_slowdown_must_be_sure_over_queries_and_over_repetitions(factor, noise, repetitions, status):
    costs = pair_of(factor, noise, repetitions)
    (found,) = costs.limits("new", max_slowdown=0.05, baseline="old")
    assert found.status == status, found.why


def test_a_slowdown_needs_a_baseline():
    with pytest.raises(UsageError, match="max_slowdown needs baseline="):
        pair_of(1.0, 0.01).limits("new", max_slowdown=0.05)
