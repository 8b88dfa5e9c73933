"""Every registered metric keeps every law, with each of its switches."""

from __future__ import annotations

import gzip
from typing import Literal, get_args, get_origin

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from tests.cases import drawn
from tests.laws.drawing import ALL, named

import rankwell as rw
from rankwell import testing
from rankwell.evaluation.engines.memory import Memory
from rankwell.metrics import classes, metric_of
from rankwell.metrics.metric import TAKERS
from rankwell.metrics.parameters import parameter_types
from rankwell.testing.checks import groups_of


def variants(cls):
    """A metric with each word that its parameters allow, without and with a cut-off."""
    made = [cls()]
    for name, hint in parameter_types(cls).items():
        for kind in (hint, *get_args(hint)):
            if get_origin(kind) is Literal:
                # unseen=error refuses the data that laws are tried on
                made += [cls(**{name: word}) for word in get_args(kind) if word != "error"]
        if name == "rel":
            made.append(cls(rel=2))
        if name == "max_grade":
            made.append(cls(max_grade=5))
    uncut = [] if cls.cut == "required" else made
    cut = [] if cls.cut == "none" else [made[0] @ 1, *(metric @ 3 for metric in made)]
    usable = []
    for metric in dict.fromkeys([*uncut, *cut]):
        try:
            metric.check()
        except rw.RankwellError:
            continue
        usable.append(metric)
    return usable


METRICS = [
    *(metric for cls in classes() if cls.__module__.startswith("rankwell.") for metric in variants(cls)),
    *map(
        metric_of,
        [
            "ndcg(gain={1:3,2:1,3:5})@3",
            "ndcg(gain={2:5,others:own})@3",
            "ndcg(discount=[1,.5])",
            "ndcg(discount=jk,base=3)@3",
        ],
    ),
    *(metric_of(f"{name}@{budget}t") for name in TAKERS for budget in (2.5, 20)),
    *map(
        metric_of,
        [
            f"by_topic(metric={text})"
            for text in ("ndcg@3", "p@2", "rr,over=all", "err", "bpref", "first_rank")
        ],
    ),
]


@pytest.mark.parametrize("variants_of_one", groups_of(METRICS), ids=named)
def test_every_variant_of_a_metric_keeps_every_law(variants_of_one):
    testing.check_metrics(variants_of_one, cases=drawn(ALL, variants_of_one[0]))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(testing.data())
def test_laws_hold_on_data_that_are_searched_for_a_failure(data):
    for text in ("ap", "ndcg@3", "err", "bpref", "judged@2", "coverage@2"):
        metric = metric_of(text)
        for name, law in testing.LAWS.items():
            assert name in metric.broken_laws() or law(metric, data), (name, text)


COUNTEREXAMPLES = {
    # the second relevant item enters the first 2: 1 hit of precision 1 becomes (1 + 1) / 2; at rank 3 (1 + 2/3) / 2
    "ap(denom=hits)@3": (
        "a better list scores no worse",
        {"q": {"a": 9.0, "x": 8.0, "y": 7.0, "b": 6.0}},
        {"q": {"a": 1, "b": 1}},
    ),
    "ndcg(gain={1:3,2:1})": (
        "a better list scores no worse",
        {"q": {"a": 2.0, "b": 1.0}},
        {"q": {"a": 1, "b": 2}},
    ),
    # tied: the best order by grades has b first, which gains 1 of 3; the other one all
    "ndcg(gain={1:3,2:1})@1": (
        "best and worst bracket expected",
        {"q": {"a": 1.0, "b": 1.0}},
        {"q": {"a": 1, "b": 2}},
    ),
    # s = (2^1 - 1) / 2^1 with q's judgements alone, (2^1 - 1) / 2^2 beside a grade of 2
    "err": ("judgements are apart", {"q": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 2}}),
    "ndcg(gain={0:-1,1:1})": ("values are in range", {"q": {"a": 2.0}}, {"q": {"a": 0, "b": 1}}),
    # with b above, a's ratio is (1 + 1 + 2)/(2 + 12), with a above (1 + 2)/(1 + 10)
    "q(rel=2)": (
        "a better list scores no worse",
        {"q": {"b": 2.0, "a": 1.0}},
        {"q": {"a": 2, "b": 1, "c": 10}},
    ),
    "utility(prices=[0,1,0,0])@1": (
        "a better list scores no worse",
        {"q": {"b": 2.0, "a": 1.0}},
        {"q": {"a": 1}},
    ),
    # both relevant items beat the first other one; of the first rank alone, one does
    "pauc@1": ("only the first k count", {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1}}),
    "pap@2": (
        "only the first k count",
        {"q": {"x": 3.0, "a": 2.0, "b": 1.0}},
        {"q": {"a": 1, "b": 1}},
    ),
    # a is the only item of topic x, b one of two of topic y: with b above, x falls from 1 to 1/2, y grows from 1/4 to 1/2
    "by_topic(metric=ap)": (
        "a better list scores no worse",
        {"q": {"a": 2.0, "b": 1.0}},
        {"q": {"z": 0, "a": 1, "b": 2, "y": 0, "w": 0, "c": 1}},
    ),
    # the same, tied: the order that is best by grades has 1/2, the worst 5/8
    "by_topic(metric=ap(denom=R))": (
        "best and worst bracket expected",
        {"q": {"a": 1.0, "b": 1.0}},
        {"q": {"z": 0, "a": 1, "b": 2, "y": 0, "w": 0, "c": 1}},
    ),
    "ndcg(ideal=retrieved)@1": (
        "only the first k count",
        {"q": {"a": 2.0, "b": 1.0}},
        {"q": {"a": 1, "b": 2}},
    ),
    # an item of the pool above the hit: 1/2 · (1 + 1 · ε/(2ε)) = 3/4; without it 1/2
    "infap": ("negative grades are unjudged", {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 1}}),
    # h, x outside the pool, y in it, a: at rank 4 a has (1 + 2 · 1) / 4; above y, at rank 3, (1 + 1 · 1) / 3
    "infap(rel=1)": (
        "a better list scores no worse",
        {"q": {"h": 4.0, "x": 3.0, "y": 2.0, "a": 1.0}},
        {"q": {"h": 1, "y": -1, "a": 1}},
    ),
    # 3 of 2 + 3, with the sizes of ab and b; with a in place of b 1 of 2 + 1
    "size_p@2": (
        "a better list scores no worse",
        {"q": {"ab": 3.0, "b": 2.0, "a": 1.0}},
        {"q": {"b": 1, "a": 2}},
    ),
    # of a and b, both listed, a is in the judgements; with any other row for b too
    "test_share": ("negative grades are unjudged", {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 1}}),
    # a is red; the pool has one more item, red or blue, that is not listed
    "dp_ratio(candidates=pool)": (
        "negative grades are unjudged",
        {"q": {"b": 2.0, "a": 1.0}},
        {"q": {"a": 1, "b": 0}},
    ),
}


@pytest.mark.parametrize("text", COUNTEREXAMPLES)
def test_a_declared_exception_is_one(text):
    law, run, qrels = COUNTEREXAMPLES[text]
    metric = metric_of(text)
    assert law in metric.broken_laws()
    assert not testing.LAWS[law](metric, testing.Data(run, qrels))


def test_a_metric_of_the_user_keeps_the_laws():
    @rw.metric(name="mean_rank_of_hits", range=(1, float("inf")), better="lower")
    def mean_rank_of_hits(judged, context):
        """The mean rank of the relevant items found."""
        hits = judged.relevant()
        return np.divide(
            hits.sum(hits.rank), hits.count(), out=np.full(len(judged), np.nan), where=hits.count() > 0
        )

    data = testing.example(3)
    for name, law in testing.LAWS.items():
        if name != "round trip":  # a function inside a function cannot be pickled
            assert law(mean_rank_of_hits, data), name
    assert "mean rank" in str(rw.explain("mean_rank_of_hits"))


def test_an_infinite_value_of_a_metric_is_refused():
    @rw.metric(name="far_away", range=(0, float("inf")), better="lower")
    def far_away(judged, context):
        """Infinity."""
        return np.full(len(judged), np.inf)

    with pytest.raises(
        rw.RankwellError, match="far_away: per_query returned an infinite value for query '1'"
    ):
        rw.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, [far_away])


def test_the_engine_for_memory_agrees_with_itself_in_small_batches():
    testing.check_engine(Memory(batch=2))


def trec_run(data, path):
    lines = [f"{q} Q0 {i} 0 {s!r} tag\n" for q, items in data.run.items() for i, s in items.items()]
    text = "# a comment\n" + "\n".join(line.replace(" ", "\t", 2) for line in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def trec_qrels(data, path):
    text = "\ufeff" + "\r\n".join(
        f"{q} 0  {i} {g}" for q, items in data.qrels.items() for i, g in items.items()
    )
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def parquet(kind, word):
    def write(data, path):
        rows = [(q, i, float(n)) for q, items in getattr(data, kind).items() for i, n in items.items()]
        pl.DataFrame(rows, schema=["user_id", "item_id", word], orient="row").write_parquet(path)

    return write


@pytest.mark.parametrize("suffix", [".txt", ".gz"])
def test_trec_text_gives_the_bits_of_the_dicts(tmp_path, suffix):
    testing.check_reader(trec_run, trec_qrels, tmp_path, suffix=suffix)


def test_parquet_gives_the_bits_of_the_dicts(tmp_path):
    testing.check_reader(parquet("run", "score"), parquet("qrels", "rating"), tmp_path, suffix=".parquet")
