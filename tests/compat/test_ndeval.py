"""rankwell ndeval against what NIST's program printed, byte for byte; stored/ndeval/make.py says how it was made."""

from __future__ import annotations

import hashlib
import json
import lzma
import math
from collections import Counter
from pathlib import Path

import pytest
from tests.compat.ndeval import FIRST, HALF_RUN, TWO, cells, column, run, write
from tests.evidence import evidence

import rankwell as rw
from rankwell.compat.ndeval import main

STORED = Path(__file__).parent / "stored" / "ndeval"


with lzma.open(STORED / "cases.json.xz", "rt", encoding="utf-8") as file:
    CASES = [json.loads(line) for line in file]
WEB = json.loads((STORED / "web2012.json").read_text(encoding="utf-8"))
NNRBP = 15


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


def assert_alike(case: dict, out: str, printed: str) -> None:
    """The same bytes; but where the program divides 0 by 0, what --differences says."""
    if "-nan" not in case["out"]:
        assert out == case["out"]
        return
    expected, found = cells(case["out"]), cells(out)
    assert "-nan" not in out
    assert "nNRBP" in printed or "amean" in printed
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


def test_random_small_cases_of_odd_files_and_options_give_the_same_bytes_and_exit_codes(
    tmp_path, capsysbinary, monkeypatch
):
    for number, case in enumerate(CASES):
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


RISK = "1 1 d0 1\n1 0 d1 1\n2 2 d0 1\n2 0 d1 1\n2 1 d1 1\n2 2 d1 1\n"
RISK_RUN, RISK_BASE = (
    "1 Q0 d0 1 0 t\n2 Q0 d1 1 0 t\n",
    "1 Q0 d0 1 0 b\n1 Q0 d1 2 -1 b\n2 Q0 d0 1 0 b\n2 Q0 d1 2 -1 b\n",
)
# topic 1 has 0.046875, of which six rows have a mean of 0.0078125
HALF = "1 2 d04 1\n1 0 d04 3\n1 1 d12 2\n1 2 d14 2\n"
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
    printed = capsys.readouterr().out
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
        assert words in printed, words
