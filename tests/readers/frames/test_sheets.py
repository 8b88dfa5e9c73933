"""What sheets export is read as judgements: without repeats, with who judged."""

from __future__ import annotations

import csv

import pytest

import rankwell as rw
from rankwell.errors import DataError
from rankwell.readers.frames.sheets import read_sheet

HEAD = "query,item,grade,judge,time,order,is_repeat,comment\n"
OTHER = HEAD + "1,a,2,Bo,2026-11-25T10:00:00Z,1,false,\n1,b,0,Bo,2026-11-25T10:01:00Z,2,false,\n"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "ann.csv").write_text(
        HEAD + '1,a,2,Ann,,1,false,"x,\n y"\n1,a,0,Ann,,3,true,\n1,b,1,Ann,,2,false,\n', encoding="utf-8"
    )
    (tmp_path / "bo.csv").write_text(OTHER, encoding="utf-8")
    return tmp_path / "ann.csv"


def test_repeats_are_left_out_and_the_judge_is_known(file):
    qrels = rw.read_qrels(str(file))
    assert list(zip(qrels.item.tolist(), qrels.grade.tolist(), strict=True)) == [("a", 2.0), ("b", 1.0)]
    assert str(qrels.assessor) == "human Ann"
    assert rw.evaluate({"1": {"a": 1.0}}, str(file), ["cg@1"]).mean["cg@1"] == 2
    assert read_sheet(file)["comment"].to_list() == ["x,\n y", "", ""]


def test_agreement_reads_two_sheets(file):
    found = rw.agreement(str(file), str(file.parent / "bo.csv"))
    [both] = found.judgements
    assert (both.n, both.measures.exact.value) == (2, 0.5)
    assert "human Ann" in str(found)


def test_several_judges_in_one_file_are_to_be_merged(file):
    file.write_text(file.read_text() + "1,a,1,Bo,,1,false,\n")
    with pytest.raises(DataError, match="judging merge"):
        rw.read_qrels(str(file))


def test_a_table_without_repeats_is_no_sheet(tmp_path):
    (tmp_path / "plain.csv").write_text("query,item,grade,judge\n1,a,1,Ann\n1,b,1,Bo\n")
    assert len(rw.read_qrels(str(tmp_path / "plain.csv"))) == 2


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_that_went_through_a_spreadsheet(file, ends, mark, separator):
    text = OTHER.replace("false", "FALSE").replace("\n", ends).replace(",", separator)
    file.write_bytes(f"{mark}{text}".encode())
    assert rw.read_qrels(str(file)).grade.tolist() == [2.0, 0.0]
    assert rw.judging.merge(file).judges[0].judged == 2


def test_quoted_texts_keep_the_separator_that_a_spreadsheet_chose(file):
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, delimiter=";")
        writer.writerow(HEAD.strip().split(","))
        writer.writerow(["1", "a;b", "2", "Ann, A.", "", "1", "FALSE", 'x;\n"y", z'])
    assert read_sheet(file).select("item", "judge", "comment").row(0) == ("a;b", "Ann, A.", 'x;\n"y", z')
    assert rw.read_qrels(str(file)).item.tolist() == ["a;b"]
    assert rw.judging.merge(file).judges[0].name == "Ann, A."


def test_a_carriage_return_in_a_header_is_no_error_of_the_csv_module(file):
    file.write_bytes(file.read_bytes().replace(b"judge,", b"ju\rdge,", 1))
    with pytest.raises(rw.RankwellError):
        rw.judging.merge(file)


def test_stream_reads_them_without_repeats_too(tmp_path):
    file = tmp_path / "ann.csv"
    file.write_text(
        "query,item,grade,judge,time,order,is_repeat,comment\n1,a,2,Ann,,1,false,\n1,b,0,Ann,,2,false,\n1,a,1,Ann,,3,true,\n"
    )
    run = {"1": {"a": 1.0, "b": 2.0}}
    found = [rw.evaluate(run, file, ["ndcg@2"], engine=engine).mean for engine in ("memory", "stream")]
    assert found[0] == found[1] == rw.evaluate(run, {"1": {"a": 2, "b": 0}}, ["ndcg@2"]).mean
