"""Options of trec_eval: how they are written, what is wrong with them, and what the manual says."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.compat.trec_eval import LISTS, QRELS, run, write

import rankwell as rw
from rankwell.compat.trec_eval import main, measures


@pytest.mark.parametrize(
    "alike",
    [
        "-qc -mP.10,5 -m map qrels.test results.trunc", "--query_eval_wanted --complete_rel_info_wanted --measure=P.5,10 --measure map qrels.test results.trunc",
        "qrels.test results.trunc -q -c -m map -m P.10,5 -m P.20", "--query --comp --meas map --meas P.5,10 -- qrels.test results.trunc",
        "-o -D 1 -T trec_results -R qrels -q -c -m map -m P.5,10 qrels.test results.trunc",
    ],
)  # fmt: skip
def test_options_may_be_grouped_long_shortened_and_anywhere(alike, capsys, monkeypatch):
    _, expected, _ = run("-q -c -m map -m P.5,10 qrels.test results.trunc", capsys, monkeypatch)
    assert run(alike, capsys, monkeypatch)[:2] == (0, expected)


# exit codes: field survey of trec_eval 9.0.8 and 10.0
@pytest.mark.parametrize(
    ("arguments", "version", "code", "words"),
    [
        ("", "10", 1, "usage"), ("-q qrels.test", "10", 1, "usage"), ("-x qrels.test results.test", "10", 1, "option -x"),
        ("-m nap qrels.test results.test", "10", 1, "illegal measure 'nap' Did you mean map?"),
        ("-m P. qrels.test results.test", "10", 1, "improper measure"), ("-m rbp qrels.test results.test", "9", 1, "illegal measure"),
        ("-m P.0 qrels.test results.test", "10", 2, "Negative cutoff"), ("-m P.5,5 qrels.test results.test", "10", 2, "duplicate cutoffs"),
        ("-m ndcg.1 qrels.test results.test", "10", 2, "malformed pair"), ("-m utility.1,2 qrels.test results.test", "10", 2, "number of coefficients"),
        ("qrels.test nowhere", "10", 2, "Quit in file 'nowhere'"), ("nowhere results.test", "10", 2, "nowhere"),
        ("-R nothing qrels.test results.test", "10", 2, "Illegal rel_format"), ("-T nothing qrels.test results.test", "10", 2, "Illegal retrieval"),
        ("-m map -R prefs prefs.test prefs.results.test", "10", 4, "'map' from -R prefs"), ("-m prefs_simp qrels.test results.test", "10", 4, "prefs_simp"),
        ("qrels.test results.trunc", "10", 4, "result qid '302' not found"), ("qrels.test prefs.results.test", "9", 7, "no query of the run"),
        ("qrels.test prefs.results.test", "10", 4, "no query of the run"), ("qrels.test zscores_file", "10", 2, "zscores_file:1"),
        ("-Z qrels.test qrels.test results.test", "10", 2, "z-scores"), ("-M -1 qrels.test results.test", "10", 1, "-M must be at least 0"),
        ("-D 1.nobody qrels.test results.test", "10", 7, "no judgements of topic"), ("--version-of 8 qrels.test results.test", "10", 1, "9.0.8"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_its_exit_code(arguments, version, code, words, capsys, monkeypatch):
    found = run(arguments, capsys, monkeypatch, version)
    assert found[0] == code, found
    assert words in found[2]
    assert "Traceback" not in found[2]


# 0.0000 is what trec_eval 9.0.8 and 10.0 print, and pytrec_eval gives; a list is cut before its first document
@pytest.mark.parametrize("version", ["9", "10"])
def test_a_multiple_of_r_of_nothing_is_0(version, capsys, monkeypatch):
    code, out, _ = run("-q -m Rprec_mult.0,-0.5,1 qrels.test results.test", capsys, monkeypatch, version)
    rows = [line.split() for line in out.splitlines()]
    assert code == 0
    assert {row[0] for row in rows} == {"Rprec_mult_-0.50", "Rprec_mult_0.00", "Rprec_mult_1.00"}
    assert {row[2] for row in rows if row[0] != "Rprec_mult_1.00"} == {"0.0000"}
    assert [row[2] for row in rows if row[0] == "Rprec_mult_1.00"] == [
        line.split()[2]
        for line in run("-q -m Rprec qrels.test results.test", capsys, monkeypatch, version)[1].splitlines()
    ]
    code, out, _ = run(
        "-m Rprec_mult_avgjg.0,1 -R qrels_jg qrels.test results.test", capsys, monkeypatch, version
    )
    assert code == 0
    assert "Rprec_mult_avgjg_0.00 \tall\t0.0000\n" in out
    assert run("-h -m Rprec_mult.0,1", capsys, monkeypatch, version)[1].count("Rprec_mult_0.00 is 0") == 1
    assert "ends before the first document" in run("-h -m Rprec_mult.0", capsys, monkeypatch, version)[1]


# the program reads both files before it looks at the measures: a file that it cannot read is exit code 2
@pytest.mark.parametrize("form", ["qrels_jg", "qrels_prefs", "prefs"])
def test_malformed_judgements_come_before_a_measure_that_they_have_not(form, tmp_path, capsys):
    lists, sound = "1 Q0 a 1 2 t\n", "1 g s a 2\n1 g s b 1\n" if form == "prefs" else "1 g a 1\n1 g b 0\n"
    for judged, code, words in (("1 g a\n", 2, "Quit in file"), (sound, 4, f"'map' from -R {form}")):
        files = write(tmp_path, judged, lists)
        assert main(["-R", form, "-m", "map", *files]) == code
        assert words in capsys.readouterr().err
    assert main(["-R", form, "-m", "map", write(tmp_path, sound, lists)[0], str(tmp_path / "nowhere")]) == 2


def test_levels_of_0_and_above_stand_among_the_differences(tmp_path, capsys):
    judged = "1 g s a 2\n1 g s b 1\n2 g s a 0\n2 g s b 1\n2 g t a 1\n2 g t c 2\n"
    files = write(tmp_path, judged, "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n")
    assert main(["-q", "-R", "prefs", "-m", "prefs_simp", *files]) == 4
    assert capsys.readouterr().out == ""
    assert main(["--differences"]) == 0
    assert "a document of level 0 in one sub-group of preferences" in capsys.readouterr().out


def test_the_manual_tells_what_each_measure_is(capsys):
    for nickname in [*measures.NICKNAMES, *measures.MEASURES]:
        assert main(["-h", "-m", nickname]) == 0
        printed = capsys.readouterr().out
        for name in measures.NICKNAMES.get(nickname, (nickname,)):
            assert f"\n{name}\n  " in f"\n{printed}", (nickname, name)
        assert "``" not in printed
        assert "(no description)" not in printed
        assert printed.count("  parameters  ") == len(measures.NICKNAMES.get(nickname, (nickname,)))
    assert main(["-h", "-m", "map", "-m", "P.3,7", "-l2"]) == 0
    printed = capsys.readouterr().out
    for words in (
        "map is ap(rel=2)",
        "with        denom=R",
        "P_3 is p(rel=2)@3, P_7 is p(rel=2)@7",
        "formula     P@k",
    ):
        assert words in printed, words
    assert printed.index("map is") < printed.index("P_3 is")
    assert main(["-h", "-m", "nap"]) == 1
    assert main(["--version-of", "9", "-h", "-m", "rbp"]) == 1
    assert "Did you mean map?" in capsys.readouterr().err
    assert main(["-h"]) == 0
    assert "with -m the manual of the measures" in capsys.readouterr().out


def test_the_manual_names_metrics_that_rankwell_has(capsys):
    main(["-h", "-m", "all_trec", "-m", "dcg", "-m", "ideal_dcg", "-m", "yaap"])
    named = re.findall(r" is (\S+?),?\s", re.sub(r"\n {14}", " ", "".join(
        part for part in re.findall(r"  metric((?:.|\n {14})*)", capsys.readouterr().out)
    ) + "\n"))  # fmt: skip
    assert len(named) > 90
    for text in named:
        assert str(rw.metrics.metric_of(text)) == text


PARAMETERS = [
    "",
    ".5",
    ".5,10",
    ".0.3",
    ".1=2",
    ".p=0.5",
    ".1,-1,0,0",
    ".0",
    ".x",
    ".-3",
    ".1e400",
    ".1=nan",
    ".5,5",
    "..25,.5",
]
OPTIONS = [
    "-q",
    "-c",
    "-n",
    "-J",
    "-l 2",
    "-l 0",
    "-l -1",
    "-M 3",
    "-N 100",
    "-D 1",
    "-D 1.1",
    "-D 1.9",
    "-o",
]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.randoms(use_true_random=False))
def test_any_options_give_numbers_or_a_message(tmp_path_factory, rng: random.Random):
    folder = tmp_path_factory.getbasetemp()
    files = write(folder, QRELS, LISTS)
    names = [*measures.MEASURES, *measures.NICKNAMES]
    wanted = [f"-m{rng.choice(names)}{rng.choice(PARAMETERS)}" for _ in range(rng.randint(0, 3))]
    chosen = [part for option in rng.sample(OPTIONS, rng.randint(0, 4)) for part in option.split()]
    arguments = ["--version-of", rng.choice(["9", "10"]), *wanted, *chosen, *files]
    done_out, done_err, code = in_memory(arguments)
    assert code in (0, 1, 2, 4, 7), (arguments, done_err)
    assert "nan" not in done_out, arguments
    assert (code == 0) or done_err, arguments


def in_memory(arguments: list[str]) -> tuple[str, str, int]:
    import contextlib
    import io

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return out.getvalue(), err.getvalue(), code
