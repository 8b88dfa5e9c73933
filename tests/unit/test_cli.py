"""The command line: tables, formats, exit codes, one line per error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import rankwell
from rankwell.cli import run

DATA = Path(rankwell.__file__).parent / "data"
QRELS, RUN = str(DATA / "trec_eval" / "qrels.test"), str(DATA / "trec_eval" / "results.test")
MOVIES = DATA / "movietweetings"


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
    popular, random = (line for line in capsys.readouterr().out.splitlines() if ".parquet  " in line)
    assert "*" in popular.split()[1]
    assert "*" in random.split()[2]


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
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3 + 1


def test_lists_alone_can_be_evaluated(capsys):
    items, lists = str(MOVIES / "items.parquet"), str(MOVIES / "als.parquet")
    assert run(["evaluate", "-", lists, "-m", "coverage@10", "--items", items]) == 0
    assert "no judgements were needed" in capsys.readouterr().out


USAGE = {
    "Did you mean ndcg?": ["evaluate", QRELS, RUN, "-m", "ndgc@10"],
    "p needs a cut-off: write p@10": ["evaluate", QRELS, RUN, "-m", "p"],
    "say which metrics you want": ["evaluate", QRELS, RUN],
    "Did you mean --ties?": ["evaluate", QRELS, RUN, "-m", "ap", "--tie", "best"],
    "--ties": ["evaluate", QRELS, RUN, "-m", "ap", "--ties", "wurst"],
    "needs the catalogue": ["evaluate", QRELS, RUN, "-m", "coverage"],
    "grades look like ratings": [
        "evaluate",
        str(MOVIES / "test.parquet"),
        str(MOVIES / "als.parquet"),
        "-m",
        "ap",
    ],
    "Unknown command": ["evalute", QRELS],
    "no metric 'x'": ["explain", "x"],
    "threads=0": ["evaluate", QRELS, RUN, "-m", "ap", "--threads", "0"],
}


@pytest.mark.parametrize("message", USAGE)
def test_wrong_use_is_one_line_and_exit_code_2(capsys, message):
    assert run(USAGE[message]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert message in shown.err
    assert shown.err.startswith("rankwell: ")
    assert len(shown.err.splitlines()) == 1


def test_bad_data_are_one_line_and_exit_code_3(capsys, tmp_path):
    bad = tmp_path / "bad.run"
    bad.write_text("301 Q0 a 1 2.0 t\n301 Q0 b two\n")
    for path, message in ((bad, "bad.run:2:"), (tmp_path / "none", "cannot be read")):
        assert run(["evaluate", QRELS, str(path), "-m", "ap"]) == 3
        shown = capsys.readouterr().err
        assert message in shown
        assert len(shown.splitlines()) == 1
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "-o", str(tmp_path / "no" / "file")]) == 3


def test_a_cut_off_below_the_number_of_relevant_items_is_warned_of(capsys):
    assert run(["evaluate", QRELS, RUN, "-m", "ap@10"]) == 0
    assert "2 queries have more than k relevant items" in capsys.readouterr().err


def test_every_command_says_what_it_does(capsys):
    for command in ([], ["evaluate"], ["explain"], ["metrics"], ["demo"]):
        assert run([*command, "--help"]) == 0
        assert "rankwell" in capsys.readouterr().out


def test_explain_metrics_and_demo_print_what_they_promise(capsys):
    assert run(["explain", "ap@10"]) == 0
    card = capsys.readouterr().out
    for part in ("formula", "edge cases", "convention", "parameters", "reference", "ap(denom=min_rk)@10"):
        assert part in card
    assert run(["metrics"]) == 0
    listed = capsys.readouterr().out
    for name in ("ap[@k]", "p@k", "bpref", "coverage[@k]"):
        assert name in listed
    assert run(["demo"]) == 0
    assert "one name, five numbers" in capsys.readouterr().out


def test_the_program_runs_and_answers_its_version_without_cyclopts():
    code = "import sys, rankwell.__main__ as m; sys.argv = ['rankwell', '--version']; m.main(); print('cyclopts' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["rankwell", rankwell.__version__, "False"]


def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, "-m", "rankwell", "evaluate", QRELS, RUN, "-m", "ap", "--per-query"]
    done = subprocess.run(
        f"{' '.join(command)} | head -1", shell=True, capture_output=True, text=True, check=True
    )
    assert not done.stderr
