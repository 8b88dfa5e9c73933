"""`--drop-own-query` on every command that takes the rules of a policy."""

from __future__ import annotations

import json

import pytest

from rankwell.cli import run

QRELS = "".join(f"q{n} 0 d{n} 1\nq{n} 0 q{n} 1\n" for n in range(6))
A = "".join(f"q{n} Q0 q{n} 1 9 t\nq{n} Q0 d{n} 2 5 t\nq{n} Q0 x 3 4 t\n" for n in range(6))
B = "".join(f"q{n} Q0 q{n} 1 9 t\nq{n} Q0 x 2 5 t\nq{n} Q0 d{n} 3 4 t\n" for n in range(6))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels.txt": QRELS, "a.run": A, "b.run": B}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / f"without.{name}").write_text(
            "".join(f"{line}\n" for line in text.splitlines() if line.split()[0] != line.split()[2]) if "run" in name else text,
            encoding="utf-8",
        )  # fmt: skip
    return tmp_path


COMMANDS = {
    "evaluate": ["evaluate", "qrels.txt", "a.run", "-m", "ap,p@1", "--format", "json"],
    "compare": ["compare", "qrels.txt", "a.run", "b.run", "-m", "rr", "--format", "json"],
    "gate": ["gate", "qrels.txt", "a.run", "--baseline", "b.run", "-m", "rr", "--format", "json"],
    "diff": ["diff", "qrels.txt", "a.run", "b.run", "-m", "rr", "--format", "json"],
    "explain": ["explain", "rr", "qrels.txt", "b.run", "--query", "q2"],
    "fuse": ["fuse", "a.run", "b.run", "-o", "fused.run"],
    "judging next": ["judging", "next", "qrels.txt", "a.run", "b.run"],
}
RULE = ["--policy", "drop_own_query=true"]
PAIRED = ("explain", "fuse", "judging next")  # commands of which no rule is an option of its own


def scrubbed(text):
    """Without the policy, the counts and the names of files."""
    data = json.loads(text)
    for each in (data, *data.get("runs", ())):
        for word in ("policy", "counts", "notes", "name", "run", "counted", "states"):
            each.pop(word, None)
    return json.dumps(data).replace("without.", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_says_of_files_without_the_query(name, capsys, folder):
    said = []
    for words in (
        [word.replace("a.run", "without.a.run").replace("b.run", "without.b.run") for word in COMMANDS[name]],
        [*COMMANDS[name], *(RULE if name in PAIRED else ["--drop-own-query"])],
        COMMANDS[name],
    ):
        assert run(words) == 0
        out = capsys.readouterr().out
        if name == "fuse":
            out = (folder / "fused.run").read_text(encoding="utf-8")
            (folder / "fused.run").unlink()
        said.append(scrubbed(out) if "json" in words else out.replace("without.", ""))
    assert said[0] == said[1] != said[2]


def test_a_table_says_it_and_counts_it(capsys):
    assert run(["evaluate", "qrels.txt", "a.run", "-m", "rr", "--drop-own-query"]) == 0
    shown = capsys.readouterr().out
    assert "policy: drop_own_query=True (all others default; -v prints them)" in shown
    assert "rows whose item is the query itself: 6" in shown


def test_what_lint_advises_does_what_it_says(capsys):
    assert run(["lint", "qrels.txt", "a.run", "-m", "p@1"]) == 0
    shown = capsys.readouterr().out
    assert "[own-query] 6 rows of 6 lists hold the query itself as an item" in shown
    assert "say --policy drop_own_query=true, as BEIR does" in shown
    assert run(["lint", "qrels.txt", "a.run", *RULE]) == 0
    assert "own-query" not in capsys.readouterr().out


def test_an_experiment_can_say_it(capsys, folder):
    (folder / "rankwell.toml").write_text(
        'qrels = "qrels.txt"\nmetrics = ["p@1"]\n[runs]\na = "a.run"\nb = "b.run"\n[policy]\ndrop_own_query = true\n',
        encoding="utf-8",
    )
    assert run(["evaluate", "rankwell.toml", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["runs"]
    assert [each["mean"]["p@1"] for each in found] == [1.0, 0.0]
    assert found[0]["policy"]["drop_own_query"] is True
