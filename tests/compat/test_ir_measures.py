"""ir_measures' notation: both ways, and against the numbers that it prints."""

from __future__ import annotations

import random

import pytest

import rankwell as rw
from rankwell.compat.ir_measures import RULES, from_ir_measures, to_ir_measures

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
TEXTS = [
    "AP", "AP@10", "AP(rel=2)@5", "Bpref", "Bpref(rel=2)", "Compat(p=0.8)", "infAP", "INSQ(T=2.0, max_rel=3)", "INST(max_rel=3)",
    "IPrec@0.2", "IPrec(rel=2)@0.5", "Judged@10", "nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@10", "NumRel",
    "NumRet", "NumRet(rel=1)", "P@5", "P(rel=2)@3", "R@10", "R(rel=2)@4", "RBP(p=0.5, rel=1)", "RBP(rel=2)", "Rprec", "Rprec(rel=2)",
    "RR", "RR(rel=2)", "SDCG(max_rel=3)@5", "SetAP", "SetF", "SetF(beta=2.0)", "SetP(rel=2)", "SetR", "SetRelP", "Success@3", "ERR@5",
]  # fmt: skip
OF_TOPICS = [
    "alpha_nDCG@10", "alpha_nDCG(alpha=0.3)@5", "alpha_nDCG(rel=2)@20", "alpha_DCG@10", "alpha_DCG(alpha=0.8)@5", "ERR_IA@10",
    "ERR_IA(rel=2)@5", "nERR_IA@10", "NRBP", "NRBP(alpha=0.3, beta=0.7)", "nNRBP", "nNRBP(rel=2)", "AP_IA", "AP_IA(rel=2)", "P_IA@5",
    "StRecall@10", "StRecall(rel=2)@5",
]  # fmt: skip
RNG = random.Random(4)
# scores without ties, as programs behind it order them in four ways
RUN = {f"{q}": {f"d{i}": float(s) for s, i in enumerate(RNG.sample(range(40), 20))} for q in range(30)}
QRELS = {f"{q}": {f"d{i}": RNG.choice([0, 0, 1, 2, 3]) for i in RNG.sample(range(40), 25)} for q in range(30)}
# every query has an item of each grade for some topic, as pyndeval leaves out others
BY_TOPIC = [
    (query, item, str(RNG.randint(1, 4)), 2 if place == 0 else grade)
    for query, items in QRELS.items()
    for place, (item, grade) in enumerate(items.items())
]
POLICY = rw.Policy(grades="judgements", missing="empty", undefined="zero")


@pytest.mark.parametrize("text", TEXTS)
def test_a_measure_has_the_value_that_ir_measures_gives_it(text):
    metric = from_ir_measures("NumRelRet" if text == "NumRet(rel=1)" else text)
    res = rw.evaluate(RUN, QRELS, metric, policy=POLICY)
    ours = dict(zip(res.queries, res.values(metric), strict=True))
    digits = 1e-5 if text.startswith("ERR") or "exp-log2" in text else 1e-6
    theirs = list(ir_measures.iter_calc([ir_measures.parse_measure(text)], QRELS, RUN))
    assert len(theirs) == len(ours)
    for each in theirs:
        assert ours[each.query_id] == pytest.approx(float(each.value), abs=digits), (text, each.query_id)


@pytest.mark.parametrize("text", OF_TOPICS)
def test_a_measure_of_topics_has_the_value_that_ir_measures_gives_it(text):
    pytest.importorskip("pyndeval", reason="pyndeval is not installed")
    query, item, topic, grade = (list(column) for column in zip(*BY_TOPIC, strict=True))
    metric = from_ir_measures(text)
    res = rw.evaluate(RUN, rw.Qrels(query, item, grade, topic), metric, policy=POLICY)
    ours = dict(zip(res.queries, res.values(metric), strict=True))
    judged = [ir_measures.Qrel(query, item, grade, topic) for query, item, topic, grade in BY_TOPIC]
    theirs = list(ir_measures.iter_calc([ir_measures.parse_measure(text)], judged, RUN))
    assert len(theirs) == len(ours)
    for each in theirs:
        assert ours[each.query_id] == pytest.approx(float(each.value), abs=1e-6), (text, each.query_id)


@pytest.mark.parametrize("text", [text for text in [*TEXTS, *OF_TOPICS] if text != "NumRet(rel=1)"])
def test_a_metric_written_there_reads_back(text):
    metric = from_ir_measures(text)
    written = to_ir_measures(metric)
    assert from_ir_measures(written) == metric, written
    ir_measures.parse_measure(written)


def test_every_rule_is_tried():
    tried = {text.partition("@")[0].partition("(")[0] for text in [*TEXTS, *OF_TOPICS]} | {"NumRelRet"}
    assert tried == set(RULES)


def test_aliases_mean_the_same():
    assert from_ir_measures("MAP@10") == from_ir_measures("AP@10")
    assert from_ir_measures("MRR(rel=2)") == from_ir_measures("RR(rel=2)")
    assert to_ir_measures("set_f") == "SetF"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AP(judged_only=True)", "unjudged='condense'"), ("Accuracy@5", "see auc"), ("NERR8(max_rel=3)@5", "no such metric"),
        ("Nonsense@5", "'Nonsense' of ir_measures is unknown"), ("P(2)@5", "need names"), ("P(rel=)@5", "cannot read the parameters"), ("RBP(p=0.5)", "give rel="),
        ("P", "needs a cut-off"), ("nDCG(dcg='log10')@5", "gain"), ("@5", "not a measure"),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_said(text, words):
    with pytest.raises(rw.RankwellError, match=r".") as error:
        from_ir_measures(text)
    assert words in str(error.value)


@pytest.mark.parametrize("metric", ["ap@10", "coverage@10", "ndcg(discount=jk)", "rbp", "err@10"])
def test_a_metric_that_it_lacks_is_said(metric):
    with pytest.raises(rw.RankwellError, match="no counterpart in ir_measures"):
        to_ir_measures(metric)
