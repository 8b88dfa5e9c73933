"""The option ``--ledger``, and the command ``ledger`` that counts what it wrote."""

from __future__ import annotations

import json

import polars as pl
import pytest
from tests.cli.samples import QRELS, RUN

import rankwell as rw
from rankwell.cli import run


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "ledger.jsonl"
    for engine in ("memory", "stream"):
        assert run(["evaluate", QRELS, f"one={RUN}", f"two={RUN}", "-m", "ap", "-m", "rr", "--engine", engine, "--ledger", str(path)]) == 0  # fmt: skip
    return path


def test_each_run_is_a_line_and_the_table_is_that_of_the_library(ledger, capsys):
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert sorted(line["run"] for line in lines) == ["one", "one", "two", "two"]
    assert len({(line["qrels_hash"], line["run_hash"]) for line in lines}) == 1
    capsys.readouterr()
    for words, options in (
        ([], {}),
        (["--sd", ".15"], {"sd": 0.15}),
    ):
        assert run(["ledger", str(ledger), *words]) == 0
        assert capsys.readouterr().out.rstrip() == rw.read_ledger(ledger, **options).to_text()


def test_what_is_printed_is_the_same_with_a_ledger(ledger, capsys):
    for words in ([], ["--per-query"], ["--format", "json"]):
        shown = []
        for more in ([], ["--ledger", str(ledger)]):
            assert run(["evaluate", QRELS, RUN, "-m", "ap", *words, *more]) == 0
            shown.append(capsys.readouterr())
        assert shown[0] == shown[1]


def test_a_sweep_of_thresholds_is_an_evaluation_for_each(tmp_path, capsys):
    path = tmp_path / "ledger.jsonl"
    words = ["evaluate", QRELS, RUN, "-m", "ap", "--rel-sweep", "1,2", "--ledger", str(path)]
    assert run(words) == 0
    [row] = rw.read_ledger(path).rows
    assert (row.uses, row.runs, row.definitions) == (2, 1, 2)


def test_each_format_is_written(ledger, tmp_path, capsys):
    found = rw.read_ledger(ledger)
    for suffix in ("json", "csv", "md", "tex", "html", "txt"):
        assert run(["ledger", str(ledger), "-o", str(tmp_path / f"uses.{suffix}")]) == 0
    assert json.loads((tmp_path / "uses.json").read_text()) == found.to_dict()
    assert pl.read_csv(tmp_path / "uses.csv")["uses"].to_list() == [4, 4]
    assert (tmp_path / "uses.md").read_text() == found.to_markdown() + "\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["evaluate", QRELS, RUN, "-m", "ap", "--ledger", QRELS], 2, "this is no ledger, so nothing is written to it. Name a new file."),
        (["evaluate", "none such", "none", "-m", "ap", "--ledger", "{}/no/x"], 3, "no/x: the ledger cannot be written (No such file or directory)."),
        (["evaluate", QRELS, RUN, "-m", "ap", "--format", "json", "--ledger", "{}/ledger.jsonl", "-o", "{}/ledger.jsonl"], 2, "would overwrite an input"),
        (["evaluate", QRELS, RUN, "-m", "ap", "--ledger", "{}/ledger.jsonl", "--baselines", "--train", QRELS], 2, "--ledger cannot be combined with --baselines."),
        (["evaluate", QRELS, RUN, "--show", "curve", "--ledger", "{}/ledger.jsonl"], 2, "--show curve cannot be combined with --ledger."),
        (["evaluate", QRELS, RUN, "-m", "ap", "--format", "json", "--ledger", "{}/new.json", "-o", "{}/new.json"], 2, "new.json cannot hold two outputs; name a file for each."),
        (["evaluate", QRELS, RUN, "-m", "ap", "--ledger", "-"], 2, "only after -o is - standard output; name a file."),
        (["ledger", QRELS], 3, "this is no ledger; evaluate with --ledger writes one."),
        (["ledger", "{}/ledger.jsonl", "--sd", "0"], 2, "--sd 0: must be above 0, such as .15."),
    ],
)  # fmt: skip
def test_wrong_use_is_one_line(ledger, words, code, said, tmp_path, capsys):
    capsys.readouterr()
    assert run([word.format(tmp_path) for word in words]) == code
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_a_comparison_and_a_gate_note_the_runs_that_they_evaluate(tmp_path, capsys):
    path, saved = str(tmp_path / "ledger.jsonl"), str(tmp_path / "old.json")
    assert run(["compare", QRELS, f"one={RUN}", f"two={RUN}", "-m", "ap", "--ledger", path]) == 0
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "--per-query", "-o", saved]) == 0
    assert run(["gate", QRELS, RUN, "--baseline", saved, "-m", "ap", "--ledger", path]) == 0
    [row] = rw.read_ledger(path).rows
    assert (row.uses, row.runs) == (3, 1)
    assert run(["compare", saved, f"two={saved}", "--ledger", path]) == 2
    assert "--ledger is for runs; saved results were evaluated before." in capsys.readouterr().err
    assert rw.read_ledger(path).lines == 3


def test_a_report_notes_the_runs_that_it_evaluates(tmp_path, capsys):
    path, page = str(tmp_path / "ledger.jsonl"), str(tmp_path / "page.html")
    words = ["report", QRELS, f"one={RUN}", f"two={RUN}", "-m", "ap", "-o", page]
    assert run([*words, "--ledger", path]) == 0
    [row] = rw.read_ledger(path).rows
    assert (row.uses, row.runs) == (2, 1)
    saved = str(tmp_path / "old.json")
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "--per-query", "-o", saved]) == 0
    capsys.readouterr()
    assert run(["report", saved, "-o", page, "--ledger", path]) == 2
    assert "--ledger is for runs; saved results were evaluated before." in capsys.readouterr().err
    assert rw.read_ledger(path).lines == 2
