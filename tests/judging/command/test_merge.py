"""``rankwell judging merge``: sheets in, judgements out; ``agreement`` and ``evaluate`` take them."""

from __future__ import annotations

import json

import pytest

import rankwell as rw
from rankwell.cli import run

HEAD = "query,item,grade,judge,time,order,is_repeat,comment\n"
GRADES = {"Ann": "0212", "Bo": "0211", "Cy": "2011"}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for judge, grades in GRADES.items():
        rows = [
            f"1,{item},{grade},{judge},,{order},false,"
            for order, (item, grade) in enumerate(zip("abcd", grades, strict=True))
        ]
        rows.append(f"1,a,0,{judge},,9,true,")
        (tmp_path / f"{judge}.csv").write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return [f"{judge}.csv" for judge in GRADES]


@pytest.mark.parametrize("how", ["max", "majority", "dawid-skene"])
def test_the_file_holds_what_the_function_returns(how, files, capsys, tmp_path):
    assert run(["judging", "merge", *files, "--how", how, "-o", "qrels.txt"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "rankwell: note: wrote 4 judgements to qrels.txt.\n"
    assert "4 pairs by 3 judges" in shown.out
    assert ("What Cy gives, estimated" in shown.out) == (how == "dawid-skene")
    found = rw.judging.merge(*files, how=how)
    rows = [line.split() for line in (tmp_path / "qrels.txt").read_text().splitlines()]
    assert [(row[2], float(row[3])) for row in rows] == [
        (item, grade) for (_, item), grade in zip(found.pairs, found.grade, strict=True)
    ]
    (tmp_path / "a.run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    assert run(["evaluate", "qrels.txt", "a.run", "-m", "ndcg@2"]) == 0
    assert run(["agreement", "Ann.csv", "--against", "Bo.csv"]) == 0


def test_forms(files, capsys):
    assert run(["judging", "merge", *files, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == rw.judging.merge(*files).to_dict()
    assert run(["judging", "merge", *files, "--format", "csv", "--how", "dawid-skene"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "judge,judged,repeats,self-agreement,self κ,as merged"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["no.csv"], 3, "no.csv"),
        (["Ann.csv", "Ann.csv"], 2, "given twice"),
        (["Ann.csv", "--how", "mean"], 2, "--how"),
        (["Ann.csv", "-o", "qrels.pdf"], 2, "by the suffix of the name"),
        (["Ann.csv", "-o", "Ann.csv"], 2, "overwrite an input"),
    ],
)
def test_errors_are_one_line(words, code, message, capsys):
    assert run(["judging", "merge", *words]) == code
    shown = capsys.readouterr()
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1


def test_no_example_writes_over_the_judgements_that_are_there(capsys):
    assert run(["judging", "merge", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "-o merged.txt" in shown
    assert "-o qrels.txt" not in shown
