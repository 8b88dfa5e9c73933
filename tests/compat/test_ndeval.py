"""rankwell ndeval against what NIST's program printed, byte for byte; stored/ndeval/make.py says how it was made."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.compat.ndeval import main

STORED = Path(__file__).parent / "stored" / "ndeval"
WEB = json.loads((STORED / "web2012.json").read_text(encoding="utf-8"))
with lzma.open(STORED / "cases.json.xz", "rt", encoding="utf-8") as file:
    CASES = [json.loads(line) for line in file]
NNRBP = 15


def run(arguments: list[str], folder: Path, capsysbinary, monkeypatch) -> tuple[int, str, str]:
    monkeypatch.chdir(folder)
    code = main(arguments)
    out, err = capsysbinary.readouterr()
    return code, out.decode("latin-1"), err.decode()


@pytest.mark.parametrize("name", WEB)
def test_the_output_for_the_web_track_is_that_of_nist_byte_for_byte(name, capsysbinary, monkeypatch):
    file, options = name.split(" ", maxsplit=1)
    other = next(each.split()[0] for each in WEB if not each.startswith(file))
    arguments = [*options.replace("OTHER", f"runs/{other}").split(), "qrels-for-ndeval.txt", f"runs/{file}"]
    code, out, err = run(arguments, evidence("trec-web-2012"), capsysbinary, monkeypatch)
    digest, last = WEB[name]
    assert (code, out.splitlines()[-1]) == (0, last)
    assert not err or "halfway" in err
    assert hashlib.sha256(out.encode("latin-1")).hexdigest() == digest


def cells(out: str) -> list[list[str]]:
    return [line.rsplit(",", 22) for line in out.splitlines()]


def assert_alike(case: dict, out: str, told: str) -> None:
    """The same bytes; but where the program divides 0 by 0, what --differences says."""
    if "-nan" not in case["out"]:
        assert out == case["out"]
        return
    expected, found = cells(case["out"]), cells(out)
    assert "-nan" not in out
    assert "nNRBP" in told or "amean" in told
    if expected[-1][2] == "-nan":  # no topic in common
        assert found == [*expected[:-1], [*expected[-1][:2], *["nan"] * 21]]
        return
    means = 0.0
    for theirs, ours in zip(expected[1:-1], found[1:-1], strict=True):
        theirs[NNRBP] = theirs[NNRBP].replace("-nan", "0.000000")
        means += float(theirs[NNRBP])
        assert theirs == ours
    # the number of topics that a mean is over, from those columns that are not 0
    total = [sum(float(row[at]) for row in expected[1:-1]) for at in range(2, 23)]
    at = max(range(21), key=lambda each: abs(total[each]) if each != NNRBP - 2 else -1)
    if total[at]:
        count = round(total[at] / float(expected[-1][at + 2]))
        assert float(found[-1][NNRBP]) == pytest.approx(means / count, abs=1.01e-6 * len(expected))
    expected[-1][NNRBP] = found[-1][NNRBP]
    assert expected[-1] == found[-1]


@pytest.mark.parametrize("chunk", range(10))
def test_random_small_cases_of_odd_files_and_options_give_the_same_bytes_and_exit_codes(
    chunk, tmp_path, capsysbinary, monkeypatch
):
    for number, case in list(enumerate(CASES))[chunk::10]:
        for name, text in case["files"].items():
            (tmp_path / name).write_bytes(text.encode("latin-1"))
        code, out, err = run([*case["options"], "qrels", "run"], tmp_path, capsysbinary, monkeypatch)
        assert code == case["code"], (number, err)
        assert (code == 0) or (err.startswith("ndeval: ") and not out), number
        if code == 0:
            assert_alike(case, out, err)


def test_the_stored_cases_are_of_every_kind():
    kinds = Counter((case["code"], "-nan" in case["out"]) for case in CASES)
    assert min(kinds[0, False], kinds[0, True], kinds[1, False]) > 50
    options = {word for case in CASES if case["code"] == 0 for word in case["options"]}
    assert options >= {"-c", "-traditional", "-M", "-alpha", "-beta", "-baseline", "-riskAlpha", "-", "-ca"}


def write(folder: Path, **files: str | bytes) -> None:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)


def column(out: str, topic: str, name: str) -> str:
    head, *rows = cells(out)
    return next(row[head.index(name)] for row in rows if row[1] == topic)


TWO, FIRST = "1 1 a 1\n1 2 b 1\n", "1 Q0 a 1 1 t\n"
RISK = "1 1 d0 1\n1 0 d1 1\n2 2 d0 1\n2 0 d1 1\n2 1 d1 1\n2 2 d1 1\n"
RISK_RUN, RISK_BASE = (
    "1 Q0 d0 1 0 t\n2 Q0 d1 1 0 t\n",
    "1 Q0 d0 1 0 b\n1 Q0 d1 2 -1 b\n2 Q0 d0 1 0 b\n2 Q0 d1 2 -1 b\n",
)
# topic 1 has 0.046875, of which six rows have a mean of 0.0078125
HALF = "1 2 d04 1\n1 0 d04 3\n1 1 d12 2\n1 2 d14 2\n"
HALF_RUN = "1 Q0 d14 8 1 t\n" + "".join(f"1 Q0 x{rank} {rank} 1 t\n" for rank in range(1, 8))
HALF_RUN += "".join(f"{topic} Q0 x 1 1 t\n" for topic in (2, 5, 6, 30, 40))
# options, judgements, run, topic, column, what ndeval 4.5 printed, what is printed here, what the note says
DIFFERENT = {
    "nothing relevant": ("", TWO + "2 1 a 0\n", FIRST + "2 Q0 a 1 1 t\n", "2", "nNRBP", "-nan", "0.000000", "without a relevant"),
    "nothing relevant, mean": ("", TWO + "2 1 a 0\n", FIRST + "2 Q0 a 1 1 t\n", "amean", "nNRBP", "-nan", "0.333333", "without a relevant"),
    "no NRBP": ("-alpha 0 -beta 1", TWO, FIRST, "1", "nNRBP", "-nan", "0.000000", "nNRBP with -alpha 0 -beta 1"),
    "nothing in common": ("", TWO, "7 Q0 a 1 1 t\n", "amean", "strec@5", "-nan", "nan", "no topic of the run is judged"),
    "a line twice": ("", TWO + "1 1 a 1\n", FIRST, "1", "MAP-IA", "0.250000", "0.500000", "subtopic twice"),
    "contradiction": ("", TWO + "1 1 a 0\n", "1 Q0 b 1 1 t\n", "1", "strec@5", "0.500000", "1.000000", "subtopic twice"),
    "halfway": ("-baseline base", HALF, HALF_RUN, "amean", "nERR-IA@20", "0.007813", "0.007812", "halfway between two printed ones (nERR-IA"),
    "0 on paper": ("-baseline base", RISK, RISK_RUN, "amean", "ERR-IA@10", "-0.000000", "0.000000", "0 in theory (ERR-IA@5, ERR-IA@10"),
}  # fmt: skip


@pytest.mark.parametrize("what", DIFFERENT)
def test_where_the_program_s_number_is_an_accident_the_defined_one_is_printed_and_it_is_said(
    what, tmp_path, capsysbinary, monkeypatch
):
    options, qrels, lists, topic, name, theirs, ours, words = DIFFERENT[what]
    write(tmp_path, qrels=qrels, run=lists, base=RISK_BASE)
    code, out, err = run([*options.split(), "qrels", "run"], tmp_path, capsysbinary, monkeypatch)
    assert (code, column(out, topic, name)) == (0, ours)
    assert ours != theirs
    assert err.startswith("ndeval: note: as defined, not as the program computes it: ")
    assert words in err
    assert err.count("\n") == 1


EQUAL = {"d16": (2, 4, 1, 0), "d14": (1, 4, 3), "d9": (2, 3, 1), "d013": (3, 2, 0)}


def test_gains_equal_on_paper_are_equal_in_the_ideal_list(tmp_path, capsysbinary, monkeypatch):
    qrels = "".join(f"1 {subtopic} {item} 1\n" for item, covered in EQUAL.items() for subtopic in covered)
    write(tmp_path, qrels=qrels, run="1 Q0 d14 0 1e2 t\n")
    _, out, _ = run(["-alpha", ".9", "qrels", "run"], tmp_path, capsysbinary, monkeypatch)
    # by hand: below d16 the others gain 1.2 each (1, .1 and .1) and d9 is the last id; then d14 gains .21, d013 .12
    value = 3 / (4 + 1.2 / math.log2(3) + 0.21 / 2 + 0.12 / math.log2(5))
    assert column(out, "1", "alpha-nDCG@5") == f"{value:.6f}" == "0.610526"  # ndeval 4.5 prints 0.609752


# pyndeval 0.0.8, which is ndeval's code, prints 3.0 for a document of all three subtopics: not divided at rank 1
def test_values_at_rank_1_are_divided_as_all_others():
    qrels = rw.Qrels(query=["1"] * 3, item=["a"] * 3, grade=[1] * 3, topic=["1", "2", "3"])
    metrics = ["alpha_dcg(norm=ndeval)@1", "err_ia(gain=binary,norm=ndeval)@1"]
    assert list(rw.evaluate({"1": ["a"]}, qrels, metrics).mean.values()) == [1.0, 1.0]


def test_each_listed_difference_is_printed(capsys):
    assert main(["-differences"]) == 0
    told = capsys.readouterr().out
    for words in (
        "nNRBP of a topic",
        "amean when no",
        "twice",
        "contradict",
        "equal in theory",
        "halfway",
        "0 in theory",
        "rank 1",
        "NUL",
    ):
        assert words in told, words


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
    told = capsys.readouterr().out
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
        assert f"\n  {option} " in told or f"\n  {option}\n" in told, option


WORDS = ["-c", "-a", "-ac", "-", "-traditional", "-alpha", "-beta", "-M", "-baseline", "-riskAlpha", ".5", "2", "x", "-1", "qrels", "run",
         "base", "-version", "-help", "-x", "nan", ""]  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
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
