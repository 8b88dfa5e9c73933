"""Evaluation part by part gives the same as evaluation in memory, to the last bit, for every registered metric and any parts."""

from __future__ import annotations

import os
import random

import pytest
from tests.laws.drawing import named
from tests.laws.test_laws_of_addition import said, variants_to_try

import rankwell as rw
from rankwell import testing
from rankwell.metrics import metric_of
from rankwell.testing.checks import groups_of

POLICIES = [
    rw.Policy(grades="judgements", missing=missing, outside="ignore", negative=negative)
    for missing, negative in (("empty", "unjudged"), ("skip", "nonrelevant"))
]
ROWS = 1, 3, 1000  # a query in each part, some in each, all in one
PRIORS = ["ab_dcg(profile=dirichlet,profile_source=test)@3", "ab_ndcg(cold=prior,profile_source=test)@3"]


def outcome(metrics, given, policy, **engine):
    """All that results say, or the error."""
    try:
        res = given.new_evaluator(metrics, policy=policy, **engine).evaluate(given.lists(metrics))
    except rw.RankwellError as error:
        return type(error), str(error)
    return said(res), res.to_dict()["counts"], vars(res.conditions), rw.Results.sum([res]).part.counts


def sorted_by_query(given):
    """The same data with the queries in the order of their bytes, so that no part has to be put by."""
    run, qrels = (dict(sorted(each.items())) for each in (given.run, given.qrels))
    return testing.Data(run, qrels, given.seed)


@pytest.mark.parametrize("variants", groups_of([*variants_to_try(), *map(metric_of, PRIORS)]), ids=named)
def test_parts_of_any_size_give_the_values_of_memory(variants):
    rng = random.Random(f"{os.environ['RANKWELL_SEED']} streams {variants[0]}")
    given = testing.example(rng.randrange(1000)).fit(variants[0])
    policy = rng.choice(POLICIES)
    whole = outcome(variants, given, policy)
    is_refused = isinstance(whole[0], type)  # perhaps one of them alone
    for metrics in [[metric] for metric in variants] if is_refused else [variants]:
        whole = outcome(metrics, given, policy)
        for data in (given, sorted_by_query(given)):
            for rows in ROWS:
                assert outcome(metrics, data, policy, engine=rw.Stream(part_rows=rows)) == whole, (
                    given.seed,
                    rows,
                )


def test_the_engine_for_streams_agrees_with_memory():
    testing.check_engine(rw.Stream(part_rows=2))


@pytest.mark.parametrize("metric", PRIORS)
def test_metrics_that_read_all_judgements_are_not_added_over_days_with_judgements_of_their_own(metric):
    given = testing.Data({"1": {"a": 1.0}, "q": {"b": 1.0}}, {"1": {"a": 3, "b": 1}, "q": {"b": 3, "d": 1}})
    days = []
    for query in given.run:
        data = testing.Data({query: given.run[query]}, {query: given.qrels[query]})
        days.append(data.new_evaluator([metric_of(metric)], policy=POLICIES[0]).evaluate(data.run))
    with pytest.raises(rw.RankwellError, match="different judgements"):
        days[0] + days[1]
