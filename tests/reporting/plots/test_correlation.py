"""The correlation of metrics, against SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.reporting import second
from tests.reporting.compared import compared, evaluated
from tests.reporting.plots.drawing import rows_in

import rankwell as rw
from rankwell.errors import RankwellError
from rankwell.reporting.plots.correlation import correlations

OF = {"kendall": stats.kendalltau, "pearson": stats.pearsonr}


def columns_of(res, one, other):
    """The values of two metrics on the queries where both are defined."""
    pairs = zip(res.per_query[one], res.per_query[other], strict=True)
    return zip(*[pair for pair in pairs if None not in pair], strict=True)


def plain():
    chart = rw.plot.correlation(second.results())
    expected = {}
    for one in second.PLAIN:
        for other in second.PLAIN:
            columns = [
                [[second.value(metric, system, query) for query in second.QUERIES] for metric in (one, other)]
                for system in second.RUNS
            ]
            expected[one, other] = (second.mean(second.kendall(*pair) for pair in columns),)
    return second.shown_in(chart, ("row", "column"), ("value",)), expected


@pytest.mark.parametrize("method", ["kendall", "pearson"])
def test_over_queries_it_is_the_mean_of_the_systems_own_correlations(method):
    own = evaluated(3)
    rows = rows_in(rw.plot.correlation(own, method=method), "row", "column")
    seen = {(row["row"], row["column"]): row["value"] for row in rows}
    metrics = ["ndcg@10", "rr", "p@5", "first_rank"]
    assert set(seen) == {(one, other) for one in metrics for other in metrics}
    for (one, other), value in seen.items():
        wanted = [OF[method](*columns_of(res, one, other)).statistic for res in own.values()]
        assert value == pytest.approx(sum(wanted) / 3)


@pytest.mark.parametrize("method", ["kendall", "pearson"])
def test_over_systems_it_is_that_of_their_means(method):
    own = evaluated(6)
    rows = rows_in(
        rw.plot.correlation(own, ["ndcg@10", "coverage@3", "gini@3"], over="systems", method=method), "row"
    )
    for row in rows:
        x, y = ([res[row[key]] for res in own.values()] for key in ("row", "column"))
        wanted = OF[method](x, y).statistic if len(set(x)) > 1 and len(set(y)) > 1 else math.nan
        assert row["value"] == (None if math.isnan(wanted) else pytest.approx(wanted))


def test_of_many_queries_some_are_drawn_by_their_ids_and_this_is_said():
    draw = np.random.default_rng(1)
    qrels = {str(at): {"a": 1} for at in range(2_000)}
    run = {query: [f"x{at}" for at in range(draw.integers(0, 9))] + ["a"] for query in qrels}
    res = rw.evaluate(run, qrels, ["rr", "p@1", "ndcg@5"])
    found = correlations({"one": res})
    assert (found.units, found.total) == (1_500, 2_000)
    whole = OF["kendall"](*columns_of(res, "rr", "ndcg@5")).statistic
    assert found.values[0, 2] == pytest.approx(whole, abs=0.02)
    assert correlations({"one": res}).values.tolist() == found.values.tolist()
    assert "drawn from 2,000" in " ".join(rw.plot.correlation(res).title.subtitle)


def test_a_metric_that_does_not_vary_has_no_correlation():
    res = rw.evaluate(
        {str(at): ["a"] for at in range(5)}, {str(at): {"a": 1} for at in range(5)}, ["rr", "p@1"]
    )
    for method in OF:
        assert {row["value"] for row in rows_in(rw.plot.correlation(res, method=method), "row")} == {None}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metrics": ["rr"]}, "two metrics or more"),
        ({"metrics": ["rr", "coverage@3"]}, "coverage@3: no values per query"),
        ({"over": "systems"}, "at least 3 systems"),
        ({"method": "spearman"}, "must be kendall or pearson"),
    ],
)
def test_what_has_no_correlation_is_refused(options, said):
    with pytest.raises(RankwellError, match=said):
        rw.plot.correlation(evaluated(2), **options)


def test_a_comparison_holds_no_values_per_query():
    with pytest.raises(RankwellError, match="no values per query"):
        rw.plot.correlation(compared(3))
