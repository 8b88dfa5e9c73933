"""The command ``trend``: saved results of several dates."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli.main import run

ITEMS = list("abcdef")
WEEKS = ["2026-11-09", "2026-11-16", "2026-11-23"]


@pytest.fixture
def folder(tmp_path):
    """Results that ``evaluate`` saved, with values per query."""
    rng = random.Random(5)
    (tmp_path / "weeks").mkdir()
    for at, day in enumerate(WEEKS):
        queries = [f"q{n}" for n in range(20 * at, 20 * at + 60)]
        (tmp_path / "qrels.json").write_text(json.dumps({q: {rng.choice("abc"): 1} for q in queries}))
        (tmp_path / f"{day}.json").write_text(json.dumps({q: rng.sample(ITEMS, 5) for q in queries}))
        words = [str(tmp_path / "qrels.json"), str(tmp_path / f"{day}.json"), "-m", "rr,p@2", "--per-query"]
        assert run(["evaluate", *words, "-o", str(tmp_path / "weeks" / f"results-{day}.json")]) == 0
    return tmp_path / "weeks"


def test_the_table_is_that_of_the_library(folder, capsys):
    assert run(["trend", str(folder), "-m", "rr"]) == 0
    assert capsys.readouterr().out.rstrip() == rw.trend(folder, "rr").to_text()
    assert run(["trend", str(folder / f"{WEEKS[1]}..")]) == 0
    assert capsys.readouterr().out.rstrip() == rw.trend(folder / f"{WEEKS[1]}..").to_text()
    assert run(["trend", *map(str, folder.iterdir()), "-m", "p@2,rr"]) == 0
    assert capsys.readouterr().out.rstrip() == rw.trend(folder, ["p@2", "rr"]).to_text()


def test_each_format_is_written(folder, tmp_path, capsys):
    found = rw.trend(folder)
    for suffix in ("json", "csv", "md", "tex", "html", "txt"):
        assert run(["trend", str(folder), "-o", str(tmp_path / f"trend.{suffix}")]) == 0
    assert rw.Trend.load(tmp_path / "trend.json").to_json() == found.to_json()
    assert pl.read_csv(tmp_path / "trend.csv")["change"].to_list() == found.to_frame()["change"].to_list()
    assert (tmp_path / "trend.md").read_text() == found.to_markdown() + "\n"
    assert (tmp_path / "trend.html").read_text().startswith("<!DOCTYPE html>")
    assert r"\begin{tabular}" in (tmp_path / "trend.tex").read_text()
    assert run(["trend", str(folder), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "trend"


def test_a_saved_trend_is_drawn_and_reported(folder, tmp_path, capsys):
    file = str(tmp_path / "trend.json")
    assert run(["trend", str(folder), "-o", file]) == 0
    for words in (["none", file], [file]):
        assert run(["report", *words, "-o", str(tmp_path / "page.html"), "--lang", "ko"]) == 0
        assert 'id="trend"' in (tmp_path / "page.html").read_text()
    for given in (file, str(folder)):
        assert run(["plot", "trend", given, "-m", "rr", "-o", str(tmp_path / "trend.svg")]) == 0
        assert "Trend of rr" in (tmp_path / "trend.svg").read_text()
    capsys.readouterr()
    assert run(["plot", "trend", file, "-m", "ap", "-o", str(tmp_path / "trend.svg")]) == 2
    assert "ap is not in the trend; the metrics are rr, p@2." in capsys.readouterr().err
    assert run(["report", file, "-m", "rr"]) == 2
    assert "a trend is evaluated already, so metrics= means nothing beside it" in capsys.readouterr().err


def test_what_is_wrong_is_one_line_with_the_exit_code(folder, tmp_path, capsys):
    inside = str(folder / f"results-{WEEKS[0]}.json")
    for words, code, said in (
        (["trend", str(folder), "-m", "ap"], 2, "2026-11-09: ap was not evaluated; its metrics are rr, p@2"),
        (["trend", str(tmp_path / "nowhere")], 3, "nowhere: cannot be read"),
        (["trend", str(folder), "-o", inside], 2, "would overwrite an input"),
        (
            ["trend", str(folder), "-o", str(folder / "trend.json")],
            2,
            "trend.json would be read as results of a day next time; choose another folder.",
        ),
        (["trend", str(folder), "-o", "trend.parquet"], 2, "this writes"),
        (["trend"], 2, "RESULTS"),
        (["trend", str(folder), inside], 2, "2026-11-09.json is named twice; name it once."),
    ):
        assert run(words) == code, words
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
