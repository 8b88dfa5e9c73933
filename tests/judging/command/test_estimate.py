"""``rankwell judging sample`` and ``judging estimate``: files in and out, what the functions return, one line per error."""

from __future__ import annotations

import csv
import json

import pytest

import rankwell as rw
from rankwell.cli import run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, step in (("a.run", 1), ("b.run", -1)):
        rows = [
            f"{q} Q0 d{i} {r} {100 - r} t\n"
            for q in (1, 2)
            for r, i in enumerate(range(40)[::step][: 30 - q], start=1)
        ]
        (tmp_path / name).write_text("".join(rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def judged(name: str) -> None:
    """Judge what a sample holds: every third item is relevant."""
    with open(name, encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file, delimiter="\t")]
    with open("qrels.txt", "w", encoding="utf-8") as file:
        file.writelines(
            f"{row['query']} 0 {row['item']} {int(int(row['item'][1:]) % 3 == 0)}\n" for row in rows
        )


def test_a_sample_is_drawn_judged_and_estimated(folder, capsys):
    assert (
        run(["judging", "sample", "a.run", "b.run", "--budget", "12", "--seed", "4", "-o", "sample.tsv"]) == 0
    )
    shown = capsys.readouterr()
    assert shown.err == (
        "rankwell: note: wrote 24 items to judge to sample.tsv, and the 80 that could have been drawn to sample.frame.tsv.\n"
    )
    assert "11+" in shown.out
    drawn = rw.judging.sample({"a": "a.run", "b": "b.run"}, budget=12, seed=4)
    for name, table in (("sample.tsv", drawn.to_frame()), ("sample.frame.tsv", drawn.whole_frame())):
        table.write_csv("expected.tsv", separator="\t")
        assert (folder / name).read_text() == (folder / "expected.tsv").read_text()
    judged("sample.tsv")
    words = [
        "judging",
        "estimate",
        "qrels.txt",
        "a.run",
        "b.run",
        "--frame",
        "sample.frame.tsv",
        "-m",
        "ap,ndcg@10",
    ]
    found = rw.judging.estimate({"a": "a.run", "b": "b.run"}, "qrels.txt", ["ap", "ndcg@10"], frame=drawn)
    assert run([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(found.to_json())
    assert run([*words, "-o", "estimates.json"]) == 0
    assert json.loads((folder / "estimates.json").read_text()) == json.loads(found.to_json())
    shown = capsys.readouterr().out
    assert "design variance" in shown
    assert "query variance" in shown
    assert "condensed" in shown
    assert run([*words, "--no-beside", "--per-query", "--estimators", "statap,infndcg"]) == 0
    shown = capsys.readouterr().out
    assert "condensed" not in shown
    assert "xinfap" not in shown
    assert shown.startswith("Estimates of each query")
    assert run([*words, "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * 3


def test_what_is_printed_has_its_format(capsys):
    words = ["judging", "sample", "a.run", "--budget", "5"]
    drawn = rw.judging.sample({"a": "a.run"}, budget=5)
    assert run([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == json.loads(drawn.to_json())["items"]
    assert run([*words, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[:2] for line in lines[1:]] == [[each.query, each.item] for each in drawn]


def test_stratified_judgements_need_no_frame(folder, capsys):
    rows = [f"1 0 d{i} {'top' if i < 10 else 'rest'} {i % 2 if i % 3 == 0 else -1}\n" for i in range(40)]
    (folder / "prels").write_text("".join(rows))
    assert run(["judging", "estimate", "prels", "a.run", "-m", "ap", "--estimators", "xinfap_trec"]) == 0
    assert "14 judged items of 40 in the frame, 1 queries" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["sample", "a.run", "--budget", "0"], 2, "--budget 0: must be at least 1"),
        (["sample", "a.run", "-o", "sample.txt"], 2, "samples are written as .csv, .tsv"),
        (["sample", "a.run", "-o", "a.run"], 2, "samples are written as"),
        (["sample", "a.run", "--frame", "f.tsv"], 2, "--frame goes with -o"),
        (["sample", "none.run"], 3, "none.run"),
        (["estimate", "half.txt", "a.run", "-m", "ap"], 3, "give it as --frame"),
        (["estimate", "half.txt", "a.run"], 2, "say which metrics you want"),
        (
            ["estimate", "half.txt", "a.run", "--frame", "sample.frame.tsv", "-m", "ap"],
            3,
            "--unanswered random",
        ),
        (["estimate", "half.txt", "a.run", "--frame", "half.txt", "-m", "ap"], 3, "half.txt:1: 4 columns"),
        (
            ["estimate", "half.txt", "a.run", "--frame", "sample.frame.tsv", "-m", "p@5"],
            2,
            "p@5 has no estimator",
        ),
        (
            ["estimate", "half.txt", "a.run", "--frame", "sample.frame.tsv", "-m", "ap", "-o", "x.txt"],
            2,
            "estimates are written",
        ),
        (["estimate", "bad.tsv", "a.run", "-m", "ap"], 3, "bad.tsv:3: the propensity is 2; it must be"),
    ],
)
def test_what_is_wrong_is_one_line(words, code, message, folder, capsys):
    run(["judging", "sample", "a.run", "--budget", "6", "-o", "sample.tsv"])
    judged("sample.tsv")
    lines = sorted(
        (folder / "qrels.txt").read_text().splitlines(keepends=True), key=lambda line: line.split()[3]
    )
    (folder / "half.txt").write_text(
        "".join(lines[-3:])
    )  # of which one is relevant, else a note says that none is
    (folder / "bad.tsv").write_text("query\titem\tpropensity\tgrade\n1\td1\t0.5\t1\n1\td2\t2\t0\n")
    capsys.readouterr()
    assert run(["judging", *words]) == code
    shown = capsys.readouterr().err
    assert message in shown
    assert len(shown.splitlines()) == 1
