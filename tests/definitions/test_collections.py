"""Real collections against the tables that other people's programs printed, in every digit they print."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

import rankwell as rw

from .both import values_of
from .collections_data import expectations
from .collections_topics import topic_expectations

GROUPS = defaultdict(list)
for expectation in [*expectations(), *topic_expectations()]:
    GROUPS[expectation.source, str(expectation.run), str(sorted(expectation.policy.items()))].append(
        expectation
    )


@pytest.mark.parametrize("group", GROUPS.values(), ids=lambda group: f"{group[0].source}-{group[0].run.name}")
def test_every_query_and_mean_of_a_published_table_comes_out(group, confirm):
    first = group[0]
    metrics = list(dict.fromkeys(each.metric for each in group))
    res = rw.evaluate(
        rw.read_run(first.run, format_in="trec"), first.qrels, metrics, policy=rw.Policy(**first.policy)
    )
    values = {metric: values_of(res, metric) for metric in metrics}
    wrong = [
        (each.measure, each.query, each.value, ours)
        for each in group
        if not each.agrees(
            ours := res[each.metric] if each.query == "all" else values[each.metric].get(each.query)
        )
    ]
    assert not wrong, f"{len(wrong)} of {len(group)}: {wrong[:5]}"
    compared = Counter((each.metric, f"{each.program} {each.measure}, {each.collection}") for each in group)
    for (metric, source), values in compared.items():
        confirm(metric, source, values)


def test_the_collections_are_there():
    assert sum(map(len, GROUPS.values())) > 50_000
