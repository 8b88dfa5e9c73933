"""agreement: leaderboards under metrics and judgements, against SciPy and plain loops; what is refused and said."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.stats
from tests.evidence import evidence

import rankwell as rw
from rankwell.statistics.bootstrap import drawn_weights
from rankwell.tables.ids import Ids, fingerprints_of

COVID = evidence("trec-covid-round1")
QRELS = str(COVID / "qrels-rnd1.txt")
RUNS = {path.stem: str(path) for path in sorted((COVID / "runs").iterdir())}


@pytest.fixture(scope="module")
def under_metrics():
    return rw.agreement(QRELS, runs=RUNS, metrics=["ndcg@10", "ap", "first_rank"], resamples=500)


@pytest.fixture(scope="module")
def results():
    return rw.Evaluator(QRELS, ["ndcg@10", "ap"]).evaluate_all(RUNS)


def harsher():
    """The same judgements, of which the second grade is not relevant."""
    qrels = rw.read_qrels(QRELS)
    return rw.Qrels(qrels.query, qrels.item, np.where(qrels.grade == 2, 2, 0), name="harsh")


def test_leaderboards_of_two_metrics_agree_as_scipy_says(results, under_metrics):
    first = under_metrics.leaderboards[0]
    means = [[results[name].mean[metric] for name in RUNS] for metric in ("ndcg@10", "ap")]
    assert (first.first, first.second, first.n) == ("ndcg@10", "ap", (30, 30))
    assert first.whole.tau_b.value == pytest.approx(scipy.stats.kendalltau(*means).statistic)
    assert dict(zip(first.systems, first.values[1], strict=True)) == {
        name: results[name].mean["ap"] for name in RUNS
    }
    assert sorted(first.values[0], reverse=True) == list(first.values[0])


def test_a_lower_metric_orders_the_other_way(under_metrics):
    pair = under_metrics.leaderboards[1]
    ranks = dict(zip(pair.systems, pair.values[1], strict=True))
    told = scipy.stats.kendalltau(pair.values[0], [-ranks[name] for name in pair.systems]).statistic
    assert pair.whole.tau_b.value == pytest.approx(told)
    assert min(ranks.values()) >= 1


def test_intervals_are_those_of_a_loop_over_replicates(results, under_metrics):
    first = under_metrics.leaderboards[0]
    frames = {name: res.per_query for name, res in results.items()}
    queries = frames["BERT"]["query"].to_list()
    [weights] = drawn_weights(fingerprints_of(Ids.of([str(q) for q in queries])), 500, seed=0)
    drawn = []
    for row in weights:
        means = [[np.average(frames[name][metric].to_numpy(), weights=row) for name in RUNS] for metric in ("ndcg@10", "ap")]  # fmt: skip
        drawn.append(scipy.stats.kendalltau(*means).statistic)
    ordered, moved = np.sort(drawn), first.whole.tau_b.value - np.mean(drawn)
    low, high = (ordered[at] + moved for at in (int(501 * 0.025) - 1, int(np.ceil(501 * 0.975)) - 1))
    assert (first.whole.tau_b.low, first.whole.tau_b.high) == pytest.approx((low, min(high, 1)))


def test_swapped_pairs_are_named_with_both_differences(results, under_metrics):
    pair = under_metrics.leaderboards[0]
    [swap] = pair.swaps
    assert (swap.better, swap.worse) == ("BERT", "RUIR-doc2vec")
    for metric, delta in (("ndcg@10", swap.first), ("ap", swap.second)):
        assert delta == pytest.approx(results["BERT"].mean[metric] - results["RUIR-doc2vec"].mean[metric])
    assert 0.5 < swap.again < 1


def test_two_judgements_give_each_metrics_leaderboards_under_both():
    found = rw.agreement(QRELS, harsher(), runs=RUNS, metrics=["ndcg@10", "p@5"], resamples=99)
    assert [(each.first, each.second) for each in found.leaderboards] == [
        (f"{metric} by qrels-rnd1.txt", f"{metric} by harsh") for metric in ("ndcg@10", "p@5")
    ]
    own = rw.evaluate(RUNS["BERT"], harsher(), "p@5")["p@5"]
    pair = found.leaderboards[1]
    assert pair.values[1][pair.systems.index("BERT")] == own


def test_the_same_judgements_agree_wholly_in_every_replicate():
    [found] = rw.agreement(QRELS, QRELS, runs=RUNS, metrics=["ndcg@10"], resamples=99).leaderboards
    assert found.whole.tau_b == found.whole.tau_ap == (1, 1, 1)
    assert found.second == "ndcg@10 by qrels-rnd1.txt 2"
    assert not found.swaps


def test_the_top_is_looked_at_apart():
    found = rw.agreement(QRELS, harsher(), runs=RUNS, metrics=["ap"], top=3, resamples=99)
    [pair] = found.leaderboards
    told = scipy.stats.kendalltau(pair.values[0][:3], pair.values[1][:3]).statistic
    assert pair.top.tau_b.value == pytest.approx(told)
    assert rw.agreement(QRELS, QRELS, runs=RUNS, metrics=["ap"], resamples=99).leaderboards[0].top is None


def test_metrics_without_values_per_query_have_no_interval():
    lists = {"a": {"q": ["x", "y"], "r": ["x", "z"]}, "b": {"q": ["x", "y"], "r": ["x", "y"]}}
    found = rw.agreement(
        {"q": ["x"], "r": ["x"]}, runs=lists, metrics=["coverage@2", "r@1"], items=["x", "y", "z"]
    )
    assert np.isnan(found.leaderboards[0].whole.rbo.low)
    assert json.loads(found.to_json())["leaderboards"][0]["whole"]["rbo"]["low"] is None


def test_everything_is_shown_and_written(under_metrics):
    shown = repr(under_metrics)
    assert "1 of 15" in shown
    assert "BERT" in shown
    assert under_metrics._repr_html_().count("<table") == 2
    plain = json.loads(under_metrics.to_json())
    assert plain["leaderboards"][0]["swaps"][0]["better"] == "BERT"
    assert plain["how"] == {"p": 0.9, "ties": "a", "top": 10, "level": 0.95, "resamples": 500, "seed": 0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metrics": ["ap"]}, "give runs too"),
        ({"runs": RUNS}, "which metrics order the systems"),
        ({"runs": RUNS, "metrics": ["ap"]}, "one leaderboard"),
        ({"runs": {"a": RUNS["BERT"]}, "metrics": ["ap", "rr"]}, "at least two systems"),
        ({"runs": [RUNS["BERT"]], "metrics": ["ap", "rr"]}, "must be a mapping"),
        ({"runs": RUNS, "metrics": ["ap", "rr"], "p": 1}, "p=1"),
        ({"runs": RUNS, "metrics": ["ap", "rr"], "level": 0}, "level=0"),
        ({"runs": RUNS, "metrics": ["ap", "rr"], "top": 1}, "top=1"),
        ({"runs": RUNS, "metrics": ["ap", "rr"], "resamples": 5}, "resamples=5"),
        ({"runs": RUNS, "metrics": ["ap", "num_ret"]}, "neither higher nor lower"),
        ({"runs": RUNS, "metrics": ["ap", "rr"], "tise": "best"}, "tise"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.agreement(QRELS, **arguments)
