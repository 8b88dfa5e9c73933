"""Files appear whole, keep their mode, and follow no planted link; stdout that takes nothing is one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from rankwell.cli import run
from rankwell.display.output import whole_file
from rankwell.display.table import Column, Table
from rankwell.display.text import printable
from rankwell.errors import InputError

EVALUATE = "from rankwell.__main__ import rankwell; rankwell()"
WRITER = """
import sys
from rankwell.display.output import write
print("ready", flush=True)
write("new " * 13_000_000, sys.argv[1])
"""


def test_a_file_keeps_its_mode_and_a_new_one_has_that_of_the_user(tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("old")
    old.chmod(0o640)
    mask = os.umask(0o027)
    try:
        for path in (old, new):
            with whole_file(path) as whole:
                whole.write_text("whole")
    finally:
        os.umask(mask)
    assert [path.stat().st_mode & 0o777 for path in (old, new)] == [0o640, 0o640]
    assert old.read_text() == new.read_text() == "whole"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new.txt", "old.txt"]


def test_a_link_is_kept_and_what_it_names_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real" / "file.txt")
    with whole_file(link) as whole:
        whole.write_text("whole")
    assert link.is_symlink()
    assert (tmp_path / "real" / "file.txt").read_text() == "whole"


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "old.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as whole:
        whole.write_text(f"half {1 / 0}")
    assert [each.name for each in tmp_path.iterdir()] == ["old.txt"]
    assert path.read_text() == "old"


def test_temporary_names_cannot_be_guessed(tmp_path, monkeypatch):
    """A link planted under the temporary name is not followed."""
    monkeypatch.setattr("secrets.token_hex", lambda _: "known")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / ".rankwell-known").symlink_to(victim)
    with pytest.raises(InputError, match="cannot be written"), whole_file(tmp_path / "out.txt"):
        raise AssertionError("nothing is written")
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["no/such/folder.txt", "a\0b", "x" * 300])
def test_a_path_that_cannot_be_written_is_one_error(tmp_path, name):
    with pytest.raises(InputError, match="cannot be written"), whole_file(f"{tmp_path}/{name}"):
        raise AssertionError("nothing is written")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_killed_writer_leaves_the_old_file_whole(tmp_path):
    path = tmp_path / "values.txt"
    path.write_text("old")
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", WRITER, str(tmp_path / "timed")], check=True, capture_output=True)
    whole = time.perf_counter() - started
    unfinished = 0
    for attempt in range(30):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        assert process.stdout.readline()
        time.sleep(
            whole * max(attempt - 10, 0) / 20 / 2
        )  # the first ten as they begin, the others at any moment
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        content = path.read_text()
        assert content in ("old", "new " * 12_999_999 + "new \n", "new " * 13_000_000 + "\n")
        unfinished += content == "old"
        path.write_text("old")
    assert unfinished > 0


def test_a_full_device_is_one_line(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    with open("/dev/full", "w") as full:
        for arguments in (
            ["evaluate", "q", "r", "-m", "ap"],
            ["metrics"],
            ["--version"],
            ["--help"],
            ["evaluate", "--help"],
        ):
            done = subprocess.run(
                [sys.executable, "-c", EVALUATE, *arguments],
                stdout=full, stderr=subprocess.PIPE, check=False, text=True, cwd=tmp_path, timeout=60,
            )  # fmt: skip
            assert done.returncode == 3, (arguments, done.stderr)
            assert done.stderr == "rankwell: stdout: cannot be written (No space left on device).\n", (
                arguments
            )


def test_a_closed_stdout_is_an_error_unless_a_file_is_named(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    line = f"{sys.executable} -c '{EVALUATE}' evaluate q r -m ap"
    closed = subprocess.run(
        f"{line} >&-", shell=True, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (closed.returncode, closed.stderr) == (
        3,
        "rankwell: stdout is closed, so nothing can be printed. Give -o FILE, or leave stdout open.\n",
    )
    closed = subprocess.run(
        f"{line} -o out.json >&-", shell=True, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    assert (tmp_path / "out.json").read_text().startswith("{")


@pytest.mark.parametrize(
    ("name", "begins"),
    [("v.json", "{"), ("v.csv", "run,"), ("v.md", "**"), ("v.tex", r"\begin"), ("v.html", "<"), ("v.txt", "r"), ("v", "r")],
)  # fmt: skip
def test_the_suffix_of_an_output_chooses_its_format(tmp_path, monkeypatch, name, begins):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    assert run(["evaluate", "q", "r", "-m", "ap", "-o", name]) == 0
    assert (tmp_path / name).read_text().startswith(begins)
    assert run(["evaluate", "q", "r", "-m", "ap", "-o", name, "--format", "csv"]) == 0
    assert (tmp_path / name).read_text().startswith("run,")


def test_a_suffix_of_a_format_that_a_command_does_not_write_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["lint", "q", "r", "-o", "found.parquet"]) == 2
    assert (
        "-o found.parquet: this writes .json, .csv, .md, .tex, .html, .htm, .txt, .text or .log; choose one of these suffixes"
        in capsys.readouterr().err
    )


def test_names_cannot_command_a_terminal(tmp_path, monkeypatch, capsys):
    evil = "\x1b]0;owned\x07\x1b[2Jrun\u202e"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / evil).write_text("1 Q0 a 1 1 t\n")
    assert run(["evaluate", "q", evil, "-m", "ap", "--verbose"]) == 0
    assert run(["evaluate", "q", f"{evil}.missing", "-m", "ap"]) == 3
    assert run(["evaluate", "q", evil, "-m", evil]) == 2
    shown = "".join(capsys.readouterr())
    assert r"\x1b]0;owned\x07\x1b[2Jrun\u202e" in shown
    assert not set(shown) & set("\x1b\x07\u202e")


def test_text_in_any_script_is_shown_as_it_is():
    for text in ("日本語", "فارسی\u200cها", "é à ü", "👩\u200d🔬", "a\tb"):
        assert printable(text) == text
    table = Table([Column("name")], [("x\x9bm",)], caption="c\x1b", notes=["n\x7f"])
    for shown in (table.to_text(), table.to_markdown(), table.to_html(), table.to_latex()):
        assert not set(shown) & set("\x1b\x7f\x9b")
