"""Damage that is rarer than a wrong line: each is one error that names file and line, and no other exception."""

from __future__ import annotations

import re

import pytest

import rankwell as rw
from rankwell.errors import DataError, RankwellError

LONG = "9" * 5_000  # more digits than Python turns into a number


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("documents", ".I 1\n.W\na\n.I 2\n.I 01\n.W\nb\n", "file:5: the id '1' is repeated; the first is at FILE:1."),
        ("topics", ".I 1\n.W\na\n.I 1\n", "file:4: the id '1' is repeated; the first is at FILE:1."),
        ("documents", "\n<DOC>\n<DOCNO>a</DOCNO></DOC>\n<DOC><DOCNO>a</DOCNO></DOC>", "file:4: the id 'a' is repeated; the first is at FILE:2."),
        ("topics", "<top><num> 1 <title> x</top>\n\n<top>\n<num> Number: 1\n</top>", "file:3: the id '1' is repeated; the first is at FILE:1."),
        ("topics", "<t><topic number='1'/><topic number='1'/></t>", "file, topic 2: the id '1' is repeated; the first is at FILE, topic 1."),
        ("documents", '{"_id":"a","text":"x"}\n\n{"_id":"a","text":"y"}\n', "file:3: the id 'a' is repeated; the first is at FILE:1."),
        ("documents", "a\tx\nb\ty\na\tz\n", "file:3: the id 'a' is repeated; the first is at FILE:1."),
        ("documents", "a\tx\n \ty\n", "file:2: the id is empty."),
        ("topics", '{"_id":"a","text":"x"}\n\n{"_id":" ","text":"y"}\n', "file:3: the id is empty."),
        ("documents", '{"_id":"a","text":"x"}\n\n{"text":"y"}\n', "file:3: there is no _id (1 such lines)."),
        ("topics", "\n<top></top>", "file:2: the topic has no number."),
        ("documents", "<DOC><DOCNO><!-- a --></DOCNO></DOC>", "file:1: the <DOC> has no <DOCNO>."),
        ("documents", "<DOC><DOCNO>a</DOCNO></DOC>\n<DOC>\n<DOCNO>b</DOCNO><TEXT>half a sen", "file:2: the <DOC> 'b' does not end with </DOC>; the file is cut off. Get it whole."),
        ("documents", "<DOC><DOCNO>a</DOCNO><TEXT>half a sen\n<DOC>\n<DOCNO>b</DOCNO></DOC>", "file:1: the <DOC> 'a' does not end with </DOC>; the file is cut off. Get it whole."),
        ("documents", "<DOC><DOCNO>a</DOCNO><TEXT>x</TEXT><!-- </DOC> -->", "file:1: the <DOC> 'a' does not end with </DOC>; the file is cut off. Get it whole."),
        ("documents", "<DOC><DOCNO>a</DOCNO></DOC>\n<DO", "file:1: the <DOC> 'a' does not end with </DOC>; the file is cut off. Get it whole."),
        ("topics", "<top><num> 1 <title> x</top>\n\n<top>\n<num> 2 <title> half a que", "file:3: the <top> does not end with </top>, as others do; the file is cut off. Get it whole."),
        ("documents", ".I ²\n", "file:1: .I must be followed by the number of the entry."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(tmp_path, part, content, message):
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as raised:
        rw.read_collection(**{part: path})
    assert str(raised.value) == f"{tmp_path}/{message.replace('FILE', str(path))}"


def test_a_document_that_another_file_of_the_folder_has_is_named_with_both_files(tmp_path):
    for name in ("a b", "한글"):
        (tmp_path / name).write_text("<DOC>\n<DOCNO>x</DOCNO></DOC>\n", encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(f"{tmp_path}/한글:1: the id 'x' is repeated; the first is at {tmp_path}/a b:1.")):  # fmt: skip
        rw.read_collection(documents=tmp_path)


def test_numbers_of_any_length_are_ids(tmp_path):
    (tmp_path / "all").write_text(f".I 0{LONG}\n.W\nx\n")
    (tmp_path / "qry").write_text(f".I {LONG}\n.W\nx\n")
    (tmp_path / "rel").write_text(f"00{LONG} {LONG} 0 0\n")
    found = rw.read_collection(documents=tmp_path / "all", topics=tmp_path / "qry", qrels=tmp_path / "rel")
    assert found.documents.ids.tolist() == found.topics.ids.tolist() == found.qrels.query.tolist() == [LONG]
    assert not found.check()
    (tmp_path / "table.tsv").write_text(f"0{LONG}\tx\n")
    (tmp_path / "rows").write_text(f"{LONG} 0 d 1\n")
    table = rw.read_collection(topics=tmp_path / "table.tsv", qrels=tmp_path / "rows")
    assert table.topics.ids.tolist() == [LONG]
    assert "leading zeros" in table.notes[0]


@pytest.mark.parametrize("part", ["documents", "topics", "qrels"])
@pytest.mark.parametrize(
    "content",
    [b"", b" \n", b"\0", b"\xef\xbb\xbf", b".I", b"<", b"{", b"<DOC>", b"<top>", b"<topic>", b"\t", b"\t\t\t", b"\xff\xfe", b"\x1f\x8b"],
    ids=repr,
)  # fmt: skip
def test_the_beginning_of_a_format_alone_is_refused(tmp_path, part, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(RankwellError, match=re.escape(str(path))):
        rw.read_collection(**{part: path})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"folder": 3}, "folder= is the path of a file or folder, not 3"),
        ({"documents": ["a"]}, "documents= is the path"),
        ({"topics": b"x"}, "topics= is the path"),
        ({"topics": "x", "encoding": 3}, "encoding=3: must be text"),
        ({"folder": "x", "split": 3}, "split=3: must be text"),
        ({"documents": "a" * 5_000}, "cannot be read (File name too long)"),
        ({"folder": "a" * 5_000}, "there is no such folder"),
        ({"documents": "\0"}, "is no name of a file"),
    ],
    ids=str,
)
def test_what_is_no_path_is_refused(given, message):
    with pytest.raises(RankwellError, match=re.escape(message)):
        rw.read_collection(**given)


def test_a_trec_file_that_is_cut_off_anywhere_is_never_read_with_half_a_document(tmp_path):
    whole = "<DOC>\n<DOCNO> a </DOCNO>\n<TEXT>\none <b>two</b>\n</TEXT>\n</DOC>\n<DOC>\n<DOCNO>b</DOCNO>\n<TEXT>three</TEXT>\n</DOC>\n"
    path = tmp_path / "docs"
    path.write_text(whole)
    texts = rw.read_collection(documents=path).documents.texts("text")
    assert texts == ["one two", "three"]
    read = 0
    for end in range(1, len(whole)):
        path.write_text(whole[:end])
        try:
            found = rw.read_collection(documents=path).documents.texts("text")
        except RankwellError:
            continue
        read += 1
        assert found == texts[: len(found)], end
    assert read == 3  # behind the first </DOC>, behind its end of line, and behind the last </DOC>


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("<DOC><!-- <DOCNO>old</DOCNO> --><DOCNO>a</DOCNO><TEXT>x</TEXT></DOC>", {"a": "x"}),
        ("<DOC><DOCNO>a</DOCNO><!--\n<DOC><DOCNO>b</DOCNO>--><TEXT>x</TEXT></DOC>", {"a": "x"}),
        ("<DOC><DOCNO>a</DOCNO><TEXT><![CDATA[ends </DOC> or <DOC> or </TEXT> & <b>]]> y</TEXT></DOC>", {"a": "ends </DOC> or <DOC> or </TEXT> & <b> y"}),
        ("<DOC><DOCNO>a</DOCNO><TEXT><![CDATA[<DOCNO>c</DOCNO>]]></TEXT></DOC><DOC><DOCNO>b</DOCNO><TEXT>z</TEXT></DOC>", {"a": "<DOCNO>c</DOCNO>", "b": "z"}),
        # a comment that is not closed hides no other document, as pages of the web have them
        ("<DOC><DOCNO>a</DOCNO><TEXT>x <!-- y</TEXT></DOC>\n<DOC><DOCNO>b</DOCNO><TEXT>z <!-- no --></TEXT></DOC>", {"a": "x <!-- y", "b": "z"}),
        ("<docs><DOC><DOCNO>a</DOCNO><TEXT>x</TEXT></DOC></docs>", {"a": "x"}),
    ],
)  # fmt: skip
def test_tags_in_comments_and_in_cdata_are_none(tmp_path, content, texts):
    path = tmp_path / "docs"
    path.write_text(content)
    found = rw.read_collection(documents=path).documents
    assert dict(zip(found.ids.tolist(), found.texts("text"), strict=True)) == texts


def test_lines_are_counted_through_comments(tmp_path):
    path = tmp_path / "docs"
    path.write_text(
        "<!--\n\n-->\n<DOC><DOCNO>a</DOCNO><TEXT><![CDATA[\n\n]]></TEXT></DOC>\n<DOC><TEXT>b</TEXT></DOC>\n"
    )
    with pytest.raises(DataError, match=r"docs:7: the <DOC> has no <DOCNO>"):
        rw.read_collection(documents=path)


def test_a_topic_in_a_comment_is_none(tmp_path):
    path = tmp_path / "topics"
    path.write_text(
        "<!-- <top><num> 0 <title> old</top> -->\n<top>\n<num> Number: 7\n<title> wings\n</top>\n"
    )
    assert rw.read_collection(topics=path).topics.ids.tolist() == ["7"]
