"""What unjudged items could turn in a comparison."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

import rankwell as rw
from rankwell.cli import run as command

SCHEMA = json.loads((files("rankwell") / "data" / "comparison.schema.json").read_text(encoding="utf-8"))
# query 1: a beats b whatever else is relevant; 2: the reverse; 3: x decides; 4: both have the same list
QRELS = {
    "1": {"a": 1, "b": 0},
    "2": {"a": 0, "b": 1},
    "3": {"a": 1},
    "4": {"a": 1},
}
A = {"1": ["a"], "2": ["a"], "3": ["a"], "4": ["x"]}
B = {"1": ["b"], "2": ["b"], "3": ["x"], "4": ["x"]}
METRICS = ["p@1", "ap", "nerr"]


@pytest.fixture(scope="module")
def found():
    return rw.compare({"A": A, "B": B}, QRELS, METRICS, bounds=True, pool="all")


def test_queries_are_counted_by_what_judges_could_say(found):
    own = found.decided[rw.P @ 1]
    assert [int(column[0]) for column in own[:5]] == [4, 1, 1, 1, 1]
    # query 3: A has 1, B has 1 if x is relevant and 0 if not
    assert (own.low[0], own.high[0]) == (0.0, 0.25)
    assert own.kind[0] == own.mean_kind[0] == "exact"


def test_the_leaderboard_says_it_in_words(found):
    text = found.to_table().to_text()
    assert (
        "p@1: A > B whatever the judges say in 1 of 4 queries, B > A in 1, equal in 1; undecided in 1" in text
    )
    assert "orders of means that judging unjudged items could turn: p@1 (A / B); ap (A / B)" in text


def test_an_order_that_no_judgement_can_turn_is_settled():
    lists = [{str(q): [item] for q in range(5)} for item in ("a", "b")]
    judged = {str(q): {"a": 1, "b": 0} for q in range(5)}
    found = rw.compare({"A": lists[0], "B": lists[1]}, judged, ["p@1"], bounds=True)
    assert found.decided[rw.P @ 1].is_settled().tolist() == [True]
    assert "could turn" not in found.to_table().to_text()
    assert "settled" in found.to_bounds_table().to_text()


def test_the_table_has_a_row_per_pair_and_marks_what_has_no_bounds(found):
    table = found.to_bounds_table()
    assert [row[0] for row in table.rows] == METRICS
    assert table.rows[2][-1] == "no bounds"
    assert "nerr: no bounds are known for this metric" in table.to_text()
    assert table.caption in repr(found)


def test_without_a_stated_pool_signs_are_known_and_means_of_metrics_of_r_are_not():
    found = rw.compare({"A": A, "B": B}, QRELS, ["r@1", "p@1"], bounds=True)
    own = found.decided[rw.R @ 1]
    assert int(own.first[0]) == 1
    assert own.low[0] != own.low[0]
    assert "without a stated pool" in own.why[0]
    assert found.decided[rw.P @ 1].high[0] == 0.25


def test_all_pairs_and_a_baseline_are_compared():
    runs = {"A": A, "B": B, "C": A}
    assert len(rw.compare(runs, QRELS, ["p@1"], bounds=True).to_bounds_table().rows) == 3
    found = rw.compare(runs, QRELS, ["p@1"], baseline="C", bounds=True)
    assert [row[1:3] for row in found.to_bounds_table().rows] == [("A", "C"), ("B", "C")]
    assert found.decided[rw.P @ 1].equal.tolist() == [4, 1]


def test_a_saved_comparison_keeps_its_bounds(found, tmp_path):
    found.save(tmp_path / "found.json")
    jsonschema.validate(json.loads((tmp_path / "found.json").read_text(encoding="utf-8")), SCHEMA)
    again = rw.Comparison.load(tmp_path / "found.json")
    assert again.to_json() == found.to_json()
    assert again.to_bounds_table().to_text() == found.to_bounds_table().to_text()


def test_what_has_no_joint_bounds_is_refused():
    saved = rw.evaluate(B, QRELS, ["p@1"])
    with pytest.raises(rw.RankwellError, match="B is not one run"):
        rw.compare({"A": A, "B": saved}, QRELS, ["p@1"], bounds=True)
    with pytest.raises(rw.RankwellError, match="evaluate with bounds=True"):
        rw.compare({"A": A, "B": B}, QRELS, ["p@1"]).to_bounds_table()
    with pytest.raises(rw.RankwellError, match="trainings and folds"):
        rw.compare(
            {"A": A, "B": B, "C": A, "D": B}, QRELS, ["p@1"], seeds={"m": ["A", "B", "C"]}, bounds=True
        )


def test_the_command_prints_both_tables(capsys, tmp_path):
    for name, lists in (("A", A), ("B", B)):
        rows = [f"{q} Q0 {item} 1 1.0 {name}" for q, own in lists.items() for item in own]
        (tmp_path / f"{name}.run").write_text("\n".join(rows), encoding="utf-8")
    rows = [f"{q} 0 {item} {grade}" for q, own in QRELS.items() for item, grade in own.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(rows), encoding="utf-8")
    words = [str(tmp_path / name) for name in ("qrels.txt", "A.run", "B.run")]
    assert command(["compare", *words, "-m", "p@1", "--bounds", "--pool", "all"]) == 0
    shown = capsys.readouterr().out
    assert "A > B whatever the judges say in 1 of 4 queries" in shown
    assert "What the judgements decide" in shown
    assert command(["compare", *words, "-m", "p@1", "--bounds", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["decided"]["p@1"]["undecided"] == [1]
