"""The plot of segments, against the comparison and against evaluations of each segment alone."""

from __future__ import annotations

import json

import pytest
from tests.reporting import second
from tests.reporting.compared import data
from tests.reporting.plots.drawing import rows_in

import rankwell as rw
from rankwell.errors import RankwellError
from rankwell.reporting.plots.segments import domain_of, in_results

TIERS = ("gold", "silver", "tin")


def users_of(queries, tiers=TIERS):
    return [{"query": f"q{at}", "tier": tiers[at % len(tiers)], "odd": str(at % 2)} for at in range(queries)]


def divided(systems=3, queries=60, tiers=TIERS, by="tier"):
    qrels, runs = data(systems, queries)
    return rw.Evaluator(qrels, ["ndcg@10", "rr"], users=users_of(queries, tiers), by=by).evaluate_all(runs)


def rows_of(chart):
    """A row per system and segment, each once."""
    rows = rows_in(chart, "segment", "estimate")
    return list({(row["system"], row["segment"]): row for row in rows}.values())


def plain():
    chart = rw.plot.segments(second.results(users=second.USERS, by="half"), "rr")
    expected = {}
    for system in second.RUNS:
        for segment in ("0", "1", "all queries"):
            own = [q for q in second.QUERIES if segment in (second.HALF[q], "all queries")]
            expected[segment, system] = second.mean_of("rr", system, own), len(own)
    return second.shown_in(chart, ("segment", "system"), ("mean", "n")), expected


def test_means_and_intervals_are_those_of_the_comparison():
    found = rw.compare(divided(), users=users_of(60), by="tier", flips=99)
    rows = {(row["system"], row["segment"]): row for row in rows_of(rw.plot.segments(found, "rr"))}
    assert len(rows) == 3 * 4
    for (system, segment), row in rows.items():
        own = found.mean(system, "rr", segment)
        assert (row["n"], row["mean"], row["low"], row["high"]) == (own.n, own.mean, own.low, own.high)


def test_results_have_the_same_means_and_intervals_as_their_comparison():
    own = divided()
    found = rw.compare(own, users=users_of(60), by="tier", flips=99)
    for row in rows_of(rw.plot.segments(own, "ndcg@10")):
        told = found.mean(row["system"], "ndcg@10", row["segment"])
        assert (row["n"], row["mean"]) == (told.n, pytest.approx(told.mean, abs=1e-12))
        assert (row["low"], row["high"]) == (pytest.approx(told.low), pytest.approx(told.high))


def test_the_first_row_is_all_queries_and_a_line_marks_it_for_one_system():
    own = divided(1)["s0"]
    chart = rw.plot.segments(own)
    assert rows_of(chart)[0]["segment"] == "all queries"
    assert [row["at"] for row in rows_in(chart, "at")] == [own["ndcg@10"]]
    assert rows_of(rw.plot.segments(own, lang="ko"))[0]["segment"] == "전체 질의"


def test_of_many_segments_the_largest_are_drawn():
    tiers = [f"t{at:02d}" for at in range(40)] + ["big"] * 40
    chart = rw.plot.segments(divided(1, 160, tiers))
    segments = list(dict.fromkeys(row["segment"] for row in rows_of(chart)))
    assert len(segments) == 31
    assert "big" in segments
    assert "the 30 largest of 41 segments" in " ".join(chart.title.subtitle)


def test_of_many_systems_the_best_and_the_baseline_are_drawn():
    found = rw.compare(divided(11), users=users_of(60), by="tier", baseline="s0", flips=99, resamples=99)
    systems = {row["system"] for row in rows_of(rw.plot.segments(found))}
    best = [found.names[row] for row in found.order[:7]]
    assert systems == {*best, "s0"}


def test_several_columns_divide_together_and_unknown_queries_are_last():
    qrels, runs = data(1, 30)
    own = rw.Evaluator(qrels, ["rr"], users=users_of(20), by=["tier", "odd"]).evaluate_all(runs)
    found = in_results(own, own["s0"].metrics[0])
    assert found.labels[0] == ()
    assert found.labels[-1] == ("(unknown)", "(unknown)")
    frame = own["s0"].segments.to_frame()
    for labels in found.labels[1:]:
        row = frame.filter((frame["tier"] == labels[0]) & (frame["odd"] == labels[1]))
        assert found.means["s0", labels].mean == row["rr"].item()


def test_saved_results_have_the_intervals_of_results_unless_they_do_not_say_where_a_query_belongs(tmp_path):
    own = divided(1)["s0"]
    own.save(tmp_path / "own.json")
    rows = rows_of(rw.plot.segments(own))[1:]
    assert rows_of(rw.plot.segments(rw.Results.load(tmp_path / "own.json")))[1:] == rows
    data = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    del data["states"]  # as earlier versions saved them
    (tmp_path / "old.json").write_text(json.dumps(data), encoding="utf-8")
    old = rows_of(rw.plot.segments(rw.Results.load(tmp_path / "old.json")))[1:]
    assert {row["low"] for row in old} == {None}
    assert (
        [row["mean"] for row in old]
        == [row["mean"] for row in rows]
        == own.segments.to_frame()["ndcg@10"].to_list()
    )


def test_very_wide_intervals_are_cut_and_no_others():
    rows = [{"mean": 0.1 * at, "low": 0.1 * at - 0.01, "high": 0.1 * at + 0.01} for at in range(5)]
    assert domain_of(rows) is None
    low, high = domain_of([*rows, {"mean": 0.0, "low": 0.0, "high": 1.0}])
    assert (low, high) == (pytest.approx(-0.01 - 0.0126), pytest.approx(0.41 + 0.0126))


def test_results_without_segments_or_divided_differently_are_refused():
    qrels, runs = data(2, 60)
    plain = rw.Evaluator(qrels, ["ndcg@10", "rr"]).evaluate_all(runs)
    with pytest.raises(RankwellError, match="there are no segments"):
        rw.plot.segments(plain)
    with pytest.raises(RankwellError, match="divided by"):
        rw.plot.segments({"a": plain["s0"], "b": divided(2)["s1"]})


def test_means_of_weighted_results_are_all_without_weights_and_this_is_said():
    qrels, runs = data(1, 40)
    users = [{"query": f"q{at}", "tier": TIERS[at % 3], "heavy": 1 + at % 5} for at in range(40)]
    own = rw.Evaluator(qrels, ["ndcg@10"], users=users, by="tier", weights="heavy").evaluate_all(runs)["s0"]
    chart = rw.plot.segments(own)
    assert rows_of(chart)[0]["mean"] == own.plain_mean["ndcg@10"] != own["ndcg@10"]
    assert "The means are not weighted." in chart.title.subtitle


def test_the_level_of_intervals_is_that_of_the_comparison():
    own = divided(2)
    found = rw.compare(own, users=users_of(60), by="tier", alpha=0.1, flips=99)
    for chart in (rw.plot.segments(found), rw.plot.per_query(own, comparison=found), rw.plot.forest(found)):
        assert "90 % interval" in " ".join(chart.title.subtitle)
    assert "95 % interval" in " ".join(rw.plot.segments(own).title.subtitle)


def test_intervals_without_an_end_are_cut_and_do_not_hide_the_others():
    rows = [{"mean": 0.5, "low": 0.4, "high": 0.6}] * 5
    endless = {"mean": 1.0, "low": 0.0, "high": "inf"}
    assert domain_of([endless]) is None
    low, high = domain_of([*rows, endless])
    assert 0.3 < low < 0.4
    assert 1.0 < high < 1.1


def test_a_metric_without_an_upper_end_is_drawn_for_segments_where_few_queries_have_a_hit():
    qrels = {f"q{at}": {f"d{at}": 3} for at in range(40)}
    few = [{"query": f"q{at}", "tier": "few" if at < 5 else "many"} for at in range(40)]
    run = {query: list(qrels[query]) if at == 0 or at % 3 > 1 else ["x"] for at, query in enumerate(qrels)}
    found = rw.compare(
        {"run": run, "empty": {key: ["x"] for key in qrels}},
        qrels,
        ["dcg@10"],
        users=few,
        by="tier",
        flips=99,
    )
    assert found.mean("run", "dcg@10", "few").high == float("inf")  # so few hits tell nothing of the mean
    rows = {(row["system"], row["segment"]): row for row in rows_of(rw.plot.segments(found, "dcg@10"))}
    assert rows["run", "few"]["high"] == "inf"
