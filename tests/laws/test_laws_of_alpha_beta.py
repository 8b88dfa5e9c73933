"""αβ-DCG and its kin keep the laws with parameters that are no words, too."""

from __future__ import annotations

import pytest
from tests.cases import drawn
from tests.laws.drawing import ALL, named

from rankwell import testing
from rankwell.metrics import metric_of
from rankwell.metrics.diversity import candidates, satisfaction
from rankwell.tables import features
from rankwell.testing.checks import groups_of

TEXTS = [
    "ab_ndcg(unknown_topic=true)@3",
    "ab_ndcg(unknown_topic=true,cold=uniform,profile=dirichlet,mu=0)",
    "ab_ndcg(topics=group,clip=true)@3",
    "ab_ndcg(topics=group,candidates=pool,unknown_topic=true,cold=prior)",
    "ab_ndcg(alpha=0,beta=1,rating_map=minmax,min_grade=-1)@3",
    "ab_ndcg(alpha=.9,rating_map=binary,rel=2,profile=smoothed,smoothing=1)@2",
    "ab_ndcg(profile=given,cold=prior,candidates=judged,clip=true)@3",
    "ab_ndcg(profile=given,cold=uniform,ideal=exact,candidates=pool)@3",
    "ab_ndcg(ideal=exact,max_grade=4)@2",
    "ab_dcg(profile=item_share,rating_map=exp,max_grade=5)",
    "ab_hit(beta=1,profile_source=test,profile=smoothed)@3",
    "ab_topic(beta=1,profile_source=test)",
]


@pytest.mark.parametrize("variants", groups_of(map(metric_of, TEXTS)), ids=named)
def test_a_metric_keeps_every_law(variants):
    testing.check_metrics(variants, cases=drawn(ALL, variants[0]))


@pytest.mark.parametrize("text", ["ab_ndcg@3", "ab_ndcg(profile=given,cold=prior)", "ab_ndcg(profile=dirichlet)@2",
                                  "ab_hit(profile_source=test)@3", "ab_topic(candidates=pool,cold=uniform)@3",
                                  "ab_ndcg(ideal=exact)@2"])  # fmt: skip
def test_the_size_of_the_tables_made_at_a_time_changes_no_bit(text, monkeypatch):
    found = []
    for cells, users in ((1, 1), (17, 2), (1 << 20, 1 << 16)):
        for module in (candidates, features, satisfaction):
            monkeypatch.setattr(module, "CELLS", cells)
        monkeypatch.setattr(satisfaction, "USERS", users)
        found.append([case.results(metric_of(text)).per_query for case in testing.examples(6)])
    assert all(a.equals(b) and a.equals(c) for a, b, c in zip(*found, strict=True))


def test_other_cuts_of_the_same_metric_change_no_bit():
    for case in testing.examples(8):
        alone = case.results(metric_of("ab_ndcg@2")).per_query
        beside = case.results(
            metric_of("ab_ndcg@2"), others=["ab_ndcg@3", "ab_ndcg", "ab_ndcg(clip=true)@2"]
        ).per_query
        assert alone.equals(beside[alone.columns])


@pytest.mark.parametrize(("text", "law", "run", "qrels"), [
    # user 1 had a, b and d, and so likes x, y and z; é is of z, and 10, which he rated, of v alone
    ("ab_dcg@2", "a better list scores no worse", {"1": {"é": 2.0, "10": 1.0}}, {"1": {"10": 3}}),
    ("ab_dcg@2", "judgements are apart", {"1": {"ab": 1.0}}, {"1": {"ab": 1}, "2": {"ab": 3}}),
    ("ab_dcg(profile_source=test,profile=dirichlet,max_grade=5)@2", "judgements are apart", {"1": {"ab": 1.0, "é": 0.5}},
     {"1": {"ab": 3, "é": 1}, "2": {"é": 3}}),
])  # fmt: skip
def test_a_declared_exception_is_one(text, law, run, qrels):
    metric = metric_of(text)
    assert law in metric.broken_laws()
    assert not testing.LAWS[law](metric, testing.Data(run, qrels))
