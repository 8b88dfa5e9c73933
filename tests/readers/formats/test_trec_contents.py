"""Lines of TREC text that hold other things than their columns say: logs with times, swapped ranks, ids with a #, tables, headers."""

from __future__ import annotations

import ast
import re

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command

LOG = "1\t5\t5\t978300760\n1\t7\t3\t978300761\n2\t7\t4\t978300762\n"
LISTS = {"1": ["3", "7", "5"], "2": ["7"]}
RUN = "1 Q0 3 1 9 t\n1 Q0 7 2 8 t\n1 Q0 5 3 7 t\n2 Q0 7 1 1 t\n"
COLUMNS = {"1": "query", "2": "item", "3": "grade", "4": "time"}
ENGINES = [None, rw.Stream()]


def file(tmp_path, text, name):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def refused(call):
    with pytest.raises(rw.RankwellError) as error:
        call()
    return str(error.value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text", [LOG, LOG.replace("\t", " "), LOG.replace("978300", "20231"), "# a log\n" + LOG]
)
@pytest.mark.parametrize("name", ["u.data", "train.rating", "u.qrels"])
@pytest.mark.parametrize("more", [{"rel": 4}, {"rel": 1}, {"grades": "interactions"}, {}])
def test_ratings_with_times_are_no_judgements(tmp_path, engine, text, name, more):
    run, log = file(tmp_path, RUN, "a.run"), file(tmp_path, text, name)
    error = refused(lambda: rw.evaluate(run, log, "rr", engine=engine, **more))
    assert f"{name}: the grades are times" in error
    given = ast.literal_eval(re.search(r"qrels_columns=(\{.*?\})", error)[1])
    right = rw.evaluate(run, log, "rr", engine=engine, qrels_columns=given, rel=4)["rr"]
    assert right == rw.evaluate(LISTS, {"1": {"5": 5, "7": 3}, "2": {"7": 4}}, "rr", rel=4)["rr"] == 2 / 3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_log_with_times_is_no_training_data_by_topic(tmp_path, engine):
    run, log = file(tmp_path, RUN, "a.run"), file(tmp_path, LOG, "u.data")
    error = refused(lambda: rw.evaluate(run, {"1": ["3"]}, "arp", train=log, engine=engine))
    assert "the grades are times" in error
    assert "CSV with the columns query,item,grade,time" in error


@pytest.mark.parametrize("text", [LOG, LOG.replace("\t", " ")])
def test_a_log_with_times_is_split_by_the_columns_that_the_error_gives(tmp_path, capsys, text):
    log, out = file(tmp_path, text, "u.data"), tmp_path / "out"
    words = ["prepare", "split", str(log), "--how", "last", "-o", str(out)]
    assert command(words) == 3
    said = re.search(r"--columns (\S+?)\.$", capsys.readouterr().err.strip())[1]
    assert command([*words, "--columns", said]) == 0
    assert sum(len(pl.read_csv(part)) for part in out.glob("t*.csv")) == LOG.count("\n")


def test_judgements_with_large_grades_are_judgements(tmp_path):
    text = "1 0 a 978300760\n1 0 b 978300761\n"
    assert len(rw.read_qrels(file(tmp_path, text, "q.txt")).item) == 2
    assert len(rw.read_qrels(file(tmp_path, LOG, "u.data"), format_in="trec").item) == 3
    mixed = "1 0 5 978300760\n1 0 6 1\n"
    assert len(rw.read_qrels(file(tmp_path, mixed, "q.txt")).item) == 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rank", ["0.2", "9.5", "1e-3", "-.5", "inf"])
@pytest.mark.parametrize("behind", ["", "# " + "behind a line of so many bytes " * 9 + "\n"])
@pytest.mark.parametrize("more", [{}, {"format_in": "trec", "qrels_format": "trec"}])
def test_a_rank_that_is_no_whole_number_is_an_error(tmp_path, engine, rank, behind, more):
    text = f"u Q0 b 2 1 t\nu Q0 a {rank} 2 t\n{behind}"
    qrels, run = file(tmp_path, "u 0 a 1\n", "q.txt"), file(tmp_path, text, "a.run")
    error = refused(lambda: rw.evaluate(run, qrels, "rr", engine=engine, **more))
    assert f"a.run:2: the rank '{rank}' is not a whole number" in error
    assert "columns={'1': 'query', '3': 'item', '4': 'score'}" in error


@pytest.mark.parametrize("rank", ["1.0", "1e3", "-1", "0", "12345678901", "9007199254740993", "+2."])
@pytest.mark.parametrize("behind", ["", "# " + "behind a line of so many bytes " * 9 + "\n"])
def test_a_rank_may_be_any_whole_number(tmp_path, rank, behind):
    text = f"u Q0 b {rank} 1 t\nu Q0 a {rank} 2 t\n{behind}"
    assert rw.evaluate(file(tmp_path, text, "a.run"), {"u": ["a"]}, "rr")["rr"] == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["a.run", "a"])
@pytest.mark.parametrize("rank", ["1", "-"])
@pytest.mark.parametrize("copies", [1, 4000])
def test_a_query_may_begin_with_a_number_sign(tmp_path, engine, name, rank, copies):
    lists = {f"#tag{at}": ["b", "a"] for at in range(copies)} | {"u": ["a", "b"]}
    rows = [
        f"{q} Q0 {d} {rank} {9 - at} t\n# a comment\n" for q, own in lists.items() for at, d in enumerate(own)
    ]
    run = file(tmp_path, "# depth = 100\n#run of a model\n" + "".join(rows), name)
    qrels = file(tmp_path, "#qid 0 docno rel\n" + "".join(f"{query} 0 a 1\n" for query in lists), "q.txt")
    result = rw.evaluate(run, qrels, "rr", engine=engine)
    assert result["rr"] == rw.evaluate(lists, {query: ["a"] for query in lists}, "rr")["rr"]
    assert result.per_query["query"].to_list() == sorted(lists)


@pytest.mark.parametrize(
    "line",
    [
        "#",
        "# 1",
        "#1",
        "#depth = 1000",
        "# Q0 a 1 2 t",
        "#qid iter docno rank sim run",
        "#made by the fast one today",
        "#a Q0 b 1 2 t u",
    ],
)
def test_other_lines_with_a_number_sign_are_comments(tmp_path, line):
    run = file(tmp_path, f"{line}\nu Q0 a 1 2 t\n  {line}\n", "a.run")
    assert rw.evaluate(run, {"u": ["a"]}, "rr").per_query["query"].to_list() == ["u"]
    assert rw.read_qrels(file(tmp_path, f"{line}\nu 0 a 1\n{line}\n", "q.txt")).query.tolist() == ["u"]


HEADERS = {
    "qid iter docno rank sim run_id": None,  # as a table, its ranks would decide
    "topic Q0 docno rank value tag": None,
    "user item score": {"user": "query", "item": "item", "score": "score"},
}


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_is_called_one(tmp_path, header):
    row = "u Q0 a 1 2 t" if len(header.split()) == 6 else "u a 2"
    run = file(tmp_path, f"{header}\n{row}\n", "a.run")
    error = refused(lambda: rw.evaluate(run, {"u": ["a"]}, "rr"))
    assert "The first line is a header. Remove it" in error
    if HEADERS[header] is None:
        assert error.endswith("Remove it: tail -n +2.")
        return
    given = ast.literal_eval(re.search(r"columns=(\{.*?\})", error)[1])
    assert given == HEADERS[header]
    assert rw.evaluate(run, {"u": ["a"]}, "rr", columns=given)["rr"] == 1


def test_one_line_of_fewer_fields_makes_no_table(tmp_path):
    error = refused(
        lambda: rw.evaluate(file(tmp_path, "1 Q0 a 1 2 t\n1 Q0 b 2\n", "a.run"), {"1": ["a"]}, "rr")
    )
    assert "a.run:2: 4 columns, expected 6" in error
    assert "columns=" not in error


TABLES = {
    "with a header": "user,item,score\n#tag,b,.1\n#tag,a,.9\nu,a,.5\n",
    "after a comment": "# by hand\n#user,item,score\nuser,item,score\nu,a,.5\n#tag,b,.1\n#tag,a,.9\n",
    "without a header": "#tag,b,.1\n#tag,a,.9\nu,a,.5\n",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_a_row_of_a_table_that_begins_with_a_number_sign_is_asked_about(tmp_path, engine, text, separator):
    qrels = {"#tag": ["a"], "u": ["a"]}
    words = ("query", "item", "score")
    names, numbers = (dict(zip(each, words, strict=True)) for each in (("user", "item", "score"), "123"))
    more = {"columns": names if "user,item,score\nu" in text or text.startswith("user") else numbers}
    run = file(tmp_path, text.replace(",", separator), "a.csv")
    error = refused(lambda: rw.evaluate(run, qrels, "rr", engine=engine, **more))
    assert re.search(
        r'a\.csv:\d: is .* a row or a comment\? A row: quote its id, "#tag"; a comment: begin it with "# "',
        error,
    )
    quoted = file(tmp_path, text.replace(",", separator).replace("#tag", '"#tag"'), "b.csv")
    assert rw.evaluate(quoted, qrels, "rr", engine=engine, **more)["rr"] == 1


def test_comments_of_a_table_are_comments(tmp_path):
    text = "# a, b, c\n#user,item,score\nuser,item,score\n# x,y,1\n#\nu,a,.5\n#end\n#a,b\nv,c#1,2\n"
    run = rw.read_run(file(tmp_path, text, "a.csv"))
    assert rw.evaluate(run, {"u": ["a"], "v": ["c#1"]}, "rr")["rr"] == 1


def test_a_query_of_preferences_may_begin_with_a_number_sign(tmp_path):
    text = "# a b c 1\n#query group sub item level\n#tag g 0 a 1\nu g 0 b 1\n#tag g 0 c 2\n#end\n"
    read = rw.read_qrels(file(tmp_path, text, "a.prefs"))
    assert read.query.tolist() == ["#tag", "u", "#tag"]
