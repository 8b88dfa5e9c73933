"""Lines that are no TREC text: a blank in an id never moves another number into the place of the score or the grade."""

from __future__ import annotations

import gzip
import io
import itertools
import re
from contextlib import redirect_stderr, redirect_stdout

import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.cli import run
from rankwell.readers.read import open_qrels

QRELS = "1 0 alpha 1\n1 0 beta 0\n1 0 gamma 0\n"
RUN = "1 Q0 alpha report 1 9 t\n1 Q0 beta report 2 5 t\n1 Q0 gamma report 3 1 t\n"
NO_TAG = RUN.replace(" t\n", "\n")
BLANKS = "Ids cannot hold blanks in TREC text; use a table"


def file(tmp_path, text, name="a.run"):
    path = tmp_path / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def command(*words):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as error:
        code = run([*map(str, words)])
    return code, out.getvalue(), error.getvalue()


def judged(tmp_path, grades):
    """A file of judgements."""
    lines = [f"{query} 0 {item} {grade}\n" for query, own in grades.items() for item, grade in own.items()]
    return file(tmp_path, "".join(lines), "judged.txt")


# each way in which a run is read, by what it does with the file
WAYS = {
    "evaluate": lambda run, qrels, **how: rw.evaluate(rw.read_run(run, **how), qrels, "rr")["rr"],
    "opened": lambda run, qrels, **how: rw.evaluate(run, qrels, "rr", read=how or None)["rr"],
    "stream": lambda run, qrels, **how: rw.evaluate(run, qrels, "rr", engine=rw.Stream(), read=how or None)[
        "rr"
    ],
    "compare": lambda run, qrels, **how: rw.compare(
        {"a": run, "b": {"1": ["x"]}}, qrels, "rr", read=how or None
    ).results["a"]["rr"],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["a.run", "a.txt.gz"])
@pytest.mark.parametrize("behind", ["", "# " + "behind a line of so many bytes " * 9 + "\n"])
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (RUN, r":1: 7 columns, expected 6 \('1 Q0 alpha report 1 9 t'\)"),
        ("1 Q0 alpha 1 9 t\n" + RUN, r":2: 7 columns, expected 6"),
        (NO_TAG, r":1: the rank 'report' is not a number"),
        ("1 Q0 alpha 1 9 t\n1 Q0 beta report 2 5\n", r":2: the rank 'report' is not a number"),
        ("1 Q0 Annual Bank of Things 1 2 t\n", r":1: 9 columns, expected 6"),
        ("1 Q0 alpha 2nd 1 9 t\n", r":1: 7 columns, expected 6"),
        ("1 Q0 alpha 2nd 1 9\n", r":1: the rank '2nd' is not a number"),
        (RUN.replace(" ", "\t").replace("\treport", " report"), r":1: 7 columns, expected 6"),
    ],
)
def test_a_blank_in_an_id_of_a_run_is_an_error(tmp_path, way, name, behind, text, cause):
    path = file(tmp_path, text + behind, name)
    with pytest.raises(rw.RankwellError, match=re.escape(str(path)) + cause) as error:
        WAYS[way](path, {"1": {"alpha": 1}})
    assert BLANKS in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "1 0 alpha report 1\n1 0 beta report 0\n",
        "1 0 alpha 1\n1 0 beta report 0\n",
        "1 0 alpha report\t1\n",
        "1 0 2024 report 1\n",
    ],
)
@pytest.mark.parametrize("how", [{}, {"format_in": "trec"}])
def test_a_blank_in_an_id_of_judgements_is_an_error(tmp_path, text, how):
    path = file(tmp_path, text, "q.txt")
    line = next(n for n, each in enumerate(text.splitlines(), 1) if len(each.split()) > 4)
    for read in (rw.read_qrels, lambda *args, **how: list(open_qrels(*args, **how).read())):
        with pytest.raises(rw.RankwellError, match=rf"q\.txt:{line}: 5 columns, expected exactly 4") as error:
            read(path, **how)
        assert BLANKS in str(error.value)


def test_preferences_that_look_like_judgements_are_read_by_the_name_that_the_error_gives(tmp_path):
    path = file(tmp_path, "q 0 one a-1 1\nq 0 one a-2 0\n", "judged")
    with pytest.raises(rw.RankwellError, match=r"preferences .* end in \.prefs"):
        rw.read_qrels(path)
    renamed = path.rename(tmp_path / "judged.prefs")
    assert rw.read_qrels(renamed).item.tolist() == ["a-1", "a-2"]


def test_lint_names_each_line_and_exits_with_1(tmp_path):
    code, out, _ = command("lint", file(tmp_path, QRELS, "q.txt"), file(tmp_path, RUN))
    assert code == 1
    for line in (1, 2, 3):
        assert f"a.run:{line}" in out
    assert "7 columns, expected 6" in out


VERBS = [
    ("evaluate", "QRELS", "RUN", "-m", "rr"),
    ("compare", "QRELS", "RUN", "GOOD", "-m", "rr"),
    ("diff", "QRELS", "RUN", "GOOD", "-m", "rr"),
    ("fuse", "RUN", "GOOD", "-o", "FUSED"),
    ("gate", "QRELS", "RUN", "--baseline", "GOOD", "-m", "rr"),
    ("report", "QRELS", "RUN", "GOOD", "-m", "rr", "-o", "OUT"),
    ("agreement", "QRELS", "RUN", "GOOD", "-m", "rr,p@1"),
    ("judging", "next", "QRELS", "RUN", "GOOD", "--budget", "1"),
]


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_every_command_refuses_a_blank_in_an_id(tmp_path, words):
    paths = {
        "QRELS": file(tmp_path, QRELS, "q.txt"),
        "RUN": file(tmp_path, RUN, "bad.run"),
        "GOOD": file(tmp_path, "1 Q0 alpha 1 9 t\n", "good.run"),
        "OUT": tmp_path / "out.html",
        "FUSED": tmp_path / "fused.run",
    }
    code, out, error = command(*(paths.get(word, word) for word in words))
    assert (code, out) == (3, "")
    assert "bad.run:1: 7 columns, expected 6" in error
    assert error.count("\n") == 1
    assert not paths["OUT"].exists()
    assert not paths["FUSED"].exists()


@pytest.mark.parametrize("way", ["evaluate", "opened", "stream"])
def test_a_tag_may_hold_blanks_where_the_format_was_given(tmp_path, way):
    path = file(tmp_path, "1 Q0 beta 1 9 my own tag\n1 Q0 alpha 2 5 my own\n")
    qrels = judged(tmp_path, {"1": {"alpha": 1}})
    with pytest.raises(rw.RankwellError, match="say format_in='trec'"):
        WAYS[way](path, qrels)
    assert WAYS[way](path, qrels, format_in="trec") == 0.5
    with pytest.raises(rw.RankwellError, match=r":1: 7 columns, expected 6"):
        WAYS[way](file(tmp_path, RUN), qrels, format_in="trec")
    with pytest.raises(rw.RankwellError, match=r":1: 7 columns, expected 6"):  # ranks are no numbers
        WAYS[way](file(tmp_path, "1 Q0 a - 9 my tag\n1 Q0 b - 8 my tag\n"), qrels, format_in="trec")


def test_the_remedies_of_the_error_work_when_pasted(tmp_path):
    qrels = file(tmp_path, "1 0 alpha 1\n", "q.txt")
    code, _, error = command("evaluate", qrels, run := file(tmp_path, "1 Q0 alpha 1 9 my tag\n"), "-m", "rr")
    assert code == 3
    remedy = re.search(r"say (--format-in trec)\.", error)[1]
    code, out, _ = command("evaluate", qrels, run, "-m", "rr", *remedy.split())
    assert code == 0
    assert "1.0000" in out
    tabs = file(tmp_path, RUN.replace(" ", "\t").replace("\treport", " report"))
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(tabs, {"1": {"alpha report": 1}}, "rr")
    remedy = re.search(r"say (format_in=.*}+)\. A line", str(error.value))[1]
    read = eval(f"rw.read_run(tabs, {remedy})", {"rw": rw, "tabs": tabs})
    assert rw.evaluate(read, {"1": {"alpha report": 1}}, "rr").mean == {"rr": 1.0}


@pytest.mark.parametrize(
    "rank", ["-", "*", "NA", "rank", "0", "007", "1.0", "-1", "+3", "1e3", "123456789012"]
)
@pytest.mark.parametrize("n", [1, 3, 4000])
@pytest.mark.parametrize("how", [{}, {"format_in": "trec"}])
def test_the_same_word_or_any_number_may_stand_in_place_of_ranks(tmp_path, rank, n, how):
    path = file(tmp_path, "".join(f"{q} Q0 d{i} {rank} {10 - i} t\n" for q in range(n) for i in range(3)))
    qrels = judged(tmp_path, {str(q): {"d1": 1} for q in range(n)})
    for way in ("evaluate", "opened", "stream"):
        assert WAYS[way](path, qrels, **how) == 0.5


@pytest.mark.parametrize(("first", "other"), list(itertools.permutations(["-", "*", "1"], 2)))
@pytest.mark.parametrize("n", [0, 4000])
def test_a_word_in_place_of_a_rank_is_the_same_in_every_line(tmp_path, first, other, n):
    lines = [f"{i} Q0 d {first} 1 t\n" for i in range(n + 1)]
    path = file(tmp_path, "# comment\n\n" + "".join(lines) + f"x Q0 d {other} 1 t\n")
    for way in ("evaluate", "opened", "stream"):
        with pytest.raises(rw.RankwellError, match=rf"a\.run:{n + 4}: the rank "):
            WAYS[way](path, {"x": {"d": 1}})


def test_a_word_with_letters_is_no_rank_where_the_tag_is_a_number(tmp_path):
    text = "1 Q0 a {} 2.5 {}\n1 Q0 b {} 1.5 {}\n"
    qrels = {"1": {"b": 1}}
    for rank, tag in (("-", "1"), ("none", "t1"), ("none", "t")):
        assert WAYS["opened"](file(tmp_path, text.format(rank, tag, rank, tag)), qrels) == 0.5
    with pytest.raises(rw.RankwellError, match="the rank 'none' is not a number"):
        WAYS["opened"](file(tmp_path, text.format("none", "1", "none", "1")), qrels)


def test_scattered_queries_are_read_by_the_same_rule(tmp_path):
    lines = [f"{q} Q0 d{q}-{i} {i} {9 - i} t\n" for i in range(4) for q in range(50)]
    bad = [*lines, "7 Q0 alpha report 1 9 t\n"]
    for way in ("evaluate", "opened", "stream"):
        assert WAYS[way](file(tmp_path, "".join(lines)), {"7": {"d7-1": 1}}) == 0.5
        with pytest.raises(rw.RankwellError, match=r"a\.run:201: 7 columns"):
            WAYS[way](file(tmp_path, "".join(bad)), {"7": {"d7-1": 1}})


def test_words_behind_the_tag_of_a_real_run_need_the_format(tmp_path):
    run, qrels = evidence("trec_eval/results.trunc"), evidence("trec_eval/qrels.test")
    with pytest.raises(rw.RankwellError, match=r"results\.trunc:\d+: 9 columns, .*say format_in='trec'"):
        rw.evaluate(run, qrels, "ap", grades="judgements")
    given = rw.evaluate(rw.read_run(run, format_in="trec"), qrels, ["ap", "rr"], grades="judgements")
    cut = "".join("\t".join(line.split()[:6]) + "\n" for line in run.read_text().splitlines())
    same = rw.evaluate(file(tmp_path, cut), qrels, ["ap", "rr"], grades="judgements")
    assert given.mean == same.mean
    assert given["ap"] > 0


def test_trec_eval_reads_as_the_program_does(tmp_path):
    done = command("trec_eval", "-m", "recip_rank", file(tmp_path, QRELS, "q.txt"), file(tmp_path, RUN))
    assert done == (0, "recip_rank            \tall\t0.3333\n", "")
