"""The picture of position bias: its points, band and what it says."""

from __future__ import annotations

import math

import pytest
from tests.clicks.worked import columns
from tests.reporting.plots.drawing import rows_in
from tests.reporting.plots.pictures import spec_checked
from tests.reporting.second import shown_in

import rankwell as rw
from rankwell.errors import UsageError

COUNTS = {1: (30, 40), 2: (18, 40), 3: (9, 36), 4: (0, 4)}  # clicks and impressions of ranks


def found():
    rows = [(rank, f"u{at % 9}", int(at < clicks)) for rank, (clicks, n) in COUNTS.items() for at in range(n)]
    return rw.clicks.positions(columns(rows, "rank", "user", "click"))


def plain():
    shown = shown_in(rw.plot.positions(found()), ("rank",), ("theta",))
    first = COUNTS[1][0] / COUNTS[1][1]
    return shown, {(rank,): (clicks / n / first,) for rank, (clicks, n) in COUNTS.items()}


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_band_is_that_of_the_intervals(lang):
    own = found()
    chart = rw.plot.positions(own, lang=lang, dark=lang == "ko")
    spec_checked(chart)
    rows = {row["rank"]: (row["low"], row["high"]) for row in rows_in(chart, "rank", "theta")}
    for row in own.rows[1:3]:
        assert rows[row.rank] == (row.low, row.high)
    assert rows[1] == (1.0, 1.0)
    assert rows[4] == (None, None)  # a rank without clicks has no interval
    assert math.isnan(own.rows[3].low)


def test_a_file_is_drawn_and_other_things_are_refused(tmp_path):
    found().save(tmp_path / "positions.json")
    assert rw.plot.positions(tmp_path / "positions.json").to_dict() == rw.plot.positions(found()).to_dict()
    with pytest.raises(UsageError, match=r"expected what rankwell\.clicks\.positions returns"):
        rw.plot.positions({"rank": [1]})
