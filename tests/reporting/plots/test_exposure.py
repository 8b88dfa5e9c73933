"""The plot of exposure by popularity."""

from __future__ import annotations

import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, RUNS, TRAIN, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.errors import DataError, UsageError

LOG = {"ann": ["x", "y", "z"], "bob": ["x", "y"], "cid": ["x"]}


def plain():
    chart = rw.plot.exposure(second.RUNS, second.TRAIN, second.ITEMS, k=3)
    group, expected = second.groups(second.CATALOGUE), {}
    log = [group[item] for own in second.TRAIN.values() for item in own]
    for system, lists in second.LISTS.items():
        slots = [group[item] for listed in lists.values() for item in listed[:3]]
        expected |= {(system, at): (slots.count(at) / len(slots),) for at in range(1, 11)}
    expected |= {("log", at): (log.count(at) / len(log),) for at in range(1, 11)}
    shown = second.shown_in(chart, ("system", "group"), ("share",))
    of_log = second.shown_in(chart, ("group",), ("interactions_share",))
    return shown | {("log", at): share for (at,), share in of_log.items()}, expected


def test_lines_have_the_shares_of_slots_and_bars_those_of_interactions():
    chart = plot.exposure({"a": {"q": ["x", "z"], "r": ["x"]}, "b": {"q": ["z"]}}, LOG, groups=3)
    rows = values_of(chart)
    shares = {
        (row["system"], row["group"]): row["share"] for row in rows if "share" in row and "system" in row
    }
    assert shares == {
        ("a", 1): pytest.approx(2 / 3),
        ("a", 2): 0.0,
        ("a", 3): pytest.approx(1 / 3),
        ("b", 1): 0.0,
        ("b", 2): 0.0,
        ("b", 3): 1.0,
    }
    bars = {row["group"]: row["interactions_share"] for row in rows if "interactions_share" in row}
    assert bars == pytest.approx({1: 3 / 6, 2: 2 / 6, 3: 1 / 6})
    assert chart.title.subtitle == [
        "3 items in 3 groups of equal size by popularity; 2 lists",
        "Bars: share of the training interactions. Dashed: 33 % of the items are in each group.",
    ]


def test_what_is_left_out_is_said():
    chart = plot.exposure({"a": {"q": ["x", "new"]}}, LOG, groups=2)
    assert chart.title.subtitle[-1] == "1 recommendation outside the catalogue is left out."


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("view", ["cut", "log2p1"])
def test_it_is_drawn_in_both_languages_and_views(lang, view):
    spec_checked(plot.exposure(RUNS, TRAIN, ITEMS, k=5, view=view, lang=lang, dark=True))
    spec_checked(plot.exposure(HOSTILE, LOG, groups=3, view=view, lang=lang))
    spec_checked(plot.exposure({"a": {"q": ["new"]}}, LOG, groups=3, view=view, lang=lang))


def test_bad_groups_are_refused():
    with pytest.raises(UsageError, match="at least 2"):
        plot.exposure(RUNS, TRAIN, groups=1)
    with pytest.raises(DataError, match="set groups="):
        plot.exposure({"a": {"q": ["x"]}}, LOG)
    with pytest.raises(UsageError, match="view='log'"):
        plot.exposure(RUNS, TRAIN, view="log")
