"""The report of clicks: the answer, and the section with its picture and tables."""

from __future__ import annotations

import pytest
from tests.clicks.plots import test_positions, test_preference

import rankwell as rw


def plain():
    data = rw.report(test_preference.found()).section("clicks").data
    pair = data["values"]["pairs"][0]
    row = data["tables"][0]["rows"][0]
    shown = {
        "values": (pair["won"], pair["lost"], pair["tied"], pair["delta"]),
        "row": tuple(map(int, row[2:6])),
    }
    every = "".join(test_preference.WON.values())
    won, lost = every.count("A"), every.count("B")
    tied = len(every) - won - lost
    expected = {
        "values": (won, lost, tied, (won + tied / 2) / len(every) - 0.5),
        "row": (len(every), won, lost, tied),
    }
    return shown, expected


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("found", [test_preference.found, test_positions.found])
def test_the_page_has_the_answer_and_the_tables(found, lang, tmp_path):
    own = found()
    page = rw.report(own, path=tmp_path / "page.html", lang=lang)
    assert [each.name for each in page.sections] == ["answer", "clicks"]
    assert page.section("clicks").charts.keys() == {"picture"}
    assert page.section("clicks").data["values"] == own.to_dict()
    assert page.answer


def test_the_answer_is_that_of_the_interleaving():
    assert rw.report(test_preference.found()).answer.startswith(
        "No clear winner: A has 59.4 % of impressions"
    )
    assert rw.report(test_positions.found()).answer == "Rank 4 is looked at 0 % as often as rank 1."
