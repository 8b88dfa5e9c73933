"""The made-up Korean collection in each of its encodings, and both ways to index it against the formula."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest
from examples.engines.bm25_korean import Bigrams, Words
from tests.examples.formulas import bm25

import rankwell as rw
from rankwell.errors import DataError

FOLDER = Path(__file__).parents[2] / "examples" / "korean"
PARTS = {"documents": "documents.trec", "topics": "topics.txt", "qrels": "qrels.txt"}


@pytest.fixture(scope="module")
def korean():
    return rw.read_collection(**{part: FOLDER / name for part, name in PARTS.items()})


def test_the_parts_of_the_collection_fit(korean):
    assert (len(korean.documents), len(korean.topics), len(korean.qrels)) == (60, 12, 60)
    assert not korean.check()
    assert dict(korean.topics)["3"] == "배추김치 담그기"


@pytest.mark.parametrize("encoding", ["cp949", "euc-kr"])
def test_korean_encodings_are_read_when_they_are_named_and_refused_when_not(korean, encoding, tmp_path):
    paths = {}
    for part, name in PARTS.items():
        paths[part] = tmp_path / f"한글 {name}"
        paths[part].write_bytes((FOLDER / name).read_text(encoding="utf-8").encode(encoding))
    found = rw.read_collection(**paths, encoding=encoding)
    assert list(found.documents) == list(korean.documents)
    assert list(found.topics) == list(korean.topics)
    with pytest.raises(DataError, match=r"한글 documents\.trec:1: the text is not UTF-8.*encoding='cp949'"):
        rw.read_collection(**paths)


def of_words(text):
    """What stands between characters that are no letter or digit."""
    return "".join(each if each.isalnum() else " " for each in text).split()


def of_bigrams(text):
    """A window of two characters moved over each word."""
    found = []
    for word in of_words(text):
        found += [word] if len(word) == 1 else [a + b for a, b in pairwise(word)]
    return found


@pytest.mark.parametrize(("system", "words"), [(Words(), of_words), (Bigrams(), of_bigrams)], ids=["words", "bigrams"])  # fmt: skip
def test_both_ways_to_index_are_bm25(korean, system, words):
    system.index(korean.documents)
    for _, query in korean.topics:
        expected = bm25(
            dict(korean.documents), query, 1.5, 0.75, lambda size, n: math.log(1 + (size - n + 0.5) / (n + 0.5)), words
        )  # fmt: skip
        assert dict(system.search(query, 60)) == pytest.approx(expected, rel=1e-5), query


def test_a_noun_is_found_with_any_particle_and_spacing_by_its_bigrams_only(korean):
    words, bigrams = Words(), Bigrams()
    for each in (words, bigrams):
        each.index(korean.documents)
    # 형태소분석은, 형태소를 분석할, and 형태와 수를 분석한다
    assert {item for item, _ in bigrams.search("형태소", 10)} >= {"K05", "K06"}
    assert {item for item, _ in words.search("형태소", 10)} == {"K05"}
    # 재배치 is no 재배, nor 긴급식량 a 급식: the price of bigrams
    assert {"K58", "K59"} <= {item for item, _ in bigrams.search("재배 급식", 20)}
    assert not {"K58", "K59"} & {item for item, _ in words.search("재배 급식", 20)}


@pytest.mark.parametrize("system", [Words(), Bigrams()], ids=["words", "bigrams"])
@pytest.mark.parametrize("query", ["", "!?", "quark"])
def test_a_query_of_unknown_words_finds_nothing(korean, system, query):
    system.index(korean.documents)
    assert system.search(query, 10) == []
