"""What pictures share: Altair, and which of many systems are in colour."""

from __future__ import annotations

import sys

import pytest

from rankwell.errors import UsageError
from rankwell.reporting.chart.charts import altair, data
from rankwell.reporting.chart.systems import SystemColours


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(UsageError, match=r"pip install 'rankwell\[report\]'"):
        altair()


def test_layers_of_the_same_rows_share_them():
    rows = [{"x": 1, "y": 2}]
    chart = altair().layer(data(rows).mark_line().encode(x="x:Q"), data(rows).mark_point().encode(x="x:Q"))
    assert list(chart.to_dict()["datasets"].values()) == [rows]


@pytest.mark.parametrize(
    ("systems", "highlight", "bright"),
    [
        (1, None, ["s0"]),
        (8, None, [f"s{n}" for n in range(8)]),
        (9, None, ["s0", "s1", "s2"]),
        (50, ["s40", "s7"], ["s7", "s40"]),
        (50, "s9", ["s9"]),
        (3, ["s2"], ["s2"]),
    ],
)
def test_all_have_a_colour_if_they_are_few_else_those_asked_for_or_the_best(systems, highlight, bright):
    names = [f"s{n}" for n in range(systems)]
    found = SystemColours.of(names[::-1], highlight, names)
    assert list(found.bright) == bright
    assert found.are_all == (len(bright) == systems)


def test_a_system_has_the_same_colour_whoever_is_best():
    first, second = (
        SystemColours.of(["a", "b", "c"], None, best) for best in (["a", "b", "c"], ["c", "b", "a"])
    )
    assert first.scale().to_dict() == second.scale().to_dict()
