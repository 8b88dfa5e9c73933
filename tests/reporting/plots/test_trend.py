"""The picture of a trend, against values per query in plain loops."""

from __future__ import annotations

import math

import pytest
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of
from tests.reporting.plots.pictures import spec_checked

import rankwell as rw
from rankwell.errors import RankwellError

WEEKS = ["2026-11-02", "2026-11-09", "2026-11-16"]


def dated(metric="rr"):
    """The three systems of the second versions, one per date."""
    return dict(zip(WEEKS, second.results([metric]).values(), strict=True))


def plain():
    shown = second.shown_in(rw.plot.trend(dated()), ("date",), ("mean", "n"))
    expected = {
        (day,): (second.mean_of("rr", name), str(len(second.QUERIES)))
        for day, name in zip(WEEKS, second.RUNS, strict=True)
    }
    return shown, expected


def falling(metric="rr", days=(0, 0, 1)):
    """A trend of 80 queries of which one of two first items is relevant on some dates (0), one of three later ones on others (1)."""
    run, given = {f"q{n}": list("abcd") for n in range(80)}, {}
    for at, low in enumerate(days):
        pool = "bcd" if low else "ab"
        qrels = {q: {pool[n // len(pool) ** (at % 2) % len(pool)]: 1} for n, q in enumerate(run)}
        given[f"2026-11-{2 + at:02}"] = rw.evaluate(run, qrels, [metric])
    return rw.trend(given)


def rows_of(chart):
    return {row["date"]: row for row in rows_in(chart, "date", "mean")}


def points(chart):
    """The shape and the style of the points of each date."""
    spec = chart.to_dict()
    found = {}
    for layer in spec["layer"]:
        if layer["mark"]["type"] == "point":
            for row in spec["datasets"][layer["data"]["name"]]:
                found[row["date"]] = layer["mark"]["shape"], layer["mark"]["style"]
    return found


def test_the_band_is_the_interval_and_marks_are_changes_that_are_shown():
    found = falling()
    rows = rows_of(rw.plot.trend(found))
    for own in found["rr"]:
        row = rows[str(own.date)]
        assert (row["mean"], row["low"], row["high"]) == (own.mean, own.low, own.high)
        assert bool(row["way"]) == own.is_shown
    assert [row["way"] for row in rows.values()] == ["", "", "down"]
    assert rows["2026-11-04"]["size"] == f"{found['rr'][2].change:.4f}"


@pytest.mark.parametrize(
    ("metric", "shape", "style"),
    [
        ("rr", "triangle-down", "worse"),
        ("first_rank", "triangle-up", "worse"),
        ("num_ret", "circle", "accent"),
    ],
)
def test_a_mark_points_where_the_mean_went_and_its_colour_says_whether_that_is_better(metric, shape, style):
    found = points(rw.plot.trend(falling(metric)))
    assert found["2026-11-04"] == (shape, style)
    assert found["2026-11-03"] == ("circle", "accent")
    better = points(rw.plot.trend(falling(metric, (1, 1, 0))))["2026-11-04"]
    turned = {"triangle-down": "triangle-up", "triangle-up": "triangle-down", "circle": "circle"}[shape]
    assert better == (turned, "better" if style == "worse" else style)


def test_the_line_and_the_band_break_where_there_is_no_value():
    given = {f"2026-11-{day:02}": rw.evaluate({f"q{n}": ["a", "b"] for n in range(9)}, {f"q{n}": {"ab"[n % 2]: int(day != 4)} for n in range(9)}, "rr")
             for day in range(2, 8)}  # fmt: skip
    given["2026-11-06"] = rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, "rr")
    rows = rows_of(rw.plot.trend(given))
    assert "2026-11-04" not in rows
    assert [rows[f"2026-11-{day:02}"]["line"] for day in (2, 3, 5, 6, 7)] == [0, 0, 1, 1, 1]
    assert [rows[f"2026-11-{day:02}"]["low"] is None for day in (5, 6, 7)] == [False, True, False]
    assert len({rows[f"2026-11-{day:02}"]["band"] for day in (3, 5, 7)}) == 3
    alone = [
        row["date"]
        for row in rows_in(rw.plot.trend(given), "date")
        if row["date"] in ("2026-11-05", "2026-11-07")
    ]
    assert len(alone) > 2  # a rule in place of a band without a width


def test_a_metric_per_panel_and_what_marks_mean_is_said():
    found = rw.trend(dict(zip(WEEKS, second.results(["rr", "p@3"]).values(), strict=True)))
    chart = rw.plot.trend(found)
    assert len(spec_checked(chart)["vconcat"]) == 2
    assert chart.title.text == "Trend of rr, p@3"
    alone = rw.plot.trend({WEEKS[0]: dated()[WEEKS[0]]})
    assert alone.title.subtitle[-1].startswith("No change since the date before is shown")
    marked = rw.plot.trend(falling()).title.subtitle
    assert marked[1].startswith("▲ ▼: a rise or a fall since the date before, whose 95 % interval excludes 0")
    assert "vconcat" not in spec_checked(rw.plot.trend(found, metrics="p@3"))
    with pytest.raises(RankwellError, match="ap is not in the trend"):
        rw.plot.trend(found, metrics="ap")


def test_values_without_an_interval_have_no_band():
    given = {
        day: rw.evaluate(run, second.QRELS, ["coverage@3"], items=second.CATALOGUE)
        for day, run in zip(WEEKS, second.RUNS.values(), strict=True)
    }
    chart = rw.plot.trend(given)
    assert chart.title.subtitle[0] == "Line: value by date, without an interval."
    assert all(row["low"] is None and math.isfinite(row["mean"]) for row in rows_of(chart).values())


def test_dates_are_written_the_same_in_every_time_zone():
    drawn = text_of(rw.plot.trend(dated()))
    assert all(day in drawn for day in WEEKS)
    (axis, *_) = [layer["encoding"]["x"]["axis"] for layer in rw.plot.trend(dated()).to_dict()["layer"]]
    assert axis["labelExpr"] == "utcFormat(datum.value, '%Y-%m-%d')"


def test_files_folders_and_results_are_drawn_in_both_languages(tmp_path):
    for day, res in dated().items():
        (tmp_path / "weeks").mkdir(exist_ok=True)
        res.save(tmp_path / "weeks" / f"{day}.json")
    rw.trend(dated()).save(tmp_path / "trend.json")
    for given in (dated(), tmp_path / "weeks", str(tmp_path / "trend.json")):
        assert rows_of(rw.plot.trend(given)) == rows_of(rw.plot.trend(dated()))
    assert "rr의 추이" in text_of(rw.plot.trend(dated(), lang="ko", dark=True))


def test_names_of_runs_are_shown_as_they_can_be():
    run, qrels = {"q": ["a"], "r": ["b", "a"]}, {"q": {"a": 1}, "r": {"a": 1}}
    given = {
        f"2026-11-{2 + at:02}": rw.evaluate(rw.read_run(run, name=name), qrels, "rr")
        for at, name in enumerate(HOSTILE)
    }
    chart = rw.plot.trend(given)
    spec_checked(chart)
    assert all(len(row["run"]) <= 40 for row in rows_of(chart).values())
    assert text_of(chart)
