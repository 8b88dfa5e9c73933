"""Judgements of spans in tables: documents, starts and ends under any usual name, read when a metric needs them or they are named."""

from __future__ import annotations

import json

import polars as pl
import pytest
from tests.readers import kinds

import rankwell as rw
from rankwell.readers.items_users import read_catalogue

GOLD = {"query": ["q", "q", "p"], "document": ["a:b", "a:b", "c"], "start": [0, 5, 7], "end": [3, 9, 8]}
ITEMS = [("q", "a:b:0-3"), ("q", "a:b:5-9"), ("p", "c:7-8")]
CHUNKS = [
    {"item": "c1", "document": "a:b", "start": 0, "end": 4},
    {"item": "c2", "document": "c", "start": 0, "end": 7},
]
VALUES = {"p": 0.0, "q": 3 / 7}


def rows(qrels):
    return list(zip(qrels.query.tolist(), qrels.item.tolist(), strict=True))


def values(gold, **options):
    res = rw.evaluate({"q": ["c1"], "p": ["c2"]}, gold, "span_r", items=CHUNKS, **options)
    return dict(res.per_query.iter_rows())


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_of_table_holds_spans(tmp_path, kind):
    assert values(kinds.KINDS[kind](GOLD, tmp_path)) == pytest.approx(VALUES)
    assert values(kinds.KINDS[kind](GOLD | {"grade": [1, 0, 1]}, tmp_path))["q"] == 1


@pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson", "polars"])
def test_streams_read_spans_too(tmp_path, kind):
    assert values(kinds.KINDS[kind](GOLD, tmp_path), engine=rw.Stream(part_rows=1)) == pytest.approx(VALUES)


@pytest.mark.parametrize(
    "names",
    [
        ("doc_id", "start_index", "end_index"),
        ("corpus_id", "startIndex", "End_Index"),
        ("docno", "start_char", "end_char"),
    ],
)
def test_spans_have_the_names_that_tools_give_them(names):
    gold = dict(zip(["query", *names], GOLD.values(), strict=True))
    assert values(gold) == pytest.approx(VALUES)


def test_spans_are_read_without_a_metric_if_somebody_names_one_of_their_columns():
    table = pl.DataFrame(GOLD).rename({"start": "from", "end": "until"})
    qrels = rw.read_qrels(table, columns={"from": "start", "until": "end"})
    assert rows(qrels) == ITEMS
    assert values(qrels) == pytest.approx(VALUES)
    assert rows(rw.read_qrels(pl.DataFrame(GOLD), columns={"start": "start"})) == ITEMS
    assert values(table, qrels_columns={"from": "start", "until": "end"}) == pytest.approx(VALUES)


def test_without_a_metric_that_needs_them_a_document_is_the_item():
    qrels = rw.read_qrels(pl.DataFrame(GOLD).unique("document", maintain_order=True))
    assert rows(qrels) == [("q", "a:b"), ("p", "c")]
    assert [column.name for column in qrels.unread] == ["start", "end"]


def test_spans_in_a_table_without_a_header_are_named_by_numbers(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("q,a:b,0,3,2\nq,a:b,5,9,1\np,c,7,8,1\n")
    named = {"1": "query", "2": "document", "3": "start", "4": "end", "5": "grade"}
    qrels = rw.read_qrels(str(path), columns=named)
    assert (rows(qrels), qrels.grade.tolist()) == (ITEMS, [2, 1, 1])


def test_trec_judgements_can_be_of_spans(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{query} 0 {item} 1\n" for query, item in ITEMS))
    assert values(str(path)) == pytest.approx(VALUES)
    assert values(str(path), engine="stream") == pytest.approx(VALUES)


def test_items_that_read_as_spans_need_no_columns():
    gold = {"q": {"a:b:0-3": 1, "a:b:5-9": 1}, "p": ["c:7-8"]}
    assert values({query: dict.fromkeys(items, 1) for query, items in gold.items()}) == pytest.approx(VALUES)
    assert values([{"query": query, "item": item} for query, item in ITEMS]) == pytest.approx(VALUES)


def test_the_document_of_a_row_is_its_id_where_there_is_a_text_beside_it():
    gold = {
        "qid": GOLD["query"],
        "document": ["Some text"] * 3,
        "docid": GOLD["document"],
        "start": GOLD["start"],
        "end": GOLD["end"],
    }
    assert values(gold) == pytest.approx(VALUES)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"end": [3, 9, 7]}, "qrels, row 3: the end (7) must be above the start (7)"),
        ({"start": [0, 5, 7.5]}, "qrels, row 3: the start is 7.5; it must be a whole number"),
        ({"start": [0, None, 7]}, "qrels, row 2: the start is missing"),
        ({"document": ["a:b", None, "c"]}, "qrels, row 2: the document id is missing"),
        ({"document": None}, "there is no document; the columns are 'query', 'start', 'end'. Say which it is: qrels_columns={'its name': 'document'}"),
        ({"end": None, "end_inclusive": [1, 2, 3]}, "qrels_columns={'its name': 'end'}. An end is the character after the last one: add 1 to an end that is inclusive."),
        ({"end": None, "last": [1, 2, 3]}, "there is no end; the columns are 'query', 'document', 'start', 'last'. Say which it is: qrels_columns={'last': 'end'}"),
    ],
)  # fmt: skip
def test_a_row_that_is_no_span_is_refused_with_its_place(changed, said):
    gold = {name: column for name, column in (GOLD | changed).items() if column is not None}
    with pytest.raises(rw.RankwellError) as error:
        values(pl.DataFrame(gold, strict=False), qrels_columns={})
    assert said in str(error.value)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_span_in_a_file_is_refused_with_its_line(tmp_path, suffix):
    frame = pl.DataFrame(GOLD | {"end": [3, 9, 7]})
    path = tmp_path / f"gold.{suffix}"
    (frame.write_csv if suffix == "csv" else frame.write_ndjson)(path)
    line = 4 if suffix == "csv" else 3
    with pytest.raises(rw.RankwellError, match=rf"gold.{suffix}:{line}: the end \(7\) must be above"):
        values(str(path))


@pytest.mark.parametrize("item", ["item", "chunk_id", "passage_id", "id"])
def test_of_a_table_of_chunks_the_document_is_no_item(item):
    chunks = [
        {item: row["item"]} | {name: row[name] for name in ("document", "start", "end")} for row in CHUNKS
    ]
    found = read_catalogue(chunks, needs=frozenset({"spans"}))
    assert found.item.tolist() == ["c1", "c2"]
    assert found.spans().texts().to_list() == ["a:b:0-4", "c:0-7"]


def test_chunks_without_ids_are_called_by_their_spans(tmp_path):
    chunks = [{name: row[name] for name in ("document", "start", "end")} for row in CHUNKS]
    (tmp_path / "chunks.csv").write_text(pl.DataFrame(chunks).write_csv())
    for source in (chunks, str(tmp_path / "chunks.csv")):
        found = read_catalogue(source, needs=frozenset({"spans"}))
        assert found.item.tolist() == ["a:b:0-4", "c:0-7"]


def test_documents_that_are_numbers_are_their_decimal_text(tmp_path):
    gold = pl.DataFrame(GOLD | {"document": [7, 7, 8]})
    gold.write_csv(tmp_path / "gold.csv")
    assert rows(rw.read_qrels(gold, columns={"start": "start"})) == [
        ("q", "7:0-3"),
        ("q", "7:5-9"),
        ("p", "8:7-8"),
    ]
    chunks = [
        {"item": "c1", "document": 7, "start": 0, "end": 4},
        {"item": "c2", "document": 8, "start": 0, "end": 7},
    ]
    for source in (gold, str(tmp_path / "gold.csv")):
        res = rw.evaluate({"q": ["c1"], "p": ["c2"]}, source, "span_r", items=chunks)
        assert res.per_query["span_r"].to_list() == pytest.approx([0, 3 / 7])


# What Chroma's evaluation of chunkings has: questions with their references, and chunks without ids.

QUESTIONS = [
    {
        "question": "how deep",
        "references": [{"content": "x", "start_index": 1, "end_index": 4}],
        "corpus_id": "a.txt",
    },
    {
        "question": "how wide",
        "references": [
            {"content": "y", "start_index": 7, "end_index": 9},
            {"content": "z", "start_index": 0, "end_index": 2},
        ],
        "corpus_id": "b.txt",
    },
]
REFERENCES = [("how deep", "a.txt:1-4"), ("how wide", "b.txt:7-9"), ("how wide", "b.txt:0-2")]


def questions(path, rows=QUESTIONS):
    texts = [row | {"references": json.dumps(row["references"])} for row in rows]
    pl.DataFrame(texts).write_csv(path)
    return str(path)


@pytest.mark.parametrize("kind", ["csv", "pandas", "pandas texts", "polars", "records"])
def test_questions_with_references_are_judgements_of_spans(tmp_path, kind):
    path = questions(tmp_path / "questions.csv")
    made = {
        "csv": lambda: path,
        "pandas": lambda: pl.DataFrame(QUESTIONS).to_pandas(),
        "pandas texts": lambda: pl.read_csv(path).to_pandas(),
        "polars": lambda: pl.DataFrame(QUESTIONS),
        "records": lambda: QUESTIONS,
    }
    gold = made[kind]()
    assert rows(rw.read_qrels(gold)) == REFERENCES
    chunks = [
        {"corpus_id": "a.txt", "start_index": 0, "end_index": 3},
        {"corpus_id": "b.txt", "start_index": 0, "end_index": 9},
    ]
    run = {"how deep": ["a.txt:0-3"], "how wide": ["b.txt:0-9"]}
    for engine in (None, "stream"):
        res = rw.evaluate(run, gold, ["span_r", "span_p"], items=chunks, engine=engine)
        assert res.mean == pytest.approx({"span_r": (2 / 3 + 1) / 2, "span_p": (2 / 3 + 4 / 9) / 2})


@pytest.mark.parametrize(
    ("references", "said"),
    [
        ('[{""start_index"": 5, ""end_index"": 2}]', "the end (2) must be above the start (5)"),
        ('[{""start_index"": 5}]', "are no list of objects with start_index and end_index"),
        ("nothing", "the references 'nothing' are no list of objects"),
    ],
)
def test_a_question_with_other_references_is_refused_with_its_line(tmp_path, references, said):
    good = '[{""start_index"": 5, ""end_index"": 12}]'
    path = tmp_path / "questions.csv"
    path.write_text(f'question,references,corpus_id\nq0,"{good}",c\nq1,"{references}",c\n')
    with pytest.raises(rw.RankwellError) as error:
        rw.read_qrels(str(path))
    assert str(error.value).startswith(f"{path}:3: ")
    assert said in str(error.value)


def test_questions_with_references_are_no_run(tmp_path):
    with pytest.raises(rw.RankwellError, match="judgements of spans and no run"):
        rw.read_run(questions(tmp_path / "questions.csv"))


def test_chunks_that_say_their_last_character_are_told_what_an_end_is():
    chunks = [{"item": "c", "document": "d", "start": 0, "end_inclusive": 9}]
    gold = [{"query": "q", "document": "d", "start": 0, "end": 5}]
    with pytest.raises(rw.RankwellError, match=r"there is no end .* add 1 to an end that is inclusive"):
        rw.evaluate({"q": ["c"]}, gold, ["span_r"], items=chunks)
