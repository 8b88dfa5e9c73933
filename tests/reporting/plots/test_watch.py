"""The picture of a watch, against values per query in plain loops."""

from __future__ import annotations

import math
import statistics

import pytest
from tests.reporting import second
from tests.reporting.plots.drawing import rows_in, text_of
from tests.reporting.plots.pictures import spec_checked

import rankwell as rw
from rankwell.errors import UsageError

DAYS = [f"2026-11-{day:02}" for day in range(1, 19)]


def dated(metric="rr"):
    """The three systems of the second versions in turn, a day each."""
    results = [*second.results([metric]).values()]
    return {day: results[at % 3] for at, day in enumerate(DAYS)}


def plain():
    shown = second.shown_in(rw.plot.watch(rw.watch(dated(), "rr", 14)), ("date_text",), ("mean", "expected"))
    names = list(second.RUNS)
    means = [second.mean_of("rr", names[at % 3]) for at in range(len(DAYS))]
    expected = statistics.fmean(means[:14])
    return shown, {(day,): (means[at], expected) for at, day in enumerate(DAYS)}


def falling(**options):
    """A watch of 20 days, in the last five of which the relevant item of most of 60 queries is second or third."""
    days = {}
    for at in range(20):
        hits = 50 - 5 * (at % 3) if at < 15 else 5
        run = {f"{at}/{q}": ["a", "b"] if q < hits else ["b", "a"] for q in range(60)}
        days[f"2026-11-{at + 1:02}"] = rw.evaluate(run, {query: {"a": 1} for query in run}, ["rr"])
    return rw.watch(days, "rr", 14, **options)


def rows_of(chart):
    return {row["date_text"]: row for row in rows_in(chart, "date_text", "mean")}


def test_the_band_is_two_standard_deviations_of_each_day_and_the_sum_is_below():
    found = falling()
    rows = rows_of(rw.plot.watch(found))
    for day in found.days:
        row, reach = rows[str(day.date)], 2 * math.hypot(found.design.day_part, day.error)
        assert (row["mean"], row["expected"]) == (day.mean, day.expected)
        assert (row["low"], row["high"]) == pytest.approx((day.expected - reach, day.expected + reach))
        assert row["total"] == (None if day.use == "reference" else day.total)


def test_alarms_are_triangles_in_both_panels_and_days_of_the_reference_are_hollow():
    found = falling()
    assert found.alarms
    spec = spec_checked(rw.plot.watch(found))
    upper, lower = spec["vconcat"]
    for panel, hollow in ((upper, 14), (lower, 0)):
        points = {
            (layer["mark"]["shape"], layer["mark"]["filled"]): [
                row["date_text"] for row in spec["datasets"][layer["data"]["name"]]
            ]
            for layer in panel["layer"]
            if layer["mark"]["type"] == "point"
        }
        assert points["triangle-down", True] == [str(day) for day in found.alarms]
        assert len(points.get(("circle", False), [])) == hollow
        assert len(points["circle", True]) == 6 - len(found.alarms)
    assert {"h": found.design.threshold} | {"text": f"h = {found.design.threshold:.2f}"} in [
        {key: row[key] for key in ("h", "text")} for row in rows_in(rw.plot.watch(found), "h")
    ]


def test_too_few_days_are_drawn_without_a_band_and_a_sum():
    chart = rw.plot.watch(rw.watch(dict(list(dated().items())[:9]), "rr", 14))
    assert len(spec_checked(chart)["vconcat"]) == 1
    assert all(row["low"] is None and row["total"] is None for row in rows_of(chart).values())
    assert chart.title.text.startswith("rr: nothing was watched yet")


def test_a_day_without_a_value_has_no_point():
    days = dated() | {DAYS[15]: rw.evaluate({"q": []}, {"q": {"a": 0}}, ["rr"])}
    assert DAYS[15] not in rows_of(rw.plot.watch(rw.watch(days, "rr", 14)))


def test_a_file_is_drawn_in_both_languages_and_other_things_are_refused(tmp_path):
    falling().save(tmp_path / "watch.json")
    for given in (tmp_path / "watch.json", str(tmp_path / "watch.json")):
        assert rows_of(rw.plot.watch(given)) == rows_of(rw.plot.watch(falling()))
    drawn = text_of(rw.plot.watch(falling(), lang="ko", dark=True))
    assert "경보" in drawn
    assert all(str(day) in drawn for day in falling().alarms)
    with pytest.raises(UsageError, match=r"expected what rankwell\.watch returns, or its file"):
        rw.plot.watch(dated())
