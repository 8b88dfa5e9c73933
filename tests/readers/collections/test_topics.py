"""Texts of queries are read from files of topics as from tables, with the numbers that the judgements mean."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.readers.collections.collection import read_topics

FILES = {
    "trec.txt": "<top>\n<num> Number: 7\n<title> wings\n<desc> Description:\nslender wings\n</top>\n",
    "trec.xml": '<topics><topic number="7"><query>wings</query><question>slender?</question></topic></topics>',
    "beir.jsonl": '{"_id": "7", "text": "wings"}\n',
    "smart.qry": ".I 007\n.W\nwings\n",
    "marco.tsv": "7\twings\n",
    "table.csv": "query_id,text\n7,wings\n",
    "table.jsonl": '{"qid": "7", "text": "wings"}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_text_beside_its_query(tmp_path, name):
    path = tmp_path / name
    path.write_text(FILES[name])
    found = rw.diff({"old": {"7": ["a", "b"]}, "new": {"7": ["b", "a"]}}, {"7": {"a": 1}}, "rr", queries=path)
    assert found.query("7").text == "wings"


def test_topics_have_the_numbers_that_the_judgements_mean(tmp_path):
    # as in Cranfield: the file numbers its topics 1, 2, 4, the judgements by their place
    path = tmp_path / "cran.qry"
    path.write_text(".I 001\n.W\nfirst\n.I 002\n.W\nsecond\n.I 004\n.W\nthird\n")
    qrels = rw.read_qrels({str(at): {"a": 1} for at in (1, 2, 3)})
    assert list(read_topics(path, qrels=qrels)) == [("1", "first"), ("2", "second"), ("3", "third")]
    with pytest.raises(rw.RankwellError, match=r"cran\.qry: the numbers of topics .* Give the judgements"):
        read_topics(path)


def test_topics_of_a_collection_are_taken_as_they_are(tmp_path):
    (tmp_path / "qry").write_text(".I 1\n.W\nwings\n")
    topics = rw.read_collection(topics=tmp_path / "qry").topics
    assert read_topics(topics) is topics


def test_a_file_of_topics_that_is_damaged_is_one_error(tmp_path):
    path = tmp_path / "topics.xml"
    path.write_text('<topics><topic number="7"><query>wings</query>')
    with pytest.raises(rw.RankwellError, match=r"topics\.xml"):
        rw.diff({"old": {"7": ["a"]}, "new": {"7": ["b"]}}, {"7": {"a": 1}}, "rr", queries=path)
