"""The command fuse: a run in a file, a report on stdout, and errors that name options."""

from __future__ import annotations

import json

import pytest
from tests.cli.samples import MOVIES

import rankwell as rw
from rankwell.cli import run

ALS, KNN, TEST = (str(MOVIES / f"{name}.parquet") for name in ("als", "itemknn", "test"))


def test_the_file_holds_what_the_function_returns_and_the_report_is_printed(capsys, tmp_path):
    for options, arguments in (
        (["--k", "10", "--top", "5"], {"k": 10, "top": 5}),
        (
            ["--method", "weighted", "--norm", "z", "--weights", "0.7,0.3"],
            {"method": "weighted", "norm": "z", "weights": [0.7, 0.3]},
        ),
        (
            ["--method", "comb_mnz", "--policy", "depth=3", "--name", "mnz"],
            {"method": "comb_mnz", "depth": 3, "name": "mnz"},
        ),
        (
            [
                "--method",
                "weighted",
                "--qrels",
                TEST,
                "-m",
                "ndcg@10",
                "--policy",
                "rel=8",
                "--folds",
                "2",
            ],
            {"method": "weighted", "qrels": TEST, "metric": "ndcg@10", "rel": 8, "folds": 2},
        ),
    ):
        path = tmp_path / "fused.parquet"
        assert run(["fuse", ALS, KNN, *options, "-o", str(path)]) == 0
        fused = rw.fuse({"als": ALS, "itemknn": KNN}, **arguments)
        shown = capsys.readouterr()
        assert shown.err == f"rankwell: note: wrote {path} ({len(fused):,} rows)\n"
        assert shown.out.split() == str(fused).split()
        fused.save(tmp_path / "wanted.parquet")
        assert path.read_bytes() == (tmp_path / "wanted.parquet").read_bytes()


def test_without_a_file_only_the_report_is_printed_in_the_format_asked_for(capsys):
    assert run(["fuse", ALS, KNN, "--format", "json"]) == 0
    shown = capsys.readouterr()
    assert [row["run"] for row in json.loads(shown.out)] == ["als", "itemknn"]
    assert not shown.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--method", "mnz"], 2, "--method mnz: must be comb_sum"),
        (["--method", "weighted"], 2, "--method weighted needs --weights, one for each run, or --qrels and --metric"),
        (["--weights", "1"], 2, "--weights must be 2 numbers"),
        (["--weights", "one"], 2, "--weights takes numbers such as 1,2,3, not 'one'"),
        (["--norm", "z"], 2, "--norm z: rrf goes by ranks"),
        (["--metric", "ndcg@10"], 2, "--metric ndcg@10 is for learning from judgements; give --qrels too, or leave out --metric"),
        (["--qrels", TEST], 2, "such as --metric ndcg@10"),
        (["--qrels", TEST, "-m", "ndcg@10"], 2, "grades look like ratings"),
        (["-o", "x.parqet"], 2, "Did you mean .parquet?"),
        (["-o", "nowhere/x.run"], 3, "the folder nowhere does not exist"),
        ([ALS], 2, "the run is given twice"),
        (["--metod", "rrf"], 2, "Did you mean --method?"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_line_that_names_the_option(arguments, code, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["fuse", ALS, KNN, *arguments]) == code
    shown = capsys.readouterr()
    assert message in shown.err.replace('"', "")
    assert len(shown.err.splitlines()) == 1
    assert not shown.out
    assert not list(tmp_path.iterdir())


def test_an_input_is_never_overwritten(capsys, tmp_path):
    own = tmp_path / "own.parquet"
    own.write_bytes(MOVIES.joinpath("als.parquet").read_bytes())
    assert run(["fuse", str(own), KNN, "-o", str(own)]) == 2
    assert "would overwrite an input" in capsys.readouterr().err


def test_judgements_among_the_runs_are_sent_to_their_option(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 r\n")
    assert run(["fuse", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 3
    said = capsys.readouterr().err
    assert "Judgements to learn from are --qrels FILE." in said
    assert "rankwell evaluate" not in said
