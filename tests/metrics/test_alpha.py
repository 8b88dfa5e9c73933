"""α-nDCG: which of equally good items its ideal takes."""

from __future__ import annotations

import math

import pytest

import rankwell as rw


@pytest.mark.parametrize("ties", ["item-desc", "item-asc", "order", "best", "worst"])
def test_the_ideal_takes_the_last_id_of_equal_items_whatever_the_policy_for_ties(ties):
    topics = {"a": "12", "b": "34", "c": "23"}  # after c, both others have one topic that is new
    rows = [(item, topic) for item, of_item in topics.items() for topic in of_item]
    qrels = rw.Qrels(
        query=["q"] * len(rows), item=[i for i, _ in rows], grade=[1] * len(rows), topic=[t for _, t in rows]
    )
    res = rw.evaluate(
        {"q": {"a": 2.0, "b": 1.0}}, qrels, ["alpha_ndcg@2"], policy=rw.Policy(grades="judgements", ties=ties)
    )
    second = 1 / math.log2(3)
    assert res["alpha_ndcg@2"] == pytest.approx((2 + 2 * second) / (2 + 1.5 * second), abs=1e-12)
