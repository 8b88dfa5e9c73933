"""The picture of an interleaving: its points, lines and what it says."""

from __future__ import annotations

import pytest
from tests.clicks.worked import columns
from tests.reporting.plots.drawing import rows_in
from tests.reporting.plots.pictures import spec_checked
from tests.reporting.second import shown_in

import rankwell as rw
from rankwell.errors import UsageError

WON = {"2026-11-02": "ABAAA-BA", "2026-11-09": "AB-ABBA-"}  # who won each impression of a week


def rows(won=WON, teams="AB"):
    return [
        (f"{week} {at}", f"u{at % 4}", week, team, int(team == winner))
        for week, own in won.items()
        for at, winner in enumerate(own)
        for team in teams
    ]


def found(**options):
    return rw.clicks.interleaved(columns(rows(**options), "impression", "user", "time", "team", "click"))


def plain():
    shown = shown_in(rw.plot.preference(found()), ("label",), ("share",))
    every = {"all": "".join(WON.values()), **WON}
    return shown, {
        (label,): (100 * (own.count("A") + own.count("-") / 2) / len(own),) for label, own in every.items()
    }


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_lines_are_intervals(lang):
    own = found()
    chart = rw.plot.preference(own, lang=lang, dark=lang == "ko")
    spec_checked(chart)
    drawn = [row[end] for row in rows_in(chart, "label", "share") for end in ("low", "high")]
    assert drawn == pytest.approx(
        [50 + 100 * end for one in (own.pairs[0], *own.weeks) for end in (one.low, one.high)]
    )


def test_of_three_teams_every_pair_is_drawn():
    chart = rw.plot.preference(found(won={"2026-11-02": "ABCABC"}, teams="ABC"))
    assert [row["label"] for row in rows_in(chart, "label", "share")] == ["A – B", "A – C", "B – C"]


def test_a_file_is_drawn_and_other_things_are_refused(tmp_path):
    found().save(tmp_path / "preference.json")
    assert rw.plot.preference(tmp_path / "preference.json").to_dict() == rw.plot.preference(found()).to_dict()
    with pytest.raises(UsageError, match=r"expected what rankwell\.clicks\.interleaved returns"):
        rw.plot.preference(3)
