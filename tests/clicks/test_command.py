"""The commands ``clicks …``: what they print and write, and that each is its function."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.clicks.test_judgements import NAMES, drawn
from tests.clicks.worked import columns, given
from tests.evidence import evidence

import rankwell as rw
from rankwell.cli.main import run


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(columns(drawn(0), *NAMES)).write_csv("log.csv")
    pl.DataFrame(given("off_policy")).write_csv("choices.csv")
    (tmp_path / "draft.csv").write_bytes((evidence("shapes/interleaving") / "team_draft.csv").read_bytes())


def test_interleaved(capsys):
    assert run(["clicks", "interleaved", "draft.csv"]) == 0
    assert capsys.readouterr().out == rw.clicks.interleaved("draft.csv").to_text() + "\n"
    assert (
        run(
            [
                "clicks",
                "interleaved",
                "draft.csv",
                "--credit",
                "items",
                "--cluster",
                "none",
                "-o",
                "found.json",
            ]
        )
        == 0
    )
    assert json.loads(Path("found.json").read_text())["cluster"] is None
    assert rw.clicks.Interleaving.load("found.json").credit == "items"


def test_positions_and_what_takes_them(capsys):
    assert run(["clicks", "positions", "log.csv", "-o", "positions.json"]) == 0
    assert (
        run(
            [
                "clicks",
                "judgements",
                "log.csv",
                "--positions",
                "positions.json",
                "--at-least",
                "1",
                "-o",
                "grades.csv",
            ]
        )
        == 0
    )
    assert "judged by clicks" in capsys.readouterr().err
    made = rw.clicks.judgements("log.csv", "positions.json", at_least=1)
    assert pl.read_csv("grades.csv")["grade"].to_list() == pytest.approx(made.grade.tolist())
    assert run(["clicks", "judgements", "log.csv", "--positions", "1,0.5,0.3", "--levels", "0.2,0.4"]) == 0
    assert capsys.readouterr().out.startswith("query,item,grade\nq0,d00,")
    run_file = [
        {"query": f"q{q}", "item": f"d{a}{b}", "score": a + b / 2}
        for q in range(3)
        for a in range(3)
        for b in range(2)
    ]
    pl.DataFrame(run_file).write_csv("new.csv")
    assert (
        run(
            ["clicks", "counterfactual", "log.csv", "new.csv", "--positions", "1,0.5,0.3", "--format", "json"]
        )
        == 0
    )
    found = rw.clicks.counterfactual("log.csv", "new.csv", [1, 0.5, 0.3])
    assert json.loads(capsys.readouterr().out)["value"] == found.value


def test_off_policy(capsys):
    assert run(["clicks", "off-policy", "choices.csv"]) == 1
    assert "effective n 2.2 < 30" in capsys.readouterr().out
    assert run(["clicks", "off-policy", "choices.csv", "--force", "--how", "dr", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["policies"][0]["value"] == pytest.approx(0.795)
    folder = evidence("shapes/obp")
    words = [str(folder / "bandit_feedback.json"), "--target", str(folder / "action_dist.json")]
    assert run(["clicks", "off-policy", *words, "--force", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["policies"][0]["value"] == pytest.approx(0.6268656716417911)


def test_ubi_takes_its_searches(capsys):
    files = [str(evidence("shapes/ubi") / name) for name in ("click_events.ndjson", "click_queries.ndjson")]
    assert run(["clicks", "positions", *files]) == 0
    assert "Position bias: click_events.ndjson" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["interleaved", "log.csv"], "no column for the team"),
        (["positions", "draft.csv", "--columns", "rank=team,team=rank"], "draft.csv:2: the rank is 'A'"),
        (["positions", "log.csv", "-o", "log.csv"], "log.csv"),
        (["judgements", "log.csv", "--positions", "x"], "--positions"),
        (["off-policy", "choices.csv", "--target", "nothing"], "no such column"),
    ],
)
def test_wrong_words_end_in_one_line(words, said, capsys):
    assert run(["clicks", *words]) in (2, 3)
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("words", [["interleaved", "draft.csv"], ["off-policy", "choices.csv", "--force"]])
def test_the_file_of_an_answer_is_a_page(words, capsys):
    assert run(["clicks", *words, "-o", "found.json"]) == 0
    assert run(["report", "found.json", "-o", "page.html", "--lang", "ko"]) == 0
    assert "<html" in Path("page.html").read_text()
