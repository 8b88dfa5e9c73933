"""The command ``gate``: files it writes, the baseline it accepts and moves; its verdicts are in tests/golden."""

from __future__ import annotations

import hashlib
import re
import shlex
from importlib.resources import files
from xml.etree import ElementTree as ET

import pytest

import rankwell as rw
from rankwell.cli.main import run
from rankwell.testing import assert_not_worse

FILMS = files("rankwell") / "data" / "movietweetings"
TEST, ALS, KNN, POPULAR = (str(FILMS / f"{name}.parquet") for name in ("test", "als", "itemknn", "popular"))
ON = ["-m", "ndcg@10", "--rel", "8", "--max-drop", "0.02"]


@pytest.fixture
def accepted(tmp_path):
    path = tmp_path / "accepted.json"
    assert run(["evaluate", TEST, ALS, "-m", "ndcg@10,rr", "--rel", "8", "--per-query", "-o", str(path)]) == 0
    return path


def test_reports_are_written_beside_the_text(accepted, tmp_path, capsys):
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n", encoding="utf-8")
    more = ["--junit", str(tmp_path / "gate.xml"), "--summary", str(summary)]
    assert (
        run(["gate", TEST, KNN, "--baseline", str(accepted), "--rel", "8", "--max-drop", "0.02", *more]) == 0
    )
    assert "PASS" in capsys.readouterr().out
    assert ET.parse(tmp_path / "gate.xml").getroot().get("tests") == "3"
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# before\n## PASS")
    assert "the first 10 of" in text


def test_the_markdown_lists_as_many_queries_as_are_asked_for(accepted, capsys):
    on = [TEST, KNN, "--baseline", str(accepted), "--rel", "8", "--max-drop", "0.02", "--format", "markdown"]
    for top, shown in (("3", "the first 3 of"), ("0", "PASS")):
        assert run(["gate", *on, "--top", top]) == 0
        out = capsys.readouterr().out
        assert shown in out
        assert ("Queries that changed most" in out) == (top != "0")
    assert run(["gate", *on, "--top", "-1"]) == 2
    assert "--top -1: must be at least 0" in capsys.readouterr().err


def test_a_ratchet_moves_the_baseline_only_for_a_sure_improvement(accepted, capsys):
    before = accepted.read_bytes()
    assert run(["gate", TEST, ALS, "--baseline", str(accepted), *ON, "--ratchet"]) == 0
    assert accepted.read_bytes() == before
    assert run(["gate", TEST, KNN, "--baseline", str(accepted), *ON, "--ratchet"]) == 0
    assert "is the accepted baseline now" in capsys.readouterr().err
    moved = rw.Results.load(accepted)
    assert moved.name == "itemknn"
    assert moved["ndcg@10"] == rw.evaluate(KNN, TEST, ["ndcg@10"], rel=8)["ndcg@10"]
    assert run(["gate", TEST, ALS, "--baseline", str(accepted), *ON, "--ratchet"]) == 1
    assert rw.Results.load(accepted).name == "itemknn"


def test_the_file_of_the_baseline_can_be_pinned(accepted, capsys):
    digest = hashlib.sha256(accepted.read_bytes()).hexdigest()
    for pinned in (digest, f"sha256:{digest[:10]}"):
        assert run(["gate", TEST, KNN, "--baseline", str(accepted), *ON, "--baseline-hash", pinned]) == 0
    assert run(["gate", TEST, KNN, "--baseline", str(accepted), *ON, "--baseline-hash", "abc"]) == 2
    assert "at least 8 digits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([TEST, KNN, "--baseline", ALS], 2, "say which metrics you want"),
        ([TEST, KNN, "--baseline", ALS, *ON, "--ratchet"], 2, "must be saved results, not a run"),
        ([TEST, KNN, "--baseline", "nowhere.json", *ON], 3, "nowhere.json"),
        ([TEST, KNN, "--baseline", ALS, "-m", "rr", "--rel", "8", "--max-drop", "rr=lots"], 2, "a margin is a number"),
        ([TEST, KNN, "--baseline", ALS, "-m", "ndcg@10", "--rel", "8", "--max-drop", "10"], 2,
         "a margin of 10 is larger than ndcg@10 can drop, whose values are from 0 to 1; did you mean 10%?"),
        ([TEST, KNN, "--baseline", ALS, "-m", "rr", "--rel", "8", "--max-lost", "2"], 2, "Did you mean 2%?"),
        ([TEST, KNN], 2, "--baseline"),
        ([TEST, KNN, "--baseline", ALS, *ON, "--junit", "-"], 2, "only after -o is - standard output; name a file."),
        ([TEST, KNN, "--baseline", ALS, *ON, "--summary", "-"], 2, "only after -o is - standard output; name a file."),
        ([TEST, KNN, "--baseline", ALS, *ON, "--junit", "no.xml", "-o", "./no.xml"], 2, "no.xml cannot hold two outputs"),
    ],
)  # fmt: skip
def test_bad_usage_and_bad_data_are_told_apart(arguments, code, message, capsys):
    assert run(["gate", *arguments]) == code
    assert message in capsys.readouterr().err


def test_a_baseline_that_names_no_metrics_is_told_from_one_that_is_missing(tmp_path, capsys):
    assert run(["gate", TEST, KNN, "--baseline", "nowhere.json", "--rel", "8"]) == 3
    assert "nowhere.json: cannot be read (No such file or directory)" in capsys.readouterr().err
    pointer = tmp_path / "accepted.json"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\n", encoding="utf-8")
    assert run(["gate", TEST, KNN, "--baseline", str(pointer), "--rel", "8"]) == 2
    assert "accepted.json holds no saved results" in capsys.readouterr().err


def test_a_policy_that_is_not_that_of_the_baseline_is_named(accepted, capsys):
    assert run(["gate", TEST, KNN, "--baseline", str(accepted), "--rel", "8", "--ties", "order"]) == 2
    told = capsys.readouterr().err
    assert "different policies: ties (order and item-desc). Evaluate both with the same." in told


def test_a_summary_that_cannot_be_written_is_named(accepted, capsys):
    summary = ["--summary", "/nowhere/summary.md"]
    assert run(["gate", TEST, KNN, "--baseline", str(accepted), *ON, *summary]) == 3
    told = capsys.readouterr().err
    assert told == "rankwell: /nowhere/summary.md: cannot be written (No such file or directory).\n"


def test_in_python_a_path_of_saved_results_is_a_baseline_too(accepted):
    found = assert_not_worse(KNN, TEST, baseline=accepted, max_drop=0.02, rel=8)
    assert [check.check.name for check in found.checks] == ["ndcg@10", "rr"]
    assert rw.compare({"old": accepted, "new": KNN}, TEST, ["rr"], rel=8).names == ("old", "new")
    assert rw.diff({"old": str(accepted), "new": KNN}, TEST, "rr", rel=8).results[1].metrics == (rw.RR(),)


def test_the_assertion_shows_the_whole_report():
    with pytest.raises(AssertionError, match=r"FAIL: ndcg@10"):
        assert_not_worse(ALS, TEST, ["ndcg@10"], baseline=POPULAR, max_drop=0.01, rel=8)
    assert assert_not_worse(KNN, TEST, ["ndcg@10"], baseline=ALS, max_drop=0.01, rel=8).status == "pass"


@pytest.mark.parametrize("more", [[], ["--mode", "non-inferiority", "--strict", "--max-drop", "0.01"]])
def test_a_run_passes_against_itself(accepted, capsys, more):
    """As the first gate of a project, in which nothing has changed yet: from a run, from saved results, and by a name."""
    on = ["-m", "ndcg@10", "--rel", "8", *more]
    for qrels, word, name in ((TEST, ALS, "als"), ("none", str(accepted), "als"), (TEST, f"x={ALS}", "x")):
        options = on if qrels == TEST else ["-m", "ndcg@10", *more]
        assert run(["gate", qrels, word, "--baseline", word, *options]) == 0
        out = capsys.readouterr().out
        assert "PASS: every check is surely within its margin" in out
        assert "the values are identical" in out
        assert f"{name} (baseline)" in out
    assert run(["gate", TEST, ALS, "--baseline", KNN, "-m", "ndcg@10", "--rel", "8"]) == 1


def test_two_systems_of_one_result_pass_in_python(accepted):
    same = rw.Results.load(accepted)
    for system in (ALS, str(accepted), same):
        found = rw.gate(system, TEST, ["ndcg@10"], baseline=system, **{} if system is same else {"rel": 8})
        assert (found.status, found.exit_code) == ("pass", 0)
        assert f"{found.name} against {found.name} (baseline)" in str(found)


def test_a_baseline_without_its_option_is_told_the_line_to_type(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, path in {"new": ALS, "old": KNN}.items():
        assert (
            run(["evaluate", TEST, path, "-m", "rr", "--rel", "8", "--per-query", "-o", f"{name}.json"]) == 0
        )
    for words in (
        [TEST, ALS, KNN, "-m", "rr", "--rel", "8"],
        ["new.json", "old.json"],
        [TEST, ALS, "old.json", "--rel", "8"],
    ):
        capsys.readouterr()
        assert run(["gate", *words]) == 2
        line = re.search("`rankwell (gate [^`]*--baseline [^`]*)`", capsys.readouterr().err)
        assert run(shlex.split(line[1])) in (0, 1)
    assert run(["gate", TEST, ALS]) == 2
    assert "parameter --baseline requires an argument" in capsys.readouterr().err


def test_ratings_without_a_threshold_are_told_that_of_the_baseline(tmp_path, capsys):
    saved = str(tmp_path / "old.json")
    assert run(["evaluate", TEST, KNN, "-m", "rr", "--rel", "8", "--per-query", "-o", saved]) == 0
    assert run(["gate", TEST, ALS, "--baseline", saved]) == 2
    assert capsys.readouterr().err.endswith("The baseline was saved with --rel 8.\n")
