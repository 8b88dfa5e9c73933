"""The plot of wins, against a count of the queries one by one."""

from __future__ import annotations

import pytest
from tests.reporting import second
from tests.reporting.compared import compared, evaluated
from tests.reporting.plots.drawing import rows_in

import rankwell as rw
from rankwell.errors import RankwellError


def bars_of(chart):
    """Of each pair, the three bars by outcome."""
    found = {}
    for row in rows_in(chart, "pair", "said"):
        found.setdefault(tuple(row["pair"].split(" − ")), {})[row["outcome"]] = row
    return found


def plain():
    shown = second.shown_in(rw.plot.wins(second.compared(), "rr"), ("pair", "outcome"), ("queries",))
    expected = {}
    for pair in {pair for pair, _ in shown}:
        counts = second.outcomes("rr", *pair.split(" − "))
        expected |= {(pair, name): (n,) for name, n in zip(("better", "equal", "worse"), counts, strict=True)}
    return shown, expected


@pytest.mark.parametrize(("metric", "sign"), [("ndcg@10", 1), ("p@5", 1), ("first_rank", -1)])
def test_counts_are_those_of_a_loop_over_the_queries(metric, sign):
    own = evaluated(4)
    bars = bars_of(rw.plot.wins(compared(4), metric))
    assert len(bars) == 6
    for (first, last), found in bars.items():
        counts = {"better": 0, "equal": 0, "worse": 0}
        pairs = zip(own[first].per_query[metric], own[last].per_query[metric], strict=True)
        for one, other in pairs:
            if one is not None and other is not None:
                gain = sign * (one - other)
                counts["better" if gain > 1e-9 else "worse" if gain < -1e-9 else "equal"] += 1
        assert {outcome: row["queries"] for outcome, row in found.items()} == counts


def test_bars_follow_each_other_and_ties_lie_across_zero():
    for found in bars_of(rw.plot.wins(compared(4), "p@5")).values():
        worse, equal, better = (found[outcome] for outcome in ("worse", "equal", "better"))
        assert worse["end"] == equal["start"] == pytest.approx(-equal["end"])
        assert equal["end"] == better["start"]
        assert better["end"] - worse["start"] == pytest.approx(1)


def test_beside_a_baseline_each_system_has_a_bar():
    bars = bars_of(rw.plot.wins(compared(4, baseline="s1"), "ndcg@10"))
    assert set(bars) == {("s0", "s1"), ("s2", "s1"), ("s3", "s1")}


@pytest.mark.parametrize("metric", ["coverage@3", "personalization@3"])
def test_a_metric_of_all_lists_has_no_wins(metric):
    with pytest.raises(RankwellError, match="no wins and losses"):
        rw.plot.wins(compared(3), metric)
