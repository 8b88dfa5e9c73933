"""The plot of judging, against the simulation that it draws."""

from __future__ import annotations

import math

import pytest
from tests.judging import slow
from tests.reporting import second
from tests.reporting.plots.drawing import rows_in, text_of

import rankwell as rw


def found(methods=("mtc", "depth")):
    lists, grades = slow.worlds(2, runs=5, queries=4, items=14, length=10)
    qrels: dict[str, dict[str, float]] = {}
    for (query, item), grade in grades.items():
        qrels.setdefault(query, {})[item] = grade
    return rw.judging.simulate(lists, qrels, methods=methods, budgets=[2, 5, 10, 20])


def plain():
    simulated = found()
    expected = {
        (row.method, row.judgements): (row.tau_ap, row.error, row.found)
        for row in simulated.rows
        if not math.isnan(row.tau_ap)
    }
    chart = rw.plot.effort(simulated)
    return second.shown_in(chart, ("system", "judgements"), ("value", "error", "found")), expected


def test_points_are_the_rows_that_have_an_order():
    simulated = found()
    rows = rows_in(rw.plot.effort(simulated), "judgements", "value")
    drawn = {(row["system"], row["judgements"], row["value"]) for row in rows}
    assert drawn == {
        (row.method, row.judgements, row.tau_ap) for row in simulated.rows if row.tau_ap == row.tau_ap
    }
    assert len(drawn) > 5


def test_methods_are_named_at_their_lines_in_both_languages():
    simulated = found()
    for lang, word in (("en", "judgements"), ("ko", "판정")):
        text = text_of(rw.plot.effort(simulated, lang=lang))
        assert word in text
        assert "mtc" in text
        assert "depth" in text


def test_a_saved_simulation_is_drawn_alike(tmp_path):
    simulated = found()
    simulated.save(tmp_path / "found.json")
    assert rw.plot.effort(tmp_path / "found.json").to_dict() == rw.plot.effort(simulated).to_dict()


def test_what_has_no_order_is_refused():
    lists, grades = slow.worlds(2)
    nothing: dict[str, dict[str, float]] = {}
    for query, item in grades:
        nothing.setdefault(query, {})[item] = 0
    simulated = rw.judging.simulate(lists, nothing, methods="depth", budgets=[2])
    with pytest.raises(rw.RankwellError, match="no judged item was relevant"):
        rw.plot.effort(simulated)
    with pytest.raises(rw.RankwellError, match="found= is what"):
        rw.plot.effort(3)
