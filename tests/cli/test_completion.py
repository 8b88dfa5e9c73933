"""``rankwell completion``: what a line may become, and the script in a real shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import MOVIES

from rankwell.cli import run
from rankwell.cli.commands import homes
from rankwell.cli.completion import SCRIPTS, candidates

TEST, ALS, ITEMS = (str(MOVIES / f"{name}.parquet") for name in ("test", "als", "items"))
LINES = {
    "rankwell ros": ["rosetta"],
    "rankwell judging s": ["simulate", "sample", "sheet"],
    "rankwell judging sheet --tit": ["--title"],
    "rankwell --help": ["--help", "--help-all"],
    "rankwell evaluate q r --per-q": ["--per-query"],
    "rankwell evaluate q r --help-": ["--help-all"],
    "rankwell evaluate q r -m nd": ["ndcg", "ndcg_ia", "ndcg_rel"],
    "rankwell evaluate q r -m ap,bpr": ["ap,bpref"],
    "rankwell evaluate q r -m rr@1": ["rr@10", "rr@100"],
    "rankwell evaluate q r --metric=recs": ["--metric=recsys"],
    "rankwell evaluate q r --preset rec": ["recbole", "recmetrics", "recpack", "rectools"],
    "rankwell evaluate q r --ties or": ["order"],
    "rankwell evaluate q r --ties=or": ["--ties=order"],
    "rankwell lint q r --policy tie": ["ties="],
    "rankwell lint q r --policy ties=or": ["ties=order"],
    "rankwell lint q r --read qrels_c": ["qrels_columns="],
    "rankwell explain ner": ["nerr", "nerr_ia"],
    "rankwell explain ap q": [],
    "rankwell axioms ap ner": ["nerr", "nerr_ia"],
    f"rankwell evaluate {TEST} {ALS} --columns sc": ["score="],
    f"rankwell evaluate {TEST} als={ALS} --columns rank=": [
        "rank=query",
        "rank=item",
        "rank=score",
        "rank=rank",
    ],
    f"rankwell evaluate {TEST} {ALS} --qrels-columns rat": ["rating="],
    f"rankwell evaluate q r --users {ITEMS} --by ge": ["genres"],
    f"rankwell report q r --items {ITEMS} --text ti": ["title"],
    "rankwell compare q runs/a.run b.run --baseline ": ["a", "b"],
    "rankwell evaluate q ": [],
    "rankwell evaluate q r -o ": [],
    "rankwell nothing x": [],
    "rankwell evaluate q r --users nowhere.csv --by ": [],
    "rankwell evaluate 'open quote": [],
}


@pytest.mark.parametrize("line", LINES)
def test_what_a_line_may_become(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert candidates(line) == LINES[line]


def test_all_commands_and_nothing_else_begin_a_line():
    assert set(candidates("rankwell ")) == {words[0] for words in homes()} | {"--help", "--help-all", "-h"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "user,mine\n1,2\n"),
        ("t.tsv", "user\tmine\n"),
        ("t.jsonl", '{"user": 1, "mine": 2}\n'),
        ("t.csv", '\ufeff"user";"mine"\r\n'),
    ],
)
def test_columns_of_tables(name, content, tmp_path):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert candidates(f"rankwell evaluate q r --users {tmp_path / name} --by ") == ["user", "mine"]


def test_a_column_with_a_blank_is_quoted(tmp_path):
    (tmp_path / "t.csv").write_text("user,my land\n")
    assert candidates(f"rankwell evaluate q r --users {tmp_path / 't.csv'} --by my") == ["'my land'"]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_is_printed_and_nothing_is_installed(shell, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(["completion", shell]) == 0
    assert capsys.readouterr().out.startswith(f"# rankwell completion {shell} >")
    assert not list(tmp_path.iterdir())
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=SCRIPTS[shell], text=True, check=True)


def test_another_shell_is_refused(capsys):
    assert run(["completion", "ksh"]) == 2
    assert "the shell must be bash, zsh or fish" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("ros", "rosetta"),
        ("evaluate q r --per-q", "--per-query"),
        ("evaluate q r -m ndc", "ndcg"),
        ("evaluate q r -m ndcg@2", "20"),  # bash replaces what is behind the sign
        ("lint q r --policy ties=or", "order"),
    ],
)
def test_bash_completes(typed, completed, tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("there is no bash, in which this test completes words; .ci/run is a script of it")
    line = f"rankwell {typed}"
    code = f"""{SCRIPTS["bash"]}
    compopt() {{ :; }}
    COMP_LINE='{line}'; COMP_POINT={len(line)}; _rankwell; printf '%s\\n' "${{COMPREPLY[@]}}" """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", code], capture_output=True, text=True, check=True, env=os.environ | {"PATH": path}
    )
    assert completed in done.stdout.splitlines(), done.stderr
