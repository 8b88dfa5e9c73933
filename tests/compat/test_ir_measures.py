"""ir_measures' notation: both ways, and against the numbers that it prints."""

from __future__ import annotations

import itertools
import random
from dataclasses import fields, replace

import pytest
from tests.every import every

import rankwell as rw
from rankwell.compat.ir_measures import KINDS, RULES, from_ir_measures, to_ir_measures
from rankwell.metrics import metric_of

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
TEXTS = [
    "AP", "AP@10", "AP(rel=2)@5", "Bpref", "Bpref(rel=2)", "Compat(p=0.8)", "infAP", "INSQ(T=2.0, max_rel=3)", "INST(max_rel=3)",
    "IPrec@0.2", "IPrec(rel=2)@0.5", "Judged@10", "nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@10", "NumRel",
    "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRelRet(rel=2)", "nDCG(gains={1:3,2:9,3:20})@10", "nDCG(gains={2:9,3:20})", "nDCG(gains={0:1,3:7})@5",
    "nDCG(gains={0:1,1:4})", "nDCG(gains={1:5})@5", "nDCG(gains={})@10", "nDCG(gains={9:2})",
    "SetP(relative=True)", "SetRelP(rel=2)", "INST(T=2.0, max_rel=3, min_rel=0)", "Compat(normalize=True)", "P@5", "P(rel=2)@3", "R@10", "R(rel=2)@4", "RBP(p=0.5, rel=1)", "RBP(rel=2)", "Rprec", "Rprec(rel=2)",
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


@every("text", TEXTS)
def test_a_measure_has_the_value_that_ir_measures_gives_it(text):
    metric = from_ir_measures(text)
    res = rw.evaluate(RUN, QRELS, metric, policy=POLICY)
    ours = dict(zip(res.queries, res.values(metric), strict=True))
    digits = 1e-5 if text.startswith("ERR") or "exp-log2" in text else 1e-6
    theirs = list(ir_measures.iter_calc([ir_measures.parse_measure(text)], QRELS, RUN))
    assert len(theirs) == len(ours)
    for each in theirs:
        assert ours[each.query_id] == pytest.approx(float(each.value), abs=digits), (text, each.query_id)


@every("text", OF_TOPICS)
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


@every("text", [*TEXTS, *OF_TOPICS])
def test_a_metric_written_there_reads_back(text):
    metric = from_ir_measures(text)
    written = to_ir_measures(metric)
    assert from_ir_measures(written) == metric, written
    ir_measures.parse_measure(written).validate_params()


def test_a_rule_has_the_parameters_that_the_measure_has():
    """Taken from the package itself; the cut-off, or recall, is what follows the @."""
    from ir_measures.measures import registry

    for name, rule in RULES.items():
        measure = registry[name]
        theirs = set(measure.SUPPORTED_PARAMS) - {measure.AT_PARAM, *measure.params}
        if name == "NumRet":
            theirs -= {"rel"}  # with it the measure is NumRelRet
        if name == "NumRelRet":
            theirs |= {"rel"}
        assert theirs == set(rule.known), name
        required = {key for key, kind in measure.SUPPORTED_PARAMS.items() if kind.required}
        assert {"@" if key == measure.AT_PARAM else key for key in required} <= set(rule.needs), name
        assert not rule.at or measure.AT_PARAM in measure.SUPPORTED_PARAMS, name
        for key, kind in measure.SUPPORTED_PARAMS.items():
            assert key == measure.AT_PARAM or kind.dtype is KINDS[key], (name, key)


def variants():
    """Every metric that has a counterpart, with each of its parameters at values that fit and values that do not."""
    values = {
        "rel": [None, 1, 2, 0, 1.5], "alpha": [0.5, 0.0, 0.3], "beta": [None, 2.0, 0.5], "T": [1.0, 2.0, 3], "p": [0.8, 0.5, 0.95],
        "max_grade": [None, 3, 2.5], "k": [None, 1, 10], "gain": ["linear", "exp2", "binary", {1: 2}, {1: 2, "others": "own"}, {2: 5, "others": "own"}, {1: 0.5, "others": "own"}], "level": [0.0, 0.2, 1.0],
        "denom": ["R", "min_rk", "k", "n", "hits"], "norm": ["ndeval", "exact"], "levels": ["exact", "trec9"], "ideal": ["maximal", "judged"],
    }  # fmt: skip
    for base in {rule.metric for rule in RULES.values()}:
        metric = metric_of(base, complete=False)
        names = [field.name for field in fields(metric) if field.name in values]
        for first, second in itertools.combinations(names, 2):
            for one, two in itertools.product(values[first], values[second]):
                try:
                    changed = replace(metric, **{first: one, second: two})
                    changed.check()
                except rw.RankwellError:
                    continue
                yield changed


def test_nothing_is_written_that_ir_measures_refuses():
    texts = {}
    for metric in variants():
        try:
            texts[to_ir_measures(metric)] = metric
        except rw.RankwellError:
            continue
    assert len(texts) > 120
    for text, metric in texts.items():
        measure = ir_measures.parse_measure(text)
        measure.validate_params()
        again = from_ir_measures(text)
        assert to_ir_measures(again) == text, metric
    judged = [ir_measures.Qrel(query, item, grade, topic) for query, item, topic, grade in BY_TOPIC]
    of_topics = {text.partition("@")[0].partition("(")[0] for text in OF_TOPICS}
    for text in texts:
        measure = ir_measures.parse_measure(text)
        is_of_topics = text.partition("@")[0].partition("(")[0] in of_topics
        assert list(ir_measures.iter_calc([measure], judged if is_of_topics else QRELS, RUN)), text


def test_a_grade_that_gains_does_not_name_gains_itself():
    # by hand: b gains 1 at rank 1, a its grade 3 at rank 2; (1 + 3 · 0.63093) / (3 + 0.63093)
    metric = from_ir_measures("nDCG(gains={0:0,1:1,2:5})@10")
    assert str(metric) == "ndcg(gain={0:0,1:1,2:5,others:own})@10"
    res = rw.evaluate({"q": {"b": 3, "a": 2, "c": 1}}, {"q": {"a": 3, "b": 1, "c": 0}}, metric, policy=POLICY)
    assert res[metric] == pytest.approx(0.796708, abs=1e-6)


def test_a_negative_gain_is_none_as_there_where_it_takes_the_place_of_the_grade():
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 2, "b": 1}}
    measure = ir_measures.nDCG(gains={2: -1})
    (theirs,) = ir_measures.iter_calc([measure], qrels, run)
    assert rw.evaluate(run, qrels, from_ir_measures("nDCG(gains={2:-1})"))[
        "ndcg(gain={2:0,others:own})"
    ] == pytest.approx(theirs.value)


def test_a_table_that_ir_measures_reads_otherwise_is_refused_with_the_form_that_it_has():
    with pytest.raises(rw.RankwellError, match=r"write others:own, as in gain=\{1:3,others:own\}"):
        to_ir_measures("ndcg(gain={1:3,2:9})@10")
    assert to_ir_measures("ndcg(gain={1:3,2:9,others:own})@10") == "nDCG(gains={1: 3, 2: 9})@10"


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
        ("AP(min_rel=0)@5", "AP of ir_measures has no parameter 'min_rel'; it has rel, judged_only"), ("NumQ", "printed with every value"),
        ("Judged(rel=1)", "it has none"), ("Compat(rel=2)", "no parameter 'rel'"), ("AP(rel=2.0)", "must be of type int"),
        ("AP(rel=0)", "at least 1"), ("infAP@10", "infAP has no @"), ("RBP(rel=1)@10", "no program there"), ("INST", "give max_rel="),
        ("alpha_nDCG", "needs a cut-off"), ("nDCG(dcg='exp-log2')", "give it a cut-off"), ("AP@1.5", "no whole number"),
        ("Nonsense@5", "'Nonsense' of ir_measures is unknown"), ("P(2)@5", "need names"), ("P(rel=)@5", "cannot read the parameters"), ("RBP(p=0.5)", "give rel="),
        ("P", "needs a cut-off"), ("nDCG(dcg='log10')@5", "'exp-log2'"), ("@5", "not a measure"), ("nDCG(gains={-1:2})", "from 0"), ("nDCG(gains={1:0.5})", "whole numbers"),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_said(text, words):
    with pytest.raises(rw.RankwellError, match=r".") as error:
        from_ir_measures(text)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "metric",
    [
        "ap@10",
        "coverage@10",
        "ndcg(discount=jk)",
        "rbp",
        "err@10",
        "ap(denom=R,rel=1.5)",
        "ap(denom=R,rel=0.5)",
        "ndcg(gain={1:0.5})",
        "ndcg(gain={1:3,2:9})",  # a grade of 3 gains nothing here and 3 there
        "ndcg(gain={1:0.5,others:own})",
        "rbp(gain=binary)@10",
        "alpha_ndcg",
        "inst",
        "p(denom=n)@5",
    ],
)
def test_a_metric_that_it_lacks_is_said(metric):
    with pytest.raises(rw.RankwellError, match="no counterpart in ir_measures"):
        to_ir_measures(metric)


def test_gains_that_name_some_grades_give_the_values_of_ir_measures_own_test():
    # the source package of ir_measures 0.3.3, test/test_pytrec_eval.py: .97177 and .14949
    run = {
        "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
        "1": {"D1": 0.8, "D4": 0.7, "D3": 0.3, "D2": 0.4},
    }
    qrels = {"0": {"D0": 1, "D1": -1, "D2": 0, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D4": -1, "D5": 0}}
    metric = from_ir_measures("nDCG(gains={0:1,1:4})")
    found = rw.evaluate(run, qrels, metric, grades="judgements").per_query.rows()
    assert found == [("0", pytest.approx(0.97177, abs=1e-5)), ("1", pytest.approx(0.14949, abs=1e-5))]
