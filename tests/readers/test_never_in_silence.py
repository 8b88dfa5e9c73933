"""What could be chosen, rounded or joined in silence is refused: large whole numbers, two columns of one meaning, repeated keys."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from tests.readers import ways

import rankwell as rw
from rankwell.errors import DataError
from rankwell.readers.items_users import read_queries

BIG = 2**53
QRELS = {"1": {"a": 1}, "2": {"c": 1}}
TIED = [("1", "a", BIG), ("1", "b", BIG + 1), ("2", "a", 5), ("2", "c", 4)]
EXACT = [("1", "a", BIG), ("1", "b", BIG + 2), ("2", "a", 5), ("2", "c", 4)]
MIXED = [*TIED[:3], ("2", "c", 0.5)]
WAYS = [name for name in ways.FILES if name != "headerless.csv"]


def read_headerless(name):
    return {"columns": {"1": "query", "2": "item", "3": "score"}} if name == "headerless.csv" else {}


@pytest.mark.parametrize("name", ways.FILES)
@pytest.mark.parametrize("rows", [TIED, MIXED], ids=["integers", "mixed"])
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_whole_number_that_no_float_holds_is_refused_in_every_file(tmp_path, name, rows, kind):
    if rows is MIXED and name.endswith((".parquet", ".arrow", ".arrows", "lines.jsonl", "records.json")):
        rows = TIED  # they are written from a frame, whose columns are of one type
    path = tmp_path / name
    path.write_bytes(ways.FILES[name](rows, kind))
    read = rw.read_run if kind == "run" else rw.read_qrels
    word = "score" if kind == "run" else "grade"
    with pytest.raises(
        DataError, match=rf"the {word} '?{BIG + 1}.* is too large to be kept exactly"
    ) as caught:
        len(read(path, **read_headerless(name)))
    if not name.endswith((".parquet", ".arrow", ".arrows", ".json")):
        assert re.search(
            rf"{name}:{2 + path.read_text().startswith('user') + path.read_text().startswith('query-id')}: ",
            str(caught.value),
        )
    path.write_bytes(ways.FILES[name](EXACT, "run"))
    run = rw.read_run(path, **read_headerless(name))
    assert rw.evaluate(run, QRELS, "rr").mean == {"rr": 0.5}


@pytest.mark.parametrize("end", ["jsonl", "json"])
def test_whole_numbers_among_fractions_are_kept_as_they_are_or_refused(tmp_path, end):
    for big in (BIG + 1, 10**25 + 1, BIG + 2):
        records = [{"query": "1", "item": "a", "score": big}, {"query": "1", "item": "b", "score": 0.5}]
        text = json.dumps(records) if end == "json" else "\n".join(map(json.dumps, records))
        (tmp_path / f"r.{end}").write_text(text)
        if big == BIG + 2:
            assert rw.evaluate(tmp_path / f"r.{end}", QRELS, "rr").counts
            return
        with pytest.raises(
            DataError, match=rf"r\.{end}(:1|, record 1): the score .* is too large to be kept exactly"
        ):
            rw.evaluate(tmp_path / f"r.{end}", QRELS, "rr")


@pytest.mark.parametrize("big", [BIG + 1, -BIG - 1, 2**63 - 1, 2**64 - 1], ids=str)
@pytest.mark.parametrize("use", ["score", "rank", "grade"])
def test_a_whole_number_that_no_float_holds_is_refused_in_memory(big, use):
    numbers = [abs(big) - 1 if big < 2**63 - 1 else 7, big]
    columns = {"query": ["1", "1"], "item": ["a", "b"], use: numbers}
    kind = rw.Qrels if use == "grade" else rw.Run
    read = rw.read_qrels if use == "grade" else rw.read_run
    array = np.array(numbers, np.uint64 if big > 2**63 else np.int64)
    makes = [
        lambda: kind(**columns),
        lambda: kind(**(columns | {use: array})),
        lambda: read(pl.DataFrame(columns | {use: array})),
        lambda: read([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]),
    ]
    if use != "rank":
        makes += [
            lambda: read({"1": dict(zip("ab", numbers, strict=True))}),
            lambda: read({"1": {"a": 0.5, "b": big}}),
        ]
        makes += [lambda: kind(**(columns | {use: [0.5, big]}))]
    for make in makes:
        with pytest.raises(DataError, match=f"the {use} {big} is too large to be kept exactly"):
            make()


def test_a_whole_number_that_no_float_holds_is_refused_in_matrices():
    large, labels, scores = (
        np.array([[BIG + 1, 2, 3]]),
        np.array([[False, True, True]]),
        np.array([[0.1, 0.2, 0.3]]),
    )
    for run, qrels, use in (
        (csr_array(large), labels, "score"),
        (scores, csr_array(large), "grade"),
        (scores, large - np.array([[0, 2, 3]]), "grade"),
    ):
        with pytest.raises(DataError, match=f"row 0.*: the {use} {BIG + 1} is too large to be kept exactly"):
            rw.evaluate(run, qrels, "ap")


@pytest.mark.parametrize("other", ["session id", "user_id", "user"])
def test_two_columns_of_one_meaning_are_refused_unless_one_is_named(tmp_path, other):
    frame = pl.DataFrame({"query": ["x", "y"], other: ["1", "2"], "item": ["a", "c"], "score": [2.0, 1.0]})
    frame.write_csv(tmp_path / "r.csv")
    frame.write_parquet(tmp_path / "r.parquet")
    frame.write_ndjson(tmp_path / "r.jsonl")
    (tmp_path / "r.json").write_text(frame.write_json())
    for source in (
        frame,
        frame.to_dicts(),
        *(tmp_path / f"r.{end}" for end in ("csv", "parquet", "jsonl", "json")),
    ):
        for read in (rw.read_run, rw.read_qrels):
            with pytest.raises(
                DataError, match=f"the columns 'query', '{other}' both mean query; .*columns="
            ):
                read(source)
        run = rw.read_run(source, columns={other: "query"})
        assert rw.evaluate(run, QRELS, "rr").mean == {"rr": 1.0}


LINES = [
    '{"query": "1", "item": "a", "score": 2}',
    '{"query": "1", "item": "b", "score": 1}',
    '{"query": "2", "item": "c", "score": 1}',
]


@pytest.mark.parametrize(
    "bad",
    [
        '{"query": "1", "item": "b", "score": 1, "score": 3}',
        '{"query": "1", "query": "2", "item": "b", "score": 1}',
        '{"query": "1", "item": "b", "score": 1, "\\u0069tem": "z"}',
        '{"it\\"em": 1, "item" : "b", "query": "1", "score": 1, "more": {"item": 1}, "item"\t: "b"}',
    ],
)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_key_that_stands_twice_in_a_line_is_refused(tmp_path, bad, packed):
    path = tmp_path / f"r.jsonl{packed}"
    text = "\n".join([*LINES * 20_000, bad, *LINES]).encode()
    path.write_bytes(ways.COMPRESSIONS[packed](text) if packed else text)
    with pytest.raises(DataError, match=r"r\.jsonl.*:60001: the key '\w+' stands twice\. Remove one"):
        rw.evaluate(path, QRELS, "rr")


def test_a_key_in_a_value_or_a_nested_object_is_no_repetition(tmp_path):
    record = {
        "item": "a",
        "query": "1",
        "score": 2,
        'a\\"b': '"item": ',
        "more": {"item": 1, "query": [{"score": 1}]},
        "é": "item",
    }
    (tmp_path / "r.jsonl").write_text(
        json.dumps({"query": "2", "item": "c", "score": 3}) + "\n\n" + json.dumps(record)
    )
    assert rw.evaluate(tmp_path / "r.jsonl", QRELS, "rr").mean == {"rr": 1.0}


@pytest.mark.parametrize(
    "text", ['{"1": {"a": 1}, "2": {"c": 1}, "1": {"b": 2}}', '{"1": ["a"], "2": ["c"], "1": ["b"]}']
)
def test_a_query_that_stands_twice_in_an_object_is_refused(tmp_path, text):
    (tmp_path / "r.json").write_text(text)
    for read in (rw.read_run, rw.read_qrels):
        with pytest.raises(DataError, match=r"r\.json, query '1': the key stands twice"):
            read(tmp_path / "r.json")


@pytest.mark.parametrize(
    "name", [name for name in WAYS if not name.endswith((".parquet", ".arrow", ".arrows"))]
)
def test_a_second_byte_order_mark_is_refused(tmp_path, name):
    mark, content = b"\xef\xbb\xbf", ways.FILES[name](EXACT, "run")
    for text in (mark + mark + content, mark + content + mark + content):
        (tmp_path / name).write_bytes(text)
        with pytest.raises(DataError, match=rf"{name}:\d+: (a second byte-order mark|not JSON)"):
            rw.evaluate(tmp_path / name, QRELS, "rr")


@pytest.mark.parametrize("word", ["query", "item", "score"])
@pytest.mark.parametrize("cell", [object(), np.zeros((2, 2, 2))])
def test_cells_that_are_python_objects_are_refused(word, cell):
    columns = {"query": [1, 2, 3], "item": [1, 2, 3], "score": [1.0, 2.0, 3.0]}
    columns[word] = [columns[word][0], cell, columns[word][2]]
    with pytest.raises(DataError, match=f"run, row [12]: .*{word}.*(ids must be|not a number)"):
        rw.evaluate(columns, {1: {1: 1}}, "ap")


ROWS = [("q1", "a", 9), ("q1", "b", 8), ("q2", "c", 7), ("q2", "d", 6)]


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("sign", ["\t", ",", ";"])
@pytest.mark.parametrize("read", [rw.read_run, rw.read_qrels])
def test_quotation_marks_of_a_text_that_hide_rows_are_refused(tmp_path, sign, read, end):
    titles = ['"The first', "plain", 'the third"', "plain"]
    number = "score" if read is rw.read_run else "grade"
    for place in (0, 1, 3):  # the place of the text among the columns
        header, *lines = [
            [*cells[:place], text, *cells[place:]]
            for cells, text in zip([("query", "item", number), *ROWS], ["title", *titles], strict=True)
        ]
        body = (end or "\n").join(sign.join(map(str, line)) for line in [header, *lines]) + end
        path = tmp_path / "t.csv"
        path.write_text(body, newline="")
        with pytest.raises(
            rw.RankwellError,
            match=r"t\.csv:2: a quotation mark opens here and closes in line 4, and hides rows",
        ):
            read(path)
        path.write_text(body.replace('"', ""), newline="")  # the remedy
        assert len(read(path)) == 4


def test_lists_in_rows_hidden_by_quotation_marks_are_refused(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('query\ttitle\titem\nq1\t"a\tx\nq1\tb"\ty\nq2\tc\tz\n')
    with pytest.raises(rw.RankwellError, match="hides rows"):
        rw.read_run(path)


@pytest.mark.parametrize("sign", ["\t", ",", ";"])
def test_quoted_text_of_several_lines_is_read(tmp_path, sign):
    texts = ["one\ntwo", "with, commas\nand, more", 'said "yes"\nand "no"', "\n\n", f"a{sign}b\nc", "x"]
    frame = pl.DataFrame({
        "query": ["q"] * 6, "item": list("abcdef"), "score": [6.0, 5.0, 4.0, 3.0, 2.0, 1.0], "text": texts,
    })  # fmt: skip
    for columns in (frame.columns, ["text", "query", "item", "score"], ["query", "text", "item"]):
        frame.select(columns).write_csv(tmp_path / "t.csv", separator=sign)
        assert rw.evaluate(str(tmp_path / "t.csv"), {"q": {"c": 1}}, "rr").mean == {"rr": 1 / 3}


def test_marks_in_texts_of_queries_without_a_header_are_text(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text('1\t"what is\n2\tthis"\n3\tx\n')
    assert read_queries(str(path)).texts("text") == ['"what is', 'this"', "x"]


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("column", ["query", "item"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_true_in_lines_of_json_is_no_id_as_it_is_none_in_json(tmp_path, value, column, at):
    """As text it is one."""
    for held, is_read in ((value, False), (str(value).lower(), True)):
        records = [{"query": "u", "item": item, "score": 1.0} for item in "abc"]
        records[at][column] = held
        path = tmp_path / "run.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
        if is_read:
            assert len(rw.read_run(path).rows.table().item) == 3
        else:
            with pytest.raises(
                rw.RankwellError, match=rf"run\.jsonl:{at + 1}: the {column} {value} is not an id"
            ):
                rw.read_run(path)
        path = tmp_path / "run.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        if not is_read:
            with pytest.raises(rw.RankwellError):
                rw.read_run(path)
