"""rankwell trec_eval against NIST's own expected output, byte for byte."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.compat.trec_eval import LISTS, QRELS, run, write
from tests.evidence import evidence

from rankwell.compat.trec_eval import main

MEAS_PARAMS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 "
    "-m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 qrels.test results.test"
)
# the arguments of trec_eval's own tests (its Makefile, target quicktest)
BOTH = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aqcM": "-m all_trec -q -c -M100 qrels.test results.trunc",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "out.test.meas_params": MEAS_PARAMS,
}
CASES = [("10", name, arguments) for name, arguments in BOTH.items()]
CASES += [
    ("10", "out.test", "qrels.test.with-comments results.test"),
    ("10", "out.test.aqZ", "-q -m all_trec -Z zscores_file qrels.test results.test"),
    ("10", "out.test.prefs", "-m all_prefs -q -R prefs prefs.test prefs.results.test"),
    ("10", "out.test.prefs", "-m all_prefs -q -R prefs prefs.comment.test prefs.results.test"),
    ("10", "out.test.qrels_prefs", "-m all_prefs -q -R qrels_prefs qrels.test results.test"),
    ("10", "out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg qrels.123 results.test"),
    ("10", "out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg qrels.comments.123 results.test"),
]
# version 9's z-scores were made from a file that is not there
CASES += [("9", name, arguments) for name, arguments in BOTH.items()]


@pytest.mark.parametrize(("version", "name", "arguments"), CASES)
def test_the_output_is_that_of_nist_byte_for_byte(version, name, arguments, capsys, monkeypatch):
    code, out, _ = run(arguments, capsys, monkeypatch, version)
    folder = evidence("trec_eval") / ("v9.0.7" if version == "9" else "")
    assert code == 0
    assert out == (folder / name).read_text()


def test_version_10_stops_at_a_topic_that_the_run_lacks_and_9_leaves_it_out(capsys, monkeypatch):
    code, out, _ = run("-q -m map qrels.test results.trunc", capsys, monkeypatch)
    assert (code, out.count("\n")) == (4, 1)
    assert out.startswith("map                   \t301\t")
    code, out, _ = run("-q -m map -m num_q qrels.test results.trunc", capsys, monkeypatch, "9")
    assert (code, out.splitlines()[-2]) == (0, "num_q                 \tall\t2")


def values(out: str) -> dict[tuple[str, str], str]:
    return {
        (line.split("\t")[0].strip(), line.split("\t")[1]): line.split("\t")[2] for line in out.splitlines()
    }


SAID = {"relstring": "'-02.103'", "map": ".2905", "Rprec": ".25", "bpref": ".25", "recip_rank": ".3333", "iprec_at_recall_0.70": ".4286",
        "P_5": ".4", "recall_5": ".5", "infAP": ".3333", "binG": ".3294", "G": ".3272", "ndcg": ".4597", "ndcg_rel": ".3491",
        "Rndcg": ".1631", "ndcg_cut_5": ".2671", "map_cut_5": ".1833", "relative_P_5": ".5", "set_P": ".4286", "set_map": ".3214",
        "set_F": ".5455", "utility": "-1", "yaap": "-.5740", "Rprec_mult_1.20": ".4"}  # fmt: skip
ONLY_9 = {"iprec_at_recall_0.80": "0", "11pt_avg": ".3117"}
ONLY_10 = {
    "iprec_at_recall_0.80": ".4286",
    "11pt_avg": ".3506",
    "unj_5": ".4",
    "rbp": ".1290",
    "rbp_resid": ".6512",
}
ALL_9, ALL_10 = {"num_q": "3", "map": ".0968", "gm_map": ".0003"}, {"yaap": "-.4224"}


@pytest.mark.parametrize(("version", "said"), [("9", SAID | ONLY_9), ("10", SAID | ONLY_10)])
def test_a_small_case_of_everything(version, said, tmp_path, capsys):
    arguments = [
        "--version-of",
        version,
        "-q",
        "-c",
        "-m",
        "all_trec",
        "-m",
        "yaap",
        *write(tmp_path, QRELS, LISTS),
    ]
    assert main(arguments) == 0
    found = values(capsys.readouterr().out)
    for name, value in said.items():
        ours = found[name, "1"]
        assert (
            ours == value if value.startswith("'") else float(ours) == pytest.approx(float(value), abs=1e-9)
        ), name
    for name, value in (ALL_9 | (ALL_10 if version == "10" else {})).items():
        assert float(found[name, "all"]) == float(value), name
    assert found["num_rel", "all"] == "5"


def test_levels_and_judged_documents_only(tmp_path, capsys):
    files = write(tmp_path, QRELS, LISTS)
    for option, said in (("-l2", {"map": ".3095", "bpref": ".25", "infAP": ".3274", "ndcg": ".4597", "num_rel": "2"}),
                         ("-J", {"map": ".4417", "ndcg": ".5628", "bpref": ".25"})):  # fmt: skip
        assert main(["-q", "-c", option, "-m", "all_trec", *files]) == 0
        found = values(capsys.readouterr().out)
        for name, value in said.items():
            assert float(found[name, "1"]) == float(value), (option, name)


def test_standard_input_and_the_alias(tmp_path):
    files = write(tmp_path, QRELS, LISTS)
    for command in (
        [sys.executable, "-m", "rankwell", "trec_eval"],
        [sys.executable, "-c", "import sys; from rankwell.compat.trec_eval import main; sys.exit(main())"],
    ):
        done = subprocess.run(
            [*command, "-c", "-m", "map", files[0], "-"],
            input=LISTS,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "map                   \tall\t0.0968\n"), done.stderr


def test_values_that_the_program_gets_wrong_are_named(tmp_path, capsys):
    files = write(tmp_path, QRELS, LISTS)
    main(["-c", "-m", "rbp", "-m", "ndcg.1=0.2,2=0.9", "-m", "num_rel", "-l", "2", *files])
    printed = capsys.readouterr().err
    for words in ("gains less than 1 apart", "rbp of grades above 1", "num_rel of all topics"):
        assert words in printed
    assert printed.count("\n") == 2
    for quiet in (["-m", "map"], ["-m", "all_trec"]):  # rbp is noted only if it is asked for by its name
        main(["-c", *quiet, *files])
        assert capsys.readouterr().err == ""
    assert main(["--differences"]) == 0
    assert "rbp_resid" in capsys.readouterr().out


# by hand: of topic 1 judge a prefers x to y, which is fulfilled, judge b y to x, judge c saw nothing relevant
JUDGES = "1 a x 2\n1 a y 0.5\n1 b x 0\n1 b y 1\n1 c x 0\n1 c y 0\n"


def test_the_second_column_of_judgements_read_as_preferences_is_who_judged(tmp_path, capsys):
    files = write(tmp_path, JUDGES, "1 Q0 x 1 2 t\n1 Q0 y 2 1 t\n")
    assert main(["-q", "-m", "all_prefs", "-R", "qrels_prefs", *files]) == 0
    shown = capsys.readouterr()
    found = values(shown.out)
    expected = {
        "prefs_num_prefs_poss": "2",
        "prefs_simp": "0.5000",
        "prefs_pair": "0.5000",
        "prefs_avgjg": "0.3333",
    }
    # a has no nonrelevant document: two are added, each below two relevant ones: (1 + 4) / 5; b: 0 / 1; c: nothing
    expected |= {"prefs_avgjg_Rnonrel": "0.3333", "prefs_avgjg_Rnonrel_ret": "0.3333"}
    assert {name: found[name, "1"] for name in expected} == expected
    assert "prefs_avgjg_Rnonrel of a topic with a group without a relevant document" in shown.err


def test_one_group_of_judgements_is_no_other_than_all(tmp_path, capsys):
    files = write(tmp_path, QRELS, LISTS)
    assert main(["-c", "-m", "qrels_jg", "-R", "qrels_jg", *files]) == 0
    found = values(capsys.readouterr().out)
    assert main(["-c", "-m", "map", *files]) == 0
    assert found["map_avgjg", "all"] == values(capsys.readouterr().out)["map", "all"] == "0.0968"


def test_a_comment_at_the_end_and_two_in_a_row_are_skipped(tmp_path, capsys):
    files = write(tmp_path, "# one\n# two\n" + QRELS + "# end\n", "# one\n# two\n" + LISTS + "# end\n")
    assert main(["-c", "-m", "map", "-m", "runid", *files]) == 0
    assert capsys.readouterr().out == "runid                 \tall\tt\nmap                   \tall\t0.0968\n"


# the program reads a minimum and a maximum that it never set, so this is its intent, worked out by hand
@pytest.mark.parametrize(
    ("parameters", "gains"),
    [
        ("p=0.5,1=0.5,2=1,3=0.25", {0: 0, 1: 0.5, 2: 1, 3: 0.25}),  # within 0 to 1: as they are
        ("p=0.5,1=2,2=4,3=8", {0: 0, 1: 0.25, 2: 0.5, 3: 1}),  # by the highest
        ("p=0.5,0=-1,1=1,2=2,3=3", {0: 0, 1: 0.5, 2: 0.75, 3: 1}),  # by the lowest too
        ("p=0.5,1=0.5", {0: 0, 1: 0.5 / 3, 2: 2 / 3, 3: 1}),  # other grades gain themselves
        ("p=0.5,9=6", {0: 0, 1: 1 / 6, 2: 2 / 6, 3: 3 / 6}),  # a grade that nobody gave counts as the highest
    ],
)
def test_rbp_takes_gains_of_its_own(parameters, gains, tmp_path, capsys):
    # topic 1 is ranked x c a d b f g in QRELS; equal scores put c (0) before a (2); x and d are not judged
    grades = [None, 0, 2, None, 1, 0, 3]
    expected = sum(0.5 ** (r + 1) * gains[g] for r, g in enumerate(grades) if g is not None)
    assert main(["-q", "-c", "-m", f"rbp.{parameters}", *write(tmp_path, QRELS, LISTS)]) == 0
    out, printed = capsys.readouterr()
    assert values(out)[f"rbp_{parameters}", "1"] == f"{expected:.4f}"
    assert "rbp with gains" in printed
    assert "rbp of grades" not in printed


# version 10 changed the rounding of levels of recall, and added measures
def test_in_nist_s_output_9_and_10_have_all_else_in_common():
    for name in BOTH:
        nine, ten = (
            {
                tuple(line.split("\t")[:2]): line
                for line in (evidence("trec_eval") / folder / name).read_text().splitlines()
            }
            for folder in ("v9.0.7", "")
        )
        changed = {key[0].split("_")[0].strip() for key in nine if nine[key] != ten.get(key, nine[key])}
        assert changed <= {"iprec", "11pt"}, name
        assert {key[0].split("_")[0].strip() for key in ten.keys() - nine.keys() if key[1] == "all"} <= {
            "rbp",
            "unj",
        }, name
