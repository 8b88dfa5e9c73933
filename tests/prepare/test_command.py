"""`rankwell prepare …`: tables in files, the report on standard output, one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.prepare.logs import random_log

import rankwell as rw
from rankwell.cli import run as command
from rankwell.display.output import save


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a log, its users, and lists."""
    monkeypatch.chdir(tmp_path)
    log = random_log(1, rows=300, times=250)
    log.write_csv("log.csv")
    log.with_columns(timestamp=1_700_000_000 + 10_000 * pl.col("timestamp")).write_csv("days.csv")
    users = sorted(set(log["user_id"]))
    pl.DataFrame({"user": users, "tier": [["VIP", "gold"][at % 2] for at in range(len(users))]}).write_csv(
        "users.csv"
    )
    rows = [
        (user, f"i{(at * 7 + rank) % 30}", rank) for at, user in enumerate(users) for rank in range(1, 13)
    ]
    pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row").write_csv("lists.csv")
    return tmp_path


def test_columns_may_be_named_for_some_of_the_tables_that_are_checked(folder, capsys):
    pl.read_csv("log.csv").rename({"item_id": "film"}).write_csv("films.csv")
    pl.read_csv("lists.csv").rename({"item": "title"}).write_csv("titles.csv")
    code = command(["prepare", "check", "log.csv", "log.csv", "lists.csv", "--format", "json"])
    expected = capsys.readouterr().out.replace("log.csv", "films.csv").replace("lists.csv", "titles.csv")
    asked = ["prepare", "check", "films.csv", "films.csv", "titles.csv", "--columns", "film=item,title=item"]
    assert command([*asked, "--format", "json"]) == code
    assert capsys.readouterr().out == expected
    assert command([*asked, "--columns", "none=time"]) == 2
    assert "names 'none', but no table has that column" in capsys.readouterr().err


def test_a_split_is_written_as_the_library_makes_it(folder, capsys):
    assert command(["prepare", "split", "log.csv", "--min-per-user", "3", "-o", "parts"]) == 0
    shown = capsys.readouterr()
    train, test, report = rw.prepare.split("log.csv", min_per_user=3)
    assert shown.out.strip() == report.to_text(120)
    assert "wrote parts/train.csv" in shown.err
    assert pl.read_csv("parts/train.csv", infer_schema=False).equals(train.select(pl.all().cast(pl.String)))
    assert pl.read_csv("parts/test.csv", infer_schema=False).equals(test.select(pl.all().cast(pl.String)))


def test_fold_in_rows_are_a_third_table(folder, capsys):
    asked = ["prepare", "split", "log.csv", "--how", "cold_users", "-o", "parts"]
    assert command([*asked, "--fold-in", "2"]) == 0
    assert capsys.readouterr().err.count("wrote parts/") == 3
    done = rw.prepare.split("log.csv", "cold_users", fold_in=2)
    assert pl.read_csv("parts/fold_in.csv", infer_schema=False).equals(
        done.fold_in.select(pl.all().cast(pl.String))
    )
    assert pl.read_csv("parts/test.csv", infer_schema=False).equals(
        done.test.select(pl.all().cast(pl.String))
    )
    assert command(["prepare", "split", "log.csv", "--how", "random", "--fold-in", "2"]) == 2
    assert "it needs how='cold_users', not 'random'" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "jsonl"])
def test_tables_are_written_in_the_format_of_the_input_and_can_be_read(folder, suffix, capsys):
    save(pl.read_csv("log.csv", infer_schema=False), f"own.{suffix}")
    assert command(["prepare", "baselines", f"own.{suffix}", "lists.csv", "-k", "3", "-o", "b"]) == 0
    lists = rw.read_run(f"b/popular.{suffix}")
    assert len(lists) == len(rw.prepare.baselines("log.csv", "lists.csv", k=3).lists["popular"])
    assert command(["prepare", "check", "log.csv", f"b/ideal.{suffix}"]) in (0, 1)


def test_each_command_prints_its_report_in_each_format(folder, capsys):
    calls = {
        "popularity": ["log.csv", "lists.csv", "--top", "3", "--refill", "5"],
        "split": ["log.csv"],
        "folds": ["log.csv", "-k", "3"],
        "backtest": ["days.csv"],
        "core": ["log.csv", "--min-per-item", "2"],
        "check": ["log.csv", "lists.csv"],
        "tiers": ["log.csv", "users.csv", "--factor", "VIP=3,gold=2"],
        "impute": ["log.csv", "lists.csv", "--train", "log.csv", "-k", "3"],
        "baselines": ["log.csv"],
    }
    for name, arguments in calls.items():
        for kind, begins in (("text", ""), ("markdown", "## "), ("html", "<!DOCTYPE html>"), ("json", "{")):
            assert command(["prepare", name, *arguments, "--format", kind]) in (0, 1), name
            out = capsys.readouterr().out
            assert out.startswith(begins)
            if kind == "json":
                assert len(json.loads(out)["reports"]) == (2 if name == "popularity" else 1)
    assert sorted(path.name for path in folder.iterdir()) == ["days.csv", "lists.csv", "log.csv", "users.csv"]


def test_refilling_lists_leaves_logs_beside_them_whole(folder, capsys):
    assert (
        command(
            [
                "prepare",
                "popularity",
                "log.csv",
                "log.csv",
                "lists.csv",
                "--top",
                "3",
                "--refill",
                "5",
                "-o",
                "p",
            ]
        )
        == 0
    )
    cut = rw.prepare.PopularityCut(top=3).fit("log.csv")
    assert len(pl.read_csv("p/log.csv")) == len(cut.apply("log.csv").table)
    assert len(pl.read_csv("p/lists.csv")) == len(cut.apply("lists.csv", refill=5).table)


def test_check_exits_with_1_if_there_is_an_error(folder, capsys):
    rw.prepare.split("log.csv", unknown_users="drop", unknown_items="drop", repeated="drop")
    assert command(["prepare", "split", "log.csv", "--repeated", "drop", "-o", "fine"]) == 0
    assert command(["prepare", "check", "fine/train.csv", "fine/test.csv"]) == 0
    assert command(["prepare", "split", "log.csv", "--how", "random", "-o", "mixed"]) == 0
    capsys.readouterr()
    assert (
        command(
            ["prepare", "check", "mixed/train.csv", "mixed/test.csv", "-o", "found.csv", "--format", "json"]
        )
        == 1
    )
    report = json.loads(capsys.readouterr().out)["reports"][0]
    assert (
        report["facts"]["errors"]
        == report["errors"]
        == pl.read_csv("found.csv").filter(severity="error").height
        > 0
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["split", "log.csv", "--columns", "nobody=query"], 2, "--columns names 'nobody'"),
        (["split", "log.csv", "--at", "2050"], 3, "the test data would be empty"),
        (["split", "log.csv", "--at", "soon"], 2, "a number or a date"),
        (["split", "log.csv", "random"], 2, "Unused Tokens: ['random']"),
        (["split", "users.csv"], 3, "no column for the item"),
        (["split", "lists.csv"], 3, "no column for the time"),
        (["split", "none.csv"], 3, "cannot be read"),
        (["core", "log.csv", "--min-per-user", "1000"], 3, "no row is left"),
        (["core", "log.csv", "--min-per-user", "2", "-o", "core.txt"], 2, "tables are written as .csv"),
        (["core", "log.csv", "--min-per-user", "2", "-o", "log.csv"], 2, "would overwrite an input"),
        (["core", "log.csv", "--min-per-user", "2", "-o", "no/core.csv"], 3, "the folder"),
        (["split", "log.csv", "-o", "users.csv"], 3, "cannot be made a folder"),
        (["popularity", "log.csv", "--top", "3", "--fraction", "0.1"], 2, "needs exactly one rule, not top and fraction"),
        (["popularity", "log.csv", "log.csv", "--fraction", "1"], 3, "no row is left"),
        (["popularity", "log.csv", "log.csv", "./log.csv", "--top", "1"], 2, "two tables are named log.csv"),
        (["tiers", "log.csv", "users.csv", "--factor", "vip=3,gold=2"], 2, "Did you mean vip?"),
        (["tiers", "log.csv", "users.csv", "--factor", "VIP"], 2, "--factor takes pairs"),
        (["impute", "log.csv", "--how", "constant", "--grade", "1"], 2, "lists="),
        (["baselines", "log.csv", "--kind", "best"], 2, "must be random, popular"),
        (["check", "log.csv", "-", "-"], 2, "standard input can be read only once"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(folder, arguments, code, message, capsys):
    assert command(["prepare", *arguments]) == code
    shown = capsys.readouterr()
    assert message in shown.err
    assert len(shown.err.strip().splitlines()) == 1
    assert not shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--columns", "tme=time"], "log.csv: --columns names 'tme', but the columns are 'user', 'item', 'time'. Did you mean time?"),
        (["--every", "7"], "--every 7: must be a length of time such as 7d, 2w, 12h or 30min"),
        (["--gap", "1 day"], "--gap '1 day': must be a length of time"),
        (["--window", "9w"], "hold 0 pairs (every 7d, horizon 7d, gap none, window 9w). A pair takes two days, with --every 1d, --horizon 1d and"),
    ],
)  # fmt: skip
def test_what_a_backtest_refuses_is_said_in_words_of_the_command(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text("user,item,time\na,x,2026-01-01\na,y,2026-01-20\n")
    assert command(["prepare", "backtest", "log.csv", "-o", "weeks", *words]) in (2, 3)
    assert said in capsys.readouterr().err


def test_pairs_of_another_backtest_are_not_left_among_new_ones(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    days = [f"2026-01-{day:02},u{day % 3},i{day % 5}" for day in range(1, 32)]
    Path("log.csv").write_text("time,user,item\n" + "\n".join(days) + "\n")
    assert command(["prepare", "backtest", "log.csv", "-o", "weeks"]) == 0
    assert command(["prepare", "backtest", "log.csv", "-o", "weeks"]) == 0
    capsys.readouterr()
    assert command(["prepare", "backtest", "log.csv", "--every", "5d", "-o", "weeks"]) == 2
    assert "weeks: holds pairs of another backtest, such as 2026-01-08." in capsys.readouterr().err
    assert len([*Path("weeks").iterdir()]) == 3
