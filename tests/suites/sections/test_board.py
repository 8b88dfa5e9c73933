"""The report of a board: the answer, and the section with its pictures and table."""

from __future__ import annotations

import re

import pytest
from tests.suites import second
from tests.suites.plots.test_ranks import board

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.errors import UsageError
from rankwell.suites.sections.board import section


def plain():
    data = rw.report(second.board()).section("board").data
    shown = {
        row["system"]: (row["place"], row["rank_low"], row["rank_high"], row["mean"])
        for row in data["values"]["rows"]
    }
    shown |= {f"row of {row[1]}": (int(row[0]), float(row[3])) for row in data["rows"]}
    mean = {name: sum(own) / len(own) for name, own in second.VALUES.items()}
    place = second.mean_places(second.VALUES)
    expected = {
        name: (place[name], *ends, mean[name]) for name, ends in second.rank_intervals(second.VALUES).items()
    }
    expected |= {f"row of {name}": (place[name], round(mean[name], 4)) for name in second.VALUES}
    return shown, expected


def test_the_page_has_the_answer_and_the_board(tmp_path):
    own = board()
    found = rw.report(own, path=tmp_path / "page.html")
    assert [each.name for each in found.sections] == ["answer", "board"]
    assert found.title == own.caption()
    assert (
        found.answer
        == f"2 of 3 systems on 7 tasks may be the best: {own.rows[0].system} has the best value, and as many rank intervals hold 1."
    )
    data, charts = found.section("board").data, found.section("board").charts
    assert data["rows"][0][:3] == ["1", own.rows[0].system, "1–2 *"]
    assert data["notes"] == own.notes()
    assert set(charts) == {"ranks", "heatmap"}
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert own.to_html() not in page  # the table of the page is its own
    assert all(note.replace("’", "’") in page for note in own.notes() if "<" not in note and "&" not in note)
    assert page.rstrip("\n") == own._page().rstrip("\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tasks": 4}, "but 4 tasks are too few to tell any two apart."),
        ({"systems": 2, "tasks": 7}, "2 of 2 systems on 7 tasks may be the best"),
        ({"systems": 4, "tasks": 7, "rank_by": "borda"}, "2 of 4 systems on 7 tasks may be the best"),
    ],
)
def test_the_answer_says_no_more_than_is_known(options, said):
    assert said in rw.report(board(**options)).answer


def test_a_clear_winner_is_said_to_be_alone():
    values = {f"t{t}": {"a": 0.9 + t / 100, "b": 0.2} for t in range(7)}
    assert (
        rw.report(rw.suite(values).board()).answer
        == "a is the best of 2 systems on 7 tasks: no other rank interval holds 1."
    )


def test_the_page_is_in_korean_too():
    found = rw.report(board(), lang="ko")
    assert re.search("[가-힣]", found.answer)
    english = {
        each
        for each in words_of("en").texts
        if each.startswith(("suites.", "plots.ranks.", "plots.heatmap."))
    }
    assert english
    assert all(
        words_of("ko").texts[key] != words_of("en").texts[key]
        for key in english
        if key != "plots.heatmap.title"
    )


def test_reports_of_systems_have_no_board_and_boards_are_evaluated_already():
    assert section.make.__name__ == "section"
    assert "board" not in [
        each.name for each in rw.report({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["rr"]).sections
    ]
    with pytest.raises(UsageError, match="is evaluated already"):
        rw.report(board(), {"q": {"a": 1}}, ["rr"])
