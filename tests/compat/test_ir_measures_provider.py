"""A provider for ir_measures: its measures as the programs behind it compute them, and metrics of rankwell as measures."""

from __future__ import annotations

import importlib
import math
import sys

import pandas as pd
import pytest
from tests.compat.test_ir_measures import BY_TOPIC, OF_TOPICS, QRELS, RUN, TEXTS
from tests.every import every

import rankwell as rw

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
NAME = "rankwell.compat.ir_measures_provider"


@pytest.fixture(scope="module")
def face():
    """The module, which adds itself to the programs of ir_measures; other tests find these as they were."""
    pipeline, registry = list(ir_measures.DefaultPipeline.providers), dict(ir_measures.providers.registry)
    yield importlib.import_module(NAME)
    ir_measures.DefaultPipeline.providers[:] = pipeline
    ir_measures.providers.registry.clear()
    ir_measures.providers.registry.update(registry)
    del sys.modules[NAME]


def values(found):
    return {(each.query_id, each.measure): float(each.value) for each in found}


@every("text", TEXTS)
def test_a_measure_has_the_values_of_the_programs(text, face):
    measure = ir_measures.parse_measure(text)
    digits = 1e-5 if text.startswith("ERR") or "exp-log2" in text else 1e-6
    theirs = values(ir_measures.iter_calc([measure], QRELS, RUN))
    ours = values(face.provider.iter_calc([measure], QRELS, RUN))
    assert ours == pytest.approx(theirs, abs=digits)
    aggregated = face.provider.calc_aggregate([measure], QRELS, RUN)
    assert aggregated[measure] == pytest.approx(
        ir_measures.calc_aggregate([measure], QRELS, RUN)[measure], abs=digits
    )


@every("text", OF_TOPICS)
def test_topics_are_the_iterations(text, face):
    pytest.importorskip("pyndeval", reason="pyndeval is not installed")
    qrels = [ir_measures.Qrel(query, item, grade, topic) for query, item, topic, grade in BY_TOPIC]
    measure = ir_measures.parse_measure(text)
    assert values(face.provider.iter_calc([measure], qrels, RUN)) == pytest.approx(
        values(ir_measures.iter_calc([measure], qrels, RUN)), abs=1e-6
    )


def test_every_form_of_tables_is_read_and_measures_may_be_mixed(face):
    measures = [ir_measures.nDCG @ 10, face.as_measure("rbp(p=0.9)"), face.as_measure(rw.RR), ir_measures.AP]
    expected = rw.evaluate(RUN, QRELS, ["ndcg@10", "rbp(p=0.9)", "rr", "ap"], policy=face.POLICY)
    docs = [
        ir_measures.ScoredDoc(query, item, score)
        for query, items in RUN.items()
        for item, score in items.items()
    ]
    judged = [
        ir_measures.Qrel(query, item, grade)
        for query, items in QRELS.items()
        for item, grade in items.items()
    ]
    for run, qrels in (RUN, QRELS), (iter(docs), iter(judged)), (pd.DataFrame(docs), pd.DataFrame(judged)):
        found = ir_measures.calc(measures, qrels, run)
        for measure, name in zip(measures, expected.mean, strict=True):
            assert found.aggregated[measure] == pytest.approx(expected[name], abs=1e-7)
        assert len(found.per_query) == 4 * len(QRELS)
    assert [str(measure) for measure in measures] == ["nDCG@10", "rbp(p=0.9)", "rr", "AP"]


def test_a_summary_is_that_of_the_metric_and_what_is_missing_has_the_value_of_an_empty_list(face):
    some = {query: items for query, items in RUN.items() if int(query) > 9}
    names = ["gmap", "num_ret", "first_rank", "p@5"]
    measures = [face.as_measure(name) for name in names]
    expected = rw.evaluate(some, QRELS, names, policy=face.POLICY)
    found = ir_measures.calc_aggregate(measures, QRELS, some)
    assert [found[measure] for measure in measures] == pytest.approx([expected[name] for name in names])
    for run in ({}, {"99": {"d1": 1.0}}):
        found = ir_measures.calc(measures, QRELS, run)
        assert len(found.per_query) == 4 * len(QRELS)
        assert {each.value for each in found.per_query if each.measure != measures[2]} == {0}
        assert math.isnan(found.aggregated[measures[2]])
    assert ir_measures.calc_aggregate(measures[3:], {}, RUN) == pytest.approx(
        {measures[3]: float("nan")}, nan_ok=True
    )


def test_what_is_no_measure_is_said(face):
    with pytest.raises(
        rw.RankwellError,
        match=r"coverage@10 is no measure of one topic, as it needs items=; use rw\.evaluate",
    ):
        face.as_measure("coverage@10")
    with pytest.raises(
        rw.RankwellError,
        match="personalization is no measure of one topic, as it has one value for all lists",
    ):
        face.as_measure("personalization")
    assert not face.provider.supports(ir_measures.Accuracy)
    with pytest.raises(rw.RankwellError, match="there is no such metric yet"):
        face.provider.calc_aggregate([ir_measures.BPM(T=1, cutoff=10)], QRELS, RUN)


def test_without_the_package_the_error_says_what_to_type(monkeypatch):
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(
        ImportError, match=r"ir_measures_provider needs ir_measures \(.*\): pip install ir_measures\.$"
    ):
        importlib.import_module(NAME)
