"""``rankwell judging prompts``: what is written is what the function returns; what cannot be asked is one line."""

from __future__ import annotations

import json

import pytest

import rankwell as rw
from rankwell.cli import run


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "next.tsv").write_text("query\titem\tweight\n1\ta\t2.0\n1\tb\t1.0\n", encoding="utf-8")
    (tmp_path / "items.csv").write_text(
        "item,title,text\na,A,first text\nb,B,second text\n", encoding="utf-8"
    )
    (tmp_path / "queries.tsv").write_text("query\ttext\n1\twhat is it\n", encoding="utf-8")


WORDS = ["judging", "prompts", "next.tsv", "--items", "items.csv", "--model", "m"]


def test_the_files_hold_what_the_function_returns(capsys, tmp_path):
    words = [
        "--queries",
        "queries.tsv",
        "--scale",
        "0=no,1=yes",
        "--repeats",
        "50%",
        "--form",
        "plain",
        "--text",
        "text",
    ]
    assert run([*WORDS, *words, "-o", "asked.jsonl"]) == 0
    found = rw.judging.prompts(
        "next.tsv", model="m", items="items.csv", queries="queries.tsv", scale="0=no,1=yes", repeats=0.5, form="plain",
        text=["text"],
    )  # fmt: skip
    lines = [json.loads(line) for line in (tmp_path / "asked.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == found.requests()
    assert json.loads((tmp_path / "asked.key.json").read_text(encoding="utf-8"))["key"] == found.key
    told = capsys.readouterr()
    assert (
        told.err
        == f"rankwell: note: wrote 3 requests to asked.jsonl (prompt {found.prompt}), and the key to asked.key.json.\n"
    )
    assert not told.out


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["-o", "asked.txt"], 2, "ends in .jsonl"),
        (["--repeats", "much"], 2, "--repeats 'much': write a share"),
        (["--template", "no.txt"], 3, "no.txt: cannot be read"),
        (["--scale", "1"], 2, "--scale"),
        (["--template", "queries.tsv"], 2, "says nowhere what the query is"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_writes_nothing(more, code, message, capsys, tmp_path):
    assert run([*WORDS, *more]) == code
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("*.jsonl"))
    assert not list(tmp_path.glob("*.key.json"))


def test_a_batch_that_was_sent_keeps_its_key(capsys, tmp_path):
    assert run(WORDS) == run(WORDS) == 0  # the same again
    before = [(tmp_path / name).read_bytes() for name in ("batch.jsonl", "batch.key.json")]
    capsys.readouterr()
    assert run([*WORDS[:-1], "other"]) == 3
    err = capsys.readouterr().err
    assert err.startswith("rankwell: batch.key.json: is there already")
    assert err.count("\n") == 1
    assert [(tmp_path / name).read_bytes() for name in ("batch.jsonl", "batch.key.json")] == before
    assert run([*WORDS[:-1], "other", "-o", "second.jsonl"]) == 0


def test_a_name_that_judgements_cannot_carry_is_one_line(capsys, tmp_path):
    assert run([*WORDS[:-1], "a,prompt=b"]) == 2
    err = capsys.readouterr().err
    assert "the name of a model cannot have ','" in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("batch*"))
