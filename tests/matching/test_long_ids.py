"""Messages quote the beginning of a long id, not a megabyte."""

from __future__ import annotations

import pytest

import rankwell as rw

LONG, OTHER = "x" * 60_000, "y" * 60_000
TWICE = [LONG, LONG]
RUN, QRELS = {LONG: {LONG: 2.0, OTHER: 1.0}}, {LONG: {LONG: 1}}

FAILURES = {
    "a run that repeats an item": lambda: rw.evaluate({LONG: TWICE}, QRELS, "ap"),
    "qrels that repeat an item": lambda: rw.evaluate(RUN, rw.Qrels([LONG] * 2, TWICE, [1, 2]), "ap"),
    "propensities that differ": lambda: rw.evaluate(
        RUN,
        rw.Qrels([LONG] * 2, TWICE, [1, 1], propensity=[0.5, 0.25]),
        "ips(metric=ap)",
        policy=rw.Policy(duplicate_grades="max"),
    ),
    "an item outside the catalogue": lambda: rw.evaluate(RUN, None, "coverage@1", items=[OTHER]),
    "a catalogue that repeats an item": lambda: rw.evaluate(RUN, None, "coverage@1", items=TWICE),
    "another collection": lambda: rw.evaluate(RUN, {OTHER: {LONG: 1}}, "ap"),
    "ids of another kind": lambda: rw.evaluate(RUN, {LONG: {1: 1}}, "ap"),
    "an undefined value": lambda: rw.evaluate(
        RUN, {LONG: {LONG: 0}}, "ap", policy=rw.Policy(undefined="error", grades="judgements")
    ),
    "a grade that is no number": lambda: rw.evaluate(RUN, {LONG: {LONG: OTHER}}, "ap"),
    "a query that is not there": lambda: rw.explain("ap", run=RUN, qrels=QRELS, query=OTHER),
    "a query on both sides": lambda: rw.evaluate(RUN, QRELS, "ap") + rw.evaluate(RUN, QRELS, "ap"),
    "a user without a weight": lambda: rw.evaluate(
        RUN, QRELS, "ap", users=[{"query": OTHER, "w": 1.0}], weights="w"
    ),
    "a number that Python does not write": lambda: rw.evaluate({LONG: {LONG: 10**5000}}, QRELS, "ap"),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_message_is_short_however_long_the_ids_are(what):
    with pytest.raises(rw.RankwellError) as raised:
        FAILURES[what]()
    assert len(str(raised.value)) < 800
    assert "x" * 40 in str(raised.value) or "y" * 40 in str(raised.value) or "1" * 40 in str(raised.value)
