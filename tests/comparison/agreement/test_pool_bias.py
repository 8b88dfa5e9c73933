"""pool_bias: against plain loops over the files; judged shares, own judgements, what is left without them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.evidence import evidence

import rankwell as rw

COVID = evidence("trec-covid-round1")
QRELS = COVID / "qrels-rnd1.txt"
RUNS = {path.stem: path for path in sorted((COVID / "runs").iterdir())}
DEPTH = 7


@pytest.fixture(scope="module")
def found():
    return rw.pool_bias(RUNS, QRELS, ["ndcg@10", "p@5"], depth=DEPTH)


@pytest.fixture(scope="module")
def qrels():
    rows = [line.split() for line in QRELS.read_text().splitlines()]
    return {(query, item): int(grade) for query, _, item, grade in rows}


@pytest.fixture(scope="module")
def tops():
    """The first items of each run and query: score down, then item down."""
    found = {}
    for name, path in RUNS.items():
        lists = {}
        for line in path.read_text().splitlines():
            query, _, item, _, score, *_ = line.split()
            lists.setdefault(query, []).append((float(score), item))
        found[name] = {
            (q, item) for q, rows in lists.items() for _, item in sorted(rows, reverse=True)[:DEPTH]
        }
    return found


def test_own_judgements_are_those_of_no_other_runs_top(found, qrels, tops):
    for name, own in tops.items():
        others = set().union(*(items for other, items in tops.items() if other != name))
        mine = [qrels[pair] for pair in own - others if pair in qrels]
        rows = [row for row in found.rows if row.system == name]
        assert {(row.own, row.own_relevant) for row in rows} == {
            (len(mine), sum(grade > 0 for grade in mine))
        }


@pytest.mark.parametrize("name", RUNS)
def test_without_is_the_value_under_the_judgements_that_are_left(found, qrels, tops, name):
    others = set().union(*(items for other, items in tops.items() if other != name))
    mine = tops[name] - others
    left = {}
    for (query, item), grade in qrels.items():
        left.setdefault(query, {}).update({} if (query, item) in mine else {item: grade})
    for metric in ("ndcg@10", "p@5"):
        own = next(row for row in found.rows if (row.system, row.metric) == (name, metric))
        assert own.value == rw.evaluate(RUNS[name], QRELS, metric)[metric]
        assert own.without == pytest.approx(rw.evaluate(RUNS[name], left, metric)[metric], abs=1e-12)
        assert own.lost == 0


def test_judged_shares_are_of_the_metrics_cut_off_and_warned_of(found):
    for row in found.rows:
        k = 10 if row.metric == "ndcg@10" else 5
        assert (row.k, row.judged) == (k, rw.evaluate(RUNS[row.system], QRELS, f"judged@{k}")[f"judged@{k}"])
    assert len(found.warnings) == 2
    assert "judged@10 is 0.27 of RUIR-doc2vec and 0.97 of sab20" in found.warnings[0]
    assert "RUIR-doc2vec may be better than its value" in repr(found)


def test_runs_that_are_judged_alike_are_not_warned_of():
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}}
    assert not rw.pool_bias(runs, {"q": {"a": 1, "b": 1}}, ["p@2"]).warnings


def test_ranks_are_among_the_values_of_the_others(found):
    for metric in ("ndcg@10", "p@5"):
        rows = {row.system: row for row in found.rows if row.metric == metric}
        for name, row in rows.items():
            others = [other.value for system, other in rows.items() if system != name]
            assert row.rank == 1 + sum(value > row.value for value in others)
            assert row.rank_without == 1 + sum(value > row.without for value in others)


def test_of_a_lower_metric_the_lowest_value_is_first():
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["x", "a"]}}
    rows = rw.pool_bias(runs, {"q": {"a": 1}}, ["first_rank"], depth=2).rows
    assert [(row.system, row.rank) for row in rows] == [("one", 1), ("two", 2)]


def test_queries_that_lose_all_relevant_items_are_left_out_of_the_change_and_counted():
    runs = {"one": {"q": ["a", "b"], "r": ["c", "a"]}, "two": {"q": ["b"], "r": ["c"]}}
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1, "c": 1}}
    row = rw.pool_bias(runs, qrels, ["r@2"], depth=2).rows[0]
    assert (row.own, row.lost, row.value) == (2, 1, 1.0)
    assert row.without == 1.0  # in r alone: c of c
    everything = rw.pool_bias(runs, {"q": {"a": 1}}, ["r@2"], depth=2).rows[0]
    assert math.isnan(everything.without) or everything.lost == 1


def test_without_relevant_items_neither_values_nor_ranks_are_defined():
    runs = {"one": {"q": ["a", "b"]}, "other": {"q": ["c", "a"]}}
    found = rw.pool_bias(runs, {"q": {"a": 0, "b": 0, "c": 0}}, ["ap", "p@1"])
    assert [(row.rank, row.rank_without) for row in found.rows] == [(None, None)] * 4
    assert found.to_frame().filter(metric="ap")["value"].to_list() == [None, None]
    assert "–" in repr(found)


def test_topics_stay_with_the_judgements_that_are_left():
    qrels = rw.Qrels(["q"] * 4, ["a", "a", "b", "c"], [1, 1, 1, 1], topic=["1", "2", "1", "3"])
    runs = {"one": {"q": ["a", "c"]}, "two": {"q": ["c", "b"]}}
    row = rw.pool_bias(runs, qrels, ["s_recall@2"], depth=2).rows[0]
    assert (row.value, row.own) == (1.0, 1)
    assert row.without == pytest.approx(1 / 2)  # topics 1 and 3 are left, of which c has one
    assert np.isfinite(row.without)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"one": {"q": ["a"]}}, {"q": {"a": 1}}, ["p@1"]), "at least two runs"),
        ((RUNS, QRELS, ["num_ret"]), "neither higher nor lower"),
    ],
)
def test_what_has_no_pool_is_refused(arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.pool_bias(*arguments)
    with pytest.raises(rw.RankwellError, match="depth=0"):
        rw.pool_bias(RUNS, QRELS, ["ap"], depth=0)
