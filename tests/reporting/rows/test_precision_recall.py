"""The rows behind the precision-recall plot."""

from __future__ import annotations

import numpy as np
import pytest
from tests.definitions.worked import examples

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.reporting.plots.precision_recall import f_values
from rankwell.reporting.rows.precision_recall import levels_of, rows_of, sawtooth, staircase
from rankwell.results.curves import curve_of_one

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
