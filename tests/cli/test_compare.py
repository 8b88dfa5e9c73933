"""The command ``compare``: what it prints, reads and refuses."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

import rankwell as rw
from rankwell.cli.main import run

FILMS = files("rankwell") / "data" / "movietweetings"
SYSTEMS = [str(FILMS / f"{name}.parquet") for name in ("popular", "itemknn", "als")]
TEST = str(FILMS / "test.parquet")
QUICK = ["--flips", "499", "--resamples", "99"]


def test_it_prints_the_table_of_the_library(capsys):
    assert (
        run(["compare", TEST, *SYSTEMS, "-m", "rr,hit@10", "--rel", "8", "--baseline", SYSTEMS[0], *QUICK])
        == 0
    )
    shown = capsys.readouterr().out
    told = rw.compare(
        dict(zip(("popular", "itemknn", "als"), SYSTEMS, strict=True)),
        TEST, ["rr", "hit@10"], rel=8, baseline="popular", flips=499, resamples=99,
    )  # fmt: skip
    assert shown == told.to_table().to_text() + "\n"
    assert "popular (baseline)" in shown


def test_saved_results_are_compared_without_judgements_and_beside_runs(tmp_path, capsys):
    saved = tmp_path / "old.json"
    more = ["-m", "rr", "--rel", "8", "--per-query", "-o", str(saved)]
    assert run(["evaluate", TEST, SYSTEMS[0], *more]) == 0
    assert run(["evaluate", TEST, *SYSTEMS[1:], *more[:-1], str(tmp_path / "two.json")]) == 0
    assert run(["compare", "none", str(saved), str(tmp_path / "two.json"), "--format", "json", *QUICK]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert alone["systems"] == ["old", "itemknn", "als"]
    assert (
        run(["compare", TEST, str(saved), *SYSTEMS[1:], "-m", "rr", "--rel", "8", "--format", "json", *QUICK])
        == 0
    )
    beside = json.loads(capsys.readouterr().out)
    assert [cell["differences"] for cell in alone["cells"]] == [
        cell["differences"] for cell in beside["cells"]
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([TEST, *SYSTEMS], "say which metrics you want"),
        ([TEST, *SYSTEMS, "-m", "rr", "--rel", "8", "--baseline", "popular.parque"], "Did you mean popular?"),
        ([TEST, *SYSTEMS, "-m", "rr", "--rel", "8", "--margin", "rr=much"], "--margin takes 0.01 or ndcg@10=0.01"),
        ([TEST, *SYSTEMS, "-m", "rr", "--rel", "8", "--margin", "rr=1%"], "--margin takes 0.01 or ndcg@10=0.01, not 'rr=1%'. A share of"),
        ([TEST, SYSTEMS[0], "-m", "rr", "--rel", "8"], "at least two systems"),
        ([TEST, *SYSTEMS, "-m", "rr", "--rel", "8", "--by", "tier"], "give --users"),
        ([TEST, SYSTEMS[0], SYSTEMS[0], "-m", "rr", "--rel", "8"], "two systems are called"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line(arguments, message, capsys):
    assert run(["compare", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_rope_adds_its_chances_to_the_table_of_pairs(capsys):
    arguments = ["compare", TEST, *SYSTEMS[:2], "-m", "rr", "--rel", "8", "--format", "csv", *QUICK]
    assert run([*arguments, "--pairs", "--rope", "0.01"]) == 0
    head, line = (line.split(",") for line in capsys.readouterr().out.splitlines())
    assert head[-3:] == ["below", "within", "above"]
    assert sum(float(cell) for cell in line[-3:]) == pytest.approx(1)
    assert run([*arguments, "--rope=-1"]) == 2
    assert "must be 0 or more" in capsys.readouterr().err


def test_pairs_and_every_format_are_written(tmp_path, capsys):
    for suffix in ("md", "tex", "html", "csv", "json"):
        path = tmp_path / f"table.{suffix}"
        arguments = ["compare", TEST, *SYSTEMS, "-m", "rr", "--rel", "8", "--pairs", "-o", str(path), *QUICK]
        assert run(arguments) == 0
        assert "itemknn" in path.read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


def test_costs_without_metrics_are_asked_for_some(tmp_path, capsys):
    costs = str(Path(__file__).parents[1] / "data" / "saved" / "every_kind" / "costs.json")
    for line in (
        ["compare", costs],
        ["compare", "none", costs],
        ["plot", "costs", costs, "-o", str(tmp_path / "x.svg")],
    ):
        assert run(line) == 2
        assert "say which metrics you want: -m ndcg@10" in capsys.readouterr().err
