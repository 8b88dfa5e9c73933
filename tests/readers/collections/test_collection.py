"""Test collections in each format: files made up here, whose facts were counted by hand."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import rankwell as rw
from rankwell.errors import DataError, InputError, UsageError

# As in CACM: three documents, one without text, with the numbers of .X left out; queries have leading zeros in the judgements.
CACM = """.I 1
.T
Preliminary Report
on Algebra
.B
CACM December, 1958
.A
Perlis, A. J.
.X
1\t5\t1
123\t4\t1
.I 2
.T
Roots of Polynomials
.W
The technique subtracts
the roots.
.K
roots, polynomials
.I 3
.B
CACM May, 1959
"""
CACM_QUERIES = ".I 1\n.W\nWhat articles deal\nwith roots?\n.N\n 1. Anonymous\n.I 2\n.W\nalgebra\n"
CACM_QRELS = "01 0002  0 0\n02 0001  0 0\n02 0003  0 0\n"

# As in AP: two documents in one file, the second with two texts, an entity, and lower-case tags.
AP = """<DOC>
<DOCNO> AP880212-0001 </DOCNO>
<FILEID>AP-NR-02-12-88 2344EST</FILEID>
<HEAD>Reports Former Saigon Officials Released</HEAD>
<HEAD>With a second head</HEAD>
<TEXT>
   More than 150 former officers, AT&amp;T said.
</TEXT>
</DOC>
<doc>
<docno>AP880212-0002</docno>
<text>First part.</text>
<note>not text</note>
<text>Second <b>part</b>.</text>
</doc>
"""
ROBUST = """<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations.

<narr> Narrative:
A relevant document must name it.
</top>

<top>
<num> Number: 302
<title> Poliomyelitis
<desc> Description:
Is it under control?
</top>
"""
WEB = """<?xml version="1.0"?>
<webtrack><topic number="151" type="ambiguous"><query>403b</query><description>What is it?</description>
<subtopic number="1">Its tax</subtopic></topic></webtrack>
"""


def write(folder, **files):
    """Write files, a double underscore for a dot in the name, and return their paths."""
    paths = []
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(path)
    return paths


def judgements(qrels):
    return list(zip(qrels.query.tolist(), qrels.item.tolist(), qrels.grade.tolist(), strict=True))


def test_cacms_files_have_the_facts_that_were_counted_by_hand(tmp_path):
    documents, topics, qrels = write(tmp_path, all=CACM, qry=CACM_QUERIES, rel=CACM_QRELS)
    found = rw.read_collection(documents=documents, topics=topics, qrels=qrels)
    assert found.documents.ids.tolist() == ["1", "2", "3"]
    assert found.documents.texts("title") == ["Preliminary Report on Algebra", "Roots of Polynomials", ""]
    assert found.documents.texts() == [
        "Preliminary Report on Algebra", "Roots of Polynomials\nThe technique subtracts the roots.", "",
    ]  # fmt: skip
    assert found.documents.texts("author", "bibliography")[0] == "Perlis, A. J.\nCACM December, 1958"
    assert list(found.topics) == [("1", "What articles deal with roots?"), ("2", "algebra")]
    assert judgements(found.qrels) == [("1", "2", 1.0), ("2", "1", 1.0), ("2", "3", 1.0)]
    assert found.notes == ()


def test_no_number_of_a_citation_comes_into_the_text(tmp_path):
    (documents,) = write(tmp_path, all=CACM)
    assert not any("123" in text for text in rw.read_collection(documents=documents).documents.texts())


def test_a_second_text_of_a_smart_document_is_kept(tmp_path):  # as in documents 576 and 578 of Cranfield
    (documents,) = write(tmp_path, all=".I 1\n.W\nchapter xiii\n.W\ncompressor operation\n")
    assert rw.read_collection(documents=documents).documents.texts() == ["chapter xiii compressor operation"]


def test_cranfields_queries_get_the_numbers_that_its_judgements_mean(tmp_path):
    queries = "".join(
        f".I {number:03}\n.W\n{word}\n" for number, word in [(1, "wing"), (2, "heat"), (4, "slab")]
    )
    topics, qrels = write(tmp_path, qry=queries, rel="1 184 2 \n2 29 -1\n3 31 1\n3 12 4\n")
    found = rw.read_collection(topics=topics, qrels=qrels)
    assert list(found.topics) == [("1", "wing"), ("2", "heat"), ("3", "slab")]
    # 1 is the best code, by the readme of the collection
    assert judgements(found.qrels) == [
        ("1", "184", 3.0),
        ("2", "29", 0.0),
        ("3", "31", 4.0),
        ("3", "12", 1.0),
    ]
    assert len(found.notes) == 2
    assert not found.check()


def test_codes_that_are_not_cranfields_are_grades_as_given(tmp_path):
    (qrels,) = write(tmp_path, rel="1 5 2\n1 6 1\n")
    found = rw.read_collection(qrels=qrels)
    assert judgements(found.qrels) == [("1", "5", 2.0), ("1", "6", 1.0)]
    assert found.notes == ()


def test_aps_files_have_the_facts_that_were_counted_by_hand(tmp_path):
    documents, topics, qrels = write(tmp_path, ap=AP, topics=ROBUST, rel="301 0 AP880212-0001 1\n")
    found = rw.read_collection(documents=documents, topics=topics, qrels=qrels)
    assert found.documents.ids.tolist() == ["AP880212-0001", "AP880212-0002"]
    assert found.documents.texts("title")[0] == "Reports Former Saigon Officials Released With a second head"
    assert found.documents.texts("text") == [
        "More than 150 former officers, AT&T said.", "First part. Second part .",
    ]  # fmt: skip
    assert list(found.topics) == [("301", "International Organized Crime"), ("302", "Poliomyelitis")]
    assert found.topics.texts("description") == ["Identify organizations.", "Is it under control?"]
    assert found.topics.texts("narrative") == ["A relevant document must name it.", ""]


def test_a_folder_of_trec_files_is_one_table_in_the_order_of_their_paths(tmp_path):
    folder = tmp_path / "docs"
    (folder / "b").mkdir(parents=True)
    write(folder, a=AP)
    write(folder / "b", c="<DOC><DOCNO>GX1</DOCNO><DOCHDR>http://x</DOCHDR><html><title>Home</title>"
          "<script>var hidden = 1;</script><body>Visible &eacute; text</body></html></DOC>")  # fmt: skip
    found = rw.read_collection(documents=folder).documents
    assert found.ids.tolist() == ["AP880212-0001", "AP880212-0002", "GX1"]
    assert (found.texts("title")[2], found.texts("text")[2]) == ("Home", "Visible é text")


def test_xml_topics_keep_their_query_and_description_without_subtopics(tmp_path):
    (topics,) = write(tmp_path, topics=WEB)
    found = rw.read_collection(topics=topics).topics
    assert list(found) == [("151", "403b")]
    assert found.texts("description") == ["What is it?"]


def beir(folder):
    documents = [
        {"_id": "d1", "title": "Wings", "text": "of slender bodies", "metadata": {"year": 1958}},
        {"_id": "d2", "title": "", "text": "heat"},
    ]
    queries = [{"_id": f"q{n}", "text": f"query {n}", "metadata": {}} for n in (1, 2, 3)]
    write(
        folder,
        corpus__jsonl="\n".join(map(json.dumps, documents)),
        queries__jsonl="\n".join(map(json.dumps, queries)),
    )
    (folder / "qrels").mkdir()
    header = "query-id\tcorpus-id\tscore\n"
    write(folder / "qrels", test__tsv=f"{header}q1\td1\t2\nq3\td2\t1\n", train__tsv=f"{header}q2\td1\t1\n")
    return folder


def test_a_beir_folder_gives_the_topics_that_its_split_judges(tmp_path):
    found = rw.read_collection(beir(tmp_path))
    assert list(found.documents) == [("d1", "Wings\nof slender bodies"), ("d2", "heat")]
    assert found.topics.ids.tolist() == ["q1", "q3"]
    assert judgements(found.qrels) == [("q1", "d1", 2.0), ("q3", "d2", 1.0)]
    assert found.notes == ("1 of 3 topics are not judged in this split and left out",)
    assert rw.read_collection(tmp_path, split="train").topics.ids.tolist() == ["q2"]
    with pytest.raises(UsageError, match=r"no split 'trian'; it has test or train. Did you mean train\?"):
        rw.read_collection(tmp_path, split="trian")


def test_ms_marcos_tables_are_passages_or_documents(tmp_path):
    passages, documents, queries, qrels = write(
        tmp_path, c__tsv='0\ta "quoted" passage\n7\tanother\n', d__tsv="D1\thttp://x\tTitle\tBody\n",
        q__tsv="300674\thow many\n", r__tsv="300674\t0\t7\t1\n",
    )  # fmt: skip
    found = rw.read_collection(documents=passages, topics=queries, qrels=qrels)
    assert list(found.documents) == [("0", 'a "quoted" passage'), ("7", "another")]
    assert list(found.topics) == [("300674", "how many")]
    assert judgements(found.qrels) == [("300674", "7", 1.0)]
    assert rw.read_collection(documents=documents).documents.texts() == ["Title\nBody"]
    (cut,) = write(tmp_path, cut__tsv="0\ta\n1 b\n")
    with pytest.raises(DataError, match=r"cut\.tsv:2: the line has 1 column, and the first line 2"):
        rw.read_collection(documents=cut)


def test_ids_of_other_collections_keep_their_zeros(tmp_path):
    documents, qrels = write(tmp_path, c__tsv="007\ta\n", rel="1 0 007 2\n")
    found = rw.read_collection(documents=documents, qrels=qrels)
    assert judgements(found.qrels) == [("1", "007", 2.0)]
    assert not found.check()


def test_korean_text_is_read_in_its_encoding(tmp_path):  # made up, in the layout that HANTEC has
    text = "<DOC>\n<DOCNO>HT-1</DOCNO>\n<TEXT>검색 시스템의 평가</TEXT>\n</DOC>\n"
    for encoding in ("cp949", "euc-kr", "utf-8"):
        (documents,) = write(tmp_path, docs=text.encode(encoding))
        found = rw.read_collection(documents=documents, encoding=None if encoding == "utf-8" else encoding)
        assert list(found.documents) == [("HT-1", "검색 시스템의 평가")]
    (documents,) = write(tmp_path, docs=text.encode("cp949"))
    with pytest.raises(DataError, match=r"docs:3: the text is not UTF-8. .*encoding='cp949'"):
        rw.read_collection(documents=documents)


def test_what_does_not_fit_is_found(tmp_path):
    documents, topics, qrels = write(tmp_path, all=CACM, qry=CACM_QUERIES, rel="1 2 0 0\n1 9 0 0\n7 1 0 0\n")
    found = rw.read_collection(documents=documents, topics=topics, qrels=qrels).check()
    assert [(each.rule, each.level, each.count) for each in found] == [
        ("judged-topic-without-text", "warning", 1),
        ("judged-document-missing", "warning", 1),
        ("topic-without-judgements", "note", 1),
        ("item-without-text", "note", 1),
    ]
    assert "are not in the collection: 9" in found[1].message


def test_the_table_counts_each_part_and_grade(tmp_path):
    documents, topics, qrels = write(tmp_path, all=CACM, qry=CACM_QUERIES, rel=CACM_QRELS)
    rows = rw.read_collection(documents=documents, topics=topics, qrels=qrels, name="cacm").to_table().rows
    assert dict(rows) == {
        "documents": 3, "documents without text": 1, "topics": 2, "judged topics": 2, "judgements": 3, "grade 1": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("just text", "not a format of documents"),
        (".I x\n.W\ntext\n", "bad:1: .I must be followed by the number of the entry"),
        (".I 1\nstray\n.W\ntext\n", "bad:2: 'stray' stands before the first .I or field"),
        (".I 1\n.W\na\n.I 1\n.W\nb\n", "bad:4: the id '1' is repeated"),
        ("<p>no document</p>", "bad: there is no <DOC>"),
        ("<DOC>\n<TEXT>a</TEXT>\n</DOC>", "bad:1: the <DOC> has no <DOCNO>"),
        ('{"_id": "1", "text": "a"}\n{"text": "b"}\n', "bad:2: there is no _id (1 such lines)"),
        ("{not json}\n", "bad:1: not JSON"),
        ('{"_id": "1", "text": "a"}\n{"_id": 2,,}\n', "bad:2: not JSON"),
    ],
)
def test_damaged_documents_give_one_error_that_names_the_place(tmp_path, content, message):
    (path,) = write(tmp_path, bad=content)
    with pytest.raises(DataError, match=re.escape(message)):
        rw.read_collection(documents=path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<top>\n<title> no number\n</top>", "bad:1: the topic has no number"),
        ("<topics><topic><query>a</query></topic></topics>", "bad, topic 1: the topic has no number"),
        ("<topics>\n<topic>", "bad:2: the XML is not well-formed"),
        ("<!DOCTYPE t [<!ENTITY a 'b'>]><topics/>", "the XML defines entities"),
        ("<text>a</text>", "there is neither a <top> nor a <topic>"),
    ],
)
def test_damaged_topics_give_one_error_that_names_the_place(tmp_path, content, message):
    (path,) = write(tmp_path, bad=content)
    with pytest.raises(DataError, match=re.escape(message)):
        rw.read_collection(topics=path)


def test_what_cannot_be_read_says_what_to_give(tmp_path):
    with pytest.raises(UsageError, match="Nothing to read"):
        rw.read_collection()
    with pytest.raises(UsageError, match="not both"):
        rw.read_collection(tmp_path, topics=tmp_path / "t")
    with pytest.raises(UsageError, match="split= is for a folder"):
        rw.read_collection(topics=tmp_path / "t", split="test")
    with pytest.raises(InputError, match=r"no corpus\.jsonl"):
        rw.read_collection(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        rw.read_collection(tmp_path / "absent")


def test_a_collection_is_evaluated_with_its_judgements(tmp_path):
    found = rw.read_collection(beir(tmp_path))
    run = {"q1": ["d1", "d2"], "q3": ["d1", "d2"]}
    res = rw.evaluate(run, found.qrels, ["rr", "coverage"], items=found.documents.to_items())
    assert np.isclose(res["rr"], 0.75)
    assert res["coverage"] == 1


OTHER_ENDS = "\u2028\x85\x0b\x0c\x1c"  # what Unicode calls line ends and no editor counts


@pytest.mark.parametrize(
    ("content", "damage"),
    [
        (".I 1\n.W\n{}\n.I 2\n.W\nb\n", ".I x\n"),
        ('{{"_id": "1", "text": "{}"}}\n{{"_id": "2", "text": "b"}}\n', "{not json}\n"),
        ("1\t{}\n2\tb\n", "3\n"),
        ("<DOC>\n<DOCNO>1</DOCNO><TEXT>\n{}\n</TEXT></DOC>\n<DOC><DOCNO>2</DOCNO><TEXT>b</TEXT></DOC>\n", "<DOC></DOC>\n"),
    ],
)  # fmt: skip
def test_a_line_ends_where_an_editor_ends_it(tmp_path, content, damage):
    # JSON writes control characters as escapes
    inside = "a" + ("\u2028\x85" if "_id" in content else OTHER_ENDS) + "z"
    whole = content.format(inside)
    (path,) = write(tmp_path, whole=whole)
    documents = rw.read_collection(documents=path).documents
    assert documents.ids.tolist() == ["1", "2"]
    assert documents.texts()[0].startswith("a")
    assert documents.texts()[0].endswith("z")
    (path,) = write(tmp_path, bad=whole + damage)
    with pytest.raises(DataError, match=rf"bad:{whole.count(chr(10)) + 1}: "):
        rw.read_collection(documents=path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 and so on", "the file is a zip archive"),
        (b".I 1\n.W\na\0b\n", ":3: there is a NUL byte"),
        (".I 1\n.W\n한글\n".encode("cp949"), ":3: the text is not UTF-8.*cp949"),
    ],
)
def test_what_is_no_text_is_refused_as_everywhere(tmp_path, content, message):
    path = tmp_path / "bad"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        rw.read_collection(documents=path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(tmp_path, encoding):
    path = tmp_path / "documents"
    path.write_bytes(".I 1\n.W\n한글\n".encode(encoding))
    assert rw.read_collection(documents=path).documents.texts() == ["한글"]


def test_titles_that_are_all_empty_are_none(tmp_path):
    (path,) = write(tmp_path, queries='{"_id": "1", "title": "", "text": "wing"}\n')
    assert list(rw.read_collection(topics=path).topics) == [("1", "wing")]


def test_documents_without_a_text_give_all_their_fields():
    import polars as pl

    from rankwell.tables.collections import Documents

    frame = pl.DataFrame({"title": ["Wings"], "abstract": ["of slender bodies"]})
    assert Documents(["d1"], frame).texts() == ["Wings\nof slender bodies"]


def test_an_encoding_beside_an_id_is_refused():
    with pytest.raises(UsageError, match="leave out encoding="):
        rw.read_collection("irds:vaswani", encoding="cp949")
