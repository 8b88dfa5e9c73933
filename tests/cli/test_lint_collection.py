"""``rankwell lint`` on test collections; the files are made up, and their faults planted."""

from __future__ import annotations

import json
import os
import threading

import pytest
from tests.cli.samples import MOVIES

from rankwell.cli import run
from rankwell.readers.bytes.files import File
from rankwell.readers.collections.collection import is_documents

DOCUMENTS = ".I 1\n.W\nlift of wings\n.I 2\n.W\nheat\n"
TOPICS = ".I 1\n.W\nwings\n.I 2\n.W\nheat\n"


@pytest.fixture
def parts(tmp_path):
    def made(qrels):
        for name, text in (
            ("docs", DOCUMENTS),
            ("topics", TOPICS),
            ("qrels", qrels),
            ("run", "1 Q0 1 1 1.0 t\n"),
        ):
            (tmp_path / name).write_text(text)
        return [
            str(tmp_path / "qrels"),
            "--items",
            str(tmp_path / "docs"),
            "--queries",
            str(tmp_path / "topics"),
        ]

    return made


def test_parts_that_fit_are_counted_and_nothing_is_wrong(parts, capsys):
    assert run(["lint", *parts("1 1 0 0\n2 2 0 0\n")]) == 0
    out = capsys.readouterr().out
    assert "documents                  2" in out
    assert out.endswith("nothing is wrong\n")


def test_a_judged_document_that_is_missing_fails(parts, capsys):
    assert run(["lint", *parts("1 1 0 0\n2 9 0 0\n"), "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["wrong"] is True
    assert told["collection"]["parts"]["judgements"] == 2
    assert [each["rule"] for each in told["findings"]] == ["judged-document-missing"]


def test_a_run_is_checked_beside_the_collection(parts, capsys, tmp_path):
    qrels, *rest = parts("1 0 1 1\n2 0 9 1\n")
    assert run(["lint", qrels, str(tmp_path / "run"), *rest]) == 1
    out = capsys.readouterr().out
    assert "[judged-document-missing]" in out
    assert "[missing-queries]" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "QRELS and RUN missing"),
        (["qrels.txt"], "RUN missing"),
        (["qrels.txt", "--collection", "folder"], "--collection is a folder that holds all parts"),
        (["--collection", "folder", "--queries", "t"], "--collection is a folder that holds all parts"),
    ],
)
def test_what_is_missing_or_too_much_is_said(arguments, message, capsys):
    assert run(["lint", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_run_is_checked_against_judgements_in_smarts_columns(tmp_path, capsys):
    (tmp_path / "all").write_text(".I 1\n.W\nwings\n.I 2\n.W\nheat\n")
    (tmp_path / "qry").write_text(".I 001\n.W\nslender wings\n.I 002\n.W\nheat\n")
    (tmp_path / "rel").write_text("1 1 1\n1 2 -1\n2 2 3\n")
    (tmp_path / "a.run").write_text("1 Q0 1 1 2 x\n2 Q0 2 1 2 x\n")
    documents, topics, rel, own = (str(tmp_path / name) for name in ("all", "qry", "rel", "a.run"))
    assert run(["lint", rel, own, "--items", documents, "--queries", topics]) == 0
    printed = capsys.readouterr().out
    assert "judged topics" in printed
    assert "error" not in printed


KOREAN = {
    "docs": "<DOC><DOCNO>하나</DOCNO><TEXT>정보 검색</TEXT></DOC>\n",
    "topics": "<top>\n<num> 질의\n<title> 검색\n</top>\n",
    "qrels": "질의 0 하나 1\n",
    "run": "질의 Q0 하나 1 2.0 t\n",
    "items.csv": "item,제목\n하나,가\n",
    "train.csv": "user,item\n질의,둘\n",
}


KOREAN_TEXT = ["--read", "encoding=cp949"]


def test_every_file_is_read_in_the_encoding_that_is_given(tmp_path, capsys):
    for name, text in KOREAN.items():
        (tmp_path / name).write_bytes(text.encode("cp949"))
    docs, topics, qrels, own, items, train = (str(tmp_path / name) for name in KOREAN)
    whole = ["lint", qrels, own, "--items", items, "--train", train]
    assert run(["lint", qrels, own, "--items", docs, "--queries", topics, *KOREAN_TEXT]) == 0
    assert capsys.readouterr().out.endswith("nothing is wrong\n")
    assert run([*whole, *KOREAN_TEXT, "--cleaned-copies", str(tmp_path / "copies")]) == 0
    assert (tmp_path / "copies" / "qrels").read_text(encoding="utf-8") == KOREAN["qrels"]
    assert run(whole) == 1
    printed = capsys.readouterr().out
    for name in ("run:1", "qrels:1", "items.csv:1", "train.csv:2"):
        assert f"{tmp_path}/{name}: error [unreadable]" in printed
    assert run([*whole, "--read", "encoding=nothing"]) == 2
    assert "There is no encoding 'nothing'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "is_read"),
    [
        ("docs", ".I 1\n.W\nwings\n", True),
        ("docs", "<DOC><DOCNO>1</DOCNO></DOC>\n", True),
        ("corpus.jsonl", '{"_id": "1", "text": "wings"}\n', True),
        ("passages.tsv", "1\twings\n", True),
        ("items.tsv", "item_id\ttopics\n1\twings\n", False),
        ("items.jsonl", '{"item": "1", "topics": "wings"}\n', False),
        ("items.csv", "item,title\n1,wings\n", False),
    ],
)
def test_items_are_documents_or_a_table_by_what_the_file_holds(name, content, is_read, tmp_path):
    (tmp_path / name).write_text(content)
    assert is_documents(File(tmp_path / name)) == is_read


def test_a_table_of_parquet_holds_no_documents():
    assert not is_documents(File(MOVIES / "items.parquet"))


@pytest.mark.parametrize(
    ("qrels", "metric", "rules"),
    [
        ("spans.jsonl", "span_r@3", []),
        ("pages.qrels", "r@80t", ["sizes=tokens", "group='#'"]),
        ("pages.qrels", "r@3", ["group=document"]),
    ],
)
def test_a_file_of_chunks_is_read_with_the_columns_that_metrics_and_rules_need(qrels, metric, rules, capsys):
    pages, policy = MOVIES.parent / "help_pages", [word for rule in rules for word in ("--policy", rule)]
    chunks = str(pages / "passages.jsonl")
    run(["lint", str(pages / qrels), str(pages / "letters.json"), "--items", chunks, "-m", metric, *policy])
    said = capsys.readouterr()
    assert "cannot read" not in said.out + said.err
    assert "error" not in said.out


@pytest.mark.parametrize(("content", "runs"), [("item,title\n1,a\n2,b\n", ["run"]), (DOCUMENTS, [])])
def test_documents_and_a_catalogue_are_read_from_a_pipe_too(content, runs, tmp_path):
    (tmp_path / "qrels").write_text("1 0 1 1\n")
    (tmp_path / "run").write_text("1 Q0 2 1 2.0 r\n1 Q0 1 2 1.0 r\n")
    pipe = tmp_path / "items"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(content,))
    writer.start()
    assert run(["lint", *(str(tmp_path / each) for each in ("qrels", *runs)), "--items", str(pipe)]) == 0
    writer.join()
