"""What `rankwell evaluate` prints."""

from __future__ import annotations

import io
import json
import re
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest
from tests.cli.samples import MOVIES, QRELS, RUN

import rankwell
from rankwell.cli import run
from rankwell.matching.policy import Policy, choices


def test_a_run_is_a_table_of_metrics_with_definitions_below(capsys):
    assert run(["evaluate", QRELS, RUN, "-m", "ap,ndcg@10", "-m", "p@5"]) == 0
    shown = capsys.readouterr().out
    # out.test of trec_eval 10 prints map 0.1785 and P_5 0.2667 for these files
    assert "ap ↑       0.1785  3" in shown
    assert "p@5 ↑      0.2667  3" in shown
    assert "ndcg@10 is ndcg(gain=linear,discount=log2p1,ideal=judged)@10" in shown
    assert "policy: (all default; -v prints them)" in shown


def test_several_runs_stand_side_by_side_and_the_best_is_marked(capsys):
    runs = [str(MOVIES / f"{name}.parquet") for name in ("popular", "random")]
    items = str(MOVIES / "items.parquet")
    assert (
        run(
            [
                "evaluate",
                str(MOVIES / "test.parquet"),
                *runs,
                "-m",
                "hit@10,coverage@10",
                "--rel",
                "8",
                "--items",
                items,
            ]
        )
        == 0
    )
    popular, random = (
        line for line in capsys.readouterr().out.splitlines() if line.startswith(("popular  ", "random  "))
    )
    assert "*" in popular.split()[1]
    assert "*" in random.split()[3]  # after n


def test_json_csv_and_per_query_have_every_digit(capsys, tmp_path):
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "--format", "json", "--per-query"]) == 0
    data = json.loads(capsys.readouterr().out)["runs"][0]
    expected = rankwell.evaluate(RUN, QRELS, ["ap"])
    assert data["mean"]["ap"] == expected["ap"]
    assert [row["ap"] for row in data["per_query"]] == expected.per_query["ap"].to_list()
    target = tmp_path / "values.csv"
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "--format", "csv", "-o", str(target)]) == 0
    assert pl.read_csv(target)["value"].to_list() == [expected["ap"]]
    assert [path.name for path in tmp_path.iterdir()] == ["values.csv"]
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "--format", "csv", "--per-query"]) == 0
    rows = pl.read_csv(io.StringIO(capsys.readouterr().out))
    assert rows.columns == ["run", "query", "ap"]
    assert rows["query"].to_list() == [301, 302, 303]
    assert rows["ap"].to_list() == expected.per_query["ap"].to_list()


def test_lists_alone_can_be_evaluated(capsys):
    items, lists = str(MOVIES / "items.parquet"), str(MOVIES / "als.parquet")
    assert run(["evaluate", "none", lists, "-m", "coverage@10", "--items", items]) == 0
    assert "no judgements were needed" in capsys.readouterr().out


def test_a_cut_off_below_the_number_of_relevant_items_is_warned_of(capsys):
    assert run(["evaluate", QRELS, RUN, "-m", "ap@10"]) == 0
    assert "2 of 3 judged queries have more than k relevant items" in capsys.readouterr().err


@pytest.mark.parametrize("field", [field.name for field in fields(Policy)])
def test_every_field_of_a_policy_is_an_option(capsys, field):
    own = {"depth": "3", "rel": "2", "drop_own_query": "True", "group": "before('#')", "sizes": "tokens"}
    value = own.get(field) or choices(field)[-1]
    if value == "ratings":
        value = "judgements"
    option = ["--" + field.replace("_", "-"), *([] if value == "True" else [value])]
    # which have no meaning without these
    option += ["--group", "#"] * (field == "judged") + ["--sizes", "tokens"] * (field == "fill")
    assert run(["evaluate", QRELS, RUN, "-m", "rr", *option, "--format", "json"]) == 0
    assert str(json.loads(capsys.readouterr().out)["runs"][0]["policy"][field]) == value


@pytest.mark.parametrize("command", ["evaluate", "explain", "lint", "rosetta"])
def test_every_field_of_a_policy_is_named_in_the_help(capsys, command):
    assert run([command, "--help-all"]) == 0
    shown = capsys.readouterr().out
    for field in fields(Policy):
        name = f"--{field.name.replace('_', '-')} " if command == "evaluate" else field.name
        assert name in shown
    assert "``" not in shown


def test_a_per_query_table_ends_in_the_values_of_the_run(capsys):
    assert run(["evaluate", QRELS, RUN, "-m", "ap,p@5", "--per-query"]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    # out.test of trec_eval 10: map 0.1785, P_5 0.2667
    assert last.split() == ["mean", "0.1785", "0.2667"]


def test_a_corpus_metric_stands_in_the_last_row_of_a_per_query_table(capsys):
    lists, items = str(MOVIES / "popular.parquet"), str(MOVIES / "items.parquet")
    arguments = ["evaluate", str(MOVIES / "test.parquet"), lists, "-m", "hit@10,coverage@10", "--rel", "8"]
    assert run([*arguments, "--items", items, "--per-query"]) == 0
    *rows, last, _, note = capsys.readouterr().out.splitlines()
    assert rows[-1].endswith("–")
    # src/rankwell/data/README.md: coverage of popular in the slice is 0.0116
    assert last.split()[-1] == "0.0116"
    assert "coverage@10 has one value for all lists" in note


def test_queries_without_a_value_are_counted_beside_the_metric(capsys):
    arguments = ["evaluate", str(MOVIES / "test.parquet"), str(MOVIES / "als.parquet"), "-m", "ndcg@10"]
    assert run([*arguments, "--rel", "8"]) == 0
    shown = capsys.readouterr().out
    test = pl.read_parquet(MOVIES / "test.parquet")
    satisfied = test.filter(pl.col("rating") >= 8)["user_id"].n_unique()
    without = test["user_id"].n_unique() - satisfied
    assert f"{satisfied}  {without:>9}" in shown
    assert f"ndcg@10 undefined by the judgements: {without} queries" in shown


def test_runs_of_the_same_name_are_told_apart_by_their_folders(capsys, tmp_path):
    paths = []
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        paths.append(tmp_path / name / "my.run")
        paths[-1].write_bytes(Path(RUN).read_bytes())
    assert run(["evaluate", QRELS, *map(str, paths), "-m", "ap", "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == [
        "run",
        "old/my",
        "new/my",
    ]


def test_the_contingency_table_and_the_curve_are_those_of_the_library(capsys):
    ev = rankwell.Evaluator(QRELS, ["ap"])
    assert (
        run(["evaluate", str(QRELS), str(RUN), "-m", "p@5", "--show", "contingency", "--format", "json"]) == 0
    )
    micro = json.loads(capsys.readouterr().out)[0]
    own = ev.contingency(RUN, 5)
    assert {name: micro[name] for name in ("TP", "FP", "FN")} == {
        name: own.pooled[name] for name in ("TP", "FP", "FN")
    }
    assert (
        run(
            [
                "evaluate",
                str(QRELS),
                str(RUN),
                "-m",
                "p@5",
                "--show",
                "contingency",
                "--per-query",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(own.per_query) + 2
    assert run(["evaluate", str(QRELS), str(RUN), "--show", "curve", "--format", "csv"]) == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    curve = ev.curve(RUN, levels=[tenth / 10 for tenth in range(11)])
    assert [float(row[1]) for row in rows] == list(curve.precision)
    assert run(["evaluate", str(QRELS), str(RUN), "--show", "curve", "--interval"]) == 2
    assert "--show curve cannot be combined with --interval" in capsys.readouterr().err


def test_a_contingency_table_on_the_command_line_takes_the_size_of_the_catalogue(capsys, tmp_path):
    (tmp_path / "q.json").write_text('{"q": {"a": 1, "c": 1}}')
    (tmp_path / "r.json").write_text('{"q": ["a", "b"]}')
    (tmp_path / "i.csv").write_text("item\n" + "\n".join("abcdefghij") + "\n")
    files = [str(tmp_path / name) for name in ("q.json", "r.json")]
    assert run(["evaluate", *files, "--show", "contingency", "--items", str(tmp_path / "i.csv")]) == 0
    printed = capsys.readouterr().out
    assert "accuracy" in printed.splitlines()[2]
    assert "all, micro   1   1   1   7" in printed  # a is found, b is wrong, c is missed, seven others
    assert run(["evaluate", *files, "--show", "contingency"]) == 0
    assert "need the number of items" in capsys.readouterr().out


COMMANDS = {
    "evaluate": ["evaluate", "qrels.csv", "run.csv", "-m", "efd@2"],
    "compare": ["compare", "qrels.csv", "run.csv", "other=run.csv", "-m", "efd@2"],
    "diff": ["diff", "qrels.csv", "run.csv", "other.csv", "-m", "efd@2"],
    "report": ["report", "qrels.csv", "run.csv", "-m", "efd@2", "-o", "report.html"],
    "explain": ["explain", "efd@2", "qrels.csv", "run.csv", "--query", "u"],
    "rosetta": ["rosetta", "qrels.csv", "run.csv", "-m", "arp@2"],
    "plot": ["plot", "curve", "qrels.csv", "run.csv", "-m", "efd", "-o", "curve.svg"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_columns_of_training_data_are_named_as_the_error_says(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.csv").write_text("user,item,grade\nu,a,1\nv,b,1\n")
    Path("train.csv").write_text("person,film,stars\nu,c,1\nv,a,1\nw,b,1\n")
    for name in ("run", "other"):
        Path(f"{name}.csv").write_text("user,item,score\nu,a,3\nu,b,2\nv,b,1\n")
    line = [*COMMANDS[command], "--train", "train.csv"]
    assert run(line) == 3
    option, names = re.search(r"(--\w+) (\S+)\.\s*$", capsys.readouterr().err).groups()
    assert "train.person=query,train.film=item" in names
    assert run([*line, option, names]) == 0
