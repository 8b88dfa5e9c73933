"""The plot of growth, against the measurement and the fits that it draws."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from tests.efficiency.made_growth import SIZES, made
from tests.evidence import evidence
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of

import rankwell as rw
from rankwell.errors import RankwellError

MIB = 2**20
FOUND = made(
    {
        "a": {"memory": lambda n: 3_000 * n, "latency": lambda n: 1e-4 * (1_000 + n)},
        "b": {"memory": lambda n: 500 * n**1.4, "latency": lambda _: 0.002},
    }
)


def plain():
    rows = rows_in(rw.plot.growth(FOUND, quantity="memory"), "documents", "value")
    shown, expected = {}, {}
    for system in ("a", "b"):
        drawn = sorted(row["value"] for row in rows if row["system"] == system and "low" not in row)
        log = [
            (math.log(row["documents"]), math.log(row["value"]))
            for row in rows
            if row["system"] == system and "low" in row
        ]
        rise = (log[-1][1] - log[0][1]) / (log[-1][0] - log[0][0])
        shown[system] = (rise, *drawn)
        measured = [(n, each) for n, own in FOUND.values(system, "memory").items() for each in own]
        x, y = ([math.log(pair[side]) for pair in measured] for side in (0, 1))
        spread = sum((each - second.mean(x)) ** 2 for each in x)
        slope = sum((a - second.mean(x)) * (b - second.mean(y)) for a, b in zip(x, y, strict=True)) / spread
        expected[system] = (slope, *sorted(each / MIB for _, each in measured))
    return shown, expected


def test_points_are_the_repetitions_and_lines_the_fits():
    chart = rw.plot.growth(FOUND, quantity="memory")
    rows = rows_in(chart, "documents", "value")
    points = [row for row in rows if "low" not in row]
    values = FOUND.values("a", "memory")
    expected = sorted(value / MIB for own in values.values() for value in own)
    assert sorted(row["value"] for row in points if row["system"] == "a") == pytest.approx(expected)
    line = [row for row in rows if "low" in row and row["system"] == "b"]
    rise = math.log(line[-1]["value"] / line[0]["value"]) / math.log(SIZES[-1] / SIZES[0])
    assert rise == pytest.approx(FOUND.fit("b", "memory").exponent)
    assert all(row["low"] < row["value"] < row["high"] for row in line)


def test_the_exponent_and_the_law_are_written_at_the_line():
    drawn = text_of(rw.plot.growth(FOUND))
    fit = FOUND.fit("a", "memory")
    assert f"{fit.exponent:.2f} ({fit.low:.2f} – {fit.high:.2f}) · n" in drawn
    assert "· n^b" in drawn
    assert "· 1" in drawn
    first, last = FOUND.fit("a", "latency").ends
    assert f"{first:.2f} → {last:.2f}" in drawn
    bent = {
        (row["system"], row["bent"]) for row in rows_in(rw.plot.growth(FOUND, quantity="latency"), "bent")
    }
    assert bent == {("a", True), ("b", False)}


def test_each_quantity_has_a_panel_and_every_name_is_drawn():
    found = made(
        {
            name: {"latency": lambda n: 1e-6 * n, "indexing": lambda n: 1e-5 * n}
            for name in HOSTILE
            if name != "\ud800"
        }
    )  # frames hold UTF-8
    chart = rw.plot.growth(found, dark=True)
    assert len(chart.to_dict()["concat"]) == 2
    assert "한글 시스템" in text_of(chart)


def test_a_file_is_drawn_in_both_languages():
    file = evidence("growth/engines.json")
    assert "index size (MiB)" in text_of(rw.plot.growth(file))
    assert "색인 크기 (MiB)" in text_of(rw.plot.growth(str(file), lang="ko"))


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(RankwellError, match=r"quantity='memry': .* is memory or latency.*memory"):
        rw.plot.growth(FOUND, quantity="memry")
    with pytest.raises(RankwellError, match="nothing was measured with 3 numbers"):
        rw.plot.growth(made({"a": {"latency": lambda n: n}}, sizes=[10, 100]))
    with pytest.raises(RankwellError, match="found="):
        rw.plot.growth(SimpleNamespace())
