"""Metrics of topics keep the laws with the topics of the table of items, and with those that users had before."""

from __future__ import annotations

import pytest
from tests.cases import drawn
from tests.laws.drawing import ALL, named

from rankwell import testing
from rankwell.metrics import metric_of
from rankwell.testing.checks import groups_of

FROM_ITEMS = [
    "alpha_dcg(topics=items,norm=ndeval)@3",
    "alpha_ndcg(topics=items,alpha=1)",
    "alpha_ndcg(topics=topics,universe=profile)@3",
    "alpha_ndcg(topics=group,universe=catalogue)",
    "nrbp(topics=items,weights=profile)",
    "nnrbp(topics=items,universe=profile,weights=profile)@3",
    "err_ia(topics=items,gain=binary,norm=ndeval)@3",
    "nerr_ia(topics=items,gain=linear,max_grade=3)",
    "rbu(topics=items,scale=topic)",
    "rbu(topics=items,universe=catalogue,weights=profile,max_grade=3)@3",
    "p_ia(topics=items,weights=profile)@3",
    "ap_ia(topics=items,universe=profile)",
    "ndcg_ia(topics=items,gain={1:1,2:5,3:9})@3",
    "rr_ia(topics=items,universe=catalogue)",
    "s_recall(topics=items,universe=profile)@3",
    "s_precision(topics=items,level=0.5)",
    "s_precision(topics=items,universe=catalogue,level=0.2)@3",
    "d_ndcg(topics=items,weights=profile)@3",
    "dsharp_ndcg(topics=items,universe=profile,gamma=0.3)",
]


@pytest.mark.parametrize("variants", groups_of(map(metric_of, FROM_ITEMS)), ids=named)
def test_a_metric_of_the_topics_of_items_keeps_every_law(variants):
    testing.check_metrics(variants, cases=drawn(ALL, variants[0]))
