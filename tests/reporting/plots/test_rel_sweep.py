"""The plot of a sweep, against one evaluation per threshold."""

from __future__ import annotations

import pytest
from tests.cli.samples import MOVIES
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.reporting.plots.rel_sweep import thresholds_in

RUNS = {name: MOVIES / f"{name}.parquet" for name in ("als", "itemknn", "popular", "random")}
TEST = MOVIES / "test.parquet"


def plain():
    chart = rw.plot.rel_sweep(second.RUNS, second.QRELS, "p@3", rels=[1, 2])
    expected = {}
    for least in (1, 2):
        known = [q for q, judged in second.QRELS.items() if max(judged.values()) >= least]
        for system, lists in second.LISTS.items():
            values = [second.p(lists[q], second.QRELS[q], least=least) for q in known]
            expected[system, str(least)] = second.mean(values), len(known)
    return second.shown_in(chart, ("system", "threshold"), ("value", "n")), expected


def test_each_point_is_an_evaluation_at_its_threshold():
    chart = rw.plot.rel_sweep(RUNS, TEST, "ndcg@10", rels=[7, 9, "interactions"])
    rows = rows_in(chart, "place")
    rules = [{"rel": 7}, {"rel": 9}, {"grades": "interactions"}]
    for place, rule in enumerate(rules):
        for name, run in RUNS.items():
            res = rw.evaluate(run, TEST, ["ndcg@10"], **rule)
            [row] = {
                (row["value"], row["n"]) for row in rows if (row["place"], row["system"]) == (place, name)
            }
            assert row == (res["ndcg@10"], res.n["ndcg@10"])


def test_whether_the_order_changes_is_said():
    runs = {"a": {"u": ["x", "y"]}, "b": {"u": ["y", "x"]}}
    for qrels, said in ({"u": {"x": 3, "y": 8}}, "changes with"), ({"u": {"x": 8, "z": 3}}, "is the same at"):
        assert said in text_of(rw.plot.rel_sweep(runs, qrels, "rr", rels=[3, 8]))


def test_thresholds_are_the_grades_above_the_lowest_and_at_most_twelve():
    assert thresholds_in(rw.read_qrels({"q": {"a": 0, "b": 1, "c": 2, "d": 3}})) == [1, 2, 3]
    found = thresholds_in(rw.read_qrels({"q": {str(grade): grade for grade in range(100)}}))
    assert len(found) == 12
    assert (found[0], found[-1]) == (1, 99)


@pytest.mark.parametrize("qrels", [{"q": {"a": 1, "b": 0}}, {"q": ["a"]}])
def test_judgements_without_several_grades_ask_for_thresholds(qrels):
    with pytest.raises(UsageError, match="name them: rels="):
        rw.plot.rel_sweep({"a": {"q": ["a"]}}, qrels, "rr")


def test_a_threshold_without_a_relevant_item_has_no_point():
    chart = rw.plot.rel_sweep({"a": {"q": ["x"]}}, {"q": {"x": 2}}, "rr", rels=[1, 2, 3])
    assert {row["threshold"] for row in rows_in(chart, "place")} == {"1", "2"}
    with pytest.raises(UsageError, match="undefined at every threshold"):
        rw.plot.rel_sweep({"a": {"q": ["x"]}}, {"q": {"x": 2}}, "rr", rels=[3, 4])


def test_of_fifty_systems_those_that_lead_have_a_colour():
    names = [*HOSTILE, *map(str, range(43))]
    runs = {
        name: {"q": [f"d{number}", *(f"d{rank}" for rank in range(50) if rank != number)]}
        for number, name in enumerate(names)
    }
    qrels = {"q": {f"d{number}": number for number in range(50)}}
    chart = rw.plot.rel_sweep(runs, qrels, "rr", rels=[1, 49], lang="ko", dark=True)
    assert {HOSTILE[1], "42"} <= set(text_of(chart).split())
    assert "41" not in text_of(chart).split()
