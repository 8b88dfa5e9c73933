"""Measuring systems whose costs are known."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from tests.efficiency.systems import Known, Opening, Stalling

import rankwell as rw
from rankwell.efficiency import Batch, Closed, Costs, Open
from rankwell.errors import DataError, InputError, UsageError

MIB = 2**20
QUERIES = {f"q{at}": f"text {at}" for at in range(40)}


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """Two systems with known costs, measured in closed and open loops."""
    path = tmp_path_factory.mktemp("index") / "index.bin"
    systems = {
        "heavy": Known(path, index=0.25, search=0.002, held=200 * MIB, freed=100 * MIB, written=123_457),
        "light": Known(),
    }
    return rw.efficiency.measure(
        systems, QUERIES, items=["a", "b"], k=3, repetitions=3, starts=2, load=[Closed(), Open(300)]
    )


def test_time_memory_and_file_of_indexing_are_what_they_are_known_to_be(known):
    heavy = known.indexing.filter(system="heavy")
    assert heavy["size"].to_list() == [123_457, 123_457]
    assert heavy["wall"].min() >= 0.25
    for held, peak in heavy.select("held_memory", "peak_memory").rows():
        assert held == pytest.approx(200 * MIB, rel=0.05)
        assert peak == pytest.approx(300 * MIB, rel=0.05)
    light = known.indexing.filter(system="light")
    assert light["size"].to_list() == [None, None]
    assert light["peak_memory"].max() < 10 * MIB


def test_a_call_takes_at_least_as_long_as_it_is_known_to(known):
    for load in known.loads:
        assert known.latencies("heavy", load).min() >= 0.002
    assert known.latencies("heavy", session="cold").min() >= 0.002
    assert known.of("heavy", known.loads[0])["outcome"].unique().to_list() == ["ok"]
    # a call that is due while another runs waits for it; times in a session never go backwards
    calls = known.of("heavy", "open, 300/s")
    assert (calls["intended"] <= calls["began"]).all()
    assert (calls["began"] <= calls["ended"]).all()


def test_every_query_is_asked_once_a_session_in_an_order_that_all_systems_share(known):
    orders = {}
    for (system, load, kind, repetition), calls in known.calls.partition_by(
        "system", "load", "session", "repetition", as_dict=True, maintain_order=True
    ).items():
        assert sorted(calls["query"]) == sorted(QUERIES)
        orders.setdefault((load, kind, repetition), {})[system] = calls["query"].to_list()
    assert all(each["heavy"] == each["light"] for each in orders.values())
    warm = [each["heavy"] for (_, kind, _), each in orders.items() if kind == "warm"]
    assert len({tuple(each) for each in warm}) == 3  # another order in each repetition


def test_the_systems_take_turns_forwards_and_backwards(known):
    # sessions stand in the order in which they ran
    rows = known.sessions.filter(session="warm", load="open, 300/s").select("repetition", "system").rows()
    assert rows == [(1, "heavy"), (1, "light"), (2, "light"), (2, "heavy"), (3, "heavy"), (3, "light")]


def test_the_answers_are_a_run(known):
    run = known.runs["heavy"]
    assert sorted(run.queries) == sorted(QUERIES)
    results = rw.evaluate(
        run, {query: {f"{text}-1": 1} for query, text in QUERIES.items()}, metrics=["rr@10"]
    )
    assert results["rr@10"] == 0.5  # the second of three items


def test_due_times_come_at_the_rate_and_do_not_depend_on_the_system(known):
    due = {
        system: known.of(system, "open, 300/s").filter(repetition=1)["intended"].to_numpy()
        for system in known.systems
    }
    np.testing.assert_allclose(due["heavy"], due["light"], atol=1e-8)
    constant = Open(50, "constant").due(11, np.random.default_rng(0))
    assert np.diff(constant).tolist() == [20_000_000] * 10
    gaps = np.diff(Open(50).due(20_001, np.random.default_rng(0))) / 1e9
    assert gaps.mean() == pytest.approx(0.02, rel=0.03)  # exponential gaps: standard deviation equals mean
    assert gaps.std() == pytest.approx(0.02, rel=0.03)


def test_a_rate_whose_last_query_nobody_lives_to_see_is_refused():
    with pytest.raises(
        UsageError, match=r"rate=1e-12: the last of 3 queries would be due in 292 years or later"
    ):
        Open(1e-12, "constant").due(3, np.random.default_rng(0))


def test_quantiles_are_order_statistics_of_the_latencies(known):
    values = np.sort(known.latencies("heavy", "open, 300/s"))
    assert known.quantile("heavy", 0.9, "open, 300/s").value == values[int(np.ceil(0.9 * 120)) - 1]
    found = known.quantile("heavy", 0.99, "open, 300/s")
    assert found.n == 120
    assert found.effective <= 40  # the claim is about queries
    assert found.missing >= 368 - 40
    assert np.isnan(found.high)


def test_the_table_has_the_quantiles_of_each_system_and_load_in_milliseconds(known):
    records = {(row["system"], row["load"]): row for row in known.to_table().to_records()}
    assert records["heavy", "cold"]["calls"] == records["light", "cold"]["calls"] == 2 * len(QUERIES)
    for system, load in [key for key in records if key[1] != "cold"]:
        row, values = records[system, load], known.latencies(system, load)
        assert row["p90"] == pytest.approx(1000 * np.sort(values)[math.ceil(0.9 * len(values)) - 1])
        assert row["max"] == pytest.approx(1000 * values.max())
        assert (row["calls"], row["failed"]) == (len(values), 0)
        sessions = known.sessions.filter(system=system, load=load, session="warm")
        assert row["queries/s"] == pytest.approx(np.median(sessions["achieved"].to_numpy()))


def test_the_ratio_of_two_systems_is_that_of_geometric_means_over_queries(known):
    found = known.ratio("heavy", "light", "closed, 1 at a time")
    medians = {}
    for system in known.systems:
        rows = known.of(system, "closed, 1 at a time")
        rows = rows.with_columns(seconds=rows["ended"] - rows["began"])
        medians[system] = {
            query: np.median(rows.filter(query=query)["seconds"].to_numpy()) for query in QUERIES
        }
    logs = [np.log(medians["heavy"][query] / medians["light"][query]) for query in QUERIES]
    assert found.value == pytest.approx(np.exp(np.mean(logs)))
    assert found.low < found.value < found.high
    assert known.ratio("heavy", "heavy", "closed, 1 at a time")[:3] == (1, 1, 1)


def test_a_histogram_holds_every_latency_and_can_be_merged(known):
    load = known.loads[0]
    heavy, light = known.histogram("heavy", load), known.histogram("light", load)
    assert heavy.get_total_count() == 120
    assert heavy.get_value_at_percentile(50) == pytest.approx(
        np.sort(known.latencies("heavy", load))[59] * 1e6,
        rel=0.01,  # the 60th of 120, not the mean of two
    )
    heavy.add(light)
    assert heavy.get_total_count() == 240


def test_the_harness_is_measured_and_printed(known):
    assert set(known.overhead) == {
        f"{each}{end}" for each in ("call", "between", "late") for end in ("", "_p99")
    }
    assert all(0 < value < float("inf") for value in known.overhead.values())
    assert re.search(r"harness in a call +[\d.]+ µs", repr(known))


def test_costs_are_saved_loaded_joined_and_renamed(known, tmp_path):
    file = tmp_path / "costs.json"
    known.save(file)
    again = Costs.load(file)
    assert repr(again) == repr(known)
    assert again.summary().equals(known.summary())
    for system, run in known.runs.items():
        assert list(again.runs[system].rows.table().item.tolist()) == list(run.rows.table().item.tolist())
    both = known + again.renamed({"heavy": "heavy 2", "light": "light 2"})
    assert both.systems == ["heavy", "light", "heavy 2", "light 2"]
    assert any("not measured in turns" in note for note in both.notes)
    with pytest.raises(UsageError, match="both have a system 'heavy'"):
        known + again
    with pytest.raises(UsageError, match="one name"):
        known.renamed({"heavy": "light"})
    with pytest.raises(UsageError, match=r"no system 'heavi'.*Did you mean heavy"):
        known.quantile("heavi", 0.5)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"format": "rankwell costs", "version": 1}', '{"format": "x"}']
)
def test_a_file_that_holds_no_costs_is_refused(content, tmp_path):
    file = tmp_path / "costs.json"
    file.write_text(content)
    with pytest.raises(DataError, match=r"costs\.json: "):
        Costs.load(file)
    with pytest.raises(InputError, match="cannot be read"):
        Costs.load(tmp_path / "none.json")


def waits(due, took, servers):
    """Latencies of first come, first served, by going through the queue one by one (Kiefer & Wolfowitz 1955; Lindley 1952)."""
    free = [0.0] * servers
    found = []
    for at, seconds in zip(due, took, strict=True):
        begin = max(at, min(free))
        free[free.index(min(free))] = begin + seconds
        found.append(begin + seconds - at)
    return found


@pytest.mark.parametrize(
    ("servers", "threads"), [(1, False), pytest.param(2, False, marks=pytest.mark.exhaustive), (2, True)]
)
def test_an_open_loop_is_a_queue(servers, threads):
    queries = [f"{at}" for at in range(150)]
    load = Open(90 * servers, concurrency=servers)
    costs = rw.efficiency.measure(
        Stalling(0.004, 0.06, 20), queries, load=load, repetitions=1, threads=threads, seed=3
    )
    calls = costs.of("Stalling")
    due, began, ended = (calls[each].to_numpy() for each in ("intended", "began", "ended"))
    order = np.argsort(due)
    simulated = np.array(waits(due[order], (ended - began)[order], servers))
    measured = (ended - due)[order]
    # no latency is below what the queue says with the service times that were measured; what is above is the time to wake up,
    # which is as long as the machine is busy
    assert (measured >= simulated - 1e-6).all()
    assert sorted(costs.latencies("Stalling")) == pytest.approx(sorted(measured))  # from when a call was due
    assert (began >= due).all()
    assert max(((began <= at) & (ended > at)).sum() for at in began) == servers


def test_a_closed_loop_misses_what_a_stall_does_to_those_who_do_not_wait():
    queries = [f"{at}" for at in range(200)]
    loads = [Closed(), Open(60, "constant")]
    costs = rw.efficiency.measure(Stalling(0.002, 1.0, 100), queries, load=loads, repetitions=1)
    closed, opened = (costs.quantile("Stalling", 0.95, str(load)).value for load in loads)
    # 1 % of all calls stall, and in that second 60 queries are due, 30 % of all: the slowest 5 % wait for 0.75 s and more
    assert opened > 0.7
    assert closed < opened
    assert costs.of("Stalling", str(loads[0]))["intended"].null_count() == 200


def test_a_system_that_is_asked_faster_than_it_answers_is_saturated():
    # it sleeps, so that a busy machine leaves it time for five times as many as are asked for at first
    costs = rw.efficiency.measure(
        Stalling(0.02, 0.02, 100), [f"{at}" for at in range(30)], load=[Open(10), Open(300)], repetitions=1
    )
    assert costs.sessions.filter(session="warm")["saturated"].to_list() == [False, True]
    assert "saturated under “open, 300/s”" in repr(costs)


def test_a_new_process_opens_the_index_that_is_on_disk(tmp_path):
    path = tmp_path / "index"
    documents = ["wing flow", "heat", "wing"]
    costs = rw.efficiency.measure(
        Opening(str(path)), ["wing", "heat"], items=documents, load=Closed(2), repetitions=2
    )
    assert (tmp_path / "index.log").read_text().split() == ["index", "open", "open"]
    assert costs.indexing["opened"][0] > 0
    assert costs.indexing["size"][0] == path.stat().st_size
    assert costs.answered("Opening") == 4
    run = costs.runs["Opening"].rows.table()
    assert sorted(zip(run.query.tolist(), run.item.tolist(), run.key.tolist(), strict=True)) == [
        ("1", "wing", 2), ("1", "wing flow", 1), ("2", "heat", 1)
    ]  # fmt: skip


class Batching(Known):
    def search_batch(self, queries, k):
        return [self.search(query, k) for query in queries]


def test_a_batch_is_one_call_of_many_queries():
    costs = rw.efficiency.measure(
        Batching(search=0.001), QUERIES, k=2, load=[Batch(), Batch(15)], repetitions=2
    )
    assert costs.calls.filter(load="batch of 15")["queries"].to_list() == [15, 15, 10] * 2
    assert costs.latencies("Batching", "batch of all").min() >= 0.04
    assert costs.answered("Batching") == 4 * 40
    assert costs.sessions.filter(load="batch of all")["achieved"].max() <= 1000
    with pytest.raises(UsageError, match="it has no search_batch, which the load “batch of all” needs"):
        rw.efficiency.measure(Known(), QUERIES, load=Batch())


def test_functions_of_any_kind_can_be_measured():
    def inner(query, k):
        return {"a": 1.0, "b": 2.0}

    costs = rw.efficiency.measure({"inner": inner, "lambda": lambda query, k: [7, 8]}, ["x"], repetitions=1)
    assert costs.runs["inner"].rows.table().item.tolist() == ["b", "a"]
    assert costs.runs["lambda"].rows.table().item.tolist() == [7, 8]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"systems": "engine"}, "text is no system; give Command\\('engine'\\)"),
        ({"systems": 3}, "a system is a function \\(query, k\\), or an object with search"),
        ({"systems": Known}, "give an object, not its class: Known\\(\\)"),
        ({"systems": {}}, "no system to measure"),
        ({"queries": "text"}, "queries are Topics, a mapping from id to query, or a list"),
        ({"queries": []}, "no query"),
        ({"k": 0}, "k is a whole number from 1 on, not 0"),
        ({"repetitions": True}, "repetitions is a whole number"),
        ({"starts": 0}, "starts is a whole number from 1 on"),
        ({"load": "closed"}, "load is Closed, Open or Batch"),
        ({"load": [3]}, "load is Closed, Open or Batch, or several of them, not 3"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_runs(given, message):
    arguments = {"systems": {"known": Known()}, "queries": ["x"], "repetitions": 1} | given
    with pytest.raises(UsageError, match=message):
        rw.efficiency.measure(arguments.pop("systems"), arguments.pop("queries"), **arguments)


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda: Open(0), "rate is a number of queries per second above 0, not 0"),
        (lambda: Open("9"), "rate is"),
        (lambda: Open(float("nan")), "rate is"),
        (lambda: Open(5, "uniform"), "arrivals is poisson or constant, not 'uniform'"),
        (lambda: Closed(0), "concurrency is a whole number from 1 on, not 0"),
        (lambda: Closed(True), "concurrency is"),
        (lambda: Batch(0), "size is"),
    ],
)
def test_a_load_that_cannot_be_is_refused(load, message):
    with pytest.raises(UsageError, match=message):
        load()


def test_what_cannot_be_sent_to_a_process_is_said():
    import threading

    system = Known()
    system.lock = threading.Lock()
    with pytest.raises(UsageError, match=r"cannot be sent to a process of its own.*lock"):
        rw.efficiency.measure(system, ["x"])


def test_the_run_keeps_the_order_in_which_equal_scores_came_back():
    costs = rw.efficiency.measure(
        {"ties": lambda query, k: [("b", 1.0), ("c", 1.0), ("a", 1.0)]}, ["x"], repetitions=1
    )
    for item, expected in ("b", 1), ("c", 1 / 2), ("a", 1 / 3):
        assert rw.evaluate(costs.runs["ties"], {"1": {item: 1}}, ["rr"])["rr"] == expected
