"""Asked: what metrics and policy want, settled before the first batch, and nothing else is made."""

from __future__ import annotations

import pickle

import pytest

from rankwell.evaluation.inputs import asked_of
from rankwell.matching import Asked
from rankwell.matching.policy import Policy
from rankwell.metrics import metrics_of


def asked(*metrics, **policy):
    return asked_of(metrics_of(list(metrics)), Policy(**policy))


def test_metrics_of_hits_need_no_table():
    assert asked("ndcg@10", "ap", "p@5").needs == frozenset()


def test_the_needs_are_those_of_all_metrics_together():
    assert asked("coverage@5").needs == {"shown", "item", "catalogue"}
    both = asked("coverage@5", "auc", "ndcg@10").needs
    assert both == asked("coverage@5").needs | asked("auc").needs


def test_each_need_names_the_first_metric_that_cannot_do_without_it():
    by_need = asked("ndcg@10", "coverage@5", "gini@3").by_need
    assert str(by_need["catalogue"]) == "coverage@5"
    assert (by_need["catalogue"].name, by_need["catalogue"].parameters) == (
        "coverage",
        {"users", "weights"},
    )


@pytest.mark.parametrize(
    ("metrics", "deepest"),
    [
        (["coverage@5", "gini@20", "ndcg@100"], 20),  # hits are found at any depth
        (["coverage@5", "gini"], None),
        (["ndcg@100"], None),
    ],
)
def test_whole_lists_are_read_to_the_deepest_cut_off_of_metrics_that_read_them(metrics, deepest):
    assert asked(*metrics).deepest == deepest


def test_the_threshold_of_a_metric_wins_over_that_of_the_policy():
    assert asked("p@5", "p(rel=3)@5", "coverage@5", rel=2).rels == {"p@5": 2, "p(rel=3)@5": 3}
    assert asked("p@5").rels == {"p@5": None}


def test_cut_offs_are_listed_by_the_name_of_the_metric_in_the_order_asked():
    assert asked("p@5", "ndcg", "p@1", "ndcg@3").cuts == {"p": (5, 1), "ndcg": (None, 3)}


def test_judgements_are_read_if_one_metric_reads_them():
    assert not asked("coverage@5").reads_judgements
    assert asked("coverage@5", "rr").reads_judgements


def test_a_table_more_is_asked_for_by_a_copy():
    first = asked("ndcg@10", missing="skip")
    more = first.reading("shown", "item")
    assert first.needs == frozenset()
    assert more.needs == {"shown", "item"}
    assert more.policy == first.policy
    assert more.rels == first.rels


def test_the_plain_value_asks_for_judgements_under_the_default_policy():
    assert Asked() == Asked(Policy())
    assert pickle.loads(pickle.dumps(asked("p@5", "coverage@3"))) == asked("p@5", "coverage@3")
