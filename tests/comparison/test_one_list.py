"""Lists whose ids become Python values only where they are shown, compared with lists that are read whole."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rankwell as rw
from rankwell.comparison.query_diff import JudgedLists, OneList
from rankwell.metrics import metric_of

RNG = np.random.default_rng(3)
METRIC = metric_of("ndcg@5")


def drawn(ids):
    return {
        item: float(score) for item, score in zip(RNG.permutation(ids).tolist(), RNG.random(30), strict=False)
    }


RUNS = {
    "text": {"1": drawn([f"d{n}" for n in range(20)])},
    "other text": {"1": drawn([f"d{n}" for n in range(10, 30)])},
    "digits": {"1": drawn([str(n) for n in range(12)])},
    "numbers": {1: drawn(range(5, 15))},
    "half": {"1": drawn([*[str(n) for n in range(9)], "05", "d3"])},
    "none": {"2": {"x": 1.0}},
}
QRELS = {"1": {"d1": 1, "d2": 2, "5": 1, "6": 1}, "2": {"x": 1}}


def one_list(name, policy):
    qrels = {int(q): {int(i): g for i, g in own.items() if i.isdigit()} for q, own in QRELS.items()}
    run = rw.read_run(RUNS[name], name=name)
    evaluator = rw.Evaluator(qrels if name == "numbers" else QRELS, [METRIC], policy=policy)
    lists = JudgedLists(evaluator.task, run)
    return OneList(lists.one(1 if name == "numbers" else "1"), METRIC, is_additive=True)


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condense"])
@pytest.mark.parametrize("top", [None, 3, 100])
def test_ranks_in_another_list_are_those_of_a_search_through_it(top, unjudged):
    lists = {name: one_list(name, rw.Policy(unjudged=unjudged)) for name in RUNS}
    for first, second in itertools.product(lists.values(), repeat=2):
        names, others = ({} if each.one is None else each.one.names() for each in (first, second))
        where = {}
        for rank in sorted(others, reverse=True):
            where[str(others[rank])] = rank
        shown = [item for rank, item in sorted(names.items()) if top is None or rank <= top]
        assert first.ranks_in(second, top) == [where.get(str(item)) for item in shown]
        rows = first.rows(second, top=top)
        assert [(row.item, row.other) for row in rows] == [(item, where.get(str(item))) for item in shown]
        assert first.retrieved == len(names)


@pytest.mark.parametrize("name", [name for name in RUNS if name != "none"])
def test_names_are_those_of_the_run_in_the_order_of_its_scores(name):
    one = one_list(name, rw.Policy()).one
    (own,) = RUNS[name].values()
    expected = sorted(own, key=own.get, reverse=True)
    assert one.names() == dict(enumerate(expected, 1))
    for top in (0, 1, 4, 99):
        assert list(one.names(top).items()) == list(enumerate(expected[:top], 1))
        assert one.ids(top).tolist() == expected[:top]
