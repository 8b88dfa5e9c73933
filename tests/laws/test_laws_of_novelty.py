"""Metrics of novelty, serendipity and popularity keep the laws with parameters that are no words, too."""

from __future__ import annotations

import pytest
from tests.cases import drawn
from tests.laws.drawing import ALL, named

from rankwell import testing
from rankwell.metrics import metric_of
from rankwell.testing.checks import groups_of

TEXTS = [
    "serendipity_kotkov(distance=.5)",
    "serendipity_kotkov(distance=.2,novel=1)@3",
    "serendipity_kotkov(distance=0,novel=.5,rel=2)@3",
    "serendipity_kotkov(distance=.9,novel=1,features=numbers)",
    "unexpectedness(top=3)@2",
    "serendipity(top=2,rel=2)",
    "epc(relevance=binary,rel=2,unseen=skip)@3",
    "epc(relevance=graded,max_grade=5)",
    "efd(relevance=graded,unseen=laplace,discount=reciprocal)@3",
    *(f"{name}(head={rule})@3" for rule in ("top,at=2", "iqr,at=.5", "volume,at=.4")
      for name in ("aplt", "aclt", "tail_coverage", "pop_rsp", "pop_reo")),
    *(f"{name}(at=.3,mid=.7)@3" for name in ("aplt", "aclt", "tail_coverage", "pop_rsp", "pop_reo")),
]  # fmt: skip


@pytest.mark.parametrize("variants", groups_of(map(metric_of, TEXTS)), ids=named)
def test_a_metric_keeps_every_law(variants):
    testing.check_metrics(variants, cases=drawn(ALL, variants[0]))


def test_the_scale_of_graded_relevance_is_that_of_all_judgements():
    # (2^1 − 1) / 2^1 with q's judgements alone, (2^1 − 1) / 2^2 beside a grade of 2
    metric = metric_of("epc(relevance=graded)")
    law = "judgements are apart"
    assert law in metric.broken_laws()
    assert law not in metric_of("epc(relevance=graded,max_grade=2)").broken_laws()
    assert not testing.LAWS[law](metric, testing.Data({"q": {"b": 1.0}}, {"q": {"b": 1}, "r": {"a": 2}}))
