"""Saved results need no judgements, and no ``none`` in their place: none of them is taken for judgements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankwell as rw
from rankwell.cli import run
from rankwell.cli.arguments import with_none
from rankwell.cli.commands import function_of, homes

QUICK = ["--flips", "99", "--resamples", "99"]
SAVED = ("a.json", "b.parquet", "c.json")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = {str(q): {"x": 1} for q in range(9)}
    for n, name in enumerate(SAVED):
        lists = {str(q): ["x", "y"] if q % 3 < n else ["y", "x"] for q in range(9)}
        rw.evaluate(lists, qrels, ["rr", "ap"]).save(name)
    rw.compare({"one": rw.Results.load("a.json"), "two": rw.Results.load("c.json")}).save("comparison.json")
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 x 1\n" for q in range(9)))
    (tmp_path / "own.run").write_text("".join(f"{q} Q0 x 1 2 t\n" for q in range(9)))
    (tmp_path / "days").mkdir()
    rw.Results.load("a.json").save("days/2026-11-01.json")
    return tmp_path


COMMANDS = [
    ["compare", "a.json", "b.parquet", "c.json", *QUICK],
    ["compare", "-m", "rr", "a.json", "b.parquet", "c.json", *QUICK],
    ["compare", "--margin=0.1", "first=a.json", "b.parquet", "c.json", *QUICK],
    ["compare", "--pairs", "a.json", "c.json", "--format", "json", *QUICK],
    ["compare", "days", "c.json", *QUICK],
    ["diff", "a.json", "c.json", "-m", "rr"],
    ["diff", "new=a.json", "c.json", "-m", "rr"],
    ["gate", "c.json", "--baseline", "a.json", "--max-drop", "0.5"],
    ["gate", "--baseline", "a.json", "c.json", "--max-drop", "0.5"],
    ["report", "a.json", "c.json", "-o", "out.json", "--command", "x", *QUICK],
    ["report", "comparison.json", "-o", "out.json", "--command", "x"],
    ["plot", "forest", "a.json", "c.json", "-m", "rr", "-o", "out.json"],
    ["plot", "wins", "comparison.json", "-o", "out.json"],
]


def told(words, capsys):
    code = run(words)
    shown = capsys.readouterr()
    written = Path("out.json").read_text(encoding="utf-8") if "out.json" in words else ""
    return code, shown.out, shown.err, written


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_saved_results_alone_give_what_they_give_behind_none(words, capsys):
    place = words.index(
        next(
            word
            for word in words
            if word.endswith(("a.json", "c.json", "comparison.json", "days"))
            and words[words.index(word) - 1] != "--baseline"
        )
    )
    found = told(words, capsys)
    assert found[0] in (0, 1), found[2]
    assert found == told([*words[:place], "none", *words[place:]], capsys)


def test_every_saved_file_is_a_system(capsys):
    assert run(["compare", *SAVED, "--format", "json", *QUICK]) == 0
    assert json.loads(capsys.readouterr().out)["systems"] == ["a", "b", "c"]


def test_judgements_in_front_of_saved_results_and_runs_stay_judgements(capsys):
    assert run(["compare", "q.txt", "a.json", "own.run", "-m", "rr", "--format", "json", *QUICK]) == 0
    assert json.loads(capsys.readouterr().out)["systems"] == ["a", "own"]
    assert run(["compare", "a.json", "own.run", "-m", "rr"]) == 2
    assert "rr needs judgements" in capsys.readouterr().err


@pytest.mark.parametrize("words", homes(), ids=" ".join)
def test_only_commands_that_take_saved_results_leave_judgements_out(words):
    given = [*words, "a.json", "own.run"]
    takes = words[0] in ("compare", "gate", "report", "diff") or (
        words[0] == "plot" and "own" in given[-1] and _is_of_results(words[1])
    )
    assert with_none(words, given, function_of(words)) == (
        [*words, "none", *given[len(words) :]] if takes else given
    )


def _is_of_results(kind):
    from rankwell.cli.report import is_evaluated
    from rankwell.reporting import plots

    return is_evaluated(getattr(plots, kind))
