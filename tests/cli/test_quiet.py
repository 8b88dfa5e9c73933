"""``--quiet``: numbers and errors, without notes and progress."""

from __future__ import annotations

import sys

import pytest
from tests.cli.samples import MOVIES, QRELS, RUN

from rankwell.cli import run
from rankwell.display.output import ProgressBar, print_note, quiet

RATED = [str(MOVIES / "test.parquet"), str(MOVIES / "random.parquet"), "--rel", "8"]
# each prints a note: of the data, or of what was written
LINES = [
    ["evaluate", *RATED, "-m", "ndcg@10"],
    ["report", QRELS, RUN, "-m", "ap", "-o", "report.html"],
    ["fuse", RUN, str(MOVIES / "als.parquet"), "-o", "fused.run"],
    ["plot", "judged", QRELS, RUN, "-o", "judged.json"],
    ["prepare", "core", str(MOVIES / "train.parquet"), "--min-per-user", "2", "-o", "core.csv"],
    ["judging", "next", QRELS, RUN, "--aim", "mean", "--budget", "3", "-o", "next.tsv"],
    ["init", "--qrels", QRELS, f"a={RUN}"],
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_notes_are_left_out_and_numbers_stay(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(line) == 0
    loud = capsys.readouterr()
    assert "rankwell: note: " in loud.err
    for place in (len(line), 1, 0):
        (tmp_path / "rankwell.toml").unlink(missing_ok=True)
        assert run([*line[:place], "--quiet", *line[place:]]) == 0
        shown = capsys.readouterr()
        assert (shown.out, shown.err) == (loud.out, "")
    assert not quiet.get()


def test_errors_are_told_all_the_same(capsys):
    assert run(["evaluate", QRELS, RUN, "-m", "ndgc", "--quiet"]) == 2
    assert "Did you mean ndcg?" in capsys.readouterr().err


def test_the_command_in_a_report_is_that_without_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["report", QRELS, RUN, "-m", "ap", "--quiet"]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "rankwell report qrels.test results.test -m ap" in page
    assert "-m ap --quiet" not in page


def test_progress_is_left_out(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    token = quiet.set(True)
    try:
        with ProgressBar() as progress:
            assert progress is None
    finally:
        quiet.reset(token)


def test_a_note_commands_no_terminal(capsys):
    print_note("wrote \x1b[2J.")
    assert capsys.readouterr().err == "rankwell: note: wrote \\x1b[2J.\n"


def test_programs_that_are_replaced_do_not_know_it(capsys):
    assert run(["trec_eval", "--quiet", QRELS, RUN]) != 0
