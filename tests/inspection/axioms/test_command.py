"""``rankwell axioms``: the list of axioms, one metric, several metrics, and every form."""

from __future__ import annotations

import json

import pytest

from rankwell.cli import run
from rankwell.inspection.axioms import AXIOMS


def printed(capsys, *arguments):
    assert run(["axioms", *arguments]) == 0
    return capsys.readouterr().out


def test_without_a_metric_the_axioms_are_listed_with_what_they_say_and_where_they_are_from(capsys):
    shown = printed(capsys)
    for axiom in AXIOMS.values():
        assert f"{axiom.name} " in shown
        assert axiom.statement in shown
        assert axiom.source in shown
    assert "known only second-hand: P5, P6, P7, P8" in shown
    assert json.loads(printed(capsys, "--format", "json"))[0]["axiom"] == "Pri"
    assert printed(capsys, "--format", "csv", "--axiom", "Red,Sat").splitlines()[2].startswith("Sat,")


def test_the_help_names_every_axiom(capsys):
    shown = " ".join(printed(capsys, "--help-all").split())
    assert f"{', '.join(AXIOMS)}; repeat it" in shown


def test_one_metric_shows_counts_and_two_lists_side_by_side_with_both_values(capsys):
    shown = printed(capsys, "rr", "--axiom", "CloseTh", "--axiom", "Conf")
    assert "CloseTh  violated       0     0           3          0  –" in shown
    assert "rank   this list should win  against this one" in shown
    assert "value  0.3333                1.0000" in shown


def test_several_metrics_make_a_table_of_metrics_and_axioms(capsys):
    shown = printed(capsys, "rr,ndcg@10", "err", "--axiom", "DeepTh,Conf")
    assert shown.splitlines()[2].split() == ["metric", "DeepTh", "Conf"]
    assert "rr       holds (1)  weak" in shown
    assert "ndcg@10  holds (7)  weak" in shown


@pytest.mark.parametrize(
    ("form", "piece"),
    [
        ("markdown", "| err    | holds |"),
        ("html", '<td class="text">holds</td>'),
        ("csv", "err,Pri,holds,500,0,0,0,,"),
    ],
)
def test_the_table_is_written_in_every_form(form, piece, capsys):
    assert piece in printed(capsys, "err", "rr", "--axiom", "Pri", "--format", form)


def test_json_goes_to_a_file_and_holds_trials_and_seed(tmp_path, capsys):
    path = tmp_path / "axioms.json"
    arguments = ["ap", "--axiom", "Pri", "--trials", "30", "--seed", "4", "--format", "json", "-o", str(path)]
    assert printed(capsys, *arguments) == ""
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert (saved["trials"], saved["seed"], saved["verdicts"][0]["strict"]) == (30, 4, 30)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ndcg", "--axiom", "Redd"], "There is no axiom 'Redd'"),
        (["ndgc"], "Did you mean ndcg?"),
        (["ndcg", "--trials", "0"], "--trials 0"),
        (["p"], "write p@10"),
        (["ndcg", "--format", "parquet"], "parquet"),
    ],
)
def test_what_cannot_be_asked_is_one_line_on_stderr(arguments, message, capsys):
    assert run(["axioms", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1
