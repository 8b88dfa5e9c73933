"""Joining sheets: rules by hand, repeats, sheets exported twice, and what cannot be joined."""

from __future__ import annotations

import csv
import json
import unicodedata

import pytest
from tests.judging.test_dawid_skene import ROWS

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import RankwellError

HEAD = ["query", "item", "grade", "judge", "time", "order", "is_repeat", "comment"]


@pytest.fixture
def exported(tmp_path):
    """A function that writes a sheet of ``item grade`` words, with ``!`` for a repeat and ``@minute`` for a time."""

    def write(name, judge, *words):
        rows = []
        for order, word in enumerate(words, start=1):
            item, grade, *more = word.split()
            minute = next((each[1:] for each in more if each[0] == "@"), order)
            time = f"2026-11-25T10:{int(minute):02}:00.000Z"
            rows.append(["1", item, grade, judge, time, order, "true" if "!" in more else "false", "a, “b”"])
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([HEAD, *rows])
        return tmp_path / name

    return write


def grades_of(found):
    return {item: grade for (_, item), grade in zip(found.pairs, found.grade.tolist(), strict=True)}


def test_the_rules_by_hand(exported):
    files = [
        exported("a.csv", "Ann", "x 0", "y 2", "z 1", "u 3"),
        exported("b.csv", "Bo", "x 0", "y 1", "z 2"),
        exported("c.csv", "Cy", "x 3", "y 0", "z 2"),
    ]
    found = rw.judging.merge(*files)
    assert grades_of(found) == {"x": 0, "y": 0, "z": 2, "u": 3}  # y is tied between 0, 1 and 2
    assert (found.tied, found.disputed, found.judged_by.tolist()) == (1, 3, [3, 3, 3, 1])
    assert [judge.as_merged for judge in found.judges] == [
        pytest.approx(2 / 4),
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    ]
    assert grades_of(rw.judging.merge(*files, how="max")) == {"x": 3, "y": 2, "z": 2, "u": 3}


def test_repeats_measure_a_judge_and_do_not_vote(exported):
    files = [
        exported("a.csv", "Ann", "x 0", "y 1", "z 1", "x 1 !", "y 1 !", "z 0 !"),
        exported("b.csv", "Bo", "x 0", "y 0", "x 0 !"),
    ]
    found = rw.judging.merge(*files)
    ann, bo = found.judges
    # of (0, 1), (1, 1), (1, 0): 1 of 3 agree; by chance (1/3 · 1/3 + 2/3 · 2/3) = 5/9: κ = (1/3 − 5/9) / (4/9) = −1/2
    assert (ann.judged, ann.repeats, ann.self_agreement, ann.self_kappa) == (
        3,
        3,
        pytest.approx(1 / 3),
        pytest.approx(-0.5),
    )
    assert (bo.repeats, bo.self_agreement) == (1, 1)
    assert found.to_dict()["judges"][1]["self_kappa"] is None  # there is nothing to disagree on
    assert grades_of(found) == {"x": 0, "y": 0, "z": 1}
    assert found.judged_by.tolist() == [2, 2, 1]


def test_a_repeat_of_what_was_skipped_is_a_first_judgement(exported):
    found = rw.judging.merge(exported("a.csv", "Ann", "x 0", "y 2 !"))
    assert grades_of(found) == {"x": 0, "y": 2}
    assert found.judges[0].repeats == 0


def test_a_sheet_that_was_exported_twice_counts_once_and_the_latest_grade_wins(exported):
    early = exported("early.csv", "Ann", "x 0", "y 1")
    late = exported("late.csv", "Ann", "x 0", "y 2 @9", "z 1")
    for files in ((early, late), (late, early)):
        found = rw.judging.merge(*files)
        assert grades_of(found) == {"x": 0, "y": 2, "z": 1}
        assert (found.judged_again, found.judged_by.tolist()) == (1, [1, 1, 1])
        assert "the latest counts" in str(found)


def test_the_published_table_through_sheets(exported):
    # the first anaesthetist's second and third judgements cannot both be repeats, so the second is left out: 6 per patient
    words = [[] for _ in range(5)]
    for at, (patient, judge, grade) in enumerate(ROWS):
        turn = at % 7
        if turn != 1:
            words[judge].append(f"p{patient} {grade + 1}" + " !" * (turn == 2))
    files = [exported(f"{judge}.csv", f"J{judge}", *each) for judge, each in enumerate(words)]
    found = rw.judging.merge(*files, how="dawid-skene")
    assert found.model.shares.round(2).tolist() == pytest.approx([0.4, 0.42, 0.11, 0.07], abs=0.02)
    assert found.judges[0].repeats == 45
    assert len(found.to_tables()) == 6
    data = json.loads(found.to_json())
    assert data["model"]["confusion"]["J0"][0][0] == pytest.approx(found.model.confusion[0, 0, 0])
    assert all(0 < row["probability"] <= 1 for row in data["items"])


def test_what_is_saved_is_read_again(exported, tmp_path):
    found = rw.judging.merge(
        exported("a.csv", "Ann", "x 0", "y 2"), exported("b.csv", "Bo", "x 1", "y 2"), how="max"
    )
    for name in ("m.txt", "m.qrels", "m.csv", "m.parquet", "m.tsv", "m.jsonl"):
        found.save(tmp_path / name)
        read = rw.read_qrels(str(tmp_path / name))
        rows = zip(read.query.tolist(), read.item.tolist(), read.grade.tolist(), strict=True)
        assert list(rows) == [("1", "x", 1.0), ("1", "y", 2.0)], name
    assert (tmp_path / "m.txt").read_text() == "1 0 x 1\n1 0 y 2\n"
    run = {"1": {"x": 2.0, "y": 1.0}}
    assert rw.evaluate(run, found.qrels(), ["cg@2"]).mean["cg@2"] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,item,grade\n1,a,1\n", "no column 'judge'"),
        (",".join(HEAD) + "\n", "hold no judgement"),
        (",".join(HEAD) + "\n1,a,,Ann,,1,false,\n", "row 1: the grade is missing"),
        (",".join(HEAD) + "\n1,a,2,Ann,,1,false,\n1,b,x,Ann,,1,false,\n", "row 2: the grade is no number"),
        (",".join(HEAD) + "\n1,a,inf,Ann,,1,false,\n", "row 1: the grade is no number"),
        (",".join(HEAD) + "\n1,a,1,,,1,false,\n", "row 1: the judge is missing"),
        (",".join(HEAD) + "\n1,a,1,Ann,,1,maybe,\n", "is_repeat must be true or false"),
    ],
)
def test_what_is_no_sheet_is_one_error(text, message, tmp_path):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(RankwellError, match=message):
        rw.judging.merge(tmp_path / "a.csv")


def test_a_file_twice_and_ids_with_spaces_for_trec_are_refused(exported, tmp_path):
    file = exported("a.csv", "Ann", "x 0")
    with pytest.raises(RankwellError, match="given twice"):
        rw.judging.merge(file, file)
    file.write_text(",".join(HEAD) + "\n1,a b,1,Ann,,1,false,\n")
    with pytest.raises(RankwellError, match="'a b', which has spaces"):
        rw.judging.merge(file).save(tmp_path / "m.txt")
    assert not (tmp_path / "m.txt").exists()


def with_grade(tmp_path, grade):
    file = tmp_path / "ann.csv"
    file.write_text(",".join(HEAD) + f"\n1,b,0,Ann,,1,false,\n1,a,{grade},Ann,,2,false,\n")
    return file


BEYOND = (
    "99999999999999999999",
    "-99999999999999999999",
    "9007199254740993",
    "1e300",
    "-1e19",
    "9223372036854775808",
)


@pytest.mark.parametrize("grade", BEYOND)
def test_a_grade_beyond_two_to_the_53_is_refused_with_its_file_and_row(grade, tmp_path, capsys):
    file = with_grade(tmp_path, grade)
    ways = rw.judging.merge, rw.read_qrels, lambda path: rw.agreement({"1": {"a": 1, "b": 0}}, path)
    for way in ways:
        with pytest.raises(RankwellError, match=rf"ann\.csv, row 2: the grade '{grade}' is too large"):
            way(file)
    assert command(["judging", "merge", str(file), "-o", str(tmp_path / "m.txt")]) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "m.txt").exists()


@pytest.mark.parametrize(
    ("grade", "written"),
    [("9007199254740992", 2**53), ("-9007199254740992", -(2**53)), ("2.0", 2), ("-3", -3)],
)
def test_a_whole_grade_up_to_two_to_the_53_stays_what_it_is(grade, written, tmp_path):
    rw.judging.merge(with_grade(tmp_path, grade)).save(tmp_path / "m.txt")
    assert f"1 0 a {written}\n" in (tmp_path / "m.txt").read_text()


def test_a_grade_with_a_fraction_stays_what_it_is(tmp_path):
    found = rw.judging.merge(with_grade(tmp_path, "2.5"))
    assert grades_of(found) == {"b": 0, "a": 2.5}


def test_a_name_that_is_written_in_two_forms_of_unicode_is_one_judge(exported):
    composed, apart = "Jos\u00e9", "Jose\u0301"  # the same name from two keyboards
    assert composed != apart
    files = exported("a.csv", composed, "x 0", "y 1"), exported("b.csv", apart, "x 2 @9", "z 1")
    found = rw.judging.merge(*files)
    assert [judge.name for judge in found.judges] == [composed]
    assert (grades_of(found), found.judged_again) == ({"x": 2, "y": 1, "z": 1}, 1)
    assert [rw.read_qrels(file).assessor.name for file in files] == [composed, composed]
    said = str(rw.agreement(files[0], files[1]))
    assert apart not in said
    assert (
        len(rw.judging.merge(files[0], exported("c.csv", "Jose", "x 0")).judges) == 2
    )  # no accent: another name


def test_a_korean_name_from_another_system_is_one_judge(exported):
    composed = "\ud64d\uae38\ub3d9"
    apart = unicodedata.normalize("NFD", composed)  # as macOS writes it
    files = exported("a.csv", composed, "x 0"), exported("b.csv", apart, "y 2")
    assert [judge.name for judge in rw.judging.merge(*files).judges] == [composed]
