"""Inputs: what an evaluation reads, and what it leaves unread."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import read_inputs
from rankwell.evaluation.request import Request
from rankwell.metrics import metrics_of
from rankwell.readers import read_items, read_qrels, read_run
from rankwell.readers.items_users import read_users

RUN = {"u": {"a": 3.0, "b": 2.0}, "v": {"b": 1.0}}
QRELS = {"u": {"b": 1}, "v": {"c": 1}}
TRAIN = {"u": ["c"], "v": ["a"]}


def asked(metrics, **tables):
    return Request(metrics=metrics_of(metrics), policy=rw.Policy(), **tables)


def test_tables_that_were_read_are_taken_as_they_are():
    run, qrels, train = read_run(RUN), read_qrels(QRELS), read_qrels(TRAIN)
    items, users = read_items(["a", "b", "c"]), read_users([{"user": "u"}, {"user": "v"}])
    inputs = read_inputs(asked(["ap", "epc@2"], qrels=qrels, train=train, items=items, users=users), [run])
    assert inputs.runs == (run,)
    assert (inputs.qrels, inputs.train, inputs.items, inputs.users) == (qrels, train, items, users)


def test_training_data_that_no_metric_needs_are_not_read(tmp_path):
    inputs = read_inputs(asked("ap", qrels=QRELS, train=tmp_path / "none.csv"))
    assert inputs.train is None
    with pytest.raises(rw.RankwellError, match="cannot be read"):
        read_inputs(asked("epc@2", qrels=QRELS, train=tmp_path / "none.csv"))


@pytest.mark.parametrize(
    ("metrics", "options", "message"),
    [
        ("ndgc", {}, "Did you mean ndcg"),
        ("coverage@2", {}, "needs the catalogue"),
        ("ap", {"preset": "rectool"}, "Did you mean rectools"),
        ("err@5", {"policy": rw.Policy(ties="expected")}, "no formula for the mean"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_before_anything_is_read(metrics, options, message, tmp_path):
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(tmp_path / "none.run", tmp_path / "none.qrels", metrics, **options)


def test_inputs_under_another_policy_hold_the_same_tables():
    request = asked(["ap", "rr"], qrels=read_qrels({"u": {"a": 1, "b": 3}}))
    inputs = read_inputs(request)
    changed = inputs.under(rw.Policy(rel=2))
    assert changed.qrels is inputs.qrels
    assert Evaluator.of(request, changed).results_of(read_run(RUN))["rr"] == 0.5
    assert Evaluator.of(request, inputs).results_of(read_run(RUN))["rr"] == 1.0


def test_an_evaluator_of_a_request_gives_the_values_of_an_evaluation():
    metrics, items = ["ap", "ndcg@2", "coverage@2", "epc@2"], ["a", "b", "c"]
    expected = rw.evaluate(RUN, QRELS, metrics, train=TRAIN, items=items)
    request = asked(metrics, qrels=read_qrels(QRELS), train=read_qrels(TRAIN), items=read_items(items))
    assert Evaluator.of(request).results_of(read_run(RUN)).to_json() == expected.to_json()
