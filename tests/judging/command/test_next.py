"""The commands of judging: files, formats, exit codes, one line per error."""

from __future__ import annotations

import csv
import json

import pytest

import rankwell as rw
from rankwell.cli import run
from rankwell.judging.method import methods

RUNS = {
    "a.run": "1 Q0 x 1 3 t\n1 Q0 y 2 2 t\n1 Q0 z 3 1 t\n2 Q0 x 1 2 t\n2 Q0 v 2 1 t\n",
    "b.run": "1 Q0 y 1 3 t\n1 Q0 w 2 2 t\n2 Q0 x 1 2 t\n2 Q0 u 2 1 t\n",
    "c.run": "1 Q0 z 1 3 t\n1 Q0 x 2 2 t\n2 Q0 u 1 2 t\n",
    "qrels.txt": "1 0 x 1\n1 0 w 0\n",
    "all.txt": "1 0 x 1\n1 0 y 0\n1 0 z 0\n1 0 w 0\n2 0 x 1\n2 0 v 1\n2 0 u 0\n",
}
THREE = ["a.run", "b.run", "c.run"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in RUNS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("method", methods())
def test_the_file_holds_what_the_function_returns(method, folder, capsys):
    assert (
        run(["judging", "next", "qrels.txt", *THREE, "--method", method, "--budget", "4", "-o", "next.tsv"])
        == 0
    )
    shown = capsys.readouterr()
    assert shown.err == "rankwell: note: wrote 4 items to next.tsv.\n"
    assert f"{method}: " in shown.out
    assert "to settle the order: about" in shown.out
    chosen = rw.judging.next(
        {name.removesuffix(".run"): name for name in THREE}, "qrels.txt", method=method, budget=4
    )
    with open(folder / "next.tsv", encoding="utf-8", newline="") as file:
        rows = [
            (row["query"], row["item"], float(row["weight"])) for row in csv.DictReader(file, delimiter="\t")
        ]
    assert rows == [tuple(pick) for pick in chosen]


def test_what_is_printed_and_what_is_written_have_their_formats(folder, capsys):
    words = ["judging", "next", "none", *THREE, "-m", "p@2", "--budget", "3"]
    chosen = rw.judging.next({name.removesuffix(".run"): name for name in THREE}, metric="p@2", budget=3)
    assert run([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(chosen.to_json())
    assert run([*words, "--format", "csv"]) == 0
    assert [line.split(",")[1:3] for line in capsys.readouterr().out.splitlines()[1:]] == [
        [pick.query, pick.item] for pick in chosen
    ]
    assert run([*words, "-o", "next.json"]) == 0
    assert json.loads((folder / "next.json").read_text()) == json.loads(chosen.to_json())
    assert "until no answer could change it" in capsys.readouterr().out


def test_choosing_judging_and_choosing_again_comes_to_an_end(folder):
    answers = {tuple(line.split()[::2]): line.split()[3] for line in RUNS["all.txt"].splitlines()}
    asked = []
    for _ in range(10):
        assert (
            run(
                [
                    "judging",
                    "next",
                    "judged.txt" if asked else "none",
                    *THREE,
                    "--budget",
                    "2",
                    "-o",
                    "next.csv",
                ]
            )
            == 0
        )
        with open(folder / "next.csv", encoding="utf-8", newline="") as file:
            new = [(row["query"], row["item"]) for row in csv.DictReader(file)]
        if not new:
            break
        asked += new
        lines = [f"{query} 0 {item} {answers[query, item]}\n" for query, item in asked]
        (folder / "judged.txt").write_text("".join(lines), encoding="utf-8")
    assert len(set(asked)) == len(asked) == len(answers)


def test_simulating_prints_and_saves_what_the_function_returns(folder, capsys):
    words = [
        "judging",
        "simulate",
        "all.txt",
        *THREE,
        "--methods",
        "mtc,depth",
        "--budgets",
        "2,5",
    ]
    assert run([*words, "-o", "judging.json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "rankwell: note: wrote judging.json.\n"
    assert "Order of 3 runs by judgements spent" in shown.out
    found = rw.judging.simulate(
        {name.removesuffix(".run"): name for name in THREE},
        "all.txt",
        methods=["mtc", "depth"],
        budgets=[2, 5],
    )
    assert rw.judging.Simulation.load(folder / "judging.json").to_json() == found.to_json()
    assert run([*words, "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(found.rows)
    assert run(["plot", "effort", "judging.json", "-o", "effort.json"]) == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["next", "qrels.txt", "a.run"],
            2,
            "--aim order needs two or more runs, and 1 is given. For 1 take --aim mean.",
        ),
        (
            ["next", "qrels.txt", *THREE, "--aim", "difference"],
            2,
            "--aim difference needs two runs, and 3 are given",
        ),
        (["next", "qrels.txt", *THREE, "--method", "mtx"], 2, "Did you mean mtf?"),
        (["next", "qrels.txt", *THREE, "-m", "ndcg@10"], 2, "For nDCG take dcg"),
        (["next", "qrels.txt", *THREE, "--budget", "0"], 2, "must be at least 1"),
        (["next", "qrels.txt", *THREE, "-o", "next.doc"], 2, "items are written as"),
        (["next", "qrels.txt", *THREE, "-o", "qrels.txt"], 2, "items are written as"),
        (["next", "qrels.txt", "a.run", "a.run"], 2, "a run is given twice"),
        (["next", "missing.txt", *THREE], 3, "missing.txt: cannot be read"),
        (["next", "qrels.txt", *THREE, "-o", "no/next.tsv"], 3, "the folder no does not exist"),
        (["simulate", "all.txt", *THREE, "--budgets", "x"], 2, "--budgets takes numbers"),
        (["simulate", "all.txt", *THREE, "--budgets", "0"], 2, "must be whole numbers of at least 1"),
        (
            ["simulate", "all.txt", *THREE, "--methods", "best"],
            2,
            "must be bla, depth, hedge, mm, mm_ns, mtc or mtf",
        ),
        (["simulate", "all.txt", *THREE, "-o", "x.doc"], 2, "simulations are written as"),
        (
            ["simulate", "all.txt", *THREE, "--leave-out", "each"],
            2,
            "for Python alone: the argument leave_out of rw.judging.simulate.",
        ),
        (["later"], 2, "Available commands: next, simulate"),
    ],
)
def test_errors_are_one_line(words, code, message, capsys):
    assert run(["judging", *words]) == code
    shown = capsys.readouterr().err
    assert message in shown
    assert len(shown.splitlines()) == 1
