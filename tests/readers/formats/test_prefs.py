"""Preference files: what they say, which files are taken for them, and what is wrong with others."""

from __future__ import annotations

import gzip

import pytest

import rankwell as rw
from rankwell.readers.formats import prefs

TEXT = "# judged by two people\nq1  F:Ret,C:Not\t0 doc-1   2\nq1 F:Ret,C:Not 1 doc-2 0.5\n\nq2 b 0 doc-1 -1\n"


def columns(qrels):
    return [column.tolist() for column in (qrels.query, qrels.topic, qrels.subgroup, qrels.item, qrels.grade)]


EXPECTED = [
    ["q1", "q1", "q2"],
    ["F:Ret,C:Not", "F:Ret,C:Not", "b"],
    ["0", "1", "0"],
    ["doc-1", "doc-2", "doc-1"],
    [2.0, 0.5, -1.0],
]


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.rstrip("\n"), "\ufeff" + TEXT.partition("\n")[2], TEXT.replace("\n", "\r\n"), TEXT + "# end"],
)
def test_every_spelling_gives_the_same_columns(tmp_path, text):
    (tmp_path / "judged").write_bytes(text.encode())
    (tmp_path / "judged.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("judged", "judged.gz"):
        qrels = rw.read_qrels(tmp_path / name)
        assert columns(qrels) == EXPECTED
        assert "read as prefs" in qrels.source


def test_the_name_decides_where_the_content_does_not(tmp_path):
    (tmp_path / "numbers.prefs").write_text("1 0 0 17 2\n1 0 0 18 1\n")
    assert columns(rw.read_qrels(tmp_path / "numbers.prefs"))[3] == ["17", "18"]
    (tmp_path / "numbers").write_text("1 0 0 17 2\n1 0 0 18 1\n")
    assert columns(rw.read_qrels(tmp_path / "numbers", format_in="prefs"))[3] == ["17", "18"]


@pytest.mark.parametrize(
    "text",
    [
        "q Q0 doc-1 1 3.5\nq Q0 doc-2 2 3.1\n",  # a run without its tag
        "q doc-1 1 2 0.25\n",  # sampled judgements: topic item grade method probability
        "q 0 doc-1 1\n",
        "q g 0 doc-1 1\nq g 0 doc-2 1 more\n",
        "query group part item level\nq g 0 doc-1 1\n",
        "# nothing\n",
        "q 0 alpha report 1\nq 0 beta report 0\n",  # judgements of items with a blank in their ids
        "q Q0 alpha report 1\n",
        "q 3 2024 report 1\nq 4 beta report 0\n",
        "q 0 2023 report 1\nq 0 2024 report 0\n",
    ],
)
def test_other_files_are_not_taken_for_preferences(text):
    assert not prefs.recognises(text.encode())
    assert prefs.recognises(TEXT.encode())
    assert prefs.recognises(b"q 0 0 doc-1 1\nq 0 0 doc-2 0\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# one\nq g 0 a 1\nq g a 1\n", r"judged:3: 4 columns, expected exactly 5"),
        ("q g 0 a 1\n\nq g 0 b high\n", r"judged:3: the level 'high' is not a number"),
        ("q g 0 a nan\n", r"judged, row 1|judged:1: the grade is not a number \(nan\)"),
        ("# nothing\n", r"the file holds no preferences"),
        ("q g 0 a 1\0\n", r"a NUL byte"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, message):
    (tmp_path / "judged").write_text(text)
    with pytest.raises(rw.RankwellError, match=message):
        rw.read_qrels(tmp_path / "judged", format_in="prefs")


def test_preferences_are_no_run_and_have_no_named_columns(tmp_path):
    (tmp_path / "judged").write_text(TEXT)
    with pytest.raises(rw.RankwellError, match="prefs files cannot hold run"):
        rw.read_run(tmp_path / "judged")
    with pytest.raises(rw.RankwellError, match="no named columns"):
        rw.read_qrels(tmp_path / "judged", columns={"1": "query"})


def test_several_files_are_one(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.prefs").write_text(TEXT.replace("q1", f"{name}1").replace("q2", f"{name}2"))
    qrels = rw.read_qrels(str(tmp_path / "*.prefs"))
    assert columns(qrels)[0] == ["a1", "a1", "a2", "b1", "b1", "b2"]
    assert columns(qrels)[2] == ["0", "1", "0"] * 2


def test_a_cleaned_copy_keeps_groups_and_subgroups(tmp_path):
    (tmp_path / "judged.prefs").write_text(TEXT + "q2 b 0 doc-1 -1\n")
    (tmp_path / "run").write_text("q1 Q0 doc-1 1 2 t\nq2 Q0 doc-1 1 2 t\n")
    rw.lint(tmp_path / "run", tmp_path / "judged.prefs", cleaned_copies=tmp_path / "clean")
    assert columns(rw.read_qrels(tmp_path / "clean" / "judged.prefs")) == EXPECTED
