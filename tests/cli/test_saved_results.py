"""Saved results where judgements and runs are expected: the error has the same files behind a command that takes them."""

from __future__ import annotations

import re
import shlex

import pytest
from tests.every import every

import rankwell as rw
from rankwell.cli.main import run

QRELS = {"u": {"a": 1}, "v": {"c": 1}}
RUNS = {"old": {"u": ["b", "a"], "v": ["c"]}, "new one": {"u": ["a", "b"], "v": ["c"]}}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("u 0 a 1\nv 0 c 1\n")
    (tmp_path / "bm25.run").write_text("u Q0 a 1 1.0 t\nv Q0 c 1 1.0 t\n")
    for name, lists in RUNS.items():
        for suffix in ("json", "parquet"):
            rw.evaluate(lists, QRELS, ["rr", "p(rel=2)@1"]).save(f"{name}.{suffix}")
    rw.compare({name: rw.Results.load(f"{name}.json") for name in RUNS}).save("both.json")
    rw.trend({"2026-11-01": "old.json", "2026-11-08": "new one.json"}, ["rr"]).save("weeks.json")
    return tmp_path


@every(
    ("given", "commands"),
    [
        ("old.json 'new one.parquet'", ["compare old.json 'new one.parquet'", "merge old.json 'new one.parquet'"]),
        ("old.json 'new one.json' -m rr", ["compare old.json 'new one.json'", "merge old.json 'new one.json'"]),
        ("old.json", ["merge old.json"]),
        ("old.parquet bm25.run -m rr", ["compare QRELS old.parquet bm25.run -m 'rr,p(rel=2)@1'"]),
        ("qrels.txt old.json bm25.run", ["compare qrels.txt old.json bm25.run -m 'rr,p(rel=2)@1'"]),
        ("qrels.txt x=old.json 'new one.json'", ["compare x=old.json 'new one.json'", "merge old.json 'new one.json'"]),
        ("qrels.txt old.parquet -m rr", ["merge old.parquet"]),
    ],
)  # fmt: skip
def test_evaluate_names_the_command_that_takes_them(files, capsys, given, commands):
    assert run(["evaluate", *shlex.split(given)]) == 2
    said = capsys.readouterr().err
    assert "holds saved results, and evaluate takes judgements and runs" in said
    assert re.findall(r"`rankwell ([^`]*)`", said) == commands
    assert run(shlex.split(commands[0].replace("QRELS", "qrels.txt"))) == 0, capsys.readouterr().err
    for command in commands[1:]:  # these two are of the same queries
        assert run(shlex.split(command)) == 2
        assert "query 'u' is in both" in capsys.readouterr().err


@every(
    ("name", "shown_by", "load"),
    [
        ("old.json", "merge", rw.Results),
        ("old.parquet", "merge", rw.Results),
        ("both.json", "report", rw.Comparison),
        ("weeks.json", "report", rw.Trend),
    ],
)
@every("at", [0, 1])
def test_readers_name_what_the_file_holds_and_what_shows_it(files, capsys, name, shown_by, load, at):
    given = [name, "bm25.run"] if at == 0 else ["qrels.txt", name]
    with pytest.raises(rw.RankwellError, match=r"it holds (a )?saved ") as error:
        rw.evaluate(given[1], given[0], ["rr"])
    said = str(error.value)
    assert f"not {'judgements' if at == 0 else 'a run'}: `rankwell {shown_by} {name}` shows" in said
    assert f"rw.{load.__name__}.load reads" in said
    load.load(name)
    assert run(["explain", "rr", *given, "--query", "u"]) == 3
    assert said in capsys.readouterr().err
    assert run([shown_by, name]) == 0
