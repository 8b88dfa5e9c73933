"""The precision-recall plot."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting import second
from tests.reporting.plots.drawing import rows_in
from tests.reporting.plots.pictures import HOSTILE, QRELS, RUNS, spec_checked, values_of

import rankwell as rw
from rankwell import Evaluator, plot
from rankwell.errors import DataError, UsageError

JUDGED = {"q": {"x": 1, "w": 1}, "r": {"y": 1}}


def plain():
    chart = rw.plot.precision_recall(second.RUNS, second.QRELS)
    expected = {}
    for system, lists in second.LISTS.items():
        for level in range(11):
            best = []  # of each query, the highest precision at any rank at which so much is found
            for query, listed in lists.items():
                found = second.hits(listed, second.QRELS[query])
                n = sum(grade > 0 for grade in second.QRELS[query].values())
                ranks = [rank for rank in range(1, 9) if 10 * sum(found[:rank]) >= level * n]
                best.append(max((sum(found[:rank]) / rank for rank in ranks), default=0.0))
            expected[system, level / 10] = (second.mean(best),)
    rows = rows_in(chart, "system", "recall", "precision", "recall_text", "precision_text")
    return {(row["system"], row["recall"]): (row["precision"],) for row in rows}, expected


def test_points_of_the_mean_are_those_of_the_evaluator():
    chart = plot.precision_recall(RUNS, QRELS, rel=8)
    ev = Evaluator(QRELS, ["ap"], rel=8)
    for name, run in RUNS.items():
        own = [row for row in values_of(chart) if row.get("system") == name and "recall" in row]
        curve = ev.curve(run, levels=[tenth / 10 for tenth in range(11)])
        points = list(zip(curve.levels, curve.precision, strict=True))
        assert [(row["recall"], row["precision"]) for row in own[:11]] == points
        assert (own[-1]["recall"], own[-1]["precision"]) == (curve.break_even, curve.break_even)
    assert (
        chart.title.subtitle[0]
        == "4 systems, interpolated precision at 11 levels of recall, mean over 379 queries"
    )


def test_one_query_has_sawtooth_staircase_and_break_even():
    chart = plot.precision_recall({"a": {"q": ["x", "y", "z"]}}, {"q": {"x": 1, "z": 1}}, "q")
    rows = values_of(chart)
    assert [(row["rank"], row["recall"], row["precision"]) for row in rows if "rank" in row] == [
        (1, 0.5, 1.0),
        (2, 0.5, 0.5),
        (3, 1.0, 2 / 3),
    ]
    assert '"interpolate": "step-before"' in chart.to_json()
    assert {"system": "a", "recall": 0.5, "precision": 0.5, "recall_text": "0.5000"} in rows


def test_lines_of_equal_f_have_that_f_everywhere():
    chart = plot.precision_recall({"a": {"q": ["x"]}}, {"q": {"x": 1}}, isolines=[0.3, 0.75])
    rows = [row for row in values_of(chart) if "f" in row]
    assert {row["f"] for row in rows} == {0.3, 0.75}
    for row in rows:
        assert 2 * row["precision"] * row["recall"] / (row["precision"] + row["recall"]) == pytest.approx(
            row["f"]
        )
        assert row["precision"] <= 1 + 1e-12


def test_the_axis_of_precision_is_shortened_and_said_if_all_is_low():
    assert (
        "The axis of precision ends at 0.08." in plot.precision_recall(RUNS, QRELS, rel=8).title.subtitle[1]
    )
    assert "ends" not in plot.precision_recall({"a": {"q": ["x"]}}, {"q": {"x": 1}}).title.subtitle[1]


@pytest.mark.parametrize("query", [None, "q"])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_hostile_names_are_short_text_and_fields_are_plain(lang, query):
    chart = plot.precision_recall(HOSTILE, JUDGED, query, lang=lang, isolines=True)
    assert len(str(spec_checked(chart))) < 60_000
    systems = {row["system"] for row in values_of(chart) if "system" in row}
    assert len(systems) == len(HOSTILE)
    assert "<script>alert(1)</script>" in systems


def test_fifty_systems_have_three_in_colour_or_those_asked_for():
    rng = np.random.default_rng(0)
    runs = {f"s{n:02d}": {"q": [str(i) for i in rng.permutation(20)]} for n in range(50)}
    qrels = {"q": {str(i): 1 for i in range(5)}}
    chart = plot.precision_recall(runs, qrels, "q")
    assert "3 of 50 systems are in colour" in spec_checked(chart)["title"]["subtitle"]
    assert len(chart.to_json(indent=None)) < 200_000
    chosen = plot.precision_recall(runs, qrels, highlight=["s07", "s49"])
    assert "2 of 50 systems are in colour" in chosen.title.subtitle
    with pytest.raises(UsageError, match=r"highlight='s7'.*Did you mean s"):
        plot.precision_recall(runs, qrels, highlight="s7")
    with pytest.raises(UsageError, match="at most 8"):
        plot.precision_recall(runs, qrels, highlight=list(runs)[:9])


def test_what_has_no_curve_is_refused():
    with pytest.raises(DataError, match="no query has a relevant item"):
        plot.precision_recall({"q": ["x"]}, {"q": {"x": 0}})
    with pytest.raises(UsageError, match="has no relevant item"):
        plot.precision_recall({"q": ["x"]}, {"q": {"x": 0}}, "q")
    with pytest.raises(UsageError, match="is in neither"):
        plot.precision_recall({"q": ["x"]}, {"q": {"x": 1}}, "r")
