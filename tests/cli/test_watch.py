"""The command ``watch``: saved results of days, the verdict and the exit code."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli.main import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results of 24 days by tier, of which the last four are far below the others."""
    rng, folder = random.Random(5), tmp_path_factory.mktemp("days")
    for at in range(24):
        found = {f"{at}/{user}": rng.random() < (0.3 if at > 19 else 0.6) for user in range(80)}
        lists = {query: ["a"] if is_found else ["b"] for query, is_found in found.items()}
        users = pl.DataFrame({"query": list(found), "tier": [("new", "old")[at % 2] for at in range(80)]})
        res = rw.evaluate(lists, {query: {"a": 1} for query in found}, ["hit@1"], users=users, by="tier")
        res.save(folder / f"{date(2026, 1, 1) + timedelta(at)}.json")
    return folder


def test_the_text_and_the_exit_code_are_those_of_the_library(folder, capsys):
    until = [str(file) for file in sorted(folder.iterdir())]
    for words, given, options in (
        ([str(folder), "-m", "hit@1", "--since", "2026-01-15"], folder, {"since": "2026-01-15"}),
        ([*until[:20]], until[:20], {}),
        ([*until[:5]], until[:5], {}),
        ([str(folder), "--by", "tier", "--drop", "0.1", "--false-alarms", "4/year"], folder, {"by": "tier", "drop": 0.1, "false_alarms": "4/year"}),
    ):  # fmt: skip
        found = rw.watch(given, "hit@1", "14d", **options)
        assert run(["watch", *words, "--reference", "14d"]) == found.exit_code
        assert capsys.readouterr().out.rstrip() == found.to_text()
    assert rw.watch(folder, "hit@1", 14, since="2026-01-15").exit_code == 1
    assert [rw.watch(until[:n], "hit@1", 14).status for n in (5, 20)] == ["too few", "ok"]


def test_each_format_is_written(folder, tmp_path, capsys):
    found = rw.watch(folder, "hit@1", 14)
    words = ["watch", str(folder), "--reference", "14"]
    for suffix in ("json", "csv", "md", "tex", "html", "txt"):
        assert run([*words, "-o", str(tmp_path / f"watch.{suffix}")]) == found.exit_code
    assert rw.Watch.load(tmp_path / "watch.json").to_json() == found.to_json()
    assert pl.read_csv(tmp_path / "watch.csv")["total"].to_list() == found.to_frame()["total"].to_list()
    assert (tmp_path / "watch.md").read_text() == found.to_markdown() + "\n"
    assert (tmp_path / "watch.html").read_text().startswith("<!DOCTYPE html>")
    assert r"\begin{tabular}" in (tmp_path / "watch.tex").read_text()
    capsys.readouterr()
    run([*words, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["status"] == found.status


def test_what_is_wrong_is_one_line_with_the_exit_code(folder, tmp_path, capsys):
    inside = str(folder / "2026-01-03.json")
    for words, code, said in (
        ([str(folder), "-m", "ap"], 2, "2026-01-01: ap was not evaluated; its metrics are hit@1"),
        ([str(folder), "-m", "hit@1,ap"], 2, "-m hit@1,ap: one metric is watched"),
        ([str(tmp_path / "nowhere")], 3, "nowhere: cannot be read"),
        ([str(folder), "--reference", "7d"], 2, "rankwell: --reference 7d: must be at least 14 days"),
        ([str(folder), "--drop", "0"], 2, "rankwell: --drop 0: must be a share such as 5%"),
        ([str(folder), "--drop=-5%"], 2, "rankwell: --drop '-5%': must be a share such as 5%"),
        (
            [str(folder), "--false-alarms", "1/day"],
            2,
            "rankwell: --false-alarms '1/day': must be such as 1/year",
        ),
        ([str(folder), "--by", "age"], 2, "--by age: the results of 2026-01-01 were evaluated by tier"),
        ([str(folder), "--since", "2027-01-01"], 2, "--since 2027-01-01 is after the last day, 2026-01-24"),
        ([str(folder), "-o", inside], 2, "would overwrite an input"),
        (
            [f"{folder}/2026-01-02..", "-o", str(folder / "watch.json")],
            2,
            "watch.json would be read as results of a day next time",
        ),
        ([str(folder), inside], 2, "2026-01-03.json is named twice; name it once."),
        ([], 2, "RESULTS"),
    ):
        assert run(["watch", *words]) == code, words
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1


def test_a_saved_watch_is_drawn_and_is_no_run(folder, tmp_path, capsys):
    file = tmp_path / "watch.json"
    rw.watch(folder, "hit@1", 14).save(file)
    assert run(["plot", "watch", str(file), "-o", str(tmp_path / "watch.svg"), "--lang", "ko"]) == 0
    assert "<svg" in (tmp_path / "watch.svg").read_text()
    capsys.readouterr()
    assert run(["evaluate", str(file), str(file), "-m", "rr"]) == 3
    assert (
        f"a saved watch, not judgements: `rankwell plot watch {file} -o watch.svg` draws it"
        in capsys.readouterr().err
    )
