"""What `rankwell trec_eval` prints to the last digit: means, topics missing from the run, odd options and odd files."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from tests.compat.trec_eval import LISTS, QRELS, write
from tests.definitions.collections_data import read_run_rows
from tests.evidence import evidence

from rankwell.compat import pytrec_eval as reading
from rankwell.compat.trec_eval import main

theirs = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
COUNTS = ("num_",)
SUMMED = [
    ("cranfield", "qrels.graded.txt"),
    ("trec-web-2012", "qrels.adhoc.txt"),
    ("trec-covid-round1", "qrels-rnd1.txt"),
]
NOT_COMPARED = ("gm_", "runid", "num_q", "relstring")


def printed(capsys, *arguments: str) -> dict[tuple[str, str], str]:
    assert main(list(arguments)) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    return {(name.strip(), topic): value for name, topic, value in lines}


def as_the_program_prints(values: dict[str, dict[str, float]]) -> dict[tuple[str, str], str]:
    """The program's own values of each topic, and their sums in the order of topics, added one by one as C does."""
    totals: dict[str, float] = {}
    found = {}
    for topic in sorted(values, key=str.encode):
        for name, value in values[topic].items():
            if name.startswith(NOT_COMPARED):
                continue
            totals[name] = totals.get(name, 0.0) + value
            found[name, topic] = str(int(value)) if name.startswith(COUNTS) else f"{value:6.4f}"
    for name, total in totals.items():
        is_count = name.startswith(COUNTS)
        found[name, "all"] = str(int(total)) if is_count else f"{total / len(values):6.4f}"
    return found


@pytest.mark.parametrize(("name", "judgements"), SUMMED)
def test_every_digit_of_real_runs_is_that_of_version_9(name, judgements, capsys):
    folder = evidence(name)
    with (folder / judgements).open(encoding="utf-8") as file:
        qrels = reading.parse_qrel(file)
    compared = 0
    for run in sorted(each for each in (folder / "runs").iterdir() if each.suffix != ".gz"):
        lists = {query: dict(rows) for query, rows in read_run_rows(run).items()}
        expected = as_the_program_prints(theirs.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(lists))
        options = ["--version-of", "9", "-q", "-m", "all_trec"]
        found = printed(capsys, *options, str(folder / judgements), str(run))
        wrong = {key: (value, found[key]) for key, value in expected.items() if found[key] != value}
        assert not wrong
        compared += len(expected)
    assert compared > 9_000


def test_means_that_end_in_a_half_are_rounded_as_the_program_rounds_its_sum(tmp_path, capsys):
    """Thirty-two topics: a mean of P@5 is a multiple of 1/160, whose fifth digit is often a 5."""
    differs = 0
    for seed in range(40):
        rng = random.Random(seed)
        run = {f"{q}": {f"d{d}": rng.random() for d in range(10)} for q in range(32)}
        qrels = {q: {f"d{d}": int(rng.random() < 0.4) for d in range(9)} | {"x": 1} for q in run}
        files = write(
            tmp_path,
            "".join(f"{q} 0 {d} {g}\n" for q, row in qrels.items() for d, g in row.items()),
            "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, row in run.items() for d, s in row.items()),
        )
        values = theirs.RelevanceEvaluator(qrels, {"P.5", "set_F", "infAP", "11pt_avg"}).evaluate(run)
        expected = as_the_program_prints(values)
        options = ("-mP.5", "-mset_F", "-minfAP", "-m11pt_avg")
        found = printed(capsys, "--version-of", "9", "-q", *options, *files)
        assert {key: found[key] for key in expected} == expected
        exact = sum(round(row["P_5"] * 5) for row in values.values()) / 160
        differs += f"{exact:6.4f}" != expected["P_5", "all"]
    assert differs > 2


def test_scores_are_floats_up_to_9_0_7_and_doubles_in_9_0_8(tmp_path, capsys):
    files = write(tmp_path, "1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n")
    for version, value in (("9", "0.5000"), ("9.0.7", "0.5000"), ("9.0.8", "1.0000"), ("10", "1.0000")):
        assert printed(capsys, "--version-of", version, "-mmap", *files) == {("map", "all"): value}
    # the levels of recall are those of 9
    seven = "".join(f"1 0 {d} 1\n" for d in "abcdefg")
    listed = "".join(f"1 Q0 {d} 1 {10 - at} t\n" for at, d in enumerate("abxcydzwev"))
    files = write(tmp_path, seven, listed)
    at = [printed(capsys, "--version-of", v, "-miprec_at_recall..6", *files) for v in ("9", "9.0.8", "10")]
    assert at[0] == at[1] != at[2]


# With -c, version 10 evaluates a list of one unjudged document for a topic that the run lacks, and then clears the lines that
# are called num_ret, utility, relstring, rbp_resid and unj; version 9 adds 0 for such a topic whatever the measure.
def test_a_topic_that_the_run_lacks_counts_as_in_each_version(tmp_path, capsys):
    files = write(tmp_path, "1 0 a 1\n2 0 a 1\n2 0 b 2\n", "1 Q0 a 1 1 t\n")
    wanted = [
        "-mutility.1,-1,-2,0",
        "-mrelstring.3",
        "-mnum_ret",
        "-myaap",
        "-mrbp_resid",
        "-munj.5",
        "-mmap",
    ]
    found = printed(capsys, "-q", "-c", *wanted, *files)
    assert (
        found["utility_1,-1,-2,0", "2"] == "-5.0000"
    )  # one document that is not relevant, two not retrieved
    assert found["utility_1,-1,-2,0", "all"] == "-2.0000"
    assert found["relstring_3", "2"] == "'-'"
    assert (found["num_ret", "2"], found["rbp_resid", "2"], found["unj_5", "2"]) == ("0", "0.0000", "0.0000")
    assert found["yaap", "all"] == "-0.2027"  # (ln 2 - ln 3) / 2
    plain = printed(capsys, "-q", "-c", "-mutility", "-mrelstring", *files)
    assert (plain["utility", "2"], plain["relstring", "2"]) == ("0.0000", "''")
    found = printed(
        capsys,
        "-q",
        "-c",
        "--version-of",
        "9",
        *(each for each in wanted if each[2:5] not in ("rbp", "unj")),
        *files,
    )
    assert not [topic for _, topic in found if topic == "2"]
    assert (found["utility_1,-1,-2,0", "all"], found["yaap", "all"]) == ("0.5000", "0.3466")  # ln 2 / 2


def test_with_c_num_rel_of_all_topics_counts_every_grade_above_0(tmp_path, capsys):
    files = write(tmp_path, QRELS, LISTS)
    for version in ("9", "10"):
        found = printed(
            capsys, "--version-of", version, "-q", "-c", "-l2", "-mnum_rel", "-mnum_rel_ret", *files
        )
        assert (found["num_rel", "1"], found["num_rel", "all"]) == ("2", "5")
        assert found["num_rel_ret", "all"] == "2"


def test_lists_that_j_or_m_0_empties_stay(tmp_path, capsys):
    files = write(tmp_path, "1 0 a 1\n2 0 b 1\n", "1 Q0 a 1 1 t\n2 Q0 x 1 1 t\n")
    for version in ("9", "10"):
        found = printed(capsys, "--version-of", version, "-q", "-J", "-mmap", "-mnum_q", "-mnum_ret", *files)
        assert (found["map", "2"], found["map", "all"], found["num_q", "all"]) == ("0.0000", "0.5000", "2")
        found = printed(capsys, "--version-of", version, "-q", "-M0", "-mmap", "-mnum_q", "-mnum_ret", *files)
        assert (found["num_ret", "1"], found["map", "all"], found["num_q", "all"]) == ("0", "0.0000", "2")


def test_one_topic_of_several_is_divided_by_all_with_c(tmp_path, capsys):
    files = write(tmp_path, "1 0 a 1\n2 0 b 1\n", "1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n")
    assert printed(capsys, "-D", "0.1", "-mmap", *files)["map", "all"] == "1.0000"
    found = printed(capsys, "-D", "0.1", "-c", "-mmap", "-mgm_map", "-mnum_q", *files)
    assert found == {
        ("num_q", "all"): "2",
        ("map", "all"): "0.5000",
        ("gm_map", "all"): "0.0032",
    }  # sqrt(1e-5)


# worked out from the way in which the program walks up the list: 4 relevant, found at ranks 1, 2 and 6
@pytest.mark.parametrize(
    ("levels", "terms"),
    [
        ("0.25,0.5,0.75", [1, 1, 0.5]),
        ("0.75,0.25,0.5", [1, 1, 1]),  # 0.75 is above 0.25, which was read before it: the highest precision
        ("0.75,0.5,0.25", [1, 1, 1]),
        ("0.25,0.75,1", [1, 0.5, 0]),
        ("1,0.25,0.75", [1, 1, 0.5]),
        ("0.75,0,1", [1, 1, 0]),  # 0 is never reached, nor is what is read after it
        ("0.75,0.75,1", [0.5, 0.5, 0]),
    ],
)
def test_levels_of_recall_out_of_order_are_read_from_the_last_to_the_first(levels, terms, tmp_path, capsys):
    files = write(
        tmp_path,
        "".join(f"1 0 {d} 1\n" for d in "abcd"),
        "".join(f"1 Q0 {d} 1 {10 - at} t\n" for at, d in enumerate("abxyzc")),
    )
    for version in ("9", "10"):
        found = printed(capsys, "--version-of", version, f"-m11pt_avg.{levels}", *files)
        assert found == {(f"11pt_avg_{levels}", "all"): f"{sum(terms) / len(terms):6.4f}"}


def test_out_of_order_levels_have_the_values_of_the_program(tmp_path, capsys):
    rng = random.Random(5)
    for _ in range(20):
        run = {f"{q}": {f"d{d}": rng.random() for d in rng.sample(range(30), 12)} for q in range(10)}
        qrels = {q: {f"d{d}": int(rng.random() < 0.4) for d in range(20)} for q in run}
        files = write(
            tmp_path,
            "".join(f"{q} 0 {d} {g}\n" for q, row in qrels.items() for d, g in row.items()),
            "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, row in run.items() for d, s in row.items()),
        )
        levels = ",".join(str(rng.choice([0, 0.1, 0.25, 0.5, 0.6, 0.75, 1])) for _ in range(4))
        # the binding gives no parameters to this measure, so they are compared with the walk above; sorted ones with it
        found = printed(capsys, "--version-of", "9", "-q", f"-m11pt_avg.{levels}", *files)
        for q, row in run.items():
            ranked = sorted(row, key=row.get, reverse=True)
            grades = [qrels[q].get(d, 0) for d in ranked]
            expected = walked(grades, sum(qrels[q].values()), [float(each) for each in levels.split(",")])
            assert found[f"11pt_avg_{levels}", q] == f"{expected:6.4f}", (q, levels)


def walked(grades: list[int], relevant: int, levels: list[float]) -> float:
    """From the end of the list up, and from the last level to the first, each level waits for its number of hits."""
    waiting = [int(level * relevant + 0.9) for level in levels]
    hits, total, best = sum(grades), 0.0, 0.0
    while waiting and waiting[-1] > hits:
        waiting.pop()
    for rank in range(len(grades), 0, -1):
        if not hits:
            break
        best = max(best, hits / rank)
        if grades[rank - 1]:
            while waiting and waiting[-1] == hits:
                total, _ = total + best, waiting.pop()
            hits -= 1
    return (total + best * len(waiting)) / len(levels)


def test_grades_are_read_as_c_reads_whole_numbers(tmp_path, capsys):
    files = write(tmp_path, "1 0 a 2x\n1 0 b x\n1 0 c 0.9\n1 0 d 1e3\n1 0 e +1\n", "".join(
        f"1 Q0 {d} 1 {9 - at} t\n" for at, d in enumerate("abcde")
    ))  # fmt: skip
    assert printed(capsys, "-q", "-mrelstring", *files)["relstring", "1"] == "'20011'"


@pytest.mark.parametrize(
    ("qrels", "lists", "options", "code", "words"),
    [
        (" \t\n1 0 a 1\n", "1 Q0 a 1 1 t\n", [], 2, "qrels:1: the line is blank"),
        ("1 0 a 1\n\n2 0 a 1\n", "1 Q0 a 1 1 t\n", [], 2, "qrels:2: the line is blank"),
        ("1 0 a 1\n \t\r\n", "1 Q0 a 1 1 t\n", [], 2, "qrels:2: the line is blank"),
        ("1 0 a 1\n", "\n1 Q0 a 1 1 t\n\n", [], 0, ""),
        ("1 0 a 1\n1 0 a 1\n", "1 Q0 a 1 1 t\n", ["-c"], 4, "twice"),
        ("1 0 a 1\n", "", ["-c"], 2, "empty"),
        ("1 0 a 1\n", "# nothing\n", ["-c"], 2, "holds no rows"),
        ("1 0 a 1\n", "2 Q0 a 1 1 t\n", ["-c"], 0, ""),
        ("1 0 a 1\n", "2 Q0 a 1 1 t\n", ["-c", "--version-of", "9"], 7, "no query of the run"),
        ("1 j s a 2\n1 j s b 1\n1 j t a 0\n", "1 Q0 a 1 1 t\n", ["-R", "prefs", "-m", "prefs"], 4, "0 and above 0"),
        ("1 j s a 2\n1 j s b 1\n1 j t b 2\n1 j t a 1\n", "1 Q0 a 1 1 t\n", ["-R", "prefs", "-m", "prefs"], 4, "contradict"),
        ("1 j s a 2\n1 j s b 1\n1 k s a 0\n", "1 Q0 a 1 1 t\n", ["-R", "prefs", "-m", "prefs"], 0, ""),
    ],
)  # fmt: skip
def test_odd_files_have_the_exit_code_of_the_program(qrels, lists, options, code, words, tmp_path, capsys):
    assert main([*options, *write(tmp_path, qrels, lists)]) == code
    shown = capsys.readouterr().err
    assert words in shown
    assert bool(shown) == bool(words)


def test_relstring_of_no_rank_is_empty(tmp_path, capsys):
    files = write(tmp_path, QRELS, LISTS)
    found = printed(capsys, "-q", "-c", "-mrelstring.0", *files)
    assert found == {("relstring_0", topic): "''" for topic in "123"}


@pytest.mark.parametrize(("command", "code"), [("trec_eval", 8), ("ndeval", 1)])
def test_output_that_nobody_takes_is_one_line(command, code, tmp_path):
    files = write(tmp_path, "1 1 a 1\n1 2 b 1\n", "1 Q0 a 1 1 t\n")
    arguments = [sys.executable, "-m", "rankwell", command, *files]
    with open("/dev/full", "w") as full:
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        code, f"{command}: stdout: cannot be written (No space left on device).\n",
    )  # fmt: skip
    closed = subprocess.run(
        " ".join(arguments) + " >&-", shell=True, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (
        code, f"{command}: stdout is closed, so nothing can be printed. Leave stdout open.\n",
    )  # fmt: skip
