"""The command ``agreement``: what it prints, writes and refuses."""

from __future__ import annotations

import json

import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.cli.main import run

COVID = evidence("trec-covid-round1")
QRELS = str(COVID / "qrels-rnd1.txt")
RUNS = [str(path) for path in sorted((COVID / "runs").iterdir())]


def test_it_prints_the_tables_of_the_library(capsys):
    assert run(["agreement", QRELS, *RUNS[:3], "-m", "ndcg@10,ap"]) == 0
    shown = capsys.readouterr().out
    named = {path.rpartition("/")[2].removesuffix(".run"): path for path in RUNS[:3]}
    assert shown == repr(rw.agreement(QRELS, runs=named, metrics=["ndcg@10", "ap"])) + "\n"


def test_other_judgements_are_named_by_their_file_and_json_holds_everything(tmp_path, capsys):
    other = tmp_path / "model.txt"
    other.write_text((COVID / "qrels-rnd1.txt").read_text().replace(" 2\n", " 0\n"))
    arguments = ["agreement", QRELS, *RUNS, "--against", str(other), "-m", "ndcg@10", "--top", "3"]
    assert run([*arguments, "--format", "json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["leaderboards"]
    assert (found["first"], found["second"]) == ("ndcg@10 by qrels-rnd1.txt", "ndcg@10 by model.txt")
    assert found["top"] is not None
    for suffix in ("md", "tex", "html", "csv"):
        assert run([*arguments, "-o", str(tmp_path / f"table.{suffix}")]) == 0
        assert "ndcg@10 by model.txt" in (tmp_path / f"table.{suffix}").read_text(encoding="utf-8").replace(
            "\\", ""
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([QRELS, *RUNS], "by which metrics"),
        ([QRELS, RUNS[0], RUNS[0], "-m", "ap,rr"], "a run is given twice"),
        ([QRELS, *RUNS, "-m", "ap"], "one leaderboard"),
        (
            [QRELS, *RUNS, "-m", "ap,rr", "--rbo-ties", "b"],
            "for Python alone: the argument rbo_ties of rw.agreement.",
        ),
    ],
)
def test_bad_usage_is_one_line(arguments, message, capsys):
    assert run(["agreement", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_judgements_alone_are_compared(tmp_path, capsys):
    other = tmp_path / "model.txt"
    other.write_text((COVID / "qrels-rnd1.txt").read_text().replace(" 2\n", " 1\n"))
    assert run(["agreement", QRELS, "--against", str(other), "--against", QRELS]) == 0
    shown = capsys.readouterr().out
    for told in (
        "model.txt against qrels-rnd1.txt",
        "quadratic weights",
        "All 3 together",
        "Grades of the same pairs",
    ):
        assert told in shown
    assert run(["agreement", QRELS]) == 2
    assert "agreement takes two" in capsys.readouterr().err


def test_assessors_are_given_in_the_order_of_the_judgements(tmp_path, capsys):
    tagged = tmp_path / "rerank.run"
    tagged.write_text(
        "".join(
            f"{' '.join(line.split()[:5])} gpt4\n"
            for line in (COVID / "runs" / "BERT.run").read_text().splitlines()[:500]
        )
    )
    arguments = ["agreement", QRELS, str(tagged), RUNS[1], "--against", QRELS, "-m", "rr"]
    assert run([*arguments, "--assessor", "human:NIST", "--assessor", "model:gpt-4o,date=2025-03-01"]) == 0
    shown = capsys.readouterr()
    assert "qrels-rnd1.txt is human NIST; qrels-rnd1.txt 2 is model gpt-4o (2025-03-01)" in shown.out
    assert "rankwell: note: circular: rerank names GPT" in shown.err
    assert run([*arguments, *["--assessor", "human"] * 3]) == 2
    assert "3 times, for 2 judgements" in capsys.readouterr().err


def test_a_random_sample_judged_by_people_gives_prediction_powered_means(tmp_path, capsys):
    people, model, lists = tmp_path / "people.txt", tmp_path / "model.txt", tmp_path / "some.run"
    lists.write_text("".join(f"q{q} Q0 d{d} {d} {9 - d} x\n" for q in range(40) for d in range(3)))
    model.write_text("".join(f"q{q} 0 d{d} {int((q + d) % 3 > 0)}\n" for q in range(40) for d in range(3)))
    people.write_text(
        "".join(f"q{q} 0 d{d} {int((q + d) % 3 > 1)}\n" for q in range(0, 40, 3) for d in range(3))
    )
    arguments = ["agreement", str(people), "--against", str(model), "-m", "p@2", "--drawn", "random"]
    assert run([*arguments, str(lists), "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert (row["system"], row["n"], row["all"]) == ("some", 14, 40)
    assert run(arguments) == 2
    assert "--drawn needs runs" in capsys.readouterr().err


def test_the_pool_of_the_runs_is_looked_at(capsys):
    assert run(["agreement", QRELS, *RUNS, "-m", "ndcg@10", "--pool-depth", "7"]) == 0
    shown = capsys.readouterr()
    named = {path.rpartition("/")[2].removesuffix(".run"): path for path in RUNS}
    assert shown.out == repr(rw.pool_bias(named, QRELS, ["ndcg@10"], depth=7)) + "\n"
    assert "note: ndcg@10: judged@10 is 0.27" in shown.err
    assert run(["agreement", QRELS, "--pool-depth", "7"]) == 2
    assert "--pool-depth needs runs" in capsys.readouterr().err


def test_the_stability_of_metrics_is_asked_for_alone(capsys):
    assert run(["agreement", QRELS, *RUNS[:4], "-m", "ap,p@5", "--stability"]) == 0
    named = {path.rpartition("/")[2].removesuffix(".run"): path for path in RUNS[:4]}
    assert capsys.readouterr().out == repr(rw.stability(named, QRELS, ["ap", "p@5"])) + "\n"
    assert run(["agreement", QRELS, *RUNS[:4], "-m", "ap", "--stability", "--pool-depth", "5"]) == 2
    assert "--pool-depth and --stability ask for different tables" in capsys.readouterr().err
