"""Options and files that ndeval takes or refuses."""

from __future__ import annotations

import gzip
import io
import random
import subprocess
import sys

import pytest
from tests.compat.ndeval import FIRST, TWO, column, run, write
from tests.every import every

from rankwell.compat.ndeval import main


# ndeval 4.5 takes these: a topic abc is the number after it, a score x what is in memory, -alpha x and -M 2x are .5 and 2
@pytest.mark.parametrize(
    ("options", "qrels", "lists", "words"),
    [
        ("", TWO, "abc 1 a 1 1 t\n", "run:1: syntax error: the topic 'abc' is not a whole number from 0 to 1,000,009"),
        ("-traditional", TWO, "1 Q0 a 1 x t\n", "run:1: syntax error: the score 'x' is not a number"),
        ("-traditional", TWO, FIRST + "1 Q0 b 2 nan t\n", "run:2: syntax error: the score 'nan'"),
        ("-traditional", TWO, "1 Q0 a 1 1.5x t\n", "run:1: syntax error: the score '1.5x'"),
        ("-alpha x", TWO, FIRST, "-alpha x: must be a number from 0 to 1"),
        ("-beta 1_0", TWO, FIRST, "-beta 1_0: must be a number from 0 to 1"),
        ("-riskAlpha nan", TWO, FIRST, "-riskAlpha nan: must be a number from 0"),
        ("-M 2x", TWO, FIRST, "-M 2x: the depth must be a whole number of at least 1"),
        ("", "1 1 a 1\0\n", FIRST, "qrels:1: a NUL byte"),
    ],
)  # fmt: skip
def test_what_the_program_takes_for_something_else_is_refused(
    options, qrels, lists, words, tmp_path, capsysbinary, monkeypatch
):
    write(tmp_path, qrels=qrels, run=lists)
    code, out, err = run([*options.split(), "qrels", "run"], tmp_path, capsysbinary, monkeypatch)
    assert (code, out) == (1, "")
    assert err.startswith(f"ndeval: {words}"), err


# ndeval 4.5 exits with 1 for each of these, too
@pytest.mark.parametrize(
    ("arguments", "files", "words"),
    [
        ("", {}, "two files are required"), ("qrels", {}, "two files are required"), ("-alpha qrels run", {}, "two files are required"),
        ("-traditional qrels run more", {}, "two files are required"), ("-x qrels run", {}, "unknown option -x"),
        ("-beto .5 qrels run", {}, "unknown option -beto. Did you mean -beta?"), ("qrels run -c", {}, "two files"),
        ("-alpha 2 qrels run", {}, "-alpha 2"), ("-alpha -1 qrels run", {}, "-alpha -1"), ("-M 0 qrels run", {}, "-M 0"),
        ("-riskAlpha -1 qrels run", {}, "-riskAlpha -1"), ("nowhere run", {}, "nowhere: cannot be read"),
        ("-c run", {}, "-c: cannot be read"), ("-version run", {}, "-version: cannot be read"), ("qrels nowhere", {}, "nowhere: cannot"),
        ("-baseline nowhere qrels run", {}, "nowhere: cannot be read"), ("qrels run", {"qrels": ""}, "qrels: the file is empty"),
        ("qrels run", {"run": ""}, "run: the file is empty"),
        ("qrels run", {"qrels": TWO + "1 2 a -1\n"}, "qrels:3: syntax error: the grade '-1' is not a whole number"),
        ("qrels run", {"qrels": "wt09-1 1 a 1\n"}, "qrels:1: syntax error: the topic 'wt09-1'"),
        ("qrels run", {"qrels": TWO + "\n"}, "qrels:3: syntax error: it has 0 of 4 words"),
        ("qrels run", {"run": FIRST + "1 Q0 b 2 1\n"}, "run:2: syntax error: it has 5 of 6 words"),
        ("qrels run", {"run": FIRST + "1 Q0 b 1 1 t\n"}, "run: duplicate rank (1) for topic 1"),
        ("qrels run", {"run": FIRST + "1 Q0 a 2 1 t\n"}, "run: duplicate docno (a) for topic 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_its_message_and_exit_code(
    arguments, files, words, tmp_path, capsysbinary, monkeypatch
):
    write(tmp_path, **({"qrels": TWO, "run": FIRST} | files))
    code, out, err = run(arguments.split(), tmp_path, capsysbinary, monkeypatch)
    assert (code, out) == (1, "")
    assert err.startswith(f"ndeval: {words}"), err
    assert ("usage: rankwell ndeval" in err) == (not words.endswith("read") and ":" not in words.split()[0])


def test_a_document_twice_is_no_error_below_the_depth(tmp_path, capsysbinary, monkeypatch):
    write(tmp_path, qrels=TWO, run=FIRST + "1 Q0 b 2 1 t\n1 Q0 b 3 1 t\n")
    assert run(["-M", "2", "qrels", "run"], tmp_path, capsysbinary, monkeypatch)[0] == 0
    assert run(["-M", "3", "qrels", "run"], tmp_path, capsysbinary, monkeypatch)[0] == 1


def test_compressed_files_byte_order_marks_standard_input_and_high_subtopics_are_read(
    tmp_path, capsysbinary, monkeypatch
):
    write(tmp_path, qrels=TWO, run=FIRST, bom="\ufeff" + TWO, gz=gzip.compress(TWO.encode()))
    write(tmp_path, high=TWO.replace("1 2 b", "1 1000009 b"))
    _, expected, _ = run(["qrels", "run"], tmp_path, capsysbinary, monkeypatch)
    for qrels in ("bom", "gz", "high"):
        assert run([qrels, "run"], tmp_path, capsysbinary, monkeypatch) == (0, expected, "")
    monkeypatch.undo()
    for command in (
        ["-m", "rankwell", "ndeval"],
        ["-c", "import sys; from rankwell.compat.ndeval import main; sys.exit(main())"],
    ):
        arguments = [sys.executable, *command, tmp_path / "qrels", "-"]
        done = subprocess.run(arguments, input=FIRST.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stdout.decode(), done.stderr) == (0, expected, b"")


def test_ids_that_are_no_utf_8_come_out_as_they_went_in(tmp_path, capsysbinary, monkeypatch):
    write(tmp_path, qrels=b"1 1 \xe9 1\n", run=b"1 Q0 \xe9 1 1 r\xe9sum\xe9,\n")
    _, out, _ = run(["qrels", "run"], tmp_path, capsysbinary, monkeypatch)
    assert out.splitlines()[1].startswith("r\xe9sum\xe9,,1,0.7261")


# by hand: one relevant document of one subtopic, at rank 1, as both -traditional and ranks have it, and at rank 2
def test_ranks_rule_unless_scores_are_asked_for(tmp_path, capsysbinary, monkeypatch):
    write(tmp_path, qrels="1 1 a 1\n", run="1 Q0 a 2 9 t\n1 Q0 b 1 8 t\n")
    _, out, _ = run(["qrels", "run"], tmp_path, capsysbinary, monkeypatch)
    assert column(out, "1", "MAP-IA") == "0.500000"
    _, out, _ = run(["-traditional", "qrels", "run"], tmp_path, capsysbinary, monkeypatch)
    assert column(out, "1", "MAP-IA") == "1.000000"


def test_version_and_help_are_answered_before_anything_is_read(capsys):
    assert main(["-version"]) == 0
    assert capsys.readouterr().out.startswith("ndeval: version 4.5 (rankwell ")
    assert main(["-c", "-help", "nowhere", "nowhere"]) == 0
    printed = capsys.readouterr().out
    for option in (
        "-alpha",
        "-beta",
        "-traditional",
        "-M",
        "-c",
        "-baseline",
        "-riskAlpha",
        "-version",
        "-help",
        "-differences",
    ):
        assert f"\n  {option} " in printed or f"\n  {option}\n" in printed, option


WORDS = ["-c", "-a", "-ac", "-", "-traditional", "-alpha", "-beta", "-M", "-baseline", "-riskAlpha", ".5", "2", "x", "-1", "qrels", "run",
         "base", "-version", "-help", "-x", "nan", ""]  # fmt: skip


@every("seed", range(5))
def test_any_words_give_a_table_or_one_message(seed, tmp_path, capsysbinary, monkeypatch):
    rng = random.Random(seed)
    write(tmp_path, qrels=TWO, run=FIRST, base=FIRST)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FIRST.encode())))
    for _ in range(60):
        arguments = rng.choices(WORDS, k=rng.randint(0, 6)) + rng.choice([[], ["qrels", "run"]])
        code, out, err = run(arguments, tmp_path, capsysbinary, monkeypatch)
        assert code in (0, 1), arguments
        assert bool(out) == (code == 0), arguments
        assert err.startswith("ndeval: ") == (code == 1), arguments
