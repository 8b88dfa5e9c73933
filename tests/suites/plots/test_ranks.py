"""The picture of rank intervals: its bars, points and what it says."""

from __future__ import annotations

import pytest
from tests.reporting.plots.drawing import HOSTILE, rows_in
from tests.reporting.plots.pictures import spec_checked
from tests.reporting.second import shown_in
from tests.suites import second

import rankwell as rw
from rankwell.suites.plots.ranks import MOST, rows_of


def plain():
    drawn = shown_in(rw.plot.ranks(second.board()), ("system",), ("place", "low", "high", "least", "most"))
    shown = {
        name: (place, low + 0.4, high - 0.4, least, most)
        for (name,), (place, low, high, least, most) in drawn.items()
    }
    expected = {
        name: (
            place,
            *second.rank_intervals(second.VALUES)[name],
            *second.left_out_places(second.VALUES)[name],
        )
        for name, place in second.mean_places(second.VALUES).items()
    }
    return shown, expected


def board(systems=3, tasks=7, **options):
    """A board whose systems are clearly apart, but for the first two."""
    value = {
        t: [0.9 + 0.001 * (-1) ** t, 0.9 - 0.001 * (-1) ** t, *(0.8 - 0.01 * s for s in range(systems - 2))]
        for t in range(tasks)
    }
    names = [f"s{s}" for s in range(systems)]
    return rw.suite({f"t{t}": dict(zip(names, row, strict=True)) for t, row in value.items()}).board(
        **options
    )


def test_a_row_says_place_interval_and_places_without_a_task():
    rows = rows_of(board())
    own = board()
    assert [(row["system"], row["low"], row["high"], row["tied"]) for row in rows] == [
        (each.system, each.rank_low - 0.4, each.rank_high + 0.4, each.rank_low == 1) for each in own.rows
    ]
    assert [(row["least"], row["most"]) for row in rows] == [
        (each.place_low, each.place_high) for each in own.rows
    ]
    assert [row["ranks"] for row in rows] == ["1–2", "1–2", "3"]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_picture_is_valid_and_says_what_it_shows(lang):
    for own in board(), board(tasks=4), board(rank_by="borda"):
        chart = rw.plot.ranks(own, lang=lang, dark=lang == "ko")
        spec_checked(chart)
        assert {row["system"] for row in rows_in(chart)} == {"s0", "s1", "s2"}
    assert any("cannot separate" in line for line in rw.plot.ranks(board(tasks=4)).title.subtitle)
    assert any("Filled" in line for line in rw.plot.ranks(board()).title.subtitle)


def test_of_many_systems_the_first_are_drawn():
    chart = rw.plot.ranks(board(systems=MOST + 5))
    assert len({row["system"] for row in rows_in(chart)}) == MOST
    assert f"The first {MOST} of {MOST + 5} systems." in chart.title.subtitle


def test_names_are_drawn_as_they_can_be():
    values = {f"t{t}": {name: 0.5 + at / 10 for at, name in enumerate(HOSTILE[:3])} for t in range(6)}
    chart = rw.plot.ranks(rw.suite(values).board())
    spec_checked(chart)
    assert len({row["system"] for row in rows_in(chart)}) == 3


def test_what_read_suite_reads_is_drawn_too(tmp_path):
    (tmp_path / "table.csv").write_text("task,system,value\nt,a,0.5\nt,b,0.25\n")
    for kind in rw.plot.ranks, rw.plot.heatmap:
        assert "by mean (ndcg@3)" in str(kind(tmp_path / "table.csv", metric="ndcg@3").title.text)
        assert kind(rw.suite(tmp_path / "table.csv")).title.text
