"""Command output, compared with what was printed and looked at before.

``RANKWELL_GOLDEN=write`` writes the files anew; read the difference before you commit it. The numbers in them are
confirmed elsewhere (tests/definitions); here it is words, order and layout that may not change by accident.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.golden.gates import GATES, write_gate_files

import rankwell
from rankwell.cli import run

DATA = Path(rankwell.__file__).parent / "data"
EXPECTED = Path(__file__).parent / "expected"
NIST = ["trec_eval/qrels.test", "trec_eval/results.test"]
MOVIES = ["movietweetings/test.parquet", "movietweetings/popular.parquet", "movietweetings/itemknn.parquet"]
CATALOGUE = ["--items", "movietweetings/items.parquet"]

COMMANDS = {
    "one_run.txt": ["evaluate", *NIST, "-m", "ap,ndcg@10,p@5,rr,bpref,judged@10"],
    "one_run_verbose.txt": ["evaluate", *NIST, "-m", "ap@10", "-v", "--undefined", "zero"],
    "one_run_worst_ties.txt": ["evaluate", *NIST, "-m", "ap", "--ties", "worst"],
    "per_query.txt": ["evaluate", *NIST, "-m", "ap,ndcg@10", "--per-query"],
    "per_query.csv": ["evaluate", *NIST, "-m", "ap,ndcg@10", "--per-query", "--format", "csv"],
    "values.csv": ["evaluate", *NIST, "-m", "ap,ndcg@10", "--format", "csv"],
    "values.json": ["evaluate", *NIST, "-m", "ap", "--format", "json", "--per-query"],
    "two_runs.txt": ["evaluate", *MOVIES, "-m", "ndcg@10,hit@10,coverage@10", "--rel", "8", *CATALOGUE],
    "ratings_are_refused.txt": ["evaluate", *MOVIES, "-m", "ndcg@10"],
    "lists_only.txt": ["evaluate", "none", MOVIES[1], "-m", "coverage@10", *CATALOGUE],
    "explain_ndcg.txt": ["explain", "ndcg@10"],
    "worked_ndcg.txt": ["explain", "ndcg@6", *MOVIES[:2], "--query", "8848", "--policy", "rel=8"],
    "worked_ap.md": ["explain", "ap", *NIST, "--query", "303", "--format", "markdown"],
    "worked_err.tex": ["explain", "err@5", *NIST, "--query", "302", "--format", "latex"],
    "worked_rr.html": ["explain", "rr", *NIST, "--query", "301", "--format", "html"],
    "diff.txt": ["diff", *MOVIES, "--rel", "8", "--top", "8", *CATALOGUE],
    "diff_worse.md": [
        "diff",
        *MOVIES,
        "--rel",
        "8",
        "--direction",
        "worse",
        "--top",
        "3",
        "--format",
        "markdown",
    ],
    "diff_query.txt": ["diff", *MOVIES, "--rel", "8", "--query", "16552", *CATALOGUE],
    "diff_query.tex": ["diff", *MOVIES, "--rel", "8", "--query", "4422", "-m", "p@5", "--format", "latex"],
    "axioms.txt": ["axioms"],
    "axioms_of_ap.txt": ["axioms", "ap", "--axiom", "Pri,Deep,DeepTh,CloseTh,P4"],
    "axioms_of_several.md": [
        "axioms",
        "rr,ap,ndcg@10,err",
        "--axiom",
        "Pri,DeepTh,Sat",
        "--format",
        "markdown",
    ],
    "demo.txt": ["demo"],
    "compare.txt": [
        "compare",
        *MOVIES,
        "movietweetings/als.parquet",
        *["-m", "ndcg@10,hit@10", "--rel", "8"],
    ],
    "compare_baseline.md": [
        "compare",
        *MOVIES,
        *["-m", "ndcg@10,coverage@10", "--rel", "8", *CATALOGUE, "--baseline", "popular.parquet"],
        *["--margin", "ndcg@10=0.02", "--pairs", "--format", "markdown"],
    ],
    "fuse.txt": ["fuse", *MOVIES[1:], "--method", "weighted", "--weights", "0.6,0.4", "--top", "10"],
    "fuse_learned.md": [
        "fuse",
        *MOVIES[1:],
        "--qrels",
        MOVIES[0],
        "-m",
        "ndcg@10",
        "--policy",
        "rel=8",
        "--folds",
        "2",
        "--format",
        "markdown",
    ],
}


def scrubbed(text):
    """Without what differs between versions and machines, or is long: the version, digits after the twelfth, style sheets, hashes."""
    text = text.replace(rankwell.__version__, "VERSION")
    text = re.sub(r"<style>.*?</style>", "<style>…</style>", text, flags=re.DOTALL)
    text = re.sub(r"'sha256-[^']+'", "'sha256-…'", text)
    text = re.sub(
        r"SHA-256 is [0-9a-f]{16}…", "SHA-256 is …", text
    )  # of a file with arrays compressed by this machine's zlib
    return re.sub(r"(0\.\d{12})\d+", r"\1…", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_it_printed_before(name, capsys, monkeypatch):
    monkeypatch.chdir(DATA)
    code = run(COMMANDS[name])
    shown = capsys.readouterr()
    printed = scrubbed(f"{shown.out}--- stderr\n{shown.err}--- exit {code}\n")
    file = EXPECTED / f"{name}.golden"
    if os.environ.get("RANKWELL_GOLDEN") == "write":
        file.write_text(printed, encoding="utf-8")
    assert printed == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GATES)
def test_a_gate_says_what_it_said_before(name, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_gate_files()
    capsys.readouterr()
    code = run(["gate", *GATES[name]])
    shown = capsys.readouterr()
    printed = scrubbed(f"{shown.out}--- stderr\n{shown.err}--- exit {code}\n")
    file = EXPECTED / f"{name}.golden"
    if os.environ.get("RANKWELL_GOLDEN") == "write":
        file.write_text(printed, encoding="utf-8")
    assert printed == file.read_text(encoding="utf-8")


def test_no_expected_output_is_left_over():
    assert {file.name for file in EXPECTED.iterdir()} == {f"{name}.golden" for name in [*COMMANDS, *GATES]}
