"""The command line: tables, formats, exit codes, one line per error."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest

import rankwell
from rankwell.cli import run
from rankwell.cli.application import COMMANDS, PREPARE
from rankwell.judge.policy import Policy, choices

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
    rows = pl.read_csv(io.StringIO(capsys.readouterr().out))
    assert rows.columns == ["run", "query", "ap"]
    assert rows["query"].to_list() == [301, 302, 303]
    assert rows["ap"].to_list() == expected.per_query["ap"].to_list()


def test_lists_alone_can_be_evaluated(capsys):
    items, lists = str(MOVIES / "items.parquet"), str(MOVIES / "als.parquet")
    assert run(["evaluate", "none", lists, "-m", "coverage@10", "--items", items]) == 0
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
    assert "2 of 3 judged queries have more than k relevant items" in capsys.readouterr().err


def test_every_command_says_what_it_does(capsys):
    for group, commands in ([], COMMANDS), (["prepare"], PREPARE):
        assert run([*group, "--help"]) == 0
        listed = capsys.readouterr().out
        for command in commands:
            assert re.search(rf"│ {command} +[A-Z][a-z]+", listed), command
            assert run([*group, command, "--help"]) == 0
            assert f"Usage: {' '.join(['rankwell', *group, command])}" in capsys.readouterr().out


def test_options_are_listed_in_groups(capsys):
    assert run(["evaluate", "--help"]) == 0
    shown = capsys.readouterr().out
    titles = ("Parameters", "Data", "Input format", "Output", "Policy")
    places = [shown.index(f"─ {title} ─") for title in titles]
    assert places == sorted(places)


def test_a_command_loads_no_other_command():
    code = """
import sys
from rankwell.cli import run
assert run(sys.argv[1:]) == 0
print(sorted(name for name in sys.modules if name.startswith("rankwell.cli.")))
"""
    done = subprocess.run([sys.executable, "-c", code, "metrics"], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert "rankwell.cli.explain" in loaded
    for other in ("evaluate", "lint", "axioms", "prepare", "demo"):
        assert f"rankwell.cli.{other}" not in loaded


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
    assert "One name, 5 meanings" in capsys.readouterr().out


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


def program(*arguments, environment=(), **options):
    """The program in a process of its own."""
    command = [sys.executable, "-m", "rankwell", *arguments]
    return subprocess.run(command, env={**os.environ, **dict(environment)}, check=False, **options)


def one_line(capsys):
    """The only line on stderr, with nothing on stdout."""
    shown = capsys.readouterr()
    assert not shown.out
    assert shown.err.count("\n") == 1, shown.err
    return shown.err


@pytest.mark.parametrize("field", [field.name for field in fields(Policy)])
def test_every_field_of_a_policy_is_an_option(capsys, field):
    value = {"depth": "3", "rel": "2"}.get(field) or choices(field)[-1]
    if value == "ratings":
        value = "judgements"
    option = "--" + field.replace("_", "-")
    assert run(["evaluate", QRELS, RUN, "-m", "rr", option, value, "--format", "json"]) == 0
    assert str(json.loads(capsys.readouterr().out)["runs"][0]["policy"][field]) == value


@pytest.mark.parametrize("command", ["evaluate", "explain", "lint", "rosetta"])
def test_every_field_of_a_policy_is_explained_in_the_help(capsys, command):
    assert run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    for field in fields(Policy):
        assert f"--{field.name.replace('_', '-')} " in shown
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
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == ["run", *map(str, paths)]


def test_a_file_that_is_read_is_not_overwritten(capsys, tmp_path):
    lists = tmp_path / "my.run"
    lists.write_bytes(Path(RUN).read_bytes())
    assert run(["evaluate", QRELS, str(lists), "-m", "ap", "-o", str(tmp_path / "." / "my.run")]) == 2
    assert "would overwrite" in one_line(capsys)
    assert lists.read_bytes() == Path(RUN).read_bytes()


def test_a_failed_evaluation_leaves_the_output_as_it_was(capsys, tmp_path):
    target = tmp_path / "values.txt"
    target.write_text("old")
    assert run(["evaluate", QRELS, str(tmp_path / "none"), "-m", "ap", "-o", str(target)]) == 3
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("values.txt", "old")]


def test_output_into_a_link_keeps_the_link(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.touch()
    link.symlink_to(real)
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "--format", "csv", "-o", str(link)]) == 0
    assert link.is_symlink()
    assert real.read_text().startswith("run,metric,value")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")
def test_output_into_a_pipe_is_written_to_the_pipe(tmp_path):
    # as -o /dev/stdout and -o /dev/null: what is no file must not be replaced by one
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE) as reader:
        done = program("evaluate", QRELS, RUN, "-m", "ap", "--format", "csv", "-o", str(fifo))
        if not fifo.is_fifo():
            reader.kill()
        received, _ = reader.communicate(timeout=30)
    assert done.returncode == 0
    assert fifo.is_fifo()
    assert received.startswith(b"run,metric,value")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full (Linux)")
def test_a_full_disk_is_one_line_and_exit_code_3():
    with open("/dev/full", "w") as full:
        done = program("metrics", stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert done.stderr.splitlines() == ["rankwell: stdout: cannot be written (No space left on device)."]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [(KeyboardInterrupt(), 130, "interrupted."), (MemoryError(), 3, "not enough memory")],
)
def test_being_stopped_is_one_line(capsys, monkeypatch, error, code, message):
    def stopped(*_, **__):
        raise error

    monkeypatch.setattr("rankwell.cli.evaluate.Evaluator.of", stopped)
    assert run(["evaluate", QRELS, RUN, "-m", "ap"]) == code
    assert message in one_line(capsys)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_ctrl_c_ends_the_program_without_a_traceback(tmp_path):
    fifo = tmp_path / "never.run"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "rankwell", "evaluate", QRELS, str(fifo), "-m", "ap"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with open(fifo, "w"):  # returns when the program has opened the other end and waits for rows
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines() == ["rankwell: interrupted."]


def test_a_message_of_several_lines_is_printed_as_one(capsys):
    assert run(["evaluate", QRELS, "no\nsuch\nfile", "-m", "ap"]) == 3
    assert "no such file: cannot be read" in one_line(capsys)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_pipes_get_utf_8_whatever_the_locale_says(encoding):
    done = program("metrics", environment={"PYTHONIOENCODING": encoding}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"ap\[@k\] +0–1 ↑", done.stdout.decode())


def test_without_stdout_the_program_says_nothing():
    done = subprocess.run(
        f"{sys.executable} -m rankwell metrics >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_nobody_but_a_terminal_gets_a_progress_line():
    done = program("evaluate", QRELS, RUN, "-m", "ap", capture_output=True, text=True)
    assert done.stderr == ""


def test_evaluating_trec_files_loads_neither_frames_nor_terminal_tools():
    code = """
import sys
from rankwell.cli import run
assert run(sys.argv[1:]) == 0
print(sorted({"polars", "rich", "scipy", "pandas", "pyarrow", "tempfile", "docutils"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "evaluate", QRELS, RUN, "-m", "ap,ndcg@10"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_both_flags_answer_the_version(flag):
    assert program(flag, capture_output=True, text=True).stdout == f"rankwell {rankwell.__version__}\n"
