"""Metrics as functions of one rank: against evaluations of lists that have the relevant item there."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.judging.sampled_ranks import values_by_rank
from rankwell.matching.scale import Scale
from rankwell.metrics import metrics_of

METRICS = (
    "hit@3", "r@2", "p@3", "f@3", "rr", "rr@2", "ndcg", "ndcg@3", "ndcg(gain=exp2)@2", "dcg@4", "ap", "ap@3", "rbp(p=0.8)",
    "err@3", "auc", "first_rank", "full_rank", "rprec", "set_p", "pauc@2",
)  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("grade", [1, 2])
def test_each_rank_has_the_value_of_a_list_with_the_relevant_item_there(metric, grade):
    lists = {str(rank): [f"x{at}" if at != rank else "yes" for at in range(1, 7)] for rank in range(1, 7)}
    found = rw.evaluate(lists, {query: {"yes": grade} for query in lists}, [metric])
    [asked] = metrics_of(metric)
    values = values_by_rank(asked, 6, Scale(), [float(grade)])
    assert values.tolist() == found.per_query[str(asked)].to_list()


@pytest.mark.parametrize(
    "metric", ["coverage@3", "ild@3", "alpha_ndcg@3", "gmap", "personalization@3", "num_rel_ret"]
)
def test_what_reads_more_than_the_rank_is_refused(metric):
    [asked] = metrics_of(metric)
    with pytest.raises(UsageError, match="is not the mean of a function of the rank of one"):
        values_by_rank(asked, 5, Scale(), [1.0])


def test_what_is_undefined_at_some_rank_has_no_mean():
    [asked] = metrics_of("first_rank@3")
    with pytest.raises(UsageError, match="undefined when the relevant item is at rank 4 of 6"):
        values_by_rank(asked, 6, Scale(), [1.0])


def test_what_depends_on_the_grade_is_refused_if_there_are_several():
    [dcg], [ndcg] = metrics_of("dcg@3"), metrics_of("ndcg@3")
    with pytest.raises(UsageError, match="depends on the grade"):
        values_by_rank(dcg, 6, Scale(), [1.0, 2.0])
    assert values_by_rank(ndcg, 6, Scale(), [1.0, 2.0])[0] == 1.0
