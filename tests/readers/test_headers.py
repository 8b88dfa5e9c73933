"""Text tables with and without a header: no first row is lost, and what may be either is asked about."""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path

import pytest
from tests.every import every

import rankwell as rw
from rankwell.cli import run as command
from rankwell.readers.formats.delimited import has_header
from rankwell.readers.items_users import read_catalogue

QRELS = {"a": {"x": 1}, "b": {"z": 1}}


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def mean(run, qrels, **options):
    return rw.evaluate(run, qrels, ["rr"], **options).mean["rr"]


RUNS = {
    "scores": "a{0}x{0}9\na{0}y{0}5\nb{0}z{0}3\n",
    "no whole numbers": "a{0}x{0}.9\na{0}y{0}.5\nb{0}z{0}.3\n",
}


@every("sign", ["\t", ",", ";", "|"])
@every("what", RUNS)
def test_a_first_line_with_a_number_is_data(tmp_path, what, sign):
    path = write(tmp_path, "a.tsv" if sign == "\t" else "a.csv", RUNS[what].format(sign))
    with pytest.raises(
        rw.RankwellError, match=r"holds a number.*columns=\{'1': 'query', '2': 'item', '3': 'score'\}"
    ):
        mean(path, QRELS)
    columns = {"1": "query", "2": "item", "3": "score"}
    assert mean(path, QRELS, columns=columns) == 1.0
    # what an older message advised, by which the first row was lost
    with pytest.raises(rw.RankwellError, match="columns are named by numbers"):
        mean(path, QRELS, columns={"a": "query", "x": "item", "9": "score"})


@every("engine", ["memory", "stream"])
def test_runs_of_ms_marco_are_recognised(tmp_path, engine):
    path = write(tmp_path, "run.tsv", "a\ty\t1\na\tx\t2\nb\tz\t1\n")
    assert mean(path, QRELS, engine=engine) == 0.75
    assert len(rw.read_run(path)) == 3


HEADLESS = {
    "three columns": "a{0}x{0}1\na{0}y{0}0\nb{0}z{0}1\n",
    "four columns": "a{0}0{0}x{0}1\na{0}0{0}y{0}0\nb{0}0{0}z{0}1\n",
    "behind comments": "# by hand\n# two lines\na{0}0{0}x{0}1\na{0}0{0}y{0}0\nb{0}0{0}z{0}1\n",
    "ids that are numbers alone": "a{0}0{0}x{0}2\nb{0}0{0}z{0}1\na{0}0{0}7{0}0\n",
}


@every("engine", ["memory", "stream"])
@every("sign", ["\t", ","])
@every("what", HEADLESS)
def test_judgements_without_a_header_are_recognised(tmp_path, what, sign, engine):
    qrels = write(tmp_path, "q.tsv" if sign == "\t" else "q.csv", HEADLESS[what].format(sign))
    assert mean({"a": ["y", "x"], "b": ["z"]}, qrels, engine=engine) == 0.75


def test_repeated_values_in_a_first_line_are_no_repeated_columns(tmp_path):
    qrels = write(tmp_path, "q.tsv", "1\tbus_1\t1\n1\tbus_2\t0\n")
    assert mean({"1": ["bus_1", "bus_2"]}, qrels) == 1.0


def test_a_line_that_names_a_known_column_is_a_header_whatever_else_it_holds(tmp_path):
    run = write(tmp_path, "r.csv", "query,item,score,2024\na,x,9,1\nb,z,3,1\n")
    assert len(rw.read_run(run)) == 2
    items = write(tmp_path, "f.csv", "item,0,1,2\nx,.1,.2,.3\ny,.1,.2,.4\nz,1,0,0\n")
    assert read_catalogue(items).frame.columns == ["0", "1", "2"]


@every("kind", ["run", "qrels"])
def test_numbers_counted_up_are_asked_about(tmp_path, kind):
    path = write(tmp_path, "a.csv", "0,1,2\na,x,1\nb,z,1\n")
    read = rw.read_run if kind == "run" else rw.read_qrels
    with pytest.raises(rw.RankwellError, match="a header or data") as error:
        read(path)
    words = re.findall(r"columns=(\{[^}]*\})", str(error.value))
    as_header, as_data = (eval(each) for each in words)
    assert len(read(path, columns=as_header)) == 2
    assert len(read(path, columns=as_data)) == 3


def test_text_alone_is_a_header_and_the_message_says_what_to_type_if_it_is_none(tmp_path, capsys):
    path = write(tmp_path, "a.csv", "ann,Alien\nbob,Big\n")
    said = r"taken as a header; without one: columns=\{'1': 'query', '2': 'item'\}"
    with pytest.raises(rw.RankwellError, match=said):
        rw.read_run(path)
    assert len(rw.read_run(path, columns={"1": "query", "2": "item"})) == 2
    qrels = write(tmp_path, "q.txt", "ann 0 Alien 1\n")
    assert command(["evaluate", qrels, path, "-m", "rr"]) == 3
    found = re.search(r"without one: --columns (\S+)\.", capsys.readouterr().err)
    assert command(["evaluate", qrels, path, "-m", "rr", "--columns", found[1]]) == 0


WHITE = {
    "three fields": ("1 a 2.0\n1  b\t1.0\n", {"1": "query", "2": "item", "3": "score"}),
    "no tag": ("1 Q0 a 1 2.0\n1 Q0 b 2 1.0\n", {"1": "query", "3": "item", "5": "score"}),
    "a header": (
        "person film points\n1 a 2.0\n1 b 1.0\n",
        {"person": "query", "film": "item", "points": "score"},
    ),
}


@every("name", ["r.txt", "r.run", "r"])
@every("what", WHITE)
def test_tables_of_white_space_are_read_with_a_word(tmp_path, what, name):
    text, columns = WHITE[what]
    path = write(tmp_path, name, text)
    assert mean(path, {"1": {"b": 1}}, columns=columns) == 0.5
    qrels = write(tmp_path, "q.txt", "1 a 1\n1 b 0\n")
    of_qrels = {"1": "query", "2": "item", "3": "grade"}
    for engine in ("memory", "stream"):
        assert mean({"1": ["b", "a"]}, qrels, qrels_columns=of_qrels, engine=engine) == 0.5


def test_a_table_of_one_column_keeps_blanks_in_its_ids(tmp_path):
    path = write(tmp_path, "items.csv", "item\nAnnual Bank\nx\n")
    assert rw.evaluate({"a": ["Annual Bank"]}, metrics=["coverage@1"], items=path)["coverage@1"] == 0.5


def test_no_row_is_lost_whatever_the_first_line_holds(tmp_path):
    """Every first line of ids and a number: either all rows count or there is one error."""
    for first in ("q1,d1,5", "1,2,3", "u-1,i_9,-0.5", "1,7,1e3", "q,d,1", "a b,c d,2", "0,1,1", "x,y,0"):
        path = write(tmp_path, "t.csv", f"{first}\nq2,d2,4\n")
        for read in (rw.read_run, rw.read_qrels):
            with contextlib.suppress(rw.RankwellError):
                assert len(read(path)) == 2, first


def test_what_is_a_header():
    for line, expected in {
        "query,item,score": True, "a,b": True, "7,d3,1": False, "doc,7,8": True, ",item,score": True, "a,nan": True, "a,b,-1.5": False,
    }.items():  # fmt: skip
        assert has_header(line.split(","), "run", {}, "t.csv") is expected, line


def test_a_log_without_a_header_keeps_its_first_row(tmp_path):
    path = write(tmp_path, "log.csv", "ann,a,1\nann,b,2\nbob,a,1\nbob,b,2\n")
    with pytest.raises(
        rw.RankwellError, match=r"log.csv: there is no header.*\{'1': 'query', '2': 'item'\}"
    ) as error:
        rw.prepare.split(path, "last")
    assert "'ann': 'query'" not in str(error.value)
    columns = {"1": "query", "2": "item", "3": "time"}
    assert rw.prepare.split(path, "last", columns=columns).train.rows() == [
        ("ann", "a", 1),
        ("bob", "a", 1),
    ]


@every("again", ["user,item,time", '"User","Item","Time"'])
def test_a_header_that_stands_twice_in_a_log_or_a_catalogue_is_an_error(tmp_path, again):
    path = write(tmp_path, "log.csv", f"user,item,time\nann,a,1\n{again}\nbob,a,1\n")
    with pytest.raises(rw.RankwellError, match=r"log.csv:3: the header stands here again"):
        rw.prepare.core(path, min_per_user=1)
    path = write(tmp_path, "items.csv", "item,genre\na,x\nitem,genre\nb,y\n")
    with pytest.raises(rw.RankwellError, match=r"items.csv:3: the header stands here again"):
        read_catalogue(path)


def test_other_lines_above_the_header_of_a_log_are_named(tmp_path):
    with pytest.raises(rw.RankwellError, match=r"log.csv:2: the header stands here, below other lines"):
        rw.prepare.core(write(tmp_path, "log.csv", "Export\nuser,item\nann,a\n"), min_per_user=1)
    with pytest.raises(rw.RankwellError, match=r"tr '\^' "):
        rw.prepare.core(write(tmp_path, "log.csv", "user^item\nann^a\n"), min_per_user=1)


def test_users_whose_first_line_names_nothing_say_that_it_was_taken_as_a_header(tmp_path):
    users = write(tmp_path, "users.csv", "a,x\nb,y\n")
    with pytest.raises(rw.RankwellError, match="taken as a header; if there is none, write one"):
        rw.evaluate({"a": ["x"]}, QRELS, ["rr"], users=users, by="tier")


@every("name", ["r.csv", "r.tsv", "r.run"])
def test_whole_numbers_without_a_header_may_be_ranks(tmp_path, name):
    sign = "," if name == "r.csv" else "\t"
    lines = [("a", "y", "1"), ("a", "x", "2"), ("b", "z", "1"), ("c", "z", "2")]
    path = write(tmp_path, name, "".join(sign.join(line) + "\n" for line in lines))
    by_rank, by_score = ({"1": "query", "2": "item", "3": word} for word in ("rank", "score"))
    with pytest.raises(rw.RankwellError) as error:
        mean(path, QRELS)
    assert f"columns={by_score} where higher is better" in str(error.value)
    assert f"columns={by_rank}" in str(error.value)
    assert mean(path, QRELS, columns=by_rank) == 0.75
    assert mean(path, QRELS, columns=by_score) == 1.0


@every("engine", ["memory", "stream"])
def test_ranks_from_0_without_a_header_are_recognised_as_those_from_1(tmp_path, engine):
    path = write(tmp_path, "run.tsv", "a\ty\t0\na\tx\t1\nb\tz\t0\n")
    assert mean(path, QRELS, engine=engine) == 0.75


def test_the_remedy_for_a_header_above_a_trec_run_keeps_its_scores_in_force(tmp_path):
    rows = ["a Q0 y 1 1.5 t", "a Q0 x 2 2.5 t", "b Q0 z 1 1 t"]
    with pytest.raises(rw.RankwellError, match=r"The first line is a header. Remove it: tail -n \+2\.$"):
        mean(write(tmp_path, "r.run", "\n".join(["qid Q0 docid rank score tag", *rows, ""])), QRELS)
    assert mean(write(tmp_path, "r.run", "\n".join([*rows, ""])), QRELS) == 1.0


@every("name", ["p(a|b|c|d|e)", '"a;b;c;d;e"', '"w|x|y|z|query"'])
def test_other_signs_in_the_name_of_a_column_do_not_divide_the_table(tmp_path, name):
    path = write(tmp_path, "r.csv", f"user,item,score,{name}\na,y,5,1\na,x,9,2\nb,z,3,3\n")
    assert mean(path, QRELS) == 1.0


@every("sign", ["\t", ",", ";", "|"])
@every("end", [".csv", ".txt"])
def test_names_in_brackets_are_a_header_and_no_json(tmp_path, sign, end):
    rows = "[User Id],[item],[Score]\na,y,5\na,x,9\nb,z,3\n".replace(",", sign)
    assert mean(write(tmp_path, f"run{end}", rows), QRELS) == 1.0
    judged = "[user],[item],[rating]\na,y,0\na,x,1\nb,z,1\n".replace(",", sign)
    assert mean({"a": ["y", "x"], "b": ["z"]}, write(tmp_path, f"qrels{end}", judged)) == 0.75


def test_lists_of_json_are_no_names_in_brackets(tmp_path):
    for text in ("[[1,2],[3]]", "[ [1, 2], [3]]"):
        assert mean(write(tmp_path, "run.txt", text), {0: {2: 1}, 1: {3: 1}}) == 0.75
    for text in ("[true,false]", "[null]", "[NaN, 1]"):
        with pytest.raises(rw.RankwellError, match=r"expected \{item: score\} or"):
            mean(write(tmp_path, "run.json", text), QRELS)


def test_names_that_r_quotes_are_read_as_the_message_says(tmp_path):
    path = write(tmp_path, "run.txt", '"query" "item" "score"\n"a" "y" 5\n"a" "x" 9\n"b" "z" 3\n')
    with pytest.raises(
        rw.RankwellError, match=re.escape("say columns={'query': 'query', 'item': 'item', 'score': 'score'}")
    ):
        mean(path, QRELS)
    assert mean(path, QRELS, columns={"query": "query", "item": "item", "score": "score"}) == 1.0
    numbered = write(tmp_path, "run.csv", '"query","item","score"\n"1","a","y",5\n"2","a","x",9\n')
    with pytest.raises(rw.RankwellError, match=r"row\.names=FALSE"):
        mean(numbered, QRELS)


@pytest.mark.parametrize(
    "lines",
    [
        ["#query,item,score", "u,b,.1", "u,a,.9"], ["# query,item,score", "u,b,.1", "u,a,.9"],
        ['"query,item,score"', '"u,b,.1"', '"u,a,.9"'], ["made today", "query,item,score", "u,b,.1", "u,a,.9"],
    ],
)  # fmt: skip
def test_what_is_said_of_a_header_that_is_none_works_when_it_is_pasted(lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(rw.RankwellError, match="the header") as caught:
        rw.evaluate("r.csv", {"u": {"a": 1}}, ["rr"])
    subprocess.run(re.search(r"(tail|sed) .* > fixed\.csv", str(caught.value))[0], shell=True, check=True)
    assert rw.evaluate("fixed.csv", {"u": {"a": 1}}, ["rr"]).mean == {"rr": 1.0}


@pytest.mark.parametrize("second", ["String,String,Float64", "(id),(id),(0-1)", "user,item,mean"])
def test_a_second_line_of_the_header_is_called_so(second, tmp_path):
    """As ClickHouse writes types, some write units, and pandas how a column was made."""
    path = write(tmp_path, "r.csv", f"user,item,score\n{second}\na,x,1\na,y,2\n")
    with pytest.raises(
        rw.RankwellError, match=r"r\.csv:2: .* if it is a second line of the header, remove the line"
    ):
        mean(path, QRELS)
    path = write(tmp_path, "r.csv", "user,item,score\na,x,1\na,y,high\n")
    with pytest.raises(rw.RankwellError, match=r"r\.csv:3: the score 'high' is not a number\.$"):
        mean(path, QRELS)
