"""Findings: one type for every check, with its text, tables, JSON and annotations."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.display.findings import Finding, Findings
from rankwell.prepare import check

NOTE = Finding("drift", "note", "test.csv", "the shares differ", "Look at them.", None, value=0.25)
WARNING = Finding(
    "copies", "warning", "a.csv:3", "50% are copies\nof others", "Remove them.", 2, "rr 0.5 → 1", of=8
)
ERROR = Finding("scale", "error", "run, query '1'", "the grade is 9", "Fix it.")
FOUND = Findings([NOTE, WARNING, ERROR])


def test_the_worst_come_first_and_are_counted():
    assert list(FOUND) == [ERROR, WARNING, NOTE]
    assert FOUND.counts() == {"error": 1, "warning": 1, "note": 1}
    assert FOUND.summary() == "1 error, 1 warning, 1 note"
    assert (FOUND.is_wrong, Findings([NOTE]).is_wrong, Findings([]).is_wrong) == (True, False, False)
    assert str(Findings([])) == "nothing is wrong"


def test_the_share_is_of_the_whole_or_a_measured_value():
    assert [each.share for each in FOUND] == [None, 0.25, 0.25]
    assert Finding("empty", "note", "a", "nothing", "-", 0, of=0).share is None


def test_plain_values_have_a_whole_and_a_value_only_where_they_are_known():
    assert [set(row) & {"of", "value"} for row in FOUND.to_dicts()] == [set(), {"of"}, {"value"}]


def test_the_frame_and_the_table_hold_the_same_rows():
    frame, (table, remedies) = FOUND.to_frame(), FOUND.to_tables()
    assert frame.columns == ["severity", "check", "n", "of", "share", "found", "remedy"]
    assert frame.drop("remedy").to_dicts() == table.to_records()
    assert frame.select("check", "remedy").to_dicts() == remedies.to_records()
    assert frame.row(1) == ("warning", "copies", 2, 8, 0.25, "50% are copies\nof others", "Remove them.")
    assert (Findings([]).to_tables(), len(Findings([]).to_frame())) == ((), 0)


def test_annotations_name_file_and_line_and_are_escaped():
    first, second, third = FOUND.to_github().splitlines()
    assert first == "::error file=run, query '1',title=scale::the grade is 9. Fix it."
    assert second.startswith(
        "::warning file=a.csv,line=3,title=copies::50%25 are copies%0Aof others. rr 0.5 → 1."
    )
    assert third.startswith("::notice file=test.csv,title=drift::")


def test_lint_and_check_find_in_the_same_words():
    linted = rw.lint({"1": {"a": 1.0}}, {"2": {"a": 1}})
    checked, _ = check({"a": ["x"]}, {"a": ["x"]})
    assert isinstance(linted, Findings)
    assert set(linted.to_frame().columns) == set(checked.columns)
    with pytest.raises(AttributeError):
        linted[0].level = "note"
