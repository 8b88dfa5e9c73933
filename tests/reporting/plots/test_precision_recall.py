"""The precision-recall plot."""

from __future__ import annotations

import numpy as np
import pytest
from tests.definitions.worked import examples
from tests.reporting import second
from tests.reporting.plots.drawing import rows_in
from tests.reporting.plots.pictures import HOSTILE, QRELS, RUNS, spec_checked, values_of

import rankwell as rw
from rankwell import Evaluator, plot
from rankwell.errors import DataError, UsageError
from rankwell.reporting.plots.precision_recall import f_values, levels_of, rows_of, sawtooth, staircase
from rankwell.results.curves import curve_of_one

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


LISTS = [
    ([1, 0, 1, 0, 0, 1, 0, 0, 0, 0], 3),
    ([0, 0, 0, 1], 5),
    ([1, 1, 1], 3),
    ([0, 0], 1),
    *[((np.random.default_rng(seed).random(60) < 0.2).astype(int).tolist(), 20) for seed in range(20)],
]


def curve(rel, relevant):
    ranks = [rank for rank, is_hit in enumerate(rel, start=1) if is_hit]
    return curve_of_one(ranks, relevant, len(rel), levels_of(11), "q")


def at(corners, recall):
    """The height of the staircase: the corner at this recall, or the next one."""
    return next(precision for level, precision in corners if level >= recall - 1e-12)


@pytest.mark.parametrize(("rel", "relevant"), LISTS)
def test_the_staircase_is_the_highest_precision_at_this_recall_or_later(rel, relevant):
    corners = staircase(curve(rel, relevant))
    points = [(sum(rel[:k]) / relevant, sum(rel[:k]) / k) for k in range(1, len(rel) + 1)]
    for level in [step / relevant for step in range(1, relevant + 1)]:
        best = max((p for r, p in points if r >= level - 1e-12), default=0.0)
        assert at(corners, level) == pytest.approx(best, abs=1e-15)
    assert corners[0][0] == 0.0
    assert corners[-1][0] == 1.0
    assert [p for _, p in corners] == sorted((p for _, p in corners), reverse=True)


def test_the_staircase_has_the_eleven_values_of_the_worked_example():
    example = examples()["s004.iprec11_R3"]
    corners = staircase(curve(example["input"]["rel"], example["input"]["R"]))
    assert [at(corners, tenth / 10) for tenth in range(11)] == example["expected"]


@pytest.mark.parametrize(("rel", "relevant"), LISTS)
def test_the_sawtooth_keeps_every_point_on_its_line(rel, relevant):
    whole = curve(rel, relevant)
    kept = {rank: (r, p) for rank, r, p in sawtooth(whole)}
    assert {1, len(rel)} <= kept.keys()
    assert len(kept) <= 2 * sum(rel) + 2
    for rank, recall, precision in whole.points:
        if rank not in kept:  # then it is on the vertical between two kept points of the same recall
            above, below = max(k for k in kept if k < rank), min(k for k in kept if k > rank)
            assert kept[above][0] == kept[below][0] == recall
            assert kept[above][1] >= precision >= kept[below][1]


def test_the_summary_has_the_values_of_the_metrics():
    rng = np.random.default_rng(0)
    qrels = {str(q): {str(i): 1 for i in rng.choice(40, 8, replace=False)} for q in range(30)}
    run = {str(q): [str(i) for i in rng.permutation(40)[:30]] for q in range(30)}
    ev = rw.Evaluator(qrels, ["avg11", "rprec"])
    res = ev.evaluate(run)
    (summary,) = rows_of({"run": ev.curve(run, levels=levels_of(11))})["summary"]
    assert summary["mean"] == pytest.approx(res["avg11"], abs=1e-12)
    assert summary["n"] == 30
    (summary,) = rows_of({"run": ev.curve(run, "7", levels=levels_of(11))})["summary"]
    assert summary["break_even"] == res.per_query.filter(query="7")["rprec"].item()


def test_a_list_without_a_hit_lies_on_the_ground():
    rows = rows_of({"run": curve([0, 0], 2)})
    assert [(row["recall"], row["precision"]) for row in rows["curve"]] == [(0.0, 0.0), (1.0, 0.0)]


@pytest.mark.parametrize("levels", [1, True, 0])
def test_too_few_levels_are_refused(levels):
    with pytest.raises(UsageError, match="at least 2"):
        levels_of(levels)


def test_values_of_f_are_checked():
    with pytest.raises(UsageError, match="between 0 and 1"):
        f_values([0.5, 1.0])
