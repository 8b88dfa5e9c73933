"""The plot of movement, against SciPy's τ_b and ranks counted by hand."""

from __future__ import annotations

import random

import pytest
from scipy.stats import kendalltau
from tests.evidence import evidence
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, rows_of, text_of

import rankwell as rw
from rankwell.errors import RankwellError, UsageError
from rankwell.reporting.plots.movement import least_move

RUNS = {name: evidence(f"cranfield/runs/{name}.run") for name in ("bm25", "tfidf", "lsi", "coord")}


def halves():
    """Judgements of items with even and with odd numbers."""
    found = {}, {}
    for line in evidence("cranfield/qrels.graded.txt").read_text().splitlines():
        query, _, item, grade = line.split()
        found[int(item) % 2].setdefault(query, {})[item] = int(grade)
    return found


def plain():
    other = {q: {item: 1 - min(grade, 1) for item, grade in own.items()} for q, own in second.QRELS.items()}
    chart = rw.plot.movement(second.RUNS, second.QRELS, "p@3", against=other, resamples=99)
    expected = {}
    for side, qrels in enumerate((second.QRELS, other)):
        means = {
            name: second.mean(second.p(lists[q], qrels[q]) for q in second.QUERIES if any(qrels[q].values()))
            for name, lists in second.LISTS.items()
        }
        for name, own in means.items():
            expected[name, side] = own, 1 + sum(each > own + 1e-9 for each in means.values())
    return second.shown_in(chart, ("system", "side"), ("value", "rank")), expected


def test_ranks_and_tau_are_those_of_other_programs():
    left, right = halves()
    means = [[rw.evaluate(run, qrels, ["ap"])["ap"] for run in RUNS.values()] for qrels in (left, right)]
    chart = rw.plot.movement(RUNS, left, "ap", against=right, resamples=0)
    assert f"Kendall’s τ_b {kendalltau(*means).statistic:.2f}" in text_of(chart)
    places = {(row["system"], row["side"]): row["rank"] for row in rows_in(chart, "moved")}
    for side, values in enumerate(means):
        for name, value in zip(RUNS, values, strict=True):
            assert places[name, side] == 1 + sum(other > value for other in values)


def test_the_interval_of_tau_lies_around_it_and_within_its_limits():
    left, right = halves()
    text = text_of(rw.plot.movement(RUNS, left, "ap", against=right, resamples=99))
    low, high = map(float, text.split("τ_b ")[1].split("[")[1].split("]")[0].split(","))
    assert -1 <= low <= float(text.split("τ_b ")[1].split()[0]) <= high <= 1


def test_one_query_has_no_interval():
    qrels = {"q": {"x": 1}}
    text = text_of(rw.plot.movement({"a": {"q": ["x"]}, "b": {"q": ["y", "x"]}}, qrels, "rr", against=qrels))
    assert "τ_b 1.00 ·" in text


def test_systems_of_equal_value_share_a_rank_and_have_rows_of_their_own():
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["y", "x"]}}
    rows = rows_in(
        rw.plot.movement(runs, {"q": {"x": 1}}, "rr", against={"q": {"y": 1}}, resamples=0), "moved"
    )
    left = sorted((row["system"], row["rank"], row["row"]) for row in rows if row["side"] == 0)
    assert left == [("a", 1, 0), ("b", 1, 1), ("c", 3, 2)]
    assert {row["system"]: row["moved"] for row in rows} == {"a": -1, "b": -1, "c": 2}


def test_of_fifty_systems_those_that_move_by_five_ranks_or_more_are_coloured():
    assert [least_move(n) for n in (2, 10, 11, 50)] == [1, 1, 2, 5]
    draw = random.Random(1)
    items = [f"d{number}" for number in range(30)]
    runs = {name: {"q": draw.sample(items, 30)} for name in (*HOSTILE, *map(str, range(43)))}
    left, right = ({"q": dict.fromkeys(draw.sample(items, 5), 1)} for _ in range(2))
    spec = rw.plot.movement(runs, left, "ap", against=right, resamples=0, dark=True, lang="ko").to_dict()
    groups = [group for group in spec["layer"] if "layer" in group]
    assert {group["layer"][0]["mark"]["style"] for group in groups} == {"better", "muted", "worse"}
    for group in groups:
        moves = {abs(row["moved"]) >= 5 for row in rows_of(spec, group)}
        assert moves == {group["layer"][0]["mark"]["style"] != "muted"}


def test_a_system_without_a_value_is_left_out_and_said():
    runs = {"a": {"1": ["x"]}, "b": {"1": ["x"]}, "c": {"2": ["y"]}}
    qrels = {"1": {"x": 1}, "2": {"y": 1}}
    chart = rw.plot.movement(runs, qrels, "rr", against=qrels | {"2": {"y": 0}}, resamples=0, missing="skip")
    assert "1 system has no value" in text_of(chart)


def test_judgements_of_one_name_are_told_apart():
    text = text_of(
        rw.plot.movement(
            {"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"q": {"x": 1}}, "rr", against={"q": {"y": 1}}
        )
    )
    assert "qrels (1)" in text
    assert "qrels (2)" in text


def test_what_has_no_order_is_refused():
    qrels = {"q": {"x": 1}}
    with pytest.raises(UsageError, match="movement needs two"):
        rw.plot.movement({"a": {"q": ["x"]}}, qrels, "rr", against=qrels)
    with pytest.raises(UsageError, match="neither higher nor lower"):
        rw.plot.movement({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, qrels, "num_ret", against=qrels)
    with pytest.raises(RankwellError, match="Did you mean"):
        rw.plot.movement({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, qrels, "ndgc", against=qrels)
