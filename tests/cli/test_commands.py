"""The command line: tables, formats, exit codes, one line per error."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import MOVIES, QRELS, RUN

import rankwell
from rankwell.cli import run
from rankwell.cli.arguments import arguments_of
from rankwell.cli.commands import function_of, homes

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
    "If it is a metric, give each with -m: -m MAP": ["evaluate", QRELS, RUN, "-m", "ndcg@10", "MAP"],
    "give each with -m: -m p@5": ["compare", QRELS, RUN, RUN, "-m", "ap", "p@5"],
    "--threads 0": ["evaluate", QRELS, RUN, "-m", "ap", "--threads", "0"],
}


@pytest.mark.parametrize("message", USAGE)
def test_wrong_use_is_one_line_and_exit_code_2(capsys, message):
    assert run(USAGE[message]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert message in shown.err.replace('"', "")  # Cyclopts before 4.14 quotes options
    assert shown.err.startswith("rankwell: ")
    assert len(shown.err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "{name}", "{name}", "-m", "ap"],
        ["evaluate", QRELS, RUN, "-m", "ap", "-o", "{name}"],
        ["bench", "--search", "seek", "--queries", QRELS, "--items", "{name}"],
        ["lint", "--collection", "{name}"],
    ],
)
def test_a_name_that_is_too_long_is_named(capsys, arguments):
    name = "x" * 5_000
    assert run([each.format(name=name) for each in arguments]) == 3
    shown = capsys.readouterr().err
    assert shown.startswith("rankwell: xxxx")
    assert "stdout" not in shown


def test_bad_data_are_one_line_and_exit_code_3(capsys, tmp_path):
    bad = tmp_path / "bad.run"
    bad.write_text("301 Q0 a 1 2.0 t\n301 Q0 b two\n")
    for path, message in ((bad, "bad.run:2:"), (tmp_path / "none", "cannot be read")):
        assert run(["evaluate", QRELS, str(path), "-m", "ap"]) == 3
        shown = capsys.readouterr().err
        assert message in shown
        assert len(shown.splitlines()) == 1
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "-o", str(tmp_path / "no" / "file")]) == 3


def test_every_command_says_what_it_does(capsys):
    for group in [], ["prepare"], ["judging"]:
        commands = [words[-1] for words in homes() if [*words[:-1]] == group]
        assert len(commands) > 5
        assert run([*group, "--help"]) == 0
        listed = capsys.readouterr().out
        for each in commands:
            assert re.search(rf"^  {each} +[A-Z][a-z]+", listed, re.MULTILINE), each
            assert run([*group, each, "--help"]) == 0
            assert f"Usage: {' '.join(['rankwell', *group, each])}" in capsys.readouterr().out


def test_options_are_listed_in_groups(capsys):
    assert run(["evaluate", "--help-all"]) == 0
    shown = capsys.readouterr().out
    titles = ("Arguments", "Options", "Data", "Input format", "Output", "Policy")
    places = [shown.index(f"\n{title}:\n") for title in titles]
    assert places == sorted(places)


def test_the_encoding_is_one_option_in_every_command_that_reads_text():
    found = {
        words[-1]: argument.option
        for words in homes()
        for argument in arguments_of(function_of(words))
        if argument.field == "encoding"
    }
    assert {"evaluate", "bench", "compare"} <= found.keys()
    assert len(set(found.values())) == 1


def test_all_commands_together_have_no_more_options_than_somebody_can_know():
    """They were 1,506 while each command repeated the rules, the words of reading and the statistics. A rule or a way of reading costs no
    option, nor does what only Python needs; so the bound rises for a new command alone.
    """
    slots = {words: [each for each in arguments_of(function_of(words)) if each.names] for words in homes()}
    assert sum(map(len, slots.values())) <= 780
    with_rules = {words for words, own in slots.items() if "duplicate_grades" in {each.field for each in own}}
    assert with_rules == {(name,) for name in ("evaluate", "compare", "gate", "report", "diff")}


def test_a_command_loads_no_other_command():
    code = """
import sys
from rankwell.cli import run
assert run(sys.argv[1:]) == 0
print(sorted(name for name in sys.modules if name.startswith("rankwell.cli.")))
"""
    done = subprocess.run([sys.executable, "-c", code, "metrics"], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert "rankwell.cli.understand" in loaded
    for other in ("evaluate", "compare", "report", "prepare", "start"):
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


@pytest.mark.skipif(os.name == "nt", reason="needs a shell with pipes")
@pytest.mark.parametrize(
    "words", ["--help", "evaluate --help", "plot", "judging --help", "--version", "metrics"]
)
@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_of_the_help_that_goes_away_is_no_error(words, reader):
    line = f"{{ {sys.executable} -m rankwell {words}; echo $? >&2; }} | {reader}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert done.stderr == "0\n"


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

    monkeypatch.setattr("rankwell.evaluation.Evaluator.of", stopped)
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


def test_nobody_but_a_terminal_gets_a_progress_line():
    done = program("evaluate", QRELS, RUN, "-m", "ap", capture_output=True, text=True)
    assert done.stderr == ""


def test_evaluating_trec_files_loads_neither_frames_nor_terminal_tools():
    code = """
import sys
from rankwell.cli import run
assert run(sys.argv[1:]) == 0
print(sorted({"polars", "rich", "scipy", "pandas", "pyarrow", "tempfile", "docutils", "hashlib"} & set(sys.modules)))
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
