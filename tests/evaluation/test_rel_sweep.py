"""Thresholds swept, and profiles of metrics, on the bundled films."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.evaluation.rel_sweep import rel_sweep

FILMS = Path(rw.__path__[0]) / "data" / "movietweetings"
RUNS = {name: FILMS / f"{name}.parquet" for name in ("popular", "itemknn", "als", "random")}
TRUTH = FILMS / "test.parquet"


def test_what_counts_as_relevant_decides_who_wins():
    sweep = rel_sweep(RUNS, TRUTH, "ndcg@10", [6, 7, 8, 9, "interactions", "judgements"])
    (metric,) = sweep.metrics
    assert sweep.changes(metric)
    assert [sweep.order(metric, rel)[0] for rel in sweep.rels] == ["popular"] * 4 + ["itemknn", "popular"]
    for rel, policy in (
        (7.0, rw.Policy(rel=7)),
        ("interactions", rw.Policy(grades="interactions")),
        ("judgements", rw.Policy(grades="judgements")),
    ):
        for name, path in RUNS.items():
            alone = rw.evaluate(path, TRUTH, "ndcg@10", policy=policy)
            assert sweep.values[metric, rel, name] == alone["ndcg@10"]


def test_an_order_that_stays_is_said_to_stay():
    sweep = rel_sweep(RUNS, TRUTH, ["ndcg@10", "rr"], [6, 7])
    assert "does not change with the threshold" in repr(sweep)
    assert not sweep.to_dict()["ndcg@10"]["order_changes"]


@pytest.mark.parametrize(
    ("metrics", "rels", "words"),
    [
        ("ndcg@10", [7], "at least two"),
        ("coverage@10", [7, 8], "coverage@10 reads no judgements"),
        ("p(rel=8)@10", [7, 8], "has its own rel"),
        ("ndcg@10", [7, "x"], "'x' is not a threshold"),
    ],
)
def test_a_sweep_that_says_nothing_is_refused(metrics, rels, words):
    with pytest.raises(rw.RankwellError, match=words):
        rel_sweep(RUNS, TRUTH, metrics, rels)


def evaluate(capsys, *arguments):
    code = command(["evaluate", str(TRUTH), *(str(RUNS[name]) for name in ("als", "popular")), *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_the_command_sweeps(capsys):
    code, out, _ = evaluate(capsys, "-m", "ndcg@10", "--rel-sweep", "6,interactions")
    assert (code, "every row, all alike" in out) == (0, True)
    code, out, _ = evaluate(capsys, "-m", "ndcg@10", "--rel-sweep", "6,8", "--format", "json")
    assert [row["rel"] for row in json.loads(out)["ndcg@10"]["thresholds"]] == [6.0, 8.0]
    code, _, err = evaluate(capsys, "-m", "ndcg@10", "--rel-sweep", "6,8", "--per-query")
    assert (code, "cannot be combined with" in err) == (2, True)


def test_a_profile_is_several_metrics_and_says_what_they_measure(capsys):
    tables = ("--items", str(FILMS / "items.parquet"), "--train", str(FILMS / "train.parquet"))
    code, out, _ = evaluate(capsys, "-m", "recsys", "--rel", "7", *tables)
    assert code == 0
    for word in ("ndcg@10", "coverage@10", "personalization@10", "what it measures", "lower is better"):
        assert word in out
    code, _, err = evaluate(capsys, "-m", "recsys", *tables)
    assert (code, "Set --rel 7" in err) == (2, True)  # a threshold is asked for, not guessed


def test_a_profile_has_its_own_depth():
    names = list(rw.evaluate({"u": ["a"]}, {"u": {"a": 1}}, ["recsys@3", "rr"], items=[{"item": "a", "topics": "x"}],
                             train={"u": ["a"]}).mean)  # fmt: skip
    assert {name.rpartition("@")[2] for name in names[:-1]} == {"3"}
    assert names[-1] == "rr"


def test_runs_of_unequally_many_lists_are_not_compared_in_silence(tmp_path, capsys):
    (tmp_path / "few.csv").write_text("query,item,score\nu,a,2\nu,b,1\n")
    (tmp_path / "many.csv").write_text("query,item,score\nu,a,2\nu,b,1\nv,c,2\n")
    (tmp_path / "items.csv").write_text("item\na\nb\nc\nd\n")
    runs = [str(tmp_path / name) for name in ("few.csv", "many.csv")]
    items = ("--items", str(tmp_path / "items.csv"))
    assert command(["evaluate", "none", *runs, "-m", "coverage@2", "-m", "gini@2", *items]) == 0
    printed = capsys.readouterr().err
    assert "coverage@2 depends on the number of lists, which is 1 to 2" in printed
    assert "use coverage(users=1)" in printed
    assert "gini@2 depends on" in printed
    assert command(["evaluate", "none", *runs, "-m", "coverage(users=1)@2", *items]) == 0
    assert "depends on" not in capsys.readouterr().err
